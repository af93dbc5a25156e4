"""Merging two notes about one thing: properties, names, text and links.

The order is that in which nothing is ever lost and no link ever leads nowhere: the
note that stays gets everything first, then links are led to it, and the other goes
to the trash last. What is under way stands in `INTENT` until it is done: what can't be
done now, the next command that writes tries again.
"""

from __future__ import annotations

import json
import posixpath
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

from mindcache.errors import ChangedMeanwhile, MindcacheError, Problem, Refused
from mindcache.links import Names, fold, path_key
from mindcache.memory import moment
from mindcache.note import Delete, Note, Property, edit, parse
from mindcache.vault import SCRATCH, TRASH, Entry, Replace, Trash, Vault
from mindcache.write import moving
from mindcache.write.anchors import Anchors, told_apart
from mindcache.write.joining import (
    OWN,
    appended,
    differing,
    incoming,
    united,
    with_ends,
)
from mindcache.write.owed import reasons
from mindcache.write.relink import Relinked, Shift, relink
from mindcache.write.uniting import Uniting

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.cache.read import NodeRow

__all__ = ["INTENT", "Merged", "Merger", "complete", "decide", "merge", "pending"]

INTENT = f"{SCRATCH}/merge.json"

# Notes with a shape of their own (design 3.3, 3.5, 6).
_APART = frozenset({"topic", "journal", "proposal"})

# How often a note that is saved meanwhile is computed again.
_TRIES = 5
_NO_CAP = 2**62  # what is under way is our own file


@dataclass(frozen=True, slots=True)
class Merger:
    """What merging would write: the note that stays, links, and what can't be.

    `into` has the whole new text, `added` the properties that are new or longer,
    `differing` those of which both notes have one value: (that of the note that stays,
    the other, which is kept in the text). `text` is what is put below the text,
    `anchors` what was marked in it; `only_new` as it was decided, `is_topic`
    whether they are topics.
    """

    source: str
    source_id: str
    source_bytes: bytes
    into: Relinked
    added: Mapping[str, Property]
    texts: tuple[Relinked, ...]
    failed: tuple[tuple[str, MindcacheError], ...] = ()
    differing: Mapping[str, tuple[Property, Property]] = field(default_factory=dict)
    text: str = ""
    anchors: Anchors = field(default_factory=Anchors)
    only_new: bool = False
    is_topic: bool = False


@dataclass(slots=True)
class Merged:
    """What a merge did; `trashed` is where the other note lies, "" if it still is."""

    trashed: str = ""
    texts: list[Relinked] = field(default_factory=list)
    failed: list[tuple[str, MindcacheError]] = field(default_factory=list)
    behind: Exception | None = None


def decide(
    app: App, source: NodeRow, into: NodeRow, *, only_new: bool = False
) -> Merger:
    """What merging the note `source` into the note `into` would do; writes nothing.

    With `only_new`, lines that `into` has already don't come in a second time.
    Raises Refused for notes that can't be merged, EditRefused where the properties
    can't be changed safely.
    """
    is_topic = source.type == into.type == "topic"
    if source.path == into.path:
        raise Refused(f"{into.path} is one note", mend="name two")
    source_bytes, source_note = _looked(app, source, may_be_topic=is_topic)
    into_bytes, into_note = _looked(app, into, may_be_topic=is_topic)
    begun = _begun(app.vault, source.path, into.path)
    newline = into_note.encoding.newline
    has_it = begun is not None and with_ends(begun.text, newline) in into_note.text
    if begun is not None and begun.text and has_it:
        anchors = begun.anchors  # what it has got already, it does not get twice
    else:
        anchors = told_apart(source_note, into_note, _stem(source.path))
        begun = None
    shift = _shift(app, source.path, into.path, anchors)
    # What the note says about its neighbours it will say from another place.
    carried = parse(source.path, relink(source.path, source_bytes, shift).after)
    own = relink(into.path, into_bytes, shift)
    kept = parse(into.path, own.after)
    added = _added(source, carried, into, kept)
    base, removed = own.after, dict[str, Property | Delete]()
    if is_topic:
        names = moving.in_step(app).names()
        topics = Uniting(Names(names), source.path, into.path)
        added = {k: v for k, v in added.items() if k.casefold() in ("aliases", "alias")}
        base, removed = topics.united(kept, own.after, carried)
        carried = topics.bare(carried)
    differs = {} if is_topic else differing(carried, kept)
    after = edit(base, {**added, **removed})
    text = incoming(
        carried, differs, anchors, _stem(source.path), kept if only_new else None
    )
    if begun is not None:
        text = begun.text
    elif text:
        after = appended(after, text, into.path)
    texts, failed = moving.relinked(app, shift, _concerned(app, source.path, into.path))
    return Merger(
        source.path,
        source.id,
        source_bytes,
        Relinked(into.path, into_bytes, after, own.rewrites),
        added,
        tuple(texts),
        tuple(failed),
        differs,
        text,
        anchors,
        only_new,
        is_topic,
    )


def _looked(app: App, node: NodeRow, *, may_be_topic: bool) -> tuple[bytes, Note]:
    """A note that can be merged, as it is on disk. Raises Refused."""
    if node.type in _APART and not may_be_topic:
        raise Refused(f"{node.path} is a {node.type}", mend="merge those by hand")
    data, note, _ = app.look(node.path)
    if note.frontmatter is not None and note.frontmatter.error is not None:
        raise Refused.over(note.frontmatter.error)
    return data, note


def _shift(app: App, source: str, into: str, anchors: Anchors) -> Shift:
    names = moving.in_step(app).names()
    merged = frozenset({source})
    return moving.shifted(app, names, {source: into}, merged, anchors)


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
        elif key not in OWN and (isinstance(value, list) or isinstance(mine, list)):
            longer = united(mine, value)
            if longer != mine:
                added[key] = longer
    key = next((k for k in have if k.casefold() in ("aliases", "alias")), "aliases")
    known = [*into.aliases]
    # An id that is another note's name by now still finds it.
    called = [source.id] if source.id and into.id and source.id != into.id else []
    names = united([*known], [_stem(source.path), *source.aliases, *called])
    names = [n for n in names if fold(str(n)) != fold(_stem(into.path)) or n in known]
    if len(names) > len(known):
        added[key] = names
    return added


# -- what is under way -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Begun:
    """One merge that is under way; `why` is what kept it from its end, by path."""

    source: str
    into: str
    text: str = ""
    anchors: Anchors = field(default_factory=Anchors)
    only_new: bool = False
    why: Mapping[str, tuple[str, str]] = field(default_factory=dict)


def _under_way(vault: Vault) -> list[_Begun]:
    """The merges that are under way. Raises ValueError, OSError."""
    if not vault.exists(INTENT):
        return []
    try:
        intents = json.loads(vault.read(INTENT, _NO_CAP)[0] or b"")
        return [
            _Begun(
                str(each["source"]),
                str(each["into"]),
                str(each["text"]),
                Anchors(
                    str(each["anchors"]["mark"]),
                    frozenset(map(str, each["anchors"]["headings"])),
                    {str(k): str(v) for k, v in each["anchors"]["blocks"].items()},
                ),
                bool(each.get("only_new")),
                {str(p): (str(w), str(m)) for p, (w, m) in each["why"].items()},
            )
            for each in intents
        ]
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(INTENT) from error


def _begun(vault: Vault, source: str, into: str) -> _Begun | None:
    try:
        merges = _under_way(vault)
    except (ValueError, OSError):
        return None
    return next((m for m in merges if (m.source, m.into) == (source, into)), None)


def _note(vault: Vault, source: str, into: str, begun: _Begun | None) -> None:
    """Put this in place of what is noted of a merge. Raises MindcacheError."""
    try:
        merges = _under_way(vault)
    except (ValueError, OSError):
        merges = []
    merges = [m for m in merges if (m.source, m.into) != (source, into)]
    if begun is not None:
        merges.append(begun)
    if not merges:
        vault.discard(INTENT)
        return
    shapes = [asdict(m) for m in merges]
    for shape in shapes:
        shape["anchors"]["headings"] = sorted(shape["anchors"]["headings"])
    data = json.dumps(shapes, ensure_ascii=False).encode("utf-8", "surrogateescape")
    if vault.exists(INTENT):
        vault.replace(INTENT, data, vault.read(INTENT, _NO_CAP)[0] or b"")
    else:
        vault.create(INTENT, data)


# -- doing ------------------------------------------------------------------------


def merge(app: App, plan: Merger) -> Merged:
    """Carry out a merge and index what it touched.

    The caller holds `app.writing()` since before the plan was made. With something
    in `failed` it is not done, and noted to be tried again, unless nothing was written.
    """
    begun = _Begun(plan.source, plan.into.path, plan.text, plan.anchors, plan.only_new)
    _note(app.vault, plan.source, plan.into.path, begun)
    done = app.commit([Replace(plan.into.path, plan.into.after, plan.into.before)])
    merged = Merged(failed=[(c.path, error) for c, error in done.failed])
    if done.failed:
        _note(app.vault, plan.source, plan.into.path, None)
        return merged
    _lead(app, plan, merged)
    if not merged.failed:  # else links still need it
        _throw_away(app, plan, merged)
    left = None
    if merged.failed:
        left = replace(begun, why=reasons(merged.failed))
    try:
        _note(app.vault, plan.source, plan.into.path, left)
    except MindcacheError as error:
        merged.failed.append((INTENT, error))
    return merged


def _lead(app: App, plan: Merger, merged: Merged) -> None:
    """Lead the links to the note that stays; those saved meanwhile a few times."""
    texts: Sequence[Relinked] = plan.texts
    merged.failed += plan.failed
    for number in range(1, _TRIES + 1):
        done = app.commit([Replace(t.path, t.after, t.before) for t in texts])
        lost = {change.path: error for change, error in done.failed}
        merged.texts += [text for text in texts if text.path not in lost]
        merged.behind = merged.behind or done.behind
        changed = [p for p, e in lost.items() if isinstance(e, ChangedMeanwhile)]
        again = [p for p in changed if app.vault.exists(p)] if number < _TRIES else []
        merged.failed += [each for each in lost.items() if each[0] not in again]
        if not again:
            return
        shift = _shift(app, plan.source, plan.into.path, plan.anchors)
        texts, refused = moving.relinked(app, shift, {path: path for path in again})
        merged.failed += refused


def _throw_away(app: App, plan: Merger, merged: Merged) -> None:
    """The note that is part of another goes to the trash, and the ledger knows first."""
    path, at = plan.source, moment(app.now())
    try:
        to = app.vault.in_trash(path)
        key = plan.source_id or path
        told = [Entry("trashed", "note", key, plan.source_id, path, to, at)]
        if plan.is_topic and plan.source_id:
            # Else the digest would take it for one that its owner threw away.
            told.append(
                Entry("ended", "topic", key, plan.source_id, path, plan.into.path, at)
            )
        app.ledger.add(told)
    except MindcacheError as error:
        merged.failed.append((path, error))
        return
    last = app.commit([Trash(path, plan.source_bytes)])
    merged.failed += [(c.path, error) for c, error in last.failed]
    merged.behind = merged.behind or last.behind
    for _, lies in last.moved:
        merged.trashed = lies


# -- completing -------------------------------------------------------------------


def pending(vault: Vault) -> list[Problem]:
    """The merges that were begun here and not ended, as problems."""
    mend = "run mindcache doctor --repair; the next command that writes does it too"
    try:
        merges = _under_way(vault)
    except (ValueError, OSError):
        message = "a merge of two notes was interrupted"
        return [Problem(INTENT, 0, "unfinished", message, mend, "error")]
    found: list[Problem] = []
    for each in merges:
        what = f"{each.source} is not wholly merged into {each.into}"
        if not each.why:
            message = f"{what}: that was interrupted"
            found.append(Problem(INTENT, 0, "unfinished", message, mend, "error"))
        for path, (why, first) in sorted(each.why.items()):
            then = f"{first}, then run mindcache doctor --repair" if first else mend
            message = f"{what}: {why}"
            found.append(Problem(path, 0, "unfinished", message, then, "error"))
    return found


def complete(app: App) -> list[str]:
    """Finish the merges that were interrupted: what to tell of them.

    The caller holds `app.writing()`. What can't be done yet stays noted.
    """
    try:
        merges = _under_way(app.vault)
    except ValueError:
        app.vault.discard(INTENT)
        return ["what was noted of an interrupted merge can't be read; it is dropped"]
    except OSError as error:
        raise MindcacheError(f"{INTENT} can't be read: {error.strerror}") from error
    said: list[str] = []
    for each in merges:
        said += _completed(app, each)
    return said


def _completed(app: App, begun: _Begun) -> list[str]:
    source, into = begun.source, begun.into
    reader = app.reader()
    one, other = reader.find_node(source), reader.find_node(into)
    done = f"finished an interrupted merge: {source} into {into}"
    if one is None or other is None:
        _note(app.vault, source, into, None)
        if one is None and app.vault.exists(f"{TRASH}/{source}"):
            return [done]  # all that was missing was to say so
        gone = source if one is None else into
        return [f"{source} was not wholly merged into {into}: {gone} is gone"]
    try:
        merged = merge(app, decide(app, one, other, only_new=begun.only_new))
        failed = merged.failed
    except MindcacheError as error:
        failed = [(source, error)]
    except OSError as error:
        failed = [(source, MindcacheError(f"{source}: {error.strerror}"))]
    if not failed:
        return [done]
    current = _begun(app.vault, source, into) or begun
    _note(app.vault, source, into, replace(current, why=reasons(failed)))
    head = f"{source} is still not wholly merged into {into}"
    return [f"{head}: {path}: {error}" for path, error in failed]
