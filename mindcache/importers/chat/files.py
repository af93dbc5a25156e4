"""The files of an export, wherever they lie: alone, in a folder, in an archive.

Owns opening and decoding. Nothing is ever unpacked to disk, so that a name in an
archive is only a name; what would unpack to more than a chat can be is refused.
"""

from __future__ import annotations

import codecs
import lzma
import os
import stat
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from mindcache.errors import Problem
from mindcache.importers.item import Source
from mindcache.importers.prose import one_line

__all__ = ["File", "Text", "files_of", "lines_of"]

ENDINGS = (".json", ".jsonl", ".txt")

# Text packs to a tenth, and very dull text to a fiftieth; what unpacks to more than
# this many times its size was made to fill a disk. Small files may do as they like.
_MOST_RATIO, _SMALL = 200, 16 << 20
# Bytes of an archive's files in all: no chat of a person's life is as large.
_MOST_BYTES = 16 << 30
_MOST_FILES = 200_000
# A line longer than this can't be held in memory along with what it says.
_MOST_LINE = 64 << 20
_CHUNK = 1 << 20

BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    NotImplementedError,  # packed in a way that Python doesn't know
    EOFError,
)
"""What reading a damaged archive raises."""


@dataclass(frozen=True, slots=True)
class File:
    """A file that can be opened: `name` within the export, `shown` in reports."""

    name: str
    shown: str
    open: Callable[[], IO[bytes]]


class Text:
    """A file's text as it comes in.

    `fault` says at which byte it stopped being UTF-8, or UTF-16 where it began so,
    -1 as long as it hasn't. What isn't is replaced.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._head = file.read(2)
        wide = self._head in {b"\xff\xfe", b"\xfe\xff"}
        self._name = "utf-16" if wide else "utf-8-sig"
        self._decoder = codecs.getincrementaldecoder(self._name)("strict")
        self._passed = 0
        self.fault = -1

    def read(self, size: int) -> str:
        """About so many characters, "" at the end."""
        while True:
            data = self._head + self._file.read(max(size, _CHUNK))
            self._head = b""
            state = self._decoder.getstate()
            try:
                text = self._decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                if self.fault < 0:
                    self.fault = self._passed + error.start - len(state[0])
                self._decoder = codecs.getincrementaldecoder(self._name)("replace")
                self._decoder.setstate(state)
                text = self._decoder.decode(data, final=not data)
            self._passed += len(data)
            if text or not data:
                return text

    def problem(self, shown: str) -> Problem | None:
        """What is to be said of characters that were replaced."""
        if self.fault < 0:
            return None
        message = f"not UTF-8 at byte {self.fault:,}; what can't be read is replaced"
        return Problem(shown, 0, "chat-encoding", message, "save it as UTF-8", "error")


def lines_of(read: Callable[[int], str]) -> Iterator[tuple[int, str | None]]:
    """The lines without their ends, numbered from 1; None for one that is too long."""
    held: list[str] = []
    size = 0
    number = 1
    while chunk := read(_CHUNK):
        pieces = chunk.split("\n")
        for place, piece in enumerate(pieces):
            if size <= _MOST_LINE:
                held.append(piece)
            size += len(piece)
            if place < len(pieces) - 1:
                yield number, _joined(held, size)
                held, size = [], 0
                number += 1
    if size:
        yield number, _joined(held, size)


def _joined(held: list[str], size: int) -> str | None:
    return "".join(held).rstrip("\r") if size <= _MOST_LINE else None


@contextmanager
def files_of(source: Source) -> Iterator[tuple[list[File], list[Problem]]]:
    """The files of a source that may hold chats, and what can't be opened.

    Raises OSError when the source can't be read at all, and what `BROKEN` lists for an
    archive of which no file can be found.
    """
    if source.path == "-":
        yield [File("stdin", "stdin", lambda: sys.stdin.buffer)], []
    elif os.path.isdir(source.path):
        yield list(_below(source)), []
    elif not stat.S_ISREG(os.stat(source.path).st_mode):
        message = "not an ordinary file"
        yield [], [Problem(source.name, 0, "chat-file", message, "", "error")]
    elif zipfile.is_zipfile(source.path):
        with zipfile.ZipFile(source.path) as archive:
            yield _packed(source, archive)
    elif _begins_as_archive(source.path):
        raise zipfile.BadZipFile("its end is missing")
    else:
        path = source.path
        yield [File(source.name, source.name, lambda: open(path, "rb"))], []  # noqa: SIM115  who opens it closes it


def _begins_as_archive(path: str) -> bool:
    with open(path, "rb") as file:
        return file.read(4) == b"PK\x03\x04"


def _below(source: Source) -> Iterator[File]:
    for here, folders, names in os.walk(source.path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            path = os.path.join(here, name)
            if name.lower().endswith(ENDINGS) and os.path.isfile(path):
                inner = os.path.relpath(path, source.path).replace(os.sep, "/")
                yield File(inner, f"{source.name}/{inner}", _opener(path))


def _opener(path: str) -> Callable[[], IO[bytes]]:
    return lambda: open(path, "rb")


def _packed(
    source: Source, archive: zipfile.ZipFile
) -> tuple[list[File], list[Problem]]:
    problems: list[Problem] = []

    def refuse(name: str, message: str, mend: str) -> None:
        shown = one_line(f"{source.name}/{name}" if name else source.name)
        problems.append(Problem(shown, 0, "chat-archive", message, mend, "error"))

    infos = archive.infolist()
    if len(infos) > _MOST_FILES:
        refuse("", f"{len(infos):,} files, more than any export has", "unpack it")
        return [], problems
    found: list[File] = []
    total = 0
    for info in sorted(infos, key=lambda each: each.filename):
        name = info.filename
        parts = name.split("/")
        hidden = any(p.startswith(".") and p.strip(".") for p in parts)
        hidden = hidden or parts[0] == "__MACOSX"
        if info.is_dir() or hidden or not name.lower().endswith(ENDINGS):
            continue
        ratio = info.file_size / max(1, info.compress_size)
        total += info.file_size
        if info.flag_bits & 1:
            refuse(name, "it is encrypted", "unpack the archive with its password")
        elif info.file_size > _SMALL and ratio > _MOST_RATIO:
            refuse(
                name, f"unpacks to {ratio:,.0f} times its size", "unpack what you trust"
            )
        elif total > _MOST_BYTES:
            refuse(name, "the archive unpacks to more than any chat", "unpack it")
        else:
            shown = one_line(f"{source.name}/{name}")
            found.append(File(name, shown, _member(archive, info)))
    return found, problems


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Callable[[], IO[bytes]]:
    def opened() -> IO[bytes]:
        try:
            return archive.open(info)
        except (OSError, ValueError) as error:  # it is said to lie outside the archive
            raise zipfile.BadZipFile("it isn't where the archive says") from error

    return opened
