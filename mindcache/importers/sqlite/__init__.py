"""SQLite files of other programs: a note for each row, and known schemas by themselves."""

from __future__ import annotations

from mindcache.importers.sqlite.reader import Sqlite

__all__ = ["sqlite"]

sqlite = Sqlite()
