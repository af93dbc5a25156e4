"""The report of the digests: one note, a month long, and a person's words stay in it."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest

from mindcache import lint
from mindcache.app import App
from mindcache.digest import digest, run
from mindcache.digest.reporting import PATH, reporting
from mindcache.digest.run import Digested
from mindcache.digest.step import Night, Outcome
from mindcache.digest.tree import past_of
from mindcache.note import parse
from mindcache.recall import Ask
from mindcache.vault import Create
from tests.conftest import NOW
from tests.test_digest import files_of, night, topics_of
from tests.themes import note, notes


@pytest.fixture
def vault(make_vault) -> Path:
    return make_vault(notes())


@pytest.fixture
def app(vault, make_app) -> App:
    return make_app(vault)


def tell(app: App, day: int, *outcomes: Outcome) -> Outcome:
    """What the report becomes when these outcomes are all that was done that day."""
    when = NOW + timedelta(days=day)
    report = Digested(when.date().isoformat(), dry_run=False)
    report.outcomes += [Outcome("x", changes=[Create("x.md", b"")]), *outcomes]
    out = reporting(Night(app, past_of(app.ledger.entries), when), report)
    app.ledger.add(out.before)
    app.commit(out.changes)
    app.ledger.add(entry for entries in out.after.values() for entry in entries)
    return out


def grown(vault: Path, app: App, day: int) -> None:
    """A note more, and a digest of it."""
    text = f"Bread of wheat flour and rye: the dough of loaf {day} rests on the stone."
    (vault / "memory" / f"Loaf {day}.md").write_text(note(text, "2026-10-01"))
    assert night(app, day).is_change


def test_it_tells_what_was_done_and_links_to_nothing(app, vault) -> None:
    report = digest(app)
    text = (vault / PATH).read_text()
    lines = text.split("\n")
    assert "## 2026-11-30" in lines
    for path in report.made:
        assert f"- {path}: made" in lines
    assert "[[" not in text
    _, parsed, memory = app.look(PATH)
    assert lint.check(parsed, memory, app.settings.texts("namespaces")) == []
    assert app.reader().links_from(PATH) == []
    assert app.doctor().problems == []


def test_it_is_no_input_and_crowds_no_answer(app, vault) -> None:
    digest(app)
    titles = " ".join(Path(path).stem for path in topics_of(vault))
    for question in (titles, "bread of rye flour", "sailing boat in the harbour"):
        hits = app.recall("deep", Ask(question)).hits
        assert hits
        assert PATH not in {hit.path for hit in hits}
    assert "Digest report" not in "".join(topics_of(vault).values())


def test_nights_without_news_leave_it_as_it_is(app, vault) -> None:
    digest(app)
    before = files_of(vault)
    for day in range(1, 4):
        assert not night(app, day).is_change
    assert files_of(vault) == before


def test_the_newest_night_is_first_and_a_month_is_kept(app, vault) -> None:
    for day in (0, 3, 20, 32):
        tell(app, day, Outcome("y", said=[f"day {day}"]))
    days = re.findall(r"^## (.*)$", (vault / PATH).read_text(), re.MULTILINE)
    assert days == ["2027-01-01", "2026-12-20", "2026-12-03"]


def test_what_waits_is_said_anew_each_time(app, vault) -> None:
    tell(app, 0, Outcome("y", waiting=["Dentist: how did it go?", "[[A]] #tag ^x"]))
    assert "- Dentist: how did it go?\n- A tag" in (vault / PATH).read_text()
    tell(app, 1, Outcome("y", waiting=["Two proposals are open"]))
    text = (vault / PATH).read_text()
    assert "## Waiting for you\n- Two proposals are open\n## 2026-12-01" in text
    assert "Dentist" not in text
    tell(app, 2)
    assert "Waiting" not in (vault / PATH).read_text()


def test_of_much_that_was_done_the_first_is_told(app, vault) -> None:
    faint = [f"faint    m{n}.md" for n in range(500)]
    few = [f"note {n}: archived" for n in range(8)]
    open_ones = [f"p-{n} Retire it" for n in range(20)]
    tell(
        app,
        0,
        Outcome("fade", said=faint),
        Outcome("y", said=few),
        Outcome("propose", waiting=open_ones),
    )
    lines = (vault / PATH).read_text().split("\n")
    shows = "mindcache search exact --status faint shows all"
    assert sum("- faint" in line for line in lines) == 5
    assert f"- and 495 more like these, 500 in all; {shows}" in lines
    assert sum("archived" in line for line in lines) == 8
    shows = "mindcache digest proposals shows all"
    assert f"- and 15 more like these, 20 in all; {shows}" in lines


def test_two_runs_of_a_day_share_its_heading(app, vault) -> None:
    tell(app, 0, Outcome("y", said=["one"]))
    tell(app, 0, Outcome("y", said=["one", "two"]))
    text = (vault / PATH).read_text()
    assert text.count("## 2026-11-30") == 1
    assert "- one\n- two\n" in text


def test_a_persons_words_stay(app, vault) -> None:
    digest(app)
    path = vault / PATH
    text = path.read_text().replace("## 2026-11-30", "Mine inside.\n## 2026-11-30")
    path.write_text(text + "\nMine below.\n")
    grown(vault, app, 1)
    text = path.read_text()
    below = text.partition("%% mindcache:end %%")[2]
    assert "Mine inside." in below
    assert "Mine below." in below
    assert "## 2026-12-01" in text.partition("%% mindcache:end %%")[0]
    assert parse(PATH, path.read_bytes()).properties["created_at"] == "2026-11-30T12:00"


def test_where_it_was_moved_it_goes_on(app, vault) -> None:
    digest(app)
    (vault / PATH).rename(vault / "memory" / "What it did.md")
    grown(vault, app, 1)
    assert not (vault / PATH).exists()
    assert "## 2026-12-01" in (vault / "memory" / "What it did.md").read_text()


def test_deleted_it_stays_deleted(app, vault) -> None:
    digest(app)
    (vault / PATH).unlink()
    grown(vault, app, 1)
    assert not (vault / PATH).exists()


def test_without_its_markers_it_is_left_alone_and_said(app, vault) -> None:
    digest(app)
    path = vault / PATH
    mine = path.read_text().replace("%% mindcache:end %%\n", "")
    path.write_text(mine)
    out = tell(app, 1, Outcome("y", said=["one"]))
    assert [p.code for p in out.problems] == ["report-left"]
    assert path.read_text() == mine


def test_a_persons_note_of_that_name_is_left_alone(make_vault, make_app) -> None:
    vault = make_vault({**notes(), PATH: "Mine.\n"})
    report = digest(make_app(vault))
    assert report.failed == []
    assert (vault / PATH).read_text() == "Mine.\n"


# -- parts --------------------------------------------------------------------


def test_a_first_digest_goes_in_parts(app, vault, monkeypatch) -> None:
    monkeypatch.setattr(run, "_PART", 6)
    report = digest(app)
    assert [o.step for o in report.outcomes].count("topics") == 3
    assert (report.placed, report.inbox) == (18, [])
    assert sorted(report.made) == sorted(topics_of(vault))
    # What the parts before made is no change of this digest.
    assert report.changed == report.ended == []
    assert not digest(app, again=True).is_change


def test_a_dry_run_shows_it_whole(app, vault, monkeypatch) -> None:
    monkeypatch.setattr(run, "_PART", 6)
    report = digest(app, dry_run=True)
    assert (report.placed, len(report.made)) == (18, 3)
    assert not (vault / "topics").exists()


def test_parts_come_in_the_order_of_their_dates(make_vault, make_app, monkeypatch):
    monkeypatch.setattr(run, "_PART", 6)
    old, new = notes("boats", created="2024-01-05"), notes("bread", "queries")
    vault = make_vault({**new, **old})
    app = make_app(vault)
    seen: list[set[str]] = []
    real = run._carry_out

    def carried(app: App, outcome: Outcome) -> None:
        real(app, outcome)
        if outcome.step != "topics":
            return
        seen.append({name for text in topics_of(vault).values()
                     for name in re.findall(r"^- \[\[(.*?)\]\]", text, re.MULTILINE)})  # fmt: skip

    monkeypatch.setattr(run, "_carry_out", carried)
    digest(app)
    assert len(seen[0]) >= 4
    assert seen[0] <= {Path(path).stem for path in old}
