"""The digest: topics out of notes, and what a person does to them holds."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from mindcache import lint
from mindcache.app import App
from mindcache.digest import digest
from mindcache.generated import find_section
from mindcache.note import edit, parse
from mindcache.vault import Entry
from tests.conftest import NOW
from tests.themes import BOATS, BREAD, note, notes

ROOT = Path(__file__).parents[1]


def files_of(vault: Path, folder: str = "") -> dict[str, bytes]:
    """Every file of the vault but what a device calls its own."""
    return {
        re.sub(r"ledger/.*", "ledger", path.relative_to(vault).as_posix()): (
            path.read_bytes()
        )
        for path in sorted((vault / folder).rglob("*"))
        if path.is_file()
    }


def topics_of(vault: Path) -> dict[str, str]:
    return {
        path.relative_to(vault).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(vault.rglob("*.md"))
        if "\ntype: topic\n" in path.read_text(encoding="utf-8")
        and ".trash" not in path.parts
    }


def topic_of(vault: Path, title: str) -> Path:
    """The one topic that lists this note."""
    found = [p for p, text in topics_of(vault).items() if f"\n- [[{title}]]" in text]
    assert len(found) == 1, f"{title}: {found}"
    return vault / found[0]


def property_of(path: Path, key: str) -> object:
    return parse("", path.read_bytes()).properties.get(key)


@pytest.fixture
def vault(make_vault) -> Path:
    return make_vault(notes())


@pytest.fixture
def app(vault, make_app) -> App:
    return make_app(vault)


def night(app: App, days: int = 1, **options):
    """A digest so many days after the first one."""
    return digest(app, now=NOW + timedelta(days=days), **options)


# -- making ----------------------------------------------------------------


def test_each_subject_becomes_a_topic(app, vault) -> None:
    report = digest(app)
    assert report.topics == len(report.made) == 3
    assert report.placed == 18
    assert report.inbox == []
    for theme in (BREAD, BOATS):
        assert len({topic_of(vault, title) for title in theme}) == 1
    bread = topic_of(vault, "Rye loaf")
    text = bread.read_text()
    assert "- [[Rye loaf]]: The rye loaf needs a long proof; sourdough" in text
    assert re.search(r"^Words: .*\b(flour|bread)\b", text, re.MULTILINE)
    assert {"flour", "bread", "loaf", "rye"} & set(
        re.findall(r"\w+", bread.stem.lower())
    )


def test_what_is_made_keeps_the_contract(app, vault) -> None:
    digest(app)
    for path in topics_of(vault):
        data, parsed, memory = app.look(path)
        assert lint.check(parsed, memory, app.settings.texts("namespaces")) == []
        assert not find_section(parsed).is_edited
        assert data.endswith(b"%% mindcache:end %%\n")
    # A topic is found by its words, and its list is no text of its own.
    assert app.doctor().problems == []


def test_too_few_notes_wait_in_the_inbox(make_vault, make_app) -> None:
    few = dict(list(notes("boats").items())[:3])
    vault = make_vault(few)
    report = digest(make_app(vault))
    assert report.inbox == sorted(few)
    assert topics_of(vault) == {}
    assert not (vault / ".mindcache").exists()


def test_an_empty_vault_has_nothing_to_digest(make_vault, make_app) -> None:
    report = digest(make_app(make_vault({})))
    assert (report.topics, report.placed, report.is_change) == (0, 0, False)


def test_a_new_note_joins_and_changes_nothing_else(app, vault) -> None:
    digest(app)
    before = files_of(vault)
    path = vault / "memory" / "Baguette.md"
    path.write_text(note("Bread of wheat flour: bake the baguette dough on the stone."))
    report = night(app)
    assert report.placed == 1
    assert report.made == []
    joined = topic_of(vault, "Baguette")
    assert joined == topic_of(vault, "Rye loaf")
    after = files_of(vault)
    name = joined.relative_to(vault).as_posix()
    changed = {p for p in before if p != ".mindcache/ledger" and after[p] != before[p]}
    assert changed == {name, "Digest report.md"}
    old, new = (parse("", x[name]).properties for x in (before, after))
    assert old["id"] == new["id"]


def test_dry_run_writes_nothing_and_says_the_same(app, vault) -> None:
    before = files_of(vault)
    planned = digest(app, dry_run=True)
    assert files_of(vault) == before
    done = digest(app)
    assert (planned.made, planned.placed) == (done.made, done.placed)


def test_the_pages_of_the_template_are_no_input(make_vault, make_app) -> None:
    vault = make_vault(notes())
    for path in (ROOT / "vault_template").glob("*.md"):
        (vault / path.name).write_bytes(path.read_bytes())
    app = make_app(vault)
    report = digest(app)
    assert (report.notes, report.inbox) == (18, [])
    assert app.topics().inbox == ()
    assert "[[Start here]]" not in "".join(topics_of(vault).values())


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_old_pages_of_the_template_are_no_input_either(
    make_vault, make_app, end
) -> None:
    """Laid down before they said so themselves; a changed one is a person's note."""
    vault = make_vault(notes())
    page = (Path(__file__).parent / "pages" / "Start here.md").read_bytes()
    (vault / "Start here.md").write_bytes(page.replace(b"\n", end))
    app = make_app(vault)
    assert digest(app).notes == 18
    assert app.topics().inbox == ()
    (vault / "Start here.md").write_bytes(page + b"And my own words.\n")
    assert night(app).notes == 19


@pytest.mark.parametrize("is_renamed", [True, False])
def test_related_topics_follow_the_others(app, vault, is_renamed) -> None:
    digest(app)
    bread, boats = topic_of(vault, "Rye loaf"), topic_of(vault, "Mainsail")
    ids = [str(property_of(path, "id")) for path in (bread, boats)]
    link = [f"[[{boats.stem}]]"]
    bread.write_bytes(edit(bread.read_bytes(), {"related_topics": link}))
    said = json.dumps({"related": ids[1]})
    at = str(property_of(bread, "last_updated"))
    app.ledger.add([Entry("said", "topic", ids[0], id=ids[0], at=at, said=said)])
    before = bread.read_bytes()
    assert not night(app).is_change
    if is_renamed:
        boats.rename(boats.with_name("Sailing.md"))
    else:
        boats.unlink()
    night(app, 2)
    assert property_of(bread, "related_topics") is None
    parts = [find_section(parse("", x)) for x in (before, bread.read_bytes())]
    assert parts[0].lines == parts[1].lines
    # A link of a person's that leads nowhere is his.
    bread.write_bytes(edit(bread.read_bytes(), {"related_topics": ["[[Knots]]"]}))
    night(app, 3)
    assert property_of(bread, "related_topics") == ["[[Knots]]"]


# -- again -----------------------------------------------------------------


def test_a_second_run_changes_nothing(app, vault) -> None:
    digest(app)
    before = files_of(vault)
    for options in ({"again": True}, {"again": True, "weekly": True}):
        report = digest(app, **options)
        assert not report.is_change
        assert files_of(vault) == before


def test_seven_nights_without_news_change_what_time_changes(
    make_vault, make_app
) -> None:
    vault = make_vault(notes(created="2026-11-20"))
    app = make_app(vault)
    digest(app)
    before = files_of(vault)
    changed = [night(app, day).changed for day in range(1, 8)]
    # The notes are ten days old at first, and none of theirs is hot after a fortnight.
    assert [len(paths) for paths in changed] == [0, 0, 0, 0, 3, 0, 0]
    for path, data in files_of(vault).items():
        if path == ".mindcache/ledger":
            continue
        if not path.startswith("topics/"):
            assert data == before[path] or path == "Digest report.md"
            continue
        there, was = (parse("", each).properties for each in (data, before[path]))
        assert there["status"] == "warm"
        assert edit(data, {"status": was["status"]}) == before[path]


def test_a_status_goes_up_and_down_with_the_notes(app, vault) -> None:
    digest(app)
    bread = topic_of(vault, "Rye loaf")
    for days, status in ((20, "warm"), (21, "hot"), (40, "warm"), (200, "cool")):
        if status == "hot":
            created = (NOW + timedelta(days=days)).date()
            text = f"---\ncreated: {created}\n---\nBread of wheat and rye flour.\n"
            (vault / "memory" / "Baguette.md").write_text(text)
        night(app, days)
        assert property_of(bread, "status") == status
        assert not night(app, days, again=True).is_change


def test_a_status_that_a_person_gave_stays(app, vault) -> None:
    digest(app)
    bread, boats = topic_of(vault, "Rye loaf"), topic_of(vault, "Mainsail")
    bread.write_bytes(edit(bread.read_bytes(), {"status": "cool"}))
    night(app, 200)
    assert property_of(bread, "status") == "cool"
    assert property_of(boats, "status") == "cool"
    boats.write_bytes(edit(boats.read_bytes(), {"status": "hot"}))
    assert not night(app, 201).is_change
    assert property_of(boats, "status") == "hot"


def test_what_the_digest_wrote_is_no_news(make_vault, make_app) -> None:
    own = {
        f"{folder}/{kind} {n}.md": f"---\ntype: {kind}\n---\nBread, flour, loaf {n}.\n"
        for folder, kind in (("memory", "summary"), ("proposals", "proposal"))
        for n in range(5)
    }
    vault = make_vault({**notes(), **own})
    app = make_app(vault)
    digest(app)
    whole = "".join(topics_of(vault).values())
    assert "[[summary" not in whole
    assert "[[proposal" not in whole
    titles = [Path(path).stem for path in topics_of(vault)]
    assert not any(f"[[{title}]]" in whole.split("related", 1)[0] for title in titles)


def test_once_a_day(app, vault) -> None:
    digest(app)
    (vault / "memory" / "Baguette.md").write_text(note("Bread of wheat flour and rye."))
    assert digest(app).done_before
    assert not digest(app, again=True).done_before
    assert night(app).done_before is False


def test_two_clones_write_the_same_bytes(make_vault, make_app, monkeypatch) -> None:
    files = {
        **notes(),
        "journal/2026-11-20.md": "---\ntype: journal\ndate: 2026-11-20\n---\n"
        "- 09:00 Baked bread of rye flour ^j-aaaa\n"
        "- 10:00 The sourdough loaf of bread came out dark ^j-bbbb\n",
        "memory/Linked.md": "---\nentities:\n  - '[[Bilge pump]]'\n---\nOf the boat.\n",
    }
    one = make_vault(files)
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    digest(make_app(one, "one"))
    other = make_vault(dict(reversed(list(files.items()))))
    monkeypatch.setenv("TZ", "America/Los_Angeles")
    monkeypatch.setenv("LC_ALL", "tr_TR.UTF-8")
    app = make_app(other, "other")
    app.update()
    app.update(rebuild=True)
    digest(app)
    assert files_of(one) == files_of(other)
    # A note that came and went leaves nothing behind but other row ids.
    assert len(topics_of(one)) == 3


def test_a_day_of_the_journal_is_of_several_topics(make_vault, make_app) -> None:
    entries = (
        "- 09:00 Fed the sourdough starter with rye flour ^j-aaaa\n"
        "- 09:30 The bread of wheat flour and rye went into the oven ^j-aaab\n"
        "- 10:00 Mooring lines of the boat doubled in the harbour ^j-bbbb\n"
        "- 11:00 Antifouling on the hull of the boat ^j-bbbc\n"
    )
    day = f"---\ntype: journal\ndate: 2026-11-20\n---\n{entries}"
    vault = make_vault({**notes(), "journal/2026-11-20.md": day})
    digest(make_app(vault))
    holding = {p for p, text in topics_of(vault).items() if "[[2026-11-20]]" in text}
    wanted = {topic_of(vault, "Rye loaf"), topic_of(vault, "Antifouling")}
    assert {vault / path for path in holding} == wanted
    assert (vault / "journal/2026-11-20.md").read_text() == day


# -- what a person does holds ----------------------------------------------


def grown(vault: Path, app: App, days: int = 1):
    """Another note about bread, and a night: the topic of bread is written anew."""
    path = vault / "memory" / f"Loaf {days}.md"
    path.write_text(
        note(f"Bake the loaf {days} of bread from rye flour and wheat dough.")
    )
    report = night(app, days)
    assert f"[[Loaf {days}]]" in "".join(topics_of(vault).values())
    return report


def test_a_rename_holds(app, vault) -> None:
    digest(app)
    old = topic_of(vault, "Rye loaf")
    new = vault / "My bread.md"
    old.rename(new)
    grown(vault, app)
    assert not old.exists()
    assert topic_of(vault, "Loaf 1") == new


def test_words_hold_inside_and_outside(app, vault) -> None:
    digest(app)
    bread = topic_of(vault, "Rye loaf")
    text = bread.read_text()
    text = text.replace("\n%% mindcache:begin", "\nMine, above.\n\n%% mindcache:begin")
    text = text.replace("%% mindcache:end", "- mine, inside\n%% mindcache:end")
    bread.write_text(text + "\nMine, below.\n")
    grown(vault, app)
    after = bread.read_text()
    inside, _, below = after.partition("%% mindcache:end %%")
    assert "Mine, above." in inside
    assert "mine, inside" not in inside
    assert below.split() == ["-", "mine,", "inside", "Mine,", "below."]
    assert not find_section(parse("", bread.read_bytes())).is_edited
    before = files_of(vault)
    assert not night(app, 2).is_change
    assert files_of(vault) == before


def test_a_line_inside_moves_even_without_news(app, vault) -> None:
    digest(app)
    bread = topic_of(vault, "Rye loaf")
    text = bread.read_text().replace("- [[Crust]]", "mine\n- [[Crust]]")
    bread.write_text(text)
    report = night(app)
    assert report.changed == [bread.relative_to(vault).as_posix()]
    assert bread.read_text().endswith("%% mindcache:end %%\n\nmine\n")


def test_a_note_taken_out_stays_out(app, vault) -> None:
    digest(app)
    bread = topic_of(vault, "Rye loaf")
    lines = bread.read_text().splitlines(keepends=True)
    bread.write_text("".join(x for x in lines if not x.startswith("- [[Crust]]")))
    for day in (1, 2):
        night(app, day)
        assert "- [[Crust]]" not in bread.read_text()


def test_a_note_put_in_stays_in(app, vault) -> None:
    digest(app)
    bread, boats = topic_of(vault, "Rye loaf"), topic_of(vault, "Mainsail")
    text = bread.read_text()
    bread.write_text(text.replace("- [[Crust]]", "- [[Mainsail]]\n- [[Crust]]"))
    night(app)
    assert "- [[Mainsail]]" in bread.read_text().partition("%% mindcache:end")[0]
    assert "[[Mainsail]]:" not in boats.read_text()


def test_properties_that_a_person_changed_hold(app, vault) -> None:
    digest(app)
    bread = topic_of(vault, "Rye loaf")
    mine = {"summary": "All my bread.", "status": "cool", "anchors": ["[[Crust]]"]}
    bread.write_bytes(edit(bread.read_bytes(), mine))
    grown(vault, app)
    after = parse("", bread.read_bytes()).properties
    assert {key: after[key] for key in mine} == mine
    assert after["last_updated"] == "2026-12-01T12:00"


def test_another_parent_holds(app, vault) -> None:
    digest(app)
    bread, boats = topic_of(vault, "Rye loaf"), topic_of(vault, "Mainsail")
    link = f"[[{boats.stem}]]"
    bread.write_bytes(edit(bread.read_bytes(), {"parent_topic": link}))
    grown(vault, app)
    night(app, 8, weekly=True, again=True)
    assert property_of(bread, "parent_topic") == link
    assert f"- [[{bread.stem}]]" in boats.read_text()
    tree = app.topics()
    assert tree.depth(bread.relative_to(vault).as_posix()) == 2


def test_a_deleted_topic_is_not_made_again(app, vault) -> None:
    digest(app)
    bread = topic_of(vault, "Rye loaf")
    bread.unlink()
    for day in range(1, 4):
        path = vault / "memory" / f"Loaf {day}.md"
        path.write_text(note(f"Bake the loaf {day} of bread from rye flour and dough."))
        report = night(app, day)
        assert report.made == []
        assert "memory/Rye loaf.md" in report.inbox
    assert not bread.exists()
    assert len(topics_of(vault)) == 2


def test_one_that_comes_back_is_itself_again(app, vault) -> None:
    digest(app)
    bread = topic_of(vault, "Rye loaf")
    data = bread.read_bytes()
    bread.unlink()
    night(app, 1)
    bread.write_bytes(data)
    report = night(app, 2)
    assert report.inbox == []
    assert topic_of(vault, "Rye loaf") == bread


def test_a_pinned_topic_keeps_its_notes(app, vault) -> None:
    digest(app)
    bread = topic_of(vault, "Rye loaf")
    bread.write_bytes(edit(bread.read_bytes(), {"pinned": True}))
    before = find_section(parse("", bread.read_bytes())).lines
    for title in BOATS:  # all that is left of it is about boats now
        (vault / "memory" / f"{title} too.md").write_text(note(BOATS[title]))
    night(app, 1)
    night(app, 8, weekly=True)
    after = find_section(parse("", bread.read_bytes())).lines
    assert set(before) <= set(after)


def test_an_ordinary_night_empties_nothing(make_vault, make_app) -> None:
    # A topic by hand of what other topics would hold better.
    mixed = [*list(BREAD)[:2], *list(BOATS)[:2]]
    vault = make_vault(notes("queries"))
    app = make_app(vault)
    digest(app)
    for path, text in notes("bread", "boats").items():
        if Path(path).stem in mixed:
            (vault / path).write_text(text)
    links = "".join(f"- [[{title}]]\n" for title in mixed)
    mine = vault / "topics" / "Mine.md"
    mine.write_text(
        f"---\ntype: topic\n---\n%% mindcache:begin 0 %%\n{links}%% mindcache:end %%\n"
    )
    assert night(app).ended == []
    held = topics_of(vault)
    for path, text in notes("bread", "boats").items():
        if Path(path).stem not in mixed:
            (vault / path).write_text(text)
            twin = path.replace(".md", " again.md")
            (vault / twin).write_text(text)
    report = night(app, 2)
    assert not report.weekly
    assert report.ended == []
    assert report.placed > 0
    assert {topic_of(vault, title) for title in mixed} == {mine}
    assert held.keys() <= topics_of(vault).keys()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda t: t.replace("%% mindcache:end %%\n", ""),
        lambda t: t + "%% mindcache:end %%\n",
        lambda t: t + "%% mindcache:begin 123456 %%\n",
        lambda t: t.replace("%% mindcache:begin", "x %% mindcache:begin"),
        lambda t: re.sub(r"%% mindcache.*", "", t, flags=re.DOTALL),
    ],
)
def test_without_one_pair_of_markers_it_is_left_alone(app, vault, spoil) -> None:
    digest(app)
    bread = topic_of(vault, "Rye loaf")
    whole = bread.read_text()
    spoiled = spoil(whole)
    bread.write_text(spoiled)
    report = night(app)
    assert bread.read_text() == spoiled
    assert [p.code for p in report.problems] == ["topic-markers"]
    assert report.problems[0].path == bread.relative_to(vault).as_posix()
    assert (report.made, report.inbox, report.placed) == ([], [], 0)
    # What would come into it waits, and nothing is made in its place.
    for title in BREAD:
        (vault / "memory" / f"{title} too.md").write_text(note(BREAD[title]))
    for day in (2, 9):
        report = night(app, day)
        assert report.made == report.ended == []
        assert not set(report.inbox) & set(notes("bread"))
        assert bread.read_text() == spoiled
    bread.write_text(whole)
    report = night(app, 10)
    assert (report.made, report.inbox) == ([], [])
    assert {topic_of(vault, title) for title in BREAD} == {bread}


def test_properties_that_cannot_be_read_are_left_alone(app, vault) -> None:
    digest(app)
    bread = topic_of(vault, "Rye loaf")
    whole = bread.read_text()
    spoiled = whole.replace("type: topic", "type: topic\nx: [")
    bread.unlink()
    bread = bread.with_name("Moved.md")  # known by its id still
    bread.write_text(spoiled)
    report = night(app)
    assert [(p.code, p.path) for p in report.problems] == [
        ("topic-unread", "topics/Moved.md")
    ]
    assert (report.made, report.inbox) == ([], [])
    assert bread.read_text() == spoiled
    assert f"[[{bread.stem}]]" not in "".join(
        text.partition("%% mindcache:begin")[2] for text in topics_of(vault).values()
    )
    bread.write_text(whole)
    report = night(app, 2)
    assert (report.made, report.inbox, report.problems) == ([], [], [])
    assert {topic_of(vault, title) for title in BREAD} == {bread}


def test_a_topic_made_by_hand_takes_part(app, vault) -> None:
    mine = (
        "---\nid: m-01KJH30JW0WFBEHDBR4YTB0JNK\ntype: topic\nsummary: My boats.\n---\n"
        "%% mindcache:begin 0 %%\n- [[Mainsail]]\n- [[Outboard]]\n- [[Bilge pump]]\n"
        "- [[Antifouling]]\n%% mindcache:end %%\n"
    )
    path = vault / "Boats.md"
    path.write_text(mine)
    digest(app)
    for title in ("Mooring lines", "Harbour fees", "Mainsail"):
        assert topic_of(vault, title) == path
    assert property_of(path, "summary") == "My boats."


def test_two_machines_give_a_topic_made_by_hand_one_id(make_vault, make_app) -> None:
    body = "%% mindcache:begin 0 %%\n- [[Mainsail]]\n%% mindcache:end %%\n"
    found = []
    for days in (0, 3):
        vault = make_vault(notes())
        (vault / "Boats.md").write_text(f"---\ntype: topic\n---\n{body}")
        (vault / "Old.md").write_text(
            f"---\ntype: topic\ncreated: 2024-05-01\n---\n{body}"
        )
        night(make_app(vault, f"cache {days}"), days)
        ids = [property_of(vault / name, "id") for name in ("Boats.md", "Old.md")]
        assert all(str(each).startswith("m-") for each in ids)
        found.append(ids)
    assert found[0] == found[1]


def test_a_topic_without_an_id_gets_one(app, vault) -> None:
    links = "".join(f"- [[{title}]]\n" for title in list(BOATS)[:4])
    for name in ("Boats", "Ships"):
        (vault / f"{name}.md").write_text(
            f"---\ntype: topic\n---\n%% mindcache:begin 0 %%\n{links}"
            "%% mindcache:end %%\n"
        )
        links = ""
    digest(app)
    assert topic_of(vault, "Mainsail") == vault / "Boats.md"
    ids = [str(property_of(vault / f"{n}.md", "id")) for n in ("Boats", "Ships")]
    assert all(each.startswith("m-") for each in ids)
    assert ids[0] != ids[1]
    # Links that the list has anyway are no words to be kept below it.
    assert (vault / "Boats.md").read_text().count("[[Outboard]]") <= 2
    assert (vault / "Boats.md").read_text().endswith("%% mindcache:end %%\n")
    before = files_of(vault)
    assert not night(app).is_change
    assert files_of(vault) == before

    boats = vault / "Boats.md"
    lines = boats.read_text().splitlines(keepends=True)
    boats.write_text("".join(x for x in lines if not x.startswith("- [[Mainsail]]")))
    for day in (1, 2, 9):
        assert night(app, day).problems == []
        assert "- [[Mainsail]]" not in "".join(
            text.partition("%% mindcache:begin")[2]
            for text in topics_of(vault).values()
        )


def test_a_topic_known_by_its_path_stays_known_by_it(app, vault) -> None:
    path = vault / "Boats.md"
    links = "".join(f"- [[{title}]]\n" for title in BOATS)
    path.write_text(
        f"---\ntype: topic\n---\n%% mindcache:begin 0 %%\n{links}%% mindcache:end %%\n"
    )
    app.ledger.add([Entry("made", "topic", "Boats.md", "Boats.md", "Boats.md")])
    digest(app)
    assert property_of(path, "id") is None
    before = files_of(vault)
    assert not night(app).is_change
    assert files_of(vault) == before


def test_of_two_copies_the_one_that_was_made_is_meant(app, vault) -> None:
    digest(app)
    bread = topic_of(vault, "Rye loaf")
    copy = bread.with_name("A copy.md")
    copy.write_bytes(bread.read_bytes())
    report = night(app)
    assert [p.code for p in report.problems] == ["topic-copy"]
    assert copy.read_bytes() == bread.read_bytes()
    copy.unlink()
    assert not night(app, 2).is_change


def test_a_note_that_is_not_utf8_is_left_alone(app, vault) -> None:
    digest(app)
    bread = topic_of(vault, "Rye loaf")
    data = bread.read_bytes() + "£ of flour\n".encode("cp1252")
    bread.write_bytes(data)
    (vault / "memory" / "Loaf 1.md").write_text(note("A loaf of bread of rye flour."))
    report = night(app)
    assert bread.read_bytes() == data
    assert "topic-left" in [p.code for p in report.problems]


def test_a_deleted_branch_is_not_made_again(app, vault) -> None:
    digest(app)
    kids = [topic_of(vault, "Rye loaf"), topic_of(vault, "Mainsail")]
    branch = vault / "topics" / "All.md"
    branch_id = "m-01KJH30JW0WFBEHDBR4YTB0JNK"
    branch.write_text(
        f"---\nid: {branch_id}\ntype: topic\nsummary: All.\n---\n"
        "%% mindcache:begin 0 %%\n%% mindcache:end %%\n"
    )
    for kid in kids:
        kid.write_bytes(edit(kid.read_bytes(), {"parent_topic": "[[All]]"}))
    night(app)
    assert branch.read_text().count("\n- [[") == 2
    # As if a digest had said so, and not a person.
    ids = [str(property_of(kid, "id")) for kid in kids]
    said = json.dumps({"parent": branch_id})
    at = "2026-11-30T12:00"
    app.ledger.add(Entry("said", "topic", i, id=i, at=at, said=said) for i in ids)
    branch.unlink()
    night(app, 9, weekly=True)
    assert not branch.exists()
    for kid in kids:
        assert property_of(kid, "parent_topic") is None


def test_no_other_note_is_touched(app, vault) -> None:
    before = files_of(vault, "memory")
    digest(app)
    grown(vault, app)
    after = files_of(vault, "memory")
    assert {path: after[path] for path in before} == before


def test_line_ends_and_a_missing_one_are_kept(app, vault) -> None:
    digest(app)
    bread = topic_of(vault, "Rye loaf")
    data = bread.read_bytes().replace(b"\n", b"\r\n")
    bread.write_bytes(data + b"Mine.\r\nlast line")
    grown(vault, app)
    after = bread.read_bytes()
    assert after.count(b"\n") == after.count(b"\r\n")
    assert after.endswith(b"%% mindcache:end %%\r\nMine.\r\nlast line")


# -- interrupted -----------------------------------------------------------


def test_a_note_changed_meanwhile_is_skipped_and_told(vault, tmp_path) -> None:
    with_topics = App(str(vault), str(tmp_path / "cache"), now=lambda: NOW)
    digest(with_topics)
    with_topics.close()
    paths = [topic_of(vault, "Rye loaf"), topic_of(vault, "Mainsail")]
    for title, text in (
        ("Loaf x", "Bread of rye flour, a loaf."),
        ("Boat x", "The boat lies in the harbour, its hull painted."),
    ):
        (vault / "memory" / f"{title}.md").write_text(note(text))
    mine: list[Path] = []

    def meddle(stage: str, done: int, of: int) -> None:
        """As soon as the first note is written, change the other one."""
        if stage == "writing" and not mine:
            other = next(p for p in paths if b" x]]" not in p.read_bytes())
            mine.append(other)
            other.write_bytes(other.read_bytes() + b"Mine.\n")

    app = App(str(vault), str(tmp_path / "cache"), now=lambda: NOW, progress=meddle)
    report = night(app)
    assert [change.path for change, _ in report.failed] == [
        mine[0].relative_to(vault).as_posix()
    ]
    assert mine[0].read_bytes().endswith(b"Mine.\n")
    # It is done at the next run, which is not yet over for the day.
    again = night(app)
    app.close()
    assert again.failed == []
    assert " x]]" in mine[0].read_text()
    assert mine[0].read_bytes().endswith(b"Mine.\n")


KILLED = """
import os, signal, sys
from datetime import datetime
from mindcache.app import App
from mindcache.digest import digest

def kill(stage, done, of):
    if stage == "writing" and done == int(sys.argv[3]):
        os.kill(os.getpid(), signal.SIGKILL)

now = datetime.fromisoformat(sys.argv[4])
digest(App(sys.argv[1], sys.argv[2], now=lambda: now, progress=kill))
"""


@pytest.mark.parametrize("writes", [1, 2])
@pytest.mark.parametrize("first", [True, False])
def test_killed_between_two_writes(vault, make_app, tmp_path, writes, first) -> None:
    if not first:
        app = make_app(vault)
        digest(app)
        app.close()
        for name, theme in (("bread", BREAD), ("boats", BOATS)):
            for n, text in enumerate(theme.values()):
                (vault / "memory" / f"{name} {n}.md").write_text(note(f"{text} More."))
    when = NOW + timedelta(days=0 if first else 1)
    died = subprocess.run(
        [sys.executable, "-c", KILLED, str(vault), str(tmp_path / "cache"),
         str(writes), when.isoformat()],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=60, check=False,
    )  # fmt: skip
    assert died.returncode == -signal.SIGKILL
    app = make_app(vault)
    report = digest(app, now=when)
    assert not report.done_before
    assert report.inbox == []
    assert len(topics_of(vault)) == 3
    for path in (vault / "memory").glob("*.md"):
        topic_of(vault, path.stem)  # in exactly one
    before = files_of(vault)
    assert not digest(app, now=when, again=True).is_change
    assert files_of(vault) == before
    # Nothing that was written before is taken for a person's.
    summary = property_of(topic_of(vault, "Rye loaf"), "summary")
    grown(vault, app, 2)
    assert (
        len({e.id for e in app.ledger.entries if (e.what, e.kind) == ("made", "topic")})
        == 3
    )
    assert property_of(topic_of(vault, "Loaf 2"), "summary") is not None
    assert summary


def test_two_at_once_make_each_topic_once(vault, tmp_path) -> None:
    command = [
        sys.executable, "-m", "mindcache", "digest", "--vault", str(vault),
        "--cache-dir", str(tmp_path / "cache"), "--now", "2026-11-30",
    ]  # fmt: skip
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    both = [
        subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        for _ in range(2)
    ]
    assert [process.wait(timeout=120) for process in both] == [0, 0]
    assert len(topics_of(vault)) == 3


# -- notes that change -----------------------------------------------------

_NOW_BOATS = (
    "The hull of the boat is painted in the harbour; mooring fees for the boat."
)


def test_a_note_that_changed_moves_within_the_week(app, vault) -> None:
    for title in BOATS:  # enough of them that one more or less changes no topic
        (vault / "memory" / f"{title} too.md").write_text(note(BOATS[title]))
    digest(app)
    bread, boats = topic_of(vault, "Rye loaf"), topic_of(vault, "Mainsail")
    assert topic_of(vault, "Crust") == bread
    (vault / "memory" / "Crust.md").write_text(note(_NOW_BOATS))
    night(app, 1, weekly=True)
    assert topic_of(vault, "Crust") == boats
    before = files_of(vault)
    for days in (2, 3):
        assert not night(app, days, weekly=True).is_change
    assert files_of(vault) == before


def test_a_note_that_a_person_put_there_stays(app, vault) -> None:
    digest(app)
    bread = topic_of(vault, "Rye loaf")
    text = bread.read_text()
    bread.write_text(
        text.replace("%% mindcache:end", "- [[Mainsail]]\n%% mindcache:end")
    )
    night(app, 1)
    assert topic_of(vault, "Mainsail") == bread
    for days in (2, 9):
        night(app, days, weekly=True)
        assert topic_of(vault, "Mainsail") == bread


# -- anywhere --------------------------------------------------------------

_ELSEWHERE = """
import sys
from datetime import datetime
from mindcache.app import App
from mindcache.digest import digest

app = App(sys.argv[1], sys.argv[2], now=lambda: datetime(2026, 12, 1, 3, 0))
app.update()
digest(app, weekly=True)
app.close()
"""


def test_two_machines_write_the_same(make_vault, tmp_path) -> None:
    """Clones with other caches, in another order, zone, language and hash seed."""
    found = []
    for number, (zone, lang) in enumerate(
        [("Pacific/Auckland", "C"), ("America/Lima", "de_DE.UTF-8")]
    ):
        vault = make_vault({})
        for path, text in sorted(notes().items(), reverse=bool(number)):
            (vault / path).parent.mkdir(parents=True, exist_ok=True)
            (vault / path).write_text(text)
        command = [sys.executable, "-c", _ELSEWHERE, vault, tmp_path / f"c{number}"]
        machine = {"TZ": zone, "LC_ALL": lang, "PYTHONHASHSEED": str(number)}
        subprocess.run(command, check=True, env={**os.environ, **machine}, cwd=ROOT)
        found.append({**files_of(vault), ".mindcache/ledger": b""})
    assert len([path for path in found[0] if path.startswith("topics/")]) == 3
    assert found[0] == found[1]
