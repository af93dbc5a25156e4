"""The bench: the same vault for the same seed, every row, and fair comparisons."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.__main__ import main
from bench.measure import BenchError, Spread, percentile, run
from bench.report import Section, Table, compared, from_json, printed, to_json
from bench.rows import WHAT, Goal, Row
from bench.vaults import Synthetic
from mindcache.app import App
from mindcache.lint import check
from mindcache.note import parse

ROOT = Path(__file__).parents[1]


def written(notes: int, seed: int, root: Path) -> dict[str, bytes]:
    assert list(Synthetic(notes, seed).write(str(root)))[-1] == notes
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


# -- the vault ---------------------------------------------------------------


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    one = written(60, 7, tmp_path / "one")
    assert one == written(60, 7, tmp_path / "two")
    assert one != written(60, 8, tmp_path / "three")
    assert len([path for path in one if path.endswith(".md")]) == 60


def test_no_hash_seed_changes_the_bytes() -> None:
    code = "from bench.vaults import Synthetic as S; s = S(80, 3); print(s.text(9), *s.questions(3, 'a'))"
    texts = set()
    for hash_seed in ("1", "2"):
        env = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
        _, out = run(("-c", code), env, str(ROOT))
        texts.add(out)
    assert len(texts) == 1


def test_file_times_are_the_same_and_long_past(tmp_path: Path) -> None:
    vault = Synthetic(60, 1)
    for name in ("one", "two"):
        list(vault.write(str(tmp_path / name)))
    path = vault.path(5)
    first, second = (os.stat(tmp_path / name / path) for name in ("one", "two"))
    assert first.st_mtime_ns == second.st_mtime_ns
    assert first.st_mtime_ns < 1.8e18


def test_notes_are_memories_under_contract_with_links_that_lead_somewhere(
    tmp_path: Path,
) -> None:
    vault = Synthetic(60, 1)
    list(vault.write(str(tmp_path / "vault")))
    app = App(str(tmp_path / "vault"), str(tmp_path / "cache"))
    report = app.update()
    assert not report.problems
    assert not report.skipped
    reader = app.reader()
    counts = reader.counts()
    assert counts["notes"] == 60
    assert counts["chunks"] == 120
    assert counts["unresolved"] == 0
    assert counts["links"] > 4 * 60
    assert all(node.under_contract for node in reader.nodes())
    note = parse(vault.path(3), vault.text(3).encode())
    assert not note.problems
    assert not check(note, app.meaning_of(note), ("tool", "client", "domain", "scope"))
    assert 130 < len(note.body.split()) < 190
    app.close()


def test_questions_differ_and_are_of_the_notes_words() -> None:
    vault = Synthetic(60, 1)
    questions = vault.questions(50, "x")
    assert len(set(questions)) == 50
    assert all(3 <= len(question.split()) <= 8 for question in questions)
    assert questions == Synthetic(60, 1).questions(50, "x")
    assert questions != vault.questions(50, "y")
    assert f"client/{vault.middling_client()}" in "".join(map(vault.text, range(60)))


# -- a whole run -------------------------------------------------------------


def test_a_tiny_run_has_every_row_and_leaves_nothing_behind(tmp_path: Path) -> None:
    work, saved = tmp_path / "work", tmp_path / "saved.json"
    work.mkdir()
    options = ("--notes", "60", "--runs", "1", "--json", "--save", str(saved))
    result = subprocess.run(
        [sys.executable, "-m", "bench", *options],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(work)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert result.stderr == ""  # no progress where nobody watches
    assert list(work.iterdir()) == []
    shape = json.loads(saved.read_text())
    assert json.loads(result.stdout) == {**shape, "compared": []}
    check_tiny(shape)
    check_printed(from_json(shape), shape)


def check_tiny(shape: dict[str, Any]) -> None:
    (vault,) = shape["vaults"]
    assert (vault["notes"], vault["chunks"]) == (60, 120)
    rows = {row["name"]: row for row in vault["rows"]}
    assert list(rows) == list(WHAT)
    for each in rows.values():
        value = each["value"]
        assert 0 < value["low"] <= value["median"] <= value["high"]
        assert each["met"] in {True, False, None}
    with_floor = {name for name, each in rows.items() if each["floor"]}
    assert with_floor == set(WHAT) - {"memory", "changed-path"}
    assert list(rows["index"]["parts"]) == ["read", "yaml", "fts5", "encode"]
    assert shape["seed"] == 1
    assert len(shape["load"]) == 2


def check_printed(table: Table, shape: dict[str, Any]) -> None:
    assert to_json(table) == shape
    lines = printed(table)
    assert "60 notes, 120 chunks" in lines
    assert all(any(line.startswith(what) for line in lines) for what in WHAT.values())
    unchanged = compared(table, table)
    assert len(unchanged) == 2 + len(WHAT)
    assert not any(word in line for line in unchanged for word in ("WORSE", "better"))


# -- the report --------------------------------------------------------------


def row(value: float, floor: float | None, spread: float = 0.0) -> Row:
    around = Spread(value, value - spread, value + spread)
    least = None if floor is None else Spread(floor, floor, floor)
    return Row("tags", 1_000, "ms", 5, around, least, Goal(100, "2 x click"))


def table(*rows: Row, **about: Any) -> Table:
    known = {
        "version": "1",
        "made": "2026-11-30 12:00",
        "generator": 1,
        "seed": 1,
        "runs": 5,
        "python": "3.11",
        "sqlite": "3.40",
        "stemmer": "pure",
        "cores": 2,
        "load": [0.1, 0.2],
    }
    return Table({**known, **about}, (Section(1_000, 2_000, rows),))


@pytest.mark.parametrize(
    ("then", "now", "mark"),
    [
        (row(80, 40), row(160, 80), ""),  # twice the time on a machine half as fast
        (row(80, 40), row(100, 40), "WORSE"),
        (row(100, 40), row(80, 40), "better"),
        (row(80, 40), row(90, 40), ""),  # 12 %
        (row(80, 40, 15), row(100, 40, 15), ""),  # the ranges touch
        (row(80, None), row(100, None), "WORSE"),
    ],
)
def test_changes_beyond_noise_are_marked(then: Row, now: Row, mark: str) -> None:
    line = compared(table(now), table(then))[-1]
    assert line.endswith(("WORSE", "better")) == bool(mark)
    assert line.endswith(mark)


def test_what_makes_two_runs_hard_to_compare_is_said() -> None:
    lines = compared(table(row(1, 1)), table(row(1, 1), seed=2, stemmer="compiled"))
    assert "  seed was 2, is 1" in lines
    assert "  stemmer was compiled, is pure" in lines
    other = replace(row(1, 1), notes=10)
    assert compared(table(row(1, 1)), table(other))[-1] == "  no row is in both runs"


def test_the_verdict_is_about_the_median() -> None:
    assert row(100, 50).met
    assert row(100, 50).ratio == 2
    assert row(101, 50).met is False
    assert replace(row(101, 50), goal=Goal()).met is None
    assert "MISSED" in printed(table(row(101, 50)))[-1]
    assert "MISSED" not in printed(table(row(100, 50)))[-1]


def test_percentiles_are_values_that_occurred() -> None:
    assert percentile([3, 1, 2], 0.5) == 2
    assert percentile(range(1, 101), 0.95) == 95
    assert percentile([5], 0.95) == 5


# -- what goes wrong ---------------------------------------------------------


def test_a_process_that_fails_is_no_measurement(tmp_path: Path) -> None:
    with pytest.raises(BenchError, match="broken on purpose"):
        run(("-c", "raise SystemExit('broken on purpose')"), {}, str(tmp_path))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"schema": 1, "vaults": [{}]}'])
def test_what_is_no_saved_run_is_refused_before_anything_is_measured(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "old.json"
    file.write_text(text)
    assert main(["--compare", str(file)]) == 1
    assert capsys.readouterr().err.startswith("bench: ")


@pytest.mark.parametrize(
    "args", [["--rows", "speed"], ["--notes", "3"], ["--runs", "0"]]
)
def test_a_call_that_makes_no_sense_is_a_usage_error(args: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(args)
    assert ended.value.code == 2
