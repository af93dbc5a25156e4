"""What an agent gave a tool, read leniently, and told by name where it is wrong. Pure.

Empty values are no values: agents fill in every argument that they are shown. What can
only be meant one way is taken that way (`"5"`, one tag for a list of them); what can't
is an error that names the argument and the nearest right one.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from typing import cast

from mindcache.errors import UsageError
from mindcache.mcp.tools import TOOLS, Argument, Tool

__all__ = ["Given", "read", "tool_called"]

# What the arguments are called by those who know other tools.
_OTHER_NAMES = {
    "query": ("q", "question", "text", "search", "prompt", "keywords"),
    "tags": ("tag", "tag_filter", "labels"),
    "type": ("types", "kind", "note_type"),
    "status": ("statuses", "state"),
    "from": ("start", "since", "after", "from_date", "start_date", "date"),
    "to": ("end", "until", "before", "to_date", "end_date", "target", "goal"),
    "since": ("from", "start", "after"),
    "until": ("to", "end", "before"),
    "location": ("place", "where", "locations"),
    "entity": ("entities", "person", "involves"),
    "project": ("projects", "repo", "repository"),
    "budget": ("tokens", "max_tokens", "token_budget"),
    "limit": ("n", "k", "top_k", "count", "max_results", "max"),
    "floor": ("threshold", "min_score", "score"),
    "name": ("id", "path", "note", "title", "identifier", "permalink", "uri", "node"),
    "line": ("start_line", "from_line", "offset"),
    "text": ("content", "body", "note", "fact", "memory"),
    "set": ("properties", "metadata", "frontmatter", "fields", "assign"),
    "body": ("text", "content", "replace"),
    "append": ("add", "add_text"),
    "outcome": ("status", "result", "verdict"),
    "because": ("reason", "why"),
    "on": ("date", "day", "occurrence"),
    "relation": ("relations", "edge", "relationship"),
}
# Characters of one text. Notes are texts, and none is indexed that is larger; a name, a
# tag or a date is a line, and what is refused is told with its own words.
_LONG = frozenset({"text", "body", "append", "query"})
_MOST, _MOST_LONG = 10_000, 1_000_000
# Texts of a list, or properties: more than anybody means.
_MOST_TEXTS = 1_000
# Larger whole numbers are none of a note's: no database and few programs hold them.
_MOST_NUMBER = 2**63
_TRUE = frozenset({"true", "yes", "1"})
_FALSE = frozenset({"false", "no", "0"})


class Given(dict[str, object]):
    """The arguments that say something, each of its own type."""

    def text(self, name: str) -> str:
        """The text, "" where there is none."""
        return cast("str", self.get(name, ""))

    def texts(self, name: str) -> tuple[str, ...]:
        """The texts, () where there are none."""
        return cast("tuple[str, ...]", self.get(name, ()))

    def whole(self, name: str, default: int) -> int:
        """The whole number, or the default."""
        return cast("int", self.get(name, default))

    def fraction(self, name: str) -> float | None:
        """The number from 0 to 1, None where there is none."""
        return cast("float | None", self.get(name))

    def flag(self, name: str) -> bool:
        """Whether it was said."""
        return bool(self.get(name, False))


def tool_called(name: str) -> Tool:
    """The tool. Raises UsageError naming the nearest."""
    for tool in TOOLS:
        if tool.name == name:
            return tool
    names = [tool.name for tool in TOOLS]
    close = difflib.get_close_matches(name[:40], names, n=1, cutoff=0.6)
    hint = f"did you mean {close[0]}? " if close else ""
    raise UsageError(
        f"no tool is called {name[:40]!r}", mend=f"{hint}one of: {', '.join(names)}"
    )


def read(tool: Tool, given: Mapping[str, object] | None) -> Given:
    """The arguments of a call. Raises UsageError that names every one that is off."""
    known = {argument.name: argument for argument in tool.arguments}
    found = Given()
    wrong: list[str] = []
    for name, value in (given or {}).items():
        argument = known.get(name)
        if _is_empty(value):
            continue
        if argument is None:
            wrong.append(_unknown(name, known))
            continue
        try:
            read_as = _read(argument, value)
        except _WrongValue as error:
            wrong.append(str(error))
            continue
        if not _is_empty(read_as):
            found[name] = read_as
    wrong += [
        f"{argument.name} is missing: {argument.about}"
        for argument in tool.arguments
        if argument.required and argument.name not in {*found, *_named(wrong)}
    ]
    if wrong:
        takes = ", ".join(known) if known else "no arguments"
        raise UsageError(f"{tool.name}: " + "; ".join(wrong), mend=f"it takes {takes}")
    return found


def _named(wrong: Iterable[str]) -> set[str]:
    """The arguments that an error was said of already."""
    return {each.split(" ", 1)[0] for each in wrong}


def _is_empty(value: object) -> bool:
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, (list, tuple)):
        return all(_is_empty(each) for each in value)
    return value is None or value == {}


def _unknown(name: str, known: Iterable[str]) -> str:
    near = _nearest(name, known)
    hint = f", did you mean {near}?" if near else ""
    return f"there is no argument {name[:40]!r}{hint}"


def _nearest(name: str, known: Iterable[str]) -> str:
    """The argument that was meant, "" where none is near."""
    names = list(known)
    folded = name.casefold().replace("-", "_").strip("_")
    if folded in names:
        return folded
    for own in names:
        if folded in _OTHER_NAMES.get(own, ()):
            return own
    close = difflib.get_close_matches(folded, names, n=1, cutoff=0.6)
    if close:
        return close[0]
    return next((own for own in names if len(own) > 2 and own in folded), "")


class _WrongValue(Exception):
    """What is wrong with one argument, in words that name it."""


def _read(argument: Argument, value: object) -> object:
    readers = {
        "text": _text,
        "texts": _texts,
        "whole": _whole,
        "fraction": _fraction,
        "flag": _flag,
        "properties": _properties,
    }
    return readers[argument.kind](argument, value)


def _wrong(argument: Argument, value: object, wanted: str) -> _WrongValue:
    try:
        shown = repr(value)
    except (ValueError, RecursionError):  # a number of 5,000 digits, or a deep list
        shown = type(value).__name__
    shown = shown if len(shown) <= 60 else shown[:60] + "…"
    return _WrongValue(f"{argument.name} is {shown}, not {wanted}")


def _text(argument: Argument, value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        if isinstance(value, (list, tuple)) and len(value) == 1:
            return _text(argument, value[0])
        raise _wrong(argument, value, "a text")
    if isinstance(value, int) and abs(value) >= _MOST_NUMBER:
        raise _wrong(argument, value, "a text")
    text = _encodable(argument, str(value))
    if not argument.choices:
        return text
    wanted = text.strip().casefold()
    if wanted in argument.choices:
        return wanted
    close = difflib.get_close_matches(wanted, argument.choices, n=1, cutoff=0.5)
    hint = f" (did you mean {close[0]}?)" if close else ""
    raise _wrong(argument, value, f"one of {', '.join(argument.choices)}{hint}")


def _encodable(argument: Argument, text: str) -> str:
    most = _MOST_LONG if argument.name in _LONG else _MOST
    if len(text) > most:
        long = f"a text of {most:,} characters at most (it has {len(text):,})"
        raise _wrong(argument, text[:60], long)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _wrong(argument, text, "valid Unicode") from None
    if "\0" in text:
        raise _wrong(argument, text, "a text without NUL")
    return text


def _texts(argument: Argument, value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        # One text for a list: names may hold a comma, tags can't.
        _encodable(argument, value)
        parts = value.split(",") if "tags" in argument.name else [value]
        return tuple(
            _encodable(argument, part.strip()) for part in parts if part.strip()
        )
    if not isinstance(value, (list, tuple)):
        raise _wrong(argument, value, "a list of texts")
    if len(value) > _MOST_TEXTS:
        raise _wrong(argument, value[:3], f"a list of {_MOST_TEXTS:,} texts at most")
    found: list[str] = []
    for each in value:
        if _is_empty(each):
            continue
        if not isinstance(each, str):
            raise _wrong(argument, value, "a list of texts")
        found.append(_encodable(argument, each.strip()))
    return tuple(found)


def _number(argument: Argument, value: object, wanted: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise _wrong(argument, value, wanted)
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise _wrong(argument, value, wanted) from None
    if not math.isfinite(number):
        raise _wrong(argument, value, wanted)
    return number


def _whole(argument: Argument, value: object) -> int:
    wanted = f"a whole number from {argument.low:,} to {argument.high:,}"
    number = _number(argument, value, wanted)
    if number != int(number) or not argument.low <= number <= argument.high:
        raise _wrong(argument, value, wanted)
    return int(number)


def _fraction(argument: Argument, value: object) -> float:
    wanted = "a number from 0 to 1"
    number = _number(argument, value, wanted)
    if not 0 <= number <= 1:
        raise _wrong(argument, value, wanted)
    return number


def _flag(argument: Argument, value: object) -> bool:
    word = str(value).strip().casefold()
    if isinstance(value, (bool, str, int)) and word in _TRUE | _FALSE:
        return word in _TRUE
    raise _wrong(argument, value, "true or false")


def _properties(argument: Argument, value: object) -> dict[str, object]:
    """Properties as a note may hold them: texts, numbers, true, false, lists of these."""
    if not isinstance(value, dict):
        raise _wrong(argument, value, 'an object such as {"status": "archived"}')
    if len(value) > _MOST_TEXTS:
        raise _wrong(argument, {}, f"an object of {_MOST_TEXTS:,} properties at most")
    for key, each in value.items():
        _encodable(argument, str(key))
        flat = each if isinstance(each, list) else [each]
        fits = all(isinstance(one, (str, int, float, bool)) for one in flat)
        if not str(key).strip() or "\n" in str(key) or not fits:
            named = f"{argument.name}.{key}"
            raise _WrongValue(
                f"{named} is no text, number, true, false or list of these"
            )
        if len(flat) > _MOST_TEXTS:
            raise _wrong(argument, flat[:3], f"a list of {_MOST_TEXTS:,} at most")
        for one in flat:
            if isinstance(one, str):
                _encodable(argument, one)
            elif isinstance(one, int) and abs(one) >= _MOST_NUMBER:
                raise _wrong(argument, one, "a number that programs can hold")
    return {str(key).strip(): each for key, each in value.items()}
