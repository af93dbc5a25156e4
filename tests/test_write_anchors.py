"""Headings and blocks of two notes that become one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mindcache.note import parse
from mindcache.write.anchors import _key, marked, told_apart

_HEADINGS = st.sampled_from(
    [
        "A",
        "a",
        "A!",
        "*A* b",
        "A b",
        "From",
        "A (From)",
        "a (from 2)",
        "A ^x",
        "???",
        "C#",
    ]
)
_IDS = st.sampled_from(["x", "X", "x-2", "y", "x-2-2"])
_PARTS = st.one_of(
    st.builds("{} {}\n".format, st.sampled_from(["#", "##", "###"]), _HEADINGS),
    st.builds("## {} ##\n".format, st.sampled_from(["A", "From"])),
    st.builds("\n{}\n---\n".format, st.sampled_from(["A", "Two\nlines"])),
    st.builds("\nText. ^{}\n".format, _IDS),
    st.just("\n```\n# A\nx ^x\n```\n"),
    st.just("\nPlain.\n"),
)
_NOTES = st.lists(_PARTS, max_size=6).map("".join)


@given(_NOTES, _NOTES)
def test_every_link_leads_to_the_text_of_its_own_note(ours: str, theirs: str) -> None:
    into, source = (parse("x.md", text.encode()) for text in (ours, theirs))
    anchors = told_apart(source, into, "From")
    head = f"{ours}\n\n## From\n\n"
    whole = parse("x.md", f"{head}{marked(source, anchors)}".encode())
    first = len(into.headings) + 1
    assert len(whole.headings) == first + len(source.headings)

    def leads(text: str, note: list[str]) -> int:
        return [_key(each) for each in note].index(_key(text))

    names = [each.text for each in whole.headings]
    for heading in into.headings:
        own = [each.text for each in into.headings]
        assert leads(heading.text, names) == leads(heading.text, own)
    for heading in source.headings:
        if not heading.text.startswith("^"):
            was = leads(heading.text, [each.text for each in source.headings])
            named = anchors.subpath(heading.text.partition(" ^")[0])
            assert leads(named, names) == first + was
    ids = [block.id.casefold() for block in whole.blocks]
    for block in source.blocks:
        was = [b.id.casefold() for b in source.blocks].index(block.id.casefold())
        found = ids.index(anchors.subpath(f"^{block.id}")[1:].casefold())
        assert found == len(into.blocks) + was
