"""Exports with anything in the wrong place: told, never raised, and never written ill."""

from __future__ import annotations

import copy
import json
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from mindcache.importers.chat.reader import Chat
from mindcache.importers.item import Context, Item, Read, Source
from mindcache.note import emit, parse
from tests.chats import chatgpt, claude, code
from tests.test_importers_chat import WHATSAPP, slack_files

NOW = datetime.fromisoformat("2026-11-30T12:00")
TELEGRAM = {
    "name": "Ben", "type": "personal_chat", "id": 11, "messages": [
        {"id": 2, "type": "message", "date": "2026-03-01T11:00:00", "from": "Ben",
         "date_unixtime": "1772359200", "from_id": "user11", "photo": "p.jpg",
         "text": ["See ", {"type": "pre", "text": "x", "language": "sh"}],
         "poll": {"question": "q", "answers": [{"text": "a"}]},
         "location_information": {"latitude": 1.0}},
    ],
}  # fmt: skip
TALK = chatgpt("one", "two")
TALK["mapping"]["c1-0"]["message"]["metadata"] = {"attachments": [{"name": "x"}]}
CLAUDE = claude("one", "two")
CLAUDE["chat_messages"][0]["attachments"] = [
    {"file_name": "a", "extracted_content": "b"}
]
FILES: dict[str, Any] = {
    "chatgpt": [TALK, TALK],
    "claude": [CLAUDE],
    "telegram": TELEGRAM,
    "account": {"about": "x", "personal_information": {"user_id": 1},
                "chats": {"list": [TELEGRAM]}},
    "code": [json.loads(code(kind, [{"type": "text", "text": "hi"}], kind))
             for kind in ("user", "assistant")],
}  # fmt: skip
WRONG = st.sampled_from(
    [None, True, 0, -1.5, 1e300, "", "x", [], {}, [{}], [[]], {"a": []}, 10**30]
)


def places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every value in a value."""
    found = [at] if at else []
    keys: Any = value if isinstance(value, dict) else ()
    for key in range(len(value)) if isinstance(value, list) else keys:
        found += places(value[key], (*at, key))
    return found


@st.composite
def spoiled(draw, value: Any) -> Any:
    """The value with something else in up to three places."""
    value = copy.deepcopy(value)
    for _ in range(draw(st.integers(1, 3))):
        ways = places(value)
        *way, last = draw(st.sampled_from(ways))
        inner = value
        for key in way:
            inner = inner[key]
        inner[last] = copy.deepcopy(draw(WRONG))
    return value


def read(path: Path, form: str = "") -> list[Any]:
    context = Context(NOW, "Europe/Berlin", ("Ana",), format=form)
    return list(Chat().read([Source(str(path), path.name)], context))


def check(found: list[Any]) -> None:
    assert isinstance(found[-1], Read)
    items = [each for each in found if isinstance(each, Item)]
    for item in items:
        text = emit({**item.properties, **item.once}, item.body)
        note = parse("x.md", text.encode())
        assert note.frontmatter is not None
        assert note.problems == ()
        assert all(heading.text[:2] == "20" for heading in note.headings)
    assert len({item.key for item in items}) <= len(items)


@settings(deadline=None)
@given(st.data())
def test_anything_may_be_anything_else(data) -> None:
    name = data.draw(st.sampled_from(sorted(FILES)))
    value = data.draw(spoiled(FILES[name]))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.json"
        if name == "code" and isinstance(value, list):
            path.write_text("".join(json.dumps(each) + "\n" for each in value))
        else:
            path.write_text(json.dumps(value))
        forced = {"account": "telegram", "code": "claude-code"}.get(name, name)
        check(read(path, data.draw(st.sampled_from(["", forced]))))


@settings(deadline=None, max_examples=60)
@given(st.data())
def test_a_slack_export_too(data) -> None:
    with TemporaryDirectory() as folder:
        for name, value in slack_files().items():
            path = Path(folder) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(data.draw(spoiled(value))))
        check(read(Path(folder)))


@settings(deadline=None)
@given(st.data())
def test_files_torn_or_bent_anywhere(data) -> None:
    whole = data.draw(
        st.sampled_from(
            [json.dumps(FILES[name], indent=1) for name in sorted(FILES)]
            + [WHATSAPP, code("user", "hi", "u") + code("assistant", "ho", "a")]
        )
    ).encode()
    cut = data.draw(st.integers(0, len(whole)))
    junk = data.draw(st.binary(max_size=4))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "x.json"
        path.write_bytes(
            whole[:cut] + junk + whole[cut + data.draw(st.integers(0, 9)) :]
        )
        check(read(path))
