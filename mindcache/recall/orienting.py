"""What a question that asks for orientation is about: its words without how it asks.

"What is going on with the harbour" asks for all there is about the harbour; that
something goes on is said by no note. Pure.
"""

from __future__ import annotations

import re

__all__ = ["subject_of"]

# How people begin when they want to know where things stand, by language; what follows
# is the subject. Anything else that a question says is part of what it asks for.
_ENGLISH = r"""
    (?:so\ |and\ |please\ |now\ )*
    (?:(?:can|could)\ you\ |please\ )?
    (?:
      what(?:['’]s|\ is|\ was|\ has\ been)?\ (?:going\ on|happening|new|up)
        (?:\ (?:lately|recently|these\ days|now))?(?:\ (?:with|in|at|around|on|about|for))?
    | what\ (?:do|did)\ (?:i|we|you)\ (?:know|have|keep|write|note)\ (?:down\ )?(?:about|on|of)
    | (?:what|how)\ about
    | (?:tell|remind|brief)\ me\ (?:more\ |something\ |everything\ )?(?:about|of|on)
    | (?:is\ there\ )?(?:anything|everything|something|all)\ (?:new\ )?(?:about|on|with)
    | where\ (?:do|are)\ (?:things|we|i)(?:\ stand)?\ (?:with|on|in)
    | how\ (?:do\ things\ stand|are\ things|is\ it\ going)\ (?:with|on|in|at)
    | (?:give\ me\ |show\ me\ )?(?:an?\ |the\ )?(?:short\ |quick\ |brief\ )?
      (?:overview|summary|recap|rundown|outline|state|status)\ (?:of|on|over|about)
    | (?:summari[sz]e|recap|outline)
    | (?:what\ (?:are|were)\ )?(?:the\ |my\ |our\ )?(?:main\ |big\ |current\ |recent\ )?
      (?:themes|topics|threads)\ (?:of|in|around|on|about|with)
    )
    (?:\ (?:all\ of\ |all\ )?(?:the|my|our|your))?
"""
_GERMAN = r"""
    (?:
      was\ (?:ist|war)\ (?:los|neu)(?:\ (?:mit|bei|in|an|am))?
    | was\ gibt(?:\ es|['’]?s)\ (?:neues\ )?(?:zu[mr]?|bei|von|über|mit)
    | was\ wei(?:ß|ss)(?:\ ich|\ du|en\ wir)\ (?:über|von)
    | (?:erzähl\ mir|sag\ mir)\ (?:etwas\ |alles\ |mehr\ )?(?:über|von|zu)
    | wie\ (?:steht\ es|läuft\ es|stehen\ die\ dinge)\ (?:mit|bei|um)
    | (?:ein\ |der\ )?(?:überblick|stand)\ (?:über|zu[mr]?|von|bei|der|des)
    | (?:eine\ )?zusammenfassung\ (?:von|zu[mr]?|der|des)
    | (?:die\ )?(?:haupt)?themen\ (?:von|in|bei|der|des|im)
    )
    (?:\ (?:der|die|das|den|dem|mein\w*|unser\w*))?
"""
_ROMANCE = r"""
    (?:
      quoi\ de\ neuf\ (?:avec|sur|pour|dans|chez)
    | que\ se\ passe-t-il\ (?:avec|dans|chez|à)
    | parle[sz]?-moi\ d[eu]s?
    | que\ sa(?:is-je|vons-nous)\ (?:de|sur|du|des)
    | (?:un\ |le\ )?(?:aperçu|résumé)\ (?:de|du|des)
    | qué\ (?:pasa|hay\ de\ nuevo)\ (?:con|en|de)
    | qué\ s(?:é|abemos)\ (?:de|sobre|del)
    | háblame\ (?:de|del|sobre)
    | (?:un\ |el\ )?resumen\ (?:de|del|sobre)
    )
    (?:\ (?:l[ae]s?|el|los|mes|mis|nos|nuestr\w+))?
"""
_FRAME = re.compile(
    rf"[\s¿¡]*(?:{_ENGLISH}|{_GERMAN}|{_ROMANCE})(?=[\s?!.:,]|$)",
    re.IGNORECASE | re.VERBOSE,
)
_EDGES = " \t\n?!.:,¿¡"


def subject_of(text: str) -> str:
    """What is left of a question without how it asks; all of it where nothing would be."""
    folded = " ".join(text.split())
    found = _FRAME.match(folded)
    rest = folded[found.end() :].strip(_EDGES) if found else ""
    return rest or text
