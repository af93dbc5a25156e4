"""Proposals: shown in a note, done when ticked, taken back, and never forged."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache import atomic
from mindcache.app import App
from mindcache.digest import digest
from mindcache.digest.proposals import (
    apply,
    form,
    listed,
    propose,
    reject,
    undo,
    waiting,
)
from mindcache.digest.proposals.book import Proposal
from mindcache.digest.run import _carry_out
from mindcache.digest.step import Night, Outcome, Source, Suggestion
from mindcache.digest.tree import past_of
from mindcache.errors import NoteNotFound, Refused
from mindcache.note import edit, parse
from mindcache.recall import Ask
from mindcache.recall.filters import Filters
from mindcache.vault import appending, commit
from tests import themes
from tests.conftest import NOW

ROOT = Path(__file__).parents[1]
PAGE = "proposals/Proposals 2026-11-30.md"


def fact(number: int, text: str, **more: str) -> str:
    extra = "".join(f"{key}: {value}\n" for key, value in more.items())
    return (
        f"---\nid: m-01KA00000000000000000000A{number}\ntype: fact\n"
        f"summary: {text.splitlines()[0]}\ntags:\n  - scope/project\nstatus: active\n"
        f"{extra}created_at: 2026-0{number}-01T09:30\n---\n{text}\n"
    )


def notes() -> dict[str, str]:
    return {
        "memory/Harbour office.md": fact(1, "The harbour office closes at three."),
        "memory/Harbour hours.md": fact(2, "The office is closed from 3.\n\nAsk Ida."),
        "memory/Berlin.md": fact(3, "Ida lives in Berlin."),
        "memory/Oslo.md": fact(4, "Ida lives in Oslo."),
        "memory/Rules one.md": fact(5, "Use tabs.", project="one"),
        "memory/Rules two.md": fact(6, "Tabs it is.", project="two"),
        "Links.md": "See [[Harbour hours]] and [[Berlin]].\n",
    }


MERGE = Suggestion(
    "merge",
    "merge hours",
    ("memory/Harbour office.md", "memory/Harbour hours.md"),
    "Both say nearly the same.",
    (Source("memory/Harbour office.md", 10, "The harbour office closes at three."),),
)
RETIRE = Suggestion(
    "retire", "city", ("memory/Berlin.md", "memory/Oslo.md"), "Another city, later."
)
ENTITY = Suggestion("entity", "ida", ("memory/Oslo.md",), "Named often.", value="Ida")
PROMOTE = Suggestion(
    "promote",
    "tabs",
    ("memory/Rules one.md", "memory/Rules two.md"),
    "The same in 2 projects.",
)
ALL = (MERGE, RETIRE, ENTITY, PROMOTE)


@pytest.fixture
def vault(make_vault) -> Path:
    return make_vault(notes())


@pytest.fixture
def app(vault, make_app) -> App:
    return make_app(vault)


def night(app: App, suggestions: Sequence[Suggestion], days: int = 0) -> Outcome:
    """The step, carried out as the digest does it."""
    with app.writing():
        at = NOW + timedelta(days=days)
        outcome = propose(Night(app, past_of(app.ledger.entries), at), suggestions)
        _carry_out(app, outcome)
    return outcome


def files_of(vault: Path) -> dict[str, bytes]:
    return {
        path.relative_to(vault).as_posix(): path.read_bytes()
        for path in sorted(vault.rglob("*"))
        if path.is_file() and ".mindcache" not in path.parts
    }


def mark(vault: Path, title: str, with_: str = "x", page: str = PAGE) -> None:
    """What a person does in Obsidian to the box of this line."""
    path = vault / page
    text = path.read_text(encoding="utf-8")
    changed = re.sub(rf"(?m)^- \[.\] ({re.escape(title)}.*)$", rf"- [{with_}] \1", text)
    assert changed != text
    path.write_text(changed, encoding="utf-8")


def apply_order(app: App) -> list[Proposal]:
    from mindcache.digest.proposals.book import Book

    return [p for p in Book(app.ledger.afresh()).of.values() if p.state == "applied"]


def states(app: App) -> dict[str, str]:
    from mindcache.digest.proposals.book import Book

    return {p.key: p.state for p in Book(app.ledger.afresh()).of.values()}


# -- showing ---------------------------------------------------------------


def test_a_proposal_shows_reason_sources_and_diff(app, vault) -> None:
    outcome = night(app, ALL)
    text = (vault / PAGE).read_text()
    assert outcome.said == [f"proposed 4 changes in {PAGE}"]
    assert re.search(
        r"^- \[ \] Merge \[\[Harbour hours\]\] into \[\[Harbour office\]\]"
        r" \^p-[0-9a-z]{10}$",
        text,
        re.MULTILINE,
    )
    assert "> Both say nearly the same." in text
    assert "> [[Harbour office]], line 10: The harbour office closes" in text
    assert "+Ask Ida." in text
    assert '+superseded_by: "[[Oslo]]"' in text
    assert "+  - scope/global" in text
    assert "+++ memory/Ida.md" in text
    assert [p.key for p, *_ in listed(app)] != []
    assert waiting(app) == 4
    assert app.doctor().problems == []


def test_a_second_night_changes_nothing(app, vault) -> None:
    night(app, ALL)
    before, ledger = files_of(vault), app.ledger.afresh()
    for day in (0, 1, 2):
        outcome = night(app, ALL, day)
        assert (outcome.changes, outcome.before, outcome.after) == ([], [], {})
    assert (files_of(vault), app.ledger.afresh()) == (before, ledger)


def test_the_same_suggestion_has_the_same_bytes_anywhere(make_vault, make_app) -> None:
    pages = []
    for name in ("one", "other"):
        vault = make_vault(notes())
        night(make_app(vault, name), ALL)
        pages.append((vault / PAGE).read_bytes())
    assert pages[0] == pages[1]


def test_more_of_a_day_goes_below(app, vault) -> None:
    night(app, [MERGE])
    first = (vault / PAGE).read_bytes()
    night(app, [MERGE, RETIRE])
    whole = (vault / PAGE).read_bytes()
    assert whole.startswith(first)
    assert len(form.boxes_of(parse(PAGE, whole))) == 2


def test_a_page_with_an_open_fence_gets_no_more(app, vault) -> None:
    night(app, [MERGE])
    with (vault / PAGE).open("a") as file:
        file.write("\n```\nmy own notes\n")
    night(app, [MERGE, RETIRE])
    other = vault / "proposals/Proposals 2026-11-30 2.md"
    assert "Retire [[Berlin]]" in other.read_text()
    assert waiting(app) == 2


def test_very_many_are_shown_in_several_notes(make_vault, make_app) -> None:
    files = {f"N{n}.md": f"Fact {n}.\n" for n in range(130)}
    vault = make_vault(files)
    app = make_app(vault)
    many = [Suggestion("retire", f"k{n}", (f"N{n}.md",), "Old.") for n in range(130)]
    outcome = night(app, many)
    assert len(outcome.said) == 2
    assert waiting(app) == 130
    assert night(app, many).changes == []
    second = "proposals/Proposals 2026-11-30 2.md"
    mark(vault, "", "x", second)
    assert len(apply(app).done) == 30


def test_a_long_diff_is_cut_and_shown_whole_on_demand(app, vault) -> None:
    path = vault / "memory/Harbour hours.md"
    path.write_text(path.read_text() + "".join(f"Line {n}.\n" for n in range(500)))
    night(app, [MERGE])
    text = (vault / PAGE).read_text()
    ((number, found),) = re.findall(
        r"… (\d+) more lines: mindcache digest apply (p-\w+) --dry-run", text
    )
    assert len(text) < 10_000
    (shown,) = apply(app, [found], ticked=False, dry_run=True).done
    assert "+Line 499." in shown.diff
    assert shown.diff.count("\n") > int(number)


def test_a_fact_ends_when_the_other_began(make_vault, make_app) -> None:
    files = notes()
    files["memory/Oslo.md"] = fact(4, "Ida lives in Oslo.", valid_from="2026-02-01")
    vault = make_vault(files)
    app = make_app(vault)
    night(app, [RETIRE])
    # Oslo held before the note on Berlin was written: it ends now.
    assert "+valid_until: 2026-11-30T12:00" in (vault / PAGE).read_text()


# -- deciding ----------------------------------------------------------------


def test_ticking_does_it(app, vault) -> None:
    night(app, ALL)
    for title in ("Merge", "Retire", "Make", "Let"):
        mark(vault, title)
    done = apply(app)
    assert len(done.done) == 4
    office = (vault / "memory/Harbour office.md").read_text()
    assert office.startswith(notes()["memory/Harbour office.md"].split("created")[0])
    assert "## Harbour hours" in office
    assert "Ask Ida." in office
    assert not (vault / "memory/Harbour hours.md").exists()
    assert (
        (vault / "Links.md")
        .read_text()
        .startswith("See [[Harbour office|Harbour hours]] and [[Berlin]].")
    )
    berlin = parse("", (vault / "memory/Berlin.md").read_bytes()).properties
    assert berlin["status"] == "archived"
    assert berlin["valid_until"] == "2026-04-01T09:30"
    assert berlin["superseded_by"] == "[[Oslo]]"
    one, two = (
        parse("", (vault / f"memory/Rules {n}.md").read_bytes()).properties
        for n in ("one", "two")
    )
    assert one["tags"] == ["scope/global"]
    assert (two["status"], two["superseded_by"]) == ("archived", "[[Rules one]]")
    assert "contradicts" not in two
    assert (vault / "memory/Ida.md").exists()
    page = parse(PAGE, (vault / PAGE).read_bytes())
    assert page.properties["status"] == "archived"
    assert page.text.count("— done 2026-11-30 ^p-") == 4
    assert app.doctor().problems == []
    before = files_of(vault)
    assert apply(app).done == []
    assert night(app, ALL[1:3], 1).changes == []
    assert files_of(vault) == before


@pytest.mark.parametrize("tick", ["x", "X", "✓"])
def test_these_are_ticks(app, vault, tick) -> None:
    night(app, [RETIRE])
    mark(vault, "Retire", tick)
    assert len(apply(app).done) == 1
    assert f"- [{tick}] Retire" in (vault / PAGE).read_text()


@pytest.mark.parametrize("how", ["-", "line", "note", "trash", "command"])
def test_what_is_refused_never_comes_back(app, vault, how) -> None:
    night(app, [MERGE, RETIRE])
    path = vault / PAGE
    if how == "-":
        mark(vault, "Retire", "-")
    elif how == "line":
        text = path.read_text()
        path.write_text(re.sub(r"(?m)^- \[ \] Retire.*\n", "", text))
    elif how == "note":
        path.unlink()
    elif how == "trash":
        (vault / ".trash").mkdir()
        path.rename(vault / ".trash" / path.name)
    else:
        (found,) = [p.id for p, *_ in listed(app) if p.kind == "retire"]
        reject(app, [found])
        assert "- [-] Retire" in path.read_text()
    apply(app)
    assert states(app)["city"] == "rejected"
    assert states(app)["merge hours"] == (
        "rejected" if how in ("note", "trash") else "shown"
    )
    for day in (1, 2):
        outcome = night(app, [RETIRE], day)
        assert outcome.after == {}
    assert files_of(vault)["memory/Berlin.md"].decode() == notes()["memory/Berlin.md"]


def test_a_box_that_cannot_show_what_was_decided_is_told(
    app, vault, unwritable
) -> None:
    night(app, [MERGE, RETIRE])
    (found,) = [p.id for p, *_ in listed(app) if p.kind == "retire"]
    unwritable.add(Path(PAGE).name)
    done = reject(app, [found])
    assert [each.proposal.id for each in done.rejected] == [found]
    ((proposal, error),) = done.failed
    assert proposal.id == found
    assert "its box in" in str(error)
    assert "- [ ] Retire" in (vault / PAGE).read_text()
    unwritable.clear()
    assert not apply(app).failed
    assert "- [-] Retire" in (vault / PAGE).read_text()


def test_a_page_that_comes_back_is_open_again(app, vault) -> None:
    night(app, [RETIRE])
    text = (vault / PAGE).read_text()
    (vault / PAGE).unlink()
    assert len(apply(app).rejected) == 1
    (vault / PAGE).write_text(text)
    assert waiting(app) == 1
    assert apply(app).rejected == []
    (vault / PAGE).write_text(text.replace("- [ ]", "- [x]"))
    assert len(apply(app).done) == 1


def test_open_ones_wait_and_own_words_stay(app, vault) -> None:
    night(app, [MERGE, RETIRE])
    path = vault / PAGE
    path.write_text(path.read_text() + "\nI am not sure about this.\n- [ ] ask Ida\n")
    mark(vault, "Retire")
    apply(app)
    text = path.read_text()
    assert text.endswith("\nI am not sure about this.\n- [ ] ask Ida\n")
    assert "status: active" in text
    assert waiting(app) == 1


def test_by_id_without_a_tick(app, vault) -> None:
    night(app, ALL)
    ids = {p.kind: p.id for p, *_ in listed(app)}
    before = files_of(vault)
    shown = apply(app, [ids["retire"]], ticked=False, dry_run=True)
    assert "+status: archived" in shown.done[0].diff
    assert files_of(vault) == before
    apply(app, [ids["retire"]], ticked=False)
    assert "- [x] Retire" in (vault / PAGE).read_text()
    with pytest.raises(Refused):
        apply(app, [ids["retire"]], ticked=False)
    with pytest.raises(NoteNotFound):
        apply(app, ["p-0123456789"])


def test_what_was_shown_is_what_is_done_on_a_later_day(app, vault) -> None:
    night(app, [RETIRE])
    (shown,) = [p.id for p, *_ in listed(app)]
    diff = apply(app, [shown], ticked=False, dry_run=True).done[0].diff
    page = (vault / PAGE).read_text()
    added = [line for line in diff.splitlines() if re.match(r"\+\w", line)]
    assert any(line.startswith("+updated_at") for line in added)
    assert all(line in page for line in added)
    apply(app, [shown], ticked=False, now=NOW + timedelta(days=5))
    after = (vault / RETIRE.notes[0]).read_text()
    assert all(line[1:] in after for line in added)


def test_made_after_the_clock_a_note_is_stamped_with_its_making(
    make_vault, make_app
) -> None:
    text = notes()["memory/Berlin.md"]
    made = re.sub(r"created_at: .*", "created_at: 2026-12-24T10:00", text)
    files = {**notes(), "memory/Berlin.md": made}
    root = make_vault(files)
    app = make_app(root)
    night(app, [RETIRE])
    (shown,) = [p.id for p, *_ in listed(app)]
    assert apply(app, [shown], ticked=False).failed == []
    assert "updated_at: 2026-12-24T10:00\n" in (root / "memory/Berlin.md").read_text()


def test_a_moved_page_and_moved_notes_are_found(app, vault) -> None:
    night(app, [RETIRE])
    mark(vault, "Retire")
    (vault / "later").mkdir()
    (vault / PAGE).rename(vault / "later/Mine.md")
    (vault / "memory/Berlin.md").rename(vault / "Berlin once.md")
    assert len(apply(app).done) == 1
    assert "status: archived" in (vault / "Berlin once.md").read_text()
    assert "— done" in (vault / "later/Mine.md").read_text()


# -- what changed meanwhile --------------------------------------------------


@pytest.mark.parametrize("suggestion", [MERGE, RETIRE, PROMOTE], ids=lambda s: s.kind)
def test_what_was_changed_since_is_left_and_proposed_anew(
    app, vault, suggestion
) -> None:
    night(app, [suggestion])
    path = vault / suggestion.notes[0]
    path.write_text(path.read_text() + "\nI changed my mind.\n")
    mark(vault, "", "x")
    before = path.read_bytes()
    done = apply(app)
    assert (len(done.skipped), done.done) == (1, [])
    assert path.read_bytes() == before
    assert "- [>] " in (vault / PAGE).read_text()
    night(app, [suggestion], 1)
    later = "proposals/Proposals 2026-12-01.md"
    mark(vault, "", "x", later)
    assert len(apply(app).done) == 1
    assert "I changed my mind." in path.read_text()


def test_another_status_is_no_change(app, vault) -> None:
    night(app, [MERGE])
    path = vault / MERGE.notes[0]
    path.write_text(path.read_text().replace("status: active", "status: faint"))
    assert night(app, [], 1).said == []
    mark(vault, "Merge")
    assert len(apply(app).done) == 1


def test_what_is_needed_no_more_is_closed(app, vault) -> None:
    night(app, [MERGE, RETIRE, ENTITY])
    (vault / "memory/Harbour hours.md").unlink()
    (vault / "memory/Ida.md").write_text("Ida.\n")
    berlin = vault / "memory/Berlin.md"
    berlin.write_text(berlin.read_text().replace("lives", "lived"))
    outcome = night(app, [], 1)
    assert len(outcome.said) == 3
    text = (vault / PAGE).read_text()
    assert text.count("- [-] ") == 3
    assert "status: archived" in text
    assert waiting(app) == 0
    assert night(app, [], 2).changes == []
    assert night(app, [RETIRE], 3).after != {}


def test_two_ticked_changes_of_one_note_are_both_done(app, vault) -> None:
    also = Suggestion(
        "merge", "other", ("memory/Harbour office.md", "memory/Oslo.md"), "Why not."
    )
    night(app, [MERGE, also])
    mark(vault, "Merge")
    assert len(apply(app).done) == 2
    text = (vault / "memory/Harbour office.md").read_text()
    assert "## Harbour hours" in text
    assert "## Oslo" in text


def test_several_notes_into_one(app, vault) -> None:
    many = Suggestion("merge", "m", (*MERGE.notes, "memory/Oslo.md"), "All three.")
    before = files_of(vault)
    night(app, [many])
    mark(vault, "Merge [[Harbour hours]] and [[Oslo]]")
    assert len(apply(app).done) == 1
    undo(app)
    after = files_of(vault)
    assert {p: after[p] for p in before} == before


def test_both_boxes_ticked_decides_nothing(make_vault, make_app) -> None:
    copy = "memory/Oslo.sync-conflict-20261101-120000-ABCDEFG.md"
    vault = make_vault({**notes(), copy: fact(4, "Ida lives in Bergen.")})
    app = make_app(vault)
    night(app, [Suggestion("diverged", "d", ("memory/Oslo.md", copy), "Both changed.")])
    mark(vault, "")
    before = files_of(vault)
    assert [each.why for each in apply(app).unclear] == ["both boxes are ticked"]
    assert files_of(vault) == before
    mark(vault, "Keep", " ")
    assert len(apply(app).done) == 1
    assert "Bergen" in (vault / "memory/Oslo.md").read_text()
    assert not (vault / copy).exists()
    undo(app)
    assert "Oslo" in (vault / "memory/Oslo.md").read_text()
    assert (vault / copy).exists()


# -- taking back ---------------------------------------------------------------


def test_undo_keeps_the_life_since(app, vault) -> None:
    night(app, [MERGE])
    mark(vault, "")
    apply(app)
    path = vault / MERGE.notes[0]
    path.write_bytes(edit(path.read_bytes(), {"status": "faint", "confidence": 0.7}))
    assert len(undo(app).undone) == 1
    wanted = notes()[MERGE.notes[0]].replace("status: active", "status: faint")
    assert path.read_text() == wanted.replace("\n---\n", "\nconfidence: 0.7\n---\n")


def test_a_refused_box_that_is_ticked_after_all_counts(app, vault) -> None:
    night(app, [RETIRE])
    mark(vault, "Retire", "-")
    apply(app)
    assert "status: archived" in (vault / PAGE).read_text()
    mark(vault, "Retire", "x")
    assert len(apply(app).done) == 1


@pytest.mark.parametrize("suggestion", ALL, ids=lambda s: s.kind)
def test_undo_brings_every_byte_back(app, vault, suggestion) -> None:
    before = files_of(vault)
    night(app, [suggestion])
    mark(vault, "")
    apply(app)
    done = undo(app)
    assert len(done.undone) == 1
    after = files_of(vault)
    assert {p: after[p] for p in before} == before
    assert set(after) - set(before) <= {PAGE, ".trash/memory/Ida.md"}
    assert "— undone 2026-11-30 ^p-" in after[PAGE].decode()
    assert night(app, [suggestion], 1).after == {}
    assert undo(app).undone == []


def test_undo_leaves_what_was_written_since(app, vault) -> None:
    night(app, [MERGE, RETIRE])
    mark(vault, "")
    apply(app)
    office = vault / "memory/Harbour office.md"
    office.write_text(office.read_text() + "My own line.\n")
    links = vault / "Links.md"
    links.write_text(links.read_text() + "And more.\n")
    before = files_of(vault)
    done = undo(app, "2026-11-30")
    assert [p.kind for p, _ in done.failed] == ["merge"]
    assert [each.proposal.kind for each in done.undone] == ["retire"]
    after = files_of(vault)
    for path in ("memory/Harbour office.md", "Links.md"):
        assert after[path] == before[path]
    office.write_text(office.read_text().replace("My own line.\n", ""))
    (merged,) = [p for p, _ in done.failed]
    done = undo(app, merged.id)
    assert "Links.md" in done.undone[0].why
    assert "And more." in links.read_text()
    assert (vault / "memory/Harbour hours.md").exists()


def test_undo_of_a_moved_note_that_was_changed_is_refused(app, vault) -> None:
    night(app, [RETIRE])
    mark(vault, "")
    (vault / "memory/Berlin.md").rename(vault / "Once.md")
    apply(app)
    path = vault / "Once.md"
    path.write_text(path.read_text() + "My own line.\n")
    done = undo(app)
    assert (len(done.failed), done.undone) == (1, [])
    assert states(app)["city"] == "applied"
    assert "My own line." in path.read_text()


def test_texts_are_kept_for_thirty_days(app, vault) -> None:
    night(app, [RETIRE])
    mark(vault, "")
    apply(app)
    kept = vault / ".mindcache/undo/2026-11-30"
    digest(app, now=NOW + timedelta(days=30))
    assert kept.exists()
    digest(app, now=NOW + timedelta(days=31))
    assert not kept.exists()
    assert [type(e) for _, e in undo(app).failed] == [Refused]
    with pytest.raises(NoteNotFound):
        undo(app, "2020-01-01")


# -- hostile words ---------------------------------------------------------------


HOSTILE = (
    "- [x] Merge ^p-0123456789",
    "`````\n- [x] ^p-0123456789\n`````",
    "%% [[Secret]] #tag key:: value <b>x</b> $$ \x1b[31m ~~~ ==a== \u202e",
    "<!-- [[x]] --> ![[y]] [z](z.md) $a$ | `` ` ``",
)


@pytest.mark.parametrize("words", HOSTILE)
def test_quoted_words_mean_nothing_here(make_vault, make_app, words) -> None:
    body = f"Closed from 3.\n\n{words}\n"
    vault = make_vault(
        {**notes(), "memory/Harbour hours.md": fact(2, body), "Secret.md": "x\n"}
    )
    app = make_app(vault)
    hostile = Suggestion(
        "merge", "k", MERGE.notes, words, (Source(MERGE.notes[1], 3, words),), words
    )
    night(app, [hostile, Suggestion("entity", words, (), words, value=words)])
    page = parse(PAGE, (vault / PAGE).read_bytes())
    shown = {p.id for p, *_ in listed(app)}
    assert {box.id for box in form.boxes_of(page)} == shown
    assert {task.mark for task in page.tasks} == {" "}
    assert {link.target for link in page.links} == {"Harbour office", "Harbour hours"}
    assert (page.tags, page.fields) == ((), ())
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", page.text)
    assert apply(app).done == []


TEXTS = st.text(
    st.sampled_from("`~%$<>[]()#^-xX \n*_=|\\:pa0!\t\r\x1b\u2028é"), max_size=80
)


@given(TEXTS, TEXTS, TEXTS)
def test_no_text_makes_a_box(reason: str, words: str, diff: str) -> None:
    proposal = Proposal("p-0123456789", "merge", "k", (), reason, "t")
    lines = form.section(
        proposal, [("", "Merge")], [Source("A.md", 1, words)], diff, lambda _: "[[A]]"
    )
    note = parse("", "\n".join(["Own words.", "", *lines, "- [ ] after"]).encode())
    assert [(box.id, box.mark) for box in form.boxes_of(note)] == [
        ("p-0123456789", " ")
    ]
    assert [task.text for task in note.tasks][1:] == ["after"]
    assert {link.target for link in note.links} <= {"A"}
    assert (note.tags, note.fields, note.headings) == ((), (), ())


def test_an_id_elsewhere_decides_nothing(app, vault) -> None:
    night(app, [RETIRE])
    (found,) = [p.id for p, *_ in listed(app)]
    line = f"- [x] Retire ^{found}\n"
    (vault / "Forged.md").write_text(line)
    (vault / "memory/Forged.md").write_text(f"---\ntype: proposal\n---\n{line}")
    path = vault / PAGE
    path.write_text(path.read_text() + f"\n```\n{line}```\n")
    (vault / "later").mkdir()
    path.rename(vault / "later/Mine.md")
    assert apply(app).done == []
    (vault / "later/Mine.md").rename(path)
    # Twice in its own note, nobody can say which is meant.
    path.write_text(path.read_text() + line)
    assert [each.why for each in apply(app).unclear] == ["its box stands there twice"]


def test_a_box_that_cannot_be_read_is_not_refused(app, vault) -> None:
    night(app, [RETIRE])
    path = vault / PAGE
    text = path.read_text()
    for broken in (
        text.replace("- [ ] Retire", "```\n- [ ] Retire"),
        text.replace("type: proposal", "type: [proposal"),
        f"<<<<<<< HEAD\n{text}=======\n>>>>>>> other\n",
    ):
        path.write_text(broken)
        assert apply(app).rejected == []
        assert states(app)["city"] == "shown"
    path.write_text(text)
    assert waiting(app) == 1


# -- recall -----------------------------------------------------------------------


def test_recall_does_not_answer_from_proposals(app, vault) -> None:
    night(app, ALL)
    for search in ("deep", "exact", "semantic"):
        for text in ("harbour office closes at three", "tick a box to agree"):
            hits = app.ask(search, Ask(text, floor=0.0)).hits
            assert all(hit.type != "proposal" for hit in hits)
        asked = Ask("tick a box to agree", Filters(types=("proposal",)), floor=0.0)
        assert [h.path for h in app.ask(search, asked).hits][:1] == [PAGE]


# -- killed, and at the same time ---------------------------------------------------


class Killed(BaseException):
    """What no wall in the program catches."""


def dying(patch: pytest.MonkeyPatch, writes: int) -> None:
    """Let the process end at the write after so many."""
    left = [writes]

    def mortal(real: Callable[..., object]) -> Callable[..., object]:
        def write(*args: object, **kwargs: object) -> object:
            if left[0] == 0:
                raise Killed
            left[0] -= 1
            return real(*args, **kwargs)

        return write

    for module, name in (
        (atomic, "replace"),
        (atomic, "create"),
        (atomic, "rename"),
        (appending, "append"),
    ):
        patch.setattr(module, name, mortal(getattr(module, name)))


def test_killed_at_any_write_the_next_goes_on(
    make_vault, make_app, monkeypatch
) -> None:
    ends = []
    for writes in range(40):
        vault = make_vault(notes())
        app = make_app(vault, f"cache{writes}")
        night(app, [MERGE, PROMOTE])
        mark(vault, "")
        app.update()
        was_killed = True
        with monkeypatch.context() as patch, contextlib.suppress(Killed):
            dying(patch, writes)
            apply(app)
            was_killed = False
        assert b"Ask Ida." in b"".join(files_of(vault).values())
        again = make_app(vault, f"cache{writes}")
        apply(again)
        assert set(states(again).values()) == {"applied"}, writes
        ends.append(files_of(vault))
        assert ends[0] == ends[-1], writes
        assert not (vault / ".mindcache/tmp").exists()
        if not was_killed:
            break
    else:
        pytest.fail("it never came to its end")
    assert len(ends) > 15


def test_killed_in_the_first_of_two_merges_both_are_carried_out(
    make_vault, make_app, monkeypatch
) -> None:
    other = Suggestion(
        "merge",
        "merge more",
        ("memory/Harbour office.md", "memory/Oslo.md"),
        "Both say nearly the same.",
    )
    for writes in range(0, 60, 3):
        vault = make_vault(notes())
        app = make_app(vault, f"cache{writes}")
        night(app, [MERGE, other])
        mark(vault, "")
        app.update()
        was_killed = True
        with monkeypatch.context() as patch, contextlib.suppress(Killed):
            dying(patch, writes)
            apply(app)
            was_killed = False
        again = make_app(vault, f"cache{writes}")
        apply(again)
        assert set(states(again).values()) == {"applied"}, writes
        text = (vault / "memory/Harbour office.md").read_text()
        assert "Ask Ida." in text
        assert "Ida lives in Oslo." in text
        if not was_killed:
            break
    else:
        pytest.fail("it never came to its end")


def test_undo_says_which_proposal_stands_above(app, vault) -> None:
    other = Suggestion(
        "merge",
        "merge more",
        ("memory/Harbour office.md", "memory/Oslo.md"),
        "Both say nearly the same.",
    )
    night(app, [MERGE, other])
    mark(vault, "")
    apply(app)
    ids = {p.key: p.id for p in apply_order(app)}
    ((_, error),) = undo(app, ids["merge hours"]).failed
    assert f"mindcache digest undo {ids['merge more']} first" in error.mend
    undo(app, ids["merge more"])
    assert undo(app, ids["merge hours"]).failed == []


def test_the_doctor_names_what_was_half_done_and_ends_it(
    vault, make_app, monkeypatch
) -> None:
    app = make_app(vault)
    night(app, [MERGE])
    mark(vault, "")
    app.update()
    with monkeypatch.context() as patch, contextlib.suppress(Killed):
        dying(patch, 4)
        apply(app)
    again = make_app(vault, "again")
    assert states(again) == {"merge hours": "applying"}
    (found,) = [
        p for p in again.doctor().problems if "begun and not ended" in p.message
    ]
    assert (found.path, found.severity) == (PAGE, "error")
    assert "Merge Harbour hours into Harbour office (p-" in found.message
    again.tidy()
    assert (
        "Merge Harbour hours into Harbour office: it had been interrupted"
        in "".join(again.remarks)
    )
    assert states(again) == {"merge hours": "applied"}
    assert not [p for p in again.doctor().problems if p.code == "unfinished"]
    assert "- [x] Merge" in (vault / PAGE).read_text()


def test_killed_while_taking_back(make_vault, make_app, monkeypatch) -> None:
    for writes in range(20):
        vault = make_vault(notes())
        before = files_of(vault)
        app = make_app(vault, f"cache{writes}")
        night(app, [MERGE])
        mark(vault, "")
        apply(app)
        was_killed = True
        with monkeypatch.context() as patch, contextlib.suppress(Killed):
            dying(patch, writes)
            undo(app)
            was_killed = False
        again = make_app(vault, f"cache{writes}")
        if states(again)["merge hours"] == "applied":
            undo(again)
        apply(again)
        assert states(again)["merge hours"] == "undone", writes
        after = files_of(vault)
        assert {p: after[p] for p in before} == before, writes
        if not was_killed:
            break
    else:
        pytest.fail("it never came to its end")


def test_a_night_that_was_killed_shows_it_the_next(
    make_vault, make_app, monkeypatch
) -> None:
    for writes in range(20):
        vault = make_vault(notes())
        app = make_app(vault, f"cache{writes}")
        app.update()
        was_killed = True
        with monkeypatch.context() as patch, contextlib.suppress(Killed):
            dying(patch, writes)
            night(app, [MERGE, RETIRE])
            was_killed = False
        # What nothing was noted of is found anew.
        night(app, [] if states(app) else [MERGE, RETIRE], 1)
        assert waiting(app) == 2, writes
        assert set(states(app).values()) == {"shown"}
        assert night(app, [MERGE, RETIRE], 2).changes == []
        if not was_killed:
            break
    else:
        pytest.fail("it never came to its end")


def test_a_killed_process_is_gone_on_from(vault, app) -> None:
    night(app, [MERGE])
    mark(vault, "")
    app.update()
    script = (
        "import os, signal, sys\n"
        "from mindcache import atomic\n"
        "from mindcache.cli import run\n"
        "def die(*_, **__): os.kill(os.getpid(), signal.SIGKILL)\n"
        "atomic.rename = die\n"
        "run(sys.argv[1:])\n"
    )
    caches = os.path.dirname(app.cache_folder)
    ended = subprocess.run(
        [sys.executable, "-c", script, "digest", "apply",
         "--vault", str(vault), "--cache-dir", caches],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False, capture_output=True, timeout=60,
    )  # fmt: skip
    assert ended.returncode == -signal.SIGKILL
    assert (vault / "memory/Harbour hours.md").exists()
    done = apply(app)
    assert [each.why for each in done.done] == ["it had been interrupted"]
    assert not (vault / "memory/Harbour hours.md").exists()


def test_two_processes_do_it_once(vault, app) -> None:
    night(app, ALL)
    mark(vault, "")
    app.update()
    caches = os.path.dirname(app.cache_folder)
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "mindcache", "digest", "apply", "--json",
             "--vault", str(vault), "--cache-dir", caches],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
        )
        for _ in range(3)
    ]  # fmt: skip
    answers = [json.loads(each.communicate(timeout=60)[0]) for each in running]
    assert sorted(len(a["applied"]) for a in answers) == [0, 0, 4]
    assert all(a["failed"] == [] for a in answers)


def test_what_is_saved_in_the_middle_is_kept(app, vault, monkeypatch) -> None:
    """An editor saves a note, and the page itself, just as each is to be written."""
    night(app, [RETIRE, PROMOTE])
    mark(vault, "")
    saved: set[str] = set()
    real = atomic.replace

    def racing(full: str, *args: object, **kwargs: object) -> None:
        if full.endswith(("Berlin.md", f"{PAGE[-13:]}")) and full not in saved:
            saved.add(full)
            with open(full, "a", encoding="utf-8") as file:
                file.write("Saved just now.\n")
        real(full, *args, **kwargs)

    monkeypatch.setattr(atomic, "replace", racing)
    done = apply(app)
    assert [each.proposal.kind for each in done.skipped] == ["retire"]
    assert [each.proposal.kind for each in done.done] == ["promote"]
    for name in ("memory/Berlin.md", PAGE):
        assert (vault / name).read_text().endswith("Saved just now.\n")
    assert "status: active" in (vault / "memory/Berlin.md").read_text()
    assert "- [x] Let" in (vault / PAGE).read_text()
    assert "— done" in (vault / PAGE).read_text()


# -- in the digest -------------------------------------------------------------------


def test_the_digest_applies_first(app, vault) -> None:
    night(app, [RETIRE])
    mark(vault, "")
    report = digest(app, now=NOW + timedelta(days=1))
    assert report.outcomes[0].said == ["done: Retire Berlin for Oslo"]
    assert report.is_change
    assert "status: archived" in (vault / "memory/Berlin.md").read_text()
    assert not digest(app, now=NOW + timedelta(days=2)).is_change


def test_a_dry_run_writes_nothing(app, vault) -> None:
    night(app, [RETIRE])
    mark(vault, "")
    before = files_of(vault)
    ledger = app.ledger.afresh()
    report = digest(app, now=NOW + timedelta(days=1), dry_run=True)
    assert report.outcomes[0].said == ["would do: Retire Berlin for Oslo"]
    assert (files_of(vault), app.ledger.afresh()) == (before, ledger)


def test_what_cannot_be_merged_is_told_and_not_proposed(app, vault) -> None:
    (vault / "memory/Oslo.md").write_text("---\na: [\n---\nBroken.\n")
    broken = Suggestion("merge", "b", ("memory/Berlin.md", "memory/Oslo.md"), "Why.")
    odd = [Suggestion(kind, "x", (), "?") for kind in ("paint", "retire", "diverged")]
    outcome = night(app, [broken, *odd])
    assert [p.code for p in outcome.problems] == ["not-proposed"] * 4
    bad = Suggestion("retire", "bad\udcff", ("bad\udcff.md",), "?")
    assert [p.code for p in night(app, [bad]).problems] == ["not-proposed"]
    assert outcome.changes == []
    assert commit(app.vault, []).done == []


def test_a_proposal_ties_no_notes_together(make_vault, make_app) -> None:
    files = {"One.md": "A lighthouse keeper.\n", "Two.md": "Cardamom buns.\n"}
    answers = []
    for name in ("with", "without"):
        vault = make_vault(files)
        app = make_app(vault, name)
        if name == "with":
            both = Suggestion("merge", "k", ("One.md", "Two.md"), "Why.")
            night(app, [both])
        asked = Ask("lighthouse keeper", floor=0.0, expand=True)
        answers.append(
            {h.path: [x.path for x in h.linked] for h in app.ask("deep", asked).hits}
        )
    assert answers[0] == answers[1]


def test_without_a_question_or_filter_nothing_is_listed(app) -> None:
    night(app, ALL)
    assert app.ask("exact", Ask("")).hits == ()
    listing = app.ask("exact", Ask("", Filters(statuses=("active",)))).hits
    assert "proposal" not in {hit.type for hit in listing}


# -- topics ---------------------------------------------------------------------


def topics_vault() -> dict[str, str]:
    made = {"Boats": "Bilge pump", "Nautica": "Mainsail", "Sails": "Outboard"}
    files = themes.notes("boats", "bread")
    for name, title in made.items():
        above = "parent_topic: '[[Nautica]]'\n" if name == "Sails" else ""
        above += "aliases:\n  - NAC\n" if name == "Boats" else ""
        above += "aliases:\n  - NAc\n  - Ships\n" if name == "Nautica" else ""
        files[f"topics/{name}.md"] = (
            f"---\ntype: topic\n{above}pinned: true\n---\nMy words on {name}.\n\n"
            f"%% mindcache:begin %%\n- [[{title}]]\n%% mindcache:end %%\n"
        )
    return files


def test_two_topics_of_a_person_become_one(make_vault, make_app) -> None:
    vault = make_vault(topics_vault())
    app = make_app(vault)
    digest(app)
    before = files_of(vault)
    members = {
        name: set(re.findall(r"(?m)^- (\[\[[^\]]+\]\])", before[path].decode()))
        for name in ("Boats", "Nautica")
        for path in [f"topics/{name}.md"]
    }
    one = Suggestion(
        "topics", "t", ("topics/Boats.md", "topics/Nautica.md"), "One and the same."
    )
    night(app, [one])
    assert "Merge the topic [[Nautica]] into [[Boats]]" in (vault / PAGE).read_text()
    digest(app, now=NOW + timedelta(days=1))
    mark(vault, "")
    assert len(apply(app).done) == 1
    _, note, memory = app.look("topics/Boats.md")
    held = {f"[[{x}]]" for x in re.findall(r"(?m)^- \[\[([^\]|]+)\]\]", note.text)}
    assert members["Boats"] | members["Nautica"] - {"[[Sails]]"} <= held
    assert {"NAC", "Ships", "Nautica"} <= set(memory.aliases)
    assert len({alias.casefold() for alias in memory.aliases}) == len(memory.aliases)
    assert "My words on Boats." in note.text
    assert "My words on Nautica." in note.text
    assert note.text.count("mindcache:begin") == 1
    sails = parse("", (vault / "topics/Sails.md").read_bytes())
    assert sails.properties["parent_topic"] == "[[Boats|Nautica]]"
    assert not (vault / "topics/Nautica.md").exists()
    # The digest goes on with it, and makes no second one.
    report = digest(app, now=NOW + timedelta(days=2), again=True)
    assert report.made == []
    assert "topics/Nautica.md" not in files_of(vault)
    still = (vault / "topics/Boats.md").read_text()
    assert held <= {f"[[{x}]]" for x in re.findall(r"\[\[([^\]|]+)\]\]", still)}


def test_a_topic_is_no_parent_of_its_own(make_vault, make_app) -> None:
    vault = make_vault(topics_vault())
    app = make_app(vault)
    night(
        app,
        [Suggestion("topics", "t", ("topics/Sails.md", "topics/Nautica.md"), "One.")],
    )
    before = files_of(vault)
    mark(vault, "")
    assert len(apply(app).done) == 1
    sails = parse("", (vault / "topics/Sails.md").read_bytes())
    assert "parent_topic" not in sails.properties
    assert "[[Mainsail]]" in sails.text
    undo(app)
    after = files_of(vault)
    assert {p: after[p] for p in before if p != PAGE} == {
        p: before[p] for p in before if p != PAGE
    }
