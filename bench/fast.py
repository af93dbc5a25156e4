"""`scripts/bench fast`: do the topics know where to look, and how little is read.

Dialogues with questions whose answers are known are laid down as vaults, a note for a
session, and digested. Each question is put to the topics alone: is a passage that
answers among those of the first three? Beside that, what share of all passages these
three hold, what share of the words the topics show, and how `auto` fares, which may
answer from topics, beside `deep`, which never does.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from itertools import pairwise

import numpy as np

from bench import questions
from bench.measure import percentile
from bench.questions import Questions
from mindcache.app import App
from mindcache.digest import digest
from mindcache.recall import Ask
from mindcache.recall.fast import Surface, fast
from mindcache.text.tokens import estimate

__all__ = ["Fared", "main", "measure"]

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_DATA = os.path.join(os.path.dirname(_ROOT), "shared", "data", "memory")
_DEPTH = 10
_BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0001)


@dataclass(slots=True)
class Fared:
    """How one vault's topics fared; shares are between 0 and 1.

    `under` is the share of the passages under the topics shown, `read` the share of
    all tokens that the topics' surface has, `scores` pairs of a topic's score and
    whether it held what answers. `auto` and `deep` are R@10 of each, `quick` the share
    that `auto` answered from topics.
    """

    name: str
    questions: int = 0
    topics: int = 0
    first: float = 0.0
    third: float = 0.0
    under: float = 0.0
    read: float = 0.0
    p50_ms: float = 0.0
    auto: float = 0.0
    deep: float = 0.0
    quick: float = 0.0
    quick_right: float = 0.0
    scores: list[tuple[float, bool]] = field(default_factory=list)


def measure(asked: Questions, cache: str) -> Fared:
    """Digest the vault once, and put every question to it."""
    with closing(App(asked.vault, cache, now=lambda: asked.now)) as app:
        app.update()
        report = digest(app, weekly=True)
        if report.failed or report.behind:
            raise RuntimeError(f"{asked.name}: {report.failed} {report.behind}")
        return _put(app, asked)


def _put(app: App, asked: Questions) -> Fared:
    corpus = app.corpus()
    surface = Surface(app.topics(corpus.reader), corpus)
    fared = Fared(asked.name, len(asked.asked), len(surface))
    rows = corpus.reader.chunks(corpus.ids.tolist())
    paths = corpus.reader.paths(corpus.files.tolist())
    places = [
        (paths[c.file_id], c.anchor.lstrip("^"), (c.line_start, c.line_end))
        for c in (rows[i] for i in corpus.ids.tolist())
    ]
    ours = np.array([p not in surface.tree.topics for p, _, _ in places])
    whole = sum(estimate(rows[i].text) for i in corpus.ids[ours].tolist())
    fared.read = sum(map(estimate, surface.texts)) / max(whole, 1)
    times, marks = [], []
    for known in asked.asked:
        ask = Ask(known.text, limit=3, floor=0.0, now=asked.now)
        began = time.perf_counter()
        hits = fast(ask, surface).hits
        times.append(1000 * (time.perf_counter() - began))
        held = [set(surface.passages(hit.path)) for hit in hits]
        gold = {
            at
            for at, place in enumerate(places)
            if any(g.is_met(*place) for g in known.gold)
        }
        right = [bool(each & gold) for each in held]
        under = len(set().union(*held)) / max(int(ours.sum()), 1)
        fared.scores += [(h.score, r) for h, r in zip(hits, right, strict=True)]
        ask = Ask(known.text, limit=_DEPTH, now=asked.now)
        deep = app.recall("deep", ask, corpus)
        auto = app.recall("auto", ask, corpus)
        found = _share(deep.hits, known.gold)
        quick = auto.route == "fast"
        # What was answered from topics is right for what their passages hold.
        kept = float(any(right)) if quick else _share(auto.hits, known.gold)
        strict = 0.0 if quick else kept
        marks.append(
            (any(right[:1]), any(right), under, found, strict, quick, quick * kept)
        )
    means = np.array(marks, dtype=np.float64).mean(axis=0).tolist()
    fared.first, fared.third, fared.under = means[:3]
    fared.deep, fared.auto, fared.quick, fared.quick_right = means[3:]
    fared.p50_ms = percentile(times, 0.5)
    return fared


def _share(hits: Sequence, gold: Sequence[questions.Gold]) -> float:
    """The share of what answers that is among the hits."""
    met = [any(g.is_met(h.path, h.anchor, h.lines) for h in hits) for g in gold]
    return sum(met) / len(met)


# -- the report --------------------------------------------------------------------


def _together(found: Sequence[Fared]) -> Fared:
    """All vaults as one, each question counted once."""
    whole = Fared("all", sum(f.questions for f in found), sum(f.topics for f in found))
    for name in ("first", "third", "under", "read", "p50_ms", "auto", "deep", "quick",
                 "quick_right"):  # fmt: skip
        parts = (getattr(f, name) * f.questions for f in found)
        setattr(whole, name, sum(parts) / max(whole.questions, 1))
    whole.scores = [pair for f in found for pair in f.scores]
    return whole


def _reliability(scores: Sequence[tuple[float, bool]]) -> list[dict[str, float]]:
    """By ranges of the score: how many topics, their mean score, the share right."""
    rows = []
    for low, high in pairwise(_BINS):
        chosen = [(s, r) for s, r in scores if low <= s < high]
        if chosen:
            mean, right = np.array(chosen, dtype=np.float64).mean(axis=0)
            rows.append(
                {
                    "from": low,
                    "to": min(high, 1.0),
                    "topics": len(chosen),
                    "score": round(float(mean), 3),
                    "right": round(float(right), 3),
                }
            )
    return rows


def _shape(fared: Fared) -> dict[str, object]:
    shape = asdict(fared)
    scores = shape.pop("scores")
    rounded = {k: round(v, 4) if isinstance(v, float) else v for k, v in shape.items()}
    return {**rounded, "reliability": _reliability(scores)}


def _printed(fared: Fared) -> list[str]:
    lines = [
        f"{fared.name}: {fared.questions} questions, {fared.topics} topics,"
        f" {fared.read:.1%} of the tokens read, p50 {fared.p50_ms:.1f} ms",
        f"  the right topic first {fared.first:.1%}, among three {fared.third:.1%},"
        f" with {fared.under:.1%} of the passages under them",
        f"  R@10 of deep {fared.deep:.1%}, of auto {fared.auto:.1%};"
        f" auto answered {fared.quick:.1%} from topics",
    ]
    if fared.name == "all":
        lines.append("  Scores and the share of such topics that hold an answer")
        lines += [
            f"    {row['from']:.1f}-{row['to']:.1f}  {row['topics']:5}"
            f"  score {row['score']:.3f}  right {row['right']:.3f}"
            for row in _reliability(fared.scores)
        ]
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Print how the topics fared; 1 when there is nothing to measure."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench fast", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "--data",
        metavar="FILE",
        default=os.path.join(_DATA, "locomo-dev.json"),
        help="dialogues in LoCoMo's form (the dev dialogues beside the repository)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args(argv)
    if not os.path.isfile(options.data):
        print(f"no dialogues at {options.data}", file=sys.stderr)  # noqa: T201  its answer
        return 1
    with tempfile.TemporaryDirectory(prefix="mindcache-fast-") as folder:
        os.environ["MINDCACHE_CONFIG_DIR"] = os.path.join(folder, "config")
        vaults, cache = os.path.join(folder, "vaults"), os.path.join(folder, "cache")
        os.makedirs(vaults)
        found = [measure(q, cache) for q in questions.dialogues(options.data, vaults)]
    found.append(_together(found))
    if options.json:
        print(json.dumps({"schema": 1, "vaults": [_shape(f) for f in found]}))  # noqa: T201
    else:
        print("\n".join(line for f in found for line in _printed(f)))  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
