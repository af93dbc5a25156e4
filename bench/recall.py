"""`scripts/bench recall`: does the right memory come first, and does the score say so.

Questions whose answers are known are put to the product: its `deep` recall over
ordinary vaults. Its weights were fitted on questions of these kinds, so every
figure here comes from weights fitted anew without the dialogue, or the vault, that
is asked. Beside them, in the same run: plain keyword search and the two usual ways
to fuse it with vectors.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from bench import precision, questions
from bench.fit import ORDERED, Table, fit
from bench.measure import percentile
from bench.questions import Gold, Questions
from bench.ranks import DEPTHS, Figures, figures, numbers, ranks_of
from mindcache.app import App
from mindcache.index import lexical
from mindcache.recall import Ask, Corpus
from mindcache.recall.score import DEEP, FITTED, Weights
from mindcache.recall.search import deep, examine
from mindcache.text import query_terms

__all__ = ["Figures", "figures", "main"]

Floats = npt.NDArray[np.float64]

# Other people's vaults, dialogues and texts: beside the repository, never in it.
_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_DATA = os.path.join(os.path.dirname(_ROOT), "shared", "data")

# Vaults that are asked by sentences and names of their own, too.
_SAID = ("kepano-obsidian", "logseq-docs", "obsidian-help-en")
# Fewer questions than this tell nothing about one vault.
_ENOUGH = 100
# Unanswerable questions to each vault: those of sets of another kind.
_STRANGE = 60
_NONSENSE = (
    "zxqv blorptang",
    "asdf qwerty uiop",
    "flurbish gnomon krestle",
    "how do I frobnicate the quuxinator",
    "recipe for bouillabaisse with saffron rouille",
    "who won the 1987 Tour de France",
    "photosynthesis in C4 plants",
    "the mating habits of the emperor penguin",
    "chemical formula of caffeine",
    "how tall is mount kilimanjaro",
)
_BINS = (0.0, 0.015, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0001)


@dataclass(slots=True)
class _Set:
    """Questions, the corpus they are put to, and the tables they gave."""

    asked: Questions
    corpus: Corpus
    tables: list[Table] = field(default_factory=list)

    @property
    def group(self) -> str:
        """What is held out together: sets over the same notes are one."""
        return self.asked.name.partition(":")[0]


# -- putting questions -------------------------------------------------------------


def _collect(data: str, folder: str, *, vaults_too: bool) -> Iterator[Questions]:
    """Every set of questions whose source is there."""
    yield from questions.dialogues(data, folder)
    vaults = os.path.join(_DATA, "vaults")
    if not vaults_too or not os.path.isdir(vaults):
        return
    for name in sorted(os.listdir(vaults)):
        yield questions.headings(name, os.path.join(vaults, name), folder)
    for name in _SAID:
        source = os.path.join(vaults, name)
        if os.path.isdir(source):
            yield questions.sentences(f"{name}:sentences", source, folder)
            yield questions.titles(f"{name}:titles", source, folder)
    described = "obsidian-help-en"
    yield questions.descriptions(
        f"{described}:descriptions", os.path.join(vaults, described), folder
    )
    news = os.path.join(_DATA, "topics", "bbc", "data_files")
    pairs = os.path.join(_DATA, "pairs", "msrp", "msr-para-train.tsv")
    if os.path.isdir(news):
        yield questions.headlines("bbc", news, folder)
    if os.path.isfile(pairs):
        yield questions.paraphrases("msrp", pairs, folder)


def _table(each: _Set, text: str, gold: Sequence[Gold]) -> Table:
    ask = Ask(text, now=each.asked.now)
    candidates, signals = examine(ask, each.corpus)
    marks = [
        np.array(
            [
                g.is_met(p, c.anchor.lstrip("^"), (c.line_start, c.line_end))
                for p, c in candidates
            ],
            dtype=np.bool_,
        )
        for g in gold
    ]
    return Table(each.group, each.asked.kind, signals.of, tuple(marks))


def _put(sets: Sequence[_Set], say: Callable[[str], None]) -> None:
    """Ask everything once: what each vault knows, what others know, and nonsense."""
    for each in sets:
        say(f"asking {each.asked.name}")
        each.tables = [_table(each, k.text, k.gold) for k in each.asked.asked]
        strange = [
            known.text
            for other in sets
            if other.asked.kind != each.asked.kind and other.group != each.group
            for known in other.asked.asked[:: max(1, len(other.asked.asked) // 40)]
        ]
        every = max(1, len(strange) // _STRANGE)
        for text in (*strange[::every], *_NONSENSE):
            each.tables.append(_table(each, text, ()))


def _ranked(each: _Set, weights: Weights) -> tuple[Figures, list[float], list[Any]]:
    """Through the product: ranks of all gold, times, and (score, is gold) of hits."""
    found, times, scored = Figures(), [], []
    depth = max(DEPTHS)
    for known in each.asked.asked:
        ask = Ask(known.text, limit=depth, floor=0.0, now=each.asked.now)
        began = time.perf_counter()
        answer = deep(ask, each.corpus, weights)
        times.append(1000 * (time.perf_counter() - began))
        places = [(h.path, h.anchor, h.lines) for h in answer.hits]
        ranks = [
            next((n for n, place in enumerate(places, 1) if g.is_met(*place)), 0)
            for g in known.gold
        ]
        found.ranks.append(tuple(ranks))
        scored += [
            (hit.score, any(g.is_met(*place) for g in known.gold))
            for hit, place in zip(answer.hits, places, strict=True)
        ]
    return found, times, scored


# -- floors ------------------------------------------------------------------------


def _floors(each: _Set) -> dict[str, Figures]:
    """The same questions by keywords alone, vectors alone, and both fused plainly."""
    corpus = each.corpus
    ids = corpus.ids.tolist()
    rows = corpus.reader.chunks(ids)
    paths = corpus.reader.paths(corpus.files.tolist())
    places = [
        (paths[c.file_id], c.anchor.lstrip("^"), (c.line_start, c.line_end))
        for c in (rows[i] for i in ids)
    ]
    names = ("BM25", "vectors", "RRF", "min-max")
    found = {name: Figures() for name in names}
    for known in each.asked.asked:
        terms = query_terms(known.text, corpus.languages)
        matches = lexical.bm25(corpus.postings(terms), corpus.collection)
        words, near = matches.own, corpus.similarities(known.text).plain
        orders = {
            "BM25": words,
            "vectors": near,
            "RRF": _reciprocal(words, words > 0) + _reciprocal(near, near > -2),
            "min-max": _min_max(words) + _min_max(near),
        }
        gold = [
            np.array([g.is_met(*place) for place in places], dtype=np.bool_)
            for g in known.gold
        ]
        for name, scores in orders.items():
            order = np.argsort(-np.round(scores, 6), kind="stable")
            rank = np.empty(len(order), dtype=np.intp)
            rank[order] = np.arange(1, len(order) + 1)
            ranks = [int(rank[g].min()) if g.any() else 0 for g in gold]
            found[name].ranks.append(tuple(ranks))
    return found


def _reciprocal(scores: Floats, counts: npt.NDArray[np.bool_]) -> Floats:
    """What reciprocal rank fusion adds up (k = 60)."""
    order = np.argsort(-scores, kind="stable")
    share = np.empty(len(order))
    share[order] = 1.0 / (60.0 + np.arange(1, len(order) + 1))
    return share * counts


def _min_max(scores: Floats) -> Floats:
    low, high = float(scores.min()), float(scores.max())
    return (scores - low) / (high - low) if high > low else np.zeros(len(scores))


# -- what is left without ------------------------------------------------------------

# Signals that say the same in two ways are taken out together.
_TOGETHER = (
    ("best_words", "words"),
    ("reach",),
    ("titled",),
    ("best_note",),
    ("best_meaning",),
    ("around", "best_around"),
    ("answers",),
    ("subject",),
    ("time",),
    ("told",),
    ("when",),
    ("fits",),
    ("asks",),
    ("foremost",),
    ("says",),
)


def _without(sets: Sequence[_Set], names: Sequence[str]) -> dict[str, Figures]:
    """The order that signals of these names give, each group held out.

    With those that aren't fitted, as shipped: what one adds, another may hold back.
    """
    found = {"dialogue": Figures(), "heading": Figures()}
    kinds = {each.group for each in sets if each.asked.kind in found}
    for group in sorted(kinds):
        rest = [t for e in sets if e.group != group for t in e.tables]
        of = fit(rest, names).of
        kept = {n: of.get(n, 0.0) for n in (*names, *(DEEP.of.keys() - FITTED))}
        del kept["outlook"]  # orders nothing
        for each in sets:
            if each.group == group and each.asked.kind in found:
                for table in each.tables:
                    if table.golds:
                        signals = kept.keys() & table.signals.keys()
                        sums = table.sums({n: kept[n] for n in sorted(signals)})
                        found[each.asked.kind].ranks.append(ranks_of(table.golds, sums))
    return found


# -- the run -------------------------------------------------------------------------


def _measure(sets: Sequence[_Set], args: argparse.Namespace) -> dict[str, Any]:
    say = _say if args.progress else _silent
    _put(sets, say)
    held: dict[str, Weights] = {}
    for group in sorted({each.group for each in sets}):
        say(f"fitting without {group}")
        held[group] = fit([t for e in sets if e.group != group for t in e.tables])
    report: dict[str, Any] = {"schema": 1, "sets": [], "shipped": _shape(fit_all(sets))}
    scored: list[Any] = []
    dialogues = Figures()
    categories: dict[str, Figures] = {}
    floors: dict[str, Figures] = {}
    for each in sets:
        say(f"answering {each.asked.name}")
        found, times, hits = _ranked(each, held[each.group])
        plain = _floors(each)
        scored += hits
        if each.asked.kind == "dialogue":
            dialogues.ranks += found.ranks
            for known, ranks in zip(each.asked.asked, found.ranks, strict=True):
                categories.setdefault(known.category, Figures()).ranks.append(ranks)
            for name, figure in plain.items():
                floors.setdefault(name, Figures()).ranks += figure.ranks
        report["sets"].append(
            {
                "name": each.asked.name,
                "kind": each.asked.kind,
                "questions": len(each.asked.asked),
                "chunks": len(each.corpus),
                "enough": len(each.asked.asked) >= _ENOUGH,
                "p50_ms": round(percentile(times, 0.5), 1) if times else None,
                "p95_ms": round(percentile(times, 0.95), 1) if times else None,
                "Mindcache": numbers(found),
                **{name: numbers(figure) for name, figure in plain.items()},
                "floor": _floor_of(each, held[each.group]),
            }
        )
    report["dialogues"] = {
        "Mindcache": numbers(dialogues),
        **{name: numbers(figure) for name, figure in floors.items()},
        "by category": {n: numbers(f) for n, f in sorted(categories.items())},
    }
    report["reliability"] = _reliability(scored)
    if args.ablate:
        report["without"] = _ablation(sets, say)
    return report


def fit_all(sets: Sequence[_Set]) -> Weights:
    """The weights that all questions together give: those to ship."""
    return fit([t for each in sets for t in each.tables])


def _ablation(sets: Sequence[_Set], say: Callable[[str], None]) -> list[dict[str, Any]]:
    rows = []
    for gone in ((), *_TOGETHER):
        say(f"without {', '.join(gone) or 'nothing'}")
        found = _without(sets, [name for name in ORDERED if name not in gone])
        rows.append(
            {"without": list(gone), **{n: numbers(f) for n, f in found.items()}}
        )
    return rows


def _floor_of(each: _Set, weights: Weights) -> dict[str, float]:
    """What the floor costs and keeps out, in percent of questions."""
    lost, had, silent, strange = 0, 0, 0, 0
    known = {k.text: k for k in each.asked.asked}
    for text, found in known.items():
        ask = Ask(text, floor=0.0, now=each.asked.now)
        hits = deep(ask, each.corpus, weights).hits
        gold = [
            h.score
            for h in hits
            if any(g.is_met(h.path, h.anchor, h.lines) for g in found.gold)
        ]
        had += bool(gold)
        lost += bool(gold) and max(gold) < weights.floor
    for text in _NONSENSE:
        strange += 1
        silent += not deep(Ask(text, now=each.asked.now), each.corpus, weights).hits
    return {
        "lost": round(100 * lost / max(had, 1), 1),
        "nonsense silent": round(100 * silent / max(strange, 1), 1),
    }


def _reliability(scored: Sequence[tuple[float, bool]]) -> list[dict[str, float]]:
    scores = np.array([score for score, _ in scored])
    right = np.array([gold for _, gold in scored])
    rows = []
    for low, high in pairwise(_BINS):
        chosen = (scores >= low) & (scores < high)
        if chosen.any():
            rows.append(
                {
                    "from": low,
                    "to": min(high, 1.0),
                    "hits": int(chosen.sum()),
                    "score": round(float(scores[chosen].mean()), 3),
                    "right": round(float(right[chosen].mean()), 3),
                }
            )
    return rows


def _shape(weights: Weights) -> dict[str, Any]:
    look = weights.outlook
    return {
        "of": dict(weights.of),
        "outlook": None
        if look is None
        else {
            "sharpness": look.sharpness,
            "intercept": look.intercept,
            "doubt": look.doubt,
            "signs": dict(look.signs),
            "best_sign": look.best_sign,
            "unsigned": look.unsigned,
        },
    }


# -- as people read it ---------------------------------------------------------------


def _printed(report: dict[str, Any]) -> str:
    lines = ["Questions on dialogues, turn level, each dialogue held out of the fit"]
    for name, measured in report["dialogues"].items():
        if name != "by category":
            lines.append(_line(name, measured))
    lines.append("  by category")
    for name, measured in report["dialogues"]["by category"].items():
        lines.append(_line(f"  {name}", measured))
    for each in report["sets"]:
        lines.append(
            f"\n{each['name']} ({each['kind']}, {each['questions']} questions,"
            f" {each['chunks']} chunks; p50 {each['p50_ms']} ms,"
            f" p95 {each['p95_ms']} ms)"
        )
        systems = ("Mindcache", "BM25", "vectors", "RRF", "min-max")
        lines += [_line(name, each[name]) for name in systems]
        kept = each["floor"]
        lines.append(
            f"  the floor loses {kept['lost']} % of what was found,"
            f" silences {kept['nonsense silent']} % of nonsense"
        )
    lines.append("\nScores and the share of such hits that answer")
    lines += [
        f"  {row['from']:.3f}-{row['to']:.3f}  {row['hits']:6}"
        f"  score {row['score']:.3f}  right {row['right']:.3f}"
        for row in report["reliability"]
    ]
    if report.get("beliefs"):
        lines += precision.printed(report["beliefs"])
    for row in report.get("without", ()):
        if row is report["without"][0]:
            lines.append("\nWithout a signal, refitted (dialogues; headings)")
        gone = ", ".join(row["without"]) or "nothing"
        both = [row[kind] for kind in ("dialogue", "heading")]
        lines.append(
            f"  {gone:32}"
            + "   ".join(
                f"R@10 {b['R@10'][0]:5.1f} MRR {b['MRR'][0]:5.1f}" for b in both
            )
        )
    return "\n".join(lines)


def _line(name: str, numbers: dict[str, tuple[float, float, float]]) -> str:
    parts = [
        f"{k} {mean:5.1f} [{low}-{high}]" for k, (mean, low, high) in numbers.items()
    ]
    return f"  {name:14}" + "  ".join(parts)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201  progress of a command


def _silent(_text: str) -> None:
    return


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; 0 when it was measured, 1 when there is nothing to measure."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench recall", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "--data",
        metavar="FILE",
        default=os.path.join(_DATA, "memory", "locomo-dev.json"),
        help="dialogues in LoCoMo's form (the dev dialogues beside the repository)",
    )
    parser.add_argument("--ablate", action="store_true", help="refit without signals")
    parser.add_argument(
        "--dialogues-only",
        action="store_true",
        help="without the vaults: quick, and fitted on less than what is shipped",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")
    args = parser.parse_args(argv)
    args.progress = sys.stderr.isatty()
    if not os.path.isfile(args.data):
        _say(f"no dialogues at {args.data}; name a file with --data")
        return 1
    with tempfile.TemporaryDirectory(prefix="mindcache-recall-") as folder:
        os.environ["MINDCACHE_CONFIG_DIR"] = os.path.join(folder, "config")
        vaults = os.path.join(folder, "vaults")
        os.makedirs(vaults)
        with ExitStack() as opened:
            sets = []
            for asked in _collect(
                args.data, vaults, vaults_too=not args.dialogues_only
            ):
                if asked.asked:
                    app = App(asked.vault, os.path.join(folder, "cache"))
                    opened.callback(app.close)
                    sets.append(_Set(asked, app.corpus()))
            report = _measure(sets, args)
        if not args.dialogues_only:
            beliefs = os.path.join(_DATA, "memory", "precisionmembench")
            if os.path.isdir(beliefs):
                report["beliefs"] = precision.report(beliefs, folder)
    print(json.dumps(report) if args.json else _printed(report))  # noqa: T201  its answer
    return 0


if __name__ == "__main__":
    sys.exit(main())
