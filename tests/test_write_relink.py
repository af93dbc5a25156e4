"""Links that go on leading where they led: each form, each setting, and always."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindcache.errors import EditRefused
from mindcache.links import Name, Names, fold, path_key
from mindcache.note import find_places, parse
from mindcache.write.relink import LinkFormat, Shift, relink

FORMATS: tuple[LinkFormat, ...] = ("shortest", "relative", "absolute")


def names(paths: Sequence[str], aliases: Mapping[str, str] | None = None) -> Names:
    """`aliases` are alias → path."""
    found = [Name(path_key(path), "path", path) for path in paths]
    others = (aliases or {}).items()
    return Names([*found, *(Name(fold(a), "alias", path) for a, path in others)])


def shift(
    paths: Sequence[str],
    moves: Mapping[str, str],
    style: LinkFormat = "shortest",
    aliases: Mapping[str, str] | None = None,
) -> Shift:
    after = [moves.get(path, path) for path in paths]
    moved = {a: moves.get(path, path) for a, path in (aliases or {}).items()}
    return Shift(names(paths, aliases), names(after, moved), moves, style)


def rewritten(text: str, what: Shift, path: str = "s.md") -> str:
    return relink(path, text.encode(), what).after.decode()


VAULT = (
    "s.md",
    "Old.md",
    "dir/t.md",
    "dir/Deep.md",
    "a/Note.md",
    "b/Other.md",
    "p.png",
)
RENAMED = shift(VAULT, {"Old.md": "New name.md"})


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[[Old]]", "[[New name]]"),
        ("[[old]]", "[[New name]]"),
        ("[[ Old ]]", "[[ New name ]]"),
        ("[[Old.md]]", "[[New name.md]]"),
        ("[[Old|alias]]", "[[New name|alias]]"),
        ("[[Old#Heading]]", "[[New name#Heading]]"),
        ("[[Old#One#Two^x|shown]]", "[[New name#One#Two^x|shown]]"),
        ("[[Old#^block]]", "[[New name#^block]]"),
        ("![[Old]]", "![[New name]]"),
        ("![[Old#Part|300]]", "![[New name#Part|300]]"),
        ("[[/Old]]", "[[New name]]"),
        ("[[./Old]]", "[[./New name]]"),
        ("[t](Old.md)", "[t](New%20name.md)"),
        ("[t](Old)", "[t](New%20name)"),
        ("[t](Old.md#H%20x)", "[t](New%20name.md#H%20x)"),
        ('[t](Old.md "title")', '[t](New%20name.md "title")'),
        ("[t](<Old.md>)", "[t](<New name.md>)"),
        ("[t](<Old.md#H>)", "[t](<New name.md#H>)"),
        ("![t](Old.md)", "![t](New%20name.md)"),
        ("[[[Old]]]", "[[[New name]]]"),
        ("| a | [[Old\\|x]] |", "| a | [[New name\\|x]] |"),
        ("up:: [[Old]]", "up:: [[New name]]"),
        ("so [up:: [[Old]]] it is", "so [up:: [[New name]]] it is"),
        ("> [!note] [[Old]]", "> [!note] [[New name]]"),
        ('---\nup: "[[Old]]"\n---\n', '---\nup: "[[New name]]"\n---\n'),
        ("---\nup: '[[Old|x]]'\n---\n", "---\nup: '[[New name|x]]'\n---\n"),
        (
            '---\nup:\n  - "[[Old#H]]" # kept\n  - b\n---\n',
            '---\nup:\n  - "[[New name#H]]" # kept\n  - b\n---\n',
        ),
        ("---\nup: see [[Old]]\n---\n", "---\nup: see [[New name]]\n---\n"),
        ("---\nup: [[Old]]\n---\n", "---\nup: [[New name]]\n---\n"),
        ('---\nup: ["[[Old]]", x]\n---\n', '---\nup: ["[[New name]]", x]\n---\n'),
        ("---\nup: |\n  [[Old]]\n---\n", "---\nup: |\n  [[New name]]\n---\n"),
        ("[[Old]]\r\nand\r\n[[Old]]", "[[New name]]\r\nand\r\n[[New name]]"),
    ],
)
def test_a_renamed_note(before: str, after: str) -> None:
    assert rewritten(before, RENAMED) == after


@pytest.mark.parametrize(
    "text",
    [
        "`[[Old]]` and ``[[Old]]``",
        "```\n[[Old]]\n```",
        "%% [[Old]] %%",
        "<!-- [[Old]] -->",
        "\\[[Old]]",
        "[[Older]] [[An Old]] [[b/Other]] [[Nowhere]] [[#Old]] ![[p.png]]",
        "[Old](https://example.org/Old.md) [o](mailto:Old.md)",
        "---\nOld: Old\n---\nOld",
        "---\n# [[Old]]\nup: x\n---\n",
    ],
)
def test_what_is_no_link_to_it_stays(text: str) -> None:
    assert rewritten(text, RENAMED) == text


def test_a_name_with_quotes_stays_within_its_quotes() -> None:
    what = shift(["s.md", "Old.md"], {"Old.md": "It's.md"})
    text = "---\na: '[[Old]]'\nb: \"[[Old]]\"\n---\n"
    assert rewritten(text, what) == "---\na: '[[It''s]]'\nb: \"[[It's]]\"\n---\n"
    what = shift(["s.md", "Old.md"], {"Old.md": 'a "b" - c, d.md'})
    text = '---\na: "[[Old]]"\nb: [[Old]]\n---\n'
    quoted = '"[[a \\"b\\" - c, d]]"'
    assert rewritten(text, what) == f"---\na: {quoted}\nb: {quoted}\n---\n"


@pytest.mark.parametrize(
    ("style", "before", "after"),
    [
        # A bare name stays one as long as it leads there; a path stays a path.
        ("shortest", "[[Old]]", "[[Old]]"),
        ("shortest", "[[dir/Old]]", "[[else/where/Old]]"),
        ("shortest", "[t](dir/Old.md)", "[t](else/where/Old.md)"),
        ("shortest", "[[./dir/Old]]", "[[./else/where/Old]]"),
        ("relative", "[[dir/Old]]", "[[else/where/Old]]"),
        ("absolute", "[[dir/Old]]", "[[else/where/Old]]"),
        ("absolute", "[t](dir/Old.md)", "[t](else/where/Old.md)"),
    ],
)
def test_a_note_that_moves(style: LinkFormat, before: str, after: str) -> None:
    what = shift(["s.md", "dir/Old.md"], {"dir/Old.md": "else/where/Old.md"}, style)
    assert rewritten(before, what) == after


@pytest.mark.parametrize(
    ("style", "after"),
    [
        ("shortest", "[[New]] [t](../dir/New.md)"),
        ("relative", "[[../dir/New|New]] [t](../dir/New.md)"),
        ("absolute", "[[dir/New|New]] [t](../dir/New.md)"),
    ],
)
def test_obsidians_setting_decides_how_a_link_is_written(
    style: LinkFormat, after: str
) -> None:
    what = shift(["x/s.md", "dir/Old.md"], {"dir/Old.md": "dir/New.md"}, style)
    got = rewritten("[[Old]] [t](../dir/Old.md)", what, "x/s.md")
    assert got == after


def test_links_within_the_moved_note() -> None:
    paths = ["dir/s.md", "dir/Near.md", "Far.md", "dir/p.png", "x/deep/y.md"]
    what = shift(paths, {"dir/s.md": "x/deep/s.md"})
    text = (
        "[[./Near]] [[../Far]] [[Near]] [[Far]] [n](Near.md) [f](../Far.md) "
        "![p](p.png) ![[./p.png]] [[#Own]] [[s]] [[./s]]"
    )
    assert rewritten(text, what, "dir/s.md") == (
        "[[../../dir/Near]] [[../../Far]] [[Near]] [[Far]] [n](../../dir/Near.md) "
        "[f](../../Far.md) ![p](../../dir/p.png) ![[../../dir/p.png]] [[#Own]] "
        "[[s]] [[./s]]"
    )


def test_a_link_to_another_note_is_not_captured() -> None:
    """It is made longer, and goes on showing what it showed."""
    paths = ["s.md", "long/folder/Note.md", "b/Other.md"]
    what = shift(paths, {"b/Other.md": "b/Note.md"})
    text = "[[Note]] [[Note#H]] [[Note|n]] ![[Note]] [[Other]]\n| [[Note]] |"
    assert rewritten(text, what) == (
        "[[long/folder/Note|Note]] [[long/folder/Note#H|Note > H]] "
        "[[long/folder/Note|n]] ![[long/folder/Note]] [[Note]]\n"
        "| [[long/folder/Note\\|Note]] |"
    )


def test_a_renamed_note_whose_name_is_taken_elsewhere() -> None:
    what = shift(["s.md", "a/N.md", "bbb/Old.md"], {"bbb/Old.md": "bbb/N.md"})
    assert rewritten("[[Old]] [[N]]", what) == "[[bbb/N|N]] [[N]]"


def test_links_by_an_alias_are_left_alone_while_they_lead_there() -> None:
    aliases = {"Nick": "Old.md", "Taken": "b/Other.md"}
    what = shift(VAULT, {"Old.md": "New.md"}, aliases=aliases)
    assert rewritten("[[Nick]] [[Taken]]", what) == "[[Nick]] [[Taken]]"
    what = shift(VAULT, {"Old.md": "Taken.md"}, aliases=aliases)
    assert rewritten("[[Taken]] [[Old]]", what) == "[[Other|Taken]] [[Taken]]"


def test_the_old_name_as_an_alias_is_not_enough() -> None:
    """C5: Obsidian resolves no alias, so that the link is written with the name."""
    what = shift(VAULT, {"Old.md": "New.md"}, aliases={"Old": "Old.md"})
    assert rewritten("[[Old]]", what) == "[[New]]"


def test_links_to_a_merged_note_show_its_name() -> None:
    before = names(["s.md", "From.md", "Into.md"])
    after = names(["s.md", "Into.md"])
    merged = frozenset({"From.md"})
    what = Shift(before, after, {"From.md": "Into.md"}, "shortest", merged)
    text = "[[From]] [[From|x]] [[From#H]] ![[From]] [From](From.md)"
    assert rewritten(text, what) == (
        "[[Into|From]] [[Into|x]] [[Into#H|From > H]] ![[Into]] [From](Into.md)"
    )


def test_other_letters_of_the_same_name_are_written() -> None:
    what = shift(["s.md", "note.md"], {"note.md": "NOTE.md"})
    assert rewritten("[[note]] [[NOTE]]", what) == "[[NOTE]] [[NOTE]]"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("[[Old]] ééé ".encode() + b"\xff", "not valid UTF-8"),
        (b'---\na: "\\x5b[Old]]"\n---\n', "safely"),
        (b"---\na: >\n  [[Old\n  ]]\n---\n", "safely"),
    ],
)
def test_what_can_not_be_done_safely_is_refused(data: bytes, reason: str) -> None:
    with pytest.raises(EditRefused, match=reason):
        relink("s.md", data, RENAMED)


def test_a_name_that_no_link_can_hold_is_refused() -> None:
    what = shift(["s.md", "Old.md"], {"Old.md": "C# notes.md"})
    with pytest.raises(EditRefused, match="no link can lead"):
        rewritten("[[Old]]", what)
    assert rewritten("[o](Old.md)", what) == "[o](C%23%20notes.md)"


def test_a_byte_order_mark_and_other_encodings_stay() -> None:
    for encoding in ("utf-8-sig", "utf-16", "cp1252"):
        data = "é [[Old]]\r\n".encode(encoding)
        after = relink("s.md", data, RENAMED).after
        assert after == "é [[New name]]\r\n".encode(encoding)


def test_an_excalidraw_notes_drawing_stays() -> None:
    text = "---\nexcalidraw-plugin: parsed\n---\n[[Old]]\n%%\n## Drawing\n[[Old]]\n%%\n"
    got = rewritten(text, RENAMED, "s.excalidraw.md")
    assert got == text.replace("[[Old]]", "[[New name]]", 1)


# -- what must hold always -------------------------------------------------------

STEMS = ("Note", "note 2", "Ünï", "a.b", "x (y)", "50% off", "it's", "Tie")
FOLDERS = ("", "a/", "b/", "a/deep/", "bb/")
PATHS = st.builds(lambda f, s: f"{f}{s}.md", st.sampled_from(FOLDERS), st.sampled_from(STEMS))  # fmt: skip


@st.composite
def links(draw: st.DrawFn, source: str, paths: Sequence[str]) -> str:
    """A link to one of the paths, or to nowhere, in one of many forms."""
    goal = draw(st.sampled_from([*paths, "Nowhere.md"]))
    way = draw(st.sampled_from(("name", "path", "relative", "dotted")))
    text = {
        "name": posixpath.basename(goal),
        "path": goal,
        "relative": posixpath.relpath(goal, posixpath.dirname(source) or "."),
        "dotted": "./" + posixpath.relpath(goal, posixpath.dirname(source) or "."),
    }[way]
    if draw(st.booleans()):
        text = text.removesuffix(".md")
    sub = draw(st.sampled_from(("", "#Head", "#^b1")))
    if draw(st.booleans()):
        display = draw(st.sampled_from(("", "|shown")))
        return draw(st.sampled_from(("", "!"))) + f"[[{text}{sub}{display}]]"
    if draw(st.booleans()):
        return f"[t](<{text.replace('%', '%25')}{sub}>)"
    encoded = text.replace("%", "%25").replace(" ", "%20")
    encoded = encoded.replace("(", "%28").replace(")", "%29")
    return f"[t]({encoded}{sub})"


@st.composite
def vaults(draw: st.DrawFn) -> tuple[dict[str, str], dict[str, str]]:
    """Notes full of links, and other paths for some of them."""
    paths = draw(st.lists(PATHS, min_size=2, max_size=6, unique_by=fold))
    notes: dict[str, str] = {}
    for path in paths:
        found = [draw(links(path, paths)) for _ in range(draw(st.integers(0, 5)))]
        wiki = [link for link in found if link.startswith("[[")]
        head = ""
        if wiki and draw(st.booleans()):
            quoted = wiki[0].replace("'", "''")
            head = f"---\nup: '{quoted}'\ntags:   [x]  # kept\n---\n"
        joint = draw(st.sampled_from((" and ", "\n", "\r\n- ", " `[[Note]]` ")))
        notes[path] = head + joint.join(found) + draw(st.sampled_from(("", "\n")))
    moved = draw(st.lists(st.sampled_from(paths), min_size=1, max_size=2, unique=True))
    moves: dict[str, str] = {}
    taken = {fold(path) for path in paths}
    for path in moved:
        to = draw(PATHS)
        if fold(to) not in taken:
            taken.add(fold(to))
            moves[path] = to
    return notes, moves


def without_links(data: bytes) -> str:
    """The text with each link as a single mark."""
    note = parse("", data)
    pieces, last = [], 0
    for place in find_places(note):
        pieces += [note.text[last : place.start], "§"]
        last = place.end
    return "".join((*pieces, note.text[last:]))


@given(vaults(), st.sampled_from(FORMATS))
@settings(max_examples=400)
def test_every_link_leads_where_it_led_and_nothing_else_changes(
    case: tuple[dict[str, str], dict[str, str]], style: LinkFormat
) -> None:
    notes, moves = case
    what = shift(list(notes), moves, style)
    for path, text in notes.items():
        done = relink(path, text.encode(), what)
        assert done.path == moves.get(path, path)
        assert without_links(done.before) == without_links(done.after)
        before, after = parse("", done.before).links, parse("", done.after).links
        assert len(before) == len(after)
        for old, new in zip(before, after, strict=True):
            assert (old.subpath, old.kind, old.line) == (
                new.subpath, new.kind, new.line
            )  # fmt: skip
            led = what.before.resolve(path, old.target)
            leads = what.after.resolve(done.path, new.target)
            if led is None:
                assert old.target == new.target
            else:
                assert leads is not None
                assert leads.path == moves.get(led.path, led.path)
            if old.display:
                assert new.display == old.display
        # What is as it should be is left alone.
        again = relink(done.path, done.after, shift([moves.get(p, p) for p in notes], {}, style))  # fmt: skip
        assert again.after == done.after
