"""How near the words of a text are to those of a question, word by word.

A question says "books", the turn that answers it "novel": no term is shared, and
in the sum of a whole turn's words one akin word is lost. So each word of the
question is held against each word of a text, and the nearest counts (late
interaction, with static vectors). Too much work for every chunk; it is done for
the best candidates that are brief texts in a row of such. There it tells most, and
the text before and after may hold the word as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from mindcache.cache.read import ChunkRow
from mindcache.index import semantic
from mindcache.recall.question import Question
from mindcache.recall.vocabulary import Vocabulary
from mindcache.text import QueryTerm

__all__ = ["akin"]

Floats = npt.NDArray[np.float64]

# Below this, nearness of two words is chance.
_CHANCE = 0.4
# What a word in the text before, and after, counts for, beside one in the text
# itself; the same question is answered by it, but not there.
_BEFORE, _AFTER = 0.7, 0.35
# Where a text stands among the candidates, in standard deviations: one below their
# mean is nothing, six above it everything.
_LOW, _HIGH = -1.0, 6.0


def akin(
    question: Question,
    weights: Mapping[QueryTerm, float],
    texts: Sequence[tuple[ChunkRow | None, ChunkRow, ChunkRow | None]],
    lean: Floats,
    vocabulary: Vocabulary,
) -> Floats:
    """For each text, with the one before and after it, how akin it is, 0..1.

    `weights` are the idf of the question's terms. `lean` is how much each text
    takes from its neighbours. 0 everywhere when the question has no words.
    """
    terms = [t for t in weights if not t.joined and t.text not in question.names]
    if not terms or not texts:
        return np.zeros(len(texts))
    vocabulary.prepare()
    chunks = {c.id: c for row in texts for c in row if c is not None}
    words = {key: vocabulary.words_of(c, "en") for key, c in chunks.items()}
    rows, inverse = np.unique(np.concatenate(list(words.values())), return_inverse=True)
    if not len(rows):
        return np.zeros(len(texts))
    near = _nearness(terms, rows, vocabulary)
    best = _best_of(near, inverse, [len(each) for each in words.values()])
    places = {key: place for place, key in enumerate(chunks)}
    idf = np.array([weights[term] for term in terms])
    mine = np.array([places[row[1].id] for row in texts])
    found: Floats = best[:, mine]
    for side, share in ((0, _BEFORE), (2, _AFTER)):
        others = np.array(
            [-1 if (c := row[side]) is None else places[c.id] for row in texts]
        )
        lent: Floats = best[:, others] * (share * lean * (others >= 0))
        np.maximum(found, lent, out=found)
    return _standing((idf[:, None] * found).sum(axis=0) / max(float(idf.sum()), 1e-9))


def _nearness(
    terms: Sequence[QueryTerm], rows: npt.NDArray[np.intp], vocabulary: Vocabulary
) -> Floats:
    """How near each term is to each word: 1 where it is the same word."""
    asked = semantic.quantise(vocabulary.encode([term.text for term in terms]))
    near = semantic.centred_cosines(asked, vocabulary.vectors(rows))
    near[near < _CHANCE] = 0.0
    stems = [vocabulary.stems[row] for row in rows.tolist()]
    for place, term in enumerate(terms):
        same = set(term.terms)
        near[place, [stem in same for stem in stems]] = 1.0
    return near


def _best_of(
    near: Floats, inverse: npt.NDArray[np.intp], sizes: Sequence[int]
) -> Floats:
    """The nearest word of each text to each term."""
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.intp)
    filled = np.array(sizes) > 0
    best = np.zeros((len(near), len(sizes)))
    best[:, filled] = np.maximum.reduceat(near[:, inverse], starts[filled], axis=1)
    return best


def _standing(values: Floats) -> Floats:
    """Values as standard deviations from their mean, brought between 0 and 1."""
    spread = float(values.std())
    if spread < 1e-6:
        return np.zeros(len(values))
    z: Floats = (values - float(values.mean())) / spread
    standing: Floats = np.clip((z - _LOW) / (_HIGH - _LOW), 0.0, 1.0).round(6)
    return standing
