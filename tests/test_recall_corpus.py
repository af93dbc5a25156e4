from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from mindcache.cache.read import FTS_COLUMNS
from mindcache.index import lexical
from mindcache.recall import corpus

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
