"""What of a session is kept: its own words, and no echo of the memory."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from mindcache import fence
from mindcache.session.kept import keep
from mindcache.session.transcript import Told, records, tell


def line(kind: str, content: object, **more: object) -> dict[str, object]:
    role = {"role": kind, "content": content}
    return {"type": kind, "sessionId": "s", "message": role, **more}


def use(name: str, call: str = "t", **given: str) -> dict[str, object]:
    block = {"type": "tool_use", "id": call, "name": name, "input": given}
    return line("assistant", [block])


def result(text: str, call: str = "t") -> dict[str, object]:
    block = {"type": "tool_result", "tool_use_id": call, "content": text}
    return line("user", [block], toolUseResult={})


FENCED = fence.fenced("Halden pays nine hundred a day.", "memory/Halden.md")


def test_a_session_in_words() -> None:
    told = tell(
        [
            line("user", "Fix the importer. It fails at night."),
            use("Edit", file_path="/code/site/a.py"),
            result("ok"),
            use("Read", file_path="/vault/memory/Halden.md"),
            line("user", "<command-name>/clear</command-name>"),
            line("user", "A subagent's", isSidechain=True),
            line("user", "<system-reminder>x</system-reminder>And test it."),
            line("assistant", [{"type": "text", "text": "Fixed. All tests pass."}]),
        ],
        "s",
    )
    assert told.asked == ("Fix the importer. It fails at night.", "And test it.")
    assert told.answered == ("Fixed. All tests pass.",)
    assert told.written == ("/code/site/a.py",)
    assert told.read == ("/vault/memory/Halden.md",)


def test_what_the_memory_said_is_told_apart() -> None:
    told = tell(
        [
            use("Bash", "b", command="cd /x && mindcache recall pricing"),
            result("Halden pays nine hundred a day.", "b"),
            use("mcp__plugin_mindcache_mindcache__recall", "m", query="x"),
            result("The boats report at six.", "m"),
            use("Bash", "o", command="cat mindcached.txt"),
            result("Nobody recalled this.", "o"),
            {"type": "attachment", "attachment": {"content": [FENCED]}},
            line("user", f"Is this so? {FENCED}"),
        ],
        "s",
    )
    assert told.recalled == (
        "Halden pays nine hundred a day.",
        "The boats report at six.",
        FENCED,
    )
    assert told.asked == ("Is this so?",)


def test_what_was_read_in_the_vault_came_out_of_the_memory() -> None:
    lines = [
        use("Read", "r", file_path="/vault/Halden.md"),
        result("Halden pays nine hundred a day.", "r"),
        use("Read", "o", file_path="/code/site/a.py"),
        result("print()", "o"),
    ]
    assert tell(lines, "s", "/vault").recalled == ("Halden pays nine hundred a day.",)


def test_lines_of_the_session_before_are_not_told_again() -> None:
    old = {**line("user", "Name the ships."), "sessionId": "before"}
    told = tell([old, line("user", "Paint them.")], "s")
    assert told.asked == ("Paint them.",)


def test_lines_that_are_no_records_are_left_out() -> None:
    data = (
        b'{"type": "user"}\n[1]\nnonsense\n{"half": \n' + b"[" * 100_000 + b"\n\xff\n"
    )
    assert list(records(data)) == [{"type": "user"}]
    assert (
        tell([{"message": 5}, {"type": []}, {"type": "user", "sessionId": 3}], "s")
        == Told()
    )


def kept(**parts: tuple[str, ...]):
    injected = parts.pop("injected", ())
    return keep(Told(**parts), injected, "/vault", "/code/site", "")


def test_an_entry_is_extracted() -> None:
    found = kept(
        asked=("Fix the importer. It fails at night.", "And test it."),
        answered=("Looking.", "It retries now. Twice."),
        written=("/code/site/src/a.py", "/etc/hosts", "/vault/memory/New.md"),
        read=("/vault/memory/Old.md", "/vault/image.png"),
    )
    assert found is not None
    assert found.text == "Session: Fix the importer."
    assert found.further == (
        "asked: And test it.",
        "done: It retries now.",
        "files: src/a.py, hosts",
    )
    assert found.notes == ("memory/New.md", "memory/Old.md")


def test_an_empty_session_leaves_nothing() -> None:
    assert kept() is None
    assert kept(answered=("Hello!",), read=("/vault/memory/Old.md",)) is None


def test_an_echo_is_left_out() -> None:
    found = kept(
        asked=("What does Halden pay?",),
        answered=("Halden pays nine hundred a day. I put it into the offer.",),
        injected=(FENCED,),
    )
    assert found is not None
    assert found.further == ("done: I put it into the offer.",)
    found = kept(
        asked=("費率?",),
        answered=("哈爾登每天支付九百歐元。",),
        recalled=("哈爾登每天支付九百歐元",),
    )
    assert found is not None
    assert found.further == ()


@given(
    st.lists(st.text(max_size=200), max_size=8),
    st.lists(st.text(max_size=200), max_size=8),
)
def test_any_words_make_an_entry_of_single_lines(
    asked: list[str], said: list[str]
) -> None:
    found = keep(Told(tuple(asked), tuple(said)), said, "/vault", "", "")
    if found is not None:
        for each in (found.text, *found.further):
            assert len(each.splitlines()) == 1
            assert len(each) < 300


@given(st.text(max_size=300))
def test_what_was_fenced_is_never_kept(text: str) -> None:
    marked = fence.fenced(f"secretword {text} secretword", "a.md")
    told = tell(
        [line("user", marked), line("assistant", [{"type": "text", "text": marked}])],
        "s",
    )
    assert json.dumps([told.asked, told.answered]).count("secretword") == 0


KEYS = st.sampled_from(
    [
        "type",
        "sessionId",
        "message",
        "content",
        "id",
        "input",
        "name",
        "text",
        "uuid",
        "tool_use_id",
        "attachment",
        "timestamp",
        "isSidechain",
        "file_path",
        "command",
    ]
)
WORDS = st.sampled_from(
    ["user", "assistant", "tool_use", "tool_result", "text", "s", "Read"]
)
ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5)
    ),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(KEYS, ODD, max_size=6), max_size=6))
def test_no_form_of_a_record_is_a_failure(lines: list[dict[str, object]]) -> None:
    good = line("user", "Name the ships.")
    assert "Name the ships." in tell([*lines, good], "s", "/vault").asked
