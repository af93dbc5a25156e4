"""Where links lead: what was measured in Obsidian, row by row, and the traps beside it."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.links import Name, Names, Resolution, fold, path_key, target_key

Form = Literal["NFC", "NFD"]
FORMS: tuple[Form, ...] = get_args(Form)


def names(
    *paths: str,
    aliases: Mapping[str, Sequence[str]] | None = None,
    ids: Mapping[str, Sequence[str]] | None = None,
) -> Names:
    """The names of these files; `aliases` and `ids` by name, with their notes."""
    return Names(listed(paths, aliases or {}, ids or {}))


def listed(
    paths: Iterable[str],
    aliases: Mapping[str, Sequence[str]],
    ids: Mapping[str, Sequence[str]],
) -> list[Name]:
    found = [Name(path_key(path), "path", path) for path in paths]
    found += [Name(fold(a), "alias", p) for a, paths in aliases.items() for p in paths]
    found += [Name(fold(i), "id", p) for i, paths in ids.items() for p in paths]
    return found


def leads(known: Names, source: str, target: str) -> str | None:
    found = known.resolve(source, target)
    return found.path if found else None


# -- measured in Obsidian 1.13 --------------------------------------------------

MEASURED = [
    # the exact path from the root wins
    (["Note.md", "b/Note.md"], "b/Source.md", "Note", "Note.md"),
    (["Note.md", "b/Note.md"], "Source.md", "b/Note", "b/Note.md"),
    (["Note.md", "b/Note.md"], "Source.md", "b/Note.md", "b/Note.md"),
    # then the source's own folder, not those above it
    (["a/Note.md", "b/Note.md"], "b/Source.md", "Note", "b/Note.md"),
    (["a/Note.md", "b/b/Note.md"], "b/b/Source.md", "Note", "b/b/Note.md"),
    (["zz/Note.md", "b/Note.md"], "b/c/Source.md", "Note", "b/Note.md"),
    (["z/Note.md", "bb/Note.md"], "bb/c/Source.md", "Note", "z/Note.md"),
    # then the shortest path as a text, not the one of fewest folders
    (["longfolder/Note.md", "a/b/Note.md"], "S.md", "Note", "a/b/Note.md"),
    (["longfolder/Note.md", "a/b/c/d/e/Note.md"], "S.md", "Note", "a/b/c/d/e/Note.md"),
    # a partial path is the end of a path
    (["x/y/b/Note.md", "x/Note.md"], "S.md", "b/Note", "x/y/b/Note.md"),
    (["x/ab/Note.md"], "S.md", "b/Note", None),
    # case counts for nothing, nor does that of the extension
    (["Log.md"], "S.md", "log", "Log.md"),
    (["Log.md"], "S.md", "LOG", "Log.md"),
    (["Ext.md"], "S.md", "Ext.MD", "Ext.md"),
    (["Folder/Ext.MD"], "S.md", "ext", "Folder/Ext.MD"),
    # ./ and ../ are paths from the source's folder and nothing else
    (["a/Note.md", "Note.md"], "a/S.md", "./Note", "a/Note.md"),
    (["Note.md"], "a/S.md", "./Note", None),
    (["Note.md"], "a/S.md", "../Note", "Note.md"),
    (["Note.md"], "a/b/S.md", "../Note", None),
    (["a/x/Note.md"], "a/b/S.md", "../x/Note.md", "a/x/Note.md"),
    (["Note.md"], "S.md", "../Note", None),
    # a URL between brackets is a note that isn't there
    (["x.md"], "S.md", "https://x", None),
    (["Sq]uare.md"], "S.md", "Sq]uare", "Sq]uare.md"),
    # a link into the note itself
    (["S.md"], "S.md", "", "S.md"),
    # other files need their extension
    (["a/img.png"], "S.md", "img.png", "a/img.png"),
    (["a/img.png"], "S.md", "img", None),
    (["Movies.base"], "S.md", "Movies.base", "Movies.base"),
    (["Movies.base"], "S.md", "Movies", None),
]


@pytest.mark.parametrize(("paths", "source", "target", "expected"), MEASURED)
def test_links_lead_where_obsidian_leads_them(
    paths: list[str], source: str, target: str, expected: str | None
) -> None:
    assert leads(names(*paths), source, target) == expected


# -- the traps beside them ---------------------------------------------------------

TRAPS = [
    # of twins that differ in case, the one spelled as the link
    (["README.md", "readme.md"], "S.md", "readme", "readme.md"),
    (["README.md", "readme.md"], "S.md", "README", "README.md"),
    (["README.md", "readme.md"], "S.md", "ReadMe", "README.md"),
    (["a/README.md", "a/readme.md"], "S.md", "a/readme.md", "a/readme.md"),
    (["a/README.md", "a/readme.md"], "S.md", "readme", "a/readme.md"),
    # but a path's length comes before its spelling
    (["a/note.md", "deep/down/Note.md"], "S.md", "Note", "a/note.md"),
    # what only looks like an extension
    (["2026.4.10.md"], "S.md", "2026.4.10", "2026.4.10.md"),
    (["v1.2/2026.4.10.md"], "S.md", "2026.4.10", "v1.2/2026.4.10.md"),
    (["foo.md.md"], "S.md", "foo.md", "foo.md.md"),
    (["foo.md.md"], "S.md", "foo.md.md", "foo.md.md"),
    (["foo.md.md", "foo.md"], "S.md", "foo.md", "foo.md"),
    (["foo.md.md", "foo.md"], "S.md", "foo", "foo.md"),
    (["foo.md.md"], "S.md", "foo", None),
    (["C++.md", "C.md"], "S.md", "C++", "C++.md"),
    (["C++.md", "C.md"], "S.md", "c", "C.md"),
    # a note before a file without extension, a file with one before its note
    (["LICENSE", "LICENSE.md"], "S.md", "LICENSE", "LICENSE.md"),
    (["LICENSE"], "S.md", "LICENSE", "LICENSE"),
    (["LICENSE"], "S.md", "LICENSE.md", None),
    (["img.png", "img.png.md"], "S.md", "img.png", "img.png"),
    (["img.png.md"], "S.md", "img.png", "img.png.md"),
    # a path from the root with a slash in front
    (["Note.md", "a/Note.md"], "a/S.md", "/Note", "Note.md"),
    (["a/Note.md", "b/c/Note.md"], "b/c/S.md", "/a/Note.md", "a/Note.md"),
    (["a/Note.md", "bb/Note.md"], "bb/S.md", "/Note", "a/Note.md"),
    # spaces of every kind
    (["a/My  Note.md"], "S.md", "My  Note", "a/My  Note.md"),
    (["a/My\u00a0Note.md"], "S.md", "My Note", "a/My\u00a0Note.md"),
    (["a/My Note.md"], "S.md", "My\u00a0Note", "a/My Note.md"),
    (["3.04.05\u202fPM.png"], "S.md", "3.04.05 PM.png", "3.04.05\u202fPM.png"),
    (["a/Note.md"], "S.md", "  Note  ", "a/Note.md"),
    # nothing
    ([], "S.md", "Note", None),
    (["Note.md"], "S.md", "Note/", None),
    (["a/Note.md"], "S.md", "a", None),
    (["Note.md"], "S.md", "..", None),
    (["Note.md"], "a/S.md", "./", None),
    (["Note.md"], "S.md", "/", None),
    (["Note.md"], "S.md", ".md", None),
]


@pytest.mark.parametrize(("paths", "source", "target", "expected"), TRAPS)
def test_traps(
    paths: list[str], source: str, target: str, expected: str | None
) -> None:
    assert leads(names(*paths), source, target) == expected


def test_an_empty_target_from_outside_any_note_leads_nowhere() -> None:
    assert names("a.md").resolve("", "") is None


@pytest.mark.parametrize("on_disk", FORMS)
@pytest.mark.parametrize("written", FORMS)
def test_accents_meet_in_either_form_and_the_path_stays_as_on_disk(
    on_disk: Form, written: Form
) -> None:
    path = unicodedata.normalize(on_disk, "Café/Résumé.md")
    known = names(path)
    target = unicodedata.normalize(written, "résumé")
    assert leads(known, "S.md", target) == path
    assert leads(known, "S.md", unicodedata.normalize(written, "café/résumé")) == path


def test_both_forms_of_an_accent_on_one_disk_are_one_key_and_one_answer() -> None:
    both = [unicodedata.normalize(form, "é.md") for form in FORMS]
    assert path_key(both[0]) == path_key(both[1])
    for target in ("é", unicodedata.normalize("NFD", "é")):
        assert leads(names(*both), "S.md", target) == min(both)


# -- aliases and ids -----------------------------------------------------------------


def test_an_alias_resolves_after_every_path_and_says_so() -> None:
    known = names("AI.md", "deep/Artificial Intelligence.md", aliases={"ML": ["AI.md"]})
    assert known.resolve("S.md", "ml") == Resolution("AI.md", "alias")
    known = names("deep/AI.md", "b.md", aliases={"AI": ["b.md"]})
    assert known.resolve("S.md", "AI") == Resolution("deep/AI.md", "path")


@pytest.mark.parametrize("alias", ["AC/DC", "C++", "Émile", "what? why!", "a.md"])
def test_an_alias_may_hold_anything(alias: str) -> None:
    known = names("band.md", aliases={alias: ["band.md"]})
    assert known.resolve("S.md", alias) == Resolution("band.md", "alias")
    assert known.resolve("S.md", alias.upper()) == Resolution("band.md", "alias")


def test_part_of_an_alias_is_no_name() -> None:
    known = names("band.md", aliases={"AC/DC": ["band.md"]})
    assert known.resolve("S.md", "DC") is None
    assert known.resolve("S.md", "./AC/DC") is None
    assert known.resolve("S.md", "/AC/DC") is None


def test_of_two_notes_with_one_alias_the_shorter_path_is_meant() -> None:
    known = names(aliases={"AI": ["a/long folder/x.md", "b/y.md", "a/z.md"]})
    assert leads(known, "S.md", "AI") == "a/z.md"


def test_an_id_resolves_last_and_to_the_smallest_path() -> None:
    known = names(ids={"m-1": ["b.md", "a/long.md"]}, aliases={"m-2": ["c.md"]})
    assert known.resolve("S.md", "M-1") == Resolution("a/long.md", "id")
    assert known.resolve("S.md", "m-2") == Resolution("c.md", "alias")


# -- what holds always ---------------------------------------------------------------

PARTS = st.text(
    st.sampled_from("aAßıİ.é\u0301 \u00a0\u202fmdﬁς\u0345"), min_size=1, max_size=6
).filter(lambda part: part.strip(" .\u00a0\u202f") == part)
PATHS = st.lists(PARTS, min_size=1, max_size=3).map(lambda p: "/".join(p) + ".md")


@given(st.text(max_size=20))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)
    assert fold(unicodedata.normalize("NFD", text)) == fold(text)


@given(st.lists(PATHS, max_size=6, unique=True), PATHS, PATHS, st.randoms())
def test_the_order_of_names_changes_no_answer(
    paths: list[str], source: str, target: str, random: object
) -> None:
    rows = listed(paths, {"Alias": paths[:2]}, {"m-1": paths[1:3]})
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    for wanted in (target, target[:-3], "alias", "m-1", target.rpartition("/")[2]):
        expected = Names(rows).resolve(source, wanted)
        assert Names(shuffled).resolve(source, wanted) == expected
        # so does leaving out what the link does not ask for, as the cache does
        keys = {target_key(wanted), fold(wanted)}
        few = Names(name for name in shuffled if name.key in keys)
        assert few.resolve(source, wanted) == expected


@given(st.lists(PATHS, min_size=1, max_size=6, unique=True), PATHS)
def test_a_whole_path_leads_to_its_file_or_a_twin(
    paths: list[str], source: str
) -> None:
    known = names(*paths)
    for path in paths:
        for target in (path, path[:-3], f"/{path}"):
            found = leads(known, source, target)
            assert found is not None
            if target != path[:-3]:
                assert fold(found) == fold(path)


def test_ten_thousand_links_to_one_common_name_are_quick() -> None:
    paths = [f"project {n}/README.md" for n in range(10_000)]
    known = names(*paths)
    started = time.process_time()
    for n, path in enumerate(paths):
        assert leads(known, f"project {n}/x.md", "README") == path
        assert leads(known, "x/y.md", "README.md") == "project 0/README.md"
        assert leads(known, "x/y.md", path) == path
    assert time.process_time() - started < 3.0


def test_names_of_a_megabyte_take_no_longer_than_their_length() -> None:
    known = names("a.md")
    for unit in (".md", "/", "../", "é", " "):
        started = time.process_time()
        assert leads(known, "S.md", "x" + unit * 300_000) is None
        assert time.process_time() - started < 2.0
