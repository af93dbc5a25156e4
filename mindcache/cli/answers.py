"""Asking and answering: what `recall` and the searches by text have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.filters import filter_options, filters_of

if TYPE_CHECKING:
    from mindcache.app import Search
    from mindcache.recall import Ask, Hit, Recall

__all__ = ["answer", "answer_options", "ask_of", "words"]

_Function = TypeVar("_Function", bound=Callable[..., Any])


def _numeric(
    context: click.Context, parameter: click.Parameter, value: float | None
) -> float | None:
    """Refuse what is no number: it lies within any bounds by comparing with none."""
    if value is not None and math.isnan(value):
        raise click.BadParameter("nan is not a number from 0 to 1.", context, parameter)
    return value


def answer_options(function: _Function) -> _Function:
    """Add the filters, `--limit`, `--floor` and `--explain` to a command."""
    function = click.option(
        "--explain", is_flag=True, help="Show the reasons for each hit."
    )(function)
    function = click.option(
        "--floor",
        type=click.FloatRange(0, 1),
        callback=_numeric,
        metavar="F",
        help="The least score shown, 0 to 1; 0 shows everything.",
    )(function)
    function = click.option(
        "--limit",
        type=click.IntRange(min=1),
        default=10,
        show_default=True,
        metavar="N",
        help="How many hits at most.",
    )(function)
    return filter_options(function)


def words(parts: Sequence[str]) -> str:
    """The question from the words of the call.

    One word in the shell's quotes among others is a phrase: `recall the "blue
    car"` asks the same as `recall 'the "blue car"'`.
    """
    if len(parts) == 1:
        return parts[0]
    phrase = (
        f'"{part}"' if " " in part.strip() and '"' not in part else part
        for part in parts
    )
    return " ".join(phrase)


def ask_of(text: str, given: Mapping[str, Any], phrases: Sequence[str] = ()) -> Ask:
    """The question with its filters and limits as the options said."""
    from mindcache.recall import Ask

    return Ask(
        text,
        filters_of(given),
        limit=given["limit"],
        floor=given["floor"],
        phrases=tuple(phrases),
    )


def answer(call: Call, search: Search, ask: Ask, *, explain: bool) -> None:
    """Run one search and print its answer. Raises UsageError when nothing is asked."""
    if not (ask.text.strip() or any(p.strip() for p in ask.phrases) or ask.filters):
        from mindcache.errors import UsageError

        raise UsageError(
            "nothing to look for: no words and no filter",
            mend='for example: mindcache recall "what did we decide about pricing?"',
        )
    found = call.app.ask(search, ask)
    call.settle()
    if call.json:
        from mindcache import wire

        output.print_json(wire.recall(found))
        return
    output.warn_when_stale(call.app.freshness)
    if found.hits and found.reason:
        output.remark(output.single(found.reason))
    for hit in found.hits:
        _print_hit(hit, explain=explain, listed=found.order == "path")
    _print_rest(found, ask.limit)


def _print_hit(hit: Hit, *, explain: bool, listed: bool) -> None:
    at = f"#{output.single(hit.anchor)}" if hit.anchor else f":{hit.lines[0]}"
    place = output.path_text(hit.path) + at
    parts = [place, *(output.single(p) for p in (hit.date, hit.type) if p)]
    score = "" if listed else f"{_percent(hit.score):>4}  "
    title = output.single(hit.title)
    output.say("  ·  " + "  ·  ".join(parts), strong=score + title)
    if hit.snippet:
        output.say("      " + output.single(hit.snippet))
    if explain:
        for why in hit.why:
            detail = f"  {output.single(why.detail)}" if why.detail else ""
            output.say(f"      {why.value:+.2f}  {why.signal}{detail}")


def _print_rest(found: Recall, limit: int) -> None:
    best = "" if found.best_rejected is None else _percent(found.best_rejected)
    if found.hits:
        if found.left_out:
            output.say(
                f"{found.left_out:,} more; --limit {limit + found.left_out} shows them"
            )
        if found.below_floor:
            output.say(
                f"{found.below_floor:,} more below the floor (best {best});"
                " --floor 0 shows them"
            )
        return
    reason = found.reason or "nothing found"
    output.say(f"No answer: {output.single(reason)}.")
    if found.below_floor:
        output.say(
            f"{found.below_floor:,} below the floor, the best with {best};"
            " --floor 0 shows them"
        )


def _percent(score: float) -> str:
    """A score in whole percent; never 0 % or 100 % by rounding."""
    return (
        f"{min(99, max(1, round(score * 100)))} %"
        if 0 < score < 1
        else (f"{round(score * 100)} %")
    )
