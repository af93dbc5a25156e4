r"""JSON read piece by piece, so that a file need not fit into memory. Pure.

Owns how a long array or object is walked value by value, how a broken value is
stepped over, and the repair of escapes that no JSON has (`\xHH`, which Telegram
writes). What the values mean is the formats' affair.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

__all__ = ["Fault", "Values", "keys_of", "repaired"]

# Characters that are read at once.
_CHUNK = 1 << 20
# Characters of one value: what is parsed needs several times as much memory.
_MOST = 64 << 20
# An error this near to the end of what was read may be the end's, not the value's.
_NEAR = 12

_SPACE = re.compile("[ \t\r\n\ufeff]*")
_STRUCTURE = re.compile(r'["{}\[\]]')
_IN_STRING = re.compile(r'["\\]')
_SCALAR_END = re.compile(r"[\s,\]}]")
_ESCAPE = re.compile(r'\\(?:(["\\/bfnrt]|u[0-9A-Fa-f]{4})|x([0-9A-Fa-f]{2})|())')
_TORN_ESCAPE = re.compile(r"(?<!\\)(?:\\\\)*(\\(?:x[0-9A-Fa-f]?|u[0-9A-Fa-f]{0,3})?)$")
_DECODER = json.JSONDecoder(strict=False)


class Fault(NamedTuple):
    """What is wrong in a line; `is_end` when nothing can be read after it."""

    line: int
    message: str
    is_end: bool = False


class _Broken(Exception):
    """A value that can't be read, with what is wrong."""


class Values:
    """A JSON text as it comes in. `read` gives up to so many characters, "" at the end."""

    def __init__(self, read: Callable[[int], str], most: int = _MOST) -> None:
        self._read = read
        self._most = most
        self._buffer = ""
        self._at = 0
        self._line = 1
        self._passed = 0
        self._ended = False
        self._repairs = False
        self._torn = ""
        self._torn_at = 0

    # -- walking ---------------------------------------------------------

    @property
    def line(self) -> int:
        """The line, from 1, that comes next."""
        return self._line + self._buffer.count("\n", 0, self._at)

    def peek(self) -> str:
        """The next character that isn't space, "" at the end."""
        while True:
            found = _SPACE.match(self._buffer, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._buffer):
                return self._buffer[self._at]
            if not self._fill():
                return ""

    def items(self) -> Iterator[tuple[int, Any]]:
        """Each item of the array that comes next, with its line.

        One that can't be read is a `Fault`; the last one may be the file's end.
        """
        for line in self.places():
            found = self.value()
            yield line, found
            if isinstance(found, Fault) and found.is_end:
                return
        if not self.peek() and self._torn_at:
            yield (
                self._torn_at,
                Fault(self._torn_at, "it ends in the middle", is_end=True),
            )

    def places(self) -> Iterator[int]:
        """The line of each item of the array that comes next.

        The caller reads the item; what it leaves is skipped.
        """
        self._step("[")
        while (sign := self.peek()) != "]":
            if not sign:
                self._torn_at = self.line
                return
            if sign == ",":
                self._at += 1
                continue
            before = self._passed + self._at
            yield self.line
            if self._passed + self._at == before and not self.skip():
                self._torn_at = self.line
                return
        self._at += 1

    def members(self) -> Iterator[str | Fault]:
        """Each key of the object that comes next; what the caller leaves is skipped."""
        self._step("{")
        while (sign := self.peek()) != "}":
            if sign == ",":
                self._at += 1
                continue
            key = self.value() if sign == '"' else None
            if not isinstance(key, str) or self.peek() != ":":
                yield Fault(self.line, "it ends, or breaks, in the middle", is_end=True)
                return
            self._at += 1
            before = self._passed + self._at
            yield key
            if self._passed + self._at == before and not self.skip():
                yield Fault(self.line, "it ends in the middle", is_end=True)
                return
        self._at += 1

    def value(self) -> Any:  # noqa: ANN401  JSON is anything
        """The value that comes next, whole; a `Fault` when it can't be read."""
        self.peek()
        line = self.line
        try:
            return self._value()
        except _Broken as broken:
            if self.skip():
                return Fault(line, str(broken))
            return Fault(line, "it ends in the middle", is_end=True)

    def skip(self) -> bool:
        """Step over the value that comes next; whether it had an end."""
        sign = self.peek()
        if sign not in {"{", "[", '"'}:
            self._at += 1 if sign else 0  # a stray bracket ends nothing, and is passed
            return self._find(_SCALAR_END) is not None
        depth = 0
        while True:
            found = self._find(_STRUCTURE)
            if found is None:
                return False
            self._at += 1
            if found == '"':
                if not self._skip_string():
                    return False
            else:
                depth += 1 if found in "{[" else -1
            if depth <= 0:
                return True

    # -- reading ---------------------------------------------------------

    def _step(self, sign: str) -> None:
        if self.peek() == sign:
            self._at += 1

    def _value(self) -> Any:  # noqa: ANN401  JSON is anything
        while True:
            try:
                value, end = _DECODER.raw_decode(self._buffer, self._at)
            except json.JSONDecodeError as error:
                self._go_on(error)
                continue
            except RecursionError:
                raise _Broken("it is nested too deeply") from None
            except ValueError:  # a number of thousands of digits
                raise _Broken("a number in it is too long") from None
            # A number at the end of what was read may go on.
            if end == len(self._buffer) and self._fill():
                continue
            self._at = end
            return value

    def _go_on(self, error: json.JSONDecodeError) -> None:
        """Do what may help against an error; raises _Broken when nothing does."""
        where = self.line + error.doc.count("\n", self._at, error.pos)
        near_end = error.pos >= len(self._buffer) - _NEAR
        if near_end or error.msg.startswith("Unterminated"):
            held = len(self._buffer) - self._at
            if held > self._most:
                raise _Broken(f"it is longer than {self._most >> 20} MB")
            if self._fill(max(_CHUNK, held)):
                return
        if error.msg.startswith("Invalid") and not self._repairs:
            self._repairs = True
            head, tail = self._buffer[: self._at], self._buffer[self._at :]
            self._buffer = head + self._repaired(tail)
            return
        raise _Broken(f"no JSON: {error.msg} (line {where})")

    def _repaired(self, text: str) -> str:
        """The text repaired; an escape that its end cuts waits for what follows."""
        text = self._torn + text
        torn = None if self._ended else _TORN_ESCAPE.search(text)
        self._torn = torn[1] if torn else ""
        return repaired(text[: len(text) - len(self._torn)])

    def _fill(self, wanted: int = _CHUNK) -> bool:
        """Read on; whether there was more. What was passed is let go of."""
        if self._ended:
            return False
        fresh = self._read(wanted)
        self._ended = not fresh
        if self._repairs:
            fresh = self._repaired(fresh)
        self._line = self.line
        self._passed += self._at
        self._buffer = self._buffer[self._at :] + fresh
        self._at = 0
        return not self._ended

    def _find(self, wanted: re.Pattern[str]) -> str | None:
        """Go to what is looked for and give it, None when it doesn't come."""
        while True:
            found = wanted.search(self._buffer, self._at)
            if found:
                self._at = found.start()
                return found[0]
            self._at = len(self._buffer)
            if not self._fill():
                return None

    def _skip_string(self) -> bool:
        while (found := self._find(_IN_STRING)) is not None:
            self._at += 1
            if found == '"':
                return True
            if self._at >= len(self._buffer) and not self._fill():
                return False
            self._at += 1
        return False


def repaired(text: str) -> str:
    r"""JSON whose escapes are valid: `\xHH` becomes `\u00HH`, a stray `\` itself."""
    return _ESCAPE.sub(_valid, text)


def _valid(match: re.Match[str]) -> str:
    if match[1] is not None:
        return match[0]
    return f"\\u00{match[2]}" if match[2] is not None else "\\\\"


def keys_of(head: str) -> tuple[str, frozenset[str]]:
    """How a JSON text begins ("{" or "["), and the keys of its first object so far."""
    found = _SPACE.match(head)
    start = found.end() if found else 0
    sign = head[start : start + 1]
    if sign not in {"{", "["}:
        return "", frozenset()
    keys: set[str] = set()
    depth, at = 0, start
    target = 1 if sign == "{" else 2
    while match := _STRUCTURE.search(head, at):
        at = match.end()
        if match[0] == '"':
            end = _string_end(head, at)
            if end is None:
                break
            rest = _SPACE.match(head, end)
            if depth == target and rest and head[rest.end() : rest.end() + 1] == ":":
                keys.add(head[at : end - 1])
            at = end
        else:
            depth += 1 if match[0] in "{[" else -1
            if depth < target and match[0] == "}":
                break
    return sign, frozenset(keys)


def _string_end(text: str, at: int) -> int | None:
    while match := _IN_STRING.search(text, at):
        at = match.end()
        if match[0] == '"':
            return at
        at += 1
    return None
