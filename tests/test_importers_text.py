"""Foreign text and names: harmless in a note, in a file's name and in a link."""

from __future__ import annotations

from datetime import datetime

from hypothesis import given
from hypothesis import strategies as st

from mindcache.filenames import portability
from mindcache.importers.mentions import Entity, Known, link_to
from mindcache.importers.naming import free_path, stem_of
from mindcache.importers.prose import escaped, from_html, one_line, readable, unlinked
from mindcache.links import Name, target_key
from mindcache.note import parse
from mindcache.recurrence.lines import read_lines

DAY = datetime.fromisoformat("2026-03-05")
HOSTILE = st.lists(
    st.sampled_from(
        [
            "[[", "]]", "#tag", " ", "\n", "%%", "::", "a", "`", "```", "- [ ] x", "^id",
            "# h", "> q", "---", "$$", "<b>", "|", "\\", "key", "(", ")", "[x](y)", "![",
            "=", "~~~", "!", "\t", "\u202e", "\x00", "1. ", "- ", "* ", "2026-11-03", " occurred",
        ]
    ),
    max_size=14,
).map("".join)  # fmt: skip


@given(HOSTILE)
def test_foreign_text_becomes_no_part_of_the_vault(text: str) -> None:
    note = parse("n.md", f"---\nid: x\n---\n{escaped(readable(text))}\n".encode())
    wiki = [link for link in note.links if link.kind in {"wikilink", "embed"}]
    assert not wiki
    assert not note.tags
    assert not note.fields
    assert not note.tasks
    assert not note.blocks
    assert not note.headings
    assert not note.fences
    assert read_lines(note) == ([], [])
    assert note.properties == {"id": "x"}


@given(st.text(max_size=60))
def test_any_title_gives_a_name_that_every_system_holds(title: str) -> None:
    stem = stem_of(title, None, "plan")
    assert not portability(f"{stem}.md")
    assert not set(stem) & set('[]|#^/\\:*?"<>')
    assert not stem.startswith(".")


def test_names_that_windows_reserves() -> None:
    assert stem_of("aux", None, "plan") == "aux note"
    assert stem_of("aux", DAY, "plan") == "2026-03-05 aux"
    assert stem_of("Trailing dots...", None, "plan") == "Trailing dots"
    assert stem_of("../../etc/passwd", None, "plan") == "etc passwd"
    assert stem_of("\x07\u202e", None, "plan") == "plan"


def test_a_taken_name_gets_the_notes_own_mark() -> None:
    taken = {"plans/A.md"}
    assert free_path("plans", "A", "x1y2z3", taken.__contains__) == "plans/A x1y2z3.md"
    assert free_path("", "B", "x1y2z3", taken.__contains__) == "B.md"


def test_html_reads_as_it_is_shown() -> None:
    page = (
        "<html><head><style>p {}</style></head><body><p>Hello&nbsp;<b>you</b></p>"
        '<ul><li>one</li><li>two</li></ul><a href="https://example.com/x">here</a>'
        "<script>alert(1)</script></body></html>"
    )
    assert readable(from_html(page)) == (
        "Hello you\n\n- one\n- two\nhere (https://example.com/x)"
    )
    assert from_html("1 < 2 & 3 > 2") == "1 < 2 & 3 > 2"


def test_what_nobody_sees_is_left_out() -> None:
    assert one_line("A\x00B\u202eC\r\n D\ufeff") == "ABC D"
    assert unlinked("[[Secret]]") == "[ [Secret]]"
    assert len(readable("x" * 100_000)) == 20_000


KNOWN = Known(
    [
        Entity("[[Ann Lee]]", ("Ann Lee", "ann@example.com", "Ann")),
        Entity("[[Lee]]", ("Lee",)),
        Entity("[[Crane]]", ("Crane", "the big one")),
        Entity("[[東京]]", ("東京",)),
        Entity("[[Bob A]]", ("Bob",)),
        Entity("[[Bob B]]", ("Bob",)),
        Entity("[[X]]", ("X",)),
    ]
)


def test_names_in_a_text_are_found_by_whole_words_the_longest_first() -> None:
    assert KNOWN.find("Lunch with ann lee and Lee") == ["[[Ann Lee]]", "[[Lee]]"]
    assert KNOWN.find("The Big One is a crane; cranes are not") == ["[[Crane]]"]
    assert KNOWN.find("Annual leeway") == []
    assert KNOWN.find("明日は東京で会議") == ["[[東京]]"]
    assert KNOWN.find("X marks, Bob is two people") == []


def test_a_person_is_found_by_address_or_name() -> None:
    assert KNOWN.link_of("ANN@example.com") == "[[Ann Lee]]"
    assert KNOWN.link_of("Bob") == ""
    assert KNOWN.link_of("nobody") == ""


def test_a_link_is_one_that_obsidian_resolves() -> None:
    def names(*paths: str) -> list[Name]:
        return [Name(target_key(path), "path", path) for path in paths]

    assert link_to("people/Ann.md", names("people/Ann.md")) == "[[Ann]]"
    both = names("people/Ann.md", "old/Ann.md")
    assert link_to("people/Ann.md", both) == "[[people/Ann]]"
    assert link_to("people/A#b.md", []) == ""
