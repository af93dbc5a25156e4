"""`scripts/bench digest`: do notes find the topics that people gave them.

Texts with known classes are laid down as notes over 21 simulated days, and the
product's own digest runs every night. What its tree then says is held against the
classes: by its leaves, and by the level that has as many topics as there are classes.
Beside it, on the same vectors: k-means that is told the true number of classes, and
clustering everything anew each night with the topics matched to those of the day
before.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

import numpy as np
import numpy.typing as npt

from bench import nights
from mindcache.app import App
from mindcache.digest import digest
from mindcache.digest.group import Pool, group
from mindcache.index.topics import Near, parts
from mindcache.recall import Ask, Corpus
from mindcache.recall.fast import Surface, lacking
from mindcache.recall.topics import Tree

__all__ = ["Night", "Sheet", "agreement", "lay_down", "main", "measure", "texts_of"]

_ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_DATA = os.path.join(os.path.dirname(_ROOT), "shared", "data", "topics")

_DAYS = 21
_FIRST = datetime(2026, 3, 2, 3, 0)  # noqa: DTZ001  civil time, a Monday
# Sets larger than this are sampled, so that the whole takes minutes.
_MOST = 5_000
_SEED = 7
# Questions put to the topics of a set.
_QUESTIONS = 300
# Rounds of k-means: it has come to rest by then, and three starts find a good one.
_ROUNDS = 40
_STARTS = 3


@dataclass(frozen=True, slots=True)
class Sheet:
    """How well a grouping fits the classes: number of groups and three measures.

    `placed` is the share of texts that are in a group; the measures are over those.
    """

    groups: int
    placed: float
    nmi: float
    ari: float
    purity: float


@dataclass(frozen=True, slots=True)
class Night:
    """One night: its seconds, and the share of notes that kept their topic.

    `kept` counts the very leaf, `under` also a leaf below it: a topic that was split.
    """

    seconds: float
    kept: float
    under: float


def agreement(found: Sequence[object], classes: Sequence[str]) -> Sheet:
    """Groups (None for none) held against classes."""
    pairs = [(g, c) for g, c in zip(found, classes, strict=True) if g is not None]
    if not pairs:
        return Sheet(0, 0.0, 0.0, 0.0, 0.0)
    groups = {g: at for at, g in enumerate(dict.fromkeys(g for g, _ in pairs))}
    names = {c: at for at, c in enumerate(dict.fromkeys(c for _, c in pairs))}
    table = np.zeros((len(groups), len(names)))
    for one, other in pairs:
        table[groups[one], names[other]] += 1
    total = table.sum()
    share = table / total
    rows, columns = share.sum(axis=1), share.sum(axis=0)
    some = share > 0
    mutual = (share[some] * np.log(share[some] / np.outer(rows, columns)[some])).sum()
    entropy = -(rows * np.log(rows)).sum() - (columns * np.log(columns)).sum()
    nmi = 2 * mutual / entropy if entropy else 1.0

    def choose(x: npt.NDArray[np.float64]) -> float:
        return float((x * (x - 1) / 2).sum())

    both = choose(table)
    one_way, other_way = choose(table.sum(axis=1)), choose(table.sum(axis=0))
    chance = one_way * other_way / max(choose(np.array([total])), 1.0)
    spread = (one_way + other_way) / 2 - chance
    ari = (both - chance) / spread if spread else 1.0
    return Sheet(
        len(groups),
        round(len(pairs) / len(found), 4),
        round(float(nmi), 4),
        round(float(ari), 4),
        round(float(table.max(axis=1).sum() / total), 4),
    )


# -- the texts -------------------------------------------------------------


def texts_of(name: str, folder: str) -> list[tuple[str, str]]:
    """(text, class) of a set, in an order that mixes the classes; at most 5,000."""
    found = _bbc(folder) if name == "bbc" else _banking(folder)
    random.Random(_SEED).shuffle(found)  # noqa: S311  no secret
    return found[:_MOST]


def _bbc(folder: str) -> list[tuple[str, str]]:
    top = os.path.join(folder, "bbc", "data_files")
    found = []
    for kind in sorted(os.listdir(top)):
        for name in sorted(os.listdir(os.path.join(top, kind))):
            with open(os.path.join(top, kind, name), "rb") as file:
                data = file.read()
            try:
                text = data.decode()
            except UnicodeDecodeError:
                text = data.decode("cp1252")
            found.append((text, kind))
    return found


def _banking(folder: str) -> list[tuple[str, str]]:
    found = []
    for part in ("train", "test"):
        path = os.path.join(folder, "banking77", f"{part}.csv")
        with open(path, encoding="utf-8", newline="") as file:
            found += [(row[0], row[1]) for row in list(csv.reader(file))[1:]]
    return found


def lay_down(vault: str, texts: Iterable[tuple[int, str]], day: datetime) -> None:
    """Write texts as the notes of a day; nothing in a note's name tells its class."""
    folder = os.path.join(vault, "notes")
    os.makedirs(folder, exist_ok=True)
    for number, text in texts:
        with open(os.path.join(folder, f"{number:05}.md"), "w", encoding="utf-8") as f:
            f.write(f"---\ncreated: {day:%Y-%m-%d}\n---\n{text.strip()}\n")


# -- the product -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Asked:
    """Questions put to the topics, each the first line of a note.

    `first` and `third` are the shares whose note is in the first topic, and in one of
    the first three; `under` is the share of all notes that are in those three.
    `enough` is the share that `auto` would answer from topics, `right` that of those
    whose note is in one of the three.
    """

    questions: int
    first: float
    third: float
    under: float
    enough: float
    right: float


@dataclass(slots=True)
class _Run:
    nights: list[Night]
    tree: Tree
    pool: Pool
    asked: Asked


def _nights(texts: Sequence[tuple[str, str]], vault: str, cache: str) -> _Run:
    """Lay down the texts day by day and let the digest run every night."""
    now = [_FIRST]
    home: dict[str, list[str]] = {}
    nights = []
    os.makedirs(os.path.join(vault, ".obsidian"))
    with closing(App(vault, cache, now=lambda: now[0])) as app:
        for day in range(_DAYS):
            now[0] = _FIRST + timedelta(days=day)
            first = len(texts) * day // _DAYS
            last = len(texts) * (day + 1) // _DAYS
            new = ((at, texts[at][0]) for at in range(first, last))
            lay_down(vault, new, now[0] - timedelta(days=1))
            app.update()
            began = time.perf_counter()
            report = digest(app)
            seconds = time.perf_counter() - began
            if report.failed or report.behind:
                raise RuntimeError(f"night {day}: {report.failed} {report.behind}")
            before, home = home, _ways(app.topics())
            nights.append(
                Night(
                    seconds,
                    _share(home.get(n, [""])[0] == w[0] for n, w in before.items()),
                    _share(w[0] in home.get(n, ()) for n, w in before.items()),
                )
            )
        corpus = app.corpus()
        tree = app.topics(corpus.reader)
        return _Run(nights, tree, group(corpus), _ask(app, corpus, tree, texts))


def _ask(
    app: App, corpus: Corpus, tree: Tree, texts: Sequence[tuple[str, str]]
) -> Asked:
    """Ask for notes by their first lines, and see whether the topics know where."""
    placed = {note for branch in tree.topics.values() for note in branch.notes}
    step = max(1, len(texts) // _QUESTIONS)
    marks: list[tuple[bool, bool, float, bool]] = []
    surface = Surface(tree, corpus)
    for at in range(0, len(texts), step):
        path = f"notes/{at:05}.md"
        if path not in placed:
            continue
        ask = Ask(texts[at][0].strip().split("\n", 1)[0], limit=3, floor=0.0)
        hits = app.recall("topic", ask, corpus).hits
        held = [tree.held(hit.path) for hit in hits]
        enough = not lacking(ask.text, surface)
        under = len(set().union(*held)) / len(placed) if held else 0.0
        known = [path in each for each in held]
        marks.append((any(known[:1]), any(known), under, enough))
    size = max(len(marks), 1)
    accepted = [third for _, third, _, enough in marks if enough]
    return Asked(
        len(marks),
        round(sum(first for first, *_ in marks) / size, 4),
        round(sum(third for _, third, *_ in marks) / size, 4),
        round(sum(under for _, _, under, _ in marks) / size, 4),
        round(len(accepted) / size, 4),
        round(sum(accepted) / max(len(accepted), 1), 4),
    )


def _ways(tree: Tree) -> dict[str, list[str]]:
    """Each note's leaf and what is above it, by the topics' ids."""
    found = {}
    for path, branch in tree.topics.items():
        way = [path]
        while tree.topics[way[-1]].parent:
            way.append(tree.topics[way[-1]].parent)
        ids = [tree.topics[each].node.id for each in way]
        found.update(dict.fromkeys(branch.notes, ids))
    return found


def _share(held: Iterable[bool]) -> float:
    marks = list(held)
    return sum(marks) / len(marks) if marks else 1.0


def _level(tree: Tree, depth: int) -> dict[str, str]:
    """Each note's topic at this depth, or the lowest above it."""
    found = {}
    for note, way in _ways(tree).items():
        found[note] = way[::-1][:depth][-1]
    return found


# -- what it is held against -----------------------------------------------


def k_means(rows: npt.NDArray[np.int8], k: int) -> list[int]:
    """The best of a few runs over unit vectors, seeded (k-means++)."""
    points = rows.astype(np.float64)
    lengths = np.linalg.norm(points, axis=1, keepdims=True)
    points /= np.where(lengths == 0, 1.0, lengths)
    rng = np.random.default_rng(_SEED)
    best: tuple[float, npt.NDArray[np.intp]] | None = None
    for _ in range(_STARTS):
        middles = points[[int(rng.integers(len(points)))]]
        while len(middles) < k:
            far = np.maximum(1 - (points @ middles.T).max(axis=1), 0.0)
            pick = int(rng.choice(len(points), p=far / far.sum()))
            middles = np.vstack([middles, points[pick]])
        near = np.zeros(len(points), dtype=np.intp)
        for _ in range(_ROUNDS):
            near = (points @ middles.T).argmax(axis=1)
            sums = np.zeros_like(middles)
            np.add.at(sums, near, points)
            norm = np.linalg.norm(sums, axis=1, keepdims=True)
            middles = sums / np.where(norm == 0, 1.0, norm)
        score = float((points @ middles.T).max(axis=1).sum())
        if best is None or score > best[0]:
            best = (score, near)
    return best[1].tolist() if best else []


def _anew(pool: Pool) -> tuple[list[Night], list[object]]:
    """Cluster all there is every night; topics take the name of whom they overlap most."""
    size = len(pool.nodes)
    home: dict[str, str] = {}
    nights = []
    names = 0
    for day in range(_DAYS):
        last = size * (day + 1) // _DAYS
        began = time.perf_counter()
        groups = parts(Near(pool.vectors[:last]), range(last))
        after: dict[str, str] = {}
        taken: set[str] = set()
        for each in groups:
            olds = Counter(home[str(n)] for n in each if str(n) in home)
            free = [(name, n) for name, n in olds.most_common() if name not in taken]
            if free:
                name = free[0][0]
            else:
                names += 1
                name = str(names)
            taken.add(name)
            after.update(dict.fromkeys(map(str, each), name))
        seconds = time.perf_counter() - began
        kept = _share(after.get(note) == topic for note, topic in home.items())
        nights.append(Night(seconds, kept, kept))
        home = after
    return nights, [home.get(str(n)) for n in range(size)]


# -- the report ------------------------------------------------------------


def measure(name: str, folder: str) -> dict[str, object]:
    """All figures of one set."""
    texts = texts_of(name, folder)
    classes = [each for _, each in texts]
    kinds = len(set(classes))
    with tempfile.TemporaryDirectory() as place:
        vault, cache = os.path.join(place, "vault"), os.path.join(place, "cache")
        os.makedirs(vault)
        run = _nights(texts, vault, cache)
    notes = [f"notes/{at:05}.md" for at in range(len(texts))]
    leaves = {note: way[0] for note, way in _ways(run.tree).items()}
    levels = [_level(run.tree, depth) for depth in range(1, 5)]
    nearest = min(levels, key=lambda each: abs(len(set(each.values())) - kinds))
    nights, anew = _anew(run.pool)
    depth = max((run.tree.depth(path) for path in run.tree.topics), default=0)
    return {
        "set": name,
        "texts": len(texts),
        "classes": kinds,
        "levels": depth,
        "leaves": asdict(agreement([leaves.get(n) for n in notes], classes)),
        "nearest_level": asdict(agreement([nearest.get(n) for n in notes], classes)),
        "k_means": asdict(agreement(k_means(run.pool.vectors, kinds), classes)),
        "anew": asdict(agreement(anew, classes)),
        "asked": asdict(run.asked),
        "nights": _of_nights(run.nights),
        "nights_anew": _of_nights(nights),
        "titles": [b.node.title for b in run.tree.topics.values()],
    }


def _of_nights(nights: Sequence[Night]) -> dict[str, float]:
    kept = [night.kept for night in nights[1:]]
    under = [night.under for night in nights[1:]]
    seconds = [night.seconds for night in nights]
    return {
        "under_mean": round(sum(under) / len(under), 4),
        "kept_mean": round(sum(kept) / len(kept), 4),
        "kept_least": round(min(kept), 4),
        "seconds_mean": round(sum(seconds) / len(seconds), 2),
        "seconds_most": round(max(seconds), 2),
    }


def _printed(found: Mapping[str, object]) -> list[str]:
    size = f"{found['texts']} texts, {found['classes']} classes"
    lines = [f"{found['set']}: {size}, {_DAYS} nights, {found['levels']} levels"]
    lines.append(
        f"  {'':22}{'groups':>7}{'placed':>8}{'NMI':>7}{'ARI':>7}{'purity':>8}"
    )
    for label, key in (
        ("leaves", "leaves"),
        ("level nearest classes", "nearest_level"),
        ("k-means at the true K", "k_means"),
        ("all anew, every night", "anew"),
    ):
        row = found[key]
        assert isinstance(row, dict)  # noqa: S101  by `measure`
        lines.append(
            f"  {label:22}{row['groups']:7}{row['placed']:8.1%}{row['nmi']:7.3f}"
            f"{row['ari']:7.3f}{row['purity']:8.3f}"
        )
    for label, key in (("digest", "nights"), ("all anew", "nights_anew")):
        row = found[key]
        assert isinstance(row, dict)  # noqa: S101  by `measure`
        kept = f"{row['kept_mean']:.1%} a day (least {row['kept_least']:.1%}"
        spent = f"{row['seconds_mean']} s a night (most {row['seconds_most']} s)"
        split = f"{row['under_mean']:.1%} with those split)"
        lines.append(f"  {label:22}topics kept {kept}; {split}, {spent}")
    asked = found["asked"]
    assert isinstance(asked, dict)  # noqa: S101  by `measure`
    lines.append(
        f"  {asked['questions']} questions: the right topic first {asked['first']:.1%},"
        f" among three {asked['third']:.1%} ({asked['under']:.0%} of the notes);"
        f" enough for {asked['enough']:.1%}, of which right {asked['right']:.1%}"
    )
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Print the figures of each set; 1 when none of them is there."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench digest", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "--data", metavar="DIR", default=_DATA, help="holds bbc/ and banking77/"
    )
    parser.add_argument("--sets", default="bbc,banking77", help="only these")
    parser.add_argument("--json", action="store_true", help="one JSON object a set")
    parser.add_argument(
        "--notes", type=int, metavar="N", help="instead: what digests of N notes cost"
    )
    options = parser.parse_args(argv)
    if options.notes:
        return nights.main(options.notes, as_json=options.json)
    wanted = [n for n in options.sets.split(",") if n in {"bbc", "banking77"}]
    there = [n for n in wanted if os.path.isdir(os.path.join(options.data, n))]
    for name in there:
        found = measure(name, options.data)
        lines = [json.dumps(found)] if options.json else _printed(found)
        print("\n".join(lines), flush=True)  # noqa: T201  its answer
    if not there:
        print(f"no texts in {options.data}")  # noqa: T201  its answer
    return 0 if there else 1
