"""What a session is told when it starts: what fits, fenced, with a receipt. Pure.

Everything of the vault stands in one fence, each note with its path. What a session
still holds is not said again. What did not fit is counted, never dropped in silence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from mindcache import fence
from mindcache.hashing import blake2b
from mindcache.redact import redact
from mindcache.session.picture import Item, Picture
from mindcache.text.tokens import estimate

__all__ = ["LARGEST", "SHARES", "Injected", "Wanted", "compose"]

LARGEST: Final = 9_000
"""Characters; beyond 10,000 the session gets a preview and the name of a file."""

SHARES: Final = {"startup": 1.0, "clear": 1.0, "compact": 0.66, "resume": 0.33}
"""The part of the budget that each kind of start may take: after a compaction the
session has its own summary, and a resumed one needs only what is new."""

# What the notice, the fence and the receipt take of the budget.
_FRAME_TOKENS, _FRAME_CHARS = 150, 900
# A text of which less than this fits is left to its summary.
_LEAST = 40

_TITLES: Final = (
    ("plan", "Due, or over and not settled (mindcache plans):"),
    ("convention", "Conventions that this project declares:"),
    ("global", "Holds everywhere (scope/global):"),
    ("note", "Of this project and the tags it declares:"),
)
# The part of the room that the lines of a section may take before the others had
# theirs; what is left then goes to texts of conventions, and then to further lines.
_FIRST: Final = {"plan": 0.15, "convention": 0.25, "global": 0.2, "note": 0.2}


class Wanted(NamedTuple):
    """How a start is to be told.

    `source` is the hook's, `budget` tokens for a whole start, `held` the keys of what
    the session has in its context; `behind` says in words how far the index may be
    behind ("" for not at all), `trouble` what went wrong since, `refused` how many of
    the declared tags name none.
    """

    project: str
    source: str = "startup"
    budget: int = 1_500
    held: Collection[str] = ()
    behind: str = ""
    trouble: str = ""
    refused: int = 0


class Injected(NamedTuple):
    """The text for the session ("" for nothing new), and the keys of what it holds."""

    text: str = ""
    keys: tuple[str, ...] = ()
    tokens: int = 0
    shown: int = 0
    left_out: int = 0


class _Room:
    """What is left of a budget, in tokens and in characters."""

    __slots__ = ("chars", "tokens")

    def __init__(self, tokens: int, chars: int) -> None:
        self.tokens = tokens
        self.chars = chars

    def fits(self, text: str) -> bool:
        tokens, chars = _cost(text)
        return tokens <= self.tokens and chars <= self.chars

    def take(self, text: str) -> bool:
        if not self.fits(text):
            return False
        tokens, chars = _cost(text)
        self.tokens -= tokens
        self.chars -= chars
        return True


class _Said:
    """What was taken into the text so far; `dropped` lines are of no note."""

    __slots__ = ("cut", "dropped", "lines", "texts")

    def __init__(self) -> None:
        self.lines: dict[int, str] = {}
        self.texts: dict[int, str] = {}
        self.cut = 0
        self.dropped = 0


@lru_cache(maxsize=4_096)  # a line is asked for four times
def _cost(text: str) -> tuple[int, int]:
    """What a line takes: tokens, and characters with its end."""
    return estimate(text), _length(text) + 1


def _length(text: str) -> int:
    """Characters as the session's program counts them: UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def compose(picture: Picture, wanted: Wanted) -> Injected:
    """The text of a start, at most `LARGEST` characters and its share of the budget."""
    budget = int(wanted.budget * SHARES.get(wanted.source, 1.0))
    room = _Room(max(0, budget - _FRAME_TOKENS), LARGEST - _FRAME_CHARS)
    items = [_clean(item) for item in picture.items]
    fresh = [n for n, item in enumerate(items) if _key(item) not in wanted.held]
    heads = [h for h in _heads(picture, wanted) if _hash(h) not in wanted.held]
    told = [head for head in heads if room.take(head)]
    dropped, heads = len(heads) - len(told), told
    said = _fill(items, fresh, room)
    if not said.lines and wanted.source == "resume" and not wanted.trouble:
        return Injected()
    body = "\n".join((*heads, *_sections(items, said)))
    secrets = redact(body)
    where = wanted.project or "no project"
    inner = fence.fenced(secrets.text, f"the vault, for {where}")
    tokens = estimate(inner) + _FRAME_TOKENS // 2
    out = len(fresh) - len(said.lines)
    said.dropped = dropped
    receipt = _receipt(picture, wanted, said, (tokens, budget), out, secrets.taken)
    keys = [_key(items[n]) for n in said.lines] + [_hash(head) for head in heads]
    text = "\n".join(filter(None, (_told(wanted), fence.NOTICE, inner, receipt)))
    return Injected(text, tuple(keys), estimate(text), len(said.lines), out)


def _clean(item: Item) -> Item:
    line = " ".join(fence.harmless(item.line).split())
    path = " ".join(fence.harmless(item.path).split())
    return item._replace(path=path, line=line, text=fence.harmless(item.text))


def _key(item: Item) -> str:
    return _hash(f"{item.path}\n{item.line}\n{item.text}")


def _hash(text: str) -> str:
    return blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _told(wanted: Wanted) -> str:
    """What went wrong where nobody saw it: ours to say, outside of the fence."""
    if not wanted.trouble:
        return ""
    what = " ".join(fence.harmless(wanted.trouble).split())[:300]
    return (
        f"Mindcache could not do its work: {what} (mindcache plugin doctor tells more)"
    )


def _heads(picture: Picture, wanted: Wanted) -> Iterable[str]:
    """Single lines about the whole; in the order in which room is given."""
    where = f"project {wanted.project}" if wanted.project else "no project"
    counts = f"{picture.notes:,} notes and {picture.events:,} events"
    named = "; ".join(" ".join(fence.harmless(t).split()) for t in picture.topics)
    topics = f" Much about: {named}." if named else ""
    if wanted.source != "resume":
        yield f"Memory: {counts}, seen from {where}.{topics}"
    if waiting := _waiting(picture):
        yield f"Waiting for the person's word: {waiting}"
    if picture.last:
        yield f"Last here: {_single(picture.last)}"
    if picture.elsewhere and wanted.source in {"startup", "clear"}:
        yield f"Elsewhere today and yesterday: {_single(picture.elsewhere)}"


def _waiting(picture: Picture) -> str:
    """What only a person can decide, counted, with the commands that list it."""
    counts = (
        (picture.proposals, "proposal", "", "mindcache digest proposals"),
        (picture.unsettled, "plan", " over and not settled", "mindcache plans --due"),
    )
    return "; ".join(
        f"{count:,} {what}{'' if count == 1 else 's'}{how} ({command})"
        for count, what, how, command in counts
        if count
    )


def _single(text: str) -> str:
    return " ".join(fence.harmless(text).split())


def _line(item: Item) -> str:
    return f"- {item.path}: {item.line}" if item.line else f"- {item.path}"


def _fill(items: list[Item], fresh: list[int], room: _Room) -> _Said:
    """Lines by share, then texts of conventions, then the lines that still fit."""
    said = _Said()
    whole = _Room(room.tokens, room.chars)
    for section, title in _TITLES:
        mine = [n for n in fresh if items[n].section == section]
        if not mine or not room.take(title):
            continue
        share = _FIRST[section]
        own = _Room(int(whole.tokens * share), int(whole.chars * share))
        for n in mine:
            line = _line(items[n])
            if own.fits(line) and room.fits(line):
                own.take(line)
                room.take(line)
                said.lines[n] = line
    for n in list(said.lines):
        text = items[n].text
        if items[n].section != "convention" or not text:
            continue
        shown = _cut(_indented(text), room, items[n].path)
        if shown and room.take(shown):
            said.texts[n] = shown
            said.cut += shown != _indented(text)
    for n in fresh:
        line = _line(items[n])
        if n not in said.lines and _begun(items, said, n) and room.take(line):
            said.lines[n] = line
    return said


def _begun(items: list[Item], said: _Said, n: int) -> bool:
    """Whether the section of an item has a title already."""
    return any(items[other].section == items[n].section for other in said.lines)


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.split("\n"))


def _cut(text: str, room: _Room, path: str) -> str:
    """As many whole lines of a text as there is room for; "" for too few."""
    if room.fits(text):
        return text
    rest = f"  … (mindcache show {path})"
    tokens, chars = _cost(rest)
    left = _Room(room.tokens - tokens, room.chars - chars)
    kept: list[str] = []
    for line in text.split("\n"):
        if not left.take(line):
            break
        kept.append(line)
    shown = "\n".join(kept).rstrip()
    return f"{shown}\n{rest}" if estimate(shown) >= _LEAST else ""


def _sections(items: list[Item], said: _Said) -> Iterable[str]:
    for section, title in _TITLES:
        mine = [n for n in sorted(said.lines) if items[n].section == section]
        if mine:
            yield title
        for n in mine:
            yield said.lines[n]
            if n in said.texts:
                yield said.texts[n]


def _receipt(
    picture: Picture,
    wanted: Wanted,
    said: _Said,
    size: tuple[int, int],
    out: int,
    secrets: int,
) -> str:
    """What was said and why, what it takes, what was left out, and how old it is."""
    shown = len(said.lines)
    parts = [f"{shown} notes, {len(said.texts)} with text"]
    if said.cut:
        parts.append(f"{said.cut} of them cut")
    left = picture.left
    counts = (
        (out + said.dropped + left.more, "for want of room"),
        (left.foreign, "of other projects or clients"),
        (left.imported, "imported"),
        (left.gone, "deleted since"),
        (len(picture.items) - shown - out, "in this session already"),
        (wanted.refused, "declared tags that name no subject"),
        (secrets, "secrets"),
    )
    missing = ", ".join(f"{count} {why}" for count, why in counts if count)
    if missing:
        parts.append(f"left out: {missing}")
    stale = sum(item.path in picture.changed for item in picture.items)
    if stale:
        parts.append(f"{stale} changed on disk since they were indexed")
    parts.append(wanted.behind or "up to date")
    ask = (
        'mindcache recall "…" --budget 800 or mindcache index query --tag T gives more.'
    )
    return (
        f"Receipt: about {size[0]:,} of {size[1]:,} tokens; {'; '.join(parts)}. {ask}"
    )
