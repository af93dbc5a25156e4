"""Fitting the weights of deep recall on questions whose answers are known.

Two steps, both convex, numpy alone. The order first: one weight a signal, by the
likelihood of the gold among the candidates of its question (listwise softmax with a
ridge; of several golds each on its own against what is no gold; of several chunks
that would do, any). Then the scores: the sums' scale and the question's outlook, by
logistic regression, so that a score is the share of such hits that answer.

A weight that comes out against its meaning is left out. A set weighs by its kind
and not by its number of questions: a vault of notes is no better known for having
many headings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mindcache.recall.score import (
    DEEP,
    FITTED,
    STRONG,
    Outlook,
    Weights,
    share_odds,
)

__all__ = ["ORDERED", "Table", "fit", "logistic"]

Floats = npt.NDArray[np.float64]
Marks = npt.NDArray[np.bool_]

# The signals whose weights are fitted, in the order of the shipped numbers.
ORDERED = tuple(name for name in DEEP.of if name in FITTED)
# Signals that speak against a text: these alone may have negative weights.
AGAINST = frozenset({"asks"})
# From these a question's doubt is read: their best values among its candidates.
SIGNS = ("words", "meaning", "known", "coverage", "matches")

# How much each kind of question weighs. Dialogues count by their number: few there
# are, and no two alike.
_MASS = {
    "heading": 1.0,
    "description": 0.6,
    "headline": 0.3,
    "paraphrase": 0.25,
    "sentence": 0.1,
    "title": 0.1,
}
_MASS_DIALOGUE = 0.8
# Few headings make a noisy set, which then weighs less.
_ENOUGH = 150
# Questions that a vault doesn't answer, beside those that it does, in the scores.
_UNANSWERED = 2.0
# On signals scaled to one standard deviation within questions: spreads weight over
# signals that say the same. Flat from .02 to .1.
_RIDGE = 0.05
# Candidates of a question that the scores are fitted on: what could be shown.
_SHOWN = 60
# Steps of Newton's method, the whole one first.
_HALVES = tuple(0.5**n for n in range(12))
_FIRST = 10


@dataclass(frozen=True, slots=True)
class Table:
    """The candidates of one question.

    `signals` are arrays by name, `golds` one mark a candidate for each gold; none
    where the vault doesn't answer the question. `group` is the set it comes from.
    """

    group: str
    kind: str
    signals: Mapping[str, Floats]
    golds: tuple[Marks, ...] = ()

    @property
    def size(self) -> int:
        """How many candidates there are."""
        return len(next(iter(self.signals.values())))

    @property
    def marked(self) -> Marks:
        """Which candidates are any gold."""
        if not self.golds:
            return np.zeros(self.size, dtype=np.bool_)
        marks: Marks = np.any(np.array(self.golds), axis=0)
        return marks

    def matrix(self, names: Sequence[str]) -> Floats:
        """The candidates by these signals."""
        return np.stack([np.asarray(self.signals[n], dtype=float) for n in names], 1)

    def sums(self, weights: Mapping[str, float]) -> Floats:
        """The weighted sum of each candidate."""
        total = np.zeros(self.size)
        for name, weight in weights.items():
            total += weight * self.signals[name]
        return total


def fit(tables: Sequence[Table], names: Sequence[str] = ORDERED) -> Weights:
    """Weights for these questions; what isn't fitted is as shipped."""
    usable = [t for t in tables if t.size]
    order = _order([t for t in usable if t.marked.any()], names)
    scale, outlook = _scores(usable, order)
    kept = {k: w for k, w in DEEP.of.items() if k not in FITTED}
    of = {name: round(scale * w, 2) for name, w in order.items() if w}
    return Weights(0.0, {**of, **kept}, DEEP.floor, outlook)


def _masses(tables: Sequence[Table]) -> Floats:
    """What each question weighs; together as much as there are questions."""
    counts = Counter((t.group, bool(t.golds)) for t in tables)
    masses = []
    for table in tables:
        count = counts[table.group, bool(table.golds)]
        mass = _MASS.get(table.kind, _MASS_DIALOGUE)
        if table.kind == "heading":
            mass *= min(1.0, count / _ENOUGH)
        masses.append(mass / count)
    whole: Floats = np.array(masses) / sum(masses) * len(tables)
    return whole


# -- the order ---------------------------------------------------------------------


@dataclass(slots=True)
class _Lists:
    """Candidates under one another, by lists that each hold one thing to be found."""

    rows: list[Floats] = field(default_factory=list)
    found: list[Marks] = field(default_factory=list)
    masses: list[float] = field(default_factory=list)

    def add(self, table: Table, rows: Floats, mass: float) -> None:
        """Each gold against what is no gold, or all candidates for the only one."""
        golds = [gold for gold in table.golds if gold.any()]
        others = ~table.marked
        for gold in golds:
            chosen = gold | others
            self.rows.append(rows[chosen])
            self.found.append(gold[chosen])
            self.masses.append(mass / len(table.golds))


def _order(tables: Sequence[Table], names: Sequence[str]) -> dict[str, float]:
    masses = _masses(tables)
    matrices = [table.matrix(names) for table in tables]
    spread = np.sqrt(
        sum(m * x.var(axis=0) for m, x in zip(masses, matrices, strict=True))
        / masses.sum()
    )
    spread[spread < 1e-9] = 1.0
    sign = np.array([-1.0 if name in AGAINST else 1.0 for name in names])
    lists = _Lists()
    for table, rows, mass in zip(tables, matrices, masses, strict=True):
        lists.add(table, rows / spread * sign, float(mass))
    weights = _nonnegative(lists) * sign / spread
    return dict(zip(names, weights.tolist(), strict=True))


def _nonnegative(lists: _Lists) -> Floats:
    """Leave out what would weigh against its meaning, the worst half at a time."""
    rows = np.concatenate(lists.rows)
    found = np.concatenate(lists.found)
    lengths = [len(each) for each in lists.rows]
    masses = np.array(lists.masses)
    masses /= masses.sum()
    active = np.arange(rows.shape[1])
    weights = np.zeros(len(active))
    while len(active):
        weights = _softmax(rows[:, active], found, lengths, masses, weights)
        wrong = np.flatnonzero(weights < 0)
        if not len(wrong):
            break
        worst = wrong[np.argsort(weights[wrong])][: max(1, len(wrong) // 2)]
        active = np.delete(active, worst)
        weights = np.delete(weights, worst)
    whole = np.zeros(rows.shape[1])
    whole[active] = weights
    return whole


def _softmax(
    rows: Floats,
    found: Marks,
    lengths: Sequence[int],
    masses: Floats,
    weights: Floats,
) -> Floats:
    """Newton's method with halving steps on the listwise likelihood."""
    starts = np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.intp)
    of_list = np.repeat(np.arange(len(lengths)), lengths)
    mass = masses[of_list]

    def loss(point: Floats) -> tuple[float, Floats]:
        sums = rows @ point
        odds = np.exp(sums - np.maximum.reduceat(sums, starts)[of_list])
        share = odds / np.add.reduceat(odds, starts)[of_list]
        hit = np.add.reduceat(share * found, starts)
        value = -float((masses * np.log(hit + 1e-12)).sum())
        return value + 0.5 * _RIDGE * float(point @ point), share

    value, share = loss(weights)
    for _ in range(40):
        hit = np.add.reduceat(share * found, starts)[of_list]
        target = share * found / (hit + 1e-12)
        slope = rows.T @ (mass * (share - target)) + _RIDGE * weights
        mean = np.add.reduceat(rows * share[:, None], starts, axis=0)
        curve = (rows * (mass * share)[:, None]).T @ rows
        curve -= (mean * masses[:, None]).T @ mean
        curve += _RIDGE * np.eye(len(weights))
        step = np.linalg.solve(curve, slope)
        before = value
        for size in _HALVES:
            value, share = loss(weights - size * step)
            if value <= before - 1e-4 * size * float(slope @ step):
                break
        else:
            break
        weights = weights - size * step
        if before - value < 1e-7:
            break
    return weights


# -- the scores --------------------------------------------------------------------


def _scores(
    tables: Sequence[Table], order: Mapping[str, float]
) -> tuple[float, Outlook]:
    """The scale of the sums, and the outlook.

    What is hand-set is hand-set on the scale of the result: it is fitted twice.
    """
    masses = _masses(tables) * [1.0 if t.golds else _UNANSWERED for t in tables]
    plain = [table.sums(order) for table in tables]
    best = np.array([float(each.max()) for each in plain])
    signs = np.array(
        [[float(np.max(t.signals[name])) for name in SIGNS] for t in tables]
    )
    answered = np.array(
        [
            bool(t.marked[np.argsort(-s, kind="stable")[:_FIRST]].any())
            for t, s in zip(tables, plain, strict=True)
        ]
    )
    hope = logistic(np.column_stack([signs, best]), answered, _masses(tables))
    doubt = np.logaddexp(0.0, -(np.column_stack([signs, best]) @ hope[:-1] + hope[-1]))
    scale, of_doubt, intercept = 1.0, 0.0, 0.0
    for _ in range(2):
        strong = {name: DEEP.of[name] / scale for name in STRONG}
        rows, hits, weights = [], [], []
        for at, (table, each) in enumerate(zip(tables, plain, strict=True)):
            sums = each + table.sums(strong)
            shown = np.argsort(-sums, kind="stable")[:_SHOWN]
            ones = np.ones(len(shown))
            rows.append(np.column_stack([share_odds(sums)[shown], ones * doubt[at]]))
            hits.append(table.marked[shown])
            weights.append(ones * masses[at])
        scale, of_doubt, intercept = logistic(
            np.concatenate(rows), np.concatenate(hits), np.concatenate(weights)
        ).tolist()
    return scale, Outlook(
        sharpness=round(1.0 / scale, 3),
        intercept=round(intercept, 2),
        doubt=round(of_doubt, 3),
        signs=dict(zip(SIGNS, np.round(hope[:-2], 2).tolist(), strict=True)),
        best_sign=round(float(hope[-2] / scale), 3),
        unsigned=round(float(hope[-1]), 2),
    )


def logistic(rows: Floats, hits: Marks, masses: Floats) -> Floats:
    """Weights and, last, the intercept of a logistic regression."""
    whole = np.column_stack([rows, np.ones(len(rows))])
    point = np.zeros(whole.shape[1])
    for _ in range(100):
        chance = 1.0 / (1.0 + np.exp(-np.clip(whole @ point, -40, 40)))
        slope = whole.T @ (masses * (chance - hits)) + 1e-3 * point
        curve = (whole * (masses * np.maximum(chance * (1 - chance), 1e-9))[:, None]).T
        step = np.linalg.solve(curve @ whole + 1e-3 * np.eye(len(point)), slope)
        step *= min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-9))
        point -= step
        if float(np.abs(step).max()) < 1e-7:
            break
    return point
