"""Whom a text is by or about, as far as its note says so.

Pure. A note's people are its entities (the links of `entities` and `involves`) or, in
an event without any and in an imported conversation, whoever is named in bold before
what they say (`**Ana:** …`). Their
names are kept out of what is embedded: in a long conversation every turn is by or
to the same two people, and what is nearest in meaning should not be decided by who
is greeted. Who it is about is kept beside the text instead.
"""

from __future__ import annotations

import re
from functools import cached_property

from mindcache.links import fold, target_key
from mindcache.memory import Memory

__all__ = ["People"]

# At the start of a line, after the marks of a list or quote.
_SPEAKER = re.compile(
    r"^[ \t>*+-]{0,8}?\*\*([^*\n]{1,40}?)(?::\*\*|\*\*:)", re.MULTILINE
)

# More people than this are a list of attendees: who of them it is about stays open,
# and a pattern of all their names would slow the indexing of every chunk.
_MOST_PEOPLE = 40

# What is left of "**Ana:** " when the name is gone.
_LEFT_OVER = re.compile(r"^[\s:,]+")


class People:
    """The people of one note."""

    def __init__(self, memory: Memory, body: str) -> None:
        self._keys: dict[str, str] = {}
        for edge in memory.edges:
            if edge.relation == "involves":
                key = target_key(edge.link.target)
                for name in (key, fold(edge.link.display.strip())):
                    if name:
                        self._keys.setdefault(name, key)
        entities = list(dict.fromkeys(self._keys.values()))
        self._alone = entities[0] if len(entities) == 1 else ""
        if memory.type == "entity":
            self._alone = fold(memory.title)
        self._speak = "**" in body
        is_chat = memory.properties.get("source_type") == "chat"
        if memory.type == "event" and self._speak and (is_chat or not self._keys):
            # One speaker's note doesn't make the others' words his.
            self._alone = "" if is_chat else self._alone
            for match in _SPEAKER.finditer(body):
                name = fold(match[1].strip())
                if len(self._keys) < _MOST_PEOPLE:
                    self._keys.setdefault(name, name)
        self._called = list(self._keys)[:_MOST_PEOPLE]
        self._is_plain = all(map(str.isascii, self._called))

    def subject(self, text: str) -> str:
        """The folded names of whom this text of the note is about, a line each.

        Those who speak in it; else the note's only entity; "" where that's unknown.
        """
        if self._speak and self._keys:
            spoken = (fold(m[1].strip()) for m in _SPEAKER.finditer(text))
            found = {self._keys[name] for name in spoken if name in self._keys}
            if found:
                return "\n".join(sorted(found))
        return self._alone

    def without_names(self, plain: str) -> str:
        """Plain text without these people's names; unchanged if nothing else is left."""
        if not self._called:
            return plain
        bare = self._names.sub(" ", plain) if self._may_name(plain) else plain
        return _LEFT_OVER.sub("", " ".join(bare.split())) or plain

    def _may_name(self, plain: str) -> bool:
        """False only where no name stands: most notes never need their pattern."""
        if not (self._is_plain and plain.isascii()):
            return True
        low = plain.lower()
        return any(name in low for name in self._called)

    @cached_property
    def _names(self) -> re.Pattern[str]:
        return _pattern(self._called)


def _pattern(names: list[str]) -> re.Pattern[str]:
    """Any of the names as a word of its own, with a possessive ending."""
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    choice = "|".join(map(re.escape, longest_first))
    return re.compile(rf"(?<!\w)(?:{choice})(?:['’]s)?(?!\w)", re.IGNORECASE)
