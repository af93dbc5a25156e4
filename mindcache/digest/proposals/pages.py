"""The notes with proposals as they are on disk, and what stands in their boxes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from mindcache.digest.proposals.book import Book, Proposal
from mindcache.digest.proposals.form import (
    Box,
    Verdict,
    boxes_of,
    mentioned,
    settled,
    verdict,
)
from mindcache.errors import MindcacheError
from mindcache.note import Note, edit, parse
from mindcache.vault import Replace
from mindcache.write.ids import derived_id

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["KIND", "Page", "Pages", "look", "page_id", "tidied"]

# The type of these notes.
KIND = "proposal"

# What a box shows of a proposal that was decided: its mark, and what is said of it.
_SHOWN = {
    "applied": ("x", "done"),
    "undone": ("-", "undone"),
    "rejected": ("-", ""),
    "moot": ("-", "no longer needed"),
    "stale": (">", "the notes were changed before"),
}


@dataclass(frozen=True, slots=True)
class Page:
    """One note with proposals; `why` says what keeps it from being read as one."""

    path: str
    data: bytes = b""
    note: Note | None = None
    boxes: tuple[Box, ...] = ()
    ids: frozenset[str] = frozenset()
    why: str = ""

    @property
    def id(self) -> str:
        """What it says is its id."""
        return str(self.note.properties.get("id") or "") if self.note else ""


def page_id(path: str, day: str) -> str:
    """The id of the note that was made at this path on this day."""
    return derived_id(datetime.fromisoformat(day), KIND, path)


@dataclass(frozen=True, slots=True)
class Pages:
    """All of them, by path."""

    of: Mapping[str, Page] = field(default_factory=dict)

    def home(self, proposal: Proposal) -> Page | None:
        """The page that a proposal stands on, wherever it was moved.

        That is the note that was made for it; what a copy of it says decides nothing.
        """
        own = page_id(proposal.page, proposal.at[:10])
        found = [
            page
            for page in self.of.values()
            if proposal.id in page.ids
            and (page.path == proposal.page or page.id == own)
        ]
        found.sort(key=lambda page: (page.path != proposal.page, page.path))
        return found[0] if found else None

    def verdict(self, proposal: Proposal) -> Verdict:
        """What a person made of it. One that was never shown is open."""
        page = self.home(proposal)
        if page is None:
            known = self.of.get(proposal.page)
            if known is not None and known.why:
                return Verdict("unclear", why=known.why)
            if proposal.state == "proposed":
                return Verdict("open")
            gone = f"{proposal.page} is gone"
            why = gone if known is None else "its line was deleted"
            return Verdict("gone", why=why)
        if page.why:
            return Verdict("unclear", why=page.why)
        boxes = [box for box in page.boxes if box.id == proposal.id]
        return verdict(boxes, is_mentioned=True)

    def line(self, proposal: Proposal) -> int:
        """The line of its box, 0 where there is none."""
        page = self.home(proposal)
        boxes = page.boxes if page is not None else ()
        return next((box.line for box in boxes if box.id == proposal.id), 0)


def look(app: App, book: Book, *, only_open: bool = False) -> Pages:
    """The pages of a vault as they are right now.

    They are the notes of type proposal (with `only_open` those with something to
    decide), and whatever lies where one was made. What was taken out, and stands there
    again, is open again in the book.
    """
    reader = app.reader()
    wanted = [p for p in book.of.values() if p.is_undecided or not only_open]
    if not wanted:
        return Pages()
    where = "n.type = ? AND n.status != 'archived'" if only_open else "n.type = ?"
    paths = {n.path for n in reader.nodes(reader.where(where, [KIND]))}
    paths |= {p.page for p in wanted if app.vault.exists(p.page)}
    pages = {path: _page(app, path) for path in sorted(paths)}
    found = Pages(pages)
    if any(p.is_open and found.home(p) is None for p in wanted):
        # One whose properties can't be read looks like a note of a person's.
        broken = {p.path for p in reader.problems() if p.code.startswith("frontmatter")}
        for path in sorted(broken - pages.keys()):
            page = _page(app, path)
            if page.ids:
                pages[path] = page
    for proposal in wanted:
        if proposal.is_absent and found.verdict(proposal).what in ("open", "yes"):
            book.of[proposal.id] = replace(proposal, state="shown", why="")
    return found


def _page(app: App, path: str) -> Page:
    try:
        data, note, _ = app.look(path)
    except OSError as error:
        return Page(path, why=f"{path} can't be read: {error.strerror}")
    except MindcacheError as error:
        return Page(path, why=str(error))
    ids = frozenset(mentioned(note.text))
    why = ""
    if note.conflict_line:
        why = f"{path} has git's conflict markers in it"
    elif note.encoding.name != "utf-8":
        why = f"{path} is not UTF-8"
    return Page(path, data, note, tuple(boxes_of(note)), ids, why)


def tidied(book: Book, pages: Iterable[Page], growing: str = "") -> list[Replace]:
    """The pages on which boxes show less than was done, as they shall be.

    A page with nothing left to decide is archived, but for the one that is `growing`,
    and left alone from then on, unless something is taken back.
    """
    found = []
    for page in pages:
        if page.note is None or page.why:
            continue
        is_archived = page.note.properties.get("status") == "archived"
        if is_archived and not any(
            box.is_ticked and box.id in book.of and book.of[box.id].state == "undone"
            for box in page.boxes
        ):
            continue
        data = _tidied(book, page, page.note, may_end=page.path != growing)
        if data != page.data:
            found.append(Replace(page.path, data, page.data))
    return found


def _tidied(book: Book, page: Page, note: Note, *, may_end: bool) -> bytes:
    marks: dict[int, tuple[str, str]] = {}
    for box in page.boxes:
        proposal = book.of.get(box.id)
        shown = _SHOWN.get(proposal.state) if proposal is not None else None
        if proposal is None or shown is None:
            continue
        mark, word = shown
        day = proposal.since[:10]
        words = f"{word} {day}" if word else ""
        if proposal.state == "stale":
            words = f"{word}; proposed anew where need be"
        if proposal.state == "applied" and box.choice not in ("", proposal.why):
            mark, words = "-", ""
        if proposal.state == "applied" and box.is_ticked:
            mark = box.mark
        marks[box.line] = (mark, words)
    text = settled(note.text, marks)
    bom = b"\xef\xbb\xbf" if note.encoding.bom else b""
    data = bom + text.encode("utf-8", "surrogatepass")
    known = [book.of[i] for i in page.ids if i in book.of]
    is_done = (
        may_end
        and bool(known)
        and not any(p.is_open or p.state == "applying" for p in known)
    )
    head = parse(page.path, data).frontmatter
    if is_done and head is not None and head.error is None:
        data = edit(data, {"status": "archived"})
    return data
