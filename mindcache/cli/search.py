"""`mindcache search`: the searches that stand on their own."""

from __future__ import annotations

from typing import Any

import click

from mindcache.cli.answers import answer, answer_options, ask_of, words
from mindcache.cli.call import Call
from mindcache.cli.shape import Entry, Group, command, examples

__all__ = ["exact", "search", "semantic"]

search = Group(
    "search",
    {
        "exact": Entry("mindcache.cli.search:exact", "By the words as written."),
        "semantic": Entry("mindcache.cli.search:semantic", "By meaning alone."),
        "graph": Entry("mindcache.cli.graph:graph", "Along links and relations."),
        "topic": Entry("mindcache.cli.topics:topic", "Among the topics."),
    },
    help="Search in one way: by words, by meaning, along the links, among the topics.",
    epilog=examples('mindcache search exact "BENCH-100821"'),
)


@command(
    'mindcache search exact "replication slot"',
    'mindcache search exact --phrase "fixed price" --type fact',
    "mindcache search exact --tag client/acme --date 2026-10",
)
@click.argument("text", nargs=-1)
@click.option(
    "--phrase",
    "phrases",
    metavar="P",
    multiple=True,
    help="Only passages with these words in this order. Repeatable.",
)
@answer_options
def exact(
    call: Call,
    text: tuple[str, ...],
    phrases: tuple[str, ...],
    explain: bool,
    **given: Any,  # noqa: ANN401  the filters, each of its own type
) -> None:
    """Find passages by the words of TEXT, or list the notes that pass the filters."""
    answer(call, "exact", ask_of(words(text), given, phrases), explain=explain)


@command('mindcache search semantic "how we charge for our time"')
@click.argument("text", nargs=-1)
@answer_options
def semantic(
    call: Call,
    text: tuple[str, ...],
    explain: bool,
    **given: Any,  # noqa: ANN401  the filters, each of its own type
) -> None:
    """Find passages that mean what TEXT means, whatever their words."""
    answer(call, "semantic", ask_of(words(text), given), explain=explain)
