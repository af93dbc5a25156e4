"""A note of the vault was written by a tool: index it, and say what it breaches."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mindcache.cache import beat
from mindcache.errors import MindcacheError, Problem
from mindcache.filenames import is_note, is_passing
from mindcache.session.detached import begin

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["edited"]

# What an agent can mend in one go.
_MOST = 8


def edited(app: App, given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Have the note indexed (or taken out), and tell the breaches of its contract."""
    path = _note_of(app.vault.root, given)
    if not path:
        return None
    # A daemon that is told of changes sees the file by itself, half a second on.
    state = beat.read(app.cache_folder)
    if state.get("mode") != "notified" or not beat.alive(app.cache_folder):
        begin(app, "index", [path])
    found = _breaches(app, path)
    if not found:
        return None
    from mindcache.fence import harmless

    lines = [" ".join(harmless(str(each)).split()) for each in found[:_MOST]]
    if len(found) > _MOST:
        lines.append(f"and {len(found) - _MOST} more: mindcache lint {path}")
    text = "\n".join(("The note breaches the contract of this vault:", *lines))
    return {
        "hookSpecificOutput": {
            "hookEventName": "PostToolUse",
            "additionalContext": text,
        }
    }


def _note_of(root: str, given: Mapping[str, Any]) -> str:
    """The vault-relative path of the note that a tool wrote, "" for no note of ours."""
    tool = given.get("tool_input")
    path = tool.get("file_path") if isinstance(tool, dict) else None
    if not isinstance(path, str) or "\0" in path:
        return ""
    if os.name == "nt":
        path = path.replace("\\", "/")
    full = os.path.join(given["cwd"], path)
    folder = os.path.realpath(os.path.dirname(full))
    real = os.path.join(folder, os.path.basename(full))
    if not real.startswith(root.rstrip(os.sep) + os.sep):
        return ""
    found = os.path.relpath(real, root).replace(os.sep, "/")
    parts = found.split("/")
    is_ours = is_note(found) and not any(is_passing(part) for part in parts)
    return found if is_ours else ""


def _breaches(app: App, path: str) -> list[Problem]:
    from mindcache import lint

    try:
        _, note, memory = app.look(path)
    except FileNotFoundError:
        return []
    except OSError as error:
        return [Problem(path, 0, "unreadable", f"can't be read: {error.strerror}")]
    except MindcacheError as error:
        return [Problem(path, 0, "refused", error.message, error.mend)]
    return lint.check(note, memory, app.settings.texts("namespaces"))
