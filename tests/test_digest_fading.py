"""Fading: what is not used becomes faint, is found all the same, and wakes by one use."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from mindcache.app import App
from mindcache.cli.root import root as cli
from mindcache.digest import digest
from mindcache.digest.fading import bands, why_faint
from mindcache.digest.fading.passing import is_passing
from mindcache.digest.fading.strength import (
    FAINT_BELOW,
    MOST_HOT,
    MOST_WARM,
    Life,
    banded,
    falls_on,
    strength,
)
from mindcache.memory import AWAKE
from mindcache.note import parse
from mindcache.recall import Ask
from tests.conftest import NOW

ROOT = Path(__file__).parents[1]
DAY = NOW.toordinal()


# -- how strong ------------------------------------------------------------

uses = st.lists(
    st.tuples(st.integers(0, 400), st.integers(1, 9)), unique_by=lambda e: e[0]
).map(lambda found: tuple(sorted(found)))
lives = st.builds(
    Life,
    born=st.integers(0, 100),
    uses=uses,
    importance=st.floats(0, 1),
    degree=st.integers(0, 60),
    is_passing=st.booleans(),
    linked=st.none() | st.integers(0, 400),
)


@given(lives, st.integers(0, 500))
def test_one_use_keeps_awake_for_a_week(life, day) -> None:
    found = strength(life, day)
    if found.last is not None and day - found.last <= AWAKE.days:
        assert found.band != "faint"


@given(lives, st.integers(100, 500))
def test_it_goes_down_only_after_days_under_the_threshold(life, day) -> None:
    order = ("hot", "warm", "cool", "faint")
    before, after = strength(life, day - 1), strength(life, day)
    if order.index(after.band) > order.index(before.band):
        edge = {"hot": 0.68, "warm": 0.38, "cool": 0.25}[before.band]
        late = [strength(life, day - n).score for n in range(5)]
        assert all(score < edge for score in late)
    if order.index(after.band) < order.index(before.band):
        assert day == life.linked or any(at == day for at, _ in life.uses)


def test_a_link_makes_as_good_as_new_and_no_better() -> None:
    linked = strength(Life(DAY - 300, linked=DAY), DAY)
    assert linked == strength(Life(DAY), DAY)
    strong = Life(DAY - 9, ((DAY - 1, 5),))
    again = Life(DAY - 9, ((DAY - 1, 5),), linked=DAY)
    assert strength(again, DAY) == strength(strong, DAY)


@given(lives, st.integers(100, 500))
def test_it_depends_on_nothing_that_comes_later(life, day) -> None:
    known = Life(
        life.born,
        tuple(e for e in life.uses if e[0] <= day),
        life.importance,
        life.degree,
        life.is_passing,
        life.linked if life.linked is not None and life.linked <= day else None,
    )
    assert strength(life, day) == strength(known, day)


@given(lives, st.integers(100, 500))
def test_the_day_of_its_fall_is_right(life, day) -> None:
    life = Life(life.born, tuple(e for e in life.uses if e[0] <= day), life.importance)
    falls = falls_on(life, day)
    if falls is None:
        assert strength(life, day + 3_000).band != "faint"
    else:
        assert strength(life, max(falls, day)).band == "faint"
        assert falls <= day or strength(life, falls - 1).band != "faint"


def test_by_hand() -> None:
    fresh = strength(Life(DAY), DAY)
    assert fresh.score == pytest.approx(0.7 * 0.6 / 1.6 + 0.1)
    assert (fresh.band, fresh.half_life, fresh.last) == ("cool", 10.5, None)
    used = strength(Life(DAY - 21, ((DAY, 1),)), DAY)
    assert used.activation == pytest.approx(0.6 / 4 + 1)
    assert (used.half_life, used.times, used.days) == (21.0, 1, 1)
    assert strength(Life(DAY, ((DAY, 9),)), DAY).band == "hot"
    assert strength(Life(DAY - 60), DAY).band == "faint"


def test_hot_and_warm_have_an_end() -> None:
    many = {
        f"m-{n:04}": Life(DAY - 30, tuple((DAY - d, 2) for d in range(n % 7, -1, -1)))
        for n in range(3_000)
    }
    found = list(banded(many, DAY).values())
    assert 0 < found.count("hot") <= MOST_HOT
    assert 0 < found.count("warm") <= MOST_WARM
    strongest = max(many, key=lambda k: strength(many[k], DAY).score)
    assert strength(many[strongest], DAY).band == "hot"


@pytest.mark.parametrize(
    "sentence",
    [
        "The staging server is down.",
        "CI is red on main",
        "The build pipeline is failing since Tuesday",
        "`make docs` is broken again.",
        "The VPN doesn't work",
        "our npm mirror is unreachable at the moment",
        "The site is down (DNS).",
    ],
)
def test_what_never_lasts(sentence) -> None:
    assert is_passing(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "",
        "The cellar is down the stairs",
        "Ida is down to earth",
        "If CI is red, nobody merges.",
        "The door is red",
        "The printer should never be offline",
        "The staging server is always down on Sundays",
        "We write down what is broken",
        "The bridge was broken in 1945",
        "Failing tests are fixed first.",
        "Prices are down by a third",
    ],
)
def test_what_lasts(sentence) -> None:
    assert not is_passing(sentence)


# -- the digest ------------------------------------------------------------


def ulid(number: int) -> str:
    return f"m-01KB{number:022}"


def memory(number: int, text: str = "", day: str = "2026-01-05", **more: str) -> str:
    values = {
        "id": ulid(number),
        "type": "fact",
        "summary": text or f"The fact {number}.",
        "created_at": f"{day}T09:00",
        **more,
    }
    tags = values.pop("tags", "scope/project")
    head = "".join(f"{k}: {v}\n" for k, v in values.items() if v)
    return f"---\n{head}tags:\n  - {tags}\n---\n{text or f'The fact {number}.'}\n"


def memories_of(vault: Path) -> dict[Path, bytes]:
    """All notes but the report, which tells what each machine did."""
    return {
        path.relative_to(vault): path.read_bytes()
        for path in vault.rglob("*.md")
        if path.name != "Digest report.md"
    }


def status_of(vault: Path, name: str) -> object:
    return parse("", (vault / name).read_bytes()).properties.get("status")


def night(app: App, days: int = 0, **options):
    report = digest(app, now=NOW + timedelta(days=days), again=True, **options)
    assert not report.failed
    return report


def faded(report) -> list[str]:
    return [line for o in report.outcomes if o.step == "fade" for line in o.said]


@pytest.fixture
def old(make_vault) -> Path:
    return make_vault(
        {
            "memory/Gate.md": memory(1, "The gate code is four seven one one."),
            "memory/New.md": memory(2, "The new lamp is blue.", "2026-11-20"),
            "memory/Pinned.md": memory(3, "The boiler man is Olsen.", pinned="true"),
            "memory/Global.md": memory(4, "Write dates as ISO.", tags="scope/global"),
            "memory/Event.md": memory(5, "We met at the pier.", type="event"),
            "Plain.md": "---\ncreated: 2020-01-01\n---\nA plain note of old.\n",
            "plans/Trip.md": memory(
                6, "The trip to Bergen.", type="plan", time_start="2027-03-01"
            ),
            "plans/Done.md": memory(
                7, "The roof is mended.", type="plan", status="occurred",
                time_start="2026-01-09",
            ),
            "memory/Dear.md": memory(8, "What matters most.", importance="1"),
        }
    )  # fmt: skip


def test_the_unused_become_faint_and_nothing_else_is_touched(old, make_app) -> None:
    before = {p: p.read_bytes() for p in old.rglob("*.md")}
    report = night(make_app(old))
    assert faded(report) == ["faint    memory/Gate.md", "faint    plans/Done.md"]
    gate = (old / "memory/Gate.md").read_bytes()
    head, _, body = before[old / "memory/Gate.md"].partition(b"---\nThe gate")
    assert gate == head + b"status: faint\n---\nThe gate" + body
    done = parse("", (old / "plans/Done.md").read_bytes()).properties
    assert (done["status"], done["outcome"]) == ("faint", "occurred")
    assert "updated_at" not in done
    changed = {p for p, data in before.items() if p.read_bytes() != data}
    assert changed == {old / "memory/Gate.md", old / "plans/Done.md"}


def test_a_second_run_changes_nothing(old, make_app) -> None:
    app = make_app(old)
    night(app)
    files = {p: p.read_bytes() for p in old.rglob("*") if p.is_file()}
    assert faded(night(app)) == []
    assert {p: p.read_bytes() for p in old.rglob("*") if p.is_file()} == files


def test_a_dry_run_says_it_and_writes_nothing(old, make_app) -> None:
    app = make_app(old)
    app.used(app.reader().nodes(), "show")
    files = {p: p.read_bytes() for p in old.rglob("*") if p.is_file()}
    night(app, 200, dry_run=True)
    assert {p: p.read_bytes() for p in old.rglob("*") if p.is_file()} == files


def run(vault: Path, *words: str):
    found = CliRunner().invoke(
        cli, [*words, "--vault", str(vault)], catch_exceptions=False
    )
    assert found.exit_code == 0, found.output
    return found.output


def test_a_faint_memory_is_found_and_one_use_wakes_it(old, make_app) -> None:
    app = make_app(old)
    night(app)
    hits = app.recall("deep", Ask("what is the gate code")).hits
    assert hits[0].path == "memory/Gate.md"
    assert (hits[0].status, hits[0].standing) == ("faint", "faint")
    app.used(hits[:1], "recall")
    # At once in every answer …
    again = app.recall("deep", Ask("what is the gate code", budget=200)).hits[0]
    assert (again.status, again.standing) == ("active", "")
    assert again.text is not None
    assert "(faint)" not in again.text
    assert status_of(old, "memory/Gate.md") == "faint"
    # … and in the note at the next digest.
    assert faded(night(app, 1)) == ["awake    memory/Gate.md"]
    assert status_of(old, "memory/Gate.md") == "active"
    # Unused again, it goes again.
    assert "faint    memory/Gate.md" not in faded(night(app, 20))
    assert "faint    memory/Gate.md" in faded(night(app, 200))


def test_a_plan_wakes_as_what_became_of_it(old, make_app) -> None:
    app = make_app(old)
    night(app)
    node = app.reader().find_node("plans/Done.md")
    assert node is not None
    app.used([node], "show")
    woken = app.reader().find_node("plans/Done.md")
    assert woken is not None
    assert woken.status == "occurred"
    assert faded(night(app)) == ["awake    plans/Done.md"]
    found = parse("", (old / "plans/Done.md").read_bytes()).properties
    assert (found["status"], found["outcome"]) == ("occurred", "occurred")


def test_what_counts_as_a_use(old, make_app) -> None:
    spool = old.parent / "machine-state" / "access"
    run(old, "recall", "gate code")
    run(old, "recall", "gate code", "--json")
    run(old, "plans")
    run(old, "index", "query", "--scope", "project")
    assert not spool.exists()
    run(old, "recall", "gate code", "--budget", "300", "--limit", "1")
    run(old, "show", "Gate")
    run(old, "show", ulid(3), "--json")
    noted = [
        json.loads(line)
        for path in spool.iterdir()
        for line in path.read_text().splitlines()
    ]
    assert [(e["key"], e["how"]) for e in noted] == [
        (ulid(1), "recall"),
        (ulid(1), "show"),
        (ulid(3), "show"),
    ]
    assert not (old / ".mindcache").exists()
    run(old, "remember", "Another thing altogether.", "--scope", "project")
    logs = list((old / ".mindcache" / "access").iterdir())
    assert len(logs) == 1
    assert len(logs[0].read_text().splitlines()) == 3
    assert list(spool.iterdir()) == []


def test_track_access_switches_it_off(old, make_app) -> None:
    (old / ".mindcache").mkdir()
    (old / ".mindcache" / "config.toml").write_text("track_access = false\n")
    run(old, "show", "Gate")
    assert not (old.parent / "machine-state" / "access").exists()
    app = make_app(old)
    assert faded(night(app)) == []
    node = app.reader().find_node("memory/Gate.md")
    assert node is not None
    reason = why_faint(app, node)
    assert reason is not None
    assert reason.keeps == "track_access is off"


def test_what_a_person_says_of_a_status_holds(old, make_app) -> None:
    app = make_app(old)
    night(app)
    gate = old / "memory/Gate.md"
    # Woken by hand, it stays awake as after a use.
    gate.write_bytes(gate.read_bytes().replace(b"status: faint", b"status: active"))
    for days in (1, 2, 9):
        assert faded(night(app, days)) == []
    assert status_of(old, "memory/Gate.md") == "active"
    assert "faint    memory/Gate.md" in faded(night(app, 90))


def test_what_a_person_made_faint_stays_so_until_it_is_used(old, make_app) -> None:
    app = make_app(old)
    night(app)
    new = old / "memory/New.md"
    new.write_bytes(new.read_bytes().replace(b"tags:", b"status: faint\ntags:"))
    assert faded(night(app)) == []
    assert status_of(old, "memory/New.md") == "faint"
    node = app.reader().find_node("memory/New.md")
    assert node is not None
    app.used([node], "show")
    assert faded(night(app)) == ["awake    memory/New.md"]


def test_a_clock_that_jumps_loses_nothing(old, make_app) -> None:
    app = make_app(old)
    node = app.reader().find_node("memory/New.md")
    assert node is not None
    app.used([node], "show")
    night(app)
    before = {p: p.read_bytes() for p in old.rglob("*.md")}
    log = next(iter((old / ".mindcache" / "access").iterdir())).read_bytes()
    night(app, 5 * 365)
    assert status_of(old, "memory/New.md") == "faint"
    assert status_of(old, "plans/Trip.md") == "faint"  # by then it is over
    report = night(app, 1)
    assert sorted(faded(report)) == ["awake    memory/New.md", "awake    plans/Trip.md"]
    assert status_of(old, "memory/New.md") == "active"
    assert status_of(old, "plans/Trip.md") == "planned"
    same = {old / "memory/Gate.md", old / "memory/Pinned.md", old / "plans/Done.md"}
    assert {p: p.read_bytes() for p in same} == {p: before[p] for p in same}
    kept = next(iter((old / ".mindcache" / "access").iterdir())).read_bytes()
    assert kept == log


def test_what_an_import_took_in_counts_from_then(old, make_app) -> None:
    from mindcache.vault import Entry

    app = make_app(old)
    app.ledger.add(
        [Entry("made", "calendar", "uid-1", id=ulid(1), at="2026-11-25T09:00:00")]
    )
    assert faded(night(app)) == ["faint    plans/Done.md"]
    assert "faint    memory/Gate.md" in faded(night(app, 60))


def test_what_a_new_note_links_to_is_not_faint(make_vault, make_app) -> None:
    link = {"memory/Talk.md": memory(2, "About [[Gate]] again.", "2026-11-25")}
    old = {"memory/Gate.md": memory(1, "The gate code is four seven one one.")}
    assert faded(night(make_app(make_vault(old | link)))) == []
    # What a digest wrote, or what is yet to be, counts for nothing.
    late = {
        "plans/Do.md": memory(3, "Mend [[Gate]].", type="plan", time_start="2027-03-01")
    }
    made = {
        "memory/Sum.md": memory(4, "All of it: [[Gate]].", "2026-11-29", type="summary")
    }
    vault = make_vault(old | late | made)
    assert faded(night(make_app(vault, "other"))) == ["faint    memory/Gate.md"]


def test_a_state_that_passes_is_let_go_of_sooner(make_vault, make_app) -> None:
    day = (NOW - timedelta(days=15)).date().isoformat()
    vault = make_vault(
        {
            "memory/Ci.md": memory(1, "The staging server is down.", day),
            "memory/Keep.md": memory(
                2, "The staging server is down.", day, pinned="true"
            ),
            "memory/Rule.md": memory(3, "The staging server is called Ada.", day),
        }
    )
    assert faded(night(make_app(vault))) == ["faint    memory/Ci.md"]


# -- many nights -----------------------------------------------------------

THINGS = ("anchor", "bellows", "candle", "dory", "easel", "ferry", "gimlet", "harp",
          "inkwell", "jigsaw", "kettle", "lantern", "mallet", "nutmeg", "oar", "pulley",
          "quilt", "rudder", "sextant", "teapot")  # fmt: skip


def test_over_many_nights_it_holds(make_vault, make_app) -> None:
    """A year in steps of nine days: what never fades, and what is faint and found."""
    keeps = {0: {"pinned": "true"}, 1: {"tags": "scope/global"}, 2: {"importance": "1"}}
    files = {
        f"memory/{thing}.md": memory(
            n, f"The {thing} hangs in shed number {n}.", "2026-11-01", **keeps.get(n, {})
        )
        for n, thing in enumerate(THINGS)
    }  # fmt: skip
    files["plans/Far.md"] = memory(
        90, "The long voyage.", type="plan", time_start="2027-12-24"
    )
    vault = make_vault(files)
    app = make_app(vault)
    immune = {
        "memory/anchor.md",
        "memory/bellows.md",
        "memory/candle.md",
        "plans/Far.md",
    }
    ever: set[str] = set()
    for step in range(40):
        now = NOW + timedelta(days=9 * step)
        app._now = lambda now=now: now
        used = [f"memory/{t}.md" for n, t in enumerate(THINGS) if n % 4 == 3 and step % (n + 1) == 0]  # fmt: skip
        nodes = [n for path in used if (n := app.reader().find_node(path))]
        app.used(nodes, "recall")
        night(app, 9 * step)
        assert faded(night(app, 9 * step)) == []
        faint = {path for path in files if status_of(vault, path) == "faint"}
        assert not faint & (immune | set(used))
        ever |= faint
        if step % 8 == 7:
            for path in sorted(faint):
                thing = path[len("memory/") : -3]
                hits = app.recall("deep", Ask(f"where does the {thing} hang")).hits
                assert hits[0].path == path
                assert hits[0].status == "faint"
    assert len(ever) > 10
    faint = {path for path in files if status_of(vault, path) == "faint"}
    app.used([n for path in faint if (n := app.reader().find_node(path))], "show")
    assert {n.status for n in app.reader().nodes() if n.path in faint} == {"active"}
    night(app, 9 * 40)
    assert not {path for path in faint if status_of(vault, path) == "faint"}


def test_thirty_nights_of_chatter_promote_nothing(make_vault, make_app) -> None:
    known = {"memory/Gate.md": memory(1, "The gate code is four seven one one.")}
    known["memory/Ship.md"] = memory(2, "The ship sails at noon.", pinned="true")
    vault = make_vault(known)
    app = make_app(vault)
    for days in range(30):
        now = NOW + timedelta(days=days)
        app._now = lambda now=now: now
        for n in range(4):
            text = f"**Bo:** lol ok {days} {n}\n\n**Al:** haha yes, see you then"
            name = f"Chat {days} {n}"
            (vault / "memory" / f"{name}.md").write_text(
                memory(100 + days * 4 + n, f"Chat {n}.", f"{now:%Y-%m-%d}", type="event")
                .replace(f"Chat {n}.\n", f"{text}\n")
            )  # fmt: skip
        before = {
            p: p.read_bytes() for p in vault.rglob("memory/*.md") if p.name != "Gate.md"
        }
        night(app, days)
        assert {p: p.read_bytes() for p in before} == before
    assert status_of(vault, "memory/Gate.md") == "faint"
    found = bands(app)
    assert (found["hot"], found["warm"]) == (0, 0)
    nodes = app.reader().nodes()
    assert not [n for n in nodes if "scope/global" in n.tags]
    made = {n.path for n in nodes if n.type == "summary"}
    assert made <= {"Digest report.md"}
    assert {n.type for n in nodes} <= {"fact", "event", "topic", "summary"}


# -- several machines, and crashes -------------------------------------------


def test_two_machines_with_different_logs_agree_in_the_end(
    old, tmp_path, monkeypatch
) -> None:
    def machine(name: str, vault: Path) -> App:
        monkeypatch.setenv("MINDCACHE_STATE_DIR", str(tmp_path / f"state-{name}"))
        app = App(str(vault), str(tmp_path / f"cache-{name}"), now=lambda: NOW)
        assert app.device
        assert app.access
        return app

    other = tmp_path / "elsewhere"
    shutil.copytree(old, other)
    one, two = machine("one", old), machine("two", other)
    gate = two.reader().find_node("memory/Gate.md")
    assert gate is not None
    two.used([gate], "show")
    night(one)
    night(two)
    assert status_of(old, "memory/Gate.md") == "faint"
    assert status_of(other, "memory/Gate.md") is None
    # The logs sync, and so do the notes: the change wins over none.
    for a, b in ((old, other), (other, old)):
        shutil.copytree(a / ".mindcache", b / ".mindcache", dirs_exist_ok=True)
    shutil.copy(old / "memory/Gate.md", other / "memory/Gate.md")
    night(one, 1)
    night(two, 1)
    assert status_of(old, "memory/Gate.md") == "active"
    assert memories_of(old) == memories_of(other)
    for app in (one, two):
        app.close()


_DIGEST = """
import sys
from datetime import datetime
from mindcache.app import App
from mindcache.digest import digest
now = datetime.fromisoformat(sys.argv[3])
app = App(sys.argv[1], sys.argv[2], now=lambda: now)
app.update()
print("ready", flush=True)
digest(app, again=True)
"""


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.12, 0.2])
def test_killed_in_between_the_next_one_goes_on(make_vault, tmp_path, delay) -> None:
    files = {f"memory/N{n}.md": memory(n, f"Fact {n} of old.") for n in range(60)}
    vault = make_vault(files)
    clean = make_vault(files)
    words = [str(vault), str(tmp_path / "kill-cache"), NOW.isoformat()]
    process = subprocess.Popen(
        [sys.executable, "-c", _DIGEST, *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    with process.stdout:
        process.stdout.readline()
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
    process.wait()
    for root in (vault, clean):
        app = App(str(root), str(tmp_path / f"cache-{root.name}"), now=lambda: NOW)
        night(app)
        night(app)
        app.close()
    # The report tells of each run what that one did.
    after, undisturbed = (
        {
            p.relative_to(root): p.read_bytes()
            for p in root.rglob("*.md")
            if p.name != "Digest report.md"
        }
        for root in (vault, clean)
    )
    assert after == undisturbed
    assert all(status_of(vault, name) == "faint" for name in files)
    # None of them is taken for one that a person woke.
    app = App(str(vault), str(tmp_path / f"cache-{vault.name}"), now=lambda: NOW)
    assert faded(night(app, 1)) == []
    assert not [e for e in app.ledger.entries if e.what == "woken"]
    app.close()


# -- telling ---------------------------------------------------------------


def test_why_faint_says_it_in_one_line(old, make_app) -> None:
    night(make_app(old))
    text = run(old, "why-faint", "Gate")
    assert text.count("\n") == 1
    assert text.startswith("memory/Gate.md: faint since 2026-02-")
    assert "never used, counted from 2026-01-05; half-life 10.5 days" in text
    assert f"faint below {FAINT_BELOW:g})" in text
    assert "never fades: pinned" in run(old, "why-faint", "Pinned")
    assert "never fades: scope/global" in run(old, "why-faint", ulid(4))
    assert "a plan that is still to come" in run(old, "why-faint", "plans/Trip.md")
    assert "which its note never says" in run(old, "why-faint", "memory/Event.md")
    assert "strong enough never to fade" in run(old, "why-faint", "Dear")


def test_why_faint_in_json(old, make_app) -> None:
    app = make_app(old)
    node = app.reader().find_node("memory/New.md")
    assert node is not None
    app.used([node, node], "show")
    app.used([node], "recall")
    found = json.loads(run(old, "why-faint", "memory/New.md", "--json"))
    assert found["schema"] == 1
    assert found["band"] in {"warm", "hot"}
    assert (found["uses"], found["days_used"]) == (2, 1)
    assert found["keeps"] == ""
    assert found["falls_on"] > "2026-12-15"
    assert found["line"].startswith(found["band"])


def test_the_bands_are_counted(old, make_app) -> None:
    app = make_app(old)
    assert sum(bands(app).values()) == 9
    found = json.loads(run(old, "digest", "status", "--json"))
    assert set(found["bands"]) == {"hot", "warm", "cool", "faint"}
    assert "faint" in run(old, "digest", "status")


def test_other_notes_do_not_fade(make_vault) -> None:
    vault = make_vault({"journal/2026-11-30.md": "---\ntype: journal\n---\n"})
    found = CliRunner().invoke(cli, ["why-faint", "2026-11-30", "--vault", str(vault)])
    assert found.exit_code != 0


def test_why_faint_of_what_was_put_away(old) -> None:
    path = old / "memory/Gate.md"
    text = path.read_text()
    path.write_text(text.replace("---\n", "---\nstatus: archived\n", 1))
    assert ": archived, and left out" in run(old, "why-faint", "Gate")
