"""What things have one of, and what they can be: the words of attributes. Pure.

English, and German where it is cheap.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = [
    "COUNTED",
    "DATED",
    "HOLDERS",
    "LABELS",
    "MANY",
    "NOT_OF_A_NOTE",
    "NOUNS",
    "OPPOSITES",
    "PROPERTIES",
]

NOUNS: Final[Mapping[str, str]] = MappingProxyType(
    {
        noun: attribute
        for attribute, nouns in {
            "city": "city|hometown|residence|wohnort",
            "address": "address|adresse|anschrift",
            "headquarters": "headquarters|hq|seat",
            "employer": "employer|company|arbeitgeber",
            "job": "job|job title|position|beruf",
            "price": "price|cost|rate|fee|rent|salary|preis|miete|gebühr",
            "budget": "budget",
            "deadline": "deadline|due date|frist|abgabetermin",
            "start": "start date|start|beginning",
            "end": "end date|expiry date|end",
            "when": "date|appointment|release date|launch date|termin",
            "birthday": "birthday|date of birth|geburtstag",
            "version": "version",
            "phone": "phone|phone number|telephone|telefon|telefonnummer",
            "mobile phone": "mobile|mobile number|mobile phone|cell|cell number"
            "|cell phone|handynummer",
            "extension": "extension",
            "email": "email|e-mail|email address|e-mail address|mail address",
            "website": "website|homepage|url",
            "name": "name|title",
            "password": "password|passcode|pin|code",
            "colour": "colour|color|farbe",
            "size": "size|größe",
            "capacity": "capacity",
            "limit": "limit|rate limit|timeout|quota",
            "port": "port",
            "time zone": "timezone|time zone",
            "status": "status",
            "default": "default|default branch|main branch",
            "database": "database|database engine",
            "language": "language|working language",
            "licence": "licence|license",
            "population": "population",
            "height": "height",
            "weight": "weight",
            "age": "age",
            "room": "room|seat number|gate",
            "hours": "opening hours|office hours",
            "retention": "retention|retention period|notice period",
        }.items()
        for noun in nouns.split("|")
    }
)
"""What a thing has one of at a time, by its names."""

HOLDERS: Final = frozenset(
    {
        "ceo", "cto", "cfo", "coo", "president", "chair", "chairman", "chairwoman",
        "chairperson", "director", "head", "lead", "leader", "team lead", "tech lead",
        "manager", "project manager", "product manager", "account manager", "owner",
        "product owner", "maintainer", "contact", "main contact", "contact person",
        "billing contact", "landlord", "boss", "supervisor", "dentist", "wife",
        "husband", "spouse", "captain", "coach", "principal", "mayor", "treasurer",
        "secretary", "editor", "capital", "sponsor", "harbour master", "doctor",
        "chef", "geschäftsführer", "leiter", "ansprechpartner", "partner", "tenant",
    }
)  # fmt: skip
"""What one person or place is of a thing at a time."""

PROPERTIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        **{noun.replace(" ", "_"): attribute for noun, attribute in NOUNS.items()},
        "lives_in": "city",
        "home": "city",
        "works_at": "employer",
        "works_for": "employer",
        "role": "job",
        "due": "deadline",
        "born": "birthday",
        "manager": "manager",
        "owner": "owner",
        "lead": "lead",
        "ceo": "ceo",
    }
)
"""Properties and inline fields that hold one value, by name."""

NOT_OF_A_NOTE: Final = frozenset({"title", "name", "status", "date", "start", "end"})
"""Names of properties that say something of the note itself."""

DATED: Final = frozenset({"deadline", "start", "end", "when", "birthday"})
COUNTED: Final = frozenset({"price", "budget", "limit", "capacity"})
MANY: Final = frozenset(
    {
        "has", "likes", "uses", "knows", "eats", "drinks", "plays", "supports",
        "attends", "smokes",
    }
)  # fmt: skip

_STATES = """
    open/closed enabled/disabled active/inactive working/broken alive/dead
    available/unavailable online/offline public/private allowed/forbidden
    required/optional supported/unsupported mandatory/voluntary married/divorced
    running/stopped locked/unlocked full/empty paid/unpaid free/chargeable
    single/married vegetarian/carnivorous in_stock/sold_out up/down
    offen/geschlossen aktiv/inaktiv verheiratet/geschieden
"""
OPPOSITES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        word.replace("_", " "): tuple(
            other.replace("_", " ")
            for pair in _STATES.split()
            if word in pair.split("/")
            for other in pair.split("/")
            if other != word
        )
        for pair in _STATES.split()
        for word in pair.split("/")
    }
)
"""States that exclude each other. Few: lists of antonyms find more that are none."""

LABELS: Final = frozenset(
    {
        "room", "invoice", "sprint", "chapter", "gate", "platform", "page", "step",
        "phase", "level", "issue", "ticket", "order", "no", "number", "nr", "berth",
        "house", "line", "flight", "track", "q", "week", "building", "floor", "lane",
        "pr", "bug", "task", "version", "part", "section", "figure", "table", "bus",
    }
)  # fmt: skip
"""Behind these a number is a name."""
