"""The hooks of a session's life: it starts, stops for a moment, is compacted, ends."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mindcache.cache import beat
from mindcache.cache.read import Reader
from mindcache.session import spool
from mindcache.session.detached import begin, is_busy
from mindcache.session.nesting import SESSION

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.session.place import Place

__all__ = ["compacting", "ended", "note", "place_of", "started", "stopped"]

Input = Mapping[str, Any]

# What is kept of a last answer, for a session that leaves no transcript.
_ANSWER = 4_000


def place_of(app: App, given: Input) -> Place:
    """The project that the session works on."""
    from mindcache.session.place import place_at

    return place_at(given["cwd"], app.vault.root, os.path.expanduser("~"))


def spool_folder(app: App) -> str:
    """The folder for what sessions leave."""
    return spool.folder_of(app.state_folder, app.cache_folder)


def note(app: App, given: Input, event: str, **more: object) -> None:
    """Note an event of a session, where it says which it is."""
    session = given.get("session_id")
    if not isinstance(session, str) or not session:
        return
    host = os.environ.get("MINDCACHE_HOST", "")
    spool.add(
        spool_folder(app),
        session,
        {
            "event": event,
            "at": app.now().isoformat(timespec="seconds"),
            "cwd": given["cwd"],
            "transcript": given.get("transcript_path") or "",
            "host": int(host) if host.isdecimal() else 0,
            **more,
        },
    )


# -- start --------------------------------------------------------------------------


def started(app: App, given: Input) -> dict[str, Any] | None:
    """What the session is to know, within its budget."""
    folder = spool_folder(app)
    source = given.get("source")
    source = (
        source if source in {"startup", "resume", "clear", "compact"} else "startup"
    )
    session = str(given.get("session_id") or "")
    place = place_of(app, given)
    before = spool.read(folder, session) if session else []
    trouble = spool.trouble_was(folder)
    reader = Reader.open(app.cache_path, app.fingerprint)
    seen = beat.is_fresh(app.cache_folder)
    is_waiting = any(
        not spool.is_kept(folder, each)
        and spool.is_due(folder, each, spool.read(folder, each))
        for each in spool.sessions(folder)[-_LOOKED_AT:]
    )
    # A daemon that lives looks at the notes by itself.
    is_watched = beat.alive(app.cache_folder)
    if (is_waiting or not is_watched) and not is_busy(app):
        begin(app, "work")
    keys: tuple[str, ...] = ()
    if reader is not None:
        from mindcache.session.picture import select
        from mindcache.session.start import Wanted, compose

        try:
            with reader.one_moment():
                picture = select(reader, app.vault.root, place, app.now())
            last = reader.meta("last_scan")[:16].replace("T", " ")
        finally:
            reader.close()
        made = compose(
            picture,
            Wanted(
                project=place.project,
                source=source,
                budget=app.settings.number("session.budget"),
                held=spool.held(before) if source == "resume" else (),
                behind=""
                if seen
                else f"the index is of {last} and being brought in step",
                trouble=trouble,
                refused=place.refused,
            ),
        )
        text, keys = made.text, made.keys
    else:
        text = (
            "Mindcache: the notes are being indexed, for the first time or with another"
            ' version or model; mindcache recall "…" will answer in a minute.'
        )
    with suppress(OSError):  # a full disk keeps nobody from being told
        more = {"source": source, "project": place.project, "keys": keys, "text": text}
        note(app, given, "start", **more)
        _name_session(session)
    return _context("SessionStart", text)


# Sessions that are asked whether they ended; more at once are taken by later starts.
_LOOKED_AT = 20


def _context(event: str, text: str) -> dict[str, Any] | None:
    if not text:
        return None
    return {"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}}


def _name_session(session: str) -> None:
    """Tell later commands of the session in whose session they run."""
    path = os.environ.get("CLAUDE_ENV_FILE")
    if path and session:
        with open(path, "a", encoding="utf-8") as file:
            file.write(f"export {SESSION}={_quoted(session)}\n")


def _quoted(word: str) -> str:
    """One word for a shell; `shlex` is a long import for it."""
    return "'" + word.replace("'", "'\"'\"'") + "'"


# -- on the way, and the end ----------------------------------------------------------


def stopped(app: App, given: Input) -> None:
    """Note that an answer was given, and nothing else: output would go on with it."""
    last = given.get("last_assistant_message")
    words = ""
    if isinstance(last, str) and not os.path.exists(given.get("transcript_path") or ""):
        from mindcache.redact import redact

        words = redact(last[:_ANSWER]).text
    note(app, given, "stop", last=words)


def compacting(app: App, given: Input) -> None:
    """Note that the session's context is going to be cut."""
    note(app, given, "compact")


def ended(app: App, given: Input) -> None:
    """Note the end, and have the session kept; the program does not wait for it."""
    reason = given.get("reason")
    note(app, given, "end", reason=reason if isinstance(reason, str) else "")
    begin(app, "work")
