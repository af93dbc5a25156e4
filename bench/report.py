"""The table as people and programs read it, and two of them beside each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.measure import BenchError, Spread
from bench.rows import WHAT, Goal, Row

__all__ = ["SCHEMA", "Section", "Table", "compared", "from_json", "printed", "to_json"]

# Of the saved form; another one can't be compared with.
SCHEMA = 1
# A change smaller than this is nothing that one machine could tell from noise.
_NOISE = 0.15


@dataclass(frozen=True, slots=True)
class Section:
    """The rows of one vault."""

    notes: int
    chunks: int
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """A whole run: the machine and its load, what was asked for, what came out.

    `about` holds plain values only.
    """

    about: Mapping[str, Any]
    sections: tuple[Section, ...]


# -- saved -------------------------------------------------------------------


def to_json(table: Table) -> dict[str, Any]:
    """A table as one JSON object, with ratios and verdicts spelled out."""
    return {
        "schema": SCHEMA,
        **table.about,
        "vaults": [
            {
                "notes": section.notes,
                "chunks": section.chunks,
                "rows": [
                    {
                        **asdict(row),
                        "what": WHAT[row.name],
                        "ratio": row.ratio,
                        "met": row.met,
                    }
                    for row in section.rows
                ],
            }
            for section in table.sections
        ],
    }


def from_json(shape: Mapping[str, Any]) -> Table:
    """The table that `to_json` wrote. Raises BenchError when it is none."""
    if shape.get("schema") != SCHEMA:
        raise BenchError(f"not a saved run of this form (schema {SCHEMA})")
    try:
        sections = tuple(
            Section(each["notes"], each["chunks"], tuple(map(_row, each["rows"])))
            for each in shape["vaults"]
        )
    except (KeyError, TypeError) as error:
        raise BenchError(f"not a saved run: {error!r}") from error
    return Table({k: v for k, v in shape.items() if k != "vaults"}, sections)


def _row(shape: Mapping[str, Any]) -> Row:
    values = {k: v for k, v in shape.items() if k not in {"what", "ratio", "met"}}
    for name in ("value", "floor", "cpu", "wall"):
        if values[name] is not None:
            values[name] = Spread(**values[name])
    values["goal"] = Goal(**values["goal"])
    return Row(**values)


# -- printed -----------------------------------------------------------------


def printed(table: Table) -> list[str]:
    """The lines of the table, plain text."""
    about = table.about
    before, after = about["load"]
    runs = f"median of {about['runs']} runs, seed {about['seed']}"
    software = f"Python {about['python']}, SQLite {about['sqlite']}"
    machine = f"{about['cores']} cores, load {before:.1f} before, {after:.1f} after"
    lines = [
        f"Mindcache {about['version']}, {about['made']}: {runs}",
        f"{software}, {about['stemmer']} stemmer, {machine}",
    ]
    for section in table.sections:
        lines += ["", f"{section.notes:,} notes, {section.chunks:,} chunks"]
        head = ("", "value", "min - max", "floor", "ratio", "goal", "", "cpu", "wall")
        lines += _columns([head, *map(_cells, section.rows)])
        for row in section.rows:
            if row.parts:
                steps = ", ".join(f"{k} {_number(v)}" for k, v in row.parts.items())
                lines.append(f"floor of the {row.name} in {row.unit}: {steps}")
    return lines


def _cells(row: Row) -> tuple[str, ...]:
    verdict = {None: "", True: "met", False: "MISSED"}[row.met]
    limit = row.goal.limit
    goal = ""
    if limit is not None:
        goal = row.goal.words
        if row.goal.measured:
            goal = f"{_number(limit)} {row.unit} ({goal})"
    return (
        WHAT[row.name],
        f"{_number(row.value.median)} {row.unit}",
        f"{_number(row.value.low)} - {_number(row.value.high)}",
        "" if row.floor is None else _number(row.floor.median),
        "" if row.ratio is None else f"{row.ratio:.2f}",
        goal,
        verdict,
        "" if row.cpu is None else _number(row.cpu.median),
        "" if row.wall is None else _number(row.wall.median),
    )


def _number(value: float) -> str:
    """Three digits that count."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


# Columns of words; the others are of numbers, and end where the next begins.
_LEFT = frozenset({0, 5, 6})


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if place in _LEFT else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


# -- compared ----------------------------------------------------------------


def compared(now: Table, then: Table) -> list[str]:
    """The lines that show each row of both runs beside each other.

    Compared are ratios, which mean the same on a busy machine and an idle one;
    values where there is no floor. A row is marked when it changed by more than
    15 % and the two runs' ranges don't touch.
    """
    lines = [f"Compared with {then.about.get('made', 'an earlier run')}:"]
    lines += _warnings(now, then)
    before = {(r.notes, r.name): r for s in then.sections for r in s.rows}
    rows: list[tuple[str, ...]] = [("", "notes", "then", "now", "change", "")]
    for row in (r for s in now.sections for r in s.rows):
        old = before.get((row.notes, row.name))
        if old is not None:
            rows.append(_comparison(row, old))
    if len(rows) == 1:
        return [*lines, "  no row is in both runs"]
    return [*lines, *_columns(rows)]


def _warnings(now: Table, then: Table) -> Iterable[str]:
    for name in ("generator", "seed", "python", "sqlite", "stemmer", "cores"):
        old, new = then.about.get(name), now.about.get(name)
        if old != new:
            yield f"  {name} was {old}, is {new}"


def _comparison(row: Row, old: Row) -> tuple[str, ...]:
    a, b = _comparable(old), _comparable(row)
    change = b.median / a.median - 1 if a.median else 0.0
    apart = b.low > a.high or b.high < a.low
    mark = ""
    if apart and abs(change) > _NOISE:
        mark = "WORSE" if change > 0 else "better"
    unit = "" if row.floor is not None and old.floor is not None else f" {row.unit}"
    return (
        WHAT[row.name],
        f"{row.notes:,}",
        _number(a.median) + unit,
        _number(b.median) + unit,
        f"{change:+.0%}",
        mark,
    )


def _comparable(row: Row) -> Spread:
    if row.floor is None or not row.floor.median:
        return row.value
    value, floor = row.value, row.floor.median
    return Spread(value.median / floor, value.low / floor, value.high / floor)
