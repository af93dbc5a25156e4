"""`scripts/bench alike`: how often the judge of duplicates is right.

Pairs of sentences that people judged: news sentences that say the same or nearly
(MSRP), captions of which the first implies the second, contradicts it, or neither
(SICK). Folding a pair is right when nothing of the second sentence is lost.
"""

from __future__ import annotations

import argparse
import csv
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mindcache import model
from mindcache.alike import Wording, judge
from mindcache.index.embedding import open_encoder

__all__ = ["Pair", "Tally", "main", "msrp", "sick", "tally"]

_PAIRS = os.path.join(
    os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))),
    "shared",
    "data",
    "pairs",
)


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sentences, whether the first may stand for both, whether they contradict."""

    first: str
    second: str
    is_covered: bool
    contradicts: bool = False


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
        Pair(r[1], r[2], r[4] == "ENTAILMENT", r[4] == "CONTRADICTION")
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


def _rows(path: str, encoding: str) -> list[list[str]]:
    with open(path, encoding=encoding, newline="") as opened:
        return list(csv.reader(opened, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]


def main(argv: Sequence[str] | None = None) -> int:
    """Print a line for each set; 1 when none of them is there."""
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
    print("\n".join(lines) or f"no pairs in {folder}")  # noqa: T201  its answer
    return 0 if lines else 1
