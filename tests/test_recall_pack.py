"""Packed answers: never over budget, cut where a reader would, nothing forgotten."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from mindcache.recall.answer import Hit, Linked
from mindcache.recall.around import Neighbours
from mindcache.recall.pack import Material, pack
from mindcache.text import analyze
from mindcache.text.tokens import estimate


def hit(path: str = "a.md", heading: str = "", date: str = "") -> Hit:
    return Hit(
        path, "", heading, (3, 4), "", "Title", "fact", "", date, "", "", (), 0.5
    )


def packed(*texts: str, budget: int | None, ask: str = "") -> tuple[list[str], object]:
    hits = [hit(f"{n}.md") for n in range(len(texts))]
    materials = [Material(text, "en", analyze(ask, "en")) for text in texts]
    done, found = pack(hits, materials, budget)
    return [each.text or "" for each in done], found


def body(text: str) -> str:
    return text.partition("\n")[2]


lines = st.lists(
    st.text(
        st.sampled_from("ab .!\n深色。`~- é")
        | st.characters(categories=("L", "M", "So"))
    ),
    max_size=12,
).map("\n".join)


@given(st.lists(lines, min_size=1, max_size=6), st.integers(1, 120), lines, lines)
def test_a_budget_is_kept_and_everything_accounted_for(
    texts: list[str], budget: int, before: str, after: str
) -> None:
    hits = [hit(f"{n}.md", date="2026-03-01") for n in range(len(texts))]
    link = Linked("z.md", "What z says.", "about", 1.0)
    materials = [
        Material(text, "en", (), Neighbours(before, after), (link,)) for text in texts
    ]
    done, found = pack(hits, materials, budget)
    whole = "\n\n".join(each.text or "" for each in done)
    assert estimate(whole) <= budget
    assert found is not None
    assert found.used == estimate(whole)
    assert sorted([each.path for each in done] + list(found.left_out)) == sorted(
        each.path for each in hits
    )
    assert all("2026-03-01" in (each.text or "") for each in done)


@given(
    st.text("e\u0301👍🏽👩\u200d👧🇩🇪เก\u0e33", min_size=1, max_size=200),
    st.integers(25, 60),
)
def test_no_cut_inside_of_a_character(text: str, budget: int) -> None:
    (*shown,), _ = packed(text, budget=budget)
    for each in shown:
        kept = body(each)
        assert text.startswith(kept.removesuffix("…"))
        rest = text[len(kept.removesuffix("…")) :]
        if kept.endswith("…") and rest:
            assert unicodedata.category(rest[0])[0] != "M"
            assert rest[0] not in "\u200d🏽\u0e33"


def test_without_a_budget_all_is_shown() -> None:
    (only,), found = packed("One.\n\nTwo.", budget=None)
    assert only == "[0.md:3 · Title]\nOne.\n\nTwo."
    assert found is None


def test_date_and_heading_stay_with_the_text() -> None:
    (done,), _ = pack(
        [hit("memory/x.md", "Plan > Costs", "2026-03-01")],
        [Material("It costs 12 EUR.")],
        40,
    )
    assert done.text == (
        "[memory/x.md:3 · 2026-03-01 · Title > Plan > Costs]\nIt costs 12 EUR."
    )


def test_a_long_text_is_cut_at_line_ends_around_what_was_asked() -> None:
    filler = [f"Line {n} tells of something else entirely." for n in range(30)]
    filler[20] = "The berth costs twelve euros a metre."
    (only,), found = packed("\n".join(filler), budget=50, ask="what does a berth cost")
    first, *kept, last = body(only).split("\n")
    assert (first, last) == ("…", "…")
    assert filler[20] in kept
    assert set(kept) <= set(filler)
    assert found.cut == 1


def test_a_paragraph_in_one_line_is_cut_at_sentences() -> None:
    sentences = [f"Sentence {n} tells of something else." for n in range(30)]
    (only,), _ = packed(" ".join(sentences), budget=40)
    assert body(only).endswith(" …")
    kept = body(only).removesuffix(" …")
    assert " ".join(sentences).startswith(kept)
    assert kept.endswith(".")


def test_a_fence_that_is_cut_is_closed_again() -> None:
    code = "\n".join(["```sh", *(f"run step {n}" for n in range(60)), "```"])
    (only,), _ = packed(code, budget=60, ask="step 40")
    shown = body(only)
    assert shown.count("```") == 2
    assert "run step 40" in shown


def test_one_long_hit_leaves_room_for_others() -> None:
    long = "\n".join(f"Line {n} of a very long listing." for n in range(200))
    shown, found = packed(long, "Short and good.", "Also short.", budget=200)
    assert len(shown) == 3
    assert found.left_out == ()
    # What the others didn't need went back to the first.
    assert found.used > 180


def test_what_has_no_room_is_named() -> None:
    text = "Nine words that no tiny budget can ever hold. " * 9
    shown, found = packed(text, text, text, budget=60)
    assert len(shown) + len(found.left_out) == 3
    assert found.left_out
    _, again = packed(text, text, text, budget=found.needed)
    assert again.left_out == ()
    assert again.cut == 0
    shown, found = packed(text, budget=3)
    assert shown == []
    assert found.used == 0


def test_context_comes_after_all_texts_have_their_room() -> None:
    around = Neighbours("Before it.", "After it.")
    link = Linked("z.md", "What z says.", "involves", 1.0, is_back=True)
    material = Material("The text.", around=around, linked=(link,))
    (all_of_it,), _ = pack([hit()], [material], 100)
    assert body(all_of_it.text or "") == (
        "Before it.\n\nThe text.\n\nAfter it.\n← involves z.md: What z says."
    )
    (bare,), _ = pack([hit()], [material], 12)
    assert body(bare.text or "") == "The text."
