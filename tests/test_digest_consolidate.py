"""What the digest makes one by itself, what it offers, and what it leaves alone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from bench.alike import generated
from mindcache import model
from mindcache.alike import normal_of
from mindcache.app import App
from mindcache.digest import digest
from mindcache.digest.consolidate import consolidate
from mindcache.digest.run import Night
from mindcache.digest.tree import past_of
from mindcache.index.embedding import open_encoder
from mindcache.note import parse
from tests.conftest import NOW
from tests.test_alike import WORDINGS
from tests.test_digest import files_of
from tests.test_write_moving import play

ID = "m-01KQR4HQ0016B8652A2VCAEF{:02}"


def fact(
    number: int, text: str, day: str = "2026-01-05", more: str = "", kind: str = "fact"
) -> str:
    return (
        f'---\nid: {ID.format(number)}\ntype: {kind}\nsummary: "{text}"\n'
        f"tags:\n  - scope/project\n{more}created_at: {day}\n---\n{text}\n"
    )


def looked_at(app: App, **options):  # type: ignore[no-untyped-def]
    now = NOW.replace(tzinfo=None)
    return consolidate(Night(app, past_of(app.ledger.entries), now, **options))


def offered(app: App, kind: str) -> list[tuple[str, ...]]:
    return [s.notes for s in looked_at(app).suggestions if s.kind == kind]


# -- by itself ---------------------------------------------------------------


def imported(vault: Path, folder: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        full = folder / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text, encoding="utf-8")
        code, out = play(vault, "import", "markdown", str(full.parent))
        assert code == 0, out


CRANE = "---\ntype: fact\ntags: [client/acme]\n---\nThe crane lifts twelve tonnes.\n"
AGAIN = (
    "---\ntags:\n  - client/acme\ntype: fact\n---\nThe  Crane lifts twelve tonnes.\n"
)


@pytest.fixture
def twins(make_vault, tmp_path) -> Path:
    """A vault with two notes that were made of two sources that say the same."""
    root = make_vault({})
    imported(root, tmp_path / "src", {"a/Crane.md": CRANE, "b/Crane.md": AGAIN})
    return root


def notes_in(vault: Path) -> list[str]:
    return sorted(p.name for p in (vault / "memory").glob("*.md"))


def test_equal_notes_that_nobody_edited_become_one(twins, make_app) -> None:
    assert len(notes_in(twins)) == 2
    report = digest(make_app(twins))
    assert len(notes_in(twins)) == 1
    assert report.failed == []
    said = [line for outcome in report.outcomes for line in outcome.said]
    assert len([line for line in said if line.startswith("merged ")]) == 1
    kept = parse("", (twins / "memory" / notes_in(twins)[0]).read_bytes())
    assert kept.properties["id"] == min(
        parse("", p.read_bytes()).properties["id"] for p in twins.rglob("Crane*.md")
    )
    before = files_of(twins)
    again = digest(make_app(twins, "other"), now=NOW + timedelta(days=1))
    assert not again.is_change
    assert files_of(twins) == before


def test_what_came_back_from_the_trash_stays(twins, make_app) -> None:
    digest(make_app(twins))
    (gone,) = (twins / ".trash" / "memory").glob("*.md")
    assert play(twins, "restore", f"memory/{gone.name}")[0] == 0
    digest(make_app(twins, "other"), now=NOW + timedelta(days=1))
    assert len(notes_in(twins)) == 2
    # Nor does an import make it a third time.
    assert (
        "new" not in play(twins, "import", "markdown", str(twins.parent / "src/a"))[1]
    )


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("twelve", "twenty"),
        lambda text: text.replace("summary: ", "rating: 5\nsummary: "),
        lambda text: text.replace("type: fact", "type: event"),
        lambda text: text.replace("created_at", "pinned: true\ncreated_at"),
        lambda text: text.replace("scope/project", "scope/global"),
        lambda text: text + "\nAnd it squeaks.\n",
    ],
)
def test_what_somebody_edited_is_left_as_it_is(twins, make_app, edit) -> None:
    for path in (twins / "memory").glob("*.md"):
        path.write_text(edit(path.read_text(encoding="utf-8")), encoding="utf-8")
    digest(make_app(twins))
    assert len(notes_in(twins)) == 2


def test_what_is_linked_to_stays(twins, make_app) -> None:
    names = notes_in(twins)
    (twins / "Hub.md").write_text("".join(f"[[{name[:-3]}]]\n" for name in names))
    digest(make_app(twins))
    assert notes_in(twins) == names


def test_notes_that_nobody_imported_are_only_offered(make_vault, make_app) -> None:
    text = "The crane lifts twelve tonnes."
    root = make_vault({"memory/a.md": fact(1, text), "memory/b.md": fact(2, text)})
    before = files_of(root)
    outcome = looked_at(make_app(root))
    assert outcome.changes == []
    assert [s.kind for s in outcome.suggestions] == ["merge"]
    assert outcome.suggestions[0].notes == ("memory/a.md", "memory/b.md")
    assert files_of(root) == before


def test_of_200_generated_pairs_none_is_taken_wrongly() -> None:
    pairs = list(generated())
    assert len(pairs) == 200
    wrong = [pair for pair in pairs if (pair[1] == pair[2]) is not pair[0]]
    assert wrong == []
    assert sum(pair[0] for pair in pairs) == 100


def test_the_same_words_below_two_names_are_two_notes() -> None:
    one, other = (normal_of(name, {}, "Likes hiking.") for name in ("Alice", "Bob"))
    assert one != other
    assert normal_of("Likes hiking", {}, "Likes hiking.") == normal_of(
        "likes hiking 2", {}, "likes hiking."
    )


def test_near_equal_facts_in_chinese_are_offered(make_vault, make_app) -> None:
    root = make_vault(
        {
            "memory/a.md": fact(1, "中文合約轉換已完成。"),
            "memory/b.md": fact(2, "中文合約轉換已經完成。"),
            "memory/c.md": fact(3, "英文合約轉換尚未開始。"),
        }
    )
    assert offered(make_app(root), "merge") == [("memory/a.md", "memory/b.md")]


def test_nine_wordings_of_a_fact_are_offered_as_one(make_vault, make_app) -> None:
    _, *texts = WORDINGS["contact"]
    files = {f"memory/{n}.md": fact(n, text) for n, text in enumerate(texts, 1)}
    files["memory/x.md"] = fact(20, "The contact for billing at Globex is Tom Krall.")
    pairs = offered(make_app(make_vault(files)), "merge")
    assert pairs == [("memory/1.md", f"memory/{n}.md") for n in range(2, 10)]


def test_a_question_is_no_wording_of_its_answer(make_vault, make_app) -> None:
    texts = (
        "Does Priya work at the Umbrella office?",
        "Priya now works at the Umbrella office.",
        "Priya would work at the Umbrella office.",
        "Anna's work email is anna@umbrella.example.",
        "Anna works at Umbrella.",
    )
    files = {f"memory/{n}.md": fact(n, text) for n, text in enumerate(texts, 1)}
    assert looked_at(make_app(make_vault(files))).suggestions == []


# -- contradictions ----------------------------------------------------------

BERLIN = fact(1, "Anna Berg lives in Berlin.", "2025-02-03")
HAMBURG = fact(2, "Anna Berg moved to Hamburg in March.", "2026-04-10")


def test_of_two_values_the_later_one_is_offered_to_hold(make_vault, make_app) -> None:
    app = make_app(make_vault({"memory/old.md": BERLIN, "memory/new.md": HAMBURG}))
    (found,) = looked_at(app).suggestions
    assert (found.kind, found.notes) == ("retire", ("memory/old.md", "memory/new.md"))
    assert "city of anna berg: berlin / hamburg" in found.reason
    assert [(s.path, s.line, s.words) for s in found.sources] == [
        ("memory/old.md", 9, "Anna Berg lives in Berlin."),
        ("memory/new.md", 9, "Anna Berg moved to Hamburg in March."),
    ]
    assert [s.key for s in looked_at(app).suggestions] == [found.key]


def test_seconds_of_one_day_tell_which_is_the_later(make_vault, make_app) -> None:
    first = BERLIN.replace("2025-02-03", "2025-02-03T09:00")
    second = HAMBURG.replace("2026-04-10", "2025-02-03T09:00:04")
    app = make_app(make_vault({"memory/z.md": first, "memory/a.md": second}))
    (found,) = looked_at(app).suggestions
    assert (found.kind, found.notes) == ("retire", ("memory/z.md", "memory/a.md"))
    assert "09:00:04, the latest holds" in found.reason


@pytest.mark.parametrize("times", [("", "T09:00"), ("T09:00", "T09:00"), ("", "")])
def test_a_day_is_not_before_its_hours(make_vault, make_app, times) -> None:
    first = BERLIN.replace("2025-02-03", f"2025-02-03{times[0]}")
    second = HAMBURG.replace("2026-04-10", f"2025-02-03{times[1]}")
    outcome = looked_at(
        make_app(make_vault({"memory/a.md": first, "memory/b.md": second}))
    )
    assert outcome.suggestions == []
    assert len(outcome.waiting) == 1


def test_where_none_is_later_it_waits_for_a_person(make_vault, make_app) -> None:
    same_day = HAMBURG.replace("2026-04-10", "2025-02-03")
    app = make_app(make_vault({"memory/a.md": BERLIN, "memory/b.md": same_day}))
    outcome = looked_at(app)
    assert outcome.suggestions == []
    assert len(outcome.waiting) == 1
    assert "contradict" in outcome.waiting[0]


def test_what_is_settled_is_not_offered_again(make_vault, make_app) -> None:
    for more in (
        "status: archived\n",
        "valid_until: 2026-01-01\n",
        'superseded_by: "[[new]]"\n',
        'contradicts:\n  - "[[new]]"\n',
        "digest: false\n",
    ):
        old = BERLIN.replace("created_at", f"{more}created_at")
        app = make_app(
            make_vault({"memory/old.md": old, "memory/new.md": HAMBURG}), more[:6]
        )
        assert looked_at(app).suggestions == [], more


def test_a_mention_retires_nothing(make_vault, make_app) -> None:
    root = make_vault(
        {
            "memory/a.md": fact(1, "Priya works at Acme.", "2025-01-01"),
            "memory/b.md": fact(2, "Priya administers Acme's GitHub.", "2026-01-01"),
            "memory/c.md": fact(3, "Priya met the CTO of Umbrella.", "2026-02-01"),
        }
    )
    outcome = looked_at(make_app(root))
    assert (outcome.suggestions, outcome.waiting) == ([], [])


def test_what_was_sold_is_no_longer_owned(make_vault, make_app) -> None:
    root = make_vault(
        {
            "memory/a.md": fact(1, "Ida owns a sailing boat.", "2025-01-01"),
            "memory/b.md": fact(2, "Ida sold her sailing boat.", "2026-01-01"),
        }
    )
    assert offered(make_app(root), "retire") == [("memory/a.md", "memory/b.md")]


def test_two_projects_have_each_their_own(make_vault, make_app) -> None:
    root = make_vault(
        {
            "memory/a.md": fact(
                1, "The deadline is 3 May 2026.", "2026-01-01", "project: one\n"
            ),
            "memory/b.md": fact(
                2, "The deadline is 9 June 2026.", "2026-02-01", "project: two\n"
            ),
            "memory/c.md": fact(
                3, "The deadline is 1 July 2026.", "2026-03-01", "project: two\n"
            ),
        }
    )
    assert offered(make_app(root), "retire") == [("memory/b.md", "memory/c.md")]


def test_an_entity_is_found_by_its_aliases_and_never_retired(
    make_vault, make_app
) -> None:
    anna = fact(
        1,
        "Anna Berg.",
        "2025-01-01",
        "aliases:\n  - Annie\nlives_in: Berlin\n",
        "entity",
    )
    root = make_vault(
        {
            "memory/Anna Berg.md": anna,
            "memory/b.md": fact(2, "Annie moved to Hamburg.", "2026-01-01"),
        }
    )
    outcome = looked_at(make_app(root))
    assert outcome.suggestions == []
    assert "memory/Anna Berg.md and memory/b.md contradict" in outcome.waiting[0]


def test_what_happened_is_never_touched(make_vault, make_app) -> None:
    files = {
        f"memory/{number}.md": fact(number, text, day, kind="event")
        for number, (text, day) in enumerate(
            [
                ("Anna Berg lives in Berlin.", "2025-01-01"),
                ("Anna Berg lives in Hamburg.", "2026-01-01"),
                ("Anna Berg lives in Hamburg.", "2026-01-01"),
            ],
            1,
        )
    }
    outcome = looked_at(make_app(make_vault(files)))
    assert (outcome.changes, outcome.suggestions, outcome.waiting) == ([], [], [])


# -- entities ----------------------------------------------------------------


def entity(number: int, text: str) -> str:
    return fact(number, text, kind="entity")


def test_rails_is_ruby_on_rails_and_ruby_is_not(make_vault, make_app) -> None:
    root = make_vault(
        {
            "memory/rails.md": entity(1, "A framework for web applications."),
            "memory/ROR.md": entity(2, "The web framework of our shop."),
            "memory/ruby on rails.md": entity(3, "A web framework written in Ruby."),
            "memory/Ruby.md": entity(4, "A programming language."),
            "memory/Ruby Tuesday.md": entity(5, "A restaurant."),
        }
    )
    outcome = looked_at(make_app(root))
    merges = [s for s in outcome.suggestions if s.kind == "merge"]
    assert sorted(s.notes for s in merges) == [
        ("memory/ruby on rails.md", "memory/ROR.md"),
        ("memory/ruby on rails.md", "memory/rails.md"),
    ]
    assert {"initials" in s.reason or "for short" in s.reason for s in merges} == {True}
    assert outcome.changes == []


def test_names_that_differ_in_case_alone_are_one(make_vault, make_app) -> None:
    root = make_vault(
        {
            "memory/NAC.md": entity(1, "A club."),
            "people/NAc.md": entity(2, "The club."),
            "memory/Site Plan.md": entity(3, "A plan of the site."),
            "memory/site-plan.md": entity(4, "Where the buildings stand."),
        }
    )
    assert len(offered(make_app(root), "merge")) == 2


def test_a_name_that_many_notes_mention_is_offered_a_note(make_vault, make_app) -> None:
    files = {
        f"memory/{n}.md": fact(
            n, f"On lap {n} we saw Greta Lund near the lock.", f"2026-03-0{n}"
        )
        for n in range(1, 6)
    }
    (found,) = [
        s
        for s in looked_at(make_app(make_vault(files))).suggestions
        if s.kind == "entity"
    ]
    assert (found.value, len(found.notes)) == ("Greta Lund", 5)
    files["memory/Greta Lund.md"] = entity(9, "A swimmer.")
    assert offered(make_app(make_vault(files), "b"), "entity") == []
    one_day = {p: t.replace("2026-03-0", "2026-03-1") for p, t in files.items()}
    same = {p: t.replace("2026-03-12", "2026-03-11") for p, t in one_day.items()}
    del same["memory/Greta Lund.md"], same["memory/5.md"]
    assert offered(make_app(make_vault(same), "c"), "entity") == []


# -- promotion ---------------------------------------------------------------


def said_in(projects: list[str]) -> dict[str, str]:
    text = "Write commit messages in the imperative."
    return {
        f"memory/{n}.md": fact(n, text, f"2026-02-0{n}", f"project: {project}\n")
        for n, project in enumerate(projects, 1)
    }


def test_what_three_projects_say_is_offered_for_all(make_vault, make_app) -> None:
    three = make_app(make_vault(said_in(["one", "two", "three"])))
    assert offered(three, "promote") == [("memory/1.md", "memory/2.md", "memory/3.md")]
    assert offered(three, "merge") == []
    two = make_app(make_vault(said_in(["one", "two", "two"])), "b")
    assert offered(two, "promote") == []
    config = {".mindcache/config.toml": "[digest]\npromote_after = 2\n"}
    lower = make_app(make_vault({**said_in(["one", "two"]), **config}), "c")
    assert len(offered(lower, "promote")) == 1


def test_thirty_nights_of_chat_promote_nothing(make_vault, make_app) -> None:
    files = {}
    for day in range(1, 31):
        lines = "\n".join(
            f"**{who}:** sure, sounds good, talk later about the thing {day % 3}"
            for who in ("Ann", "Bo", "Cy")
        )
        files[f"chats/2026-10-{day:02}.md"] = (
            f"---\nid: {ID.format(day)}\ntype: event\nsource_type: chat\n"
            f"project: p{day % 4}\ntime_start: 2026-10-{day:02}\n---\n{lines}\n"
        )
    root = make_vault(files)
    app = make_app(root)
    before = files_of(root)
    for day in range(30):
        report = digest(app, now=NOW + timedelta(days=day))
        found = [s for o in report.outcomes for s in o.suggestions]
        assert [s for s in found if s.kind != "entity"] == []
    after = files_of(root)
    assert {p: after[p] for p in files} == {p: before[p] for p in files}
    assert not any("scope/global" in text.decode() for text in after.values())


def test_all_pairs_are_found_whatever_the_size_of_a_block(
    make_vault, make_app, monkeypatch
) -> None:
    from mindcache.digest import tellings

    files = {
        f"memory/{n}.md": fact(n, f"The pump of dock {n} runs for {n} minutes.")
        for n in range(1, 20)
    }
    app = make_app(make_vault(files))
    found = tellings.read_tellings(app.corpus(), NOW)
    whole = list(found.near())
    monkeypatch.setattr(tellings, "_BLOCK", 4)
    assert sorted(found.near()) == sorted(whole)
    new = list(found.near([3]))
    assert sorted(new) == sorted(p for p in whole if 3 in p[:2])
    encoder = open_encoder(Path(model.shipped()))
    for one, other, cosine in whole[:5]:
        texts = [found.of[at].chunks[0].text for at in (one, other)]
        exact = encoder.encode(texts)
        assert cosine == pytest.approx(float(exact[0] @ exact[1]), abs=0.02)
    assert datetime.fromisoformat(found.of[0].at)


def test_a_fact_that_begins_later_retires_nothing_yet(make_vault, make_app) -> None:
    older = fact(1, "Oda lives in Berlin.", "2026-03-01")
    newer = fact(2, "Oda lives in Oslo.", "2026-06-01")
    begins = newer.replace("created_at", "valid_from: 2026-12-24\ncreated_at")
    for name, text, found in (
        ("now", newer, [("a.md", "b.md")]),
        ("valid", begins, []),
        ("made", newer.replace("2026-06", "2026-12"), []),
    ):
        app = make_app(make_vault({"a.md": older, "b.md": text}), name)
        assert offered(app, "retire") == found, name
