"""The tree of topics as a picture: a Mermaid diagram, an Obsidian canvas. Pure."""

from __future__ import annotations

import hashlib
import json

from mindcache.recall.topics import Tree

__all__ = ["canvas", "mermaid"]

# A card of a canvas and the room around it, in Obsidian's own units.
_WIDTH, _HEIGHT = 320, 120
_BESIDE, _BELOW = 80, 40
# Obsidian's preset colours: red, orange, none, none.
_COLOURS = {"hot": "1", "warm": "2"}


def mermaid(tree: Tree) -> str:
    """A flow chart from the roots to the right; each topic with its number of notes."""
    lines = ["graph LR"]
    numbers = {path: f"t{at}" for at, path in enumerate(tree.topics)}
    for path, branch in tree.topics.items():
        title = _plain(branch.node.title)
        lines.append(f'  {numbers[path]}["{title} ({len(tree.held(path))})"]')
    for path, branch in tree.topics.items():
        lines += [f"  {numbers[path]} --> {numbers[c]}" for c in branch.children]
    return "\n".join(lines)


def _plain(title: str) -> str:
    """A title in which no renderer reads HTML, Markdown, an end or an entity."""
    return "".join(
        f"#{ord(char)};" if char in '"#&<>`' else char
        for char in " ".join(title.split())
    )


def canvas(tree: Tree) -> str:
    """An Obsidian canvas (JSON): a card for each topic's note, an arrow to each child."""
    cards: list[dict[str, object]] = []
    arrows: list[dict[str, object]] = []

    def lay(path: str, depth: int, row: int) -> int:
        """Lay a topic and what is below it from this row on; the row after it."""
        branch = tree.topics[path]
        last = row
        for child in branch.children:
            last = lay(child, depth + 1, last)
            arrows.append(
                {
                    "id": _id(f"{path}\n{child}"),
                    "fromNode": _id(path),
                    "fromSide": "right",
                    "toNode": _id(child),
                    "toSide": "left",
                }
            )
        card: dict[str, object] = {
            "id": _id(path),
            "type": "file",
            "file": path,
            "x": depth * (_WIDTH + _BESIDE),
            "y": row * (_HEIGHT + _BELOW),
            "width": _WIDTH,
            "height": _HEIGHT,
        }
        if colour := _COLOURS.get(branch.node.status):
            card["color"] = colour
        cards.append(card)
        return max(last, row + 1)

    row = 0
    for root in tree.roots:
        row = lay(root, 0, row)
    shape = {"nodes": cards, "edges": arrows}
    return json.dumps(shape, ensure_ascii=False, indent=1) + "\n"


def _id(name: str) -> str:
    return hashlib.blake2b(
        name.encode("utf-8", "surrogateescape"), digest_size=8
    ).hexdigest()
