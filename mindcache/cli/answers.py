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
    from mindcache.app import App, Search
    from mindcache.recall import Ask, Hit, Recall
    from mindcache.recall.answer import Passage

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
    """Add the filters, and what says how many hits are shown and how, to a command."""
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
        "--expand",
        is_flag=True,
        help="Add what stands around each hit, and the notes it is linked to.",
    )(function)
    function = click.option(
        "--budget",
        type=click.IntRange(min=1),
        metavar="TOKENS",
        help="Pack the hits' texts into so many tokens, best first.",
    )(function)
    function = click.option(
        "--notes",
        "by_note",
        is_flag=True,
        help="One hit a note: its best passage, with the places of the others.",
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
        budget=given["budget"],
        expand=given["expand"],
        by_note=given["by_note"],
    )


def answer(
    call: Call,
    search: Search | Callable[[App, Ask], Recall],
    ask: Ask,
    *,
    explain: bool,
) -> None:
    """Run one search and print its answer. Raises UsageError when nothing is asked."""
    if not (ask.text.strip() or any(p.strip() for p in ask.phrases) or ask.filters):
        from mindcache.errors import UsageError

        raise UsageError(
            "nothing to look for: no words and no filter",
            mend='for example: mindcache recall "what did we decide about pricing?"',
        )
    app = call.app
    from mindcache.recall.clearing import cleared

    found = cleared(search(app, ask) if callable(search) else app.ask(search, ask))
    call.settle()
    if found.budget is not None:
        app.used(found.hits, "recall")
    if call.json:
        from mindcache import wire

        output.print_json(wire.recall(found))
        return
    output.warn_when_stale(call.app.freshness)
    if found.hits and found.reason not in {"", found.went_on}:
        output.remark(output.single(found.reason))
    listed = found.order == "path"
    for place, hit in enumerate(found.hits):
        if hit.text is None:
            _print_hit(hit, listed=listed)
        else:
            _print_text(hit, is_first=not place)
        if hit.text is None:
            _print_linked(hit)
        if explain:
            _print_why(hit)
    if explain and found.escalated:
        output.say(f"From passages and not from topics: {found.went_on}.")
    _print_rest(found, ask.limit)


def _print_hit(hit: Hit, *, listed: bool) -> None:
    at = f"#{output.single(hit.anchor)}" if hit.anchor else f":{hit.lines[0]}"
    place = output.path_text(hit.path) + at
    parts = [place, *(output.single(p) for p in (hit.date, hit.type) if p)]
    score = "" if listed else f"{_percent(hit.score):>4}  "
    title = output.single(hit.title)
    folded = f"  (+{len(hit.alike)} alike)" if hit.alike else ""
    mark = output.mark(hit.standing)
    output.say(mark + "  ·  " + "  ·  ".join(parts) + folded, strong=score + title)
    if said := hit.snippet or hit.summary:  # a topic or a summary may be no more
        output.say("      " + output.single(said))
    if hit.passages:
        others = output.counted(len(hit.passages), "more passage")
        output.say(f"      {others} of this note: {_places(hit.passages)}")


def _print_linked(hit: Hit) -> None:
    """The notes to read first about a topic, or those that speak against a hit."""
    for each in hit.linked:
        said = f"  {output.single(each.summary)}" if each.summary else ""
        mark = output.mark(each.standing)
        output.say(f"      {output.path_text(each.path)}{mark}{said}")


# Places of further passages that a line has room for.
_PLACES = 5


def _places(passages: Sequence[Passage]) -> str:
    shown = [
        f"#{output.single(each.anchor)}" if each.anchor else f":{each.lines[0]}"
        for each in passages
    ]
    names = list(dict.fromkeys(shown))
    more = f", and {len(names) - _PLACES} others" if len(names) > _PLACES else ""
    return ", ".join(names[:_PLACES]) + more


def _print_text(hit: Hit, *, is_first: bool) -> None:
    """The hit as it was packed, and nothing that would take from the budget."""
    if not is_first:
        output.say()
    output.say(hit.text or "")


def _print_why(hit: Hit) -> None:
    for why in hit.why:
        # Names of signals mean nothing to who hasn't read how they are made.
        said = output.single(why.detail) or why.signal
        output.say(f"      {why.value:+.2f}  {said}")
        for edge in why.via:
            is_out = edge.source != hit.path
            other = edge.source if is_out else edge.target
            way = f"--{edge.relation}-->" if is_out else f"<--{edge.relation}--"
            output.say(f"             {output.path_text(other)} {way} this note")


def _print_rest(found: Recall, limit: int) -> None:
    """What is not shown, and how to see it: on stderr beside a packed answer."""
    tell = output.say if found.budget is None else output.remark
    if found.redacted:
        output.remark(f"{output.counted(found.redacted, 'secret')} taken out")
    if not found.hits:
        tell(f"No answer: {output.single(found.reason or 'nothing found')}.")
    if found.budget is not None and found.budget.left_out:
        room = found.budget
        tell(
            f"{len(room.left_out):,} left out by the budget"
            f" ({', '.join(map(output.path_text, dict.fromkeys(room.left_out)))});"
            f" --budget {room.needed} holds all"
        )
    rest = []
    if found.left_out:
        at = limit + found.left_out
        rest.append(f"{found.left_out:,} more; --limit {at} shows them")
    if found.below_floor:
        rest.append(_below(found, is_first=not rest))
    if rest:
        tell("; ".join(rest))


def _below(found: Recall, *, is_first: bool) -> str:
    """What the floor keeps back, and the floor that wouldn't."""
    best = _percent(found.best_rejected or 0.0)
    more = " more" if is_first and (found.hits or found.just_below) else ""
    if not found.just_below:
        return (
            f"{found.below_floor:,}{more} below the floor (best {best});"
            " --floor 0 shows them"
        )
    return (
        f"{found.just_below:,}{more} just below the floor (best {best});"
        f" --floor {_plainly(found.next_floor)} shows them,"
        f" --floor 0 all {found.below_floor:,}"
    )


def _plainly(floor: float) -> str:
    """A floor as somebody would type it, rounded down so that it still lets in."""
    return f"{math.floor(floor * 10_000) / 10_000:g}"


def _percent(score: float) -> str:
    """A score in whole percent; never 0 % or 100 % by rounding."""
    return (
        f"{min(99, max(1, round(score * 100)))} %"
        if 0 < score < 1
        else (f"{round(score * 100)} %")
    )
