"""What the ledger knows of proposals: plain values out of its lines. Pure.

A proposal is one suggestion as it was shown, with the marks of the notes that it is
about as they were then; shown anew, it is another proposal under the same key. Its
`id` is the block id of its box, made from all of that: nothing that stands in a note
can make an id mean another change. Lines only ever add up, whatever clocks and
devices they come from: the furthest one counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from mindcache.digest.step import Suggestion
from mindcache.hashing import blake2b
from mindcache.vault import Entry

__all__ = ["ABSENT", "KINDS", "Book", "Proposal", "entry", "proposed"]

KINDS = ("merge", "retire", "entity", "promote", "topics", "diverged")

# How far a proposal got. `moot` and `stale` are shut by the digest, the first for good
# reason of their own, the second since its notes were changed before they could be.
_RANKS = {
    "proposed": 0,
    "shown": 1,
    "rejected": 2,
    "applying": 3,
    "moot": 4,
    "stale": 4,
    "applied": 5,
    "undoing": 6,
    "undone": 7,
}
ABSENT = "absent"
"""What the ledger says of a refusal that was no more than a line taken out."""

_OPEN = frozenset({"proposed", "shown"})
# What a person decided against stays so.
_NEVER_AGAIN = frozenset({"rejected", "undoing", "undone"})

_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH = 10  # fifty bits: no two proposals of a lifetime meet


@dataclass(frozen=True, slots=True)
class Proposal:
    """One proposal; `notes` are (path, id, mark) as they were when it was made.

    `page` is where its note was made, `at` when it was proposed. `state` is how far it
    got, since `since`, `why` what was said of that, `order` which line of all said so.
    """

    id: str
    kind: str
    key: str
    notes: tuple[tuple[str, str, str], ...]
    reason: str
    title: str
    value: str = ""
    page: str = ""
    at: str = ""
    state: str = "proposed"
    since: str = ""
    why: str = ""
    order: int = 0

    @property
    def paths(self) -> tuple[str, ...]:
        """The notes by the paths that they had."""
        return tuple(path for path, _, _ in self.notes)

    @property
    def is_absent(self) -> bool:
        """Whether it was taken out of its note, and so refused."""
        return self.state == "rejected" and self.why == ABSENT

    @property
    def is_undecided(self) -> bool:
        """Whether what stands in its note may still count for something."""
        return self.is_open or self.is_absent

    @property
    def is_open(self) -> bool:
        """Whether nobody decided on it yet."""
        return self.state in _OPEN


class Book:
    """The proposals of a ledger, by their ids."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.of: dict[str, Proposal] = {}
        later: list[tuple[int, Entry]] = []
        for order, each in enumerate(entries):
            if each.what not in _RANKS or each.kind not in KINDS or not each.id:
                continue
            if each.what == "proposed":
                if (found := _read(each)) is not None and found.page:
                    self.of[found.id] = found
            else:
                later.append((order, each))
        for order, each in later:
            known = self.of.get(each.id)
            if known is None or (known.kind, known.key) != (each.kind, each.key):
                continue
            if _RANKS[each.what] > _RANKS[known.state]:
                self.of[each.id] = replace(
                    known,
                    state=each.what,
                    since=each.at,
                    why=each.said,
                    order=order,
                )

    def open(self) -> list[Proposal]:
        """Those that wait, in the order of asking."""
        return sorted(
            (p for p in self.of.values() if p.is_open), key=lambda p: (p.at, p.id)
        )

    def begun(self) -> list[Proposal]:
        """Those that somebody was killed over."""
        return [
            p for _, p in sorted(self.of.items()) if p.state in ("applying", "undoing")
        ]

    def is_refused(self, kind: str, key: str) -> bool:
        """Whether a person decided against it."""
        return any(
            (p.kind, p.key) == (kind, key) and p.state in _NEVER_AGAIN
            for p in self.of.values()
        )


def proposed(
    suggestion: Suggestion,
    notes: Iterable[tuple[str, str, str]],
    title: str,
    page: str,
    at: str,
) -> Proposal:
    """A suggestion as a proposal, with the id that all of it makes."""
    bare = Proposal(
        "",
        suggestion.kind,
        suggestion.key,
        tuple(notes),
        suggestion.reason,
        title,
        suggestion.value,
        page,
        at,
    )
    text = f"{bare.kind}\n{bare.key}\n{at[:10]}\n{_said(bare)}"
    number = int.from_bytes(
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big"
    )
    digits = (_DIGITS[(number >> 5 * place) & 31] for place in range(_LENGTH))
    return replace(bare, id="p-" + "".join(digits))


def entry(what: str, proposal: Proposal, at: str, said: str = "") -> Entry:
    """The line of the ledger that a proposal got so far."""
    if what == "proposed":
        said = _said(proposal)
    return Entry(
        what,
        proposal.kind,
        proposal.key,
        id=proposal.id,
        path=proposal.page,
        at=at,
        said=said,
    )


def _said(proposal: Proposal) -> str:
    values = {
        "notes": [list(each) for each in proposal.notes],
        "reason": proposal.reason,
        "title": proposal.title,
        "value": proposal.value,
    }
    return json.dumps(values, ensure_ascii=True, sort_keys=True)


def _read(line: Entry) -> Proposal | None:
    try:
        values = json.loads(line.said)
        notes = tuple((str(p), str(i), str(m)) for p, i, m in values["notes"])
        return Proposal(
            line.id,
            line.kind,
            line.key,
            notes,
            str(values["reason"]),
            str(values["title"]),
            str(values["value"]),
            line.path,
            datetime.fromisoformat(line.at).isoformat(timespec="seconds"),
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
