"""`scripts/bench alike`: how often the judge of duplicates is right.

Pairs of sentences that people judged: news sentences that say the same or nearly
(MSRP), captions of which the first implies the second, contradicts it, or neither
(SICK). Folding a pair is right when nothing of the second sentence is lost.

And how often what is called a contradiction is one: on the half of SICK's pairs with
odd numbers, as the bound was chosen on the other half; and on `tests/conflicts.tsv`,
pairs of facts of two dates that we wrote, half of them no conflict. 200 generated
pairs are equal but for case, space or order, or differ in one thing.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from mindcache import model
from mindcache.alike import Normal, Told, Wording, find_conflict, judge, normal_of
from mindcache.index.embedding import open_encoder

__all__ = [
    "Named",
    "Pair",
    "Tally",
    "conflicts",
    "generated",
    "main",
    "msrp",
    "named",
    "sick",
    "tally",
]

_CONFLICTS = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
    "tests",
    "conflicts.tsv",
)

_PAIRS = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))),
    "shared",
    "data",
    "pairs",
)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences, whether the first may stand for both, whether they contradict.

    `number` is that of the pair in its set; `said` are the dates of the two.
    """

    first: str
    second: str
    is_covered: bool
    contradicts: bool = False
    number: int = 0
    said: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Named:
    """Pairs asked, those called a contradiction, those rightly; and how many are one."""

    pairs: int
    named: int
    right: int
    possible: int

    @property
    def precision(self) -> float:
        """The share of those called one that are one."""
        return self.right / self.named if self.named else 1.0

    @property
    def recall(self) -> float:
        """The share of contradictions that were called one."""
        return self.right / self.possible if self.possible else 1.0


@dataclass(frozen=True, slots=True)
class Tally:
    """Pairs asked, folded, folded rightly; of how many that might be; and conflicts.

    `conflicts_folded` must be none; `conflicts_named` were called contradicting.
    """

    pairs: int
    folded: int
    right: int
    possible: int
    conflicts: int
    conflicts_folded: int
    conflicts_named: int

    @property
    def precision(self) -> float:
        """The share of folded pairs that lost nothing."""
        return self.right / self.folded if self.folded else 1.0

    @property
    def recall(self) -> float:
        """The share of pairs that might be folded and were."""
        return self.right / self.possible if self.possible else 1.0


def msrp(folder: str) -> list[Pair]:
    """The news sentences; `folder` holds `msrp/`."""
    path = os.path.join(folder, "msrp", "msr-para-train.tsv")
    return [Pair(r[3], r[4], r[0] == "1") for r in _rows(path, "utf-8-sig")]


def sick(folder: str) -> list[Pair]:
    """The captions; `folder` holds `sick/`."""
    path = os.path.join(folder, "sick", "SICK_train.txt")
    return [
        Pair(r[1], r[2], r[4] == "ENTAILMENT", r[4] == "CONTRADICTION", int(r[0]))
        for r in _rows(path, "utf-8")
    ]


def tally(pairs: Sequence[Pair]) -> Tally:
    """Ask the judge about every pair, with the vectors of the model that ships."""
    encoder = open_encoder(Path(model.shipped()))
    first = encoder.encode([pair.first for pair in pairs])
    second = encoder.encode([pair.second for pair in pairs])
    verdicts = [
        judge(Wording.of(p.first, "en"), Wording.of(p.second, "en"), cosine)
        for p, cosine in zip(pairs, (first * second).sum(axis=1).tolist(), strict=True)
    ]
    judged = list(zip(pairs, verdicts, strict=True))
    return Tally(
        pairs=len(pairs),
        folded=sum(v.covers for v in verdicts),
        right=sum(v.covers and p.is_covered for p, v in judged),
        possible=sum(p.is_covered for p in pairs),
        conflicts=sum(p.contradicts for p in pairs),
        conflicts_folded=sum(v.covers and p.contradicts for p, v in judged),
        conflicts_named=sum(
            v.kind == "contradicting" and p.contradicts for p, v in judged
        ),
    )


def conflicts(path: str = _CONFLICTS) -> list[Pair]:
    """Pairs of facts over time that we wrote: conflicts, and decoys that are none."""
    return [
        Pair(r[3], r[5], is_covered=False, contradicts=r[0] == "conflict",
             number=number, said=(r[2], r[4]))
        for number, r in enumerate(_rows(path, "utf-8"))
    ]  # fmt: skip


def named(pairs: Sequence[Pair]) -> Named:
    """What of the pairs is called a contradiction."""
    encoder = open_encoder(Path(model.shipped()))
    first = encoder.encode([pair.first for pair in pairs])
    second = encoder.encode([pair.second for pair in pairs])
    cosines = (first * second).sum(axis=1).tolist()
    told = [
        find_conflict(_told(p.first, p.said[0]), _told(p.second, p.said[1]), cosine)
        is not None
        for p, cosine in zip(pairs, cosines, strict=True)
    ]
    right = sum(t and p.contradicts for t, p in zip(told, pairs, strict=True))
    return Named(len(pairs), sum(told), right, sum(p.contradicts for p in pairs))


def _told(text: str, said: str) -> Told:
    when = datetime.fromisoformat(said) if said else None
    # A note of nothing but fields is about what it is called.
    return Told.of(text, when, lang="en", title="Thesis" if "::" in text else "")


_SENTENCES = (
    "The north crane of {name} lifts {n} tonnes when the wind is calm.",
    "{name} keeps {n} spare keys in the blue box behind the harbour office.",
    "A berth at {name} costs {n} EUR a month, water included.",
    "The pump of {name} runs for {n} minutes after rain.",
    "{name} agreed to check the moorings every {n} days.",
)
_VERBS = (" lifts", " keeps", " costs", " runs", " agreed")
_NAMES = ("Anna Berg", "Pier Nine", "Acme", "Tom Roth", "Globex")


def generated() -> Iterator[tuple[bool, Normal, Normal]]:
    """100 pairs that are equal but for form, 100 with one thing changed.

    Form is case, space, and the order of properties and items; the one thing a
    number, a name, or a denial. (Whether they are equal, one, the other.)
    """
    chance = random.Random(7)  # noqa: S311  the same pairs on every machine
    for number in range(200):
        name, n = chance.choice(_NAMES), chance.randrange(2, 90)
        text = _SENTENCES[number % len(_SENTENCES)].format(name=name, n=n)
        one: dict[str, object] = {
            "type": "fact",
            "tags": ["scope/project", "client/acme"],
            "location": "Harbour",
        }
        other = dict(reversed(one.items()))
        is_equal = number < 100
        change = number // len(_SENTENCES) % 4
        if is_equal:
            texts = (text.upper(), text.replace(" ", "  ") + "\n\n", text, f"{text} ")
            other["tags"] = ["client/acme", "scope/project"]
            other["location"] = "harbour " if change == 3 else "Harbour"
        else:
            denied = text
            for verb in _VERBS:
                denied = denied.replace(verb, f" never{verb}")
            spare = _NAMES[(_NAMES.index(name) + 1) % len(_NAMES)]
            renamed = text.replace(name, spare)
            texts = (text.replace(f"{n} ", f"{n + 1} "), renamed, denied, renamed)
        yield (
            is_equal,
            normal_of("Note", {"id": "m-1", **one}, text),
            normal_of("Note 2", {"id": "m-2", **other}, texts[change]),
        )


def _rows(path: str, encoding: str) -> list[list[str]]:
    with open(path, encoding=encoding, newline="") as opened:
        return list(csv.reader(opened, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]


def _line(name: str, found: Named) -> str:
    return (
        f"{name}  {found.pairs} pairs, {found.named} called a contradiction:"
        f" {found.precision:.1%} rightly, {found.recall:.1%} of {found.possible}"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each set that is there."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench alike", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "--data", metavar="DIR", default=_PAIRS, help="holds msrp/ and sick/"
    )
    folder = parser.parse_args(argv).data
    lines = []
    for name, read in (("msrp", msrp), ("sick", sick)):
        if os.path.isdir(os.path.join(folder, name)):
            found = tally(read(folder))
            lines.append(
                f"{name}  {found.pairs} pairs, {found.folded} folded:"
                f" {found.precision:.1%} rightly, {found.recall:.1%} of those to fold;"
                f" of {found.conflicts} conflicts {found.conflicts_named} named,"
                f" {found.conflicts_folded} folded"
            )
    if os.path.isdir(os.path.join(folder, "sick")):
        odd = [pair for pair in sick(folder) if pair.number % 2]
        lines.append(_line("sick, odd half", named(odd)))
    lines.append(_line("conflicts.tsv", named(conflicts())))
    wrong = sum((one == other) is not equal for equal, one, other in generated())
    lines.append(f"generated  200 pairs, {wrong} taken wrongly")
    print("\n".join(lines))  # noqa: T201  its answer
    return 0
