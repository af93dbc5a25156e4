"""The tools that an agent gets: their names, arguments and what they promise. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mindcache.fence import NOTICE

__all__ = ["AROUND", "BUDGET", "INSTRUCTIONS", "TOOLS", "Argument", "Kind", "Tool"]

BUDGET = 1_500
"""Tokens of an answer: a page of text, a hundredth of what an agent has in mind."""

AROUND = 90
"""Tokens of it for what is said around the texts: the notice, what was left out."""

Kind = Literal["text", "texts", "whole", "fraction", "flag", "properties"]

INSTRUCTIONS = f"""\
A memory of Markdown notes: facts, events, plans and how things are done, of a person \
and their projects. Ask `recall` before you guess what was decided, preferred or done; \
open a hit with `get`, see what hangs together with `neighbours`, what happened when \
and what is planned with `timeline`. Write what is worth keeping with `remember`, one \
thing a note; change a note with `update`; say what became of a plan with `plan`. \
{NOTICE}"""


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool; `choices` are the words that it may be."""

    name: str
    kind: Kind
    about: str
    choices: tuple[str, ...] = ()
    required: bool = False
    low: int = 1
    high: int = 1_000_000

    def schema(self) -> dict[str, object]:
        """Its JSON Schema."""
        shape: dict[str, object] = {"description": self.about}
        if self.kind == "texts":
            shape |= {"type": "array", "items": {"type": "string"}}
        elif self.kind == "whole":
            shape |= {"type": "integer", "minimum": self.low, "maximum": self.high}
        elif self.kind == "fraction":
            shape |= {"type": "number", "minimum": 0, "maximum": 1}
        elif self.kind == "flag":
            shape |= {"type": "boolean"}
        elif self.kind == "properties":
            shape |= {"type": "object"}
        else:
            shape |= {"type": "string"}
            if self.choices:
                shape["enum"] = list(self.choices)
        return shape


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `answers` are the names in its structured answer with their types.

    `writes` says that it changes notes, `destroys` that what was there may go, `again`
    that a second call like the first changes nothing more.
    """

    name: str
    title: str
    about: str
    arguments: tuple[Argument, ...]
    answers: dict[str, str]
    writes: bool = False
    destroys: bool = False
    again: bool = True

    def input_schema(self) -> dict[str, object]:
        """The JSON Schema of its arguments."""
        shape: dict[str, object] = {
            "type": "object",
            "properties": {each.name: each.schema() for each in self.arguments},
            "additionalProperties": False,
        }
        required = [each.name for each in self.arguments if each.required]
        return {**shape, "required": required} if required else shape

    def output_schema(self) -> dict[str, object]:
        """The JSON Schema of its structured answer."""
        return {
            "type": "object",
            "properties": {k: {"type": v} for k, v in self.answers.items()},
            "required": sorted(self.answers),
        }


def _text(name: str, about: str, *, required: bool = False) -> Argument:
    return Argument(name, "text", about, required=required)


def _texts(name: str, about: str) -> Argument:
    return Argument(name, "texts", about)


_NAME = "A note's id, path, file name or alias"
_BUDGET = Argument(
    "budget", "whole", f"Tokens that the answer may take ({BUDGET}).", low=100
)
_DRY_RUN = Argument("dry_run", "flag", "Show what would be written, and write nothing.")
_STATE = {"stale": "boolean", "pending": "integer", "redacted": "integer"}
_WRITTEN = {"written": "boolean", "indexed": "boolean", "remarks": "array"}

TOOLS: tuple[Tool, ...] = (
    Tool(
        "recall",
        "Recall",
        "Answer a question from the notes: the passages that answer it, best first, each"
        " with its note and a score. Ask in plain words and say whose or which; filters"
        " only where you are sure. Without a query it lists what passes the filters.",
        (
            _text("query", 'A question or keywords; a "quoted phrase" must stand so.'),
            Argument(
                "mode",
                "text",
                "auto (default); fast: from topics; deep: from passages.",
                ("auto", "fast", "deep"),
            ),
            _texts(
                "tags", "Notes with one of these tags, or one below it: client/acme."
            ),
            _texts("type", "fact, event, entity, summary, plan, topic, journal."),
            _texts("status", "active, planned, occurred, missed, canceled, archived."),
            _text("from", 'From this date on: 2026-03-05, 2026-W10, "last week".'),
            _text("to", "Up to the end of this date."),
            _texts("location", "A part of the location."),
            _texts("entity", "Notes that link to this person or thing."),
            _texts("project", "A part of the project's name."),
            _BUDGET,
            Argument("limit", "whole", "Hits at most (10).", high=100),
            Argument("floor", "fraction", "Least score shown; 0 shows everything."),
        ),
        {
            "query": "string",
            "route": "string",
            "reason": "string",
            "hits": "array",
            "below_floor": "integer",
            "just_below": "integer",
            "left_out": "integer",
            **_STATE,
        },
    ),
    Tool(
        "get",
        "Open a note",
        "Read one note, or one entry of the journal, with its properties and links.",
        (
            _text(
                "name",
                f"{_NAME}; an entry's id (j-6kd3f2a9xw); a block (Pricing#^discount).",
                required=True,
            ),
            Argument("line", "whole", "The line of the note to begin at (1)."),
            _BUDGET,
        ),
        {"path": "string", "id": "string", "text": "string", **_STATE},
    ),
    Tool(
        "neighbours",
        "What a note hangs together with",
        "Notes linked with one, nearest first and by which relation; with `to` the"
        " shortest ways between two; with `order` what came before or after.",
        (
            _text("name", f"{_NAME}.", required=True),
            _text("to", "Another note: ways from the one to the other."),
            Argument(
                "order",
                "text",
                "What came before the note, or after it.",
                ("before", "after"),
            ),
            _texts(
                "relation",
                "Only along these: about, involves, before_after, same_topic,"
                " derived_from, planned_for, occurred_after, contradicts.",
            ),
            Argument("depth", "whole", "Steps away (1).", high=10),
            Argument(
                "direction", "text", "Of the edges (both).", ("in", "out", "both")
            ),
            Argument("limit", "whole", "Notes at most (20).", high=200),
        ),
        {
            "start": "array",
            "nodes": "array",
            "paths": "array",
            "left_out": "integer",
            **_STATE,
        },
    ),
    Tool(
        "timeline",
        "What happened, what is planned",
        "What happened in a time, oldest first: the journal, events, settled plans. With"
        " `plans` instead what is planned.",
        (
            _text("since", 'From this date on: 2026-03-05, "last week".'),
            _text("until", "Up to the end of this date."),
            _text("day", "On this day, week or month."),
            _text("project", "A part of the project's name."),
            Argument(
                "plans",
                "text",
                "upcoming: what is to come; due: over, its outcome unknown; open: both.",
                ("upcoming", "due", "open"),
            ),
            Argument("limit", "whole", "The last N of them (30).", high=500),
        ),
        {"left_out": "integer", "undated": "integer", **_STATE},
    ),
    Tool(
        "remember",
        "Remember",
        "Write a new note and index it. One thing a note, in whole sentences that are"
        " understood without this conversation: names instead of pronouns, dates instead"
        " of 'yesterday'. A note that says the same already is named instead. Secrets"
        " are taken out.",
        (
            _text("text", "What is to be remembered, in Markdown.", required=True),
            Argument(
                "type",
                "text",
                "fact (default), event, entity, summary, plan.",
                ("fact", "event", "entity", "summary", "plan"),
            ),
            _text("title", "Its name; else its first words."),
            _text("summary", "One line; else the first sentence."),
            _texts("tags", "Namespaced: tool/git, client/acme, domain/billing."),
            _text("project", "owner/name of the project it belongs to."),
            Argument(
                "scope",
                "text",
                "project (default). global is proposed to the person, who decides; until"
                " then it holds for its project.",
                ("project", "global"),
            ),
            _texts("about", "Notes that it says something about."),
            _texts("involves", "Notes of people and things that take part."),
            _texts("derived_from", "Notes it was drawn from."),
            _text("at", 'When it happened or will: 2026-03-05T14:30, "3 May".'),
            _text("until", "When it ends."),
            _text("location", "Where."),
            _text("source", "Where it is known from."),
            Argument("confidence", "fraction", "How sure it is."),
            Argument("importance", "fraction", "How much it matters."),
            Argument("anyway", "flag", "Even if a note says nearly the same."),
            Argument("allow_missing", "flag", "Link to notes that aren't there yet."),
            _DRY_RUN,
        ),
        {"path": "string", "id": "string", "redacted": "array", **_WRITTEN},
        writes=True,
        again=False,
    ),
    Tool(
        "update",
        "Change a note",
        "Change properties or text of the note with this exact id or path; every other"
        " byte stays. Journal, proposals and topics are not changed so.",
        (
            _text("name", "The note's exact id or path.", required=True),
            _text("summary", "Another summary."),
            Argument("set", "properties", 'Properties: {"status": "archived"}.'),
            _texts("unset", "Properties to take away."),
            _texts("add_tags", "Tags to add; scope/global is proposed to the person."),
            _texts("remove_tags", "Tags to take away."),
            _text("append", "Text to add at the end."),
            _text("body", "Another text for the whole note."),
            _DRY_RUN,
        ),
        {"notes": "array", **_WRITTEN},
        writes=True,
        destroys=True,
        again=False,
    ),
    Tool(
        "plan",
        "Say what became of a plan",
        "Write into a plan that it occurred, was missed or canceled, or is archived. Of a"
        " series, `on` names the occurrence.",
        (
            _text("name", "The plan's exact id or path.", required=True),
            Argument(
                "outcome",
                "text",
                "What became of it.",
                ("occurred", "missed", "canceled", "archived"),
                required=True,
            ),
            _text("because", "Why; needed to change an outcome."),
            _text("on", "The date of one occurrence of a series."),
        ),
        {"path": "string", "outcome": "string", "was": "string", **_WRITTEN},
        writes=True,
        destroys=True,
    ),
    Tool(
        "status",
        "How the memory stands",
        "Which vault answers, how many notes it has, and whether all are indexed.",
        (),
        {"vault": "string", "on_disk": "integer", "indexed": "integer"},
    ),
)
