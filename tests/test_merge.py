"""One merge: what is certain merges by itself, and nothing that anybody wrote is lost."""

from __future__ import annotations

import json
import time
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindcache.generated import rendered
from mindcache.merge import Merged, merge
from mindcache.note import parse

BASE = """---
id: m-1
# who looks after it
summary: "Pumps"  # short
tags:
  - tool/git
  - scope/project
updated_at: 2026-11-01T10:00
---
# Pumps

First line.
Second line.

- one
- two
- three
"""


def merged(base: str | None, ours: str, theirs: str, path: str = "n.md") -> Merged:
    first = None if base is None else base.encode()
    return merge(path, first, ours.encode(), theirs.encode())


def both(base: str | None, ours: str, theirs: str, path: str = "n.md") -> str:
    """The text of a merge that is certain, whichever side is ours."""
    one, other = merged(base, ours, theirs, path), merged(base, theirs, ours, path)
    assert (one.clashes, other.clashes) == ((), ())
    return one.data.decode()


# -- properties -----------------------------------------------------------------------


def test_properties_merge_by_key_and_lists_as_sets() -> None:
    ours = BASE.replace('"Pumps"', '"Pumps at Halden"').replace(
        "  - tool/git\n", "  - tool/git\n  - domain/water\n"
    )
    theirs = (
        BASE.replace("  - tool/git\n", "  - client/acme\n")
        .replace("11-01T10", "11-02T10")
        .replace("id: m-1\n", "id: m-1\nstatus: faint\n")
    )
    text = both(BASE, ours, theirs)
    properties = parse("n.md", text.encode()).properties
    assert properties["summary"] == "Pumps at Halden"
    assert set(properties["tags"]) == {"client/acme", "scope/project", "domain/water"}  # type: ignore[arg-type]
    assert properties["updated_at"] == "2026-11-02T10:00"
    assert properties["status"] == "faint"
    assert '# who looks after it\nsummary: "Pumps at Halden"  # short\n' in text


def test_the_later_update_and_the_earlier_creation_count() -> None:
    text = "---\ncreated_at: {}\nupdated_at: {}\n---\nx\n"
    assert both(
        text.format("2026-01-03", "2026-01-03"),
        text.format("2026-01-01", "2026-01-04"),
        text.format("2026-01-02", "2026-01-05"),
    ) == text.format("2026-01-01", "2026-01-05")


def test_comments_of_both_sides_stay() -> None:
    ours = BASE.replace("  - tool/git\n", "").replace("id:", "# of ours\nid:")
    theirs = BASE.replace("  - tool/git\n", "  - tool/hg\n").replace(
        "updated_at", "# of theirs\nupdated_at"
    )
    text = both(BASE, ours, theirs)
    head = text[: parse("n.md", text.encode()).body_offset]
    for remark in ("# of ours", "# of theirs", "# who looks after it", "# short"):
        assert remark in head
    assert set(parse("n.md", text.encode()).properties["tags"]) == {  # type: ignore[arg-type]
        "scope/project", "tool/hg",
    }  # fmt: skip


def test_two_values_of_one_property_are_both_kept_below_the_properties() -> None:
    ours = BASE.replace('"Pumps"', "Pumps of ours")
    theirs = BASE.replace('"Pumps"', "Pumps of theirs")
    found = merged(BASE, ours, theirs)
    assert [clash.what for clash in found.clashes] == ["summary"]
    note = parse("n.md", found.data)
    assert note.properties["summary"] == "Pumps of ours"
    assert note.body.startswith(
        "<<<<<<< ours\nsummary: Pumps of ours\n=======\n"
        "summary: Pumps of theirs\n>>>>>>> theirs\n# Pumps\n"
    )
    assert note.conflict_line > 0
    again = merge("n.md", BASE.encode(), found.data, theirs.encode())
    assert again.data == found.data


def test_a_note_that_gets_properties_on_one_side() -> None:
    head = "---\nid: m-1\n---\n"
    assert both("a\nb\n", f"{head}a\nb\n", "a\nc\n") == f"{head}a\nc\n"
    assert both(None, f"{head}a\nb\n", "a\nb\n") == f"{head}a\nb\n"
    assert both(f"{head}a\n", f"{head}a\nb\n", "a\n") == "a\nb\n"


def test_properties_that_nobody_can_read_are_never_torn_apart() -> None:
    broken = "---\nid: [m-1\n---\na\nb\n"
    assert both(broken, broken + "c\n", broken.replace("a", "A")) == (
        "---\nid: [m-1\n---\nA\nb\nc\n"
    )
    theirs = broken.replace("m-1", "m-2")
    found = merged(broken, broken.replace("m-1", "m-3"), theirs)
    text = found.data.decode()
    assert text.startswith("---\nid: [m-3\n---\na\nb\n<<<<<<< ours\n=======\n---\n")
    assert theirs in text
    assert not found.is_certain


# -- text -----------------------------------------------------------------------------


def test_lines_merge_and_what_both_put_in_one_place_is_kept() -> None:
    ours = BASE.replace("First", "1st").replace("- three\n", "- three\n- ours\n")
    theirs = BASE.replace("Second", "2nd").replace("- three\n", "- three\n- theirs\n")
    assert both(BASE, ours, theirs) == (
        BASE.replace("First", "1st").replace("Second", "2nd") + "- ours\n- theirs\n"
    )


def test_two_new_sections_at_the_end_stay_whole() -> None:
    ours = BASE + "\n## Ours\n\nText of ours.\n"
    theirs = BASE + "\n## Theirs\n\nText of theirs.\n"
    assert both(BASE, ours, theirs).endswith(
        "- three\n\n## Ours\n\nText of ours.\n\n## Theirs\n\nText of theirs.\n"
    )


@pytest.mark.parametrize(
    ("ours", "theirs"), [("1st", "One"), ("", "One"), ("One\nand a half", "1st")]
)
def test_one_line_changed_twice_is_kept_twice(ours: str, theirs: str) -> None:
    base = "a\nFirst\nb\n"
    one = base.replace("First\n", ours and f"{ours}\n")
    other = base.replace("First", theirs)
    found = merged(base, one, other)
    middle = f"{ours}\n" if ours else ""
    assert found.data.decode() == (
        f"a\n<<<<<<< ours\n{middle}=======\n{theirs}\n>>>>>>> theirs\nb\n"
    )
    assert not found.is_certain
    assert merge("n.md", base.encode(), found.data, other.encode()).data == found.data


def test_without_a_base_what_both_have_stands_there_once() -> None:
    assert both(None, "a\nb\nc\n", "a\nc\nd\n") == "a\nb\nc\nd\n"
    assert not merged(None, "a\nb\nc\n", "a\nx\nc\n").is_certain


def test_line_ends_are_those_of_the_note() -> None:
    base, ours, theirs = "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n"
    crlf = [text.replace("\n", "\r\n") for text in (base, ours, theirs)]
    assert both(*crlf) == "A\r\nb\r\nC\r\n"
    assert both(crlf[0], crlf[1], theirs) == "A\nb\nC\n"  # they changed the line ends
    assert both("a\nb", "A\nb", "a\nb\nc") == "A\nb\nc"


def test_what_is_not_utf8_is_left_to_its_owner() -> None:
    found = merge("n.md", b"a", "ä".encode("utf-16"), "ö".encode())
    assert (found.is_whole, found.is_certain) == (False, False)
    assert found.data == "ä".encode("utf-16")


def test_the_generated_part_of_a_topic_is_one_of_the_two() -> None:
    def topic(members: list[str], day: int, more: str = "") -> str:
        head = f"---\ntype: topic\nlast_updated: 2026-11-{day:02}\n---\n"
        return (
            head
            + "\n".join(["Mine.", *rendered(members), "Below.", more]).rstrip()
            + "\n"
        )

    base = topic(["- [[a]]", "- [[x]]"], 1)
    ours = topic(["- [[a]]", "- [[b]]"], 2, "ours")
    theirs = topic(["- [[c]]"], 3, "theirs")
    text = both(base, ours, theirs)
    assert text == topic(["- [[c]]"], 3, "ours\ntheirs")


# -- the journal and JSON lines -------------------------------------------------------

DAY = "---\ntype: journal\ndate: 2026-11-30\n---\n"


def entry(n: int, text: str = "x") -> str:
    return f"- 09:{n:02} {text} ^j-00000{n:02}\n  - [[Pump]]\n"


def test_journal_entries_merge_by_their_ids() -> None:
    base = DAY + entry(1) + entry(2)
    ours = base.replace("09:01 x", "09:01 mended") + entry(3) + entry(5)
    theirs = base + entry(4)
    assert both(base, ours, theirs) == (
        DAY + entry(1, "mended") + entry(2) + entry(3) + entry(4) + entry(5)
    )
    assert both(None, DAY + entry(1) + entry(3), DAY + entry(2)) == (
        DAY + entry(1) + entry(2) + entry(3)
    )
    assert not merged(None, DAY + entry(1), DAY + entry(1, "y")).is_certain
    assert both(base, DAY + entry(2) + entry(3), base + entry(4)) == (
        DAY + entry(2) + entry(3) + entry(4)
    )


def line(n: int, at: int) -> str:
    return json.dumps({"at": f"2026-11-30T10:{at:02}", "n": n}) + "\n"


def test_lines_of_json_are_all_kept_and_never_conflict() -> None:
    path = ".mindcache/ledger/d.jsonl"
    base = line(0, 0)
    text = both(base, base + line(1, 1) + line(2, 3), base + line(3, 2), path)
    assert text == base + line(1, 1) + line(3, 2) + line(2, 3)
    twice = line(1, 1) * 2
    assert Counter(both(base, base + twice, base + line(4, 1), path).splitlines()) == (
        Counter((base + twice + line(4, 1)).splitlines())
    )
    assert both(base + twice, line(7, 1), base + line(8, 1), path).count("<<<") == 0
    assert both(None, "{half", line(1, 1), path) == "{half\n" + line(1, 1)


# -- always ---------------------------------------------------------------------------

WORDS = st.sampled_from(["a", "b", "c", "", "- x", "## h", "text", "```"])
BODIES = st.lists(WORDS, max_size=12).map("\n".join)


@st.composite
def versions(
    draw: st.DrawFn, words: st.SearchStrategy[str] = WORDS, *, drops: bool = True
) -> tuple[str, str, str]:
    """A note and two versions of it, with words that no other has."""
    lines = draw(st.lists(words, max_size=12, unique=not drops))
    ways = ["add", "change", "drop"] if drops else ["add", "change"]
    sides = []
    for side in ("ours", "theirs"):
        made = list(lines)
        for number in range(draw(st.integers(0, 4))):
            at = draw(st.integers(0, len(made)))
            how = draw(st.sampled_from(ways))
            made[at : at + (how != "add")] = (
                [] if how == "drop" else [f"{side}-{number}"]
            )
        sides.append(made)
    ending = draw(st.sampled_from(["", "\n"]))
    return tuple("\n".join(each) + ending for each in (lines, *sides))  # type: ignore[return-value]


@given(versions())
def test_a_merge_has_every_line_that_either_added_and_is_symmetric(
    texts: tuple[str, str, str],
) -> None:
    base, ours, theirs = texts
    one, other = merged(base, ours, theirs), merged(base, theirs, ours)
    lines = one.data.decode().split("\n")
    added = {each for each in (*ours.split("\n"), *theirs.split("\n")) if "-" in each}
    assert added - {"- x"} <= set(lines)
    assert one.is_certain == other.is_certain
    if one.is_certain:
        assert one.data == other.data
    else:
        kept = [set(m.data.decode().split("\n")) for m in (one, other)]
        assert kept[0] == kept[1]


@given(versions(st.sampled_from("abcdefghijklm"), drops=False))
@settings(max_examples=300)
def test_merging_with_either_side_once_more_changes_nothing(
    texts: tuple[str, str, str],
) -> None:
    base, ours, theirs = texts
    one = merged(base, ours, theirs)
    if one.is_certain:
        for side in (ours, theirs):
            assert merged(base, one.data.decode(), side).data == one.data
            assert merged(base, side, one.data.decode()).data == one.data
            assert merged(side, one.data.decode(), side).data == one.data


@given(BODIES, BODIES)
def test_without_a_base_nothing_is_lost_either(ours: str, theirs: str) -> None:
    one, other = merged(None, ours, theirs), merged(None, theirs, ours)
    count = Counter(one.data.decode().split("\n"))
    for side in (ours, theirs):
        assert not Counter(side.split("\n")) - count
    assert one.is_certain == other.is_certain
    assert merged(None, ours, ours).data == ours.encode()


PROPERTIES = st.dictionaries(
    st.sampled_from(["id", "summary", "tags", "status", "created_at", "n"]),
    st.one_of(
        st.sampled_from(["one", "two", "2026-11-30", "a: b"]),
        st.integers(0, 3),
        st.lists(st.sampled_from(["x", "y", "z"]), unique=True, max_size=3),
        st.booleans(),
    ),
)


@given(st.one_of(st.none(), PROPERTIES), PROPERTIES, PROPERTIES, BODIES)
@settings(max_examples=200)
def test_merged_properties_can_always_be_read(
    base: dict[str, object] | None,
    ours: dict[str, object],
    theirs: dict[str, object],
    body: str,
) -> None:
    from mindcache.note import emit

    texts = [None if p is None else emit(p, body) for p in (base, ours, theirs)]  # type: ignore[arg-type]
    assert texts[1] is not None
    assert texts[2] is not None
    one = merged(texts[0], texts[1], texts[2])
    other = merged(texts[0], texts[2], texts[1])
    assert one.is_certain == other.is_certain
    notes = [parse("n.md", m.data) for m in (one, other)]
    assert [n.frontmatter and n.frontmatter.error for n in notes] == [
        None,
        None,
    ] or any(not n.properties for n in notes)
    clashing = {clash.what for clash in one.clashes}

    def plain(properties: object) -> dict[str, object]:
        assert hasattr(properties, "items")
        return {
            k: sorted(map(str, v)) if isinstance(v, list) else v
            for k, v in properties.items()
            if k not in clashing
        }

    assert plain(notes[0].properties) == plain(notes[1].properties)
    for key, value in ours.items():
        if base is None or (key not in base and key not in clashing):
            found = notes[0].properties[key]
            if isinstance(value, list):
                assert isinstance(found, list)
                assert set(map(str, value)) <= set(map(str, found))


def test_edits_of_different_places_merge_by_themselves(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Two people edit a note of thirty lines and six properties, each elsewhere."""
    import random

    chance = random.Random(7)
    alone = 0
    for _ in range(400):
        head = {f"p{n}": f"value {n}" for n in range(6)}
        body = [f"Line {n} of the text." if n % 4 else "" for n in range(30)]
        sides = [(dict(head), list(body)) for _ in range(2)]
        keys, places = list(head), list(range(30))
        chance.shuffle(keys)
        chance.shuffle(places)
        for number, (properties, lines) in enumerate(sides):
            for key in keys[number::2][: chance.randint(0, 3)]:
                properties[key] += f" of {number}"
            for at in sorted(places[number::2][: chance.randint(0, 5)], reverse=True):
                how = chance.choice(["change", "add", "drop"])
                lines[at : at + (how != "add")] = (
                    [] if how == "drop" else [f"New {at} of {number}."]
                )
        texts = [
            "---\n"
            + "".join(f"{k}: {v}\n" for k, v in p.items())
            + "---\n"
            + "\n".join(t)
            + "\n"
            for p, t in [(head, body), *sides]
        ]
        found = merged(*texts)
        alone += found.is_certain
        text = found.data.decode()
        assert all(
            line in text
            for side in texts[1:]
            for line in side.split("\n")
            if " of 0" in line or " of 1" in line
        )
    with capsys.disabled():
        print(f"\n{alone} of 400 merges needed nobody")  # noqa: T201  the number is the point
    assert alone >= 380


@pytest.mark.parametrize("piece", ["\n", "x\n", "- [[a]]\n", "```\n", "<<<<<<< \n"])
def test_large_and_hostile_notes_take_their_time_and_no_more(piece: str) -> None:
    base = piece * (900_000 // len(piece))
    ours = "ours\n" + base[: len(base) // 2] + "middle\n" + base[len(base) // 2 :]
    theirs = base[len(piece) * 40 :] + "theirs\n"
    began = time.process_time()
    text = merged(base, ours, theirs).data.decode()
    assert "ours\n" in text
    assert "theirs\n" in text
    assert time.process_time() - began < 30


PIECES = st.sampled_from(
    ["---", "a: 1", "a: 2", "a:", "  - x", "  - y", "b: [x, y]", "b: {c: 1}", "# c", "",
     "text", "x: &a 1", "y: *a", "? k", "\ta: 1", "<<<<<<< x", "=======", ">>>>>>> y",
     "t: |", "  two", "%% mindcache:begin 123456 %%", "%% mindcache:end %%",
     "n: .nan", "type: journal", "- 09:00 x ^j-1", "a: 2026-01-01"]
)  # fmt: skip


@st.composite
def files(draw: st.DrawFn) -> bytes:
    lines = draw(st.lists(PIECES, max_size=9))
    if draw(st.booleans()):
        lines = ["---", *lines, "---", *draw(st.lists(PIECES, max_size=4))]
    ending = draw(st.sampled_from(["\n", "\n", "\n", "\r\n", "\r"]))
    encoding = draw(st.sampled_from(["utf-8"] * 6 + ["utf-8-sig", "utf-16"]))
    return (ending.join(lines) + draw(st.sampled_from(["", ending]))).encode(encoding)


@given(
    st.one_of(st.none(), files()),
    files(),
    files(),
    st.sampled_from(["n.md", "n.jsonl", "n.base"]),
)
@settings(max_examples=400)
def test_whatever_the_files_hold_something_whole_comes_out(
    base: bytes | None, ours: bytes, theirs: bytes, path: str
) -> None:
    found = merge(path, base, ours, theirs)
    assert merge(path, base, ours, ours).data == ours
    if not found.is_whole:
        assert found.data == ours
        return
    marks = [side.count(b"<<<<<<< ") for side in (base or b"", ours, theirs)]
    if path != "n.md" or any(marks):
        return
    note = parse("n.md", found.data)
    head = note.text[: note.body_offset]
    assert "<<<<<<<" not in head
    if found.is_certain:
        assert b"<<<<<<<" not in found.data
