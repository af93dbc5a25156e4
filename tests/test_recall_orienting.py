"""How people ask where things stand, and what they ask about."""

from __future__ import annotations

import pytest

from mindcache.recall.orienting import subject_of


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("What is going on with the harbour?", "harbour"),
        ("what's new in Halden", "Halden"),
        ("main themes of my meetings", "meetings"),
        ("what are the main themes around tax", "tax"),
        ("Overview of the Brightwater migration", "Brightwater migration"),
        ("tell me about bread and boats", "bread and boats"),
        ("what do I know about dbt?", "dbt"),
        ("summarize our pricing", "pricing"),
        ("what about dbt", "dbt"),
        ("Was ist los mit dem Hafen?", "Hafen"),
        ("Überblick über die Steuer", "Steuer"),
        ("quoi de neuf avec le port ?", "port"),
        ("¿Qué pasa con los trenes?", "trenes"),
        # What says more than that, or nothing else, stays as it is.
        ("when did we talk about topics", "when did we talk about topics"),
        ("the themes of Obsidian", "Obsidian"),
        ("themes and appearance", "themes and appearance"),
        ("tell me when the ferry leaves", "tell me when the ferry leaves"),
        ("what's going on?", "what's going on?"),
        ("", ""),
    ],
)
def test_the_subject_is_what_is_left(text, subject) -> None:
    assert subject_of(text) == subject
