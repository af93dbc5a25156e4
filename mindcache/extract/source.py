"""What of a note may be learned, and what was learned from it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from mindcache.extract.finding import Context, Extractor, Finding, Findings
from mindcache.extract.passages import passages_of
from mindcache.extract.rules import Rules
from mindcache.extract.words import NAMES_NOT
from mindcache.memory import Memory
from mindcache.note import Note

__all__ = ["PROGRAMS", "SOURCE_TYPE", "findings_of", "left_alone"]

SOURCE_TYPE = "extract"
"""The `source_type` of the notes that findings become."""

# Notes that Mindcache writes, or that say one thing already.
_TYPES_LEFT = frozenset({"topic", "summary", "proposal", "journal", "entity", "plan"})
# Who answers for a program: what it says of itself is no one's preference.
PROGRAMS = frozenset(
    {"assistant", "ai", "bot", "chatgpt", "claude", "gemini", "gpt", "model", "system"}
    | {"tool", "copilot", "agent"}
)
_OWNER = frozenset({"me", "you", "user", "human", "i"})

_CAPITAL = re.compile(r"(?<=[a-z,] )[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)*")


def left_alone(memory: Memory) -> str:
    """Why nothing is learned from a note, "" where something may be."""
    if memory.properties.get("source_type") == SOURCE_TYPE:
        return "was itself found in another note"
    if memory.type in _TYPES_LEFT:
        return f"its type is {memory.type}"
    if any(edge.relation == "derived_from" for edge in memory.edges):
        return "is derived from other notes"
    if memory.under_contract and memory.type == "fact":
        return "is a fact already"
    return ""


def findings_of(
    note: Note,
    memory: Memory,
    context: Context,
    extractor: Extractor | None = None,
) -> Findings:
    """What a note's text says outright, each thing once, in its order.

    Nothing for a note that must be left alone (`left_alone`) or holds conflict marks.
    Speakers that stand for the owner get the first of the names in `me`; what programs
    say is left out. The links of a finding lead to its speaker and to the notes that
    it names. Never raises for any text.
    """
    found = Findings()
    if note.conflict_line or left_alone(memory):
        return found
    said = memory.date.start if memory.date else None
    involved = {e.link.target for e in memory.edges if e.relation == "involves"}
    people = sorted(involved)
    passages = passages_of(note, said, [*people, *context.me])
    rules = extractor or Rules()
    owner = context.me[0] if context.me else ""
    seen: set[str] = set()
    # A memory of one sentence is what would be found in it.
    whole = " ".join(note.body.casefold().split()) if memory.under_contract else ""
    for passage in passages:
        speaker = passage.speaker
        if speaker.casefold() in PROGRAMS:
            continue
        if speaker.casefold() in _OWNER or (owner and not speaker):
            passage = replace(passage, speaker=owner or speaker)  # noqa: PLW2901  its name
        for finding in rules.find(passage, context):
            key = " ".join(finding.quote.casefold().split())
            if key in seen or (key == whole and finding.kind == memory.type):
                continue
            seen.add(key)
            found.of.append(
                replace(finding, links=tuple(_links(finding, context, involved)))
            )
            found.new_names.update(_new_names(finding, context))
    return found


def _links(finding: Finding, context: Context, involved: set[str]) -> Iterator[str]:
    """The link to the speaker, as the note itself has it at least, and to who is named."""
    speaker = finding.speaker
    own = f"[[{speaker}]]" if speaker in involved else ""
    first = (speaker and context.link_of(speaker)) or own
    yield from dict.fromkeys(filter(None, [first, *context.links_in(finding.quote)]))


def _new_names(finding: Finding, context: Context) -> Iterator[str]:
    for match in _CAPITAL.finditer(finding.quote):
        words = match[0].removesuffix("'s").removesuffix("’s").split()
        while words and words[0].casefold() in NAMES_NOT:
            words = words[1:]
        name = " ".join(words)
        is_speaker = name.casefold() == finding.speaker.casefold()
        if len(name) > 2 and not is_speaker and not context.links_in(name):
            yield name
