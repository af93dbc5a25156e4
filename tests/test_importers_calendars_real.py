"""Real calendars: each file is taken in or says why not; counts agree with others'."""

from __future__ import annotations

import csv
import hashlib
from datetime import datetime
from pathlib import Path

import pytest

from mindcache.recurrence import expand, read_plan
from tests.calendars import bring_in_paths

DATA = Path(__file__).parents[2] / "shared/data/calendars"
FILES = sorted(DATA.glob("files/*.ics"))
pytestmark = pytest.mark.skipif(not FILES, reason="shared/data/calendars is not here")

# Files with nothing to make a note of, and files in which no calendar can be seen: the
# codes with which they say so.
NOTHING = {
    "freebusy": "VFREEBUSY",
    "journal_entry": "VJOURNAL",
    "journal_properties": "VJOURNAL",
    "empty": "calendar-none",
    "invalid": "calendar-none",
}


def expected() -> list[dict[str, str]]:
    if not FILES:
        return []
    with open(DATA / "expected.tsv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def hashed(root: Path) -> dict[str, str]:
    return {
        str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in root.rglob("*")
        if path.is_file()
    }


def test_every_file_is_taken_in_or_says_why_not(make_vault, make_app) -> None:
    app = make_app(make_vault({}))
    for path in FILES:
        report = bring_in_paths(app, [str(path)], dry_run=True)
        said = {p.code for p in report.problems} | {left.what for left in report.left}
        assert report.plan.steps or said, path.name
        assert report.plan.of("refused") == [], path.name
        for problem in report.problems:
            assert problem.path == path.name
            assert problem.line or problem.code in {"calendar-none", "calendar-empty"}
        short = path.stem.partition("__")[2]
        if short in NOTHING:
            assert NOTHING[short] in said
            assert report.plan.steps == []


def test_a_second_import_changes_no_byte(make_vault, make_app) -> None:
    vault = make_vault({})
    app = make_app(vault)
    report = bring_in_paths(app, [str(DATA / "files")])
    made = report.plan.of("made")
    assert len(made) > 700
    assert report.failed == []
    before = hashed(vault)
    again = bring_in_paths(app, [str(DATA / "files")])
    assert hashed(vault) == before
    assert len(again.plan.of("unchanged")) == len(made)


@pytest.mark.parametrize("path", FILES[::5], ids=lambda path: path.stem)
def test_neither_does_one_of_a_single_file(path, make_vault, make_app) -> None:
    vault = make_vault({})
    app = make_app(vault)
    bring_in_paths(app, [str(path)])
    before = hashed(vault)
    report = bring_in_paths(app, [str(path)])
    assert hashed(vault) == before
    assert report.plan.changes == []


@pytest.mark.parametrize("row", expected(), ids=lambda row: row["file"])
def test_occurrences_are_as_many_as_others_count(row, make_vault, make_app) -> None:
    """Counted from the notes as they are on disk, canceled ones included.

    Where two libraries disagree or one fails, ours agrees with the one that knows
    exceptions (occ_RIE) all the same.
    """
    app = make_app(make_vault({}))
    report = bring_in_paths(app, [str(DATA / "files" / row["file"])])
    low = datetime.fromisoformat(row["window_from"])
    high = datetime.fromisoformat(row["window_to"])
    found = []
    for step in report.plan.of("made"):
        _, note, memory = app.look(step.path)
        plan, problems = read_plan(note, memory.type, memory.status, "")
        assert plan is not None
        assert problems == []
        expansion = expand(plan, low, high)
        assert expansion.problems == ()
        found += [each.status for each in expansion.occurrences]
    to_dos = 14 if "issue_201_test_matrix" in row["file"] else 0  # not counted there
    assert len(found) - to_dos == int(row["occ_RIE"])
    assert found.count("canceled") == int(row["of_which_cancelled"])
