"""Exports of others: every sample comes in, with the turns that a reader counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.chats import bodies, bring_in, made

DATA = Path(__file__).parents[2] / "shared/data/chats"
CHATS = DATA / "polylogue"
pytestmark = pytest.mark.skipif(
    not CHATS.is_dir(), reason="shared/data/chats isn't here"
)

# Counted by hand: the notes of each file, and the turns that are said in them.
COUNTED = {
    "polylogue/chatgpt/native-browser-capture-v1.json": (1, 2),
    "polylogue/chatgpt/native-conversation-v1.json": (1, 2),
    "polylogue/representatives/chatgpt/sample-00.json": (1, 2),
    "polylogue/representatives/chatgpt/sample-01.json": (1, 3),
    "polylogue/claude-code/claude-normalization-main.jsonl": (2, 5),
    "polylogue/claude-code/normalization-agent.jsonl": (1, 2),
    "polylogue/claude-code/normalization-lineage-acompact.jsonl": (1, 2),
    "polylogue/claude-code/normalization-lineage-parent.jsonl": (1, 2),
    "polylogue/claude-code/normalization-lineage-subagent-acompact.jsonl": (0, 0),
    # 158 messages, 8 of them joins and 3 added bots.
    "slack/testarchive.zip": (18, 147),
}


def turns(app, paths) -> int:
    return sum(
        1
        for path in paths
        for block in app.look(path)[1].blocks
        if block.id.startswith("t-")
    )


@pytest.mark.parametrize("name", sorted(COUNTED))
def test_conversations_and_turns(make_vault, make_app, name: str) -> None:
    app = make_app(make_vault({}))
    report = bring_in(app, str(DATA / name))
    paths = made(report)
    assert (len(paths), turns(app, paths)) == COUNTED[name]
    assert report.plan.of("refused") == []
    assert report.problems == []
    assert bring_in(app, str(DATA / name)).plan.changes == []


@pytest.mark.parametrize("number", ["00", "01"])
def test_claude_samples(make_vault, make_app, number: str) -> None:
    app = make_app(make_vault({}))
    path = CHATS / f"representatives/claude-ai/sample-{number}.json"
    said = json.loads(path.read_text())["chat_messages"]
    report = bring_in(app, str(path))
    assert turns(app, made(report)) == len(said)
    body = bodies(app, made(report))
    assert "```python\ndef process(data):" in body or "> ```" not in body
    assert bring_in(app, str(path)).plan.changes == []


def test_a_folder_of_all_formats(make_vault, make_app) -> None:
    app = make_app(make_vault({}))
    report = bring_in(app, str(CHATS))
    assert [p.path for p in report.problems] == [
        "representatives/chatgpt/corpus-manifest.json",
        "representatives/claude-ai/corpus-manifest.json",
    ]
    # The capture and the export hold one conversation.
    assert len(made(report)) == 10
    assert bring_in(app, str(CHATS)).plan.changes == []
