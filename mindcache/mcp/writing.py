"""The tools that write: remember, update, plan. All of it through `scribe`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from mindcache import scribe, tags, wire
from mindcache.errors import TwinFound
from mindcache.fence import own_words
from mindcache.mcp.answer import Answer, Wash
from mindcache.mcp.arguments import Given
from mindcache.mcp.guard import GLOBAL, allow, promotion_refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mindcache.app import App
    from mindcache.memory import Memory
    from mindcache.note import Property

__all__ = ["plan", "remember", "update"]


def _outcome(
    app: App, data: dict[str, object], behind: Exception | None, *, written: bool
) -> tuple[dict[str, object], list[str]]:
    """What every write tells: whether it is written and indexed, and remarks."""
    done, app.remarks = app.remarks, []
    remarks = [*cast("list[str]", data.get("remarks", [])), *done]
    lines = [f"Note: {remark}" for remark in remarks]
    if behind is not None:
        lines.append(f"It is written, but not indexed yet: {behind}")
    indexed = written and behind is None
    return {**data, "remarks": remarks, "written": written, "indexed": indexed}, lines


def remember(app: App, given: Given, wash: Wash, *, project: str = "") -> Answer:
    """Write a new note. `project` is the one that the server stands in.

    What shall hold everywhere is written for its project, and proposed. Raises TwinFound for what a note says already, Refused for what the contract or the
    guard forbids, UsageError.
    """
    from mindcache.write.remember import Wish

    kept = _without_global(given.texts("tags"))
    is_global = given.text("scope") == "global" or kept != given.texts("tags")
    if is_global and not (given.text("project") or project):
        raise promotion_refused("a new note")
    links = {
        name: given.texts(name)
        for name in ("about", "involves", "derived_from")
        if given.texts(name)
    }
    wish = Wish(
        own_words(given.text("text")),
        type=given.text("type"),
        title=given.text("title"),
        summary=own_words(given.text("summary")),
        at=given.text("at"),
        until=given.text("until"),
        project=given.text("project"),
        source=given.text("source"),
        where=given.text("location"),
        tags=kept,
        links=links,
        scope="project" if is_global else _scope(given, project),
        allow_missing=given.flag("allow_missing"),
        confidence=given.fraction("confidence"),
        importance=given.fraction("importance"),
    )
    try:
        made = scribe.remember(
            app,
            wish,
            project,
            anyway=given.flag("anyway"),
            dry_run=given.flag("dry_run"),
            guard=allow,
        )
    except TwinFound as error:
        if is_global and not given.flag("dry_run"):
            _propose_twin(app, error, wish.text)
        raise
    shape = wire.remembered(made.draft, written=made.written)
    data, lines = _outcome(app, shape, made.behind, written=made.written)
    draft = made.draft
    if is_global:
        told, data["proposal"] = _promotion(app, draft.memory, dry_run=not made.written)
        lines.append(told)
    if made.written:
        head = f"Written: {draft.path} ({draft.id}, {draft.memory.type})"
        text = [head, f"Tags: {', '.join(draft.memory.tags)}"]
    else:
        text = [f"Nothing written; this would be {draft.path}:", draft.note.text]
    kinds = ", ".join(f"{n} × {kind}" for kind, n in draft.redacted)
    text += [f"Taken out: {kinds}."] if kinds else []
    washed = cast("dict[str, object]", wash.data(data))
    return Answer(wash.text("\n".join((*text, *lines))), washed)


def _promotion(
    app: App, memory: Memory, *, dry_run: bool
) -> tuple[str, dict[str, object]]:
    """Propose that a note hold everywhere: what to say of that, and its data."""
    from mindcache.digest.proposals import ask
    from mindcache.digest.step import Source, Suggestion
    from mindcache.errors import MindcacheError

    holds = "It holds for its project"
    if dry_run:
        return f"{holds}; that it holds everywhere would be proposed.", {}
    suggestion = Suggestion(
        "promote",
        f"promote:{memory.id or memory.path}",
        (memory.path,),
        "an agent asks for it",
        (Source(memory.path, 0, memory.summary),),
    )
    try:
        asked = ask(app, suggestion)
    except MindcacheError as error:
        return f"{holds}; that it holds everywhere could not be proposed: {error}", {}
    said = f"{holds}; that it holds everywhere is proposed in {asked.page} ({asked.id})"
    data: dict[str, object] = {"id": asked.id, "path": asked.page}
    return f"{said}, and for the person to decide.", data


def _propose_twin(app: App, twin: TwinFound, text: str) -> None:
    """Propose for everywhere what the same call wrote before it was killed.

    Else the call that is made again would be refused for its own note, and what it was
    to propose be lost. What came of it is added to what the refusal says.
    """
    for path in twin.candidates[:1]:
        seen = scribe.seen(app, path)
        memory = seen.memory
        if seen.note.body.strip() == text.strip() and memory.properties.get("project"):
            twin.message += f". {_promotion(app, memory, dry_run=False)[0]}"


def _without_global(given: Sequence[str]) -> tuple[str, ...]:
    return tuple(tag for tag in given if tags.key(tag) != GLOBAL)


def _to_promote(app: App, name: str) -> Memory:
    """The note that an agent wants to hold everywhere. Raises Refused where it may not."""
    from mindcache.recall.find import get_exact

    path = get_exact(app.reader(), name, by_name=False).path
    memory = scribe.seen(app, path).memory
    allow(memory, memory)
    if memory.type == "topic" or not memory.properties.get("project"):
        raise promotion_refused(path)
    return memory


def _scope(given: Given, project: str) -> str:
    """The scope: what no project is known of still isn't for everywhere."""
    has_own = given.text("project") or project
    says_so = any(tags.namespace(tag) == "scope" for tag in given.texts("tags"))
    return given.text("scope") or ("" if has_own or says_so else "project")


def update(app: App, given: Given, wash: Wash) -> Answer:
    """Change one note; that it hold everywhere is proposed.

    Raises as `scribe.update`, and Refused by the guard.
    """
    from mindcache.errors import UsageError
    from mindcache.write.update import Edits

    def words(name: str) -> str | None:
        return own_words(given.text(name)) if name in given else None

    assign = cast("dict[str, Property]", given.get("set", {}))
    edits = Edits(
        summary=words("summary"),
        assign=assign,
        unset=given.texts("unset"),
        add_tags=given.texts("add_tags"),
        remove_tags=given.texts("remove_tags"),
        append=words("append"),
        body=words("body"),
    )
    if edits.is_empty:
        raise UsageError(
            "nothing is to be changed",
            mend="give summary, set, unset, add_tags, remove_tags, append or body",
        )
    name, dry_run = given.text("name").strip(), given.flag("dry_run")
    kept = _without_global(edits.add_tags)
    wanted = _to_promote(app, name) if kept != tuple(edits.add_tags) else None
    if wanted is not None:
        # The tick changes both; until then its scope is what it was.
        removed = [t for t in edits.remove_tags if tags.namespace(t) != "scope"]
        edits = replace(edits, add_tags=kept, remove_tags=removed)
    done = scribe.Done((), written=False)
    if not edits.is_empty:
        done = scribe.update(app, name, edits, dry_run=dry_run, guard=allow)
    shape = wire.rewrites(done.rewrites, written=done.written)
    data, lines = _outcome(app, shape, done.behind, written=done.written)
    if wanted is not None:
        told, data["proposal"] = _promotion(app, wanted, dry_run=dry_run)
        lines.append(told)
    text = []
    for each in done.rewrites:
        if not each.is_change:
            text.append(f"{each.path}: nothing to change")
        elif done.written:
            changed = [*each.changes, *(["text"] if each.has_new_text else [])]
            text.append(f"Written: {each.path} ({', '.join(changed)})")
        else:
            text.append(f"Nothing written; this would change {each.path}:")
            text.append(each.diff().rstrip("\n"))
    washed = cast("dict[str, object]", wash.data(data))
    return Answer(wash.text("\n".join((*text, *lines))), washed)


def plan(app: App, given: Given, wash: Wash) -> Answer:
    """Say what became of a plan. Raises as `scribe.settle`."""
    from mindcache.recall.filters import interval_of
    from mindcache.recall.find import get_exact
    from mindcache.write.plans import Verdict

    on = given.text("on")
    day = interval_of(on, "on", app.now()) if on else None
    outcome = given.text("outcome")
    verdict = Verdict(outcome, own_words(given.text("because")), day)
    with app.writing():
        path = get_exact(app.reader(), given.text("name").strip(), by_name=False).path
        node, done, behind = scribe.settle(app, path, verdict)
    written = done.is_change
    shape = wire.settled(done, node.id, outcome)
    data, lines = _outcome(app, shape, behind, written=written)
    which = f" ({done.key})" if done.key else ""
    said = f"is {outcome} now, was {done.was}" if written else f"is {outcome} already"
    text = f"{done.path}{which} {said}"
    washed = cast("dict[str, object]", wash.data(data))
    return Answer(wash.text("\n".join((text, *lines))), washed)
