"""A text becomes a note under contract, or is refused; nothing of it is lost."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindcache import lint, recall, scribe
from mindcache.app import App
from mindcache.errors import (
    AmbiguousName,
    MindcacheError,
    NoteNotFound,
    Refused,
    TwinFound,
    UsageError,
)
from mindcache.note import parse
from mindcache.when import time_of_ulid
from mindcache.write.remember import Wish
from mindcache.write.update import Edits
from tests.conftest import NOW, MakeApp, MakeVault

ROOT = Path(__file__).parents[1]
NOTES = {
    "memory/Harbour office.md": "---\naliases:\n  - The office\n---\nIt closes at three.\n",
    "people/Ida.md": "Runs the office.\n",
    "boats/Ida.md": "A boat.\n",
    "old/Site Roadmap.md": "Where the site goes.\n",
}


@pytest.fixture
def app(make_vault: MakeVault, make_app: MakeApp) -> App:
    return make_app(make_vault(NOTES))


def made(app: App, text: str, **more: object) -> scribe.Remembered:
    options = {k: more.pop(k) for k in ("anyway", "dry_run", "project") if k in more}
    wish = replace(Wish(text, scope="global"), **more)  # type: ignore[arg-type]
    return scribe.remember(app, wish, **options)  # type: ignore[arg-type]


def on_disk(app: App, done: scribe.Remembered) -> bytes:
    return (Path(app.vault.root) / done.draft.path).read_bytes()


def properties(app: App, done: scribe.Remembered) -> dict[str, object]:
    return dict(parse("", on_disk(app, done)).properties)


def test_a_sentence_becomes_a_note_under_contract(app: App) -> None:
    done = made(app, "The crane lifts nine tonnes. It was tested.")
    found = properties(app, done)
    assert done.draft.path == "memory/The crane lifts nine tonnes.md"
    assert found == {
        "id": done.draft.id,
        "type": "fact",
        "summary": "The crane lifts nine tonnes.",
        "tags": ["scope/global"],
        "status": "active",
        "created_at": "2026-11-30T12:00",
    }
    assert time_of_ulid(done.draft.id) == NOW
    assert done.draft.memory.under_contract
    assert not lint.check(
        done.draft.note, done.draft.memory, app.settings.texts("namespaces")
    )
    assert done.behind is None


def test_it_is_found_at_once_and_in_another_process_too(
    make_vault: MakeVault, tmp_path: Path
) -> None:
    """What a command wrote is indexed before it returns: nobody has to wait."""
    vault = make_vault(NOTES)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    call = [sys.executable, "-m", "mindcache"]

    def run(*words: str) -> str:
        return subprocess.run(
            [*call, *words, "--json"],
            cwd=vault, env=environment, check=True, capture_output=True, text=True,
        ).stdout  # fmt: skip

    run("index", "update")
    path = json.loads(
        run("remember", "The crane lifts nine tonnes.", "--scope", "global")
    )["path"]
    app = App(str(vault))
    began = time.perf_counter()
    answer = app.ask("deep", recall.Ask("how much does the crane lift"))
    app.close()
    assert answer.hits[0].path == path
    assert not answer.stale
    assert time.perf_counter() - began < 10  # a machine under load; alone it is .3 s


def test_two_processes_never_take_one_name(make_vault: MakeVault) -> None:
    """All decide within one turn each: as many notes as were remembered."""
    vault = make_vault(NOTES)
    call = [sys.executable, "-m", "mindcache", "remember", "--scope", "global"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    texts = [f"# Log\n\nThe pump ran {n} hours on boat {n}." for n in range(4)]
    running = [
        subprocess.Popen(
            [*call, text], cwd=vault, env=environment, stdout=subprocess.DEVNULL
        )
        for text in (*texts, texts[0])
    ]
    codes = sorted(process.wait(timeout=120) for process in running)
    assert codes == [0, 0, 0, 0, 4]
    names = sorted(p.name for p in (vault / "memory").glob("Log*"))
    assert names == ["Log 2.md", "Log 3.md", "Log 4.md", "Log.md"]


# -- what the flags say ------------------------------------------------------


def test_every_flag_has_its_property(app: App) -> None:
    done = made(
        app,
        "Dinner with the crew.",
        type="event",
        title="Crew: dinner?",
        summary="We ate.",
        links={"about": ("The office",), "involves": ("people/Ida",)},
        tags=("tool/stove,client/acme", "tool/Stove"),
        at="2026-11-28T19:30",
        until="23:00",
        where="On board",
        project="yard/boats",
        source="https://example.org/1",
        scope="project",
        confidence=0.9,
        importance=0.2,
        pinned=True,
        folder="events/2026",
    )
    assert done.draft.path == "events/2026/Crew - dinner.md"
    assert properties(app, done) == {
        "id": done.draft.id,
        "type": "event",
        "title": "Crew: dinner?",
        "summary": "We ate.",
        "tags": ["tool/Stove", "client/acme", "scope/project"],
        "project": "yard/boats",
        "status": "occurred",
        "time_start": "2026-11-28T19:30",
        "time_end": "2026-11-28T23:00",
        "location": "On board",
        "about": ["[[Harbour office|The office]]"],
        "involves": ["[[people/Ida|Ida]]"],
        "external_ref": "https://example.org/1",
        "confidence": 0.9,
        "importance": 0.2,
        "pinned": True,
        "created_at": "2026-11-30T12:00",
    }
    links = {
        row.target: (row.resolved, row.resolved_by)
        for row in app.reader().links_from(done.draft.path)
    }
    assert links == {
        "Harbour office": ("memory/Harbour office.md", "path"),
        "people/Ida": ("people/Ida.md", "path"),
    }


@pytest.mark.parametrize(
    ("at", "until", "found"),
    [
        ("yesterday 15:00", "", {"time_start": "2026-11-29T15:00"}),
        ("3 May", "", {"time_start": "2026-05-03", "all_day": True}),
        ("2026-06-29", "", {"time_start": "2026-06-29", "all_day": True}),
        (
            "last week",
            "",
            {"time_start": "2026-11-23", "time_end": "2026-11-30", "all_day": True},
        ),
        (
            "2026-06-29",
            "2026-06-30",
            {"time_start": "2026-06-29", "time_end": "2026-07-01", "all_day": True},
        ),
        (
            "from 3pm to 5pm",
            "",
            {"time_start": "2026-11-30T15:00", "time_end": "2026-11-30T17:00"},
        ),
        (
            "3 May at 10:00",
            "11:30",
            {"time_start": "2026-05-03T10:00", "time_end": "2026-05-03T11:30"},
        ),
    ],
)
def test_at_and_until(app: App, at: str, until: str, found: dict[str, object]) -> None:
    written = properties(app, made(app, "It rained.", at=at, until=until))
    times = ("time_start", "time_end", "all_day")
    assert {k: written[k] for k in times if k in written} == found


@pytest.mark.parametrize("zone", ["America/Los_Angeles", "Pacific/Kiritimati", ""])
def test_a_date_shifts_in_no_zone(
    zone: str, make_vault: MakeVault, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Field case F1: the civil date that was said is the civil date of the note."""
    monkeypatch.setenv("TZ", zone or "UTC")
    time.tzset()
    config = f'timezone = "{zone}"\n'
    app = make_app(make_vault({".mindcache/config.toml": config}))
    done = made(app, "It rained.", at="2026-06-29")
    date = done.draft.memory.date
    assert date is not None
    assert date.start.isoformat() == "2026-06-29T00:00:00"
    assert date.end - date.start == timedelta(days=1)
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("We met on 3 May.", "2026-05-03"),
        ("We met on 3 May at 15:00 in Oslo.", "2026-05-03T15:00"),
        ("Gestern haben wir uns getroffen.", "2026-11-29"),
        ("We met on 3 May and again on 4 May.", None),
        ("We met last month.", None),
        ("We met.", None),
    ],
)
def test_an_event_takes_the_one_date_of_its_text(
    app: App, text: str, start: str | None
) -> None:
    """Field case F4."""
    done = made(app, text, type="event")
    written = properties(app, done)
    assert written.get("time_start") == start
    assert written["created_at"] == "2026-11-30T12:00"
    assert bool(done.draft.remarks) is (start is not None)
    again = properties(app, made(app, text, type="event", at="2025-01-01", anyway=True))
    assert again["time_start"] == "2025-01-01"
    assert "time_start" not in properties(app, made(app, text, anyway=True))


def test_where_one_stands_is_the_project(app: App) -> None:
    wish = Wish("The build needs node.")
    assert properties(app, scribe.remember(app, wish, "acme/site"))["tags"] == [
        "scope/project"
    ]
    done = scribe.remember(app, Wish("Ferries leave on the hour."))
    found = properties(app, done)
    assert found["tags"] == [
        "scope/project"
    ]  # and nowhere else, until somebody says so
    assert "project" not in found
    assert any("--project NAME" in remark for remark in done.draft.remarks)
    done = scribe.remember(app, Wish("Tides turn twice a day.", scope="global"))
    assert done.draft.remarks == ()
    found = properties(app, made(app, "Builds are slow on Mondays.", project="acme/x"))
    assert "project" not in found


@pytest.mark.parametrize(
    ("more", "error"),
    [
        ({"type": "fcat"}, UsageError),
        ({"type": "topic"}, UsageError),
        ({"tags": ("flat",)}, Refused),
        ({"tags": ("scope/project",)}, UsageError),
        ({"links": {"about": ("Nobody",)}}, NoteNotFound),
        ({"links": {"about": ("Ida",)}}, AmbiguousName),
        ({"at": "whenever"}, UsageError),
        ({"at": "since May"}, UsageError),
        ({"until": "tomorrow"}, UsageError),
        ({"at": "2026-05-03T10:00", "until": "2026-05-02T10:00"}, Refused),
        ({"folder": "../out"}, UsageError),
        ({"folder": "/etc"}, UsageError),
        ({"folder": ".hidden"}, Refused),
        ({"folder": "aux"}, Refused),
        ({"title": "???"}, UsageError),
        ({"confidence": 7.0}, Refused),
    ],
)
def test_what_makes_no_sense_writes_nothing(
    app: App, more: dict[str, object], error: type[MindcacheError]
) -> None:
    before = sorted(Path(app.vault.root).rglob("*"))
    with pytest.raises(error):
        made(app, "The crane lifts nine tonnes.", **more)
    assert sorted(Path(app.vault.root).rglob("*")) == before


def test_links_may_be_left_open(app: App) -> None:
    done = made(app, "She paints.", links={"about": ("Vera",)}, allow_missing=True)
    assert properties(app, done)["about"] == ["[[Vera]]"]
    with pytest.raises(Refused, match="can't be a note's name"):
        made(app, "He sings.", links={"about": ("a]b",)}, allow_missing=True)


def test_an_ignored_folder_is_refused(make_vault: MakeVault, make_app: MakeApp) -> None:
    app = make_app(make_vault({".mindcacheignore": "private/\n"}))
    with pytest.raises(Refused, match="hidden or ignored"):
        made(app, "The crane lifts.", folder="private")


def test_a_note_that_an_ignore_file_hides_is_said_to_be_hidden(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    app = make_app(make_vault({".mindcacheignore": "*crane*\n"}))
    done = made(app, "A crane lifts.")
    assert done.written
    assert "hides memory/A crane lifts.md" in str(done.behind)


@pytest.mark.parametrize("text", ["![[x.png]]", "```\ncode\n```", ""])
def test_without_a_sentence_a_summary_is_asked_for(app: App, text: str) -> None:
    with pytest.raises(UsageError, match="summary"):
        made(app, text)
    assert made(app, f"# A head\n\n{text}").draft.memory.summary == "A head"
    assert made(app, text, title="A thing").draft.memory.summary == "A thing"


# -- names -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("aux", "aux note.md"),
        ("C:\\Users\\First Last", "C-Users-First Last.md"),
        ("Trailing dot.", "Trailing dot.md"),
        ("x (conflicted copy 2026-01-01)", "x (conflicted copy 2026-01-01) note.md"),
        ("long " * 60, "long " * 23 + "long.md"),
    ],
)
def test_names_travel(app: App, title: str, name: str) -> None:
    """Field case L8, and the names that sync programs give to conflicts."""
    done = made(app, "Some text.", title=title)
    assert done.draft.path == f"memory/{name}"
    assert app.reader().find_node(done.draft.path) is not None


def test_a_name_that_another_note_has_gets_a_number(app: App) -> None:
    """It would take over the links to that note, wherever it lies."""
    done = made(app, "# The office\n\nIt is green.")
    assert done.draft.path == "memory/The office 2.md"
    done = made(app, "# Site Roadmap\n\nLater.", folder="elsewhere")
    assert done.draft.path == "elsewhere/Site Roadmap 2.md"


def test_a_folder_in_other_letters_is_the_same_folder(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    app = make_app(make_vault({"Memory/a.md": "A."}))
    assert made(app, "The crane lifts.").draft.path == "Memory/The crane lifts.md"


# -- twins -------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "the crane LIFTS nine tonnes and was tested!",
        "The crane lifts nine tonnes, and it was tested.",
    ],
)
def test_what_is_said_already_is_named(app: App, text: str) -> None:
    first = made(app, "The crane lifts nine tonnes and was tested.").draft
    with pytest.raises(TwinFound) as refused:
        made(app, text)
    assert refused.value.candidates == [first.path]
    assert first.id in refused.value.message
    assert first.id in refused.value.mend
    assert made(app, text, anyway=True).written


def test_near_equal_facts_without_spaces_are_seen(app: App) -> None:
    """Field case E4."""
    made(app, "港口辦公室星期五下午三點關門，請提早到。")
    with pytest.raises(TwinFound):
        made(app, "港口辦公室星期五下午三點關門請提早到")
    assert made(app, "港口辦公室星期五下午四點關門，請提早到。").written


def test_another_value_is_another_fact(app: App) -> None:
    made(app, "A berth costs 12 EUR a metre and month.")
    assert made(app, "A berth costs 14 EUR a metre and month.").written
    assert made(app, "A berth never costs 12 EUR a metre and month.").written


def test_the_same_words_at_another_time_are_another_event(app: App) -> None:
    made(app, "Standup with the crew.", type="event", at="2026-11-27")
    assert made(app, "Standup with the crew.", type="event", at="2026-11-28").written
    with pytest.raises(TwinFound):
        made(app, "Standup with the crew.", type="event", at="2026-11-28")


def test_a_title_in_another_convention_is_named(app: App) -> None:
    """Field case C2."""
    with pytest.raises(TwinFound) as refused:
        made(app, "Something else altogether.", title="site-roadmap")
    assert refused.value.candidates == ["old/Site Roadmap.md"]
    done = made(app, "Something else altogether.", title="Site Roadmap", anyway=True)
    assert done.draft.path == "memory/Site Roadmap 2.md"


# -- texts with properties of their own, secrets ---------------------------


def test_properties_in_front_are_kept_byte_for_byte(app: App) -> None:
    """Field case B1, of text that comes from elsewhere."""
    text = (
        '---\nkind: "007" # why\n\ntags: [tool/git]\nsummary: Old\n---\n\nBody.\r\nTwo'
    )
    data = on_disk(app, made(app, text, summary="New"))
    assert data.startswith(
        b'---\nkind: "007" # why\n\ntags: [tool/git, scope/global]\n'
    )
    assert b"\nsummary: New\n" in data
    assert data.endswith(b"---\n\nBody.\r\nTwo\n")
    assert data.count(b"---\n") == 2


@pytest.mark.parametrize(
    "text",
    [
        "---\nkind: [a\n---\nText.",
        "---\na: 1\na: 2\n---\nText.",
        "---\njust words\n---\nText.",
        "---\nid: 7\n---\nText.",
        "---\ntype: journal\n---\nText.",
        "---\ntype: '[[Book]]'\n---\nText.",
        "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n",
        "half \ud800 a character",
    ],
)
def test_a_text_that_can_not_be_read_is_refused(app: App, text: str) -> None:
    """Field case B2: never a second block in front of a broken one."""
    with pytest.raises(Refused):
        made(app, text)


def test_an_id_that_a_note_has_names_that_note(app: App) -> None:
    first = made(app, "The crane lifts nine tonnes.").draft
    with pytest.raises(Refused, match=re.escape(first.path)):
        made(app, f"---\nid: {first.id}\n---\nSomething else.")


def test_secrets_are_redacted_before_anything_is_written(app: App) -> None:
    """Field case J1."""
    key = "AKIAIOSFODNN7EXAMPLE"
    done = made(app, f"{key} opens the door.\n", where=key, title=f"Key {key}")
    assert done.draft.redacted == (("AWS key", 3),)
    root = Path(app.vault.root)
    assert not any(key.encode() in p.read_bytes() for p in root.rglob("*.md"))
    assert not any(key in p.name for p in root.rglob("*"))


def test_a_text_too_large_to_be_indexed_is_refused(app: App) -> None:
    with pytest.raises(Refused, match="size_cap"):
        made(app, "word " * 300_000)


def test_a_dry_run_writes_nothing(app: App) -> None:
    before = sorted(Path(app.vault.root).rglob("*.md"))
    done = made(app, "The crane lifts nine tonnes.", dry_run=True)
    assert not done.written
    assert "summary: The crane lifts nine tonnes." in done.draft.note.text
    assert sorted(Path(app.vault.root).rglob("*.md")) == before


TEXTS = st.one_of(
    st.text(max_size=300),
    st.lists(
        st.sampled_from(
            ["---\n", "a: 1\n", "# H\n", "```\n", "\r\n", "text ", "[[x]]", "%%", "\n"]
        ),
        max_size=12,
    ).map("".join),
)


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(TEXTS)
def test_any_text_becomes_a_note_of_that_body_or_is_refused(
    app: App, text: str
) -> None:
    given_note = parse("", text.encode("utf-8", "replace"))
    try:
        done = made(app, text, anyway=True)
    except MindcacheError:
        return
    data = on_disk(app, done)
    again = parse(done.draft.path, data)
    assert again.body in (given_note.body, given_note.body + "\n")
    assert again.frontmatter is not None
    assert again.frontmatter.error is None
    for key, value in given_note.properties.items():
        if key not in {"tags", "tag", "type", "summary"}:
            assert again.properties[key] == value
    assert app.reader().find_node(done.draft.path) is not None


@pytest.mark.parametrize(
    ("at", "until"),
    [("tomorrow", "yesterday"), ("2026-12-05", "2026-12-03"), ("2026-12", "2026-11-30"),
     ("2026-12-05", "2026-12-03T10:00"), ("today", "last week")],
)  # fmt: skip
def test_days_that_end_before_they_begin_are_refused(
    app: App, at: str, until: str
) -> None:
    with pytest.raises(Refused, match="before") as refused:
        made(app, "It rained.", at=at, until=until)
    assert refused.value.mend


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("Dinner on 3 May", "2027-05-03"),
        ("Dinner on Friday", "2026-12-04"),
        ("Dinner on 3 May or 4 May", None),
        ("Dinner sometime", None),
    ],
)
def test_a_plan_takes_its_one_date_from_its_text(
    app: App, text: str, start: str | None
) -> None:
    done = made(app, text, type="plan")
    assert properties(app, done).get("time_start") == start
    assert any("read from" in each for each in done.draft.remarks) == bool(start)


@pytest.mark.parametrize(
    ("at", "said"),
    [("1/2/2026", "time_start 2026-01-02"), ("end of month", "time_end 2026-12-01"),
     ("2026-05-03", "")],
)  # fmt: skip
def test_how_a_phrase_was_read_is_said(app: App, at: str, said: str) -> None:
    remarks = " ".join(made(app, "It rained.", at=at).draft.remarks)
    assert (f'read from "{at}"' in remarks) == bool(said)
    assert said in remarks


def test_now_is_this_minute(app: App) -> None:
    found = properties(app, made(app, "It rained.", type="event", at="now"))
    assert found["time_start"] == f"{NOW:%Y-%m-%dT%H:%M}"
    assert "all_day" not in found


def test_a_bare_entity_is_no_twin_of_what_is_about_it(app: App) -> None:
    from mindcache.vault import Create
    from mindcache.write.entities import Wanted, created

    change, _ = created(app, Wanted("Hub"))
    assert isinstance(change, Create)
    assert not app.commit([change]).failed
    made(app, "about hub", links={"about": ("Hub",)})
    with pytest.raises(TwinFound):
        made(app, "About hub.", title="Another")


def test_a_summary_is_one_line_that_can_be_read_in_a_list(app: App) -> None:
    long = "word " * 80
    with pytest.raises(Refused, match="300"):
        made(app, "It rained.", summary=long)
    done = made(app, "It rained.")
    with pytest.raises(Refused, match="300"):
        scribe.update(app, done.draft.path, Edits(summary=long))
    path = Path(app.vault.root) / done.draft.path
    path.write_bytes(
        on_disk(app, done).replace(b"summary: It rained.", b"summary: " + long.encode())
    )
    app.reader()
    _, note, memory = app.look(done.draft.path)
    (problem,) = lint.check(note, memory, app.settings.texts("namespaces"))
    assert (problem.code, problem.severity) == ("contract-summary", "warning")
    scribe.update(app, done.draft.path, Edits(append="More."))


def test_a_name_that_was_cut_shows_it(app: App) -> None:
    text = (
        "The archive keeps every nightly build for thirty days on the shared disk"
        " and is pruned weekly."
    )
    path = made(app, text).draft.path
    assert path.endswith("on the shared disk….md")
    assert "…" not in made(app, "Short words stay whole.").draft.path
