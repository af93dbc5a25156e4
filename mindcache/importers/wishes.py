"""What the caller of an import wants, checked; and which files its paths mean."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mindcache import tags
from mindcache.errors import NoteNotFound, UsageError
from mindcache.filenames import portability
from mindcache.importers.item import Importer, Source
from mindcache.importers.plan import Options

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["Wishes", "options_of", "refuse_own", "sources_at"]


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the caller wants: where new notes go and what they are marked with.

    `folder` is "" for the importer's own; `again` holds keys that may be made anew
    although their notes were deleted. `format` says what the sources are ("" leaves it
    to the importer).
    """

    dry_run: bool = False
    folder: str = ""
    tags: tuple[str, ...] = ()
    project: str = ""
    again: tuple[str, ...] = ()
    format: str = ""


def options_of(app: App, importer: Importer, wishes: Wishes) -> Options:
    """How notes are made, as the caller wants it. Raises UsageError."""
    formats = getattr(importer, "formats", ())
    if wishes.format and wishes.format not in formats:
        raise UsageError(
            f"{importer.name} knows no format {wishes.format}",
            mend=f"one of: {', '.join(formats)}" if formats else "leave it out",
        )
    folder = _folder(wishes.folder or importer.folder)
    return Options(
        importer.name,
        importer.source_type,
        folder,
        _tags(wishes.tags, app.settings.texts("namespaces")),
        wishes.project.strip(),
        frozenset(wishes.again),
    )


def _folder(given: str) -> str:
    folder = given.replace("\\", "/").strip().strip("/")
    parts = folder.split("/") if folder else []
    if given.strip().startswith("/") or any(p in {"", "..", "."} for p in parts):
        raise UsageError(
            f"{given} is no folder of the vault",
            mend="give one from the vault's root, such as plans/work",
        )
    if any(part.startswith(".") for part in parts) or portability(folder):
        raise UsageError(
            f"notes can't lie in {given}",
            mend="hidden folders hold no notes; some names can't be on every system",
        )
    return folder


def _tags(given: Sequence[str], namespaces: Sequence[str]) -> tuple[str, ...]:
    found = [tag.strip().lstrip("#") for each in given for tag in each.split(",")]
    found = list(dict.fromkeys(tag for tag in found if tag))
    allowed = {tags.key(name) for name in namespaces}
    for tag in found:
        if tags.namespace(tag) not in allowed:
            raise UsageError(
                f"the tag {tag} has no known namespace",
                mend=f"put it under one of: {', '.join(f'{n}/' for n in namespaces)}",
            )
    if not any(tags.namespace(tag) == "scope" for tag in found):
        found.append("scope/project")
    return tuple(found)


def sources_at(
    paths: Sequence[str],
    suffixes: Sequence[str],
    takes_folder: Callable[[str], bool] | None = None,
) -> list[Source]:
    """The files that these paths mean: files, "-" for stdin, folders with all below.

    A folder that `takes_folder` says is one source stays one.

    Files come in the order given, those of a folder by name, hidden ones left out; a
    file that is met twice counts once. Raises NoteNotFound and UsageError.
    """
    found: dict[str, Source] = {}
    for given in paths:
        path = os.path.expanduser(given)
        if given == "-":
            found.setdefault("-", Source("-", "stdin"))
        elif takes_folder is not None and os.path.isdir(path) and takes_folder(path):
            name = os.path.basename(os.path.realpath(path))
            found.setdefault(os.path.realpath(path), Source(path, name))
        elif os.path.isdir(path):
            inside = list(_below(path, suffixes))
            if not inside:
                kinds = ", ".join(suffixes)
                raise UsageError(
                    f"no file in {given} ends in {kinds}", mend="name the file itself"
                )
            for each in inside:
                found.setdefault(os.path.realpath(each.path), each)
        elif os.path.lexists(path):
            found.setdefault(
                os.path.realpath(path), Source(path, os.path.basename(path))
            )
        else:
            raise NoteNotFound(f"nothing lies at {given}", mend="check the path")
    return list(found.values())


def refuse_own(root: str, sources: Sequence[Source]) -> None:
    """Raise UsageError for a note of the vault, or a folder that the vault lies in.

    Other files may well lie in it: a calendar, a database.
    """
    real = os.path.realpath(root)
    for source in sources:
        path = os.path.realpath(source.path)
        is_note = path.lower().endswith(".md") or os.path.isdir(path)
        if is_note and (_holds(real, path) or _holds(path, real)):
            raise UsageError(
                f"{source.path} is in this vault already, or holds it",
                mend="mindcache adopt makes its notes memories",
            )


def _holds(folder: str, path: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _below(folder: str, suffixes: Sequence[str]) -> Iterator[Source]:
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if name.lower().endswith(tuple(suffixes)) and not name.startswith("."):
                path = os.path.join(here, name)
                inner = os.path.relpath(path, folder).replace(os.sep, "/")
                yield Source(path, inner, is_named=False)
