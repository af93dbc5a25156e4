"""The tools that list: what hangs together, what happened, what is planned, the state."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, cast

from mindcache import wire
from mindcache.errors import UsageError
from mindcache.fence import NOTICE
from mindcache.mcp.answer import Answer, Wash, fitted, shown_list
from mindcache.mcp.arguments import Given
from mindcache.mcp.standing import counted, stale_line, state
from mindcache.mcp.tools import AROUND, BUDGET

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.index.graph import Direction, EdgeRow
    from mindcache.recall.agenda import Kind as PlanKind
    from mindcache.recall.walk import Walk

__all__ = ["neighbours", "status", "timeline"]

_NEIGHBOURS = 20
_EPISODES = 30


def neighbours(app: App, given: Given, wash: Wash) -> Answer:
    """What a note hangs together with. Raises NoteNotFound, UsageError."""
    from mindcache.recall import walk
    from mindcache.recall.find import get_note
    from mindcache.recall.standing import standings

    if given.text("to") and given.text("order"):
        raise UsageError("to and order are two questions", mend="ask one")
    reader = app.reader()
    start = get_note(reader, given.text("name"))
    limit = given.whole("limit", _NEIGHBOURS)
    relations = given.texts("relation")
    if given.text("to"):
        goal = get_note(reader, given.text("to"))
        found = walk.between(reader, start, goal, relations, limit)
    elif given.text("order"):
        forward = given.text("order") == "after"
        found = walk.chain(reader, start, forward=forward, limit=limit)
    else:
        direction = cast("Direction", given.text("direction") or "both")
        depth = given.whole("depth", 1)
        found = walk.near(reader, start, relations, depth, direction, limit)
    stand = standings(reader, [step.node for step in found.steps], app.now())
    shape = wire.walk(found, stand)
    nodes = cast("list[dict[str, object]]", shape["nodes"])
    kept = ("path", "id", "title", "type", "summary", "date", "holds", "depth", "via")
    shape["nodes"] = [{key: node[key] for key in kept} for node in nodes]
    lines = [wash.line(line) for line in _walked(found)]
    shown, left = fitted(lines, BUDGET - AROUND) if lines else ([], 0)
    text = wash.fence("\n".join(shown), start.path) if shown else ""
    after = stale_line(app)
    if left or found.left_out:
        more = left + found.left_out
        after.append(f"{more:,} more; relation, direction and limit narrow it.")
    if not lines:
        after.append(f"Nothing hangs together with {start.path} in that way.")
    data = cast("dict[str, object]", wash.data(wire.merged(shape)))
    data |= state(app, wash)
    parts = [NOTICE, text] if text else []
    return Answer("\n".join((*parts, *after, *wash.told())), data)


def _walked(found: Walk) -> list[str]:
    lines = []
    for step in found.steps:
        via = shown_list(map(_edge, step.via), 3)
        summary = f": {step.node.summary}" if step.node.summary else ""
        lines.append(f"{step.depth} {step.node.path}{summary} ({via})")
    lines += [
        f"{counted(len(way), 'step')}: " + "; ".join(map(_edge, way))
        for way in found.paths
    ]
    return lines


def _edge(edge: EdgeRow) -> str:
    return f"{edge.source} —{edge.relation}→ {edge.target}"


def timeline(app: App, given: Given, wash: Wash) -> Answer:
    """What happened in a time, or what is planned. Raises UsageError."""
    if given.text("plans"):
        return _plans(app, given, wash)
    from mindcache.recall.timeline import Span
    from mindcache.recall.timeline import timeline as found_in

    names = ("since", "until", "day", "project")
    span = Span(
        **{name: given.text(name) for name in names},
        limit=given.whole("limit", _EPISODES),
    )
    reader = app.reader()
    found = found_in(reader, span, app.now(), app.settings.text("timezone"))
    rows = []
    for each in found.episodes:
        project = f"[{each.project}] " if each.project else ""
        words = each.text if each.anchor else f"{each.title}: {each.text}"
        status = f" ({each.status})" if each.status else ""
        when = each.date.replace("T", " ")
        rows.append(wash.line(f"{when} {project}{words}{status} · {each.id}"))
    # The last ones are what is asked for: what has no room is dropped from the front.
    shown, left = fitted(rows[::-1], BUDGET - AROUND) if rows else ([], 0)
    earlier = found.left_out + left
    episodes = found.episodes[left:]
    data = {
        "episodes": [wire.episode(each) for each in episodes],
        "left_out": earlier,
        "undated": found.undated,
    }
    after = [f"{earlier:,} earlier; until or a day narrows it."] if earlier else []
    if not rows:
        after.append("Nothing happened then that the notes tell of.")
    if found.undated:
        after.append(
            f"{counted(found.undated, 'event')} without a date not among them."
        )
    return _listed(app, shown[::-1], data, after, wash)


def _plans(app: App, given: Given, wash: Wash) -> Answer:
    from mindcache.recall import Filters
    from mindcache.recall.agenda import Wanted, agenda

    day = given.text("day")
    project = given.text("project")
    wanted = Wanted(
        cast("PlanKind", given.text("plans")),
        given.text("since") or day,
        given.text("until") or day,
        filters=Filters(projects=(project,) if project else ()),
        limit=given.whole("limit", _EPISODES),
    )
    zone = app.settings.text("timezone")
    found = agenda(app.reader(), wanted, app.moment(), zone)
    shapes = [wire.occasion(each) for each in found.occasions]
    rows = []
    for shape in shapes:
        when = str(shape["start"]).replace("T", " ")
        end = str(shape["end"] or "").replace("T", " ")
        until = f" to {end}" if end else ""
        where = f" at {shape['location']}" if shape["location"] else ""
        said = f"{when}{until} {shape['title']}{where}"
        rows.append(wash.line(f"{said} ({shape['status']}) · {shape['path']}"))
    shown, left = fitted(rows, BUDGET - AROUND) if rows else ([], 0)
    whole = wire.agenda(found)
    more = found.left_out + left
    data = {**whole, "plans": shapes[: len(shown)], "left_out": more}
    after = [f"{more:,} more; until narrows it."] if more else []
    if not rows:
        after.append(f"Nothing planned from {whole['from']} to {whole['to']}.")
    return _listed(app, shown, data, after, wash)


def _listed(
    app: App, rows: list[str], data: dict[str, object], after: list[str], wash: Wash
) -> Answer:
    text = [NOTICE, wash.fence("\n".join(rows), "the vault")] if rows else []
    whole = cast("dict[str, object]", wash.data(wire.merged(data)))
    whole |= state(app, wash)
    lines = (*text, *after, *stale_line(app), *wash.told())
    return Answer("\n".join(lines), whole)


def status(app: App, _: Given, wash: Wash) -> Answer:
    """How the vault and its cache stand; nothing is synced for it."""
    found = app.status()
    data = cast("dict[str, object]", wash.data(wire.merged(asdict(found))))
    text = (
        f"Vault {found.vault}: {counted(found.on_disk, 'note')} on disk,"
        f" {found.indexed:,} indexed, {counted(found.pending, 'file')} pending,"
        f" {found.held:,} held apart, {found.skipped:,} skipped, {found.unread:,} unread."
        f" Last scan {found.last_scan or 'never'}; daemon: {found.daemon}."
    )
    if found.pending:
        text += " Any question takes in what is pending."
    return Answer(wash.line(text), data)
