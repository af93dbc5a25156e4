"""The judge of duplicates: wordings of one fact, and what keeps two facts apart."""

from __future__ import annotations

import subprocess
import sys
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.alike import msrp, sick, tally
from mindcache import model
from mindcache.alike import Surface, Verdict, Wording, judge, may_be_alike
from mindcache.index.embedding import open_encoder

PAIRS = Path(__file__).parents[2] / "shared" / "data" / "pairs"

# Nine ways to say each, as people and programs write them down.
WORDINGS = {
    "dark mode": (
        "en",
        "The user prefers dark mode in every editor.",
        "User prefers dark mode in all editors.",
        "Prefers dark mode in all of their editors.",
        "The user likes editors in dark mode.",
        "In all editors the user wants dark mode.",
        "Dark mode is what the user prefers in editors.",
        "The user's preference is dark mode, in every editor.",
        "User has a preference for dark mode in editors.",
        "Always use dark mode in the user's editors.",
    ),
    "deploys": (
        "en",
        "Production deploys happen on Tuesdays, after the smoke tests pass.",
        "We deploy to production on Tuesdays once the smoke tests have passed.",
        "Deploys to production: Tuesdays, when smoke tests pass.",
        "On Tuesdays we deploy to production after the smoke tests pass.",
        "Tuesday is the day for production deploys, after smoke tests pass.",
        "Production is deployed every Tuesday after passing the smoke tests.",
        "Once smoke tests pass, production gets deployed on Tuesday.",
        "Deployment to production takes place on Tuesdays after the smoke tests passed.",
        "After the smoke tests pass, deploy to production on Tuesdays.",
    ),
    "contact": (
        "en",
        "Anna Berg is the contact for billing at Acme.",
        "At Acme, the billing contact is Anna Berg.",
        "The contact at Acme for billing is Anna Berg.",
        "Billing contact at Acme: Anna Berg.",
        "For billing at Acme, contact Anna Berg.",
        "Acme's billing contact is Anna Berg.",
        "Contact Anna Berg at Acme for billing.",
        "Anna Berg is Acme's contact for billing.",
        "Our contact for Acme billing is Anna Berg.",
    ),
    "深色模式": (
        "zh",
        "用户喜欢在所有编辑器中使用深色模式。",
        "用户在所有编辑器里喜欢使用深色模式。",
        "用户偏好在编辑器中使用深色模式。",
        "在编辑器里，用户喜欢用深色模式。",
        "用户希望所有编辑器都使用深色模式。",
        "所有编辑器都用深色模式，这是用户的偏好。",
        "用户的偏好：编辑器使用深色模式。",
        "用户总是在编辑器中使用深色模式。",
        "编辑器请使用深色模式。",
    ),
}

# Each differs from the first in something that a fact turns on.
APART = [
    ("Prefers dark mode in editors.", "Prefers light mode in editors."),
    ("Prefers dark mode in editors.", "Never wants dark mode in editors."),
    ("Prefers dark mode in editors.", "Dislikes dark mode in editors."),
    ("Indent with tabs in Python.", "Indent with spaces in Python."),
    ("Prefers tabs over spaces.", "Prefers spaces over tabs."),
    ("The API allows 100 requests a minute.", "The API allows 200 requests a minute."),
    ("The port of the proxy is 8080.", "The port of the proxy is 8081."),
    ("The release is on 3 May 2026.", "The release is on 4 May 2026."),
    ("The release is due on 2026-05-03.", "The release is due on 2026-06-03."),
    ("Standup is on Monday at the office.", "Standup is on Tuesday at the office."),
    ("The audit of Acme starts in March.", "The audit of Acme starts in June."),
    ("The contact at Acme is Anna Berg.", "The contact at Acme is Tom Berg."),
    ("The contact at Acme is Anna Berg.", "The contact at Globex is Anna Berg."),
    ("We moved from mysql to postgres.", "We moved from postgres to mysql."),
    ("Anna reports to Tom since spring.", "Tom reports to Anna since spring."),
    ("Anna manages Tom in the new team.", "Tom manages Anna in the new team."),
    ("Deploy before the smoke tests run.", "Deploy after the smoke tests run."),
    ("The feature flag is enabled.", "The feature flag is disabled."),
    ("Das Backup läuft täglich.", "Das Backup läuft nicht täglich."),
    ("La réunion est lundi à Lyon.", "La réunion est mardi à Lyon."),
    ("- [ ] send the offer to Acme", "- [x] send the offer to Acme"),
    ("- [ ] send the offer to Acme", "send the offer to Acme [x]"),
    ("合約金額為三萬元。", "合約金額為五萬元。"),
    ("用户喜欢深色模式的编辑器。", "用户不喜欢深色模式的编辑器。"),
    ("用户喜欢深色模式的编辑器。", "用户喜欢浅色模式的编辑器。"),
    ("エディタではダークモードを使う。", "エディタではダークモードを使わない。"),
    ("Обновления включены на сервере.", "Обновления не включены на сервере."),
]


@pytest.fixture(scope="module")
def encoder():
    return open_encoder(Path(model.shipped()))


@pytest.mark.parametrize("fact", WORDINGS)
def test_nine_wordings_of_a_fact_are_one(fact: str, encoder) -> None:
    lang, *texts = WORDINGS[fact]
    assert len(texts) == 9
    cosines = encoder.encode(texts) @ encoder.encode(texts).T
    wordings = [Wording.of(text, lang) for text in texts]
    for first, second in permutations(range(9), 2):
        verdict = judge(
            wordings[first], wordings[second], float(cosines[first, second])
        )
        assert verdict.covers, (texts[first], texts[second], verdict)
        assert may_be_alike(Surface.of(texts[first]), Surface.of(texts[second]))


@pytest.mark.parametrize(("first", "second"), APART)
@pytest.mark.parametrize("lang", ["", "en"])
def test_what_a_fact_turns_on_keeps_two_apart(
    first: str, second: str, lang: str
) -> None:
    """However near a model holds them."""
    a, b = Wording.of(first, lang), Wording.of(second, lang)
    for verdict in (judge(a, b, 1.0), judge(b, a, 1.0)):
        assert not verdict.is_alike, verdict
        assert verdict.reason


def test_a_value_that_differs_is_named() -> None:
    a = Wording.of("The API allows 100 requests a minute.", "en")
    b = Wording.of("The API allows 200 requests a minute.", "en")
    assert judge(a, b, 0.9) == Verdict("contradicting", "numbers differ: 100 / 200")
    assert judge(b, a, 0.9) == judge(a, b, 0.9)
    other = Wording.of("Berths are painted green in spring.", "en")
    assert judge(a, other, 0.1).kind == "different"


def test_who_says_more_covers_and_is_not_covered() -> None:
    brief = Wording.of("The spare keys of the shed are with the harbour master.", "en")
    whole = Wording.of(
        "The spare keys of the blue shed are with the harbour master.", "en"
    )
    assert judge(whole, brief, 0.95).covers
    back = judge(brief, whole, 0.95)
    assert back.is_alike
    assert back.more == "b"
    assert not back.covers
    assert not judge(whole, brief, 0.6).is_alike


def test_near_equal_facts_in_chinese_are_found() -> None:
    """Whatever the model thinks: it hardly knows the script."""
    a = Wording.of("中文合約轉換已完成", "zh")
    b = Wording.of("中文合約轉換已經完成", "zh")
    assert judge(b, a, 0.1).covers


def test_the_same_words_below_two_names_are_two_facts() -> None:
    def under(*titles: str, text: str) -> Verdict:
        a, b = (Wording.of(text, "en", title) for title in titles)
        return judge(a, b, 1.0)

    assert not under("Alice", "Bob", text="Likes hiking.").is_alike
    assert not under("alice", "bob", text="Likes hiking.").is_alike
    assert not under("Project Alpha", "Project Beta", text="Status: open").is_alike
    assert not under(
        "Alice", "Bob", text="Lives near the harbour in a red house."
    ).is_alike
    # A name of a file is none of a fact.
    assert under("note 1", "note 2", text="The user prefers dark mode.").is_alike
    assert under("theme", "ui of editors", text="The user prefers dark mode.").is_alike


def test_a_block_id_is_no_part_of_the_fact() -> None:
    a, b = (
        Wording.of("Mooring is paid ahead. ^f-1"),
        Wording.of("Mooring is paid ahead."),
    )
    assert judge(a, b, 1.0).covers


def test_a_cold_start_loads_the_judge_when_it_is_asked() -> None:
    """The lists of words and their patterns are a tenth of a cold question."""
    code = (
        "import sys, mindcache.alike as a; a.Surface.of('a'); a.may_be_alike; a.NEAR;"
        "print(*[m for m in sys.modules if m.startswith('mindcache.alike.')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["mindcache.alike.early"]


texts = st.text(
    st.sampled_from("ab 12.,-[]x'\n深不三ないéАн") | st.characters(), max_size=60
)


@given(texts, texts, st.floats(-1, 1))
def test_the_order_of_the_two_does_not_matter(a: str, b: str, cosine: float) -> None:
    one, other = Wording.of(a), Wording.of(b)
    there, back = judge(one, other, cosine), judge(other, one, cosine)
    assert (there.kind, there.reason) == (back.kind, back.reason)
    assert {there.more, back.more} in ({""}, {"a", "b"})
    if there.is_alike:
        assert may_be_alike(Surface.of(a), Surface.of(b))
        assert there.covers or back.covers


@given(texts)
def test_a_text_is_like_itself(text: str) -> None:
    assert judge(Wording.of(text), Wording.of(text), 1.0).covers


@pytest.mark.skipif(not PAIRS.is_dir(), reason="no ../shared/data/pairs")
def test_judged_pairs() -> None:
    """Measured: 91 and 86 %; no caption that contradicts is ever folded."""
    news, captions = tally(msrp(str(PAIRS))), tally(sick(str(PAIRS)))
    assert news.folded > 80
    assert news.precision > 0.88
    assert captions.folded > 400
    assert captions.precision > 0.83
    assert captions.conflicts_folded == 0
    assert captions.conflicts_named > 0.8 * captions.conflicts
