"""The options by which every search can be narrowed, the same on each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from mindcache.recall import Filters

__all__ = ["export_filter_options", "filter_options", "filters_of"]

_Function = TypeVar("_Function", bound=Callable[..., Any])

# Option, field of recall.Filters, what stands for its value, help.
_MANY = (
    ("--type", "types", "T", "fact, event, entity, summary, plan, …"),
    ("--status", "statuses", "S", "active, planned, archived, …"),
    ("--tag", "tags", "TAG", "This tag or one below it."),
    ("--namespace", "namespaces", "N", "Any tag below N/."),
    ("--id", "ids", "ID", "The note with this id."),
    ("--title", "titles", "TEXT", "A part of the title."),
    ("--alias", "aliases", "TEXT", "An alias, whole."),
    ("--location", "locations", "TEXT", "A part of the location."),
    ("--entity", "entities", "NOTE", "Notes that link to it."),
    ("--project", "projects", "TEXT", "A part of the project."),
    ("--date", "dates", "DATE", "2026, 2026-03, 2026-03-05, 2026-W10, 2026-Q1."),
)
_ONE = (
    ("--from", "start", "DATE", "Notes from this date on."),
    ("--to", "end", "DATE", "Notes up to the end of this date."),
    ("--as-of", "as_of", "DATE", "As the memory stood at the end of this date."),
    ("--memory", "memory", "KIND", "episodic (what happened) or knowledge."),
)
_FLAGS = (
    ("--pinned", "pinned", "Pinned notes only."),
    ("--current", "current", "What holds now: not superseded, not out of its time."),
    (
        "--named",
        "named",
        "Notes that the question calls by name, and what they involve.",
    ),
)


def filter_options(function: _Function) -> _Function:
    """Add the filter options to a command; an empty value is no filter."""
    return _added(function, _ONE)


def export_filter_options(function: _Function) -> _Function:
    """The same for a command whose `--to` is a place: the last date is `--to-date`."""
    named = [("--to-date" if o == "--to" else o, *rest) for o, *rest in _ONE]
    return _added(function, named)


def _added(function: _Function, single: Sequence[Sequence[str]]) -> _Function:
    for option, name, text in reversed(_FLAGS):
        function = click.option(option, name, is_flag=True, help=text)(function)
    for option, name, metavar, text in reversed(single):
        function = click.option(option, name, metavar=metavar, default="", help=text)(
            function
        )
    for option, name, metavar, text in reversed(_MANY):
        function = click.option(
            option, name, metavar=metavar, multiple=True, help=text
        )(function)
    return function


def filters_of(given: Mapping[str, Any]) -> Filters:
    """The filters that the options said; other options are left alone."""
    from mindcache.recall import Filters

    names = [name for _, name, *_ in (*_MANY, *_ONE, *_FLAGS)]
    return Filters(**{name: given[name] for name in names})
