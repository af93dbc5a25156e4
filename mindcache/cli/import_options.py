"""The options that only one importer has, and the importer as they want it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import click

from mindcache.errors import MindcacheError, NoteNotFound, UsageError

if TYPE_CHECKING:
    from mindcache.importers import Importer
    from mindcache.importers.sqlite.mapping import Chosen

__all__ = ["OWN_OPTIONS", "Option", "configured", "save_mapping"]

Option = Callable[[Callable[..., Any]], Callable[..., Any]]

_NAMESPACE = click.option(
    "--namespace",
    metavar="N",
    default="domain",
    show_default=True,
    help="Where tags without a namespace go.",
)

OWN_OPTIONS: Mapping[str, tuple[Option, ...]] = {
    "chat": (
        click.option(
            "--format",
            "form",
            metavar="F",
            default="",
            help="What the sources are, where that isn't seen from what is in them.",
        ),
    ),
    "markdown": (
        _NAMESPACE,
        click.option(
            "--cut",
            is_flag=True,
            help="Make several notes of a long text, cut at headings of level 1 and 2.",
        ),
        click.option(
            "--as",
            "called",
            metavar="NAME",
            default="",
            help="What the folder is called here; two of one name need two.",
        ),
    ),
    "sqlite": (
        click.option("--table", metavar="T", default="", help="The table to read."),
        click.option(
            "--query", metavar="SQL", default="", help="A SELECT to read instead."
        ),
        click.option(
            "--map",
            "mapped",
            metavar="TO=COLUMN,...",
            multiple=True,
            help="What columns become: title, body, when, key, tags, type, a property.",
        ),
        click.option(
            "--mapping", metavar="FILE", default="", help="Take all that from a file."
        ),
        click.option(
            "--save-mapping", metavar="FILE", default="", help="Keep it in a file."
        ),
        _NAMESPACE,
    ),
}


def configured(importer: Importer, given: Mapping[str, Any]) -> Importer:
    """The importer with its own options. Raises UsageError, NoteNotFound."""
    if importer.name == "markdown":
        from mindcache.importers.markdown.reader import Markdown

        notes = cast("Markdown", importer)
        return notes.configured(
            namespace=given["namespace"], cut=given["cut"], called=given["called"]
        )
    if importer.name == "sqlite":
        from mindcache.importers.sqlite.reader import Sqlite

        rows = cast("Sqlite", importer)
        return rows.configured(chosen=_chosen(given), namespace=given["namespace"])
    return importer


def _chosen(given: Mapping[str, Any]) -> Chosen:
    from mindcache.importers.sqlite.mapping import Chosen, from_toml, parsed

    saved = Chosen()
    if path := given["mapping"]:
        try:
            with open(os.path.expanduser(path), encoding="utf-8") as file:
                saved = from_toml(file.read(), path)
        except FileNotFoundError as error:
            raise NoteNotFound(
                f"nothing lies at {path}", mend="check the path"
            ) from error
        except (OSError, UnicodeError) as error:
            raise UsageError(f"{path} can't be read: {error}") from error
    table, query = given["table"], given["query"]
    if not table and not query:
        table, query = saved.table, saved.query
    columns = {**saved.columns, **parsed(given["mapped"])}
    if columns and not table and not query:
        raise UsageError("a mapping of what?", mend="give --table or --query")
    return Chosen(table, query, columns)


def save_mapping(given: Mapping[str, Any]) -> None:
    """Keep an SQLite mapping where the caller wants it. Raises MindcacheError."""
    path = given.get("save_mapping")
    if not path:
        return
    from mindcache.importers.sqlite.mapping import to_toml

    text = to_toml(_chosen(given))
    try:
        with open(os.path.expanduser(path), "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise MindcacheError(f"{path} can't be written: {error.strerror}") from error
