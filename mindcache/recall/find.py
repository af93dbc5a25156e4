"""What is meant by a name: a note by id, path, file name or alias; a part of one.

Standard library only, so that `show` and `links` start light.
"""

from __future__ import annotations

from mindcache.cache.read import ChunkRow, NodeRow, Reader
from mindcache.errors import AmbiguousName, NoteNotFound
from mindcache.journal import is_entry_id
from mindcache.links import Names, fold, path_key, target_key, written

__all__ = ["find_block", "get_exact", "get_note", "link_to"]


def get_note(reader: Reader, name: str) -> NodeRow:
    """The one note that `name` means.

    Tried in this order: an id, a path from the vault's root (with or without
    `.md`), a file name, an alias. An id or file name that several notes share is
    ambiguous here, where a link would take the shortest path. Raises
    NoteNotFound with the nearest names, or AmbiguousName with the candidates.
    """
    # A path exactly as it is on disk goes first, whatever characters it holds.
    found = reader.find_node(name) or reader.find_node(name + ".md")
    if found:
        return found
    wanted = name.strip().removeprefix("[[").removesuffix("]]").partition("|")[0]
    wanted = wanted.partition("#")[0].strip().replace("\\", "/").removeprefix("./")
    by_id = reader.nodes_by_id(wanted) if wanted else []
    if len(by_id) > 1:
        paths = [node.path for node in by_id]
        raise AmbiguousName(f"{len(paths)} notes have the id {wanted!r}", paths)
    if by_id:
        return by_id[0]
    found = reader.find_node(wanted) or reader.find_node(wanted + ".md")
    if found:
        return found
    return _by_name(reader, name, wanted)


def get_exact(reader: Reader, name: str, *, by_name: bool) -> NodeRow:
    """The one note that `name` means beyond doubt, for what can't be taken back.

    That is a path, an id, or with `by_name` a file name that no other note has;
    never an alias or what is merely near. Raises NoteNotFound naming the nearest, or
    AmbiguousName.
    """
    found = reader.find_node(name) or reader.find_node(name + ".md")
    if found:
        return found
    wanted = name.strip()
    nodes = reader.nodes_by_id(wanted) if wanted else []
    if by_name and not nodes and wanted and "/" not in wanted:
        key = path_key(wanted)
        paths = sorted(n.path for n in reader.names({key}) if n.kind == "path")
        nodes = [node for node in map(reader.find_node, paths) if node]
    if len(nodes) > 1:
        paths = [node.path for node in nodes]
        raise AmbiguousName(f"{len(paths)} notes go by {name!r}", paths)
    if nodes:
        return nodes[0]
    forms = "an exact id, path or file name" if by_name else "an exact id or path"
    missing = _not_found(reader, name, wanted)
    is_near = missing.mend.startswith("did")
    only = f"{missing.mend} only {forms} will do"
    near = only if is_near else "see mindcache recall"
    raise NoteNotFound(f"{name!r} is not {forms}", mend=near)


def _by_name(reader: Reader, name: str, wanted: str) -> NodeRow:
    rows = reader.names({target_key(wanted), fold(wanted)}) if wanted else []
    names = Names(rows)
    home = names.resolve("", wanted) if wanted else None
    node = reader.find_node(home.path) if home else None
    if node is None or home is None:
        raise _not_found(reader, name, wanted)
    if home.by == "path" and "/" not in wanted:
        twins = sorted(
            r.path for r in rows if r.kind == "path" and r.key == path_key(home.path)
        )
        notes = [p for p in twins if reader.find_node(p)]
        if len(notes) > 1:
            raise AmbiguousName(f"{len(notes)} notes are called {wanted!r}", notes)
    if home.by == "alias":
        paths = sorted(
            {r.path for r in rows if r.kind == "alias" and r.key == fold(wanted)}
        )
        if len(paths) > 1:
            raise AmbiguousName(f"{len(paths)} notes have the alias {wanted!r}", paths)
    return node


def _not_found(reader: Reader, name: str, wanted: str) -> NoteNotFound:
    import difflib

    keys = {n.key: n for n in reader.names() if n.kind != "id"}
    close = difflib.get_close_matches(target_key(wanted), sorted(keys), n=3, cutoff=0.6)
    shown = ", ".join(dict.fromkeys(keys[k].path for k in close))
    mend = f"did you mean {shown}?" if shown else "try mindcache recall with it"
    return NoteNotFound(f"no note is called {name!r}", mend=mend)


def find_block(reader: Reader, name: str) -> tuple[NodeRow, ChunkRow] | None:
    """The part of a note that `name` means, with its note; None for a whole note.

    A part is an entry of the journal by its id (`j-6kd3f2a9xw`), or any block by
    its note's name and its id (`Pricing#^discount`). Raises NoteNotFound for a block
    that the note doesn't have, and what `get_note` raises for the note.
    """
    wanted = name.strip().removeprefix("[[").removesuffix("]]").partition("|")[0]
    note, hash_mark, block = wanted.partition("#^")
    if not hash_mark:
        return _find_entry(reader, wanted.strip().removeprefix("^"))
    node = get_note(reader, note)
    key = fold(block.strip())
    for chunk in reader.chunks_of(node.file_id):
        if chunk.anchor[:1] == "^" and fold(chunk.anchor[1:]) == key:
            return node, chunk
    raise NoteNotFound(
        f"{node.path} has no block ^{block.strip()}",
        mend="mindcache show with the note's name alone shows its text",
    )


def _find_entry(reader: Reader, wanted: str) -> tuple[NodeRow, ChunkRow] | None:
    # Typed by hand, an id may come in capitals.
    ids = [each for each in (wanted, wanted.lower()) if is_entry_id(each)]
    entries = next((found for each in ids if (found := reader.entries(each))), [])
    if not entries:
        return None
    if len(entries) > 1:
        ways = [f"{e.path}#^{e.block}" for e in entries]
        raise AmbiguousName(f"{len(entries)} entries are called {wanted}", ways)
    node = reader.nodes([entries[0].file_id])[0]
    return node, reader.chunks([entries[0].chunk_id])[entries[0].chunk_id]


def link_to(reader: Reader, name: str, folder: str) -> str:
    """The link, from a note in `folder`, to what `name` means, as Obsidian reads it.

    An alias is what the link shows; a heading or block behind "#" stays. Raises
    NoteNotFound and AmbiguousName.
    """
    part = find_block(reader, name)
    wanted, _, behind = name.strip().partition("#")
    if part is None:
        node = get_note(reader, name)
        if path_key(node.path) == target_key(name):
            behind = ""  # the "#" is the name's own
    else:
        node, behind = part[0], part[1].anchor
    is_alias = fold(wanted.strip()) in map(fold, node.aliases)
    rows = reader.names([path_key(node.path)])
    return written(
        Names(rows),
        f"{folder}/.md",
        node.path,
        wanted.strip() if is_alias else "",
        behind.strip(),
    )
