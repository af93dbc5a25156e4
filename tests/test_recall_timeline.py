"""The timeline, and what the journal's entries are to recall and to names."""

from __future__ import annotations

import pytest

from mindcache import recall
from mindcache.errors import AmbiguousName, NoteNotFound, UsageError
from mindcache.recall import Ask, Filters
from mindcache.recall.find import find_block, link_to
from mindcache.recall.timeline import Span, timeline
from tests.conftest import NOW, MakeApp, MakeVault
from tests.test_write_moving import play

HEAD = "---\ntype: journal\ndate: {}\n---\n"
VAULT = {
    "journal/2026-11-29.md": HEAD.format("2026-11-29")
    + "- 23:30 [acme/site] Deployed the gateway ^j-b2\n  - [[Gateway]]\n"
    "- 09:00 Coffee with Ines ^j-a1\n",
    "journal/2026-11-30.md": HEAD.format("2026-11-30")
    + "Words of mine about the gateway.\n\n- 08:15 [zenith] Gateway restarted ^j-c3\n",
    "Gateway.md": "---\naliases: [The gate]\nproject: acme/site\n---\nA host. ^here\n",
    "talk.md": "---\nid: m-01KA00000000000000000000A1\ntype: event\nsummary: A long talk.\n"
    "time_start: 2026-11-29T10:00\ntime_end: 2026-11-29T12:00\nproject: acme/site\n---\n",
    "lost.md": "---\ntype: event\n---\nNobody knows when.\n",
    "2026-11-28.md": "My own day.\n",
    "done.md": "---\ntype: plan\nstatus: occurred\ntime_start: 2026-11-27\n---\n",
    "faint.md": "---\ntype: plan\nstatus: faint\noutcome: missed\ntime_start: 2026-11-26\n---\n",
    "open.md": "---\ntype: plan\nstatus: planned\ntime_start: 2026-11-25\n---\n",
    "diary.md": "---\ntype: journal\ndate: 2026-11-24\n---\nIn a form of my own.\n",
}


@pytest.fixture
def app(make_vault: MakeVault, make_app: MakeApp):  # type: ignore[no-untyped-def]
    return make_app(make_vault(VAULT))


def ids(app, **asked: object) -> list[str]:  # type: ignore[no-untyped-def]
    return [e.id for e in timeline(app.reader(), Span(**asked), NOW).episodes]


def test_what_happened_is_in_its_order_each_with_its_own_time(app) -> None:
    found = timeline(app.reader(), Span(), NOW)
    assert [(e.id, e.date, e.type, e.status) for e in found.episodes] == [
        ("diary.md", "2026-11-24", "journal", ""),
        ("faint.md", "2026-11-26", "plan", "missed"),
        ("done.md", "2026-11-27", "plan", "occurred"),
        ("2026-11-28.md", "2026-11-28", "event", ""),
        ("j-a1", "2026-11-29T09:00", "journal", ""),
        ("m-01KA00000000000000000000A1", "2026-11-29T10:00", "event", ""),
        ("j-b2", "2026-11-29T23:30", "journal", ""),
        ("j-c3", "2026-11-30T08:15", "journal", ""),
    ]
    assert (found.left_out, found.undated) == (0, 1)
    entry, talk = found.episodes[6], found.episodes[5]
    assert (entry.text, entry.project) == ("Deployed the gateway", "acme/site")
    assert (entry.links, entry.lines) == (("[[Gateway]]",), (5, 6))
    assert (talk.text, talk.end) == ("A long talk.", "2026-11-29T12:00")


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"day": "today"}, ["j-c3"]),
        ({"day": "yesterday at 23:30"}, ["j-b2"]),
        ({"day": "2026-11-29T11:00"}, ["m-01KA00000000000000000000A1"]),
        ({"since": "yesterday", "until": "2026-11-29T09:30"}, ["j-a1"]),
        ({"since": "2026-11-29T23:30"}, ["j-b2", "j-c3"]),
        ({"since": "2026-11-29T23:31"}, ["j-c3"]),
        ({"until": "2026-11-26"}, ["diary.md", "faint.md"]),
        ({"day": "2026-11-29", "project": "SITE"}, ["m-01KA00000000000000000000A1", "j-b2"]),
        ({"project": "zenith"}, ["j-c3"]),
        ({"limit": 2}, ["j-b2", "j-c3"]),
        ({"day": "2020"}, []),
    ],
)  # fmt: skip
def test_a_span_keeps_what_lies_in_it(app, asked: dict, expected: list[str]) -> None:
    assert ids(app, **asked) == expected


def test_left_out_are_the_earlier_ones(app) -> None:
    assert timeline(app.reader(), Span(limit=3), NOW).left_out == 5


@pytest.mark.parametrize(
    "asked",
    [{"project": "nowhere"}, {"day": "someday"}, {"since": "2026-12", "until": "2026-11"}],
)  # fmt: skip
def test_what_makes_no_sense_is_an_error(app, asked: dict) -> None:
    with pytest.raises(UsageError):
        ids(app, **asked)


def test_an_edited_entry_and_a_deleted_one(app) -> None:
    app.reader()
    path = app.vault.root + "/journal/2026-11-29.md"
    with open(path, "w", encoding="utf-8") as file:
        file.write(HEAD.format("2026-11-29") + "- 09:05 Tea with Ines ^j-a1\n")
    found = timeline(app.reader(), Span(day="2026-11-29", project=""), NOW).episodes
    assert [(e.date[-5:], e.text) for e in found if e.anchor] == [
        ("09:05", "Tea with Ines")
    ]
    assert app.with_cache(lambda cache: cache.faults()) == []


# -- recall -------------------------------------------------------------------


def hits(app, text: str, **filters: object) -> list[tuple[str, str, str]]:  # type: ignore[no-untyped-def]
    ask = Ask(text, Filters(**filters), floor=0.0, now=NOW)  # type: ignore[arg-type]
    return [(h.path, h.anchor, h.date) for h in recall.exact(ask, app.corpus()).hits]


def test_a_hit_in_the_journal_is_one_entry_with_its_own_time(app) -> None:
    found = hits(app, "gateway", memory="episodic")
    assert set(found) == {
        ("journal/2026-11-29.md", "j-b2", "2026-11-29T23:30"),
        ("journal/2026-11-30.md", "j-c3", "2026-11-30T08:15"),
        ("journal/2026-11-30.md", "", "2026-11-30"),
    }
    assert {h[0] for h in hits(app, "gateway", memory="knowledge")} == {"Gateway.md"}


def test_dates_and_projects_cut_entry_by_entry(app) -> None:
    assert [h[1] for h in hits(app, "gateway", dates=("2026-11-29T23:30",))] == ["j-b2"]
    assert hits(app, "gateway", dates=("2026-11-29T23:31",)) == []
    late = hits(app, "gateway", start="2026-11-29T23:00")
    assert {h[1] for h in late} == {"j-b2", "j-c3", ""}
    assert [h[1] for h in hits(app, "gateway", projects=("zenith",))] == ["j-c3"]
    assert {h[:2] for h in hits(app, "gateway", projects=("acme",))} == {
        ("journal/2026-11-29.md", "j-b2"),
        ("Gateway.md", "here"),
    }


def test_a_time_in_the_question_favours_the_entry_of_that_minute(app) -> None:
    ask = Ask("what happened with Ines yesterday at 9:00", floor=0.0, now=NOW)
    signals = {
        hit.anchor: {why.signal: why.value for why in hit.why}
        for hit in recall.deep(ask, app.corpus()).hits
    }
    assert signals["j-a1"].get("time", 0) > signals["j-b2"].get("time", 0)


# -- names --------------------------------------------------------------------


def test_a_part_is_found_by_its_name(app) -> None:
    reader = app.reader()
    for name in ("j-b2", "^j-b2", "J-B2", "2026-11-29#^j-b2", "[[2026-11-29#^J-b2]]"):
        part = find_block(reader, name)
        assert part is not None
        assert (part[0].path, part[1].at) == (
            "journal/2026-11-29.md",
            "2026-11-29T23:30:00",
        )
    part = find_block(reader, "The gate#^here")
    assert part is not None
    assert part[1].text == "A host."
    for name in ("Gateway", "Gateway#Part", "j-none", ""):
        assert find_block(reader, name) is None
    with pytest.raises(NoteNotFound, match=r"no block \^there"):
        find_block(reader, "Gateway#^there")
    with pytest.raises(NoteNotFound):
        find_block(reader, "Nowhere#^here")


def test_an_id_that_two_entries_carry_names_neither(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    text = HEAD.format("2026-11-29") + "- 10:00 twice ^j-x\n"
    app = make_app(make_vault({"a.md": text, "b.md": text}))
    assert ids(app) == ["a.md#^j-x", "b.md#^j-x"]
    for name in ids(app):
        part = find_block(app.reader(), name)
        assert part is not None
        assert part[0].path == name[:4]
    with pytest.raises(AmbiguousName, match=r"a\.md#\^j-x, b\.md#\^j-x"):
        find_block(app.reader(), "j-x")


def test_links_are_written_as_obsidian_resolves_them(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault(
        {
            "a/Twin.md": "x",
            "b/c/Twin.md": "y",
            "d/Alone.md": "---\naliases: [The one]\n---\n",
            "C# notes.md": "z",
            "journal/2026-11-29.md": HEAD.format("2026-11-29") + "- 10:00 x ^j-x\n",
        }
    )
    reader = make_app(root).reader()
    for name, expected in {
        "Alone": "[[Alone]]",
        "the one": "[[Alone|the one]]",
        "d/Alone.md#Part": "[[Alone#Part]]",
        "a/Twin": "[[Twin]]",
        "b/c/Twin": "[[b/c/Twin]]",
        "j-x": "[[2026-11-29#^j-x]]",
        "Alone#^x": None,
        "C# notes": "[C# notes](C%23%20notes.md)",
    }.items():
        if expected is None:
            with pytest.raises(NoteNotFound):
                link_to(reader, name, "journal")
        else:
            assert link_to(reader, name, "journal") == expected


WEEKLY = (
    "---\nid: m-01KA00000000000000000000B2\ntype: plan\nsummary: The choir.\n"
    'time_start: 2026-11-02T19:00\nrecurrence: "RRULE:FREQ=WEEKLY"\nproject: choir\n---\n'
    "- 2026-11-09 occurred ^o-20261109\n- 2026-11-16 missed: ill ^o-20261116\n"
    "- 2026-11-23 moved to 2026-11-24T18:00, occurred ^o-20261123\n"
    "- 2026-12-07 canceled: holidays ^o-20261207\n"
    "- 2026-12-14 moved to 2026-12-15 ^o-20261214\n"
)


def test_occurrences_of_a_series_happen_each_on_its_own_day(
    make_vault, make_app
) -> None:
    app = make_app(make_vault({"choir.md": WEEKLY}))
    found = timeline(app.reader(), Span(), NOW).episodes
    assert [(e.date, e.status, e.text, e.anchor, e.lines) for e in found] == [
        ("2026-11-09T19:00", "occurred", "The choir.", "o-20261109", (9, 9)),
        ("2026-11-16T19:00", "missed", "ill", "o-20261116", (10, 10)),
        ("2026-11-24T18:00", "occurred", "The choir.", "o-20261123", (11, 11)),
    ]
    for each in found:
        part = find_block(app.reader(), each.id)
        assert part is not None
        assert part[0].path == "choir.md"
    day = timeline(app.reader(), Span(day="2026-11-16"), NOW).episodes
    assert [e.anchor for e in day] == ["o-20261116"]
    assert len(timeline(app.reader(), Span(project="choir"), NOW).episodes) == 3


def test_occurrences_outside_what_the_cache_keeps(make_vault, make_app) -> None:
    old = WEEKLY.replace("2026-", "2016-").replace("2016-11-02", "2016-10-31")
    old = old.replace("2016-11-09", "2016-11-07").replace("^o-20261109", "^o-20161107")
    app = make_app(make_vault({"choir.md": old}))
    found = timeline(app.reader(), Span(since="2016-11-01", until="2016-11-10"), NOW)
    assert [(e.date, e.status) for e in found.episodes] == [
        ("2016-11-07T19:00", "occurred")
    ]
    assert timeline(app.reader(), Span(), NOW).episodes[0].date == "2016-11-07T19:00"


def test_what_is_settled_ahead_has_yet_to_happen(make_vault, make_app) -> None:
    head = "---\ntype: plan\nstatus: canceled\ntime_start: {}\n---\n{}"
    item = "- 2026-11-27 canceled: rain ^o-20261127\n"
    notes = {
        "tomorrow.md": head.format("2026-12-01", ""),
        "before.md": head.format("2026-11-27", item),
        "talk.md": "---\ntype: event\nstatus: occurred\ntime_start: 2026-11-26\n---\n",
    }
    found = timeline(make_app(make_vault(notes)).reader(), Span(), NOW).episodes
    assert [(e.path, e.date, e.status, e.text) for e in found] == [
        ("talk.md", "2026-11-26", "occurred", ""),
        ("before.md", "2026-11-27", "canceled", "rain"),
    ]


def test_a_line_says_once_what_a_note_is_called_by(make_vault: MakeVault) -> None:
    text = "We met at the pier."
    files = {
        "We met at the pier.md": f"---\ntype: event\ntime_start: 2026-01-02\n---\n{text}\n",
        "Talk.md": f"---\ntype: event\ntime_start: 2026-01-03\n---\n{text}\n",
        "2026-01-05 West wind.md": "---\ntype: event\n---\nWest wind all day.\n",
        "We.md": "---\ntype: event\ntime_start: 2026-01-04\n---\nWest wind.\n",
    }
    out = play(make_vault(files), "timeline")[1].splitlines()
    assert [line[18:].split("  ·  ")[0] for line in out] == [
        text,
        f"Talk: {text}",
        "We: West wind.",
        "West wind all day.",
    ]


def test_a_note_without_text_is_shown_without_a_gap(make_vault: MakeVault) -> None:
    files = {"Ida.md": "---\ntype: entity\nsummary: A person.\n---\n\n"}
    out = play(make_vault(files), "show", "Ida")[1]
    assert "\n\n" not in out
