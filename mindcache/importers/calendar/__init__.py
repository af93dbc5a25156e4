"""Calendars: `.ics` files, one `plan` note for each event, series or to-do."""

from __future__ import annotations

from mindcache.importers.calendar.reader import Calendar

__all__ = ["calendar"]

calendar = Calendar()
