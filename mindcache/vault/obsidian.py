"""Obsidian's own settings in a vault, as far as they decide what notes mean."""

from __future__ import annotations

import os

from mindcache.errors import Problem
from mindcache.files import read_plain
from mindcache.vault.values import DAILY_FORMAT, Obsidian

__all__ = ["daily_notes", "template_folders", "told"]

_FOLDER = ".obsidian"


def daily_notes(root: str) -> Obsidian:
    """How daily notes are called and where they lie; never raises."""
    name = "daily-notes.json"
    try:
        data = read_plain(os.path.join(root, _FOLDER, name))
    except OSError:
        return Obsidian()
    import json  # a folder without Obsidian needs none

    message = "no settings of daily notes in it"
    line = 0
    try:
        settings = json.loads(data)
        if isinstance(settings, dict):
            form = settings.get("format") or DAILY_FORMAT
            return Obsidian(str(form), str(settings.get("folder") or ""))
    except json.JSONDecodeError as error:
        message, line = f"not valid JSON: {error.msg}", error.lineno
    except (ValueError, RecursionError) as error:
        message = f"not valid JSON: {error}"
    mend = "set the daily notes' format again in Obsidian"
    place = f"{_FOLDER}/{name}"
    problem = Problem(place, line, "obsidian-settings", message, mend)
    return Obsidian(problems=(problem,))


def template_folders(root: str) -> tuple[str, ...]:
    """The folders that notes are made from; see `Vault.template_folders`."""
    found = (
        told(root, key, *place)
        for key, *place in (
            ("folder", "templates.json"),
            ("templates_folder", "plugins", "templater-obsidian", "data.json"),
        )
    )
    names = (name.replace("\\", "/").strip("/ ") for name in found)
    # The whole vault, which is Templater's default, says nothing.
    return tuple(sorted({name for name in names if name not in ("", ".")}))


def told(root: str, key: str, *place: str) -> str:
    """A text of the settings, "" for anything else.

    `place` is where in Obsidian's folder they are; those of links and files without one.
    """
    path = os.path.join(root, _FOLDER, *(place or ("app.json",)))
    import json

    try:
        settings = json.loads(read_plain(path))
    except (OSError, ValueError, RecursionError):
        return ""
    found = settings.get(key) if isinstance(settings, dict) else ""
    return found if isinstance(found, str) else ""
