"""The tools that read: recall, get, neighbours, timeline, status."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, cast

from mindcache import wire
from mindcache.errors import UsageError
from mindcache.fence import MARK, NOTICE
from mindcache.mcp.answer import Answer, Wash, fitted, shown_list
from mindcache.mcp.arguments import Given
from mindcache.mcp.tools import BUDGET
from mindcache.text.tokens import estimate

if TYPE_CHECKING:
    from mindcache.app import App, Mode
    from mindcache.cache.read import ChunkRow, LinkRow, NodeRow, Reader
    from mindcache.index.graph import Direction, EdgeRow
    from mindcache.recall import Ask, Hit, Recall
    from mindcache.recall.agenda import Kind as PlanKind
    from mindcache.recall.standing import Standing
    from mindcache.recall.walk import Walk

__all__ = ["get", "neighbours", "recall", "status", "text_of", "timeline"]

_HITS = 10
_NEIGHBOURS = 20
_EPISODES = 30
# Links of a note that its answer lists each way; `neighbours` lists all.
_LINKS = 12
# What the lines around the fenced texts may take: the head, what was left out.
_AROUND = 90
# What a fence takes beside the names in it.
_FENCE = estimate(f'<{MARK} from="" source=""></{MARK}>')
# How often an answer is packed anew because its fences took more than was thought.
_PACKINGS = 3
# What a hit tells beside its text, in the structured answer.
_OF_A_HIT = (
    "path", "anchor", "lines", "id", "title", "type", "status", "holds",
    "superseded_by", "date", "score", "alike", "text",
)  # fmt: skip
# Names of a note's properties that its first lines tell already.
_TOLD = frozenset(
    {"id", "type", "status", "title", "summary", "tags", "tag", "aliases"}
)


def _state(app: App, wash: Wash) -> dict[str, object]:
    fresh = app.freshness
    return {
        "stale": fresh.stale,
        "pending": fresh.pending,
        "problems": wire.problems(fresh.problems),
        "redacted": wash.count,
    }


def _stale_line(app: App) -> list[str]:
    if not app.freshness.stale:
        return []
    pending = app.freshness.pending
    return [f"Behind the disk by {pending:,} files: another process is indexing."]


# -- recall -------------------------------------------------------------------


def recall(app: App, given: Given, wash: Wash) -> Answer:
    """Answer a question within its budget. Raises UsageError."""
    from mindcache.recall import Ask, Filters

    filters = Filters(
        types=given.texts("type"),
        statuses=given.texts("status"),
        tags=given.texts("tags"),
        locations=given.texts("location"),
        entities=given.texts("entity"),
        projects=given.texts("project"),
        start=given.text("from"),
        end=given.text("to"),
    )
    ask = Ask(
        given.text("query"),
        filters,
        limit=given.whole("limit", _HITS),
        floor=given.fraction("floor"),
    )
    if not ask.text.strip() and not filters:
        raise UsageError(
            "query is missing, and there is no filter",
            mend='for example: query "what did we decide about pricing?"',
        )
    mode = cast("Mode", given.text("mode") or "auto")
    found = _packed(app, mode, ask, given.whole("budget", BUDGET))
    sources = _sources(app.reader(), [hit.path for hit in found.hits])
    fences = [
        wash.fence(hit.text or hit.summary, _place(hit), sources.get(hit.path, ""))
        for hit in found.hits
    ]
    shape = wire.recall(found)
    hits = cast("list[dict[str, object]]", shape["hits"])
    short = [
        {
            **{key: hit[key] for key in _OF_A_HIT},
            "text": fence,
            "source_type": sources.get(str(hit["path"]), ""),
        }
        for hit, fence in zip(hits, fences, strict=True)
    ]
    notes = _after_recall(app, found, ask, wash)
    head = f"{_counted(len(fences), 'hit')} ({found.route})."
    if found.hits:
        head = f"{head} {NOTICE}"
    data = {**shape, "hits": short}
    data = {k: v for k, v in data.items() if k not in {"elapsed_ms", "budget"}}
    data = _washed(data, wash) | {"redacted": wash.count}
    used = _nodes(app.reader(), [hit.path for hit in found.hits])
    return Answer("\n".join((head, *fences, *notes, *wash.told())), data, used)


def _washed(data: Mapping[str, object], wash: Wash) -> dict[str, object]:
    """The data washed, but for the texts of hits, which are."""
    hits = [
        {k: v if k == "text" else wash.data({k: v})[k] for k, v in hit.items()}  # type: ignore[index]
        for hit in cast("list[dict[str, object]]", data["hits"])
    ]
    rest = {key: value for key, value in data.items() if key != "hits"}
    return {**cast("dict[str, object]", wash.data(rest)), "hits": hits}


def _packed(app: App, mode: Mode, ask: Ask, budget: int) -> Recall:
    """The answer whose texts with their fences fit into the budget."""
    corpus = app.corpus()
    room = max(40, budget - _AROUND)
    found = app.recall(mode, replace(ask, budget=room), corpus)
    for _ in range(_PACKINGS):
        takes = sum(
            estimate(hit.text or hit.summary) + _FENCE + estimate(_place(hit))
            for hit in found.hits
        )
        over = takes - (budget - _AROUND)
        if over <= 0 or room <= 40:
            break
        room = max(40, room - over)
        found = app.recall(mode, replace(ask, budget=room), corpus)
    return found


def _place(hit: Hit) -> str:
    return f"{hit.path}#{hit.anchor}" if hit.anchor else hit.path


def _nodes(reader: Reader, paths: Sequence[str]) -> tuple[NodeRow, ...]:
    found = reader.file_ids(dict.fromkeys(paths))
    return tuple(reader.nodes(found.values()))


def _sources(reader: Reader, paths: Sequence[str]) -> dict[str, str]:
    """How these notes came into the vault, by path; those written here are left out."""
    ids = reader.file_ids(dict.fromkeys(paths))
    facts = reader.facts(ids.values())
    found: dict[str, str] = {}
    for path, file_id in ids.items():
        source = facts[file_id].properties.get("source_type")
        if isinstance(source, str) and source.strip():
            found[path] = source.strip()
    return found


def _after_recall(app: App, found: Recall, ask: Ask, wash: Wash) -> list[str]:
    """What is not shown, and which argument shows it."""
    lines = _stale_line(app)
    if not found.hits:
        lines.append(f"No answer: {wash.line(found.reason) or 'nothing found'}.")
    elif found.reason and not found.escalated:
        lines.append(wash.line(found.reason))
    room = found.budget
    if room is not None and room.left_out:
        names = shown_list(map(wash.line, room.left_out), 3)
        lines.append(f"{len(room.left_out):,} had no room in the budget: {names}.")
    if found.left_out:
        more = ask.limit + found.left_out
        lines.append(f"{found.left_out:,} more; limit {more} shows them.")
    if found.below_floor:
        best = f"{found.best_rejected or 0:.2f}"
        if found.just_below:
            floor = int(found.next_floor * 10_000) / 10_000
            lines.append(
                f"{found.just_below:,} just below the floor (best {best}): floor"
                f" {floor:g} shows them, floor 0 all {found.below_floor:,}."
            )
        else:
            lines.append(
                f"{found.below_floor:,} below the floor (best {best}): floor 0 shows"
                " them."
            )
    return lines


# -- get ----------------------------------------------------------------------


def get(app: App, given: Given, wash: Wash) -> Answer:
    """One note, or a part of one, from a line on. Raises NoteNotFound."""
    from mindcache.recall.find import find_block, get_note

    reader = app.reader()
    name = given.text("name")
    budget = given.whole("budget", BUDGET)
    if part := find_block(reader, name):
        return _block(app, reader, *part, wash=wash, budget=budget)
    node = get_note(reader, name)
    _, note, _ = app.look(node.path)
    first = note.text.count("\n", 0, note.body_offset) + 1
    body = note.body.replace("\r\n", "\n").replace("\r", "\n").rstrip("\n").split("\n")
    begin = max(0, given.whole("line", first) - first)
    out, back = reader.links_from(node.path), reader.links_to(node.path)
    head = _head(reader, node, note.properties, app) if not begin else []
    links = [*_link_lines("→", out), *_link_lines("←", back, is_back=True)]
    kept, left = fitted(body[begin:], max(60, budget - _AROUND - _cost(head, links)))
    source = str(note.properties.get("source_type") or "")
    fence = wash.fence("\n".join((*head, *kept)), node.path, source)
    lines = [NOTICE, fence, *map(wash.line, links), *_stale_line(app)]
    after = first + begin + len(kept)
    if left:
        lines.append(f"{left:,} lines more; get with line {after} goes on.")
    if begin >= len(body):
        lines.append(f"The note ends before line {first + begin}.")
    data = {
        **wire.merged(wire.node(node)),
        **wire.standing(_standing(app, reader, node)),
        "properties": dict(note.properties),
        "text_line": first + begin,
        "next_line": after if left else None,
        "links": [_brief(row) for row in out[:_LINKS]],
        "backlinks": [_brief(row) for row in back[:_LINKS]],
        "problems": wire.problems(note.problems),
    }
    whole = cast("dict[str, object]", wash.data(data)) | {
        "text": wash.fence("\n".join(kept), node.path, source)
    }
    whole |= {**_state(app, wash), "problems": whole["problems"]}
    return Answer("\n".join((*lines, *wash.told())), whole, (node,))


def _cost(*lines: Iterable[str]) -> int:
    return sum(estimate(line) for each in lines for line in each)


def _standing(app: App, reader: Reader, node: NodeRow) -> Standing:
    from mindcache.recall.standing import standing_of

    return standing_of(reader, node, app.now())


def _head(
    reader: Reader, node: NodeRow, properties: Mapping[str, object], app: App
) -> list[str]:
    """The note's name and what its properties say, a line each."""
    stands = _standing(app, reader, node)
    mark = f" ({stands.words})" if stands.words else ""
    rows = [
        ("id", node.id),
        ("type", f"{node.type}, {node.status}"),
        ("date", node.date),
        ("tags", ", ".join(node.tags)),
        ("aliases", ", ".join(node.aliases)),
        ("summary", node.summary),
    ]
    rows += [(k, _value(v)) for k, v in properties.items() if k not in _TOLD]
    lines = [f"{key}: {' '.join(text.split())}" for key, text in rows if text]
    kept, left = fitted(lines, 400)
    more = [f"… {left} more properties"] if left else []
    return [f"# {' '.join(node.title.split())}{mark}", *kept, *more, ""]


def _value(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(map(_value, value))
    return "" if value is None else json.dumps(value, ensure_ascii=False, default=str)


def _link_lines(
    arrow: str, rows: Sequence[LinkRow], *, is_back: bool = False
) -> list[str]:
    """The links one way, each note once."""
    ends: dict[str, str] = {}
    for row in rows:
        other = row.source if is_back else row.resolved or f"{row.target} (nowhere)"
        ends.setdefault(other, row.relation)
    shown = [f"{arrow} {relation} {other}" for other, relation in ends.items()]
    more = [f"{arrow} {len(shown) - _LINKS} more"] if len(shown) > _LINKS else []
    return shown[:_LINKS] + more


def _brief(row: LinkRow) -> dict[str, object]:
    shape = wire.link(row)
    return {key: shape[key] for key in ("source", "target", "relation", "resolved")}


def _block(
    app: App, reader: Reader, node: NodeRow, chunk: ChunkRow, *, wash: Wash, budget: int
) -> Answer:
    from mindcache import journal

    entry = journal.parse(chunk.text, chunk.anchor[1:]) if chunk.at else None
    project = (entry.project if entry else "") or node.project
    text = entry.text if entry else chunk.text
    kept, left = fitted(text.split("\n"), max(60, budget - _AROUND))
    source = _sources(reader, [node.path]).get(node.path, "")
    when = chunk.at[:16] or node.date
    place = f"{node.path}#{chunk.anchor}"
    head = " · ".join(part for part in (node.title, when, project) if part)
    links = [
        row
        for row in reader.links_from(node.path)
        if chunk.line_start <= row.line <= chunk.line_end
    ]
    fence = wash.fence("\n".join((f"[{head}]", *kept)), place, source)
    lines = [NOTICE, fence, *map(wash.line, _link_lines("→", links))]
    if left:
        lines.append(f"{left:,} lines more; a larger budget shows them.")
    shape = wire.merged(wire.block(node, chunk, "", project))
    data = cast("dict[str, object]", wash.data(shape)) | {
        "text": wash.fence("\n".join(kept), place, source),
        "links": [_brief(row) for row in links[:_LINKS]],
        **_state(app, wash),
    }
    return Answer("\n".join((*lines, *_stale_line(app), *wash.told())), data, (node,))


def text_of(app: App, name: str, wash: Wash) -> str:
    """A note's text, whole and fenced, for a resource. Raises NoteNotFound."""
    from mindcache.recall.find import get_note

    node = get_note(app.reader(), name)
    _, note, _ = app.look(node.path)
    source = str(note.properties.get("source_type") or "")
    return wash.fence(note.text, node.path, source)


# -- neighbours ---------------------------------------------------------------


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
    shown, left = fitted(lines, BUDGET - _AROUND) if lines else ([], 0)
    text = wash.fence("\n".join(shown), start.path) if shown else ""
    after = _stale_line(app)
    if left or found.left_out:
        more = left + found.left_out
        after.append(f"{more:,} more; relation, direction and limit narrow it.")
    if not lines:
        after.append(f"Nothing hangs together with {start.path} in that way.")
    data = cast("dict[str, object]", wash.data(wire.merged(shape)))
    data |= _state(app, wash)
    parts = [NOTICE, text] if text else []
    return Answer("\n".join((*parts, *after, *wash.told())), data)


def _walked(found: Walk) -> list[str]:
    lines = []
    for step in found.steps:
        via = shown_list(map(_edge, step.via), 3)
        summary = f": {step.node.summary}" if step.node.summary else ""
        lines.append(f"{step.depth} {step.node.path}{summary} ({via})")
    lines += [
        f"{_counted(len(way), 'step')}: " + "; ".join(map(_edge, way))
        for way in found.paths
    ]
    return lines


def _edge(edge: EdgeRow) -> str:
    return f"{edge.source} —{edge.relation}→ {edge.target}"


# -- timeline -----------------------------------------------------------------


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
    shown, left = fitted(rows[::-1], BUDGET - _AROUND) if rows else ([], 0)
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
            f"{_counted(found.undated, 'event')} without a date not among them."
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
        until = f" to {shape['end']}" if shape["end"] else ""
        where = f" at {shape['location']}" if shape["location"] else ""
        said = f"{when}{until} {shape['title']}{where}"
        rows.append(wash.line(f"{said} ({shape['status']}) · {shape['path']}"))
    shown, left = fitted(rows, BUDGET - _AROUND) if rows else ([], 0)
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
    whole |= _state(app, wash)
    lines = (*text, *after, *_stale_line(app), *wash.told())
    return Answer("\n".join(lines), whole)


# -- status -------------------------------------------------------------------


def status(app: App, _: Given, wash: Wash) -> Answer:
    """How the vault and its cache stand; nothing is synced for it."""
    found = app.status()
    data = cast("dict[str, object]", wash.data(wire.merged(asdict(found))))
    text = (
        f"Vault {found.vault}: {_counted(found.on_disk, 'note')} on disk,"
        f" {found.indexed:,} indexed, {_counted(found.pending, 'file')} pending,"
        f" {found.held:,} held apart, {found.skipped:,} skipped."
        f" Last scan {found.last_scan or 'never'}; daemon: {found.daemon}."
    )
    if found.pending:
        text += " Any question takes in what is pending."
    return Answer(wash.line(text), data)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun if number == 1 else noun + 's'}"
