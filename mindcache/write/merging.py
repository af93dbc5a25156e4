"""Merging two notes about one thing: properties, names, text and links.

The order is that in which nothing is ever lost and no link ever leads nowhere: the
note that stays gets everything first, then links are led to it, and the other goes
to the trash last. What is under way stands in `INTENT`; see `moving`.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mindcache.errors import MindcacheError, Problem, Refused
from mindcache.links import fold, path_key
from mindcache.memory import moment
from mindcache.note import Note, Property, edit, parse
from mindcache.vault import SCRATCH, Entry, Replace, Trash, Vault
from mindcache.write import moving
from mindcache.write.relink import Relinked, Shift, relink

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.cache.read import NodeRow

__all__ = ["INTENT", "Merged", "Merger", "complete", "decide", "merge", "pending"]

INTENT = f"{SCRATCH}/merge.json"

# What belongs to one note alone and means nothing in another.
_OWN = frozenset({"id", "created_at", "updated_at", "summary", "type", "status"})
# Notes with a shape of their own (design 3.3, 3.5, 6).
_APART = frozenset({"topic", "journal", "proposal"})


@dataclass(frozen=True, slots=True)
class Merger:
    """What merging would write: the note that stays, links, and what can't be.

    `into` has the whole new text, `added` the properties that are new or longer.
    """

    source: str
    source_id: str
    source_bytes: bytes
    into: Relinked
    added: Mapping[str, Property]
    texts: tuple[Relinked, ...]
    failed: tuple[tuple[str, MindcacheError], ...] = ()


@dataclass(slots=True)
class Merged:
    """What a merge did; `trashed` is where the other note lies, "" if it still is."""

    trashed: str = ""
    texts: list[Relinked] = field(default_factory=list)
    failed: list[tuple[str, MindcacheError]] = field(default_factory=list)
    behind: Exception | None = None


def decide(app: App, source: NodeRow, into: NodeRow) -> Merger:
    """What merging the note `source` into the note `into` would do; writes nothing.

    Raises Refused for notes that can't be merged, EditRefused where the properties
    can't be changed safely.
    """
    if source.path == into.path:
        raise Refused(f"{into.path} is one note", mend="name two")
    for node in (source, into):
        if node.type in _APART:
            raise Refused(f"{node.path} is a {node.type}", mend="merge those by hand")
    source_bytes, source_note, _ = app.look(source.path)
    into_bytes, into_note, _ = app.look(into.path)
    for note in (source_note, into_note):
        if note.frontmatter is not None and note.frontmatter.error is not None:
            raise Refused(
                str(note.frontmatter.error), mend="mend the frontmatter first"
            )
    shift = _shift(app, source.path, into.path)
    # What the note says about its neighbours it will say from another place.
    carried = parse(source.path, relink(source.path, source_bytes, shift).after)
    own = relink(into.path, into_bytes, shift)
    added = _added(source, carried, into, parse(into.path, own.after))
    after = _appended(edit(own.after, added), carried, _stem(source.path))
    texts, failed = moving.relinked(app, shift, _concerned(app, source.path, into.path))
    whole = Relinked(into.path, into_bytes, after, own.rewrites)
    return Merger(
        source.path, source.id, source_bytes, whole, added, tuple(texts), tuple(failed)
    )


def _shift(app: App, source: str, into: str) -> Shift:
    names = moving.in_step(app).names()
    return moving.shifted(app, names, {source: into}, frozenset({source}))


def _concerned(app: App, source: str, into: str) -> dict[str, str]:
    """The notes whose links may have to change, apart from the two."""
    reader = app.reader()
    paths = {row.source for row in reader.links_to(source)}
    paths.update(reader.linked_under({path_key(source), path_key(into)}))
    return {path: path for path in sorted(paths - {source, into})}


def _stem(path: str) -> str:
    return posixpath.basename(path).removesuffix(".md")


def _added(
    source: NodeRow, carried: Note, into: NodeRow, note: Note
) -> dict[str, Property]:
    """The properties that `into` gets: those it lacks, and lists that grow."""
    added: dict[str, Property] = {}
    have = note.properties
    for key, value in carried.properties.items():
        mine = have.get(key)
        if key.casefold() in ("aliases", "alias") or value in (None, "", []):
            continue
        if mine in (None, "", []):
            if key != "id" or not into.id:
                added[key] = value
        elif key not in _OWN and (isinstance(value, list) or isinstance(mine, list)):
            longer = _united(mine, value)
            if longer != mine:
                added[key] = longer
    key = next((k for k in have if k.casefold() in ("aliases", "alias")), "aliases")
    known = [*into.aliases]
    names = _united([*known], [_stem(source.path), *source.aliases])
    names = [n for n in names if fold(str(n)) != fold(_stem(into.path)) or n in known]
    if len(names) > len(known):
        added[key] = names
    return added


def _united(one: Property, other: Property) -> list[Property]:
    """Both as one list; texts that differ only in case or Unicode form are one."""
    found = _listed(one)
    seen = {_key(value) for value in found}
    for value in _listed(other):
        if _key(value) not in seen:
            seen.add(_key(value))
            found.append(value)
    return found


def _key(value: Property) -> str:
    return fold(value.strip()) if isinstance(value, str) else repr(value)


def _listed(value: Property) -> list[Property]:
    return [*value] if isinstance(value, list) else [value]


def _appended(data: bytes, carried: Note, name: str) -> bytes:
    """The note with the other's text below it, under a heading; or as it is."""
    text = carried.body.strip("\r\n")
    if not text.strip():
        return data
    note = parse("", data)
    newline = note.encoding.newline
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\n", newline)
    whole = f"## {name}{newline}{newline}{text}{newline}"
    if whole in note.body:
        return data  # by a merge that came that far
    gap = "" if not note.body else newline
    if note.body and not note.text.endswith(("\n", "\r")):
        gap += newline
    return data + f"{gap}{whole}".encode()


# -- doing ------------------------------------------------------------------------


def merge(app: App, plan: Merger) -> Merged:
    """Carry out a merge and index what it touched.

    The caller holds `app.writing()` since before the plan was made.
    """
    intent = {"source": plan.source, "into": plan.into.path}
    app.vault.create(INTENT, json.dumps(intent, ensure_ascii=False).encode())
    done = app.commit([Replace(plan.into.path, plan.into.after, plan.into.before)])
    merged = Merged(failed=[(c.path, error) for c, error in done.failed])
    if not done.failed:
        _finish(app, plan, merged)
    app.vault.discard(INTENT)
    return merged


def _finish(app: App, plan: Merger, merged: Merged) -> None:
    """Lead the links to the note that stays, then throw the other away."""
    texts: Sequence[Relinked] = plan.texts
    refused = list(plan.failed)
    done = app.commit([Replace(t.path, t.after, t.before) for t in texts])
    lost = {change.path: error for change, error in done.failed}
    merged.texts += [text for text in texts if text.path not in lost]
    if lost:  # changed meanwhile: decided on once more
        shift = _shift(app, plan.source, plan.into.path)
        texts, more = moving.relinked(app, shift, {path: path for path in lost})
        again = app.commit([Replace(t.path, t.after, t.before) for t in texts])
        lost = {change.path: error for change, error in again.failed}
        merged.texts += [text for text in texts if text.path not in lost]
        refused += more
    refused += lost.items()
    merged.failed += refused
    merged.behind = done.behind
    if refused:
        return  # its links still need it; the merge can be run again
    last = app.commit([Trash(plan.source, plan.source_bytes)])
    merged.failed += [(c.path, error) for c, error in last.failed]
    merged.behind = merged.behind or last.behind
    for path, to in last.moved:
        merged.trashed = to
        key = plan.source_id or path
        at = moment(app.now())
        app.ledger.add([Entry("trashed", "note", key, plan.source_id, path, to, at)])


def pending(vault: Vault) -> list[Problem]:
    """The merge that was begun here and not ended, as a problem."""
    if not vault.exists(INTENT):
        return []
    message = "a merge of two notes was interrupted; one of them is still there"
    mend = "run mindcache doctor --repair; the next command that writes does it too"
    return [Problem(INTENT, 0, "unfinished", message, mend, "error")]


def complete(app: App) -> list[str]:
    """Finish the merge that was interrupted, if there is one: what to tell of it.

    The caller holds `app.writing()`.
    """
    if not app.vault.exists(INTENT):
        return []
    try:
        intent = json.loads(app.vault.read(INTENT, 2**20)[0] or b"")
        source, into = str(intent["source"]), str(intent["into"])
    except (OSError, ValueError, KeyError, TypeError):
        app.vault.discard(INTENT)
        return ["what was noted of an interrupted merge can't be read; it is dropped"]
    app.vault.discard(INTENT)
    reader = app.reader()
    one, other = reader.find_node(source), reader.find_node(into)
    if one is None or other is None:
        if one is None and other is not None:
            return []  # all that was missing was to say so
        return [f"{source} was not merged into {into}: {into} is gone"]
    try:
        plan = decide(app, one, other)
        # What it has got already, it does not get twice.
        merged = merge(app, plan)
    except MindcacheError as error:
        return [f"{source} was not merged into {into}: {error}"]
    said = [f"{path}: {error}" for path, error in merged.failed]
    return [*said, f"finished an interrupted merge: {source} into {into}"]
