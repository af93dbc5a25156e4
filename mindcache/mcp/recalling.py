"""The tool that answers questions, within a budget of tokens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from mindcache import wire
from mindcache.errors import UsageError
from mindcache.fence import MARK, NOTICE
from mindcache.mcp.answer import Answer, Wash, shown_list
from mindcache.mcp.arguments import Given
from mindcache.mcp.standing import counted, nodes_at, sources, stale_line
from mindcache.mcp.tools import AROUND, BUDGET
from mindcache.text.tokens import estimate

if TYPE_CHECKING:
    from mindcache.app import App, Mode
    from mindcache.recall import Ask, Hit, Recall

__all__ = ["recall"]

_HITS = 10
# What a fence takes beside the names in it.
_FENCE = estimate(f'<{MARK} from="" source=""></{MARK}>')
# How often an answer is packed anew because its fences took more than was thought.
_PACKINGS = 3
# What a hit tells beside its text, in the structured answer.
_OF_A_HIT = (
    "path", "anchor", "lines", "id", "title", "type", "status", "holds",
    "superseded_by", "contradicted_by", "proposal", "date", "score", "alike", "text",
)  # fmt: skip


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
    origins = sources(app.reader(), [hit.path for hit in found.hits])
    fences = [
        wash.fence(hit.text or hit.summary, _place(hit), origins.get(hit.path, ""))
        for hit in found.hits
    ]
    shape = wire.recall(found)
    hits = cast("list[dict[str, object]]", shape["hits"])
    short = [
        {
            **{key: hit[key] for key in _OF_A_HIT},
            "text": fence,
            "source_type": origins.get(str(hit["path"]), ""),
        }
        for hit, fence in zip(hits, fences, strict=True)
    ]
    notes = _after_recall(app, found, ask, wash)
    head = f"{counted(len(fences), 'hit')} ({found.route})."
    if found.hits:
        head = f"{head} {NOTICE}"
    data = {**shape, "hits": short}
    data = {k: v for k, v in data.items() if k not in {"elapsed_ms", "budget"}}
    data = _washed(data, wash) | {"redacted": wash.count}
    used = nodes_at(app.reader(), [hit.path for hit in found.hits])
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
    room = max(40, budget - AROUND)
    found = app.recall(mode, ask._replace(budget=room), corpus)
    for _ in range(_PACKINGS):
        takes = sum(
            estimate(hit.text or hit.summary) + _FENCE + estimate(_place(hit))
            for hit in found.hits
        )
        over = takes - (budget - AROUND)
        if over <= 0 or room <= 40:
            break
        room = max(40, room - over)
        found = app.recall(mode, ask._replace(budget=room), corpus)
    return found


def _place(hit: Hit) -> str:
    return f"{hit.path}#{hit.anchor}" if hit.anchor else hit.path


def _after_recall(app: App, found: Recall, ask: Ask, wash: Wash) -> list[str]:
    """What is not shown, and which argument shows it."""
    lines = stale_line(app)
    if not found.hits:
        lines.append(f"No answer: {wash.line(found.reason) or 'nothing found'}.")
    elif found.reason not in {"", found.went_on}:
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
