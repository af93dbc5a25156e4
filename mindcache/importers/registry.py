"""Which importers there are: ours, and those that other packages bring.

A package brings one by an entry point of the group `mindcache.importers`, whose name
is the word on the command line and whose object an `Importer`.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from mindcache.errors import MindcacheError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from mindcache.importers.item import Importer

__all__ = ["BUILT_IN", "GROUP", "RESTORES", "Known", "find", "names"]

GROUP = "mindcache.importers"


class Known(NamedTuple):
    """An importer's place ("module:attribute") and its line in the list."""

    target: str
    short: str


# What help shows without importing any of them.
BUILT_IN: Mapping[str, Known] = {
    "calendar": Known(
        "mindcache.importers.calendar:calendar", "Events, series, to-dos of .ics files."
    ),
    "chat": Known(
        "mindcache.importers.chat:chat",
        "ChatGPT, Claude, Claude Code, WhatsApp, Slack, Telegram.",
    ),
    "markdown": Known(
        "mindcache.importers.markdown:markdown", "Notes in Markdown, Logseq's too."
    ),
    "sqlite": Known("mindcache.importers.sqlite:sqlite", "Rows of an SQLite file."),
    "openclaw": Known(
        "mindcache.importers.openclaw:openclaw", "The memory of an OpenClaw agent."
    ),
}

# What gives back a vault of our own; see `restore`. No feed, hence no `Importer`; an
# importer of the same name leaves our files to it.
RESTORES: Mapping[str, str] = {
    "json": "The vault that mindcache export json wrote.",
    "sqlite": "The vault that mindcache export sqlite wrote.",
}


def names() -> dict[str, str]:
    """Every importer's name and line, ours first. One that can't load says so."""
    found = {name: known.short for name, known in BUILT_IN.items()}
    found = {**found, **{n: s for n, s in RESTORES.items() if n not in found}}
    for name, point in sorted(_brought().items()):
        try:
            found.setdefault(name, _loaded(point).short)
        except MindcacheError as error:
            found.setdefault(name, error.message)
    return found


def find(name: str) -> Importer | None:
    """The importer of this name, None when there is none.

    Raises MindcacheError when another package's can't be loaded.
    """
    known = BUILT_IN.get(name)
    if known is not None:
        module, _, attribute = known.target.partition(":")
        found: Importer = getattr(import_module(module), attribute)
        return found
    point = _brought().get(name)
    return None if point is None else _loaded(point)


def _brought() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=GROUP)}


def _loaded(point: EntryPoint) -> Importer:
    try:
        found: Importer = point.load()
    except Exception as error:
        raise MindcacheError(
            f"the importer {point.name} ({point.value}) can't be loaded: {error}",
            mend="update or remove the package that brings it",
        ) from error
    return found
