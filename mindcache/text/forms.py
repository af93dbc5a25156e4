"""Forms of a word that no stemmer brings together: went and go, children and child.

Only for queries: a question asks "what did she buy", the note says "bought". The
list holds English verbs and nouns that bend irregularly, and a few everyday words
that people use for each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from mindcache.text.analyzer import QueryTerm, query_terms

__all__ = ["FORMS", "with_forms"]

_FAMILIES: Final = """
    beat beaten|become became|begin began begun|bend bent|bite bit bitten|bleed bled
    |blow blew blown|break broke broken|bring brought|build built|burn burnt|buy bought
    |catch caught|choose chose chosen|come came|deal dealt|dig dug|draw drew drawn
    |dream dreamt|drink drank drunk|drive drove driven|eat ate eaten|fall fell fallen
    |feed fed|feel felt|fight fought|find found|flee fled|fly flew flown
    |forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven
    |freeze froze frozen|get got gotten|give gave given|go went gone|grow grew grown
    |hang hung|hear heard|hide hid hidden|hold held|keep kept|kneel knelt
    |know knew known|lay laid|lead led|leap leapt|learn learnt|leave left|lend lent
    |lose lost|make made|mean meant|meet met|overcome overcame|pay paid|prove proven
    |ride rode ridden|ring rang rung|rise rose risen|run ran|say said|see saw seen
    |seek sought|sell sold|send sent|sew sewn|shake shook shaken|shine shone|shoot shot
    |show shown|shrink shrank shrunk|sing sang sung|sink sank sunk|sit sat|sleep slept
    |slide slid|speak spoke spoken|spend spent|spill spilt|spin spun|stand stood
    |steal stole stolen|stick stuck|sting stung|strike struck|swear swore sworn
    |sweep swept|swim swam swum|swing swung|take took taken|teach taught|tear tore torn
    |tell told|think thought|throw threw thrown|understand understood|undergo underwent
    |wake woke woken|wear wore worn|weave wove woven|win won|withdraw withdrew
    |write wrote written|child children kid|person people|man men|woman women|foot feet
    |tooth teeth|mouse mice|goose geese|wife wives|life lives|knife knives|shelf shelves
    |leaf leaves|half halves|wolf wolves|mom mum mother|dad father
    |photo photograph pic picture
"""

FORMS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        word: tuple(other for other in family.split() if other != word)
        for family in _FAMILIES.split("|")
        for word in family.split()
    }
)
"""A folded English word → its other forms."""


def with_forms(terms: Iterable[QueryTerm]) -> Iterator[QueryTerm]:
    """Each term, found in its irregular forms too."""
    for term in terms:
        others = () if term.joined or term.prefix else FORMS.get(term.text, ())
        if others:
            stems = (t for other in others for t in _stems(other))
            yield term._replace(terms=tuple(dict.fromkeys((*term.terms, *stems))))
        else:
            yield term


def _stems(word: str) -> tuple[str, ...]:
    return tuple(t for term in query_terms(word, ("en",)) for t in term.terms)
