"""Properties as the lines Obsidian would write for them.

Block lists with an indent of two, double quotes only where a reader of YAML 1.1 or
1.2 would take the bare text for something else, no folded lines. Dates stay bare.
Nothing here reads YAML.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from mindcache.errors import EditRefused
from mindcache.lazy import regex
from mindcache.note.types import Property

__all__ = [
    "MAX_DIGITS",
    "emit",
    "emit_flow_scalar",
    "emit_list_item",
    "emit_property",
    "emit_scalar",
]

# Longer integers don't fit the 64 bits of the cache, nor Obsidian's numbers; written
# in a note they are read as text.
MAX_DIGITS = 18
# Civil dates and times, in the forms Obsidian stores them. YAML 1.1 would make
# dates of them, which is what they are.
_DATE = regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?")
# Anything that YAML 1.1 or 1.2, or a lax reader of either, may take for a number.
_NUMBER = regex(
    r"[-+]?(?:0[box][0-9a-f_]+"
    r"|[0-9][0-9_,]*(?:\.[0-9_]*)?(?:e[-+]?[0-9]+)?"
    r"|\.[0-9_]+(?:e[-+]?[0-9]+)?"
    r"|[0-9][0-9_]*(?::[0-9]+)+(?:\.[0-9_]*)?"
    r"|\.(?:inf|nan))",
    re.IGNORECASE,
)
# A full time stamp of YAML 1.1 that is not one of Obsidian's forms.
_TIMESTAMP = regex(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt \t].*)?")
_WORDS = frozenset(
    {"~", "null", "true", "false", "yes", "no", "on", "off", "<<", "..."}
)
_FIRST = frozenset("-?:,[]{}#&*!|>'\"%@`=")
# Printable for YAML: everything else is written as an escape.
_NOT_PRINTABLE = "[^\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
_ESCAPES = {
    "\\": "\\\\",
    '"': '\\"',
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\0": "\\0",
}
_ODD = regex(_NOT_PRINTABLE)
_QUOTED = regex(f'["\\\\]|{_NOT_PRINTABLE}')
_FLOW = regex(r"[,\[\]{}]")


def emit(properties: Mapping[str, Property], body: str, newline: str = "\n") -> str:
    """A whole new note: `properties` between fences, then `body`.

    Every line end becomes `newline`; without properties the note is the body alone.
    Raises EditRefused for a value that no property can hold (NaN, a lone surrogate).
    """
    lines = [line for item in properties.items() for line in emit_property(*item)]
    head = "".join(line + "\n" for line in ("---", *lines, "---")) if lines else ""
    text = head + body.replace("\r\n", "\n").replace("\r", "\n")
    return text if newline == "\n" else text.replace("\n", newline)


def emit_property(key: str, value: Property) -> list[str]:
    """The lines of one property, without line ends."""
    return list(_entry(key, value, ""))


def emit_list_item(value: Property, indent: str) -> list[str]:
    """The lines of one item of a block list whose dashes stand after `indent`."""
    return list(_item(value, indent))


def emit_scalar(value: Property) -> str:
    """A value that fits on the key's own line: a scalar, `[]` or `{}`."""
    if isinstance(value, str):
        return _text(value)
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, list):
        return "[]"
    if isinstance(value, dict):
        return "{}"
    raise TypeError(f"a property can't hold a {type(value).__name__}")


def emit_flow_scalar(value: Property) -> str:
    """Like `emit_scalar`, for an item of a list written as `[a, b]`."""
    plain = emit_scalar(value)
    if isinstance(value, str) and plain[0] != '"' and _FLOW.search(plain):
        return _quote(value)
    return plain


def _entry(key: str, value: Property, indent: str) -> Iterator[str]:
    head = f"{indent}{_text(key)}:"
    if value is None:
        yield head
    elif isinstance(value, list) and value:
        yield head
        for item in value:
            yield from _item(item, indent + "  ")
    elif isinstance(value, dict) and value:
        yield head
        for name, inner in value.items():
            yield from _entry(name, inner, indent + "  ")
    else:
        yield f"{head} {emit_scalar(value)}"


def _item(value: Property, indent: str) -> Iterator[str]:
    inner: list[str] = []
    if isinstance(value, list):
        inner = [line for item in value for line in _item(item, indent + "  ")]
    elif isinstance(value, dict):
        inner = [
            line
            for name, nested in value.items()
            for line in _entry(name, nested, indent + "  ")
        ]
    if inner:
        yield f"{indent}- {inner[0][len(indent) + 2 :]}"
        yield from inner[1:]
    else:
        yield f"{indent}- {emit_scalar(value)}"


def _number(value: float) -> str:
    if isinstance(value, int):
        if abs(value) >= 10**MAX_DIGITS:
            raise EditRefused("the number is too long for a property")
        return str(value)
    if not math.isfinite(value):
        raise EditRefused(f"{value} is not a number that a property can hold")
    mantissa, exponent, power = repr(value).partition("e")
    # YAML 1.1 sees a number only where there is a point
    return mantissa + ("" if "." in mantissa else ".0") + exponent + power


def _text(value: str) -> str:
    return value if _may_stand_bare(value) else _quote(value)


def _may_stand_bare(value: str) -> bool:
    if not value or value[0] in _FIRST or value != value.strip() or value[-1] == ":":
        return False
    if ": " in value or " #" in value or "[[" in value or _ODD.search(value):
        return False
    if value.lower() in _WORDS or _NUMBER.fullmatch(value):
        return False
    return bool(_DATE.fullmatch(value)) or not _TIMESTAMP.fullmatch(value)


def _quote(value: str) -> str:
    return f'"{_QUOTED.sub(_escape, value)}"'


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    if char in _ESCAPES:
        return _ESCAPES[char]
    code = ord(char)
    if 0xD800 <= code <= 0xDFFF:
        raise EditRefused("the value holds half a character (a lone surrogate)")
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
