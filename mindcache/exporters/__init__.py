"""Exporters: the memory, whole or filtered, in forms that other programs read.

`gather` says which notes go out and what is left; `records` is the shape in which a
note goes (JSON and SQLite share it, and `importers.restore` reads it back); each other
module writes one form. Nothing here writes into the vault.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.lazy import exports

if TYPE_CHECKING:
    from mindcache.exporters.folder import Properties, export_folder
    from mindcache.exporters.gather import Left, Report
    from mindcache.exporters.jsonfile import export_json, schema_text
    from mindcache.exporters.place import Destination
    from mindcache.exporters.sqlitefile import export_sqlite

__all__ = [
    "Destination",
    "Left",
    "Properties",
    "Report",
    "export_folder",
    "export_json",
    "export_sqlite",
    "schema_text",
]

__getattr__ = exports(
    __name__,
    {
        "folder": "Properties export_folder",
        "gather": "Left Report",
        "jsonfile": "export_json schema_text",
        "place": "Destination",
        "sqlitefile": "export_sqlite",
    },
)
