"""What every shape is made with: the schema's number, problems and errors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from mindcache.errors import MindcacheError, Problem

__all__ = ["JSON", "SCHEMA", "error", "merged", "moment", "problem", "problems"]

SCHEMA = 1

JSON = dict[str, object]


def problem(value: Problem) -> JSON:
    """`{path, line, code, message, mend, severity}`."""
    return value._asdict()


def problems(values: Iterable[Problem]) -> list[JSON]:
    """Each as `problem` has it."""
    return [problem(value) for value in values]


def error(value: MindcacheError) -> JSON:
    """What went wrong, for a program."""
    shape: JSON = {
        "schema": SCHEMA,
        "error": type(value).__name__,
        "message": value.message,
        "mend": value.mend,
        "exit_code": value.exit_code,
    }
    candidates = getattr(value, "candidates", None)
    return {**shape, "candidates": candidates} if candidates else shape


def merged(*parts: Mapping[str, object]) -> JSON:
    """One object with the schema's number in front."""
    whole: JSON = {"schema": SCHEMA}
    for part in parts:
        whole.update(part)
    return whole


def moment(value: datetime) -> str:
    """A time in ISO form, with seconds only where it has some."""
    return value.isoformat(timespec="seconds" if value.second else "minutes")
