"""`scripts/bench chats`: what importing a large export costs.

Writes a synthetic export of ChatGPT, imports it in a process of its own, imports it
again, and says how long each took and how much memory it needed at most.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

from bench.measure import BenchError, Cost, run
from bench.vaults import Synthetic

__all__ = ["main", "write_export"]

# Messages of a conversation: most are brief, some go on for days.
_FEWEST, _MOST = 2, 24
# 1 January 2024, and the seconds over which conversations are spread.
_BEGUN, _SPREAD = 1_704_067_200, 63_000_000
_GOAL = 300 << 20


def write_export(path: str, size: int, seed: int = 1) -> tuple[int, int]:
    """Write a `conversations.json` of at least so many bytes.

    Gives how many conversations it holds and how many turns they show. The same
    bytes for the same seed.
    """
    written = conversations = turns = 0
    with open(path, "w", encoding="utf-8") as file:
        written += file.write("[")
        for value, shown in _conversations(seed):
            comma = ",\n" if conversations else ""
            written += file.write(comma + json.dumps(value))
            conversations += 1
            turns += shown
            if written >= size:
                break
        file.write("]")
    return conversations, turns


def _conversations(seed: int) -> Iterator[tuple[dict[str, Any], int]]:
    words = Synthetic(2, seed)
    rng = random.Random(f"{seed}:export")  # noqa: S311  texts, no secrets
    number = 0
    while True:
        number += 1
        name = f"{number:08x}-0000-4000-8000-{seed:012x}"
        at = float(_BEGUN + rng.randrange(_SPREAD))
        mapping: dict[str, Any] = {
            f"{name}-root": {"id": f"{name}-root", "message": None, "parent": None}
        }
        parent, shown = f"{name}-root", rng.randint(_FEWEST, _MOST)
        begun = at
        for turn in range(shown):
            node = f"{name}-{turn:04d}"
            at += rng.choice((20.0, 60.0, 240.0, 90_000.0))
            role = ("user", "assistant")[turn % 2]
            text = words.passage((number, turn), 25 if role == "user" else 180)
            mapping[node] = {
                "id": node,
                "parent": parent,
                "children": [],
                "message": _message(node, role, at, text),
            }
            mapping[parent]["children"] = [node]
            parent = node
        title = words.passage((number, "title"), 5)
        yield (
            {
                "id": name,
                "conversation_id": name,
                "title": title,
                "create_time": begun,
                "update_time": at,
                "mapping": mapping,
                "current_node": parent,
                "moderation_results": [],
                "default_model_slug": "gpt-4o",
            },
            shown,
        )


def _message(name: str, role: str, at: float, text: str) -> dict[str, Any]:
    return {
        "id": f"{name}-message",
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": at,
        "update_time": None,
        "content": {"content_type": "text", "parts": [text]},
        "status": "finished_successfully",
        "end_turn": True,
        "weight": 1.0,
        "metadata": {"model_slug": "gpt-4o", "citations": [], "timestamp_": "absolute"},
        "recipient": "all",
        "channel": None,
    }


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 1 when something did not do its work."""
    parser = argparse.ArgumentParser(
        prog="scripts/bench chats",
        description="Import a synthetic export; takes minutes, leaves nothing behind.",
    )
    parser.add_argument("--megabytes", type=int, default=200, metavar="N")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="mindcache-bench-") as folder:
        export = os.path.join(folder, "conversations.json")
        talks, turns = write_export(export, given.megabytes << 20, given.seed)
        size = os.path.getsize(export) >> 20
        sys.stdout.write(f"{size} MB: {talks:,} conversations, {turns:,} turns\n")
        sys.stdout.flush()
        try:
            for what in ("import", "again"):
                cost = _imported(folder, export)
                _say(what, cost)
        except BenchError as error:
            sys.stderr.write(f"bench: {error}\n")
            return 1
    return 0


def _imported(folder: str, export: str) -> Cost:
    vault = os.path.join(folder, "vault")
    os.makedirs(os.path.join(vault, ".obsidian"), exist_ok=True)
    env = dict(os.environ)
    for name in ("CACHE", "CONFIG", "STATE"):
        env[f"MINDCACHE_{name}_DIR"] = os.path.join(folder, name.lower())
    env["MINDCACHE_VAULT"] = vault
    cost, _ = run(["-m", "mindcache", "import", "chat", export], env, os.getcwd())
    return cost


def _say(what: str, cost: Cost) -> None:
    met = "within" if cost.memory <= _GOAL else "above"
    sys.stdout.write(
        f"{what:<8}{cost.wall:8.1f} s wall {cost.cpu:8.1f} s CPU"
        f" {cost.memory >> 20:6} MB, {met} the goal of {_GOAL >> 20} MB\n"
    )
    sys.stdout.flush()
