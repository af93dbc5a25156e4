"""Writing, for every surface: look, decide, and write, with nobody in between.

Each verb holds the machine's turn to write from its first look to its last byte, so
that two processes never decide on the same state. What to write is decided below
`write`; what a surface prints of it is its own affair.
"""

from __future__ import annotations

import os
import secrets
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from mindcache.errors import MindcacheError, Refused, TwinFound
from mindcache.vault import Change, Create, Replace
from mindcache.write.ids import RANDOM_BYTES
from mindcache.write.remember import Draft, Ground, Wish, draft
from mindcache.write.rewrite import Rewrite, Seen, refuse_new_breaches

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.cache.read import NodeRow, Reader
    from mindcache.memory import Memory
    from mindcache.recall import Corpus
    from mindcache.write.plans import Settlement, Verdict
    from mindcache.write.update import Edits

__all__ = [
    "Done",
    "Guard",
    "Remembered",
    "link",
    "remember",
    "retire",
    "settle",
    "unlink",
    "update",
]

# Raises Refused where a writer may not make the second memory of the first, which is
# None for a new note.
Guard: TypeAlias = "Callable[[Memory | None, Memory], None]"

# How many notes are held beside a new one, and how much of it they are found by.
_CANDIDATES = 8
_FOUND_BY = 1_500


@dataclass(frozen=True, slots=True)
class Remembered:
    """A new note; `behind` is what kept it, written as it is, from being indexed."""

    draft: Draft
    written: bool
    behind: Exception | None = None


@dataclass(frozen=True, slots=True)
class Done:
    """Notes as they were changed, or would be; `behind` as for `Remembered`."""

    rewrites: tuple[Rewrite, ...]
    written: bool
    behind: Exception | None = None

    @property
    def is_change(self) -> bool:
        """Whether there was anything to write."""
        return any(each.is_change for each in self.rewrites)


def remember(
    app: App,
    wish: Wish,
    project: str = "",
    *,
    anyway: bool = False,
    dry_run: bool = False,
    guard: Guard | None = None,
) -> Remembered:
    """Write a new note under contract and index it before it returns.

    `project` is the one that the writer stands in. Raises TwinFound, unless `anyway`,
    for what a note says already; else as `write.draft` and the `guard` do.
    """
    with app.writing():
        ground = _ground(app, project)
        made = draft(wish, ground)
        if guard is not None:
            guard(None, made.memory)
        _check_size(app, made.path, made.data)
        if not anyway:
            _refuse_same_title(ground.reader, made)
            _refuse_twin(app, made)
        if dry_run:
            return Remembered(made, written=False)
        behind = _commit(app, [Create(made.path, made.data)])
        if behind is None and made.path not in app.vault.look([made.path]).notes:
            behind = _hidden(app, made.path)
    return Remembered(made, written=True, behind=behind)


def _hidden(app: App, path: str) -> Refused:
    """Why a note that was just written is not met where it was written."""
    root = os.path.realpath(app.vault.root)
    folder = os.path.dirname(path)
    real = os.path.relpath(os.path.realpath(os.path.join(root, folder)), root)
    if real != (folder or "."):
        place = "" if real == "." else f"{real.replace(os.sep, '/')}/"
        return Refused(
            f"{folder} is a symbolic link, which is not followed: the note is"
            f" {place}{os.path.basename(path)}",
            mend="name the real folder; the next question takes the note in",
        )
    return Refused(f".mindcacheignore hides {path}", mend="move it, or change that")


def _ground(app: App, project: str) -> Ground:
    return Ground(
        vault=app.vault,
        reader=app.reader(),
        meaning_of=app.meaning_of,
        namespaces=app.settings.texts("namespaces"),
        now=app.now(),
        chance=secrets.token_bytes(RANDOM_BYTES),
        zone=app.settings.text("timezone"),
        project=project,
    )


def _check_size(app: App, path: str, data: bytes) -> None:
    cap = app.settings.number("size_cap")
    if len(data) > cap:
        raise Refused(
            f"{path} would be larger than size_cap ({cap:,} bytes) and not be indexed",
            mend="split it, or raise size_cap in .mindcache/config.toml",
        )


def _refuse_same_title(reader: Reader, made: Draft) -> None:
    """Two titles that differ only in how they are spelled are one (field case C2)."""
    from mindcache.alike import same_name

    if not made.title_given:
        return
    title = made.memory.title
    for row in sorted(reader.names(), key=lambda row: row.path):
        is_note = row.kind == "alias" or (
            row.kind == "path" and row.path[-3:].lower() == ".md"
        )
        if is_note and same_name(title, row.key):
            raise _twin(reader.find_node(row.path), f"{title!r} is the name of")


def _refuse_twin(app: App, made: Draft) -> None:
    """What another note says in nearly the same words is not said again."""
    found = _find_twin(app, made)
    if found is not None:
        raise _twin(*found)


def _find_twin(app: App, made: Draft) -> tuple[NodeRow | None, str] | None:
    """The note that says it already, and how to speak of it."""
    with app.corpus().steady() as corpus:
        return _twin_in(app, corpus, made)


def _twin_in(
    app: App, corpus: Corpus, made: Draft
) -> tuple[NodeRow | None, str] | None:
    import numpy as np

    from mindcache.alike import twin
    from mindcache.index import semantic
    from mindcache.plain import plain_text

    text = plain_text(made.note.body) or made.memory.summary
    if not len(corpus) or not text:
        return None
    likeness = corpus.similarities(text[:_FOUND_BY]).plain
    order = np.lexsort((corpus.ids, -likeness))
    files = dict.fromkeys(corpus.files[order[: _CANDIDATES * 4]].tolist())
    paths = corpus.reader.paths(list(files)[:_CANDIDATES])
    for file in list(files)[:_CANDIDATES]:
        node = corpus.reader.find_node(paths[file])
        if node is None or not _may_be_twin(made, node):
            continue
        try:
            _, note, _ = app.look(node.path)
        except (OSError, MindcacheError):
            continue  # gone or unreadable by now: nothing that could be named
        body = plain_text(note.body)
        # The summary of a bare entity is its name: whatever is about it repeats that.
        says = (body, "" if node.type == "entity" and not body else node.summary)
        for theirs in filter(None, dict.fromkeys(says)):
            pair = semantic.quantise(corpus.encoder.encode([text, theirs]))
            cosine = semantic.similarities(pair[:1], semantic.norms(pair[:1]), pair[1])
            verdict = twin(text, theirs, float(cosine[0]))
            if verdict:
                how = "the very same" if verdict == "same" else "nearly the same"
                return node, f"{how} is said by"
    return None


def _may_be_twin(made: Draft, node: NodeRow) -> bool:
    """The same words at another time are another event; archived facts are over."""
    if node.type in {"topic", "journal", "proposal"} or node.status == "archived":
        return False
    memory = made.memory
    if memory.date is None or memory.dated_by != "time_start":
        return True
    return node.date_start == memory.date.start.isoformat()


def _twin(node: NodeRow | None, how: str) -> TwinFound:
    path = node.path if node is not None else ""
    name = f"{path} ({node.id})" if node is not None and node.id else path
    key = (node.id if node is not None else "") or path
    return TwinFound(
        f"{how} {name}",
        [path],
        mend=f"nothing written; mindcache update {shlex.quote(key)} changes that note,"
        " --anyway makes another",
    )


def update(
    app: App,
    given: str,
    edits: Edits,
    *,
    dry_run: bool = False,
    guard: Guard | None = None,
) -> Done:
    """Change the note with this id or at this path.

    Raises NoteNotFound for anything but an exact id or path, and as `write.update` and
    the `guard` do.
    """
    from mindcache.note import parse
    from mindcache.recall.find import get_exact
    from mindcache.write.update import update as updated

    with app.writing():
        node = get_exact(app.reader(), given, by_name=False)
        found = seen(app, node.path)
        rewrite = updated(found, edits, app.now())
        if guard is not None:
            guard(found.memory, app.meaning_of(parse(node.path, rewrite.after)))
        return _carry_out(app, [rewrite], dry_run=dry_run)


def link(
    app: App, source: str, relation: str, target: str, *, dry_run: bool = False
) -> Done:
    """Draw an edge from one note to another; one that is there is not drawn again.

    Raises UsageError for a relation that nobody knows, and as `write.edges.link`.
    """
    from mindcache.memory import SYMMETRIC
    from mindcache.recall.find import get_note
    from mindcache.write import edges

    name = edges.relation_of(relation)
    with app.writing():
        reader = app.reader()
        one, other = get_note(reader, source), get_note(reader, target)
        found = seen(app, one.path)
        if name in SYMMETRIC and one.path != other.path:
            back = seen(app, other.path)
            if edges.edge_is_drawn(reader, back.memory, name, one.path):
                remark = f"{other.path} is linked so already, from the other end"
                same = Rewrite(one.path, found.data, found.data, {}, (remark,))
                return Done((same,), written=False)
        display = target if target in other.aliases else ""
        rewrite = edges.link(reader, found, name, other, app.now(), display)
        return _carry_out(app, [rewrite], dry_run=dry_run)


def unlink(
    app: App, source: str, relation: str, target: str, *, dry_run: bool = False
) -> Done:
    """Take away the edges of this relation from one note to another.

    A symmetric one goes from whichever end it was drawn. Raises as `link` does.
    """
    from mindcache.memory import SYMMETRIC
    from mindcache.recall.find import get_note
    from mindcache.write import edges

    name = edges.relation_of(relation)
    with app.writing():
        reader = app.reader()
        one, other = get_note(reader, source), get_note(reader, target)
        pairs = [(one, other)]
        if name in SYMMETRIC and one.path != other.path:
            pairs.append((other, one))
        rewrites = [
            edges.unlink(reader, seen(app, a.path), name, b, app.now())
            for a, b in pairs
        ]
        if not any(each.is_change for each in rewrites):
            remark = f"no {name} leads from {one.path} to {other.path}"
            but = [f" but {each}" for r in rewrites for each in r.remarks]
            rewrites = [replace(rewrites[0], remarks=(remark + "".join(but[:1]),))]
        return _carry_out(app, rewrites, dry_run=dry_run)


def retire(
    app: App,
    given: str,
    successor: str = "",
    because: str = "",
    *,
    dry_run: bool = False,
) -> Done:
    """Say of the note with this id or at this path that it holds no longer.

    Raises as `update` and `link` do.
    """
    from mindcache.recall.find import get_exact, get_note
    from mindcache.write import edges

    with app.writing():
        reader = app.reader()
        node = get_exact(reader, given, by_name=False)
        after = get_note(reader, successor) if successor.strip() else None
        found = seen(app, node.path)
        rewrite = edges.retire(reader, found, after, because, app.now())
        return _carry_out(app, [rewrite], dry_run=dry_run)


def settle(
    app: App, path: str, verdict: Verdict
) -> tuple[NodeRow, Settlement, Exception | None]:
    """Write into the plan at `path` what became of it: its note, what was written.

    The last value is what kept it, written as it is, from being indexed. Raises as
    `write.plans.settle` does, and Refused with the contract's words.
    """
    from mindcache.recall.find import get_exact
    from mindcache.redact import redact
    from mindcache.write.plans import settle as settled

    verdict = replace(verdict, because=redact(verdict.because).text)
    with app.writing():
        node = get_exact(app.reader(), path, by_name=False)
        found = seen(app, path)
        home = app.settings.text("timezone")
        done = settled(
            found.data, found.note, found.memory, verdict, app.moment(), home
        )
        rewrite = Rewrite(path, done.before, done.after, dict(done.changes))
        return node, done, _carry_out(app, [rewrite], dry_run=False).behind


def seen(app: App, path: str) -> Seen:
    """A note as it is on disk, to be changed.

    Raises Refused when it can't be read or is held apart until it is mended.
    """
    from mindcache import sync

    try:
        found = Seen(*app.look(path))
    except OSError as error:
        raise Refused(f"{path} can't be read: {error.strerror}") from error
    if reason := sync.held_reason(found.note):
        raise Refused(f"{path}: {reason.message}", mend=reason.mend)
    return found


def _carry_out(app: App, rewrites: Sequence[Rewrite], *, dry_run: bool) -> Done:
    """Write what is a change. Raises Refused for what the contract forbids."""
    changed = [each for each in rewrites if each.is_change]
    for each in changed:
        refuse_new_breaches(each, app.meaning_of, app.settings.texts("namespaces"))
        if len(each.after) > len(each.before):
            _check_size(app, each.path, each.after)
    if dry_run or not changed:
        return Done(tuple(rewrites), written=False)
    changes = [Replace(each.path, each.after, each.before) for each in changed]
    return Done(tuple(rewrites), written=True, behind=_commit(app, changes))


def _commit(app: App, changes: Sequence[Change]) -> Exception | None:
    """Write and index. Raises the first error that kept a note from being written."""
    done = app.commit(changes)
    for change, error in done.failed:
        if change.path not in error.message:
            error.message = f"{change.path}: {error.message}"
        raise error
    return done.behind
