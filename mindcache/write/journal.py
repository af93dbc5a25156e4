"""The journal: an entry goes to the end of its day's note, and nothing else changes.

Owns which note is a day's, that it is never somebody's own, and that an entry stands
in it whole and readable or not at all. The form of an entry is `journal`'s.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from mindcache import journal, text, when
from mindcache.config import Settings
from mindcache.errors import (
    ChangedMeanwhile,
    ConfigError,
    Problem,
    Refused,
    UsageError,
)
from mindcache.note import Note, parse
from mindcache.redact import redact
from mindcache.sync import held_reason
from mindcache.vault import Names, Obsidian, Vault

__all__ = ["Appended", "Diary", "Draft", "append", "compose", "moment_in"]

# How often an entry is put together anew because somebody saved the note meanwhile.
_TRIES = 10

_NOT_IN_PROJECTS = re.compile(r"[\[\]\n]")
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Draft:
    """What is to be written: tidy text, a civil minute, a project, links as written.

    `redacted` are the kinds of secrets that were taken out, and how many.
    """

    text: str
    at: datetime
    project: str = ""
    links: tuple[str, ...] = ()
    redacted: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Appended:
    """An entry that was written: in which note, and on which line it begins.

    `held` is why the note, whole as it is, isn't searched at present; `redacted` as
    for `Draft`.
    """

    entry: journal.Entry
    path: str
    line: int
    at: datetime
    held: Problem | None = None
    redacted: tuple[tuple[str, int], ...] = ()


def compose(
    words: str,
    at: datetime,
    *,
    further: Sequence[str] = (),
    project: str = "",
    links: Sequence[str] = (),
) -> Draft:
    """A draft of what a caller wants to have written, each of `further` on own lines.

    Raises UsageError when there is no text, or none that can be written.
    """
    clean = redact("\n".join((words, *map(journal.tidy, further))))
    written = journal.tidy(clean.text)
    if not written:
        raise UsageError("the entry has no text", mend="say what happened")
    try:
        f"{written}{project}".encode()
    except UnicodeEncodeError as error:
        raise UsageError("the text is not valid UTF-8", mend="mend it") from error
    named = journal.tidy(project)
    if _NOT_IN_PROJECTS.search(named):
        raise UsageError(
            f"a project can't be called {named!r}",
            mend="leave out brackets and line ends",
        )
    return Draft(written, at, named, tuple(links), clean.found)


def moment_in(span: when.Interval, now: datetime) -> datetime:
    """The minute that a time given by flag means for an entry.

    Of a day it is the one that the clock shows now. Raises UsageError for what is
    longer.
    """
    if span.precise:
        return span.start
    if span.end - span.start <= _DAY:
        return datetime.combine(span.start.date(), now.time())
    raise UsageError("an entry belongs to one day", mend='such as "yesterday at 23:30"')


@dataclass(frozen=True, slots=True)
class Diary:
    """Where the journal's notes lie, and how its owner's own daily notes are called."""

    folder: str
    daily: Obsidian
    size_cap: int

    @classmethod
    def of(cls, vault: Vault, settings: Settings, daily: Obsidian) -> Diary:
        """The journal of this vault. Raises ConfigError for a folder without notes."""
        given = settings.text("journal.folder").strip().split("/")
        parts = [part for part in given if part not in {"", "."}]
        folder = "/".join(parts)
        left_out = vault.folders_left_out()
        above = ("/".join(parts[: n + 1]) + "/" for n in range(len(parts)))
        if ".." in parts or any(left_out(each) for each in above):
            raise ConfigError(
                f"journal.folder {folder!r} is no folder in which notes are found",
                mend="name another in .mindcache/config.toml",
            )
        spelled = _as_on_disk(Names(vault.root), folder)
        return cls(spelled, daily, settings.number("size_cap"))

    def paths(self, day: date) -> list[str]:
        """The paths that the journal of a day may have, the first one first."""
        names = [day.isoformat(), f"{day.isoformat()} journal"]
        if self._is_theirs(day):
            del names[0]
        head = f"{self.folder}/" if self.folder else ""
        return [f"{head}{name}.md" for name in names]

    def _is_theirs(self, day: date) -> bool:
        """Whether a note called just like the day is, or hides, its owner's daily note.

        Of notes of one name a link means the one with the shortest path.
        """
        head, _, tail = self.daily.daily_format.strip("/").rpartition("/")
        named = when.daily_pattern(tail).search(day.isoformat())
        found = when.date_of_daily(named) if named else None
        if found is None or found.start.date() != day:
            return False
        theirs = "/".join(filter(None, (self.daily.daily_folder.strip("/"), head)))
        return len(theirs) >= len(self.folder)


def _as_on_disk(names: Names, folder: str) -> str:
    """A folder spelled as it is there: `Journal` serves a vault that has that."""
    while folder and (twin := names.twin(folder)):
        parts = folder.split("/")
        folder = "/".join((twin, *parts[twin.count("/") + 1 :]))
    return folder


def append(
    vault: Vault,
    diary: Diary,
    draft: Draft,
    now: datetime,
    draw: Callable[[int], int] = secrets.randbelow,
) -> Appended:
    """Write an entry to the end of its day's note, which is made when there is none.

    The caller is alone in writing (`App.writing`); who isn't one of us may save the
    note meanwhile, and is not written over. `draw(n)` gives a number below n. Raises
    Refused when the entry would not stand there as one, and what `Vault.replace` and
    `Vault.create` raise.
    """
    for number in range(1, _TRIES + 1):
        path, before = _day_note(vault, diary, draft.at.date())
        entry, after = _with_entry(path, before, draft, now, draw)
        if len(after) > diary.size_cap:
            raise Refused(
                f"{path} would grow past size_cap ({diary.size_cap:,} bytes)",
                mend="raise size_cap in .mindcache/config.toml, or write less",
            )
        try:
            if before is None:
                vault.create(path, after)
            else:
                vault.replace(path, after, before)
        except ChangedMeanwhile:
            if number == _TRIES:
                raise
        except Refused:
            if before is not None or not vault.exists(path) or number == _TRIES:
                raise
        else:
            note = parse(path, after)
            line = next(b.line for b in note.blocks if b.id == entry.id)
            held = held_reason(note)
            return Appended(entry, path, line, draft.at, held, draft.redacted)
    raise AssertionError  # the last try returns or raises


def _day_note(vault: Vault, diary: Diary, day: date) -> tuple[str, bytes | None]:
    """The path of a day's note and its bytes, None when it isn't there yet."""
    paths = diary.paths(day)
    for path in paths:
        try:
            data, _ = vault.read(path, diary.size_cap)
        except FileNotFoundError:
            return path, None
        except OSError as error:
            raise Refused(f"{path} can't be read: {error.strerror}") from error
        if data is None:
            raise Refused(
                f"{path} is larger than size_cap ({diary.size_cap:,} bytes)",
                mend="raise size_cap in .mindcache/config.toml",
            )
        kind = parse(path, data).properties.get("type")
        if isinstance(kind, str) and kind.strip().casefold() == "journal":
            return path, data
    raise Refused(
        f"{' and '.join(paths)}: not the journal's, it would need type: journal",
        mend="name another folder by journal.folder in .mindcache/config.toml",
    )


def _with_entry(
    path: str,
    before: bytes | None,
    draft: Draft,
    now: datetime,
    draw: Callable[[int], int],
) -> tuple[journal.Entry, bytes]:
    """The entry as it will be called, and the note's bytes with it at their end."""
    if before is None:
        head = f"---\ntype: journal\ndate: {draft.at.date().isoformat()}\n---\n"
        before = head.encode()
    note = parse(path, before)
    taken = {block.id for block in note.blocks}
    entry = journal.Entry(
        journal.draw_id(now, draw),
        f"{draft.at:%H:%M}",
        draft.text,
        draft.project,
        draft.links,
    )
    while entry.id in taken:
        entry = entry._replace(id=journal.draw_id(now, draw))
    newline = note.encoding.newline
    lines = "".join(line + newline for line in journal.render(entry))
    gap = "" if not note.text or note.text.endswith(("\n", "\r")) else newline
    # What stands last may take in the line that follows it, as a table does.
    for between in (gap, gap + newline):
        after = before + _encoded(note, between + lines)
        if entry in _entries(parse(path, after)):
            return entry, after
    raise Refused(
        f"{path}: an entry at its end would not be read as one",
        mend="close the code block, formula or comment that is left open in it",
    )


def _entries(note: Note) -> list[journal.Entry | None]:
    return [
        journal.parse(chunk.text, chunk.anchor.removeprefix("^"))
        for chunk in text.chunk(note)
    ]


def _encoded(note: Note, added: str) -> bytes:
    try:
        return added.encode(note.encoding.name)
    except UnicodeEncodeError as error:
        raise Refused(
            f"{note.path} is stored as {note.encoding.name}, which lacks"
            f" {added[error.start]!r}",
            mend="save the file as UTF-8",
        ) from error
