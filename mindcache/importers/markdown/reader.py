"""Markdown files and folders of them, from the disk to items."""

from __future__ import annotations

import os
import posixpath
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from mindcache.errors import Problem
from mindcache.filenames import is_passing
from mindcache.importers.attachments import LARGEST
from mindcache.importers.item import (
    Attachment,
    Context,
    Item,
    Left,
    Read,
    Source,
    Stranger,
)
from mindcache.importers.markdown.docs import (
    Asset,
    Doc,
    is_markdown,
    safe_path,
    taken_in,
)
from mindcache.importers.markdown.logseq import Graph, obsidian_docs
from mindcache.importers.markdown.properties import Terms
from mindcache.note import decode, parse

__all__ = ["Markdown", "doc_of"]

# Bytes of the longest file that is read: a text, cut up, is no longer than this.
_LONGEST = 64_000_000

_CONFIG = "logseq/config.edn"


@dataclass(slots=True)
class _Folder:
    """What lies in a folder, by paths below it."""

    root: str
    notes: list[str] = field(default_factory=list)
    assets: list[str] = field(default_factory=list)
    left: Counter[tuple[str, str]] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Markdown:
    """The importer for Markdown; see `importers.item.Importer`."""

    terms: Terms = field(default_factory=Terms)
    name: str = "markdown"
    source_type: str = "markdown"
    short: str = "Notes in Markdown: a file, a folder, an Obsidian vault, a Logseq graph."
    suffixes: tuple[str, ...] = (".md", ".markdown")
    folder: str = "memory"
    takes_folders: bool = True

    def configured(self, *, namespace: str, cut: bool) -> Markdown:
        """The same importer on these terms."""
        return replace(self, terms=Terms(namespace or "domain", cut))

    def read(
        self, sources: Sequence[Source], context: Context
    ) -> Iterator[Item | Problem | Left | Stranger | Attachment | Read]:
        """Everything in the files; see `importers.item.Importer`."""
        self.terms.check(context.namespaces)
        for source in sources:
            yield from self._read(source, context)

    def _read(
        self, source: Source, context: Context
    ) -> Iterator[Item | Problem | Left | Attachment | Read]:
        found = _in_folder(source.path) if os.path.isdir(source.path) else None
        if found is None:
            found = _beside(source.path) if source.path != "-" else _Folder("", ["-"])
        whole = True
        docs: list[Doc] = []
        name = os.path.basename(found.root)
        for path in found.notes:
            doc, problem = doc_of(found.root, path, name, source)
            if problem is not None:
                yield problem
                whole = whole and problem.severity != "error"
            if doc is not None:
                docs.append(doc)
        if os.path.isfile(os.path.join(found.root, _CONFIG)) or _looks_so(found):
            graph = Graph(_config(found.root), frozenset(found.assets))
            converted = list(obsidian_docs(docs, graph))
            docs = [each for each in converted if isinstance(each, Doc)]
            yield from (each for each in converted if isinstance(each, Left))
        copies: list[Attachment] = []
        used: set[str] = set()

        def place(asset: Asset) -> str:
            used.add(asset.path)
            copy = _attachment(found.root, name, asset, context)
            if copy is None:
                return ""
            copies.append(copy)
            return copy.path

        yield from taken_in(docs, found.assets, place, context, self.terms)
        yield from copies
        if os.path.isdir(source.path):
            unused = len(found.assets) - len(used)
            if unused:
                yield Left("other file", "no note refers to it", unused)
        for (what, why), count in sorted(found.left.items()):
            yield Left(what, why, count)
        yield Read(source.name, whole)


def doc_of(
    root: str, path: str, name: str, source: Source
) -> tuple[Doc | None, Problem | None]:
    """A file as text, and what was wrong with its bytes. Raises OSError for stdin."""
    key = f"{name}/{path}" if name else source.name
    try:
        if path == "-":
            with open(0, "rb", closefd=False) as stream:
                data = stream.read(_LONGEST + 1)
        else:
            with open(os.path.join(root, path), "rb") as file:
                data = file.read(_LONGEST + 1)
    except OSError as error:
        message = f"can't be read: {error.strerror}"
        return None, Problem(key, 0, "import-read", message, "check it", "error")
    if len(data) > _LONGEST:
        message = f"larger than {_LONGEST:,} bytes"
        return None, Problem(key, 0, "import-large", message, "split it", "error")
    decoded = decode(data)
    problem = None
    if decoded.faults:
        fault = decoded.faults[0]
        message = f"{fault.message}; its note is UTF-8"
        problem = Problem(key, 0, fault.code, message, "check the new note")
    plain = "stdin.md" if path == "-" else path
    if plain.lower().endswith(".markdown"):
        plain = plain[: -len(".markdown")] + ".md"
    return Doc(plain, decoded.text, key, key, key), problem


def _in_folder(root: str) -> _Folder:
    """Notes and other files of a folder, hidden ones and links to elsewhere left out."""
    found = _Folder(root)
    for here, folders, names in os.walk(root, onerror=None):
        inside = os.path.relpath(here, root).replace(os.sep, "/")
        kept = []
        for name in sorted(folders):
            full = os.path.join(here, name)
            if name.startswith("."):
                continue
            if inside == "." and name == "logseq" and _is_logseq(root):
                found.left["folder logseq/", "settings and copies of Logseq's own"] += 1
            elif os.path.islink(full):
                found.left["symbolic link", "it may lead anywhere"] += 1
            elif os.path.isdir(os.path.join(full, ".mindcache")):
                found.left["vault", "it is one of Mindcache's already"] += 1
            else:
                kept.append(name)
        folders[:] = kept
        for name in sorted(names):
            path = name if inside == "." else f"{inside}/{name}"
            if is_passing(name):
                continue
            if os.path.islink(os.path.join(here, name)):
                found.left["symbolic link", "it may lead anywhere"] += 1
            elif is_markdown(name):
                found.notes.append(path)
            elif name.lower().endswith(".org"):
                found.left["org file", "only Markdown is read"] += 1
            else:
                found.assets.append(path)
    return found


def _is_logseq(root: str) -> bool:
    return os.path.isfile(os.path.join(root, _CONFIG))


def _looks_so(found: _Folder) -> bool:
    """Whether a folder without settings is laid out as Logseq does it."""
    folders = {path.partition("/")[0] for path in found.notes}
    return {"pages", "journals"} <= folders


def _config(root: str) -> str:
    try:
        with open(os.path.join(root, _CONFIG), "rb") as file:
            return decode(file.read(1_000_000)).text
    except OSError:
        return ""


def _beside(path: str) -> _Folder:
    """One note, as part of the vault or graph that it lies in, with what it refers to."""
    real = os.path.realpath(path)
    root = folder = os.path.dirname(real)
    while True:
        if os.path.isdir(os.path.join(folder, ".obsidian")) or _is_logseq(folder):
            root = folder
            break
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    inside = os.path.relpath(real, root).replace(os.sep, "/")
    found = _Folder(root, [inside])
    doc, _ = doc_of(root, inside, "", Source(path, os.path.basename(path)))
    links = parse(inside, doc.text.encode()).links if doc else ()
    for link in links:
        if not link.target or "://" in link.target or is_markdown(link.target):
            continue
        for folder in (posixpath.dirname(inside), ""):
            asset = posixpath.normpath(posixpath.join(folder, link.target.lstrip("/")))
            if _is_plain_file(root, asset) and asset not in found.assets:
                found.assets.append(asset)
    return found


def _is_plain_file(root: str, path: str) -> bool:
    """Whether the path is that of a file below the root, hidden ones left out."""
    if path.startswith("../") or any(part.startswith(".") for part in path.split("/")):
        return False
    full = os.path.join(root, path)
    return os.path.isfile(full) and os.path.realpath(full) == full


def _attachment(
    root: str, name: str, asset: Asset, context: Context
) -> Attachment | None:
    source = os.path.join(root, asset.path)
    key = f"{name}/{asset.path}"
    if context.places is None:
        return Attachment(key, source, asset.path)
    try:
        with open(source, "rb") as file:
            data = file.read(LARGEST)
    except OSError:
        return None
    stem = safe_path(posixpath.basename(asset.path))
    path = context.places.asset(key, stem, asset.note, data)
    return Attachment(key, source, path) if path else None

