"""What two versions of a note began as, out of what one machine saw of it. Pure.

A base that is too new takes for deleted what one side never had, so none is taken on
trust. Each version that one machine saw is laid beside both sides: news of it that a
side has tells that the side was written on top of it, for nobody writes the same three
words by chance. Where another version may be the base as well, both must give the same.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from mindcache.generated import has_marker
from mindcache.merge.lines import Clash, hunks
from mindcache.merge.notes import Merged, merge
from mindcache.merge.properties import EARLIER, LATER
from mindcache.note import Note, Property, parse, same_value

__all__ = ["Based", "How", "Version", "merge_by_versions"]

# How a version came to this machine: the note came into being here, or the version came
# from another machine, or it was saved here, or nobody knows.
How = Literal["born", "arrived", "changed", "unknown"]

_WORD = re.compile(r"\w+")
# What two people write by chance, both: a word, hardly three and each of them.
_WITNESSES = 3
# Shorter ones say little: "a", "of", the day of a date.
_SHORTEST = 3
# Of letters and digits, and as long as this, a word is an id or a time, and one enough.
_UNIQUE = re.compile(r"(?=\w*\d)(?=\w*[^\W\d])\w{6,}")
# What a note has that is made of something that every machine may have.
_MADE = frozenset({"source_type", "source_id", "external_ref", "derived_from"})
_SPACE = re.compile(" ")
# Longer lines are taken whole: each of their words would be kept with all before it.
_LONGEST = 1_000
# Of properties that say when something was last or first so, each side has an own.
_OWN = LATER | EARLIER


@dataclass(frozen=True, slots=True)
class Version:
    """What a note said at a time.

    `is_first`: nothing was at its place before. `is_followed`: it was saved here, or came
    here, in one go, and the machine looked on all the time since the version before it.
    """

    data: bytes
    how: How = "unknown"
    is_first: bool = False
    is_followed: bool = False


@dataclass(frozen=True, slots=True)
class Based:
    """Two sides merged on what they began as: `base` counts from the oldest version.

    It is None where they came together without: neither took anything away.
    """

    merged: Merged
    base: int | None


def merge_by_versions(
    path: str,
    versions: Sequence[Version],
    ours: bytes,
    theirs: bytes,
    *,
    is_pair: bool = False,
) -> Based | None:
    """Both sides merged on the newest version that both were surely written on.

    `versions` are those of one machine, the oldest first; None where none of them is
    proven. `is_pair` says that no third machine is known of: what came from elsewhere
    came from the other one, then. Not certain where the versions allow of two results.
    """
    sides = (_Text.of(path, ours), _Text.of(path, theirs))
    chain = [_Text.of(path, version.data) for version in versions]
    readable = [at for at, text in enumerate(chain) if text is not None]
    one, other = sides
    if one is None or other is None or not readable:
        return None
    history = _History(
        path,
        [versions[at] for at in readable],
        [text for text in chain if text is not None],
        (one, other),
        is_pair,
    )
    based = history.merged()
    if based is None or based.base is None:
        return based
    return Based(based.merged, readable[based.base])


@dataclass(frozen=True, slots=True)
class _Text:
    """A version, read: its properties, its lines with text, and its words."""

    data: bytes
    note: Note
    lines: tuple[str, ...]
    words: frozenset[str]
    beginnings: frozenset[str]

    @classmethod
    def of(cls, path: str, data: bytes) -> _Text | None:
        """None for what is no text, can't be read, or is written by the program."""
        note = parse(path, data)
        front = note.frontmatter
        if note.encoding.name != "utf-8" or has_marker(note.text):
            return None
        if front is not None and front.error is not None:
            return None
        stripped = (line.rstrip() for line in note.body.split("\n"))
        lines = tuple(filter(None, stripped))
        beginnings = frozenset(each for line in lines for each in _beginnings(line))
        return cls(data, note, lines, _words(note.text), beginnings)

    @property
    def properties(self) -> dict[str, Property]:
        return dict(self.note.properties)


@dataclass(slots=True)
class _Change:
    """What a side has of the change from one version to another.

    `had` are new words that it has, `lacking` those it has not; `is_met` where it has
    something else in the place, `is_back` where it has what was there before, `has_any`
    where it has some of what is new.
    """

    had: set[str] = field(default_factory=set)
    lacking: set[str] = field(default_factory=set)
    has_any: bool = False
    is_met: bool = False
    is_back: bool = False

    def take(self, words: Iterable[str]) -> None:
        """The side has these."""
        self.has_any = True
        self.had.update(words)

    def miss(self, words: Iterable[str]) -> None:
        """The side has not these, but what was there before them."""
        self.is_back = True
        self.lacking.update(words)


@dataclass(frozen=True, slots=True)
class _History:
    """The versions of one machine beside two sides."""

    path: str
    versions: Sequence[Version]
    texts: Sequence[_Text]
    sides: tuple[_Text, _Text]
    is_pair: bool

    def merged(self) -> Based | None:
        base = self._newest()
        if base is None:
            return None
        found, others = self._on(base), self._others(base)
        if found.is_certain and all(self._gives(at, found) for at in others):
            return Based(found, base)
        one, other = self.sides
        may_be = [self.texts[at] for at in (base, *others)]
        if all(_keeps(side, text) for side in self.sides for text in may_be):
            plain = self._once(merge(self.path, None, one.data, other.data))
            if plain.is_certain:
                return Based(plain, None)
        if found.is_certain:
            clash = Clash("what was there before", "", "")
            found = Merged(one.data, (clash,), is_whole=False)
        return Based(found, base)

    def _on(self, at: int) -> Merged:
        """Both sides merged on a version."""
        one, other = self.sides
        return self._once(merge(self.path, self.texts[at].data, one.data, other.data))

    def _once(self, found: Merged) -> Merged:
        """What was merged, not certain where a line would stand there twice.

        That is so where both put it in at different places, or one goes on from it.
        """
        text = _Text.of(self.path, found.data) if found.is_certain else None
        if text is None:
            return found
        counts = [Counter(each.lines) for each in (text, *self.sides)]
        is_twice = any(
            n > max(c[line] for c in counts[1:]) for line, n in counts[0].items()
        )
        there = frozenset(text.lines)
        for side, beside in (self.sides, self.sides[::-1]):
            own = there.intersection(side.lines).difference(beside.lines)
            theirs = there.intersection(beside.lines).difference(side.lines)
            again = (line for each in theirs for line in _beginnings(each))
            is_twice = is_twice or not own.isdisjoint(again)
        if is_twice:
            clash = Clash("lines", "", "")
            return Merged(self.sides[0].data, (clash,), is_whole=False)
        return found

    def _newest(self) -> int | None:
        """The newest version that both sides have certainly begun as."""
        for at in range(len(self.versions) - 1, -1, -1):
            if all(self._is_below(at, side) for side in self.sides):
                return at
        return None

    def _is_below(self, at: int, side: _Text) -> bool:
        """Whether a side was certainly written on top of a version."""
        if self._is_saved_on(at, side):
            return True
        if at == 0:
            return self._is_beginning(side)
        change = _change(self.texts[at - 1], self.texts[at], side)
        return _is_telling(change.had - self.texts[at - 1].words)

    def _is_beginning(self, side: _Text) -> bool:
        """Whether every version of the note anywhere came of the first one here."""
        first, text = self.versions[0], self.texts[0]
        if not first.is_first:
            return False
        if first.how == "born":
            # Two machines may each have made a note of one name, or of one source.
            if not _MADE.isdisjoint(text.properties):
                return False
            known = text.properties.get("id")
            return isinstance(known, str) and side.properties.get("id") == known
        is_of_it = _is_telling(text.words & side.words)
        return first.how == "arrived" and self.is_pair and is_of_it

    def _others(self, base: int) -> list[int]:
        """Which other versions may be the base as well."""
        newer = range(base + 1, len(self.versions))
        return [
            *(at for at in range(base) if self._may_be_older(at, base)),
            *(at for at in newer if self._may_be_newer(at, base)),
        ]

    def _gives(self, at: int, found: Merged) -> bool:
        """Whether a version gives the same as another did."""
        again = self._on(at)
        return again.is_certain and again.data == found.data

    def _may_be_older(self, at: int, base: int) -> bool:
        """Whether a side may lack some of what came between an older version and the base.

        Between two machines it has what came before the last step, but for words that
        both wrote alike. Of the last step it may have had a part, unless that came in
        one go: what it has instead tells nothing then. A third machine may have brought
        it news without what was there before.
        """
        is_last = at == base - 1 and not self.versions[base].is_followed
        for side in self.sides:
            if self._is_saved_on(base, side):
                continue
            change = _change(self.texts[at], self.texts[base], side)
            if change.is_back or (change.is_met and (is_last or not self.is_pair)):
                return True
        return False

    def _may_be_newer(self, at: int, base: int) -> bool:
        """Whether both sides may have had a newer version than is proven."""
        known = frozenset().union(*(text.words for text in self.texts[: base + 1]))
        is_own = all(v.how == "changed" for v in self.versions[base + 1 : at + 1])
        for side in self.sides:
            if self._is_before(side, at):
                return False
            if self._leads(at, side, lambda version: version.how == "changed"):
                continue
            change = _change(self.texts[base], self.texts[at], side)
            if _is_telling(change.lacking - known):
                return False
            if is_own and not change.has_any and not change.is_met:
                return False
        return True

    def _is_before(self, side: _Text, at: int) -> bool:
        """Whether a side was there, as it is, before a version came."""
        was = [n for n, text in enumerate(self.texts) if text.data == side.data]
        return bool(was) and was[-1] < at

    def _is_saved_on(self, at: int, side: _Text) -> bool:
        """Whether a side is a version, or was saved here on it with nothing between."""
        return self._leads(
            at, side, lambda version: version.is_followed and version.how == "changed"
        )

    def _leads(self, at: int, side: _Text, counts: Callable[[Version], bool]) -> bool:
        """Whether a side is a version, or one after it, where all in between count."""
        if self.texts[at].data == side.data:
            return True
        for later in range(at + 1, len(self.versions)):
            if not counts(self.versions[later]):
                return False
            if self.texts[later].data == side.data:
                return True
        return False


def _keeps(side: _Text, base: _Text) -> bool:
    """Whether a side has all of the base, or goes on from it."""
    for line in base.lines:
        if line not in side.beginnings:
            return False
    there = side.properties
    for key, value in base.properties.items():
        has = there.get(key)
        if isinstance(value, list):
            if not _items(value) <= _items(has):
                return False
        elif key not in _OWN and not same_value(value, has):
            return False
    return True


def _change(first: _Text, then: _Text, side: _Text) -> _Change:
    """What a side has of the change from `first` to `then`."""
    found = _Change()
    keys = {**first.properties, **then.properties}
    for key in keys.keys() - _OWN:
        _of_property(found, *(each.properties.get(key) for each in (first, then, side)))
    stays = frozenset(then.lines)
    # Lines of the side that came of none that `then` has.
    own = [line for line in side.lines if stays.isdisjoint(_beginnings(line))]
    known = frozenset(each for line in own for each in _beginnings(line))
    for hunk in hunks(first.lines, then.lines):
        was = [w for w in first.lines[hunk.a0 : hunk.a1] if w not in stays]
        now = then.lines[hunk.b0 : hunk.b1]
        is_left = not known.isdisjoint(was)
        if is_left:
            found.miss(())
        elif was and not now:
            _of_deleted(found, was, own)
        _of_lines(found, was, now, side, is_left=is_left)
    return found


def _of_property(found: _Change, was: Property, now: Property, there: Property) -> None:
    if same_value(was, now):
        return
    if isinstance(was, list) or isinstance(now, list):
        before, after, has = (_items(each) for each in (was, now, there))
        for item in after - before:
            if item in has:
                found.take(_words(item))
            else:
                found.miss(_words(item))
        for item in before - after:
            if item in has:
                found.miss(())
            else:
                found.take(())
    elif same_value(now, there):
        found.take(_words(str(now)))
    elif same_value(was, there):
        found.miss(_words(str(now)) - _words(str(was)))
    else:
        found.is_met = True


def _items(value: Property) -> frozenset[str]:
    values = value if isinstance(value, list) else [value]
    return frozenset(str(each) for each in values if each is not None)


def _of_deleted(found: _Change, was: Sequence[str], own: Sequence[str]) -> None:
    """Lines that were taken out, and are not in the side as they were."""
    if any(_is_reworded(_words(line), each) for line in was for each in own):
        found.is_met = True
    else:
        found.has_any = True


def _of_lines(
    found: _Change,
    was: Sequence[str],
    now: Sequence[str],
    side: _Text,
    *,
    is_left: bool,
) -> None:
    """Lines that were put in place of others; `is_left`: the side has some of those."""
    old = _words("\n".join(was))
    may_be = 0 if is_left else len(was)
    for line in now:
        if line in was:
            continue
        words = _words(line) - old
        if line in side.beginnings:
            found.take(words)
        elif may_be:
            may_be -= 1
            found.is_met = True
        else:
            found.miss(words - side.words)


def _beginnings(line: str) -> Iterator[str]:
    """A line, and all that it may have been before more was put behind it."""
    yield line
    if len(line) <= _LONGEST:
        for space in _SPACE.finditer(line):
            yield line[: space.start()]


def _is_reworded(words: frozenset[str], line: str) -> bool:
    """Whether a line may be what became of one with these words."""
    return len(words & _words(line)) * 2 >= max(len(words), 1)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _is_telling(words: Iterable[str]) -> bool:
    """Whether nobody else would have written these words by chance."""
    long = [word for word in words if len(word) >= _SHORTEST]
    return len(long) >= _WITNESSES or any(map(_UNIQUE.fullmatch, long))
