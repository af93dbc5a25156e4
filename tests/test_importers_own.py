"""What an import may change in a note: just what its source said and nobody touched."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mindcache.importers.own import (
    Said,
    grown_body,
    merged_body,
    merged_properties,
    said,
)
from mindcache.note import DELETE

LINES = st.lists(st.sampled_from(["a", "b", "c", "", "- d", "## E"]), max_size=8)


def body(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def hashes(lines: list[str]) -> tuple[str, ...]:
    return said({}, body(lines), "").body


def test_a_ledger_entry_reads_back() -> None:
    value = said({"status": "planned", "tags": ["a", "b"]}, "x\ny\n", "3 2026")
    assert Said.read(value.text()) == value
    assert Said.read("from elsewhere") == Said()


def test_the_source_changes_what_nobody_touched() -> None:
    last = said({"location": "Hall", "status": "planned"}, "", "")
    there = {"location": "Hall", "status": "planned", "mood": "good"}
    merged = merged_properties(last, {"location": "Room 2", "status": "planned"}, there)
    assert (merged.changes, merged.held) == ({"location": "Room 2"}, ())


def test_what_the_source_takes_back_goes() -> None:
    last = said({"location": "Hall"}, "", "")
    assert merged_properties(last, {}, {"location": "Hall"}).changes == {
        "location": DELETE
    }


def test_an_owners_change_holds_and_is_told_once() -> None:
    last = said({"location": "Hall"}, "", "")
    there = {"location": "My place"}
    merged = merged_properties(last, {"location": "Room 2"}, there)
    assert (merged.changes, merged.held) == ({}, ("location",))
    again = merged_properties(
        said({"location": "Room 2"}, "", ""), {"location": "Room 2"}, there
    )
    assert (again.changes, again.held) == ({}, ())


def test_a_property_that_the_owner_removed_stays_away() -> None:
    last = said({"location": "Hall"}, "", "")
    assert merged_properties(last, {"location": "Hall"}, {}).changes == {}
    assert merged_properties(last, {"location": "Room 2"}, {}).held == ("location",)


def test_lists_are_merged_by_item() -> None:
    last = said({"entities": ["[[A]]", "[[B]]"]}, "", "")
    there = {"entities": ["[[B]]", "[[Mine]]"]}  # A was taken out, Mine put in
    merged = merged_properties(last, {"entities": ["[[A]]", "[[C]]"]}, there)
    assert merged.changes == {"entities": ["[[Mine]]", "[[C]]"]}
    gone = merged_properties(last, {}, {"entities": ["[[A]]", "[[B]]"]})
    assert gone.changes == {"entities": DELETE}


def test_without_a_ledger_only_what_is_missing_is_added() -> None:
    merged = merged_properties(
        Said(), {"location": "Hall", "title": "A"}, {"title": "B"}
    )
    assert (merged.changes, merged.held) == ({"location": "Hall"}, ("title",))


def test_both_may_add_under_one_heading() -> None:
    last = hashes(["Text"])
    there = "Text\n\n## Outcomes\n\n- mine\n"
    now = "Text\n\n## Outcomes\n\n- theirs\n"
    merged, clashed = merged_body(last, now, there, "\n")
    assert merged == "Text\n\n## Outcomes\n\n- theirs\n- mine\n"
    assert not clashed


def test_one_line_changed_by_both_is_the_owners() -> None:
    last = hashes(["one", "two", "three"])
    merged, clashed = merged_body(
        last, "one\nTWO\nthree\nfour\n", "one\n2\nthree\n", "\n"
    )
    assert (merged, clashed) == ("one\n2\nthree\nfour\n", True)


def test_line_ends_stay_as_they_are() -> None:
    last = hashes(["one", "two"])
    merged, _ = merged_body(last, "one\ntwo\nthree\n", "one\r\ntwo", "\r\n")
    assert merged == "one\r\ntwo\r\nthree\r\n"


@given(LINES, LINES)
def test_an_untouched_body_follows_the_source(last: list[str], now: list[str]) -> None:
    assert merged_body(hashes(last), body(now), body(last), "\n") == (body(now), False)


@given(LINES, LINES)
def test_an_unchanged_source_changes_nothing(last: list[str], there: list[str]) -> None:
    assert merged_body(hashes(last), body(last), body(there), "\n") == (
        body(there),
        False,
    )


@given(LINES, LINES, LINES)
def test_no_line_of_the_owners_is_ever_lost(
    last: list[str], now: list[str], there: list[str]
) -> None:
    mine = [f"mine {line}" if n % 2 else line for n, line in enumerate(there)]
    merged, _ = merged_body(hashes(last), body(now), body(mine), "\n")
    written = [line for line in merged.split("\n") if line.startswith("mine ")]
    assert written == [line for line in mine if line.startswith("mine ")]


@given(LINES, LINES, LINES)
def test_a_second_merge_has_nothing_to_do(
    last: list[str], now: list[str], there: list[str]
) -> None:
    merged, _ = merged_body(hashes(last), body(now), body(there), "\n")
    assert merged_body(hashes(now), body(now), merged, "\n") == (merged, False)


# -- a body that grows ---------------------------------------------------------

GROWN = st.lists(
    st.sampled_from(["a", "b", "", "c ^1", "d ^2"]), min_size=1, max_size=6
)


def said_once(lines: list[str]) -> tuple[str, ...]:
    return said({}, body(lines), "", grows=True).body


@given(GROWN, GROWN, GROWN)
def test_what_came_to_the_end_stands_before_what_the_owner_wrote(
    old, more, mine
) -> None:
    before, after = [*old, "last ^9"], [*old, "last ^9", *more]
    there = body([*before, *mine])
    now, clashed = grown_body(said_once(before), body(after), there, "\n")
    assert not clashed
    if mine == more or not any(more):
        return
    assert now == body([*after, *mine])
    again, clashed = grown_body(said_once(after), body(after), now, "\n")
    assert (again, clashed) == (now, False)


@given(GROWN, GROWN, GROWN)
def test_what_the_owner_changed_is_never_lost(old, new, there) -> None:
    now, _ = grown_body(said_once(old), body(new), body(there), "\n")
    if there[: len(old)] != old:
        kept = iter(now.split("\n"))
        assert all(any(line == found for found in kept) for line in there)


def test_of_a_body_that_grows_the_ledger_keeps_one_word() -> None:
    first = said({"title": "x"}, "a\nb\n" * 5_000, "v", grows=True)
    assert len(first.text()) < 80
    assert type(first).read(first.text()) == first
