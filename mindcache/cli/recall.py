"""`mindcache recall`: a question, and what the memory has to say about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TextIO

import click

from mindcache.cli import output
from mindcache.cli.answers import answer, answer_options, ask_of, words
from mindcache.cli.call import Call
from mindcache.cli.shape import command

if TYPE_CHECKING:
    from mindcache.app import Mode
    from mindcache.recall import Ask

__all__ = ["recall"]


@command(
    'mindcache recall "what did we decide about pricing?"',
    "mindcache recall pricing --tag client/acme --from 2026-10",
    "mindcache recall --batch questions.txt",
)
@click.argument("question", nargs=-1)
@click.option(
    "--mode",
    type=click.Choice(["auto", "fast", "deep"]),
    default="auto",
    show_default=True,
    help="From topics (fast), from passages (deep), or from what is enough.",
)
@click.option(
    "--batch",
    type=click.File("r", encoding="utf-8-sig", errors="replace"),
    metavar="FILE",
    help="One question a line (- for stdin), one JSON object a line out.",
)
@answer_options
def recall(
    call: Call,
    question: tuple[str, ...],
    mode: Mode,
    batch: TextIO | None,
    explain: bool,
    **given: Any,  # noqa: ANN401  the filters, each of its own type
) -> None:
    """Answer QUESTION from the notes: words, meaning and links together.

    The best passages come first, each with the chance that it answers; what only asks
    what there is, is answered from the topics. A "quoted
    phrase" must stand in the passage as it is. Without a question, the notes that
    pass the filters are listed.
    """
    from mindcache.errors import UsageError

    ask = ask_of(words(question), given)
    if batch is None:
        answer(call, lambda app, asked: app.recall(mode, asked), ask, explain=explain)
        return
    if question:
        raise UsageError("--batch brings its own questions", mend="leave QUESTION out")
    if not _answer_lines(call, mode, ask, batch):
        raise click.exceptions.Exit(1)


def _answer_lines(call: Call, mode: Mode, ask: Ask, lines: TextIO) -> bool:
    """Answer each line with one line of JSON; False when one of them failed."""
    from mindcache import wire
    from mindcache.errors import MindcacheError
    from mindcache.recall.clearing import cleared

    corpus = call.app.corpus()
    call.settle()
    went_well = True
    for line in lines:
        text = line.strip()
        if not text:
            continue
        try:
            found = cleared(call.app.recall(mode, ask._replace(text=text), corpus))
            shape = wire.recall(found)
            if found.budget is not None:
                call.app.used(found.hits, "recall")
        except MindcacheError as error:
            went_well = False
            shape = {**wire.error(error), "query": text}
        output.print_json(shape, compact=True)
    return went_well
