"""Findings in real dialogues, each read and judged, with the reason.

`judged_findings.tsv` names them by dialogue, block, rule and a hash of the quote: none
of the dialogues' own words is kept here. A change of the rules that brings findings
nobody has judged has to be read before it passes.
"""

from __future__ import annotations

import csv
import hashlib
import os
import random
from pathlib import Path

import pytest

from bench.questions import dialogues
from mindcache.app import App
from mindcache.extract import Context, findings_of
from mindcache.importers.found import extract_notes
from mindcache.memory import Meaning, describe
from mindcache.note import parse
from mindcache.recall import Ask, deep
from tests.test_light_start import ROOT

DIALOGUES = ROOT.parent / "shared/data/memory/locomo-dev.json"
JUDGED = Path(__file__).parent / "judged_findings.tsv"

pytestmark = pytest.mark.skipif(
    not DIALOGUES.exists(), reason="the dialogues are not beside the repository"
)

SAMPLE, SEED = 100, 7
# Findings of the sample that nobody has judged yet: a reworded rule may bring some.
UNJUDGED = 3
RIGHT = 0.90


def sessions(vault: str) -> list[str]:
    names = [name for name in os.listdir(vault) if name.endswith(".md")]
    return sorted(names, key=lambda name: int(name.split()[1][:-3]))


def hash_of(quote: str) -> str:
    words = " ".join(quote.split())
    return hashlib.blake2b(words.encode(), digest_size=5).hexdigest()


def test_the_sample_is_right_and_quotes_its_source(tmp_path) -> None:
    found: list[tuple[str, str, str, str]] = []
    for asked in dialogues(str(DIALOGUES), str(tmp_path)):
        for name in sessions(asked.vault):
            note = parse(name, (Path(asked.vault) / name).read_bytes())
            lines = note.text.split("\n")
            for each in findings_of(note, describe(note, Meaning()), Context()).of:
                assert each.quote in lines[each.line - 1]
                assert lines[each.line - 1].endswith(f"^{each.anchor}")
                key = (asked.name, each.anchor, each.rule, hash_of(each.quote))
                found.append(key)
    assert len(found) >= SAMPLE
    with open(JUDGED, encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened, delimiter="\t"))
    assert all(row["reason"] for row in rows)
    judged = {
        (r["dialogue"], r["block"], r["rule"], r["quote"]): r["verdict"] for r in rows
    }
    sample = random.Random(SEED).sample(sorted(found), SAMPLE)
    unjudged = [key for key in sample if key not in judged]
    assert len(unjudged) <= UNJUDGED, unjudged
    right = sum(judged.get(key) == "right" for key in sample)
    assert right / SAMPLE >= RIGHT


@pytest.mark.slow
def test_evidence_is_found_as_well_with_findings_beside_it(tmp_path) -> None:
    """A finding counts for nothing here: only the turn itself is evidence."""
    before, after = [], []
    for asked in dialogues(str(DIALOGUES), str(tmp_path)):
        app = App(asked.vault, str(tmp_path / "cache"))
        before += ranks(app, asked)
        report = extract_notes(app, sessions(asked.vault))
        assert not report.is_lossy
        after += ranks(app, asked)
        app.close()
    # More texts are other statistics: the last turns of a page change places. What is
    # lost and won by that stays under a single question.
    one = 100 / len(before)
    assert share(after, 10) > share(before, 10) - one
    assert reciprocal(after) > reciprocal(before) - one


def ranks(app: App, asked) -> list[list[int]]:
    corpus = app.corpus()
    rows = []
    for known in asked.asked:
        ask = Ask(known.text, limit=20, floor=0.0, now=asked.now)
        places = [(h.path, h.anchor, h.lines) for h in deep(ask, corpus).hits]
        rows.append(
            [
                next((n for n, p in enumerate(places, 1) if gold.is_met(*p)), 0)
                for gold in known.gold
            ]
        )
    return rows


def share(rows: list[list[int]], first: int) -> float:
    shares = [sum(0 < r <= first for r in row) / len(row) for row in rows]
    return 100 * sum(shares) / len(shares)


def reciprocal(rows: list[list[int]]) -> float:
    best = [max((1 / rank for rank in row if rank), default=0.0) for row in rows]
    return 100 * sum(best) / len(best)
