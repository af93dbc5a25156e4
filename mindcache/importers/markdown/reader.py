"""Markdown files and folders of them, as items."""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterator, Sequence

from mindcache.errors import Problem
from mindcache.files import open_plain
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
from mindcache.importers.markdown.docs import Asset, Doc, safe_path, taken_in
from mindcache.importers.markdown.folder import (
    Folder,
    beside,
    doc_of,
    in_folder,
    page_of,
)
from mindcache.importers.markdown.logseq import Graph, obsidian_docs
from mindcache.importers.markdown.properties import Terms

__all__ = ["Markdown"]


class Markdown:
    """The importer for Markdown; see `importers.item.Importer`."""

    name = "markdown"
    source_type = "markdown"
    short = "Notes in Markdown: a file, a folder, an Obsidian vault, a Logseq graph."
    suffixes: tuple[str, ...] = (".md", ".markdown")
    folder = "memory"

    def __init__(self, terms: Terms | None = None, called: str = "") -> None:
        self.terms = terms or Terms()
        self.called = called

    def configured(self, *, namespace: str, cut: bool, called: str = "") -> Markdown:
        """The same importer on these terms; `called` names the folder that is read."""
        return Markdown(Terms(namespace or "domain", cut), called.strip().strip("/"))

    @staticmethod
    def takes_folder(path: str) -> bool:
        """Whether a folder is one source: always, its files belong together."""
        del path
        return True

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
        is_folder = os.path.isdir(source.path)
        if is_folder:
            found = in_folder(os.path.realpath(source.path))
        else:
            found = beside(source.path) if source.path != "-" else Folder("", ["-"])
        docs: list[Doc] = []
        whole = True
        name = self.called or os.path.basename(found.root)
        for each in _texts(found, source, name):
            if isinstance(each, Doc):
                docs.append(each)
            else:
                whole = whole and each.severity != "error"
                yield each
        if found.is_logseq:
            graph = Graph(found.config(), frozenset(found.assets))
            converted = list(obsidian_docs(docs, graph))
            docs = [each for each in converted if isinstance(each, Doc)]
            yield from (each for each in converted if isinstance(each, Left))
        copies = _Copies(found.root, name, context)
        yield from taken_in(docs, found.assets, copies.place, context, self.terms)
        yield from copies.made
        unused = len(found.assets) - copies.asked
        if is_folder and unused:
            yield Left("other file", "no note refers to it", unused)
        for (what, why), count in sorted(found.left.items()):
            yield Left(what, why, count)
        yield Read(source.name, whole)


def _texts(found: Folder, source: Source, name: str) -> Iterator[Doc | Problem]:
    for path in found.notes:
        doc, problem = doc_of(found.root, path, name, source)
        if problem is not None:
            yield problem
        if doc is not None and (kept := page_of(found, doc)):
            found.left[kept] += 1
        elif doc is not None:
            yield doc


class _Copies:
    """The attachments that were asked for: `asked` of them, `made` those that come."""

    def __init__(self, root: str, name: str, context: Context) -> None:
        self._root = root
        self._name = name
        self._context = context
        self.asked = 0
        self.made: list[Attachment] = []

    def place(self, asset: Asset) -> str:
        """Where it will lie in the vault, "" when it won't."""
        self.asked += 1
        source = os.path.join(self._root, asset.path)
        key = f"{self._name}/{asset.path}"
        name = safe_path(posixpath.basename(asset.path))
        places = self._context.places
        if places is None:
            path = asset.path
        else:
            try:
                with open_plain(source) as file:
                    data = file.read(LARGEST)
            except OSError:
                return ""
            path = places.asset(key, name, asset.note, data)
        if path:
            self.made.append(Attachment(key, source, path))
        return path
