"""The export as a plain folder of Markdown, with or without properties of ours.

`keep` copies bytes. `plain` writes the properties that any reader of Markdown knows
and the owner's own, `none` writes none; both write links that only Mindcache resolves
by the names of their notes. The folder is built beside its place and then named; what
was written is listed in it, so that a later export can tell its own files.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

from mindcache import atomic
from mindcache.errors import EditRefused, MindcacheError, Problem
from mindcache.exporters.gather import Gathering, Left, Progress, Report, gathering
from mindcache.exporters.place import Destination, folder_at
from mindcache.exporters.plain import without_ours
from mindcache.exporters.records import FORMAT, SCHEMA
from mindcache.links import Names
from mindcache.recall.filters import Filters
from mindcache.vault import content_hash
from mindcache.write.relink import Shift, relink

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["Properties", "export_folder"]

Properties = Literal["keep", "plain", "none"]

# Hidden, so that it is no note and no attachment.
MANIFEST = ".mindcache-export.json"

# What decides how notes read, beside the notes themselves.
_SETTINGS = (
    ".mindcache/config.toml",
    ".obsidian/app.json",
    ".obsidian/daily-notes.json",
    ".obsidian/types.json",
)


def export_folder(
    app: App,
    filters: Filters,
    to: Destination,
    properties: Properties,
    progress: Progress | None = None,
) -> Report:
    """Copy the notes that pass, and their attachments, into a new folder.

    With filters, the attachments are those that the notes link to. Raises Refused for
    a place that is not free, and what `gathering` raises.
    """
    report = Report("markdown", to.path)
    full = folder_at(app, to, _is_ours)
    with (
        gathering(app, filters, report, progress) as found,
        _building(full) as folder,
    ):
        written = _Written(folder)
        shift = None if properties == "keep" else _by_name(found)
        for path, data in found.files():
            if shift is None or properties == "keep":
                written.add(path, data)
            else:
                text = _plainly(path, data, shift, properties, report)
                written.add(path, text)
            report.notes += 1
        for path in _attachments(found):
            if _copied(app, path, written, report):
                report.attachments += 1
        if properties == "keep":
            for path in _SETTINGS:
                if app.vault.exists(path):
                    _copied(app, path, written, report)
        written.finish()
    return report


def _attachments(found: Gathering) -> list[str]:
    """The attachments that go along; the others are told of."""
    every = found.attachments()
    if found.is_whole:
        return every
    wanted = found.linked()
    chosen = [path for path in every if path in wanted]
    if len(every) > len(chosen):
        why = "no note that passes links to them"
        found.report.left.append(Left("attachments", why, len(every) - len(chosen)))
    return chosen


def _by_name(found: Gathering) -> Shift:
    """Every link by the name or path of its note, as if aliases and ids were gone."""
    names = found.names()
    paths = Names(name for name in names if name.kind == "path")
    return Shift(Names(names), paths, {})


def _plainly(
    path: str, data: bytes, shift: Shift, properties: Properties, report: Report
) -> bytes:
    """The note without what is ours in it, and with links that lead by name."""
    try:
        data = relink(path, data, shift).after
    except EditRefused as error:
        report.skipped.append(Problem(path, 0, "links", error.message, error.mend))
    text, problem = without_ours(path, data, keep_plain=properties == "plain")
    if problem is not None:
        report.skipped.append(problem)
    return text


# -- writing -------------------------------------------------------------------


class _Written:
    """The files of a folder that is being built, with what they hold."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._hashes: dict[str, str] = {}
        self._made: set[str] = {folder}

    def add(self, path: str, data: bytes) -> None:
        """Write a file at a path below the folder."""
        with open(self.take(path), "xb") as file:
            file.write(data)
        self._hashes[path] = content_hash(data).hex()

    def take(self, path: str) -> str:
        """The full path for a file, whose folder exists then."""
        full = os.path.join(self.folder, path)
        above = os.path.dirname(full)
        if above not in self._made:
            os.makedirs(above, exist_ok=True)
            self._made.add(above)
        return full

    def note(self, path: str) -> None:
        """Take down a file that was copied by somebody else."""
        self._hashes[path] = _hash_of(os.path.join(self.folder, path))

    def finish(self) -> None:
        """Write the list of what was written."""
        listed = {"format": FORMAT, "schema": SCHEMA, "files": self._hashes}
        text = json.dumps(listed, ensure_ascii=False, indent=0, sort_keys=True)
        with open(os.path.join(self.folder, MANIFEST), "x", encoding="utf-8") as file:
            file.write(text + "\n")


def _copied(app: App, path: str, written: _Written, report: Report) -> bool:
    """Copy a file of the vault that is no note; False, and told, when it can't be."""
    source = os.path.join(app.vault.root, path)
    try:
        shutil.copyfile(source, written.take(path), follow_symlinks=False)
        written.note(path)
    except OSError as error:
        message = f"can't be copied: {error.strerror}"
        report.skipped.append(
            Problem(path, 0, "attachment", message, "run it again", "error")
        )
        return False
    return True


@contextmanager
def _building(full: str) -> Iterator[str]:
    """A folder beside the place, which takes its name at the end.

    What was there, nothing or an export of ours, goes then. When the block raises,
    nothing is left of the new one and the old one stays. Raises MindcacheError.
    """
    above, name = os.path.split(full)
    try:
        temporary = tempfile.mkdtemp(prefix=f".{name[:60]}.mindcache-", dir=above)
    except OSError as error:
        raise MindcacheError(
            f"nothing can be written in {above}: {error.strerror}",
            mend="check its permissions, or choose another place",
        ) from error
    built = os.path.join(temporary, "new")
    try:
        os.mkdir(built)
        yield built
        if os.path.lexists(full):
            atomic.rename(full, os.path.join(temporary, "old"))
        atomic.rename(built, full)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _is_ours(full: str) -> bool:
    """Whether all that is in a folder is what an export wrote, unchanged since."""
    listed = _manifest(full)
    if listed is None:
        return False
    found: set[str] = set()
    for folder, _, names in os.walk(full):
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), full)
            found.add(path.replace(os.sep, "/"))
    if found - {MANIFEST} != set(listed):
        return False
    return all(_hash_of(os.path.join(full, p)) == said for p, said in listed.items())


def _manifest(full: str) -> Mapping[str, str] | None:
    try:
        with open(os.path.join(full, MANIFEST), encoding="utf-8") as file:
            listed = json.load(file)
        if listed["format"] == FORMAT:
            return {str(path): str(said) for path, said in listed["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None  # whatever this is, we didn't write it
    return None


def _hasher() -> hashlib.blake2b:
    """As `content_hash` has it, for what may be too large to be read at once."""
    return hashlib.blake2b(digest_size=16)


def _hash_of(full: str) -> str:
    try:
        with open(full, "rb") as file:
            return hashlib.file_digest(file, _hasher).hexdigest()
    except OSError:
        return ""
