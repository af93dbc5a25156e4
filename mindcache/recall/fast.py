"""Fast recall: what the topics say, without a look at the notes.

The surface is small: title, summary, aliases, terms and anchors of each topic, and
the direction of its notes. It says where to look and what there is; a detail is a
matter for deep recall, which it never narrows.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mindcache.cache.read import NodeRow
from mindcache.index import semantic
from mindcache.index.topics import sums
from mindcache.recall.answer import Budget, Hit, Linked, Recall, Why
from mindcache.recall.ask import Ask
from mindcache.recall.chance import TOPICS, Weights
from mindcache.recall.corpus import Corpus
from mindcache.recall.orienting import subject_of
from mindcache.recall.pack import Material, pack
from mindcache.recall.passages import belong, flowing
from mindcache.recall.standing import Standing, standings
from mindcache.recall.topics import Branch, Tree
from mindcache.text import QueryTerm, analyze, query_terms

if TYPE_CHECKING:
    from rank_bm25 import BM25L

__all__ = [
    "FLOOR",
    "Surface",
    "asks_detail",
    "fast",
    "lacking",
    "why_deep",
]

_TELLING = ("words", "direction", "nearest")
# Passages that stand for one topic, evenly chosen: of a dialogue's topics all, and of
# a large vault's as many as can be looked through in a millisecond or two.
_SPOTS = 128
# Beside those around it a passage counts twice, as where its topic is reckoned from.
_OWN = 2
# Title and terms say what a topic is about; they are counted twice.
_TWICE = 2
# One in four: below it half of what other vaults are asked gets no topic, and of what
# the vault itself is asked a sixth of the right topics is lost.
FLOOR = 0.24
# One in two is what a topic needs for its answer to be enough, where nobody asked for
# topics: four of five questions to other vaults stay below it.
_LIKELY = 0.5
# Of the question's weight in words, what the surface of the best topic has to hold for
# its answer to be enough; at .6 the right topic is among three in 9 of 10 cases.
_ENOUGH = 0.6
# Topics that answer a question.
_SHOWN = 3

# What asks for a detail that no summary has.
_DETAIL = re.compile(
    r"\b(?:who|whom|whose|when|where|which|why|how|what (?:time|day|date|number|price)"
    r"|wer|wann|wo|warum|wieso|welche[rmns]?|wie|wieviel"
    r"|qui|quand|où|pourquoi|comment|combien|quel(?:le)?s?"
    r"|qui[eé]n|cu[aá]ndo|d[oó]nde|por qu[eé]|c[oó]mo|cu[aá]nt[oa]s?)\b"
    r"|\d|[\"“”„«»「『]|谁|何时|哪|多少|几|为什么|怎么|誰|いつ|どこ|なぜ|いくら",
    re.IGNORECASE,
)
# A question is more than the name of a subject when it has a verb of its own.
_ASKS = re.compile(
    r"\b(?:did|does|do|is|are|was|were|has|have|had|can|could|should|will|would)\b",
    re.IGNORECASE,
)


class Surface:
    """The topics of one vault, ready to be asked."""

    def __init__(self, tree: Tree, corpus: Corpus) -> None:
        self.tree = tree
        self._corpus = corpus
        self.branches: list[Branch] = [
            tree.topics[path] for path in sorted(tree.topics)
        ]
        anchors = {path for branch in self.branches for path in branch.anchors}
        ids = corpus.reader.file_ids(anchors)
        self.anchors = {n.path: n for n in corpus.reader.nodes(ids.values())}

    def __len__(self) -> int:
        return len(self.branches)

    @cached_property
    def _documents(self) -> list[list[str]]:
        return [self._document(branch) for branch in self.branches]

    def _document(self, branch: Branch) -> list[str]:
        twice, once = self._said(branch)
        lang = branch.node.lang or "en"
        return analyze(twice, lang) * _TWICE + analyze(once, lang)

    def _said(self, branch: Branch) -> tuple[str, str]:
        """What the topic is called and told by, and what else is said of it."""
        node = branch.node
        notes = [self.anchors[path] for path in branch.anchors if path in self.anchors]
        once = [node.summary, *node.aliases]
        # How a long note begins tells nothing of what comes later in it.
        if node.path not in self.tree.of_passages:
            once += [f"{note.title} \n {note.summary}" for note in notes]
        return " \n ".join([node.title, *branch.terms]), " \n ".join(once)

    @property
    def texts(self) -> list[str]:
        """What is read of each topic, all that there is of it on the surface."""
        return ["\n".join(self._said(branch)) for branch in self.branches]

    def standings(
        self, notes: Sequence[NodeRow], now: datetime | None
    ) -> Mapping[int, Standing]:
        """How these notes stand now, by file id."""
        return standings(self._corpus.reader, notes, now)

    def passages(self, path: str) -> list[int]:
        """The places in the corpus of the passages under the topic at a path."""
        places = [branch.node.path for branch in self.branches]
        return self._groups[places.index(path)]

    @cached_property
    def _groups(self) -> list[list[int]]:
        """Of each topic: where its passages, and those of what is below it, are."""
        files = self._corpus.files
        held = {path: self.tree.held(path) for path in self.tree.topics}
        ids = self._corpus.reader.file_ids({p for own in held.values() for p in own})
        groups = {
            path: np.flatnonzero(np.isin(files, [ids[p] for p in own if p in ids]))
            for path, own in held.items()
        }
        parted: defaultdict[str, list[str]] = defaultdict(list)
        for path in sorted(self.tree.of_passages):
            parted[self.tree.topics[path].parent].append(path)
        for kids in parted.values():
            whole = np.unique(np.concatenate([groups[kid] for kid in kids]))
            owners = files[whole]
            rows = flowing(self._corpus.vectors[whole], owners)
            lists = [
                {ids[p] for p in self.tree.topics[kid].notes if p in ids}
                for kid in kids
            ]
            found = belong(rows, owners, lists)
            for at, kid in enumerate(kids):
                groups[kid] = whole[found == at]
        return [groups[branch.node.path].tolist() for branch in self.branches]

    @cached_property
    def _directions(self) -> npt.NDArray[np.int8]:
        """Where each topic's notes point, less what all notes share: int8 rows."""
        rows = self._corpus.vectors
        groups = self._groups
        found = sums(rows, groups)
        size = max(len(rows), 1)
        counts = np.array([len(group) for group in groups], dtype=np.int64)
        # Whole numbers: each sum less as many means as it has rows, times all rows.
        return semantic.quantise(
            (found * size - counts[:, None] * self._whole).astype(np.float64)
        )

    def signals(self, text: str) -> dict[str, npt.NDArray[np.float64]]:
        """What speaks for each topic, each from 0 to 1, and the `coverage` of each.

        `words` is how well its words fit, `direction` how near the text is to all that
        its notes say together, `nearest` to the one passage that is nearest, and `lead`
        by how much that is more (or less) than with the best of the others. `flow` and
        `flow_lead` are the same of passages with what is said around them.
        """
        terms = query_terms(text, self._corpus.languages)
        coverage = self.coverage(terms)
        direction, nearest, flow = self._nearness(text)
        # Words that hold little of the question are worth little, whoever has most.
        words = np.round(self.words(terms) * np.sqrt(coverage), 6)
        return {
            "words": words,
            "coverage": coverage,
            "direction": direction,
            "nearest": nearest,
            "lead": _lead(nearest),
            "flow": flow,
            "flow_lead": _lead(flow),
        }

    def _nearness(self, text: str) -> tuple[npt.NDArray[np.float64], ...]:
        asked = semantic.quantise(self._corpus.encoder.encode([text])).astype(np.int64)
        size = max(len(self._corpus), 1)
        bare = semantic.quantise((asked * size - self._whole).astype(np.float64))
        whole = semantic.similarities(self._directions, self._norms, bare[0])
        found = [whole]
        spots, starts, places = self._spots
        for rows in spots:
            nearest = whole.copy()  # of what has notes below it only
            if len(rows):
                near = semantic.similarities(rows, semantic.norms(rows), bare[0])
                nearest[places] = np.maximum.reduceat(near, starts)
            found.append(nearest)
        return tuple(np.maximum(each, 0.0) for each in found)

    @cached_property
    def _spots(
        self,
    ) -> tuple[
        tuple[npt.NDArray[np.int8], ...],
        npt.NDArray[np.intp],
        npt.NDArray[np.intp],
    ]:
        """Passages that stand for each topic: their rows, and those with what is around.

        Topic by topic; then where each topic's begin, and which topics these are.
        """
        size = max(len(self._corpus), 1)
        chosen: list[list[int]] = []
        places = []
        for at, branch in enumerate(self.branches):
            own = self._groups[at] if not branch.children else []
            if own:
                chosen.append(own[:: -(-len(own) // _SPOTS)])
                places.append(at)
        every = np.array([s for spots in chosen for s in spots], dtype=np.intp)
        bare = self._corpus.vectors[every].astype(np.int64) * size - self._whole
        alone = semantic.quantise(bare.astype(np.float64))
        bare *= _OWN
        files = self._corpus.files
        for step in (-1, 1):
            beside = np.clip(every + step, 0, len(files) - 1)
            same = (beside != every) & (files[beside] == files[every])
            near = self._corpus.vectors[beside].astype(np.int64) * size - self._whole
            bare += near * same[:, None]
        flowing = semantic.quantise(bare.astype(np.float64))
        ends = np.cumsum([len(spots) for spots in chosen], dtype=np.intp)
        starts = np.concatenate([np.zeros(1, dtype=np.intp), ends[:-1]])
        return (alone, flowing), starts, np.array(places, dtype=np.intp)

    @cached_property
    def _whole(self) -> npt.NDArray[np.int64]:
        """What all passages of the vault add up to."""
        total: npt.NDArray[np.int64] = self._corpus.vectors.sum(axis=0, dtype=np.int64)
        return total

    @cached_property
    def _norms(self) -> npt.NDArray[np.int32]:
        return semantic.norms(self._directions)

    def words(self, terms: Sequence[QueryTerm]) -> npt.NDArray[np.float64]:
        """How well each topic's words fit, 0 to 1 (BM25L, by the best of them)."""
        wanted = [form for term in terms for form in term.terms]
        if not wanted or not any(self._documents):
            return np.zeros(len(self))
        scores = np.asarray(self._bm25.get_scores(wanted), dtype=np.float64)
        # BM25L gives what has none of the words more than nothing.
        has = np.array([not held.isdisjoint(wanted) for held in self._holding])
        scores = np.where(has, np.maximum(scores, 0.0), 0.0)
        best = float(scores.max(initial=0.0))
        return np.round(scores / best, 6) if best > 0 else np.zeros(len(self))

    @cached_property
    def _bm25(self) -> BM25L:
        from rank_bm25 import BM25L

        return BM25L(self._documents)

    @cached_property
    def _holding(self) -> list[frozenset[str]]:
        """The words of each topic's surface."""
        return [frozenset(document) for document in self._documents]

    def coverage(self, terms: Sequence[QueryTerm]) -> npt.NDArray[np.float64]:
        """The share of the question's weight that each topic's surface holds, 0 to 1."""
        weights = [self._weight(term) for term in terms]
        whole = math.fsum(weights)
        if not whole:
            return np.zeros(len(self))
        held = [
            math.fsum(
                weight
                for term, weight in zip(terms, weights, strict=True)
                if document.intersection(term.terms)
            )
            for document in self._holding
        ]
        return np.round(np.array(held) / whole, 6)

    def _weight(self, term: QueryTerm) -> float:
        """The rarer a word among the passages of the vault, the more it asks for."""
        if term.joined:
            return 0.0
        having = sum(len(set(p.chunk_ids)) for p in self._corpus.postings([term]))
        return math.log1p(len(self._corpus) / (having + 1.0))


def _lead(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """How far each is before the best of the others; of one alone there is no saying."""
    if len(scores) < 2:
        return np.zeros(len(scores))
    second, best = np.sort(scores)[-2:].tolist()
    other = np.where(scores == best, second, best)
    lead: npt.NDArray[np.float64] = np.round(scores - other, 6)
    return lead


@dataclass(frozen=True, slots=True)
class _Ranked:
    branch: Branch
    score: float
    coverage: float
    why: tuple[Why, ...]


def fast(
    ask: Ask,
    surface: Surface,
    *,
    route: str = "fast",
    all_topics: bool = False,
    weights: Weights = TOPICS,
) -> Recall:
    """The topics that the question is about, best first, each with its anchors.

    Only hot and warm ones, unless `all_topics`. Nothing above the floor is an answer
    too: none.
    """
    floor = FLOOR if ask.floor is None else ask.floor
    if not len(surface):
        return Recall(ask.text, route, floor=floor, reason="there are no topics yet")
    ranked = _rank(ask.text, surface, all_topics=all_topics, weights=weights)
    kept = [each for each in ranked if each.score >= floor and each.score > 0]
    shown = kept[: ask.limit if all_topics else min(ask.limit, _SHOWN)]
    rejected = [each.score for each in ranked if each not in kept]
    hits = tuple(_hit(each, surface, ask.now) for each in shown)
    hits, budget = _packed(hits, shown, ask)
    reason = "" if hits else _nothing(ask.text, surface, floor, all_topics=all_topics)
    return Recall(
        query=ask.text,
        route=route,
        hits=hits,
        reason=reason,
        floor=floor,
        left_out=len(kept) - len(shown),
        below_floor=len(rejected),
        just_below=sum(score >= floor / 2 for score in rejected),
        best_rejected=max(rejected) if rejected else None,
        budget=budget,
    )


def _rank(
    text: str, surface: Surface, *, all_topics: bool, weights: Weights = TOPICS
) -> list[_Ranked]:
    signals = surface.signals(subject_of(text))
    kept = [
        (at, branch)
        for at, branch in enumerate(surface.branches)
        if all_topics or branch.node.status in {"hot", "warm", "active"}
    ]
    # What shares neither a word nor a direction has nothing to do with it.
    near = {
        at for at, _ in kept if any(float(signals[name][at]) > 0 for name in _TELLING)
    }
    # What speaks of many things is told by its parts, where one of them is about this.
    of_passages = surface.tree.of_passages
    told = {b.parent for at, b in kept if at in near and b.node.path in of_passages}
    kept = [(at, branch) for at, branch in kept if branch.node.path not in told]
    if not kept:
        return []
    parts = [
        {name: w * float(signals[name][at]) for name, w in weights.of.items()}
        for at, _ in kept
    ]
    odds = [math.fsum([weights.intercept, *each.values()]) for each in parts]
    scores = weights.scale.scores(np.array(odds)).tolist()
    ranked = []
    for (at, branch), score, part in zip(kept, scores, parts, strict=True):
        meaning = math.fsum(value for name, value in part.items() if name != "words")
        why = (
            Why("words", round(part["words"], 6), ""),
            Why("meaning", round(meaning, 6), ""),
        )
        likely = score if at in near else 0.0
        ranked.append(_Ranked(branch, likely, float(signals["coverage"][at]), why))
    return sorted(ranked, key=lambda each: (-each.score, each.branch.node.path))


def _hit(ranked: _Ranked, surface: Surface, now: datetime | None) -> Hit:
    branch, node = ranked.branch, ranked.branch.node
    notes = [
        surface.anchors[path] for path in branch.anchors if path in surface.anchors
    ]
    stand = surface.standings(notes, now)
    return Hit(
        path=node.path,
        anchor="",
        heading="",
        lines=(1, 1),
        id=node.id,
        title=node.title,
        type=node.type,
        status=node.status,
        date=branch.updated[:16],
        summary=node.summary,
        snippet=node.summary,
        tags=node.tags,
        score=min(ranked.score, 1.0),
        why=ranked.why,
        linked=tuple(
            Linked(n.path, n.summary, "about", 1.0, standing=stand[n.file_id].words)
            for n in notes
        ),
    )


def _packed(
    hits: tuple[Hit, ...], ranked: Sequence[_Ranked], ask: Ask
) -> tuple[tuple[Hit, ...], Budget | None]:
    if ask.budget is None and not ask.expand:
        return hits, None
    materials = [
        Material(
            "\n".join([hit.summary, ", ".join(each.branch.terms)]).strip(),
            each.branch.node.lang,
            linked=hit.linked,
        )
        for hit, each in zip(hits, ranked, strict=True)
    ]
    return pack(hits, materials, ask.budget)


def why_deep(ask: Ask, surface: Surface | None) -> str:
    """Why the topics alone are no answer to this question, "" where they may be."""
    if asks_detail(ask):
        return "the question asks for a detail"
    if surface is None or not len(surface):
        return "there are no topics yet"
    return lacking(ask.text, surface)


def lacking(text: str, surface: Surface) -> str:
    """What the topics lack to answer a text that asks for no detail, "" for nothing."""
    ranked = _rank(text, surface, all_topics=False)
    if not ranked or ranked[0].score < FLOOR:
        return _nothing(text, surface, FLOOR, all_topics=False)
    if ranked[0].score < _LIKELY or ranked[0].coverage < _ENOUGH:
        return "the topics hold too little of the question"
    return ""


def _nothing(text: str, surface: Surface, floor: float, *, all_topics: bool) -> str:
    """Why no topic answers: none is about it, or only such as are not asked."""
    if not all_topics:
        whole = _rank(text, surface, all_topics=True)
        if any(each.score >= max(floor, FLOOR) for each in whole):
            return "only topics that are not hot or warm are about this"
    return "no topic is about this"


def asks_detail(ask: Ask) -> bool:
    """Whether only passages can answer: a filter, a quote, a number, a who or when."""
    if ask.filters or ask.phrases or ask.by_note or ask.floor is not None:
        return True
    text = subject_of(ask.text)
    return bool(_DETAIL.search(text) or _ASKS.search(text))
