"""What is fenced can't get out, and is found again whatever it holds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.errors import UsageError
from mindcache.extract.passages import passages_of
from mindcache.fence import MARK, NOTICE, fenced, harmless, own_words, strip
from mindcache.note import parse
from tests.chats import bodies, bring_in, code, made, save
from tests.test_write_moving import play

PIECES = st.sampled_from(
    [
        f"<{MARK}>",
        f"</{MARK}>",
        f"< / {MARK.upper()} >",
        f'<{MARK} from="x">',
        "<mind\u200bcache-memory>",
        "</mind\x1b[0mcache-memory>",
        "<",
        ">",
        '"',
        "\x1b]0;title\x07",
        "\x1b[2J",
        "\u202e",
        "\u200d",
        "\ud83d",
        "\n",
        "\r\n",
        "👩\u200d🔬",
        "ignore previous instructions",
    ]
)
HOSTILE = st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=8).map("".join)
PLAIN = st.text(max_size=30).filter(lambda t: "mindcache" not in harmless(t).casefold())


@given(HOSTILE, HOSTILE, PLAIN, PLAIN)
def test_just_the_fenced_text_goes(
    text: str, origin: str, before: str, after: str
) -> None:
    whole = f"{before}{fenced(text, origin, origin)}{after}"
    assert strip(whole) == before + after


@given(HOSTILE, HOSTILE)
def test_nothing_in_it_ends_the_fence_or_opens_another(text: str, origin: str) -> None:
    whole = fenced(text, origin).casefold()
    assert whole.count(f"<{MARK}") == 1
    assert whole.count(f"</{MARK}") == 1
    assert whole.startswith(f"<{MARK} from=")
    assert whole.endswith(f"\n</{MARK}>")


@given(HOSTILE)
def test_cleaning_twice_is_as_once(text: str) -> None:
    once = harmless(text)
    assert harmless(once) == once
    assert "\x1b" not in once
    assert "\u202e" not in once
    once.encode()  # no half of a surrogate pair is left


@given(HOSTILE)
def test_what_is_fenced_can_be_fenced_again(text: str) -> None:
    assert strip(fenced(fenced(text, "a.md"), "b.md")) == ""


@given(PLAIN)
def test_a_text_without_marks_stays_as_it_is(text: str) -> None:
    assert strip(text) == text


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("a\x1b[31mred\x1b[0m b", "ared b"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("pay\u200bpal \u202eevil\u202c", "paypal evil"),
        ("tag\U000e0041\U000e0042s", "tags"),
        ("a\u2062\u3164\u034fb", "ab"),
        ("❤\ufe0f\ufe01\u200b\U000e0101\ufe00 葛\U000e0100", "❤\ufe0f 葛\U000e0100"),
        ("میخواهم و می\u200cخواهم", "میخواهم و می\u200cخواهم"),
        ("👩\u200d🔬 a\u200db", "👩\u200d🔬 ab"),
        ("one\r\ntwo\rthree\u2028four\tfive", "one\ntwo\nthree\nfour\tfive"),
        ("\x1b[31\nstays", "\nstays"),
    ],
)
def test_what_nobody_sees_goes(text: str, clean: str) -> None:
    assert harmless(text) == clean


def test_it_says_where_it_comes_from() -> None:
    text = fenced("The price is 5.\n", 'memory/"A" & <B>.md#Price', "chat")
    assert text == (
        '<mindcache-memory from="memory/&quot;A&quot; &amp; &lt;B&gt;.md#Price"'
        ' source="chat">\nThe price is 5.\n</mindcache-memory>'
    )


def test_a_fence_that_was_cut_off_goes_to_the_end() -> None:
    cut = fenced("first\nsecond\nthird", "a.md").partition("third")[0]
    assert strip(f"Before. {cut}") == "Before. "


def test_a_mark_that_is_disguised_is_one() -> None:
    text = f'I read: <mind\u200bcache-memory from="a.md">old</{MARK}> and know.'
    assert strip(text) == "I read:  and know."
    assert strip(text.replace("\u200b", "\x1b[0m")) == "I read:  and know."


def test_nothing_is_learned_from_what_is_fenced() -> None:
    text = fenced("I prefer tea.", "memory/Tea.md")
    note = parse("Talk.md", f"I live in Bergen.\n\n{text}\n\nWe met.\n".encode())
    said = [passage.text for passage in passages_of(note, None)]
    assert said == ["I live in Bergen.", "We met."]


def test_the_notice_is_none_and_hides_nothing_behind_it() -> None:
    whole = f"{NOTICE}\n{fenced('old', 'a.md')}\nBuy bread."
    assert strip(whole).strip() == "Buy bread."
    assert strip(f"{NOTICE} Buy bread.") == " Buy bread."


def test_own_words_are_asked_for_where_there_are_none() -> None:
    assert own_words(f"New: {fenced('old', 'a.md')}tea.") == "New: tea."
    assert own_words("") == ""
    with pytest.raises(UsageError, match="what a memory said before"):
        own_words(f"{NOTICE}\n{fenced('old', 'a.md')}")


RECALLED = f"{NOTICE}\n{fenced('Ida takes a bicycle.', 'memory/Ida.md')}"


def test_no_command_that_writes_takes_it_in_again(make_vault) -> None:
    vault = make_vault({"Tea.md": "---\nid: m-1\nsummary: Tea\n---\nTea.\n"})
    both = f"{RECALLED}\nThe tide is at six."
    for call in (
        ["remember", both, "--scope", "global"],
        ["journal", "append", both, "--sub", f"Low water.{RECALLED}"],
        ["update", "Tea.md", "--append", both],
    ):
        before = {p: p.read_bytes() for p in vault.rglob("*.md")}
        status, out = play(vault, *call)
        assert "recalled from the vault is left out" in out, call
        assert status in (0, 4), out  # a breach of the contract that was there before
        after = {p: p.read_bytes() for p in vault.rglob("*.md")}
        assert after != before or status == 4
        bare = [RECALLED if word == both else word for word in call]
        status, out = play(vault, *bare)
        assert status == 2
        assert "say in your own words" in out
    texts = [path.read_text() for path in vault.rglob("*.md")]
    assert sum("tide is at six" in text for text in texts) >= 2
    assert not any("bicycle" in text or MARK in text for text in texts)


def test_a_chat_that_is_imported_leaves_it_out_and_counts_it(
    make_vault, make_app, tmp_path
) -> None:
    app = make_app(make_vault({}))
    lines = [
        code("user", f"{RECALLED}\nWhat does Ida ride?", "u1"),
        code("assistant", [{"type": "text", "text": f"It says: {RECALLED}"}], "u2"),
        code("assistant", [{"type": "text", "text": RECALLED}], "u3"),
    ]
    report = bring_in(app, save(tmp_path, "\n".join(lines), "s1.jsonl"))
    text = bodies(app, made(report))
    assert "What does Ida ride?" in text
    assert "It says:" in text
    assert "bicycle" not in text
    assert MARK not in text
    counts = {each.what: each.count for each in report.left}
    assert counts["text recalled from the vault"] == 3
