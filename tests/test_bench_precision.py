"""Beliefs with exact cases: every one that a vault of one person can be asked passes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench import precision

DATA = Path(__file__).parents[2] / "shared" / "data" / "memory" / "precisionmembench"

BELIEF = {
    "_id": "b-tea", "user_id": "test-user", "type": "preference",
    "canonical_name": "tea_habit", "aliases": ["Oolong"], "content": "Drinks oolong.",
    "scope": ["domain:home"], "confidence": 0.9, "pinned": False, "resolved_at": None,
    "superseded_by": None, "created_at": "2026-09-01T00:00:00Z",
    "updated_at": "2026-09-02T00:00:00Z",
}  # fmt: skip


def case(name: str, query: str, relevant: list[str]) -> dict[str, object]:
    return {
        "caseId": name,
        "category": "Alias resolution",
        "scope": ["domain:home"],
        "query": query,
        "expect": {"relevantBeliefs": {"shouldOnlyInclude": relevant}},
    }


def test_a_case_fails_by_what_is_missing_and_by_what_is_too_much(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    asked = [
        case("right", "more oolong?", ["b-tea"]),
        case("missing", "more coffee?", ["b-tea"]),
        case("too much", "more oolong?", []),
        {**case("others", "oolong", []), "category": "Cross-user isolation"},
    ]
    (source / "beliefs.seed.json").write_text(json.dumps([BELIEF]))
    (source / "retrieval.cases.json").write_text(json.dumps(asked))
    outcomes = precision.run(str(source), str(tmp_path / "vaults"))
    assert [(o.case, o.failures) for o in outcomes] == [
        ("right", ()),
        ("missing", ("relevantBeliefs: missing b-tea",)),
        ("too much", ("relevantBeliefs: unexpected b-tea",)),
    ]
    assert [o.first for o in outcomes] == [1, 1, 0]


@pytest.mark.skipif(not DATA.is_dir(), reason="no beliefs beside the repository")
def test_every_case_passes_but_those_across_people(tmp_path):
    outcomes = precision.run(str(DATA), str(tmp_path))
    failed = {o.case: o.failures for o in outcomes if not o.passed}
    assert failed == {}
    assert len(outcomes) == 76
    ranked = [o for o in outcomes if o.wanted]
    assert sum(o.first == 1 for o in ranked) >= 40
    assert all(0 < o.first <= 3 for o in ranked)
