"""`mindcache plans` and `mindcache plan`: what is planned, and what became of it."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import click

from mindcache.cli import output
from mindcache.cli.call import Call
from mindcache.cli.shape import command
from mindcache.cli.written import tell_behind

if TYPE_CHECKING:
    from mindcache.recall.agenda import Agenda, Kind, Occasion
    from mindcache.recurrence import Occurrence

__all__ = ["plan", "plans"]

# As in `write.plans`, which help has no need to load.
_VERDICTS = ("occurred", "missed", "canceled", "archived")
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_DAY = timedelta(days=1)
# Dates of one series in a list of what is to come.
_OF_A_SERIES = 3


@command(
    "mindcache plans",
    "mindcache plans --due",
    'mindcache plans --from "next week" --to "next week" --tag client/acme',
)
@click.option("--upcoming", is_flag=True, help="What isn't over (the default).")
@click.option("--due", is_flag=True, help="What is over and still planned.")
@click.option("--open", "is_open", is_flag=True, help="Whatever is still planned.")
@click.option("--from", "start", metavar="DATE", default="", help="From this date on.")
@click.option("--to", "end", metavar="DATE", default="", help="Up to its end.")
@click.option(
    "--status",
    "statuses",
    metavar="S",
    multiple=True,
    help="planned, occurred, missed, canceled, … Repeatable.",
)
@click.option("--tag", "tags", metavar="TAG", multiple=True, help="Of notes so tagged.")
@click.option(
    "--project", "projects", metavar="TEXT", multiple=True, help="Of that project."
)
@click.option(
    "--location", "locations", metavar="TEXT", multiple=True, help="At that location."
)
@click.option(
    "--entity",
    "entities",
    metavar="NOTE",
    multiple=True,
    help="Of notes linking to it.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    metavar="N",
    help="How many at most.",
)
def plans(
    call: Call,
    *,
    upcoming: bool,
    due: bool,
    is_open: bool,
    start: str,
    end: str,
    statuses: tuple[str, ...],
    tags: tuple[str, ...],
    projects: tuple[str, ...],
    locations: tuple[str, ...],
    entities: tuple[str, ...],
    limit: int,
) -> None:
    """List when plans take place, each occurrence of a series on its own.

    Without an option, what is to come. A date may be a phrase. Without --from and
    --to it is about the years around this one: from last January to next December.
    """
    from mindcache.errors import UsageError
    from mindcache.recall.agenda import Wanted, agenda
    from mindcache.recall.filters import Filters

    if upcoming + due + is_open > 1:
        raise UsageError("--upcoming, --due and --open exclude each other")
    narrowed = any(each.strip() for each in (start, end, *statuses))
    kind: Kind = "due" if due else "open" if is_open else ""
    if upcoming or not (kind or narrowed):
        kind = "upcoming"
    filters = Filters(
        tags=tags, projects=projects, locations=locations, entities=entities
    )
    app = call.app
    reader = app.reader()
    home = app.settings.text("timezone")
    # A daily series would hide all else; --to asks for each of its dates.
    folds = kind == "upcoming" and not (end.strip() or call.json)
    most = None if folds else limit
    wanted = Wanted(kind, start, end, statuses, filters, most)
    found = agenda(reader, wanted, app.moment(), home)
    call.settle()
    if call.json:
        from mindcache import wire

        state = {
            "stale": app.freshness.stale,
            "pending": app.freshness.pending,
            "problems": wire.problems(app.freshness.problems),
        }
        output.print_json(wire.merged(wire.agenda(found), state))
        return
    output.warn_when_stale(app.freshness)
    folded: list[str] = []
    if folds:
        found, folded = _folded(found, limit)
    _print(found, limit, home)
    for line in folded:
        output.say(line)


def _print(found: Agenda, limit: int, home: str) -> None:
    rows = [
        (_when(each.occurrence, home), each.occurrence.status, _what(each))
        for each in found.occasions
    ]
    for line, each in zip(output.table(rows), found.occasions, strict=True):
        output.say(line)
        for detail in _details(each):
            output.say("    " + detail)
    if found.left_out:
        whole = limit + found.left_out
        output.say(f"{found.left_out:,} more; --limit {whole} shows them")
    if not rows:
        last = _day(found.high - timedelta(microseconds=1))
        output.say(f"Nothing from {_day(found.low)} to {last}.")
    if found.undated:
        plans = output.counted(found.undated, "plan")
        verb = "says" if found.undated == 1 else "say"
        output.say(f"{plans} {verb} no time_start and can't be listed.")


def _folded(found: Agenda, limit: int) -> tuple[Agenda, list[str]]:
    """The next few of each series, and a line for each of those shown that goes on."""
    of: dict[int, list[Occasion]] = {}
    shown = []
    for each in found.occasions:
        mine = of.setdefault(each.node.file_id, [])
        mine.append(each)
        if len(mine) <= _OF_A_SERIES:
            shown.append(each)
    listed = {each.node.file_id for each in shown[:limit]}
    lines = [
        f"{output.single(mine[0].node.title)}: {len(mine) - _OF_A_SERIES:,} more to"
        f" {_day(mine[-1].occurrence.start)}"
        for file_id, mine in of.items()
        if len(mine) > _OF_A_SERIES and file_id in listed
    ]
    if lines:
        lines.append("--to DATE shows all up to then.")
    left = max(0, len(shown) - limit)
    return replace(found, occasions=tuple(shown[:limit]), left_out=left), lines


def _what(each: Occasion) -> str:
    return f"{output.single(each.node.title)}  ·  {output.path_text(each.node.path)}"


def _day(moment: datetime) -> str:
    return moment.date().isoformat()


def _when(each: Occurrence, home: str) -> str:
    """The day of the week, the day, and the hours, with the zone if it is another."""
    weekday = _WEEKDAYS[each.start.weekday()]
    if each.all_day:
        last = each.end - _DAY
        until = f" to {_day(last)}" if last > each.start else ""
        return f"{weekday} {_day(each.start)}{until}"
    text = f"{weekday} {each.start:%Y-%m-%d %H:%M}"
    if each.end > each.start:
        same = each.end.date() == each.start.date()
        text += f"–{each.end:%H:%M}" if same else f" to {each.end:%Y-%m-%d %H:%M}"
    return f"{text} {each.zone}" if each.zone != home else text


def _details(each: Occasion) -> list[str]:
    occurrence, node = each.occurrence, each.node
    parts = []
    if occurrence.moved_from is not None:
        before = occurrence.moved_from
        shown = _day(before) if occurrence.all_day else f"{before:%Y-%m-%d %H:%M}"
        parts.append(f"moved from {shown}")
    if node.location:
        parts.append(f"at {output.single(node.location)}")
    if occurrence.because:
        parts.append(output.single(occurrence.because))
    return ["  ·  ".join(parts)] if parts else []


# -- plan ----------------------------------------------------------------------


@command(
    'mindcache plan "plans/Board meeting.md" occurred',
    'mindcache plan plans/Yoga.md missed --on yesterday --because "a cold"',
)
@click.argument("name", metavar="ID")
@click.argument("outcome", type=click.Choice(_VERDICTS))
@click.option("--because", metavar="TEXT", default="", help="Why; kept in the note.")
@click.option(
    "--on", "on", metavar="DATE", default="", help="Which occurrence of a series."
)
def plan(call: Call, name: str, outcome: str, because: str, on: str) -> None:
    """Write into the plan ID what became of it.

    ID is an id or a path, exactly. A plan that stands alone gets status and outcome;
    of a series, the occurrence on that date gets a line, and canceled or archived
    without --on is meant for the whole. To change an outcome, say why.
    """
    from mindcache import scribe
    from mindcache.cli.places import exact_note
    from mindcache.cli.written import own
    from mindcache.recall.filters import interval_of
    from mindcache.write.plans import Verdict

    app = call.app
    day = interval_of(on, "--on", app.now()) if on.strip() else None
    verdict = Verdict(outcome, own(because), day)
    with app.writing():
        node, done, behind = scribe.settle(app, exact_note(app, name), verdict)
    call.settle()
    if call.json:
        from mindcache import wire

        output.print_json(wire.settled(done, node.id, outcome))
    elif done.is_change:
        which = f" ({done.key})" if done.key else ""
        output.say(f"{output.path_text(done.path)}{which}: {outcome}, was {done.was}")
    else:
        output.say(f"{output.path_text(done.path)} is {outcome} already")
    tell_behind(call, behind)
