"""Chats for tests, in the formats' own fields, written as briefly as they can be."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mindcache.app import App
from mindcache.importers import Report, Wishes, find, run_import

__all__ = ["bodies", "bring_in", "chatgpt", "claude", "code", "made", "save"]

# 1 March 2026, 10:00 UTC.
BEGUN = 1_772_359_200.0


def chatgpt(
    *said: str, name: str = "c1", title: str = "Cranes", **more: Any
) -> dict[str, Any]:
    """A conversation of ChatGPT; the owner and the assistant take turns, a minute each."""
    mapping: dict[str, Any] = {"root": {"id": "root", "message": None, "parent": None}}
    parent = "root"
    for number, text in enumerate(said):
        node = f"{name}-{number}"
        mapping[node] = {
            "id": node,
            "parent": parent,
            "children": [],
            "message": {
                "id": f"{node}-m",
                "author": {"role": ("user", "assistant")[number % 2]},
                "create_time": BEGUN + 60 * number,
                "content": {"content_type": "text", "parts": [text]},
                "recipient": "all",
                "weight": 1.0,
                "metadata": {},
            },
        }
        mapping[parent]["children"] = [node]
        parent = node
    made = {
        "id": name,
        "title": title,
        "create_time": BEGUN,
        "update_time": BEGUN + 60 * len(said),
        "mapping": mapping,
        "current_node": parent,
    }
    return {**made, **more}


def claude(*said: str, name: str = "k1", **more: Any) -> dict[str, Any]:
    """A conversation of Claude.ai."""
    messages = [
        {
            "uuid": f"{name}-{number}",
            "sender": ("human", "assistant")[number % 2],
            "text": text,
            "content": [{"type": "text", "text": text}],
            "created_at": f"2026-03-01T10:{number:02}:00.000000Z",
        }
        for number, text in enumerate(said)
    ]
    made = {
        "uuid": name,
        "name": "Harbour",
        "created_at": "2026-03-01T10:00:00Z",
        "updated_at": "2026-03-01T11:00:00Z",
        "chat_messages": messages,
    }
    return {**made, **more}


def code(kind: str, content: Any, uuid: str, session: str = "s1", **more: Any) -> str:
    """A line of a transcript of Claude Code."""
    record = {
        "type": kind,
        "uuid": uuid,
        "sessionId": session,
        "timestamp": "2026-03-01T10:00:00.000Z",
        "cwd": "/home/ana/yard",
        "message": {"role": kind, "content": content},
    }
    return json.dumps({**record, **more}) + "\n"


def save(folder: Path, value: Any, name: str = "conversations.json") -> str:
    """Write an export and give its path."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(value, bytes):
        path.write_bytes(value)
    else:
        text = value if isinstance(value, str) else json.dumps(value)
        path.write_text(text, encoding="utf-8")
    return str(path)


def bring_in(app: App, *paths: str, **wishes: Any) -> Report:
    """Import what lies at these paths."""
    importer = find("chat")
    assert importer is not None
    return run_import(app, importer, paths, Wishes(**wishes))


def made(report: Report) -> list[str]:
    """The paths of the notes that were made."""
    return [step.path for step in report.plan.of("made")]


def bodies(app: App, paths: Sequence[str]) -> str:
    """What stands below the properties of these notes."""
    return "".join(app.look(path)[1].body for path in paths)
