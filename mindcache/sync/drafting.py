"""From a note to its rows: all that the cache keeps of it, but for its vectors. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from mindcache import journal, text
from mindcache import memory as memories
from mindcache.cache.rows import ChunkValues, EntryValues, NoteRows, Planned
from mindcache.errors import Problem
from mindcache.note import Note
from mindcache.sync.people import People
from mindcache.vault import content_hash

__all__ = ["Draft", "draft", "held_reason"]

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class _Piece:
    chunk: text.Chunk
    embedded: str
    hash: bytes
    traits: int
    subject: str


@dataclass(frozen=True, slots=True)
class Draft:
    """A note on its way into the cache, waiting for its vectors."""

    memory: memories.Memory
    lang: str
    mtime_ns: int
    chunks: tuple[_Piece, ...]
    planned: Planned | None = None

    def rows(self, vectors: Mapping[bytes, bytes]) -> NoteRows:
        """The note's rows, with the vector of each chunk's hash (int8 bytes)."""
        lang = self.lang
        memory = self.memory
        title = " ".join(_terms(" \n ".join((memory.title, *memory.aliases)), lang))
        headings: dict[tuple[str, ...], str] = {}
        chunks: list[ChunkValues] = []
        for place, part in enumerate(self.chunks):
            chunk = part.chunk
            body = text.analyze(chunk.text, lang)
            path = chunk.heading_path
            if path not in headings:
                headings[path] = " ".join(_terms(" \n ".join(path), lang))
            chunks.append(
                ChunkValues(
                    anchor=chunk.anchor,
                    heading=" > ".join(path),
                    line_start=chunk.line_start,
                    line_end=chunk.line_end,
                    hash=part.hash,
                    length=len(body),
                    traits=part.traits,
                    subject=part.subject,
                    text=chunk.text,
                    vector=vectors[part.hash],
                    body=" ".join(body),
                    heading_terms=headings[path],
                    title_terms=title,
                    words_terms=" ".join(_terms(memory.words, lang))
                    if not place
                    else "",
                )
            )
        mtime = self.mtime_ns / 1e9
        return NoteRows(
            memory, tuple(chunks), lang, mtime, self._entries(), self.planned
        )

    def _entries(self) -> dict[int, EntryValues]:
        """The entries among the chunks of a day's journal, by their place."""
        day = self.memory.date
        if self.memory.type != "journal" or day is None or day.end - day.start != _DAY:
            return {}
        found: dict[int, EntryValues] = {}
        for place, part in enumerate(self.chunks):
            block = part.chunk.anchor.removeprefix("^")
            entry = journal.parse(part.chunk.text, block)
            if entry is not None:
                at = f"{day.start.date().isoformat()}T{entry.time}:00"
                found[place] = EntryValues(block, at, entry.project)
        return found


def _terms(value: str, lang: str) -> list[str]:
    return text.analyze(value, lang) if value else []


def draft(note: Note, what: memories.Meaning, mtime_ns: int) -> Draft:
    """Everything that the cache will keep of a note but its vectors. Pure."""
    chunks = text.chunk(note)
    memory = memories.describe(note, what)
    given = note.properties.get("lang")
    lang = (
        given if isinstance(given, str) and given else text.detect_language(note.body)
    )
    people = People(memory, note.body)
    drafts = []
    above: tuple[str, ...] | None = None
    for chunk in chunks:
        embedded = people.without_names(memories.plain_text(chunk.text))
        traits = text.traits_of(embedded, continues=chunk.heading_path == above)
        above = chunk.heading_path
        if not embedded:
            embedded = memory.words or memory.title
        digest = content_hash(embedded.encode())
        subject = people.subject(chunk.text)
        drafts.append(_Piece(chunk, embedded, digest, traits, subject))
    return Draft(memory, lang, mtime_ns, tuple(drafts))


def held_reason(note: Note) -> Problem | None:
    """Why a note is kept apart and not searched until it is mended, or None."""
    original = memories.conflict_copy_of(note.path)
    if original:
        message = f"a sync program's conflict copy of {original}"
        mend = "mindcache doctor conflicts shows both; or merge by hand and delete the copy"
        return Problem(note.path, 0, "conflict-copy", message, mend)
    if note.conflict_line:
        message = "git conflict markers; the note is not searched until they are gone"
        mend = "settle the conflict and delete the marker lines"
        return Problem(note.path, note.conflict_line, "git-conflict", message, mend)
    return None
