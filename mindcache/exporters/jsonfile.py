"""The export as one JSON file: a header, then a line for each note, topic and entry.

`export.schema.json` beside this module says what may be in it. There is no time in it:
two exports of the same notes are the same bytes.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, BinaryIO

from mindcache import __version__, atomic
from mindcache.exporters.gather import (
    Gathering,
    Progress,
    Report,
    gathering,
    settings_of,
)
from mindcache.exporters.place import Destination, file_at
from mindcache.exporters.records import FORMAT, SCHEMA
from mindcache.recall.filters import Filters

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["export_json", "header_line", "schema_text"]

# What could steer a terminal, turn text around or end a line in JavaScript.
_ESCAPED = re.compile(
    "[\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def export_json(
    app: App,
    filters: Filters,
    to: Destination,
    *,
    stdout: BinaryIO,
    with_occurrences: bool = False,
    progress: Progress | None = None,
) -> Report:
    """Write the notes that pass as JSON, to a new file or to `stdout`.

    Raises Refused for a place that is not free, and what `gathering` raises.
    """
    report = Report("json", to.path)
    full = "" if to.path == "-" else file_at(app, to, _is_ours)
    with gathering(app, filters, report, progress) as found:
        found.leave_attachments()
        if not full:
            _write(app, found, stdout, with_occurrences=with_occurrences)
            stdout.flush()
        else:
            with (
                atomic.building(full, over=to.force) as temporary,
                open(temporary, "wb") as file,
            ):
                _write(app, found, file, with_occurrences=with_occurrences)
    return report


def _write(
    app: App, found: Gathering, out: BinaryIO, *, with_occurrences: bool
) -> None:
    entries = found.ledger()
    text = io.TextIOWrapper(out, encoding="utf-8", newline="\n", write_through=False)
    try:
        text.write(header_line())
        text.write(f'"made_by": {_json(f"mindcache {__version__}")},\n')
        text.write(f'"settings": {_json(settings_of(app))},\n')
        text.write(f'"filters": {_json(found.filters)},\n')
        records = found.records(with_occurrences=with_occurrences)
        found.report.notes = _write_list(text, "nodes", records)
        found.report.topics = _write_list(text, "topics", found.topics())
        found.report.ledger = _write_list(
            text, "ledger", (_short(asdict(entry)) for entry in entries), last=True
        )
        text.write("}\n")
        text.flush()
    finally:
        text.detach()


def _write_list(
    out: io.TextIOBase, name: str, items: Iterable[object], *, last: bool = False
) -> int:
    """A list with one item a line; gives how many there were."""
    out.write(f'"{name}": [')
    count = 0
    for item in items:
        out.write(("," if count else "") + "\n" + _json(item))
        count += 1
    end = "" if last else ","
    out.write(("\n]" if count else "]") + end + "\n")
    return count


def _short(entry: dict[str, str]) -> dict[str, str]:
    return {key: value for key, value in entry.items() if value}


def _json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def header_line() -> str:
    """How each such file begins."""
    return f'{{\n"format": {_json(FORMAT)},\n"schema": {SCHEMA},\n'


def _is_ours(full: str) -> bool:
    """Whether an export wrote this file: any version's, as it was written."""
    wanted = header_line().rpartition('"schema"')[0].encode()
    try:
        with open(full, "rb") as file:
            return file.read(len(wanted)) == wanted
    except OSError:
        return False


def schema_text() -> str:
    """The JSON Schema of the export, as text."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "export.schema.json"), encoding="utf-8") as file:
        return file.read()
