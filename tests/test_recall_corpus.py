from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.cache.read import FTS_COLUMNS
from mindcache.digest import digest
from mindcache.index import lexical
from mindcache.recall import Ask, corpus
from tests.conftest import NOW, write_files
from tests.themes import notes

_FIELDS = {
    "body": lexical.BODY,
    "heading": lexical.HEADINGS,
    "title": lexical.TITLE,
    "words": lexical.PROPERTIES,
}


@given(
    st.lists(st.tuples(st.integers(0, 10**9), st.sampled_from(FTS_COLUMNS))),
    st.booleans(),
)
def test_packed_occurrences_are_counted(
    rows: list[tuple[int, str]], in_order: bool
) -> None:
    codes = [doc * len(FTS_COLUMNS) + FTS_COLUMNS.index(name) for doc, name in rows]
    codes = sorted(codes) if in_order else codes
    found = corpus._unpacked(",".join(map(str, codes)))
    freqs = [1] * len(found.chunk_ids) if found.freqs is None else found.freqs.tolist()
    counted = zip(found.chunk_ids.tolist(), found.columns.tolist(), freqs, strict=True)
    assert {(doc, field): n for doc, field, n in counted} == Counter(
        (doc, _FIELDS[name]) for doc, name in rows
    )


@pytest.mark.parametrize("mode", ["deep", "auto", "topic"])
def test_who_writes_the_cache_meanwhile_takes_nothing_away(
    mode, make_vault, make_app
) -> None:
    """What was loaded knows chunks by numbers that the cache has given up since."""
    vault = make_vault(notes())
    app, daemon = make_app(vault), make_app(vault)
    digest(app, now=NOW)
    at_hand = app.corpus()
    changed = ("memory/Rye loaf.md", "memory/Sourdough starter.md", "memory/Crust.md")
    texts = {path: (vault / path).read_text() for path in changed}
    write_files(vault, {path: f"{text}\nAnew.\n" for path, text in texts.items()})
    daemon.update()
    found = app.recall(mode, Ask("rye flour starter", floor=0), at_hand)
    assert found.hits
    at_hand = app.corpus()
    with at_hand.steady() as known:
        daemon.update(rebuild=False)
        write_files(vault, texts)
        daemon.update()
        assert known.reader.chunks(known.ids.tolist()).keys() == set(known.ids.tolist())
