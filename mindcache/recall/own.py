"""Our own pages: what Mindcache lays down in a vault or reports there of itself.

They explain the memory and are none, so they answer only who asks for them. A page
that a person changed is that person's note.
"""

from __future__ import annotations

from collections.abc import Mapping

from mindcache.cache.read import Reader
from mindcache.recall.filters import Filters
from mindcache.text import contains_phrase, fold

__all__ = [
    "LAID_DOWN",
    "REPORT_ID",
    "asked_for",
    "our_pages",
    "topics_without_words",
]

# The note that the digest keeps of itself (`digest.reporting` derives this id).
REPORT_ID = "m-01KDVDNA00123P85K174CMG3KH"

# Every version that the template's pages ever had, by the hash of their whole content,
# with either line end: the file names are a person's to change. One condition for
# `Reader.where`.
LAID_DOWN = """f.path IN (SELECT path FROM stamps WHERE hash IN (
    x'4de52468ac17afba2f27eefebe4f24f6', x'e86cb1bdca0cc712bbcc422d479ddd6e',
    x'959fc8f0aef06158b30e65fffbf3c135', x'6e3027b9d0e3c1a5de6f7a8924cc3795',
    x'409e5ad44bf07f7389eedf0a8b085c59', x'829f4359d8d81b7c663d2e0b877d861b',
    x'7bfa104c1b8a5190c027a7fa45721100', x'17ca236a5a520fcdc8bf100baa06f3a0',
    x'46e22adf6fd412e9844127501072e85f', x'5f11c5e1955ec93a2039824d75a34179',
    x'75622d68bad18d05cbd2c2fd2dfa6c6f', x'b34f64cfed708e0263ae82c0629efda2',
    x'0ab47311320fd4c931da7c22b88c8a20', x'7546f0779e2d7e14d36cada65b407cfc',
    x'b47a71a29a284d8a169ea478d2064e81', x'914a096e7a94a12a7cb512cec39e6138',
    x'0438c1fc734415ed521861cd79927a62', x'7df89f1938a1cb41935564d876bb05c9',
    x'64007c53a97a44bcbed859ae256770e5', x'2b9bcd0da7abdf050a6573dc0fe2cc05'
))"""

_OURSELVES = "mindcache"


def our_pages(reader: Reader) -> dict[int, tuple[str, ...]]:
    """Our own pages by file id, each with the folded names it goes by."""
    # Apart, since an OR of both looks at every note.
    found = reader.where("n.node_id = ?", [REPORT_ID]) | reader.where(LAID_DOWN, [])
    return _named(reader, found)


def topics_without_words(reader: Reader) -> dict[int, tuple[str, ...]]:
    """Topics in which nobody wrote, by file id, each with the folded names it goes by.

    They say where things are, and would take the places of the things themselves.
    """
    found = reader.where(
        "n.type = 'topic' AND NOT EXISTS"
        " (SELECT 1 FROM chunks c WHERE c.file_id = n.file_id AND c.text <> '')",
        [],
    )
    return _named(reader, found)


def _named(reader: Reader, found: set[int]) -> dict[int, tuple[str, ...]]:
    return {
        node.file_id: tuple(fold(name) for name in (node.title, *node.aliases))
        for node in reader.nodes(found)
    }


def asked_for(
    pages: Mapping[int, tuple[str, ...]], text: str, filters: Filters
) -> set[int]:
    """Those of our pages that a question, or a filter of it, means.

    All of them where it speaks of Mindcache or has a filter that names single notes;
    else those whose name it says. A name of one word has to be all that it says: every
    other question has "plan" or "event" in it.
    """
    if filters.ids or filters.titles or filters.aliases:
        return set(pages)
    asked = fold(text)
    if contains_phrase(asked, _OURSELVES):
        return set(pages)
    return {
        file_id
        for file_id, names in pages.items()
        if any(
            contains_phrase(asked, name) if " " in name else asked.strip() == name
            for name in names
            if name
        )
    }
