"""A prompt was given: notes that answer it, where the vault's settings want that.

Costs a cold question (some 300 ms of CPU), so it is off unless `session.on_prompt` is
set, and then says only what is above the floor and what the session does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["asked"]

# Shorter prompts ("yes, go on") ask the memory nothing.
_LEAST_WORDS = 3
_PROMPT = 2_000
_HITS, _TOKENS = 4, 400


def asked(app: App, given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Notes that answer the prompt, fenced; None where nothing does."""
    prompt = given.get("prompt")
    if not app.settings.flag("session.on_prompt") or not isinstance(prompt, str):
        return None
    words = prompt.strip()
    if len(words.split()) < _LEAST_WORDS or words.startswith(("/", "!", "#")):
        return None
    from mindcache import fence
    from mindcache.recall import Ask
    from mindcache.redact import redact
    from mindcache.session import spool
    from mindcache.session.events import note, place_of, spool_folder
    from mindcache.session.picture import speaking
    from mindcache.text.tokens import estimate

    place = place_of(app, given)
    found = app.recall("deep", Ask(words[:_PROMPT], limit=_HITS * 3))
    allowed = speaking(app.reader(), [hit.path for hit in found.hits], place)
    session = str(given.get("session_id") or "")
    held = spool.held(spool.read(spool_folder(app), session)) if session else set()
    shown: list[str] = []
    keys: list[str] = []
    room = _TOKENS
    for hit in found.hits:
        key = f"prompt:{hit.path}:{hit.anchor}"
        line = f"- {hit.path}: {' '.join((hit.snippet or hit.summary).split())[:300]}"
        if hit.path not in allowed or key in held or estimate(line) > room:
            continue
        room -= estimate(line)
        shown.append(line)
        keys.append(key)
        if len(shown) == _HITS:
            break
    if not shown:
        return None
    body = redact("\n".join(shown)).text
    inner = fence.fenced(body, "the vault, near this prompt")
    text = f"{fence.NOTICE}\n{inner}"
    note(app, given, "told", keys=keys, text=text)
    return {
        "hookSpecificOutput": {
            "hookEventName": "UserPromptSubmit",
            "additionalContext": text,
        }
    }
