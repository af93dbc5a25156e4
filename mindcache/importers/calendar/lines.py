"""iCalendar text as components of content lines, one after the other.

Reads a stream, so that a large file never lies in memory, and knows the line where
everything stands. What is broken costs itself and nothing else: a line, a component.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import BinaryIO

from mindcache.errors import Problem, Severity
from mindcache.files import open_plain

__all__ = ["Component", "Line", "components", "opened"]

# Bytes of one property with its folds. Only attachments and texts nobody reads to
# the end are longer.
_LONGEST = 65_536
# Lines of one component: more are no event.
_MOST = 5_000

# What is kept of a component. The rest (attachments, alarms, what programs note for
# themselves) is passed over without being read.
KEPT = frozenset(
    {
        "ATTENDEE", "CATEGORIES", "COMPLETED", "CREATED", "DESCRIPTION", "DTEND",
        "DTSTAMP", "DTSTART", "DUE", "DURATION", "EXDATE", "EXRULE", "LAST-MODIFIED",
        "LOCATION", "METHOD", "ORGANIZER", "RDATE", "RECURRENCE-ID", "RRULE",
        "SEQUENCE", "STATUS", "SUMMARY", "TZID", "TZNAME", "TZOFFSETFROM",
        "TZOFFSETTO", "UID", "URL", "X-ALT-DESC", "X-LIC-LOCATION", "X-WR-CALNAME",
        "X-WR-TIMEZONE",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Line:
    """One property: `number` is its line in the file, `value` as it is written."""

    number: int
    name: str
    value: str
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Component:
    """A BEGIN…END: what of its lines is kept, and the components within it."""

    name: str
    number: int
    lines: list[Line] = field(default_factory=list)
    parts: list[Component] = field(default_factory=list)
    size: int = 0

    def first(self, name: str) -> Line | None:
        """The first line of this name."""
        return next((line for line in self.lines if line.name == name), None)

    def all(self, name: str) -> list[Line]:
        """Every line of this name."""
        return [line for line in self.lines if line.name == name]


@contextmanager
def opened(path: str) -> Iterator[BinaryIO]:
    """A file, or stdin for "-", as UTF-8 bytes with LF or CRLF. Raises OSError."""
    if path == "-":
        whole = io.BytesIO(sys.stdin.buffer.read())
        yield _plain(io.BufferedReader(whole))
        return
    # A pipe that a shell made is named there; any other is a trap in a folder.
    is_given = path.startswith(("/dev/fd/", "/dev/stdin"))
    with open(path, "rb") if is_given else open_plain(path) as file:
        yield _plain(file)


def _plain(file: io.BufferedReader) -> BinaryIO:
    head = file.peek(4096)[:4096]
    if head[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        text = file.read().decode("utf-16", "replace")
        return io.BytesIO(text.replace("\r\n", "\n").replace("\r", "\n").encode())
    if b"\r" in head and b"\n" not in head:
        return io.BytesIO(file.read().replace(b"\r", b"\n"))
    return file


def components(file: BinaryIO, name: str) -> Iterator[Component | Problem]:
    """The components of a file as each ends: events, to-dos, zones, and the rest.

    A calendar's own lines come as a component VCALENDAR without parts, at its end, and
    an attachment as one of its own, ATTACH, without its bytes. A component that never ends is lost, and told; so is a line that can't be read.
    """
    yield from _Reading(name).run(file)


class _Reading:
    def __init__(self, name: str) -> None:
        self.name = name
        self.open: list[Component] = []
        self.has_begun = False
        self.number = 0

    def problem(
        self, number: int, code: str, message: str, mend: str, *, lost: bool = False
    ) -> Problem:
        severity: Severity = "error" if lost else "warning"
        return Problem(self.name, number, f"calendar-{code}", message, mend, severity)

    def run(self, file: BinaryIO) -> Iterator[Component | Problem]:
        for number, raw, is_cut in _unfolded(file):
            self.number = number
            yield from self._line(number, raw, is_cut=is_cut)
        for each in self.open:
            if each.name != "VCALENDAR":
                yield self.problem(
                    each.number, "unended", f"the file ends within this {each.name}",
                    "fetch the calendar again", lost=True,
                )  # fmt: skip
        if not self.has_begun:
            yield self.problem(
                0, "none", "no calendar: nothing in it begins with BEGIN:",
                "give a file in the iCalendar format (.ics)", lost=True,
            )  # fmt: skip
        elif self.open and self.open[0].name == "VCALENDAR":
            yield self.problem(
                self.open[0].number, "unended", "the calendar never ends",
                "fetch it again: something may be missing", lost=True,
            )  # fmt: skip

    def _line(
        self, number: int, raw: bytes, *, is_cut: bool
    ) -> Iterator[Component | Problem]:
        head = raw[:64].upper()
        if head.startswith(b"BEGIN:"):
            yield from self._begin(number, _word(raw[6:]))
        elif head.startswith(b"END:"):
            yield from self._end(number, _word(raw[4:]))
        elif self.open and head.startswith(b"ATTACH"):
            yield Component("ATTACH", number)
        elif self.open and _name(raw) in KEPT:
            component = self.open[-1]
            component.size += 1
            if component.size > _MOST:
                return
            if is_cut:
                yield self.problem(
                    number, "long", f"{_name(raw)} is longer than {_LONGEST:,} bytes",
                    "only its beginning is taken",
                )  # fmt: skip
            yield from self._property(component, number, raw)
        elif self.has_begun and raw.strip() and not _looks_right(raw):
            yield self.problem(
                number, "line", f"not a property: {_shown(raw)}",
                "the line is passed over",
            )  # fmt: skip

    def _property(
        self, component: Component, number: int, raw: bytes
    ) -> Iterator[Problem]:
        try:
            component.lines.append(_read(number, _decoded(raw)))
        except ValueError as error:
            yield self.problem(
                number, "line", f"{_name(raw)} can't be read: {error}",
                "the line is passed over",
            )  # fmt: skip

    def _begin(self, number: int, name: str) -> Iterator[Component | Problem]:
        self.has_begun = True
        if name in {"VEVENT", "VTODO", "VCALENDAR"} and self.open:
            # One that never ended is over where the next one of its kind begins.
            inner = [each.name for each in self.open]
            if name in inner:
                at = inner.index(name)
                for each in self.open[at:]:
                    yield self.problem(
                        each.number, "unended", f"this {each.name} has no end",
                        "it is taken to end where the next one begins",
                    )  # fmt: skip
                if name != "VCALENDAR":
                    yield self.open[at]
                del self.open[at:]
        self.open.append(Component(name, number))

    def _end(self, number: int, name: str) -> Iterator[Component | Problem]:
        inner = [each.name for each in self.open]
        if name not in inner:
            yield self.problem(
                number, "line", f"END:{name} ends nothing", "the line is passed over"
            )
            return
        at = len(inner) - 1 - inner[::-1].index(name)
        done = self.open[at]
        del self.open[at:]
        if done.size > _MOST:
            yield self.problem(
                done.number, "large", f"this {name} has more than {_MOST:,} lines",
                "it is left out", lost=True,
            )  # fmt: skip
        elif self.open and self.open[-1].name == "VTIMEZONE":
            self.open[-1].parts.append(done)
        else:
            yield done


def _unfolded(file: BinaryIO) -> Iterator[tuple[int, bytes, bool]]:
    """(line number, a property with its folds joined, whether it was cut).

    Of a property that is not kept, what is beyond the first piece is never held.
    """
    number = first = size = 0
    parts: list[bytes] = []
    at_start = wanted = True  # of a line of the file; whether the rest is kept
    while piece := file.readline(_LONGEST):
        text = piece.rstrip(b"\r\n")
        if at_start:
            number += 1
            if number == 1:
                text = text.removeprefix(b"\xef\xbb\xbf")
            if parts and text[:1] in {b" ", b"\t"}:
                text = text[1:]
            else:
                if parts:
                    yield first, b"".join(parts), wanted and size > _LONGEST
                first, parts, size = number, [], 0
                wanted = _name(text) in KEPT
        if not parts or (wanted and size < _LONGEST):
            parts.append(text[: _LONGEST - size])
        size += len(text)
        at_start = piece.endswith(b"\n")
    if parts:
        yield first, b"".join(parts), wanted and size > _LONGEST


def _word(raw: bytes) -> str:
    return raw.decode("ascii", "replace").strip().upper()[:64]


def _name(raw: bytes) -> str:
    head = raw[:64]
    end = min((at for sign in b":;" if (at := head.find(sign)) >= 0), default=0)
    return head[:end].decode("ascii", "replace").strip().upper()


def _looks_right(raw: bytes) -> bool:
    name = _name(raw)
    return bool(name) and name.replace("-", "").isalnum() and b":" in raw


def _shown(raw: bytes) -> str:
    text = _decoded(raw[:200]).strip()
    return repr(text if len(text) <= 40 else text[:39] + "…")


def _decoded(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        if error.start >= len(raw) - 4 and error.reason == "unexpected end of data":
            return raw[: error.start].decode()  # cut within a character
        return raw.decode("cp1252", "replace")


def _read(number: int, text: str) -> Line:
    """One content line. Raises ValueError."""
    from icalendar.parser import Contentline

    if text.isascii() and ";" not in text.partition(":")[0]:
        name, _, value = text.partition(":")
        return Line(number, name.strip().upper(), value)
    try:
        name, parameters, value = Contentline(text).parts()  # type: ignore[no-untyped-call]
    except (ValueError, AssertionError, LookupError) as error:
        raise ValueError("what stands before its value is malformed") from error
    plain = {str(k).upper(): _joined(v) for k, v in parameters.items()}
    return Line(number, str(name).upper(), str(value), plain)


def _joined(value: object) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return ",".join(map(str, value))
    return str(value)
