"""Calendars for tests, written as briefly as they can be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mindcache.app import App
from mindcache.importers import Report, Wishes, find, run_import

__all__ = ["bring_in", "calendar", "event", "properties"]


def event(*lines: str, uid: str = "one", kind: str = "VEVENT") -> str:
    """A component of these lines."""
    return "\n".join([f"BEGIN:{kind}", f"UID:{uid}", *lines, f"END:{kind}"])


def calendar(*components: str) -> str:
    """A whole calendar."""
    return "\n".join(
        ["BEGIN:VCALENDAR", "VERSION:2.0", *components, "END:VCALENDAR", ""]
    )


def bring_in(
    app: App, folder: Path, text: str, name: str = "work.ics", **wishes
) -> Report:
    """Import a calendar of this text from a file of this name."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return bring_in_paths(app, [str(path)], **wishes)


def bring_in_paths(app: App, paths: Sequence[str], **wishes) -> Report:
    """Import what lies at these paths."""
    importer = find("calendar")
    assert importer is not None
    return run_import(app, importer, paths, Wishes(**wishes))


def properties(app: App, path: str) -> dict[str, object]:
    """A note's properties as they are on disk."""
    _, note, _ = app.look(path)
    return dict(note.properties)
