"""What lies in a folder of Markdown, or beside a single note."""

from __future__ import annotations

import hashlib
import os
import posixpath
import re
from collections import Counter
from dataclasses import dataclass, field

from mindcache.errors import Problem
from mindcache.filenames import is_note, is_passing, safe_stem
from mindcache.importers.item import Source
from mindcache.importers.markdown.docs import Doc, is_markdown
from mindcache.note import decode, parse
from mindcache.plain import first_sentence
from mindcache.recall.own import LAID_DOWN, REPORT_ID
from mindcache.vault import Vault, content_hash

__all__ = ["Folder", "beside", "doc_of", "in_folder", "page_of"]

# Bytes of the longest file that is read: a text, cut up, is no longer than this.
_LONGEST = 64_000_000

# A proposal's box, known by its block id.
_BOX = re.compile(r"^- \[.\] .*\^p-[0-9a-z]{10}", re.MULTILINE)

_CONFIG = "logseq/config.edn"


@dataclass(slots=True)
class Folder:
    """What lies in a folder, by paths below it."""

    root: str
    notes: list[str] = field(default_factory=list)
    assets: list[str] = field(default_factory=list)
    left: Counter[tuple[str, str]] = field(default_factory=Counter)

    @property
    def is_logseq(self) -> bool:
        """Whether it is a graph of Logseq's, by its settings or by its folders."""
        folders = {path.partition("/")[0] for path in self.notes}
        has_settings = bool(self.root) and _is_logseq(self.root)
        return has_settings or {"pages", "journals"} <= folders

    def config(self) -> str:
        """The text of Logseq's settings, "" without any."""
        try:
            with open(os.path.join(self.root, _CONFIG), "rb") as file:
                return decode(file.read(1_000_000)).text
        except OSError:
            return ""


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
    if path == "-":
        return _nameless(decoded.text, key), problem
    plain = path
    if plain.lower().endswith(".markdown"):
        plain = plain[: -len(".markdown")] + ".md"
    return Doc(plain, decoded.text, key, key, key), problem


def _nameless(text: str, source: str) -> Doc:
    """A text without a file: it is known by its words, and called by the first."""
    note = parse("", text.encode())
    first = note.headings[0].text if note.headings else first_sentence(note.body)
    digest = hashlib.blake2b(text.encode(), digest_size=6).hexdigest()
    name = f"{safe_stem(first) or 'note'}.md"
    return Doc(name, text, f"{source}/{digest}", source, source)


def in_folder(root: str) -> Folder:
    """Notes and other files of a folder, hidden ones and links to elsewhere left out."""
    found = Folder(root)
    for here, folders, names in os.walk(root):
        inside = os.path.relpath(here, root).replace(os.sep, "/")
        prefix = "" if inside == "." else f"{inside}/"
        kept = []
        for name in sorted(n for n in folders if not n.startswith(".")):
            if reason := _left_out(root, prefix + name):
                found.left[reason] += 1
            else:
                kept.append(name)
        folders[:] = kept
        for name in sorted(n for n in names if not is_passing(n)):
            if os.path.islink(os.path.join(here, name)):
                found.left[_LINK] += 1
            elif not os.path.isfile(os.path.join(here, name)):
                found.left["pipe or device", "it is no file"] += 1
            elif is_markdown(name):
                found.notes.append(prefix + name)
            elif name.lower().endswith(".org"):
                found.left["org file", "only Markdown is read"] += 1
            else:
                found.assets.append(prefix + name)
    if os.path.isdir(os.path.join(root, ".mindcache")):
        _leave_ignored(found)
    return found


def _leave_ignored(found: Folder) -> None:
    """Leave out what a vault of Mindcache doesn't take for notes itself."""
    met = Vault(found.root).look(found.notes).notes
    kept = [path for path in found.notes if path in met or not is_note(path)]
    if ignored := len(found.notes) - len(kept):
        found.left["ignored note", "that vault's .mindcacheignore names it"] += ignored
    found.notes = kept


def page_of(found: Folder, doc: Doc) -> tuple[str, str] | None:
    """What a note is that a vault of Mindcache keeps for itself, and why it stays there.

    None for a person's, and for one that a person changed.
    """
    if not os.path.isdir(os.path.join(found.root, ".mindcache")):
        return None
    kind = parse(doc.path, doc.text.encode("utf-8", "replace")).properties
    laid_down = f"x'{content_hash(doc.text.encode('utf-8', 'replace')).hex()}'"
    if kind.get("type") == "proposal" and _BOX.search(doc.text):
        return "page of proposals", "they are about that vault's notes"
    if kind.get("id") == REPORT_ID or laid_down in LAID_DOWN:
        return "page of Mindcache's own", "each vault has its own"
    return None


_LINK = ("symbolic link", "it may lead anywhere")


def _left_out(root: str, path: str) -> tuple[str, str] | None:
    """What a folder is that is not looked into, and why."""
    full = os.path.join(root, path)
    if path == "logseq" and _is_logseq(root):
        return "folder logseq/", "settings and copies of Logseq's own"
    if os.path.islink(full):
        return _LINK
    if os.path.isdir(os.path.join(full, ".mindcache")):
        return "vault", "it is one of Mindcache's already"
    return None


def _is_logseq(root: str) -> bool:
    return os.path.isfile(os.path.join(root, _CONFIG))


def beside(path: str) -> Folder:
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
    found = Folder(root, [inside])
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
