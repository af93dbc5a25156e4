"""Occurrences in the cache: filled by a sync, in step with notes and with the year."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mindcache.app import App
from mindcache.cache.read import Reader
from mindcache.sync import Scope
from tests.conftest import NOW, write_files
from tests.dumps import dump

ROOT = Path(__file__).parents[1]
WEEKLY = (
    "---\ntype: plan\ntime_start: 2026-03-01T09:00\nrecurrence: RRULE:FREQ=WEEKLY\n"
    "---\n- 2026-03-08 missed: ill ^o-20260308\n"
)
ONCE = "---\ntype: plan\ntime_start: 2026-12-24\n---\n"


def keys(app: App) -> dict[str, list[str]]:
    """The keys of the occurrences that the cache file holds, by path."""
    connection = sqlite3.connect(app.cache_path)
    rows = connection.execute(
        "SELECT f.path, o.key FROM occurrences o JOIN files f ON f.id = o.file_id"
        " ORDER BY f.path, o.begins"
    ).fetchall()
    connection.close()
    found: dict[str, list[str]] = {}
    for path, key in rows:
        found.setdefault(path, []).append(key)
    return found


def test_the_window_is_last_year_to_next_year(make_vault, make_app) -> None:
    old = WEEKLY.replace("2026-03-01T09:00", "2020-01-05T09:00").partition("- ")[0]
    app = make_app(make_vault({"w.md": WEEKLY, "old.md": old, "x.md": ONCE}))
    assert app.update().problems == []
    found = keys(app)
    assert (found["w.md"][0], found["w.md"][-1]) == ("20260301", "20271226")
    assert (found["old.md"][0], found["old.md"][-1]) == ("20250105", "20271226")
    assert found["x.md"] == ["20261224"]


def test_occurrences_go_with_their_notes(make_vault, make_app) -> None:
    root = make_vault({"w.md": WEEKLY, "x.md": ONCE})
    app = make_app(root)
    app.update()
    (root / "x.md").unlink()
    (root / "w.md").rename(root / "v.md")
    app.update()
    assert list(keys(app)) == ["v.md"]
    write_files(root, {"v.md": "no plan any more"})
    app.update()
    assert keys(app) == {}
    assert app.with_cache(lambda cache: cache.faults()) == []


def test_a_new_year_derives_anew_and_reads_nothing(make_vault, tmp_path) -> None:
    stray = WEEKLY.replace("- 2026-03-08", "- 2028-03-06")
    root = make_vault({"w.md": WEEKLY, "x.md": ONCE, "s.md": stray})
    now = NOW
    app = App(str(root), str(tmp_path / "c"), now=lambda: now)
    app.update()
    fingerprint = app.made_by()
    assert app.reader().problems() == []
    now = datetime.fromisoformat("2027-01-01")
    # Answering notices; nothing on the disk has changed.
    assert app.reader().window_year() == 2027
    assert app.made_by() == fingerprint
    assert keys(app)["w.md"][-1] == "20281231"
    assert [p.code for p in app.reader().problems()] == ["occurrence-unknown"]
    fresh = App(str(root), str(tmp_path / "fresh"), now=lambda: now)
    fresh.update()
    assert dump(app.cache_path) == dump(fresh.cache_path)
    now = NOW
    assert app.reader().window_year() == 2026
    assert app.reader().problems() == []
    app.close()
    fresh.close()


def test_a_partial_sync_leaves_the_turn_of_the_year_to_a_whole_one(
    make_vault, tmp_path
) -> None:
    root = make_vault({"w.md": WEEKLY, "x.md": ONCE})
    now = NOW
    app = App(str(root), str(tmp_path / "c"), now=lambda: now)
    app.update()
    now = datetime.fromisoformat("2027-01-01")
    write_files(root, {"x.md": ONCE + "more"})
    app.update(scope=Scope(only=("x.md",)))
    assert keys(app)["w.md"][-1] == "20271226"
    reader = Reader.open(app.cache_path, app.fingerprint)
    assert reader is not None
    assert reader.window_year() == 2026
    reader.close()
    assert app.reader().window_year() == 2027
    assert keys(app)["w.md"][-1] == "20281231"
    app.close()


def test_what_is_wrong_with_a_plan_is_a_problem_of_its_note(
    make_vault, make_app
) -> None:
    often = WEEKLY.replace("FREQ=WEEKLY", "FREQ=SECONDLY").partition("- ")[0]
    app = make_app(
        make_vault(
            {
                "often.md": often,
                "bad.md": WEEKLY.replace("RRULE:FREQ", "RRULE:FROG"),
            }
        )
    )
    report = app.update()
    assert not report.failed
    found = {(p.path, p.line, p.code) for p in app.reader().problems()}
    assert found == {
        ("often.md", 4, "occurrence-cut"),
        ("bad.md", 4, "plan-recurrence"),
        ("bad.md", 6, "occurrence-unknown"),
    }
    assert {(p.path, p.line, p.code) for p in report.problems} == found
    assert keys(app)["bad.md"] == ["20260301"]


def test_plans_are_read_in_the_vault_s_zone(make_vault, make_app) -> None:
    plan = "---\ntype: plan\ntime_start: 2026-03-02T09:00\ntimezone: Pacific/Auckland\n---\n"
    root = make_vault(
        {
            "p.md": plan,
            ".mindcache/config.toml": 'timezone = "America/Los_Angeles"\n',
        }
    )
    app = make_app(root)
    (row,) = app.reader().occurrences("2026-03-01", "2026-03-02")
    assert (row.start, row.begins) == ("2026-03-02T09:00:00", "2026-03-01T12:00:00")
    assert (row.zone, row.all_day, row.key) == ("Pacific/Auckland", 0, "20260302")


def test_now_is_that_of_the_vault_s_zone(make_vault, tmp_path) -> None:
    """What is yesterday to the machine may be today in the vault."""
    moments = {}
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
        config = {".mindcache/config.toml": f'timezone = "{zone}"\n'}
        app = App(str(make_vault(config)), str(tmp_path / "c"))
        assert app.now().tzinfo is None
        moments[zone] = app.now()
        assert abs(app.moment() - datetime.now(UTC)) < timedelta(minutes=1)  # noqa: TID251  the real clock is meant
    apart = moments["Pacific/Kiritimati"] - moments["Pacific/Pago_Pago"]
    assert abs(apart - timedelta(hours=25)) < timedelta(minutes=1)


SCRIPT = """
import sys
from mindcache.cli import run
assert run(["index", "update"]) == 0
print("LOADED", *sorted(m for m in sys.modules if m.startswith(("dateutil", "mindcache.recurrence"))))
"""


@pytest.mark.parametrize(
    ("text", "loaded"),
    [
        ("---\ntime_start: 2026-03-01\n---\nAn event.", set()),
        (ONCE, {"mindcache.recurrence"}),
        (WEEKLY, {"mindcache.recurrence", "dateutil"}),
    ],
)
def test_only_what_repeats_loads_the_rules(
    make_vault, text: str, loaded: set[str]
) -> None:
    root = make_vault({"n.md": text})
    result = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    names = set(result.stdout.rpartition("LOADED")[2].split())
    assert names & {"mindcache.recurrence", "dateutil"} == loaded
