"""Sentences about what never lasts: that something is down, broken, red. Pure.

English, and small: it is better to keep a fact too long than to let one go for a word
that it shares. Only a sentence that says nothing else counts.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["is_passing"]

_STILL: Final = r"(?:(?:still|currently|again|now|completely|temporarily|partly)\s+)*"
_WHAT: Final = (
    r"(?!(?:I|we|you|he|she|they|it|there|here|what|who|nobody|everybody)\b)"
    r"(?:(?:the|our|my|this|that)\s+)?(?:[\w`'./:@#+-]+\s+){1,5}?"
)
# Behind it only a reason or a time may follow: "is down the road" is no state.
_END: Final = (
    r"(?=\s*(?:[.!;,()–—-]|$)|\s+(?:again|today|now|since|because|for|on|in|at|after"
    r"|with|until|while|due|as|this|right|and)\b)"
)
_STATE: Final = re.compile(
    rf"^{_WHAT}(?:is|are|'s|has\s+been|keeps)\s+{_STILL}"
    r"(?:down|broken|failing|flaky|offline|unreachable|unavailable|out\s+of\s+order"
    r"|not\s+(?:working|responding|reachable|available)|crashing|timing\s+out|hanging)"
    rf"{_END}",
    re.IGNORECASE,
)
_RED: Final = re.compile(
    r"^(?:(?:the|our|my)\s+)?(?:[\w/.-]+\s+){0,2}"
    r"(?:ci|build|builds|pipeline|pipelines|tests|checks|main|master|nightly)\s+"
    rf"(?:is|are)\s+{_STILL}(?:red|failing|broken|stuck){_END}",
    re.IGNORECASE,
)
_WORKS_NOT: Final = re.compile(
    rf"^{_WHAT}(?:(?:does|do)(?:n['’]t|\s+not)\s+(?:work|respond|start|build)"
    r"|(?:has\s+|have\s+)?stopped\s+(?:working|responding)|fails\s+to\s+(?:start|build))"
    rf"{_END}",
    re.IGNORECASE,
)
# Who speaks of a habit or a rule speaks of what lasts.
_LASTS: Final = re.compile(
    r"\b(?:always|never|whenever|every\s+time|if|when|should|must|by\s+design|usually"
    r"|ever|often|was|were|used\s+to|can|could|may|might|before)\b|\?",
    re.IGNORECASE,
)


def is_passing(sentence: str) -> bool:
    """Whether a fact says of something only that it is out of order at the time."""
    text = " ".join(sentence.split())
    if not text or _LASTS.search(text):
        return False
    return any(rule.search(text) for rule in (_STATE, _RED, _WORKS_NOT))
