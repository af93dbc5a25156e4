"""Links that go on leading where they led, when files get other paths.

Pure: text in, text out. Owns which links of a note are written anew and how. A link
keeps the form that it has (wikilink or Markdown, with or without `.md`, by name, by
path or relative), unless the vault's own setting asks for relative or absolute ones.
Links that nothing but Mindcache resolves, by an alias or an id, are left alone as
long as they still lead where they led. No byte outside of a link's target changes,
except that a link which needs a longer target keeps showing what it showed, by an
alias. What no link of ours was written to before (a dangling name that is taken up
now) is left to lead there.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from mindcache.errors import EditRefused
from mindcache.filenames import is_note
from mindcache.links import Names, Resolution, fold
from mindcache.note import Link, Note, Place, find_places, parse
from mindcache.write.anchors import Anchors

__all__ = ["LinkFormat", "Relinked", "Rewrite", "Shift", "relink"]

LinkFormat = Literal["shortest", "relative", "absolute"]

# What ends a target within double brackets, or the brackets themselves.
_NO_WIKILINK = re.compile(r"[#|\[\]]|\n")
# Other links, whose bars part no cells.
_WIKILINK = re.compile(r"\[\[[^\[\]\n]*\]\]")
# What would end a bare Markdown destination, or be read as something else in it.
_ENCODED = re.compile(r"[\s()<>#\\\"`\[\]|%]")
_ENCODED_IN_ANGLES = re.compile(r"[\n<>#\\]|%(?=[0-9A-Fa-f]{2}|%)")
# A name that YAML reads as it stands where a link lacks its quotes.
_PLAIN = re.compile(r"[\w ./()-]+")


@dataclass(frozen=True, slots=True)
class Shift:
    """How the files of a vault change their paths.

    `before` and `after` are the names that exist then and after, `moves` the new path
    of every file that has one. `merged` are the paths among them whose note becomes
    part of another: links to it go on showing its name, and what stands behind "#" in
    them becomes what `anchors` says.
    """

    before: Names
    after: Names
    moves: Mapping[str, str]
    format: LinkFormat = "shortest"
    merged: frozenset[str] = field(default_factory=frozenset)
    anchors: Anchors = field(default_factory=Anchors)


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One link of a note, as it stood at `line` and as it stands there now."""

    line: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Relinked:
    """A note with its links written anew; `path` is where the note is after that."""

    path: str
    before: bytes
    after: bytes
    rewrites: tuple[Rewrite, ...]


@dataclass(frozen=True, slots=True)
class _Target:
    """Another target for a link, and the display to add ("" for none).

    `subpath` None leaves what stands behind "#".
    """

    text: str
    display: str = ""
    subpath: str | None = None


def relink(path: str, data: bytes, shift: Shift) -> Relinked:
    """The note at `path`, as it was before the shift, with its links written anew.

    Gives the very same bytes when every link leads where it should. Raises
    EditRefused when a link would have to change that can't be changed safely.
    """
    home = shift.moves.get(path, path)
    note = parse(path, data)
    sought = {link: _wanted(link, path, home, shift) for link in note.links}
    if not any(sought.values()):
        return Relinked(home, data, data, ())
    if _stored(note, note.text) != data:
        raise EditRefused(
            f"{path}: its links can't be changed: the file is not valid UTF-8",
            mend="save it as UTF-8",
        )
    pieces: list[str] = []
    rewrites: list[Rewrite] = []
    last = 0
    for place in find_places(note):
        target = sought.get(place.link)
        if target is None:
            continue
        start, end, new = _written(note, place, target)
        pieces += (note.text[last:start], new)
        last = end
        head, tail = note.text[place.start : start], note.text[end : place.end]
        old = note.text[place.start : place.end]
        rewrites.append(Rewrite(place.link.line, old, f"{head}{new}{tail}"))
    text = "".join((*pieces, note.text[last:]))
    after = _stored(note, text)
    _verify(note, parse(path, after), sought)
    return Relinked(home, data, after, tuple(rewrites))


def _stored(note: Note, text: str) -> bytes:
    """The text as bytes in the note's own encoding, with its byte order mark."""
    encoding = note.encoding
    mark = "\ufeff" if encoding.bom else ""
    try:
        return (mark + text).encode(encoding.name)
    except UnicodeEncodeError:
        return b""


def _verify(note: Note, after: Note, sought: Mapping[Link, _Target | None]) -> None:
    """Raise EditRefused unless the links are what they should be, and all else is."""
    wanted = [_changed(link, sought[link]) for link in note.links]
    same = (
        wanted == list(after.links)
        and note.tags == after.tags
        and note.properties.keys() == after.properties.keys()
        and _faults(note) == _faults(after)
    )
    if same:
        return
    lines = [link.line for link, target in sought.items() if target is not None]
    raise EditRefused(
        f"{note.path}:{min(lines)}: a link can't be written anew safely",
        mend="change it by hand",
    )


def _faults(note: Note) -> list[str]:
    """What is wrong with the note, but for links that may have got quotes."""
    return [p.code for p in note.problems if p.code != "unquoted-link"]


def _changed(link: Link, target: _Target | None) -> Link:
    if target is None:
        return link
    display = link.display or target.display
    return Link(
        target.text,
        link.subpath if target.subpath is None else target.subpath,
        display,
        link.kind,
        link.line,
        link.origin,
        link.field,
    )


# -- what a link should say ---------------------------------------------------


def _wanted(link: Link, source: str, home: str, shift: Shift) -> _Target | None:
    """What the link's target must become; None when it may stay."""
    found = shift.before.resolve(source, link.target)
    if found is None:
        return None
    subpath = (
        shift.anchors.subpath(link.subpath) if found.path in shift.merged else None
    )
    if subpath == link.subpath:
        subpath = None
    goal = shift.moves.get(found.path, found.path)
    stays = not link.target or _may_stay(link, source, home, shift, found)
    text = link.target if stays else _chosen(link, source, home, goal, shift)
    if text == link.target:
        # A heading that is called otherwise by now goes on being shown as it was.
        shown = _shown(link, link.target)
        return None if subpath is None else _Target(text, shown, subpath)
    name = _like(link, _base(goal))
    if found.by != "path" or found.path in shift.merged:
        return _Target(text, _shown(link, link.target), subpath)
    if "/" in link.target or text == name:
        return _Target(text)
    return _Target(text, _shown(link, name))


def _may_stay(
    link: Link, source: str, home: str, shift: Shift, found: Resolution
) -> bool:
    """Whether the link goes on leading to what it led to, and by the same name."""
    goal = shift.moves.get(found.path, found.path)
    now = shift.after.resolve(home, link.target)
    if now is None or now.path != goal:
        return False
    if found.by != "path":
        return True
    if now.by != "path" or _base(found.path) != _base(goal):
        return False
    # A way from the note's own folder has to be one still.
    return not _is_relative(link, source, shift) or _leads_on_disk(
        link, home, shift.after
    )


def _shown(link: Link, name: str) -> str:
    """What the link, without a display of its own, shows for this name."""
    if link.kind != "wikilink" or link.display:
        return ""
    return " > ".join(part for part in (name, *link.subpath.split("#")) if part)


def _chosen(link: Link, source: str, home: str, goal: str, shift: Shift) -> str:
    """The first target, of the form that is asked for, that leads to the goal.

    Raises EditRefused when none does.
    """
    for text in _candidates(link, source, home, goal, shift):
        if link.kind in ("wikilink", "embed") and _NO_WIKILINK.search(text):
            continue
        found = shift.after.resolve(home, text)
        if found is not None and (found.path, found.by) == (goal, "path"):
            return text
    raise EditRefused(
        f"{source}:{link.line}: no link can lead to {goal}", mend="choose another name"
    )


def _candidates(
    link: Link, source: str, home: str, goal: str, shift: Shift
) -> Iterator[str]:
    path = _like(link, goal)
    way = posixpath.relpath(path, posixpath.dirname(home) or ".")
    if _is_relative(link, source, shift):
        if link.target.startswith("./") and not way.startswith("../"):
            yield f"./{way}"
        yield way
        yield f"./{way}"
    elif shift.format == "relative":
        yield way
        yield f"./{way}"
    elif shift.format == "shortest" and "/" not in link.target:
        yield _base(path)
    yield path
    yield f"/{path}"
    yield goal
    yield f"/{goal}"


def _is_relative(link: Link, source: str, shift: Shift) -> bool:
    """Whether the link is written as a way from its own note's folder.

    A Markdown link is one wherever any program can read it so. At the root such a way
    and a path look alike; where Obsidian is told to write paths, it is a path.
    """
    if link.target.startswith(("./", "../")):
        return True
    wiki = link.kind in ("wikilink", "embed")
    if (wiki and shift.format != "relative") or (
        shift.format == "absolute" and not posixpath.dirname(source)
    ):
        return False
    return _leads_on_disk(link, source, shift.before)


def _leads_on_disk(link: Link, source: str, names: Names) -> bool:
    """Whether the target, put behind the source's folder, is what it resolves to."""
    found = names.resolve(source, link.target)
    joined = posixpath.join(posixpath.dirname(source), link.target)
    way = fold(posixpath.normpath(joined))
    return found is not None and fold(found.path) in (way, f"{way}.md")


def _base(path: str) -> str:
    return posixpath.basename(path)


def _like(link: Link, path: str) -> str:
    """The path with or without `.md`, as the link's own target has it."""
    if is_note(path) and not is_note(link.target):
        return path[:-3]
    return path


# -- how it is written ---------------------------------------------------------


def _written(note: Note, place: Place, target: _Target) -> tuple[int, int, str]:
    """The edit that gives a link another target: (start, end, text)."""
    raw = note.text[place.inner : place.inner_end]
    name = raw.partition("#")[0]
    if place.link.kind in ("markdown", "image"):
        pattern = _ENCODED_IN_ANGLES if place.within == "<" else _ENCODED
        new = pattern.sub(_percent, target.text)
    else:
        name = name.partition("|")[0].removesuffix("\\")
        new = _escaped(target.text, place.within)
    start = place.inner + len(name) - len(name.lstrip())
    end = place.inner + len(name.rstrip())
    if target.subpath is not None:
        end, behind = _behind(place, raw, target.subpath)
        new += behind
    if target.display and "|" not in raw:
        rest = note.text[end : place.inner_end]
        bar = "\\|" if _is_in_table(note.text, place) else "|"
        new += f"{rest}{bar}{_escaped(target.display, place.within)}"
        end = place.inner_end
    if place.within == "[" and not _PLAIN.fullmatch(new):
        rest = note.text[end : place.inner_end]
        return place.start, place.end, f'"[[{_escaped(new + rest, chr(34))}]]"'
    return start, end, new


def _behind(place: Place, raw: str, subpath: str) -> tuple[int, str]:
    """Where what stands behind "#" ends in a link, and what is to stand there."""
    if place.link.kind in ("markdown", "image"):
        pattern = _ENCODED_IN_ANGLES if place.within == "<" else _ENCODED
        parts = (pattern.sub(_percent, part) for part in subpath.split("#"))
        return place.inner_end, f"#{'#'.join(parts)}"
    whole = raw.partition("|")[0]
    whole = whole.removesuffix("\\") if "|" in raw else whole
    return place.inner + len(whole.rstrip()), f"#{_escaped(subpath, place.within)}"


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())


def _escaped(text: str, quote: str) -> str:
    if quote == '"':
        return text.replace("\\", "\\\\").replace('"', '\\"')
    return text.replace("'", "''") if quote == "'" else text


def _is_in_table(text: str, place: Place) -> bool:
    """Whether a bar in this link might be taken for the edge of a table's cell."""
    if place.link.origin == "property":
        return False
    first = max(text.rfind("\n", 0, place.start), text.rfind("\r", 0, place.start)) + 1
    ends = (text.find(end, place.end) for end in "\r\n")
    last = min((end for end in ends if end >= 0), default=len(text))
    around = f"{text[first : place.start]} {text[place.end : last]}"
    return "|" in _WIKILINK.sub("", around)
