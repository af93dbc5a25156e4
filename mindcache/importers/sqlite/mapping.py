"""Which column becomes what of a note; kept as TOML. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mindcache.errors import UsageError

__all__ = ["Chosen", "from_toml", "parsed", "to_toml"]

# What a row can say of its note by these words; any other is a property's name.
_TARGET = re.compile(r"[^\W\d][\w -]*")
# Properties that every import writes itself.
_OURS = frozenset({"id", "source_type", "source_id", "source_path"})


@dataclass(frozen=True, slots=True)
class Chosen:
    """A table or a query, and its columns by what they become.

    `title`, `body`, `when`, `key`, `tags` and `type` mean the note; any other word is
    the property that the column goes into.
    """

    table: str = ""
    query: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)


def parsed(words: Sequence[str]) -> dict[str, str]:
    """`title=name,body=text` as a mapping. Raises UsageError."""
    return _checked(
        [part.partition("=") for word in words for part in word.split(",") if part]
    )


def _checked(pairs: Iterable[tuple[str, str, str]]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, sign, column in pairs:
        target = name.strip()
        if not sign or not column.strip() or not _TARGET.fullmatch(target):
            raise UsageError(
                f"--map {name}{sign}{column} is no mapping",
                mend="write title=COLUMN,body=COLUMN",
            )
        if target in _OURS:
            raise UsageError(
                f"--map {target}: that property is the import's own",
                mend="choose another name",
            )
        if target in found:
            raise UsageError(f"--map {target} is given twice", mend="give it once")
        found[target] = column.strip()
    return found


def to_toml(mapping: Chosen) -> str:
    """The mapping as the text of a file."""
    # A basic string of TOML is one of JSON, but for a sign that nobody uses.
    lines = [
        f"{key} = {_quoted(value)}"
        for key, value in (("table", mapping.table), ("query", mapping.query))
        if value
    ]
    lines += ["", "[map]"]
    lines += [f"{_quoted(k)} = {_quoted(v)}" for k, v in mapping.columns.items()]
    return "\n".join(lines).lstrip("\n") + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def from_toml(text: str, name: str) -> Chosen:
    """The mapping that a file holds. Raises UsageError naming the file."""
    import tomllib

    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{name}: {error}", mend="mend the file") from error
    columns = values.get("map", {})
    texts = [values.get("table", ""), values.get("query", "")]
    is_flat = isinstance(columns, dict) and all(
        isinstance(value, str) for value in columns.values()
    )
    if not is_flat or not all(isinstance(each, str) for each in texts):
        raise UsageError(
            f"{name} is no mapping", mend="write table = … or query = …, and [map]"
        )
    checked = _checked((str(k), "=", str(v)) for k, v in columns.items())
    return Chosen(texts[0], texts[1], checked)
