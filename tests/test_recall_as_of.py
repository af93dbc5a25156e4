"""The memory as it stood: `--as-of` answers then, without it the latest holds."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mindcache.recall import Ask, Filters
from mindcache.scribe import retire
from tests.conftest import NOW
from tests.test_digest_consolidate import fact
from tests.test_write_moving import play

OLD = fact(1, "Anna Berg lives in Berlin.", "2025-02-03")
NEW = fact(2, "Anna Berg lives in Hamburg.", "2026-04-10")


@pytest.fixture
def vault(make_vault) -> Path:
    return make_vault({"memory/old.md": OLD, "memory/new.md": NEW})


def asked(vault: Path, *more: str) -> list[tuple[str, bool]]:
    call = ("recall", "where does Anna Berg live", "--floor", "0", "--json", *more)
    code, out = play(vault, *call)
    assert code == 0, out
    return [(hit["path"], hit["holds"]) for hit in json.loads(out)["hits"]]


BOTH = {("memory/old.md", True), ("memory/new.md", True)}


def test_before_it_is_settled_both_stand(vault) -> None:
    assert set(asked(vault)) == BOTH
    assert asked(vault, "--as-of", "2025-12-31") == [("memory/old.md", True)]
    assert asked(vault, "--as-of", "2025-01-01") == []


def test_the_latest_holds_now_and_then_stood_what_stood(vault, make_app) -> None:
    app = make_app(vault)
    retire(app, "memory/old.md", "memory/new.md")
    app.close()
    assert asked(vault) == [("memory/new.md", True), ("memory/old.md", False)]
    assert asked(vault, "--current") == [("memory/new.md", True)]
    assert asked(vault, "--as-of", "2025-12") == [("memory/old.md", True)]
    # Both had been written, and nobody had said yet that one is over.
    assert set(asked(vault, "--as-of", "2026-05-01")) == BOTH
    assert set(asked(vault, "--as-of", "2026-05-01", "--current")) == BOTH
    late = asked(vault, "--as-of", "2027-01-01")
    assert late == [("memory/new.md", True), ("memory/old.md", False)]


def test_as_of_is_asked_of_every_search(vault) -> None:
    for call in (
        ("search", "exact", "Anna Berg"),
        ("search", "exact"),
        ("search", "semantic", "Anna Berg", "--floor", "0"),
        ("recall", "Anna Berg", "--floor", "0", "--mode", "fast"),
    ):
        out = play(vault, *call, "--as-of", "2025-12-31", "--json")[1]
        assert [hit["path"] for hit in json.loads(out)["hits"]] == ["memory/old.md"]


def test_without_an_end_the_successor_says_when(make_vault) -> None:
    old = OLD.replace("created_at", 'superseded_by: "[[new]]"\ncreated_at')
    root = make_vault({"memory/old.md": old, "memory/new.md": NEW})
    assert asked(root) == [("memory/new.md", True), ("memory/old.md", False)]
    assert asked(root, "--as-of", "2026-04-09") == [("memory/old.md", True)]
    assert asked(root, "--as-of", "2026-04-10") == asked(root)


def test_a_plan_was_there_when_it_was_made(make_vault) -> None:
    text = "The crane is tested by the harbour office."
    plan = fact(1, text, "2026-03-01", "time_start: 2026-09-09\n", "plan")
    undated = "The crane is red.\n"
    root = make_vault({"Plan.md": plan, "Red.md": undated})
    out = play(root, "search", "exact", "crane", "--as-of", "2026-04", "--json")[1]
    assert {h["path"] for h in json.loads(out)["hits"]} == {"Plan.md", "Red.md"}
    out = play(root, "search", "exact", "crane", "--as-of", "2026-02", "--json")[1]
    assert {h["path"] for h in json.loads(out)["hits"]} == {"Red.md"}


def test_phrases_are_reckoned_from_then(vault, make_app) -> None:
    app = make_app(vault)
    ask = Ask("Anna", Filters(as_of="2026-04-11", dates=("yesterday",)), floor=0.0)
    found = app.ask("exact", ask)
    assert [hit.path for hit in found.hits] == []
    then = Ask("Anna", Filters(as_of="2026-04-11T09:00:00", dates=("yesterday",)))
    assert [hit.path for hit in app.ask("exact", then).hits] == ["memory/new.md"]
    assert NOW.year == 2026


def test_what_is_no_date_is_an_error(vault) -> None:
    code, _ = play(vault, "recall", "Anna", "--as-of", "soonish")
    assert code == 2
