"""Time zones as calendars name them, each as the IANA zone that is meant. Pure."""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Iterable
from datetime import datetime, timedelta, tzinfo
from functools import cached_property
from typing import Any

from mindcache.importers.calendar.lines import Component

__all__ = ["Zones", "find_zone"]

# `/freeassociation.sourceforge.net/Europe/Berlin`, `/mozilla.org/20050126_1/…`
_PREFIXED = re.compile(r"([A-Za-z]+/[A-Za-z_+-]+(?:/[A-Za-z_+-]+)?)$")
_UTC = frozenset(
    {"UTC", "GMT", "Z", "ETC/UTC", "ETC/GMT", "COORDINATED UNIVERSAL TIME"}
)

# A zone's own definition is compared with those we know at these moments: two a month
# over years whose rules are settled.
_SAMPLES = tuple(
    datetime(year, month, day, 12)  # noqa: DTZ001  civil time
    for year in (2021, 2022, 2023, 2024)
    for month in range(1, 13)
    for day in (2, 16)
)
# Of zones whose clocks agree, those that most people live in.
_COMMON = (
    "Europe/London", "Europe/Berlin", "Europe/Helsinki", "Europe/Moscow",
    "America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles",
    "America/Sao_Paulo", "Asia/Kolkata", "Asia/Shanghai", "Asia/Tokyo",
    "Australia/Sydney", "Pacific/Auckland",
)  # fmt: skip

# Rules of changes within a zone; a calendar that lists more is up to something.
_MOST_RULES = 200


def find_zone(name: str) -> zoneinfo.ZoneInfo | None:
    """The zone of an IANA name, None when there is none of that name."""
    try:
        return zoneinfo.ZoneInfo(name) if name else None
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        return None


class Zones:
    """The zones that one calendar may name: IANA's, Windows', and its own.

    `home` is preferred where several fit.
    """

    def __init__(self, home: str = "") -> None:
        self._home = home
        self._defined: dict[str, Component] = {}
        self._found: dict[str, tuple[str, str]] = {}

    def define(self, component: Component) -> None:
        """Take note of a VTIMEZONE. Events may use it before it comes."""
        line = component.first("TZID")
        if line is not None:
            self._defined.setdefault(_plain(line.value), component)

    def name_of(self, tzid: str) -> tuple[str, str]:
        """(the IANA name, what had to be guessed); ("", why) when none is meant.

        The second is "" where nothing had to be guessed.
        """
        wanted = _plain(tzid)
        if wanted not in self._found:
            self._found[wanted] = self._find(wanted)
        return self._found[wanted]

    def _find(self, wanted: str) -> tuple[str, str]:
        if wanted.upper() in _UTC:
            return "UTC", ""
        if "/" in wanted and find_zone(wanted):
            return wanted, ""
        prefixed = _PREFIXED.search(wanted)
        if wanted.startswith("/") and prefixed:
            name = prefixed[1]
            for each in (name, name.partition("/")[2]):
                if "/" in each and find_zone(each):
                    return each, ""
        known = self._windows.get(wanted.casefold())
        if known:
            return known, ""
        component = self._defined.get(wanted)
        if component is not None:
            return self._of_definition(wanted, component)
        return self._guess(wanted)

    @cached_property
    def _windows(self) -> dict[str, str]:
        from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

        return {name.casefold(): zone for name, zone in WINDOWS_TO_OLSON.items()}

    def _of_definition(self, wanted: str, component: Component) -> tuple[str, str]:
        place = component.first("X-LIC-LOCATION")
        if place is not None and find_zone(place.value.strip()):
            return place.value.strip(), ""
        made = _made(component)
        same = _like(made, self._candidates(wanted)) if made is not None else ""
        if same:
            return same, f"the zone {wanted!r} is its own; its clocks go like {same}"
        return self._guess(wanted)

    def _candidates(self, wanted: str) -> Iterable[str]:
        guess, _ = self._guess(wanted)
        offsets = [f"Etc/GMT{n:+d}" for n in range(-14, 13) if n]
        return dict.fromkeys(
            each
            for each in (
                *(guess, self._home, "UTC"),
                *(*offsets, *_COMMON, *self._windows.values()),
            )
            if each
        )

    def _guess(self, wanted: str) -> tuple[str, str]:
        """By what people write: `Eastern Time`, `(UTC+01:00) Berlin`, `EST5EDT`."""
        folded = wanted.casefold()
        for each in (
            folded,
            folded.replace(" daylight time", " time"),
            re.sub(r"\s*\(.*?\)\s*", "", folded),
        ):
            windows = self._windows.get(each.replace(" time", " standard time"))
            if windows:
                return windows, f"the zone {wanted!r} is taken for {windows}"
        for city in re.findall(r"[A-Za-z][A-Za-z .]+[A-Za-z]", wanted):
            found = self._cities.get(city.strip().casefold().replace(" ", "_"))
            if found:
                return found, f"the zone {wanted!r} is taken for {found}"
        if "/" not in wanted and find_zone(wanted):
            return wanted, ""
        return "", f"no time zone is called {wanted!r}"

    @cached_property
    def _cities(self) -> dict[str, str]:
        """The last part of each IANA name of a region and a city."""
        names = sorted(n for n in zoneinfo.available_timezones() if n.count("/") == 1)
        return {
            name.partition("/")[2].casefold(): name
            for name in names
            if not name.startswith(("Etc/", "US/", "SystemV/"))
        }


def _plain(tzid: str) -> str:
    return tzid.strip().strip("\"'").strip()


def _made(component: Component) -> tzinfo | None:
    """The zone that a VTIMEZONE defines, None when it can't be understood."""
    import icalendar

    parts = [part for part in component.parts if part.name in {"STANDARD", "DAYLIGHT"}]
    if not parts or len(parts) > _MOST_RULES:
        return None
    lines = ["BEGIN:VTIMEZONE", "TZID:custom"]
    for part in parts:
        lines.append(f"BEGIN:{part.name}")
        for line in part.lines:
            if line.name == "RRULE" and "FREQ=YEARLY" not in line.value.upper():
                return None  # clocks that change more often are none
            if line.name in {"DTSTART", "RDATE", "RRULE", "TZOFFSETFROM", "TZOFFSETTO"}:
                lines.append(f"{line.name}:{line.value}")
        lines.append(f"END:{part.name}")
    lines.append("END:VTIMEZONE")
    try:
        made: Any = icalendar.Timezone.from_ical("\r\n".join(lines))
        zone: tzinfo = made.to_tz(lookup_tzid=False)
        zone.utcoffset(_SAMPLES[0])
    except (ValueError, TypeError, LookupError, OverflowError, AttributeError):
        return None
    return zone


def _like(made: tzinfo, names: Iterable[str]) -> str:
    """The first zone whose clocks go like those of `made`, "" for none."""
    wanted = [_offset(made, at) for at in _SAMPLES]
    for name in names:
        zone = find_zone(name)
        if zone is not None and [_offset(zone, at) for at in _SAMPLES] == wanted:
            return name
    return ""


def _offset(zone: tzinfo, at: datetime) -> timedelta | None:
    try:
        return zone.utcoffset(at.replace(tzinfo=zone))
    except (ValueError, OverflowError):
        return None
