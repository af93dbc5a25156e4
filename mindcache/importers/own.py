"""What an import wrote of a note, and a later import's changes to just that. Pure.

The ledger keeps a hash of every property, list item and line that the source had to
say last. Three sides then meet: what it said last (hashes), what it says now, and
what stands in the note. What is still as it was said may change with the source;
anything else is the owner's, and stays.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import quote, unquote

from mindcache.hashing import blake2b
from mindcache.note import DELETE, Property
from mindcache.note.surgery import Delete, same_value

__all__ = [
    "Merged",
    "Said",
    "grown_body",
    "is_as_said",
    "merged_body",
    "merged_properties",
    "said",
    "says_less",
]

_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$")


@dataclass(frozen=True, slots=True)
class Said:
    """Hashes of what a source said: of a list each item's, of the body each line's.

    Of a body that grows there is one hash of all lines, after their number. `origin`
    is as in `Item`.
    """

    version: str = ""
    properties: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    lists: frozenset[str] = frozenset()
    body: tuple[str, ...] = ()
    origin: str = ""

    def same_content(self, other: Said) -> bool:
        """Whether both say the same, whatever their versions."""
        return replace(self, version="") == replace(other, version="")

    def text(self) -> str:
        """As one word a part, for the ledger."""
        properties = " ".join(
            f"{quote(key, safe='')}{'*' if key in self.lists else '='}{'+'.join(hashes)}"
            for key, hashes in sorted(self.properties.items())
        )
        origin = f"|{self.origin}" if self.origin else ""
        return f"{self.version}|{properties}|{' '.join(self.body)}{origin}"

    @classmethod
    def read(cls, text: str) -> Said:
        """What `text` wrote; nothing for text of another kind."""
        parts = text.split("|")
        if len(parts) not in {3, 4}:
            return cls()
        properties: dict[str, tuple[str, ...]] = {}
        lists: set[str] = set()
        for word in parts[1].split():
            match = re.fullmatch(r"([^*=]+)([*=])([0-9a-f+]*)", word)
            if match:
                key = unquote(match[1])
                properties[key] = tuple(filter(None, match[3].split("+")))
                if match[2] == "*":
                    lists.add(key)
        body = tuple(parts[2].split())
        return cls(parts[0], properties, frozenset(lists), body, "".join(parts[3:]))


def said(
    properties: Mapping[str, Property], body: str, version: str, *, grows: bool = False
) -> Said:
    """The hashes of what a source says; `grows` as in `Item`."""
    lines = _LINES.findall(body)
    return Said(
        version.replace("|", "/"),
        {
            key: tuple(map(_hash, value))
            if isinstance(value, list)
            else (_hash(value),)
            for key, value in properties.items()
        },
        frozenset(key for key, value in properties.items() if isinstance(value, list)),
        (_whole_hash(lines),) if grows else tuple(map(_line_hash, lines)),
    )


# Properties that an import gives a note beside what its source says of it.
_GIVEN = frozenset(
    {
        "id", "type", "tags", "project", "status", "source_type", "source_id",
        "source_path", "created_at", "updated_at", "aliases", "derived_from",
    }
)  # fmt: skip


def is_as_said(last: Said, properties: Mapping[str, Property], body: str) -> bool:
    """Whether a note says just what its source said last: nobody has edited it.

    Its lists may hold more, and it may have what an import gives beside.
    """
    if not last.properties and not last.body:
        return False
    for key, hashes in last.properties.items():
        there = [_hash(item) for item in _items(properties.get(key))]
        if key in last.lists:
            if not set(hashes) <= set(there):
                return False
        elif tuple(there) != hashes and (there or properties.get(key) != ""):
            return False
    if properties.keys() - last.properties.keys() - _GIVEN:
        return False
    lines = _LINES.findall(body)
    return last.body in ((_whole_hash(lines),), tuple(map(_line_hash, lines)))


@dataclass(frozen=True, slots=True)
class Merged:
    """The changes to make, and the names of what the owner changed and the source too."""

    changes: Mapping[str, Property | Delete]
    held: tuple[str, ...] = ()


def merged_properties(
    last: Said,
    now: Mapping[str, Property],
    there: Mapping[str, Property],
    ours: Collection[str] = (),
) -> Merged:
    """What to change in the properties that are `there`, so that they say what is `now`.

    A list is merged item by item: what the owner added stays, what he took out stays
    out. What stands in the properties `ours` was written by us since, by no owner: it
    stays for as long as the source says the same, and then gives way.
    """
    changes: dict[str, Property | Delete] = {}
    held: list[str] = []
    for key in dict.fromkeys([*now, *last.properties]):
        wanted, found = now.get(key), there.get(key)
        if isinstance(wanted, list) or key in last.lists:
            items = _items(found)
            merged = _merged_list(last.properties.get(key, ()), _items(wanted), items)
            if merged != items:
                changes[key] = merged or DELETE
            continue
        if same_value(wanted, found) or _as_hashes(wanted) == last.properties.get(
            key, ()
        ):
            continue
        if key in ours or _as_hashes(found) == last.properties.get(key, ()):
            changes[key] = DELETE if wanted is None else wanted
        else:
            held.append(key)
    return Merged(changes, tuple(held))


def _as_hashes(value: Property) -> tuple[str, ...]:
    return () if value in (None, "", []) else (_hash(value),)


def _items(value: Property) -> list[Property]:
    if value in (None, ""):
        return []
    return list(value) if isinstance(value, list) else [value]


def _merged_list(
    last: Sequence[str], wanted: Sequence[Property], found: Sequence[Property]
) -> list[Property]:
    hashes = [_hash(item) for item in wanted]
    kept = [i for i in found if (h := _hash(i)) not in last or h in hashes]
    present = {_hash(item) for item in kept}
    fresh = zip(wanted, hashes, strict=True)
    return kept + [i for i, h in fresh if h not in last and h not in present]


def merged_body(
    last: Sequence[str], now: str, there: str, newline: str
) -> tuple[str, bool]:
    """The body that is `there` with what the source changed in it since `last`.

    Also whether a change was left out because the owner had changed the same lines.
    Lines that are kept keep their ends; new ones get `newline`.
    """
    new = [line.rstrip("\r\n") for line in _LINES.findall(now)]
    old = _LINES.findall(there)
    said_now = [_line_hash(line) for line in new]
    found = [_line_hash(line) for line in old]
    if said_now in (list(last), found):
        return there, False
    base = list(last)
    mine = _edits(base, found)
    theirs = _edits(base, said_now)
    out: list[str] = []
    shared: dict[int, int] = {}  # lines of mine that theirs begin with too
    clashed = False
    # (place in the base, order there, end of what it replaces, lines)
    steps: list[tuple[int, int, int, list[str]]] = []
    for a, b, c, d in theirs:
        if any((a, b, said_now[c:d]) == (e, f, found[g:h]) for e, f, g, h in mine):
            continue  # both made the same change
        if any(_overlap((a, b), (e, f)) for e, f, _, _ in mine):
            clashed = True
            continue
        # What both put there first, a heading, stands once and in front.
        there_too = [(g, h) for e, f, g, h in mine if a == b == e == f]
        start = c
        for g, h in there_too:
            same, shared[a] = _common(said_now[c:d], found[g:h])
            start += same
        steps.append((a, 1, b, [line + newline for line in new[start:d]]))
    for a, b, c, d in mine:
        cut = c + (shared.get(a, 0) if a == b else 0)
        steps += [(a, 0, a, old[c:cut]), (a, 2, b, old[cut:d])]
    kept = _kept(base, found, old)
    at = 0
    for start, _, end, lines in sorted(steps, key=lambda step: step[:3]):
        out += [kept[n] for n in range(at, start)]
        out += lines
        at = max(at, end)
    out += [kept[n] for n in range(at, len(base))]
    return _joined(out, newline), clashed


def grown_body(
    last: Sequence[str], now: str, there: str, newline: str
) -> tuple[str, bool]:
    """The same for a body that grows, of which `last` holds one hash.

    What came to its end goes behind the last line of the source that is still there.
    Where the source changed what it had said before, only a body that nobody changed
    follows it.
    """
    new = [line.rstrip("\r\n") for line in _LINES.findall(now)]
    old = _LINES.findall(there)
    if (_whole_hash(new),) == tuple(last) or _bare(new) == _bare(old):
        return there, False
    if not last and not there.strip():
        return now, False
    known, _, _ = last[0].partition("~") if len(last) == 1 else ("", "", "")
    count = int(known) if known.isdigit() else 0
    if _begins_within(new, old):
        return _continued(new, old, newline)
    if count and _whole_hash(old[:count]) == last[0]:
        # As it was said, but for what the owner wrote behind it.
        return _joined([*_ended(new, newline), *old[count:]], newline), False
    at = 0
    if count and _whole_hash(new[:count]) == last[0]:
        at = _place_of(_bare(new[:count])[-1], _bare(old))
    if not at:
        is_extension = count and _whole_hash(new[:count]) == last[0]
        return (there, True) if is_extension else _continued(new, old, newline)
    fresh = _ended(new[count:], newline)
    return _joined([*old[:at], *fresh, *old[at:]], newline), False


# A message as importers write it: its paragraph ends with a block id of its own.
_MESSAGE = re.compile(r" \^(t-[0-9a-f]+(?:-\d+)?)$")


def _messages(lines: Sequence[str]) -> dict[str, int]:
    """The lines on which messages' block ids stand, by id."""
    found = enumerate(_bare(lines))
    return {match[1]: at for at, line in found if (match := _MESSAGE.search(line))}


def _begins_within(new: Sequence[str], old: Sequence[str]) -> bool:
    """Whether what is new is a piece whose beginning the source said before, later on."""
    first = next(iter(_messages(new)), "")
    return first in list(_messages(old))[1:]


def _continued(
    new: Sequence[str], old: Sequence[str], newline: str
) -> tuple[str, bool]:
    """The old lines, and behind them what is new after the last message that both have.

    Also whether something before that differs and was left out, or nothing is common.
    """
    there, now = _messages(old), _messages(new)
    common = [name for name in now if name in there]
    if not common:
        return _joined(old, newline), True
    last = list(now).index(common[-1])
    bare_new, bare_old = _bare(new), _bare(old)
    clashed = any(
        name not in there or bare_old[there[name]] != bare_new[now[name]]
        for name in list(now)[:last]
    )
    if last + 1 == len(now):
        return _joined(old, newline), clashed
    # What belongs to the last common message (a list, a table) is there already.
    rest = new[now[common[-1]] + 1 :]
    known = set(_bare(old))
    skipped = 0
    while skipped < len(rest) and rest[skipped].rstrip() in known | {""}:
        skipped += 1
    fresh = ["", *_ended(rest[skipped:], newline)]
    fresh[0] = newline
    end = len(old)
    while end and not old[end - 1].strip():
        end -= 1
    return _joined([*old[:end], *fresh], newline), clashed


def says_less(now: str, there: str) -> bool:
    """Whether a body that grows is a piece of the one that is there: nothing is new.

    Headings aside, which depend on where a piece begins.
    """
    new = _bare(_LINES.findall(now))
    old = _bare(_LINES.findall(there))
    left = iter(old)
    said_there = (line in left for line in new if line and not line.startswith("#"))
    return new != old and all(said_there)


def _place_of(line: str, lines: Sequence[str]) -> int:
    """After how many lines this one stands, 0 unless it stands there just once."""
    places = [at for at, each in enumerate(lines, 1) if each == line]
    return places[0] if line and len(places) == 1 else 0


def _ended(lines: Sequence[str], newline: str) -> list[str]:
    return [line + newline for line in lines]


def _bare(lines: Sequence[str]) -> list[str]:
    return [line.rstrip("\r\n").rstrip(" \t") for line in lines]


def _whole_hash(lines: Sequence[str]) -> str:
    digest = blake2b("\n".join(_bare(lines)).encode(), digest_size=10)
    return f"{len(lines)}~{digest.hexdigest()}"


def _common(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """How many lines of each are their common beginning, blank lines before it aside."""
    blank = _line_hash("")
    a = next((n for n, line in enumerate(one) if line != blank), len(one))
    b = next((n for n, line in enumerate(other) if line != blank), len(other))
    pairs = zip(one[a:], other[b:], strict=False)
    ends = min(len(one) - a, len(other) - b)
    same = next((n for n, (x, y) in enumerate(pairs) if x != y), ends)
    return (a + same, b + same) if same else (0, 0)


def _edits(
    base: Sequence[str], other: Sequence[str]
) -> list[tuple[int, int, int, int]]:
    matcher = difflib.SequenceMatcher(None, base, other, autojunk=False)
    return [(a, b, c, d) for tag, a, b, c, d in matcher.get_opcodes() if tag != "equal"]


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    (a, b), (c, d) = one, other
    if a == b:
        return c < a < d
    return a < c < b if c == d else max(a, c) < min(b, d)


def _kept(
    base: Sequence[str], found: Sequence[str], old: Sequence[str]
) -> dict[int, str]:
    """The owner's spelling of each line of the base that is still there."""
    matcher = difflib.SequenceMatcher(None, base, found, autojunk=False)
    kept: dict[int, str] = {}
    for a, b, size in matcher.get_matching_blocks():
        kept.update((a + n, old[b + n]) for n in range(size))
    return kept


def _joined(lines: Sequence[str], newline: str) -> str:
    """The lines as one text; one that had no end gets it when it is no longer last."""
    text = ""
    for line in lines:
        if text and not text.endswith(("\n", "\r")):
            text += newline
        text += line
    return text


def _hash(value: Property) -> str:
    text = json.dumps(value, ensure_ascii=True, sort_keys=True)
    return blake2b(text.encode(), digest_size=4).hexdigest()


def _line_hash(line: str) -> str:
    return _hash(line.rstrip("\r\n").rstrip(" \t"))
