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
import math
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from bench import questions
from bench.fit import logistic
from bench.measure import percentile
from bench.questions import Gold, Questions, notes_in
from mindcache.app import App
from mindcache.digest import digest
from mindcache.recall import Ask, Hit
from mindcache.recall.chance import TOPICS, Scale, Weights
from mindcache.recall.fast import Surface, fast
from mindcache.text.tokens import estimate

__all__ = ["Fared", "main"]

Floats = npt.NDArray[np.float64]

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_DATA = os.path.join(os.path.dirname(_ROOT), "shared", "data")
_DEPTH = 10
# When vaults without dates of their own are digested.
_NOW = datetime(2026, 3, 2, 12)  # noqa: DTZ001  civil time
_BINS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0001)


# Questions of every other vault that are put to one, so that scores know of such.
_FOREIGN = 12
# Topics that are shown, and what a question to another vault weighs in their scores:
# most of what a vault is asked is in it.
_SHOWN = 3
_STRANGE = 0.3
# A vault of a hundred questions weighs ten times as much as one of a single question.
_FEWEST_MASS = 30


@dataclass(slots=True)
class Fared:
    """How one vault's topics fared; shares are between 0 and 1.

    `under` is the share of the passages under the topics shown, `read` the share of
    all tokens that the topics' surface has, `scores` pairs of a topic's score and
    whether it held what answers. `auto` and `deep` are R@10 of each, `quick` the share
    that `auto` answered from topics: such an answer has no passage, and counts none.
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
    scores: list[tuple[float, bool]] = field(default_factory=list)


@dataclass(slots=True)
class _Vault:
    """One vault, digested; `size` passages are of its own notes, `tokens` in all."""

    asked: Questions
    app: App
    surface: Surface
    size: int
    tokens: int
    golds: list[set[int]]
    rows: list[Floats] = field(default_factory=list)
    marks: list[Floats] = field(default_factory=list)

    @property
    def mass(self) -> float:
        """What each of its topics weighs in a fit."""
        return 1.0 / math.sqrt(max(len(self.asked.asked), _FEWEST_MASS))


def _night_by_night(asked: Questions, app: App, clock: list[datetime]) -> None:
    """Let the sessions of a dialogue come one by one, a digest after each."""
    sessions = []
    for path in notes_in(asked.vault):
        with open(os.path.join(asked.vault, path), encoding="utf-8") as opened:
            text = opened.read()
        started = re.search(r"^time_start: (\S+)$", text, re.MULTILINE)
        assert started is not None  # noqa: S101  by `questions.dialogues`
        sessions.append((datetime.fromisoformat(started[1]), path, text))
        os.unlink(os.path.join(asked.vault, path))
    for start, path, text in sorted(sessions):
        with open(os.path.join(asked.vault, path), "w", encoding="utf-8") as opened:
            opened.write(text)
        clock[0] = start + timedelta(days=1)
        app.update()
        report = digest(app)
        if report.failed or report.behind:
            raise RuntimeError(f"{asked.name}: {report.failed} {report.behind}")


def _laid(
    asked: Questions, app: App, clock: list[datetime], *, nightly: bool
) -> _Vault:
    """Digest a vault, and find where what answers its questions is."""
    notes = set(notes_in(asked.vault))
    if nightly and asked.kind == "dialogue":
        _night_by_night(asked, app, clock)
    app.update()
    report = digest(app, weekly=True)
    if report.failed or report.behind:
        raise RuntimeError(f"{asked.name}: {report.failed} {report.behind}")
    corpus = app.corpus()
    surface = Surface(app.topics(corpus.reader), corpus)
    rows = corpus.reader.chunks(corpus.ids.tolist())
    paths = corpus.reader.paths(corpus.files.tolist())
    places = [
        (paths[c.file_id], c.anchor.lstrip("^"), (c.line_start, c.line_end))
        for c in (rows[i] for i in corpus.ids.tolist())
    ]
    own = [
        rows[i]
        for i, p in zip(corpus.ids.tolist(), places, strict=True)
        if p[0] in notes
    ]
    size, tokens = len(own), sum(estimate(chunk.text) for chunk in own)
    golds = [
        {at for at, p in enumerate(places) if any(g.is_met(*p) for g in known.gold)}
        for known in asked.asked
    ]
    return _Vault(asked, app, surface, size, tokens, golds)


def _tables(vaults: Sequence[_Vault]) -> None:
    """What speaks for each topic at each question, and whether it holds an answer."""
    for vault in vaults:
        surface = vault.surface
        # What is told by its parts is no answer beside them.
        tree = surface.tree
        told = {tree.topics[path].parent for path in tree.of_passages}
        kept = [n for n, b in enumerate(surface.branches) if b.node.path not in told]
        held = [set(surface.passages(surface.branches[n].node.path)) for n in kept]
        strange = [
            known.text
            for other in vaults
            if other is not vault
            for known in other.asked.asked[
                :: max(1, len(other.asked.asked) // _FOREIGN)
            ]
        ]
        asked = [
            (k.text, gold)
            for k, gold in zip(vault.asked.asked, vault.golds, strict=True)
        ]
        for text, gold in [*asked, *((text, set()) for text in strange)]:
            signals = surface.signals(text)
            vault.rows.append(
                np.column_stack([signals[name][kept] for name in TOPICS.of])
            )
            vault.marks.append(np.array([float(bool(own & gold)) for own in held]))


def _fit(vaults: Sequence[_Vault]) -> Weights:
    rows = np.concatenate([row for v in vaults for row in v.rows])
    marks = np.concatenate([mark for v in vaults for mark in v.marks])
    masses = np.concatenate([np.full(len(m), v.mass) for v in vaults for m in v.marks])
    *of, intercept = logistic(rows, marks, masses).round(2).tolist()
    scale = _scale(vaults, np.array(of), intercept)
    return Weights(dict(zip(TOPICS.of, of, strict=True)), intercept, scale)


def _scale(vaults: Sequence[_Vault], of: Floats, intercept: float) -> Scale:
    """What makes chances of the sums of the first three topics of each question."""
    rows, marks, masses = [], [], []
    for vault in vaults:
        for at, (row, mark) in enumerate(zip(vault.rows, vault.marks, strict=True)):
            odds = row @ of + intercept
            first = np.argsort(-odds, kind="stable")[:_SHOWN]
            rows.append(Scale.parts(odds)[:, first].T)
            marks.append(mark[first])
            is_own = at < len(vault.asked.asked)
            mass = vault.mass * (1.0 if is_own else _STRANGE)
            masses.append(np.full(len(first), mass))
    fitted = logistic(*map(np.concatenate, (rows, marks, masses)))
    *numbers, start = fitted.round(2).tolist()
    return Scale(start, *numbers)


def _put(vault: _Vault, weights: Weights, *, both: bool) -> Fared:
    """Ask the topics alone, with `both` also `auto` and `deep`."""
    asked, surface, app = vault.asked, vault.surface, vault.app
    corpus = app.corpus()
    fared = Fared(asked.name, len(asked.asked), len(surface))
    fared.read = sum(map(estimate, surface.texts)) / max(vault.tokens, 1)
    times, marks = [], []
    for known, gold in zip(asked.asked, vault.golds, strict=True):
        ask = Ask(known.text, limit=3, floor=0.0, now=asked.now)
        began = time.perf_counter()
        hits = fast(ask, surface, all_topics=True, weights=weights).hits
        times.append(1000 * (time.perf_counter() - began))
        held = [set(surface.passages(hit.path)) for hit in hits]
        right = [bool(each & gold) for each in held]
        under = len(set().union(*held)) / max(vault.size, 1)
        fared.scores += [(h.score, r) for h, r in zip(hits, right, strict=True)]
        found, quick, kept = 0.0, False, 0.0
        if both:
            ask = Ask(known.text, limit=_DEPTH, now=asked.now)
            found = _share(app.recall("deep", ask, corpus).hits, known.gold)
            auto = app.recall("auto", ask, corpus)
            quick, kept = auto.route == "fast", _share(auto.hits, known.gold)
        marks.append((any(right[:1]), any(right), under, found, kept, quick))
    means = np.array(marks, dtype=np.float64).mean(axis=0).tolist()
    fared.first, fared.third, fared.under = means[:3]
    fared.deep, fared.auto, fared.quick = means[3:]
    fared.p50_ms = percentile(times, 0.5)
    return fared


def _share(hits: Sequence[Hit], gold: Sequence[Gold]) -> float:
    """The share of what answers that is among the hits."""
    met = [any(g.is_met(h.path, h.anchor, h.lines) for h in hits) for g in gold]
    return sum(met) / len(met)


# -- the report --------------------------------------------------------------------


def _together(found: Sequence[Fared]) -> Fared:
    """All vaults as one, each question counted once."""
    whole = Fared("all", sum(f.questions for f in found), sum(f.topics for f in found))
    for name in ("first", "third", "under", "read", "p50_ms", "auto", "deep", "quick"):
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


def _shape(fared: Fared) -> dict[str, Any]:
    shape = asdict(fared)
    del shape["scores"]
    return {k: round(v, 4) if isinstance(v, float) else v for k, v in shape.items()}


def _collect(data: str, folder: str) -> Iterator[Questions]:
    """Dialogues, and the vaults that lie beside them, asked by their headings."""
    yield from questions.dialogues(data, folder)
    vaults = os.path.join(_DATA, "vaults")
    for name in sorted(os.listdir(vaults)) if os.path.isdir(vaults) else ():
        asked = questions.headings(name, os.path.join(vaults, name), folder)
        if asked.asked:
            yield asked


def _measure(vaults: Sequence[_Vault]) -> dict[str, Any]:
    """Dialogues as shipped; scores of all, each by weights fitted without its vault."""
    _tables(vaults)
    talks = [v for v in vaults if v.asked.kind == "dialogue"]
    shipped = [_put(v, TOPICS, both=True) for v in talks]
    held = [
        _put(v, _fit([other for other in vaults if other is not v]), both=False)
        for v in vaults
    ]
    fitted = _fit(vaults)
    return {
        "schema": 1,
        "vaults": [_shape(f) for f in (*shipped, _together(shipped))],
        "held_out": [_shape(f) for f in held],
        "dialogues_held_out": _shape(_together(held[: len(talks)])),
        "reliability": _reliability([pair for f in held for pair in f.scores]),
        "fitted": {
            "of": dict(fitted.of),
            "intercept": fitted.intercept,
            "scale": fitted.scale._asdict(),
        },
    }


def _printed(report: dict[str, Any]) -> str:
    lines = ["Questions on dialogues, with the weights that ship"]
    for each in report["vaults"]:
        lines += [
            f"{each['name']}: {each['questions']} questions, {each['topics']} topics",
            f"  {each['read']:.1%} of the tokens read, p50 {each['p50_ms']:.1f} ms",
            _line(each),
            f"  R@10 of deep {each['deep']:.1%}, of auto {each['auto']:.1%}",
            f"  auto answered {each['quick']:.1%} from topics",
        ]
    lines.append("\nEach vault held out of the fit")
    for each in (
        *report["held_out"],
        {**report["dialogues_held_out"], "name": "dialogues"},
    ):
        lines.append(f"{each['name']}: {each['questions']} questions\n{_line(each)}")
    lines.append("\nScores and the share of such topics that hold an answer")
    lines += [
        f"  {row['from']:.1f}-{row['to']:.1f}  {row['topics']:5}"
        f"  score {row['score']:.3f}  right {row['right']:.3f}"
        for row in report["reliability"]
    ]
    return "\n".join([*lines, f"\nFitted on all: {report['fitted']}"])


def _line(each: dict[str, Any]) -> str:
    return (
        f"  the right topic first {each['first']:.1%}, among three {each['third']:.1%},"
        f" with {each['under']:.1%} of the passages under them"
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Print how the topics fared; 1 when there is nothing to measure."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench fast", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "--data",
        metavar="FILE",
        default=os.path.join(_DATA, "memory", "locomo-dev.json"),
        help="dialogues in LoCoMo's form (the dev dialogues beside the repository)",
    )
    parser.add_argument(
        "--nights",
        action="store_true",
        help="sessions come one by one, with a digest after each, rather than at once",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args(argv)
    if not os.path.isfile(options.data):
        print(f"no dialogues at {options.data}", file=sys.stderr)  # noqa: T201  its answer
        return 1
    with tempfile.TemporaryDirectory(prefix="mindcache-fast-") as folder:
        os.environ["MINDCACHE_CONFIG_DIR"] = os.path.join(folder, "config")
        place, cache = os.path.join(folder, "vaults"), os.path.join(folder, "cache")
        os.makedirs(place)
        with ExitStack() as opened:
            vaults = []
            for asked in _collect(options.data, place):
                clock = [asked.now or _NOW]
                app = App(asked.vault, cache, now=partial(_told, clock))
                opened.callback(app.close)
                vaults.append(_laid(asked, app, clock, nightly=options.nights))
            report = _measure(vaults)
    print(json.dumps(report) if options.json else _printed(report))  # noqa: T201  its answer
    return 0


def _told(clock: list[datetime]) -> datetime:
    return clock[0]


if __name__ == "__main__":
    sys.exit(main())
