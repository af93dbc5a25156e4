"""Where a hook stands: the project, and the tags that it declares.

A folder that somebody cloned may hold anything: its files are read for one line alone,
and what that line says are names of tags, nothing else.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from mindcache import tags
from mindcache.lazy import regex
from mindcache.write.project import find_project

__all__ = ["Place", "declared", "place_at"]

# A project's own instructions are shorter; what stands further down declares nothing.
_READ = 65_536
# More tags than a project has subjects; each is a look into the cache.
_MOST = 16

_LINE = regex(r"(?m)^[ \t>*-]*(?:<!--)?[ \t*_`]*Mindcache:[*_`]*([^\n]*)")
_TAG = regex(r"\w[\w.+-]{0,60}(?:/\w[\w.+-]{0,60}){1,4}")
_LISTED = regex(r"(?ms)^[ \t]*tags[ \t]*=[ \t]*\[(.{0,4000}?)\]")
_QUOTED = regex(r"\"([^\"\n]*)\"|'([^'\n]*)'")


class Place(NamedTuple):
    """A project ("" for none), the top of its work tree, and the tags it declares.

    `tags` are keys such as `convention/python`; `refused` counts what was declared and
    names no tag: a whole namespace, or a scope, which no project can take for itself.
    """

    project: str = ""
    root: str = ""
    tags: tuple[str, ...] = ()
    refused: int = 0


def place_at(folder: str, vault: str, home: str) -> Place:
    """The place that a folder is, by the vault's and the home folder's paths."""
    found = find_project(folder, vault, home)
    if found is None:
        return Place()
    named, refused = declared(os.path.realpath(folder), found.root)
    return Place(found.name, found.root, named, refused)


def declared(folder: str, root: str) -> tuple[tuple[str, ...], int]:
    """(tags declared between a folder and the top of its project, what is none)."""
    named: dict[str, None] = {}
    refused = 0
    for each in _upwards(folder, root):
        for word in _declared_in(each):
            key = tags.key(word)
            if not _TAG.fullmatch(key) or key.startswith("scope/"):
                refused += 1
            elif len(named) < _MOST:
                named[key] = None
    return tuple(named), refused


def _upwards(folder: str, root: str) -> Iterator[str]:
    while True:
        yield folder
        parent = os.path.dirname(folder)
        if folder in (root, parent):
            return
        folder = parent


def _declared_in(folder: str) -> Iterator[str]:
    for name in ("CLAUDE.md", os.path.join(".claude", "CLAUDE.md")):
        for match in _LINE.finditer(_head_of(os.path.join(folder, name))):
            line = match[1].partition("-->")[0]
            yield from filter(
                None, (word.strip(" \t`*_.#") for word in line.split(","))
            )
    listed = _LISTED.search(_head_of(os.path.join(folder, ".mindcache.toml")))
    for match in _QUOTED.finditer(listed[1]) if listed else ():
        yield (match[1] or match[2] or "").strip()


def _head_of(path: str) -> str:
    """The beginning of a plain file; "" for a pipe, a device, or nothing at all."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return ""
        with open(path, "rb") as file:
            return file.read(_READ).decode("utf-8", "replace")
    except OSError:
        return ""
