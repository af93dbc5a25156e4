"""The tree of topics as it stands in their notes, for whoever wants to look around.

Reads the cache, and of each topic's note the one line that is in no chunk: its terms.
Nothing heavy is imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property

from mindcache.cache.read import NodeRow, Reader
from mindcache.errors import AmbiguousName, NoteNotFound
from mindcache.links import fold
from mindcache.recall.own import LAID_DOWN

__all__ = [
    "Branch",
    "Tree",
    "find_topic",
    "moment_of",
    "not_digested",
    "read_tree",
    "since",
    "templates_in",
]


@dataclass(frozen=True, slots=True)
class Branch:
    """One topic: its note, the topics below it, and the notes that it holds.

    `notes`, `anchors` and `related` are paths, `updated` an ISO time ("" if unknown);
    `parent` is "" for a root.
    """

    node: NodeRow
    parent: str = ""
    children: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()
    first_seen: str = ""
    updated: str = ""
    pinned: bool = False


@dataclass(frozen=True)
class Tree:
    """All topics by path, and the roots in their order. `inbox` are notes in no topic."""

    topics: Mapping[str, Branch] = field(default_factory=dict)
    roots: tuple[str, ...] = ()
    notes: int = 0
    inbox: tuple[str, ...] = ()

    @cached_property
    def of_passages(self) -> frozenset[str]:
        """The topics of which only passages of their notes are: see `passages`."""
        from mindcache.recall.passages import of_passages

        lists = {path: branch.notes for path, branch in self.topics.items()}
        below = [p for p, b in self.topics.items() if b.parent and not b.children]
        return frozenset(of_passages(lists, below))

    def below(self, path: str) -> list[str]:
        """The topic and all that is below it, from the top down."""
        found = [path]
        for each in found:
            found += self.topics[each].children
        return found

    def held(self, path: str) -> set[str]:
        """The notes of the topic and of all that is below it."""
        return {note for each in self.below(path) for note in self.topics[each].notes}

    def depth(self, path: str) -> int:
        """1 for a root, and one more for each step down."""
        steps = 1
        while self.topics[path].parent:
            path = self.topics[path].parent
            steps += 1
        return steps


# What is in no topic and waits for none (see `digest.group`).
_NO_INPUT = frozenset({"topic", "summary", "proposal", "journal"})
# The pages of the vault's template were laid down before they said `digest: false`, too.
# One condition for `Reader.where`, with notes that say it.
_SAID = f"(json_type(n.properties, '$.digest') = 'false' OR {LAID_DOWN})"


def not_digested(reader: Reader, templates: Collection[str] = ()) -> set[int]:
    """The notes that are no input of a digest, by file id.

    Those that say so, our own pages, and what lies in a folder of `templates`.
    """
    return reader.where(_SAID, []) | templates_in(reader, templates)


def templates_in(reader: Reader, folders: Collection[str]) -> set[int]:
    """The notes that lie in one of these folders, or below it, by file id."""
    found: set[int] = set()
    for name in folders:
        start = fold(f"{name.strip('/')}/")
        if start.isascii():
            below = "substr(lower(f.path), 1, ?) = ?"
            found |= reader.where(below, [len(start), start])
        else:  # SQLite folds no other letters
            nodes = reader.nodes()
            found |= {n.file_id for n in nodes if fold(n.path).startswith(start)}
    return found


def read_tree(
    reader: Reader,
    terms_of: Callable[[str], Sequence[str]] = lambda _: (),
    templates: Collection[str] = (),
) -> Tree:
    """The tree as the notes have it; `terms_of` gives the terms in the note at a path.

    What lies in a folder of `templates` waits for no topic.
    """
    nodes = {n.path: n for n in reader.nodes(reader.where("n.type = ?", ["topic"]))}
    found: dict[str, Branch] = {}
    parents: dict[str, str] = {}
    for path, node in nodes.items():
        links = reader.links_from(path)

        def of(name: str) -> tuple[str, ...]:
            hits = (x.resolved for x in links if x.field == name)  # noqa: B023  used at once
            return tuple(dict.fromkeys(hit for hit in hits if hit))

        parents[path] = next((p for p in of("parent_topic") if p in nodes), "")
        members = (x.resolved for x in links if x.origin == "topic" and x.resolved)
        properties = reader.properties(node.file_id)
        found[path] = Branch(
            node,
            notes=tuple(m for m in dict.fromkeys(members) if m not in nodes),
            anchors=of("anchors"),
            related=tuple(p for p in of("related_topics") if p in nodes),
            terms=tuple(terms_of(path)),
            first_seen=str(properties.get("first_seen") or ""),
            updated=str(properties.get("last_updated") or ""),
            pinned=properties.get("pinned") is True,
        )
    left_out = not_digested(reader, templates)
    return _grown(reader, found, _without_circles(parents), left_out)


def _without_circles(parents: dict[str, str]) -> dict[str, str]:
    for path in sorted(parents):
        seen = {path}
        above = parents[path]
        while above:
            if above in seen:
                parents[path] = ""
                break
            seen.add(above)
            above = parents[above]
    return parents


def _grown(
    reader: Reader,
    found: Mapping[str, Branch],
    parents: Mapping[str, str],
    left_out: Collection[int],
) -> Tree:
    from dataclasses import replace

    def by_name(path: str) -> tuple[str, str]:
        return fold(found[path].node.title), path

    children: dict[str, list[str]] = {path: [] for path in found}
    for path in sorted(found, key=by_name):
        if parents[path]:
            children[parents[path]].append(path)
    held = {note for branch in found.values() for note in branch.notes}
    waiting = [
        n.path
        for n in reader.nodes()
        if n.type not in _NO_INPUT and n.file_id not in left_out
    ]
    return Tree(
        {
            path: replace(
                found[path], parent=parents[path], children=tuple(children[path])
            )
            for path in sorted(found, key=by_name)
        },
        tuple(path for path in sorted(found, key=by_name) if not parents[path]),
        len(waiting),
        tuple(path for path in waiting if path not in held),
    )


def find_topic(tree: Tree, name: str) -> Branch:
    """The topic with this id, path, title or alias. Raises NoteNotFound."""
    wanted = fold(name.strip().removeprefix("[[").removesuffix("]]"))
    exact = [
        b
        for path, b in tree.topics.items()
        if wanted in {fold(b.node.id), fold(path), fold(path[:-3])}
    ]
    hits = exact or [
        b
        for b in tree.topics.values()
        if wanted in {fold(b.node.title), fold(_stem(b.node.path))}
    ]
    hits = hits or [
        b for b in tree.topics.values() if wanted in map(fold, b.node.aliases)
    ]
    if len(hits) > 1:
        paths = [branch.node.path for branch in hits]
        raise AmbiguousName(f"{len(hits)} topics are called {name!r}", paths)
    if not hits:
        import difflib

        titles = {fold(b.node.title): b.node.title for b in tree.topics.values()}
        near = difflib.get_close_matches(wanted, sorted(titles), n=3)
        shown = ", ".join(titles[each] for each in near)
        mend = f"did you mean {shown}?" if near else "mindcache topics lists them"
        raise NoteNotFound(f"no topic is called {name!r}", mend=mend)
    return hits[0]


def since(tree: Tree, moment: datetime) -> Tree:
    """The tree with only those topics that have changed since, and what is above them."""
    first = moment.isoformat(timespec="seconds")
    lively = {
        path for path, branch in tree.topics.items() if branch.updated >= first[:16]
    }
    kept = set(lively)
    for path in lively:
        above = tree.topics[path].parent
        while above:
            kept.add(above)
            above = tree.topics[above].parent
    return _only(tree, kept)


def _only(tree: Tree, kept: Iterable[str]) -> Tree:
    from dataclasses import replace

    chosen = set(kept)
    return Tree(
        {
            path: replace(
                branch, children=tuple(c for c in branch.children if c in chosen)
            )
            for path, branch in tree.topics.items()
            if path in chosen
        },
        tuple(path for path in tree.roots if path in chosen),
        tree.notes,
        tree.inbox,
    )


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[:-3] if name[-3:].lower() == ".md" else name


_UNITS = {"d": 1, "w": 7, "m": 30, "y": 365}


def moment_of(text: str, now: datetime) -> datetime | None:
    """`3w`, `10d`, `2m`, `1y` before now; None for text of another form."""
    number, unit = text[:-1], text[-1:].casefold()
    if unit in _UNITS and number.isdigit() and len(number) < 5:
        return now - timedelta(days=int(number) * _UNITS[unit])
    return None
