"""Pages that Mindcache laid down or wrote answer nobody who doesn't ask for them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest

from mindcache.digest import reporting
from mindcache.recall import Ask, Filters, deep, exact, semantic
from mindcache.recall.own import LAID_DOWN, REPORT_ID
from mindcache.vault import content_hash
from mindcache.write.ids import derived_id
from tests.conftest import write_files

TEMPLATE = Path(__file__).parents[1] / "vault_template"
PAGES = sorted(TEMPLATE.rglob("*.md"))
NOTE = {"bread.md": "# Rye bread\n\nThe rye loaf needs a long proof.\n"}


def fitted_out(root: Path, end: bytes = b"\n") -> Path:
    """The vault with every page of the template, none of them kept from being read."""
    write_files(
        root,
        {
            str(path.relative_to(TEMPLATE)): path.read_bytes().replace(b"\n", end)
            for path in PAGES
        },
    )
    return root


def titles(found) -> set[str]:
    return {hit.title for hit in found.hits}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_every_page_of_the_template_is_known_by_its_content(path: Path) -> None:
    for end in (b"\n", b"\r\n"):
        data = path.read_bytes().replace(b"\n", end)
        assert content_hash(data).hex() in LAID_DOWN


def test_the_report_is_known_by_the_id_that_the_digest_gives_it() -> None:
    day = datetime(2026, 1, 1)  # noqa: DTZ001  civil time
    assert derived_id(day, reporting.KIND, "digest") == REPORT_ID


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize("search", [deep, exact, semantic])
@pytest.mark.parametrize(
    "text",
    [
        "when does the harbour office close?",
        "what happened with the notes and properties last week",
        "how do I write a plan",
        "which properties does an event have",
    ],
)
def test_our_pages_answer_nobody_else(make_vault, make_app, search, text, end) -> None:
    app = make_app(fitted_out(make_vault(NOTE), end))
    found = search(Ask(text, floor=0.0, limit=50), app.corpus())
    assert titles(found) <= {"bread"}


@pytest.mark.parametrize(
    ("ask", "title"),
    [
        (Ask("start here"), "Start here"),
        (Ask("what does the note format say of aliases?"), "Note format"),
        (Ask("which properties does Mindcache know?"), "Note format"),
        (Ask("other names", Filters(titles=("Note format",))), "Note format"),
        (Ask("", Filters(types=("fact",))), "Note format"),
    ],
)
def test_they_answer_who_asks_for_them(make_vault, make_app, ask, title) -> None:
    app = make_app(fitted_out(make_vault(NOTE)))
    assert title in titles(app.ask("deep", ask))


def test_a_page_that_a_person_changed_is_a_note(make_vault, make_app) -> None:
    vault = fitted_out(make_vault(NOTE))
    with (vault / "Start here.md").open("a", encoding="utf-8") as page:
        page.write("\nThe harbour office closes at five.\n")
    found = make_app(vault).ask("deep", Ask("when does the harbour office close?"))
    assert found.hits[0].title == "Start here"


def test_the_report_of_the_digest_is_no_answer(make_vault, make_app) -> None:
    report = f"---\nid: {REPORT_ID}\ntype: summary\n---\nThe rye loaf has a topic.\n"
    app = make_app(make_vault({**NOTE, "Digest report.md": report}))
    ask = Ask("which topic does the rye loaf have", floor=0.0)
    assert titles(app.ask("deep", ask)) == {"bread"}
    asked = app.ask("deep", Ask("what does the digest report say of the rye loaf"))
    assert "Digest report" in titles(asked)


def test_a_vault_of_nothing_else_says_so(make_vault, make_app) -> None:
    found = make_app(fitted_out(make_vault({}))).ask("deep", Ask("harbour office"))
    assert not found.hits
    assert found.reason == "the vault holds no notes but those that Mindcache wrote"


MAP = """---
type: topic
summary: 4 notes about rye bread and loaf since April, such as Rye bread.
---
{words}
%% mindcache:begin 0 %%
- [[bread]]: The rye loaf needs a long proof.
%% mindcache:end %%
"""


def test_a_topic_takes_no_place_from_its_notes(make_vault, make_app) -> None:
    vault = make_vault({**NOTE, "topics/Rye and loaf.md": MAP.format(words="")})
    corpus = make_app(vault).corpus()
    question = "how long does the rye loaf prove?"
    assert titles(deep(Ask(question), corpus)) == {"bread"}
    asked = Ask(question, filters=Filters(types=("topic",)))
    assert titles(deep(asked, corpus)) == {"Rye and loaf"}
    assert "Rye and loaf" in titles(deep(Ask("rye and loaf"), corpus))
    assert "Rye and loaf" in titles(exact(Ask("rye"), corpus))


def test_a_topic_in_which_somebody_wrote_is_a_note(make_vault, make_app) -> None:
    words = "The rye loaf proves for eleven hours in the cellar."
    vault = make_vault({**NOTE, "topics/Rye and loaf.md": MAP.format(words=words)})
    found = deep(Ask("where does the rye loaf prove?"), make_app(vault).corpus())
    assert "Rye and loaf" in titles(found)
