"""Notes named by a writer, and the links to them as Obsidian resolves them."""

from __future__ import annotations

import re
import shlex

from mindcache.cache.read import NodeRow, Reader
from mindcache.errors import AmbiguousName, NoteNotFound, Refused
from mindcache.links import Name, Names, fold, path_key, target_key
from mindcache.recall.find import get_note

__all__ = ["link_to", "links_to", "resolves_to"]

# What ends the target of a link, or the link itself.
_NO_TARGET = re.compile(r"[\[\]|#^\n]")


def link_to(reader: Reader, source: str, target: NodeRow, display: str = "") -> str:
    """The link from the note at `source` to another, in the form Obsidian resolves.

    `source` need not exist yet. The file's name where that leads to it, else its
    path. Raises Refused for a file whose name no link can hold.
    """
    path = target.path
    whole = path[:-3] if path[-3:].lower() == ".md" else path
    stem = whole.rpartition("/")[2]
    rows = reader.names({target_key(stem), path_key(path)})
    rows.append(Name(path_key(source), "path", source))
    names = Names(rows)
    twins = {r.path for r in rows if r.kind == "path" and r.key == path_key(path)}
    # A name that another file has too leads here only until a third one comes.
    forms = (stem, whole, path) if twins <= {path} else (whole, path)
    for written in forms:
        found = names.resolve(source, written)
        if _NO_TARGET.search(written) or found is None:
            continue
        if found.path == path and found.by == "path":
            # Behind a path, only a name is worth reading.
            shown = display or ("" if written == stem else stem)
            shown = "" if fold(shown) == fold(written) else shown
            return f"[[{written}|{shown}]]" if shown else f"[[{written}]]"
    raise Refused(
        f"no link can lead to {path}: its name holds characters that end a link",
        mend="rename it first, without any of [ ] | # ^",
    )


def links_to(
    reader: Reader, source: str, given: tuple[str, ...], *, allow_missing: bool = False
) -> list[str]:
    """The links to the notes that these names mean, each note once.

    A name is an id, a path, a file name or an alias; an alias stays what is read.
    Raises NoteNotFound for one that nothing is called, unless `allow_missing` makes
    it a link that leads nowhere yet.
    """
    found: dict[str, str] = {}
    for name in given:
        wanted = name.strip()
        try:
            node = get_note(reader, wanted)
        except AmbiguousName:
            raise
        except NoteNotFound as error:
            if not allow_missing:
                error.mend += (
                    f"; or make it: mindcache entity create {shlex.quote(wanted)};"
                    " or --allow-missing leaves the link open"
                )
                raise
            found.setdefault(f"?{fold(wanted)}", _open_link(wanted))
            continue
        found.setdefault(
            node.path, link_to(reader, source, node, _read_as(wanted, node))
        )
    return list(found.values())


def _open_link(name: str) -> str:
    name = name.removeprefix("[[").removesuffix("]]").strip()
    if not name or _NO_TARGET.search(name):
        raise Refused(
            f"{name!r} can't be a note's name", mend="leave out [ ] | # ^ in it"
        )
    return f"[[{name}]]"


def _read_as(given: str, node: NodeRow) -> str:
    """What the link shall read as: the alias that was given, or the words behind |."""
    inner = given.removeprefix("[[").removesuffix("]]")
    target, _, shown = inner.partition("|")
    if shown.strip():
        return shown.strip()
    target = target.partition("#")[0].strip()
    return target if fold(target) in map(fold, node.aliases) else ""


def resolves_to(reader: Reader, source: str, target: str) -> str:
    """The path that a link's target leads to from `source`, "" for nowhere."""
    names = Names(reader.names({target_key(target), fold(target.strip())}))
    found = names.resolve(source, target)
    return found.path if found else ""
