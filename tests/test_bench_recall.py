"""The bench of recall: vaults laid down, questions put, weights fitted, tables made."""

from __future__ import annotations

import json
import random
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from bench import recall
from bench.fit import SIGNS, Table, fit
from bench.questions import Gold, descriptions, dialogues, headings
from mindcache.recall.score import DEEP, FITTED, STRONG

SAMPLE = {
    "sample_id": "talk-1",
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_1_date_time": "1:05 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ana", "dia_id": "D1:1", "text": "What did you\n bake?"},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "A rye loaf, see.",
             "blip_caption": "a dark loaf"},
        ],
        "session_2_date_time": "9:30 am on 1 June, 2023",
        "session_2": [
            {"speaker": "Ana", "dia_id": "D2:1", "text": "I bought a kayak."},
            {"speaker": "Ben", "dia_id": "D2:2", "text": "Lovely! Take me along."},
        ],
    },
    "qa": [
        {"question": "What bread did Ben bake?", "evidence": ["D1:2"], "category": 4},
        {"question": "What did Ana buy?", "evidence": ["D2:1; D9:9"], "category": 1},
        {"question": "Why did Ben sell it?", "evidence": ["D1:2"], "category": 5},
        {"question": "Nobody knows?", "evidence": ["D7:7"], "category": 4},
    ],
}  # fmt: skip


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    file = tmp_path / "talks.json"
    other = json.loads(json.dumps(SAMPLE).replace("talk-1", "talk-2"))
    file.write_text(json.dumps([SAMPLE, other]))
    return file


def test_a_dialogue_becomes_a_note_for_each_session(sample, tmp_path):
    first, _ = dialogues(str(sample), str(tmp_path))
    assert first.now == datetime(2023, 6, 2, 9, 30)  # noqa: DTZ001  civil
    text = Path(first.vault, "Session 1.md").read_text()
    assert text == (
        "---\ntype: event\ntime_start: 2023-05-08T13:05\nentities:\n"
        '  - "[[Ana]]"\n  - "[[Ben]]"\n---\n'
        "**Ana:** What did you bake? ^D1-1\n\n"
        "**Ben:** A rye loaf, see. (a dark loaf) ^D1-2\n"
    )
    assert [(k.text, k.gold, k.category) for k in first.asked] == [
        ("What bread did Ben bake?", (Gold("Session 1.md", "D1-2"),), "single-hop"),
        ("What did Ana buy?", (Gold("Session 2.md", "D2-1"),), "multi-hop"),
    ]


def test_a_heading_asks_for_its_section_and_is_gone_from_the_note(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    words = "some words that are said about it, " * 3
    (source / "a.md").write_text(
        f"# First steps\n{words}\n## See also\n{words}\n## Short part\nfew\n"
        f"```\n# no heading\n```\n## Mend a [[b|broken]] link\n{words}\n"
    )
    (source / "b.md").write_text(f"# Twice said\n{words}\n# Twice said\n{words}\n")
    found = headings("v", str(source), str(tmp_path))
    assert [(k.text, k.gold[0].lines) for k in found.asked] == [
        ("First steps", (2, 2)),
        ("Mend a broken link", (11, 12)),
    ]
    text = Path(found.vault, "a.md").read_text()
    assert "First steps" not in text
    assert text.count("Section") == 4
    assert "# no heading" in text
    assert "First steps" in (source / "a.md").read_text()


def test_a_description_asks_for_its_note(tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "a.md").write_text("---\ndescription: How to fold a paper crane\n---\nX")
    found = descriptions("v", str(source), str(tmp_path))
    assert [(k.text, k.gold[0].path) for k in found.asked] == [
        ("How to fold a paper crane", "a.md")
    ]
    assert "crane" not in Path(found.vault, "a.md").read_text()


def test_gold_is_met_by_its_anchor_or_by_lines_that_overlap():
    block = Gold("a.md", anchor="x")
    assert block.is_met("a.md", "x", (1, 1))
    assert not block.is_met("a.md", "y", (1, 1))
    assert not block.is_met("b.md", "x", (1, 1))
    lines = Gold("a.md", lines=(5, 9))
    assert lines.is_met("a.md", "", (9, 12))
    assert not lines.is_met("a.md", "", (10, 12))


def test_figures_by_hand():
    ranks = recall.Figures([(1, 30), (12,), (0,)])
    columns = {name: values.tolist() for name, values in ranks.columns().items()}
    assert columns["R@5"] == [0.5, 0.0, 0.0]
    assert columns["R@20"] == [0.5, 1.0, 0.0]
    assert columns["R@50"] == [1.0, 1.0, 0.0]
    assert columns["MRR"] == [1.0, pytest.approx(1 / 12), 0.0]
    mean, low, high = recall.figures(np.array([0.0, 1.0] * 50))
    assert mean == 50.0
    assert 35 < low < 50 < high < 65
    assert recall.figures(np.array([0.0, 1.0] * 50)) == (mean, low, high)


def tables(count: int, draw: random.Random) -> list[Table]:
    """Questions whose gold has more words and is about the subject; one noise."""
    made = []
    for number in range(count):
        size = 30
        names = {*FITTED, *SIGNS, *STRONG}
        signals = {n: np.array([draw.random() for _ in range(size)]) for n in names}
        answered = number % 2 == 0
        gold = np.zeros(size, dtype=bool)
        if answered:
            gold[draw.randrange(size)] = True
            signals["words"] = 0.4 * signals["words"] + 0.6 * gold
            signals["titled"] = signals["titled"] - 0.5 * gold
        else:
            signals["words"] = 0.4 * signals["words"]
        made.append(Table("v", "heading", signals, (gold,) if answered else ()))
    return made


def test_a_fit_finds_what_tells_and_leaves_out_what_speaks_against_its_meaning():
    weights = fit(tables(120, random.Random(5)))
    fitted = {name: w for name, w in weights.of.items() if name in FITTED}
    assert max(fitted, key=lambda name: fitted[name]) == "words"
    assert "titled" not in fitted
    assert all(w > 0 for name, w in fitted.items() if name != "asks")
    assert {n: w for n, w in weights.of.items() if n not in FITTED} == {
        n: w for n, w in DEEP.of.items() if n not in FITTED
    }
    again = fit(tables(120, random.Random(5)))
    assert again == weights


def test_the_fitted_outlook_tells_answered_questions_from_others():
    weights = fit(tables(120, random.Random(5)))
    from mindcache.recall.score import Signals

    tested = tables(60, random.Random(6))
    prospects = [
        float((each.outlook(weights) + each.log_odds(weights)).max())
        for each in (Signals(dict(t.signals)) for t in tested)
    ]
    answered = [p for p, t in zip(prospects, tested, strict=True) if t.golds]
    others = [p for p, t in zip(prospects, tested, strict=True) if not t.golds]
    assert np.median(answered) > 1 + np.median(others)


def test_the_command_measures_dialogues(sample, capsys, monkeypatch):
    monkeypatch.setenv("MINDCACHE_CONFIG_DIR", "")  # restored after the command sets it
    assert recall.main(["--data", str(sample), "--dialogues-only", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert [s["name"] for s in report["sets"]] == ["talk-1", "talk-2"]
    ours = report["dialogues"]["Mindcache"]
    assert ours["R@5"][0] == 100.0
    assert set(report["dialogues"]) == {
        "Mindcache", "BM25", "vectors", "RRF", "min-max", "by category",
    }  # fmt: skip
    assert sum(row["hits"] for row in report["reliability"]) > 0
    assert recall.main(["--data", str(sample), "--dialogues-only"]) == 0
    printed = capsys.readouterr().out
    assert "multi-hop" in printed
    assert "talk-2" in printed


def test_without_dialogues_it_says_so(tmp_path, capsys):
    assert recall.main(["--data", str(tmp_path / "none.json")]) == 1
    assert "no dialogues" in capsys.readouterr().err
