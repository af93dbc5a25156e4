"""Whose words a note's texts are, and what is left when names are gone."""

from __future__ import annotations

import pytest

from mindcache.memory import Meaning, describe
from mindcache.note import parse
from mindcache.sync.people import People

EVENT = "---\ntype: event\nentities: ['[[Ana Silva|Ana]]', '[[people/Ben]]']\n---\n"


def people(text: str, path: str = "talk.md") -> People:
    note = parse(path, text.encode())
    return People(describe(note, Meaning()), note.body)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**Ana:** Hello.", "ana silva"),
        ("**ana silva**: Hello.", "ana silva"),
        ("- **Ben:** Hello.", "ben"),
        ("> **Ben:** one\n>\n> **Ana:** two", "ana silva\nben"),
        ("**Note:** nobody speaks", ""),
        ("Ana and Ben met.", ""),
        ("a **Ben:** in the middle", ""),
    ],
)
def test_who_speaks_is_whom_a_text_is_by(text, expected):
    assert people(EVENT + text).subject(text) == expected


def test_in_an_event_whoever_is_named_in_bold_speaks():
    text = "**Zoë:** hi\n\n**Ben:** hello"
    assert people("---\ntype: event\n---\n" + text).subject("**Zoë:** hi") == "zoë"
    assert people("---\ntype: fact\n---\n" + text).subject("**Zoë:** hi") == ""


def test_a_note_with_one_entity_is_about_it_and_an_entity_about_itself():
    one = people("---\nentities: '[[Ben]]'\n---\nx")
    assert one.subject("x") == "ben"
    assert people("---\ntype: entity\n---\nx", "people/Ana.md").subject("x") == "ana"
    assert people("plain").subject("plain") == ""


@pytest.mark.parametrize(
    ("plain", "expected"),
    [
        ("Ana: Did you see Ben's boat?", "Did you see boat?"),
        ("Anatomy and benches stay.", "Anatomy and benches stay."),
        ("Ana Silva!", "!"),
        ("Ben", "Ben"),
        ("", ""),
    ],
)
def test_names_are_taken_out_as_words(plain, expected):
    assert people(EVENT).without_names(plain) == expected


def test_a_note_without_people_keeps_its_text():
    assert people("plain").without_names("Ana: hello") == "Ana: hello"


@pytest.mark.parametrize("piece", ["*", "**a:", "**", "a", "(", "**a:** ", "\n> "])
def test_hostile_bodies_take_linear_time(piece):
    text = piece * (300_000 // len(piece))
    found = people("---\ntype: event\nentities: '[[Ben]]'\n---\n" + text)
    assert isinstance(found.subject(text), str)
    assert found.without_names(text)
