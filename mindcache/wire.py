"""The JSON shapes that every surface speaks; `schema` counts their versions.

Plain dictionaries, ready for `json.dumps`. What is not known is "" or null,
never left out, so that a reader need not guess. Anchors come without "^" or "#".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from mindcache.cache.read import LinkRow, NodeRow, TagCount
from mindcache.errors import MindcacheError, Problem
from mindcache.redact import redact

if TYPE_CHECKING:  # a tag query must not load what a search needs
    from mindcache.cache.read import ChunkRow
    from mindcache.digest import Digested
    from mindcache.exporters import Report as Export
    from mindcache.importers import Report
    from mindcache.importers.found import Extracted
    from mindcache.importers.plan import Step
    from mindcache.importers.restore import Restored
    from mindcache.index.graph import EdgeRow
    from mindcache.recall.agenda import Agenda, Occasion
    from mindcache.recall.answer import Budget, Hit, Linked, Passage, Recall, Why
    from mindcache.recall.standing import Standing
    from mindcache.recall.timeline import Episode
    from mindcache.recall.topics import Branch, Tree
    from mindcache.recall.walk import Walk
    from mindcache.sync import SyncReport
    from mindcache.write.journal import Appended
    from mindcache.write.remember import Draft
    from mindcache.write.rewrite import Rewrite

__all__ = [
    "SCHEMA",
    "agenda",
    "appended",
    "block",
    "digested",
    "edge",
    "episode",
    "error",
    "exported",
    "extracted",
    "hit",
    "imported",
    "link",
    "merged",
    "node",
    "occasion",
    "problem",
    "problems",
    "recall",
    "remembered",
    "restored",
    "rewrite",
    "rewrites",
    "standing",
    "tag",
    "tagged",
    "topic",
    "topics",
    "update",
    "walk",
]

SCHEMA = 1

_OUTCOMES = ("occurred", "missed", "canceled")

JSON = dict[str, object]


def problem(value: Problem) -> JSON:
    """`{path, line, code, message, mend, severity}`."""
    return value._asdict()


def problems(values: Iterable[Problem]) -> list[JSON]:
    """Each as `problem` has it."""
    return [problem(value) for value in values]


def hit(value: Hit) -> JSON:
    """One hit, its reasons included."""
    return {
        "path": value.path,
        "anchor": value.anchor,
        "heading": value.heading,
        "lines": list(value.lines),
        "id": value.id,
        "title": value.title,
        "type": value.type,
        "status": value.status,
        "holds": value.holds,
        "superseded_by": value.superseded_by,
        "date": value.date,
        "summary": value.summary,
        "snippet": value.snippet,
        "tags": list(value.tags),
        "score": value.score,
        "alike": len(value.alike),
        "also_in": [_passage(each) for each in value.alike],
        "passages": [_passage(each) for each in value.passages],
        "text": value.text,
        "linked": [_linked(each) for each in value.linked],
        "why": [_why(each) for each in value.why],
    }


def _why(value: Why) -> JSON:
    return {
        "signal": value.signal,
        "value": value.value,
        "detail": value.detail,
        "via": [edge(each) for each in value.via],
    }


def _passage(value: Passage) -> JSON:
    return {
        "path": value.path,
        "anchor": value.anchor,
        "heading": value.heading,
        "lines": list(value.lines),
        "score": value.score,
    }


def _linked(value: Linked) -> JSON:
    return {
        "path": value.path,
        "summary": value.summary,
        "relation": value.relation,
        "direction": "in" if value.is_back else "out",
        "weight": value.weight,
    }


def _budget(value: Budget) -> JSON:
    return {
        "tokens": value.tokens,
        "used": value.used,
        "left_out": len(value.left_out),
        "left_out_paths": list(dict.fromkeys(value.left_out)),
        "cut": value.cut,
        "needed": value.needed,
    }


def recall(value: Recall) -> JSON:
    """An answer, whole."""
    return {
        "schema": SCHEMA,
        "query": value.query,
        "route": value.route,
        "escalated": value.escalated,
        "reason": value.reason,
        "order": value.order,
        "hits": [hit(each) for each in value.hits],
        "floor": value.floor,
        "left_out": value.left_out,
        "below_floor": value.below_floor,
        "just_below": value.just_below,
        "best_rejected": value.best_rejected,
        "budget": None if value.budget is None else _budget(value.budget),
        "stale": value.stale,
        "pending": value.pending,
        "problems": problems(value.problems),
        "elapsed_ms": value.elapsed_ms,
    }


def update(report: SyncReport) -> JSON:
    """What `index update` did."""
    return {
        "schema": SCHEMA,
        "added": report.added,
        "changed": report.changed,
        "moved": [{"from": old, "to": new} for old, new in report.moved],
        "removed": report.removed,
        "skipped": problems(report.skipped),
        "problems": problems(report.problems),
        "on_disk": report.on_disk,
        "indexed": report.indexed,
        "partial": report.partial,
    }


def node(value: NodeRow) -> JSON:
    """A note without its text."""
    return {
        "path": value.path,
        "id": value.id,
        "title": value.title,
        "type": value.type,
        "type_inferred": value.type_inferred,
        "status": value.status,
        "summary": value.summary,
        "date": value.date,
        "project": value.project,
        "location": value.location,
        "lang": value.lang,
        "tags": list(value.tags),
        "aliases": list(value.aliases),
    }


def occasion(value: Occasion) -> JSON:
    """One occurrence of a plan.

    `start` and `end` are civil in `timezone`: days (`end` the one after the last) or
    minutes; `starts_at` and `ends_at` are the same as instants, with their offset.
    """
    note, each = value.node, value.occurrence
    length = 10 if each.all_day else 19
    first, last = each.instants or (None, None)
    has_end = each.end > each.start
    return {
        "path": note.path,
        "id": note.id,
        "title": note.title,
        "start": _moment(each.start)[:length],
        "end": _moment(each.end)[:length] if has_end else "",
        "all_day": each.all_day,
        "timezone": each.zone,
        "starts_at": _moment(first) if first else "",
        "ends_at": _moment(last) if last and has_end else "",
        "status": each.status,
        "outcome": each.status if each.status in _OUTCOMES else "",
        "because": each.because,
        "moved_from": _moment(each.moved_from)[:length] if each.moved_from else "",
        "location": note.location,
        "anchor": each.anchor,
        "key": each.key,
    }


def _moment(value: datetime) -> str:
    return value.isoformat(timespec="seconds" if value.second else "minutes")


def agenda(value: Agenda) -> JSON:
    """Occurrences, and the days that were looked at (`to` is the last of them)."""
    last = value.high - timedelta(microseconds=1)
    return {
        "plans": [occasion(each) for each in value.occasions],
        "from": value.low.date().isoformat(),
        "to": last.date().isoformat(),
        "order": value.order,
        "left_out": value.left_out,
        "undated": value.undated,
    }


def link(value: LinkRow) -> JSON:
    """A link from `source`; `resolved` is "" where it leads nowhere."""
    return {
        "source": value.source,
        "line": value.line,
        "target": value.target,
        "subpath": value.subpath,
        "display": value.display,
        "kind": value.kind,
        "relation": value.relation,
        "origin": value.origin,
        "property": value.field,
        "weight": value.weight,
        "resolved": value.resolved,
        "resolved_by": value.resolved_by,
    }


def edge(value: EdgeRow) -> JSON:
    """An edge between two notes, named by their paths."""
    return value._asdict()


def standing(value: Standing) -> JSON:
    """Whether a note holds now, and the path of what holds instead ("" for none)."""
    return {"holds": value.holds, "superseded_by": value.superseded_by}


def walk(value: Walk, standings: Mapping[int, Standing]) -> JSON:
    """What a walk over the graph found."""
    return {
        "start": list(value.start),
        "nodes": [
            {
                **node(step.node),
                **standing(standings[step.node.file_id]),
                "depth": step.depth,
                "via": [edge(each) for each in step.via],
            }
            for step in value.steps
        ],
        "paths": [[edge(each) for each in way] for way in value.paths],
        "edges": [edge(each) for each in value.edges],
        "left_out": value.left_out,
    }


def episode(value: Episode) -> JSON:
    """Something that happened, as the timeline has it."""
    shape = asdict(value)
    return {**shape, "lines": list(value.lines), "links": list(value.links)}


def appended(value: Appended) -> JSON:
    """An entry that was written."""
    return {
        "id": value.entry.id,
        "path": value.path,
        "line": value.line,
        "date": value.at.isoformat(timespec="minutes"),
        "project": value.entry.project,
        "text": value.entry.text,
        "links": list(value.entry.links),
        "redacted": [{"kind": k, "count": n} for k, n in value.redacted],
    }


def block(value: NodeRow, chunk: ChunkRow, text: str, project: str) -> JSON:
    """A part of a note that has a name of its own, such as an entry of the journal."""
    return {
        "path": value.path,
        "anchor": chunk.anchor.lstrip("^"),
        "heading": chunk.heading,
        "lines": [chunk.line_start, chunk.line_end],
        "id": value.id,
        "title": value.title,
        "type": value.type,
        "date": chunk.at[:16] or value.date,
        "project": project or value.project,
        "text": text,
    }


def tagged(value: NodeRow, matched: Iterable[str], stands: Standing) -> JSON:
    """A note that a tag query found, with the tags that it was found by."""
    scope = next((t for t in value.tags if t.casefold().startswith("scope/")), "")
    return {
        "path": value.path,
        "summary": value.summary,
        "tags": list(matched),
        "scope": scope.partition("/")[2],
        **standing(stands),
    }


def tag(value: TagCount) -> JSON:
    """A tag and how many notes have it."""
    return {"tag": value.name, "notes": value.notes}


def rewrite(value: Rewrite, *, written: bool) -> JSON:
    """One note's change; a property that goes is null."""
    from mindcache.note import Delete

    changes = {
        key: None if isinstance(change, Delete) else change
        for key, change in value.changes.items()
    }
    return {
        "path": value.path,
        "changes": changes,
        "diff": value.diff(),
        "written": written and value.is_change,
    }


def rewrites(values: Iterable[Rewrite], *, written: bool) -> JSON:
    """What was written to several notes, or would be."""
    all_of_them = list(values)
    remarks = [remark for each in all_of_them for remark in each.remarks]
    notes = [rewrite(each, written=written) for each in all_of_them]
    return merged({"written": written, "notes": notes, "remarks": remarks})


def remembered(value: Draft, *, written: bool) -> JSON:
    """A new note; `text` is the whole of it where it was not written."""
    return merged(
        {
            "written": written,
            "path": value.path,
            "id": value.id,
            "type": value.memory.type,
            "title": value.memory.title,
            "summary": value.memory.summary,
            "tags": list(value.memory.tags),
            "text": "" if written else value.note.text,
            "redacted": [{"kind": k, "count": n} for k, n in value.redacted],
            "remarks": list(value.remarks),
        }
    )


def imported(value: Report) -> JSON:
    """What an import did, or would do."""
    plan = value.plan
    failed = {id(step): error for step, error in value.failed}
    done = [step for step in plan.steps if id(step) not in failed]
    refused = [
        {**_step(step), "message": step.reason, "mend": step.mend}
        for step in plan.of("refused")
    ]
    refused += [
        {**_step(step), "message": failure.message, "mend": failure.mend}
        for step, failure in value.failed
    ]
    return {
        "schema": SCHEMA,
        "importer": value.importer,
        "dry_run": value.dry_run,
        "made": [_step(step) for step in done if step.action == "made"],
        "changed": [
            {**_step(step), "properties": list(step.names)}
            for step in done
            if step.action == "changed"
        ],
        "unchanged": len(plan.of("unchanged", "held")),
        "held": [
            {**_step(step), "properties": list(step.held)} for step in done if step.held
        ],
        "older": [{**_step(s), "reason": s.reason} for s in plan.of("older")],
        "left_out": [_step(step) for step in plan.of("left_out")],
        "vanished": [asdict(each) for each in value.vanished],
        "refused": refused,
        "not_taken": [asdict(each) for each in value.left],
        "attachments": [asdict(each) for each in value.attachments],
        "redacted": [
            {"kind": k, "count": n} for k, n in sorted(value.redacted.items())
        ],
        "strangers": [
            {**asdict(who), "times": times}
            for who, times in sorted(
                value.strangers.items(), key=lambda e: (-e[1], e[0].name, e[0].address)
            )
        ],
        "problems": problems(value.problems),
        "indexed": value.behind is None,
    }


def _step(value: Step) -> JSON:
    return {
        "path": value.path,
        "id": value.id,
        "key": value.item.key,
        "title": value.item.title,
        "place": value.item.place,
    }


def exported(value: Export) -> JSON:
    """What an export wrote, and what it left out."""
    return {
        "schema": SCHEMA,
        "format": value.format,
        "to": value.to,
        "notes": value.notes,
        "topics": value.topics,
        "ledger": value.ledger,
        "attachments": value.attachments,
        "left_out": [
            {**asdict(each), "paths": list(each.paths)} for each in value.left
        ],
        "problems": problems(value.skipped),
    }


def restored(value: Restored) -> JSON:
    """What came back of an export, and what could not."""
    return {
        "schema": SCHEMA,
        "importer": "json",
        "dry_run": value.dry_run,
        "made": value.made,
        "unchanged": value.unchanged,
        "moved": [{"path": path, "is_at": at} for path, at in value.moved],
        "refused": [{"path": path, **error(each)} for path, each in value.refused],
        "ledger": value.ledger,
        "problems": problems(value.problems),
        "indexed": value.behind is None,
    }


def extracted(value: Extracted) -> JSON:
    """What an extraction found and made, or would make."""
    findings = []
    for step in value.plan.steps:
        path, found = value.of[step.item.key]
        when, until = found.when, found.until
        findings.append(
            {
                "action": step.action,
                "path": step.path,
                "id": step.id,
                "key": step.item.key,
                "kind": found.kind,
                "rule": found.rule,
                "confidence": found.confidence,
                "summary": found.summary,
                "quote": redact(found.quote).text,
                "source": {"path": path, "line": found.line, "anchor": found.anchor},
                "speaker": found.speaker,
                "start": _moment(when.start) if when else None,
                "end": _moment(when.end) if when else None,
                "valid_until": _moment(until) if until else None,
                "entities": list(found.links),
                "reason": step.reason,
            }
        )
    return {
        "schema": SCHEMA,
        "dry_run": value.dry_run,
        "notes": [
            {"path": each.path, "findings": len(each.findings), "left_out": each.why}
            for each in value.learned
        ],
        "findings": findings,
        "new_names": dict(sorted(value.new_names.items())),
        "orphaned": [
            {"path": each.path, "source": each.source, "back": each.is_back}
            for each in value.lost
        ],
        "failed": [{"path": path, **error(why)} for path, why in value.failed],
        "redacted": value.redacted,
        "problems": problems(value.problems),
        "indexed": value.behind is None,
    }


def topic(tree: Tree, value: Branch) -> JSON:
    """One topic; `held` counts the notes in it and in all topics below it."""
    return {
        "path": value.node.path,
        "id": value.node.id,
        "title": value.node.title,
        "status": value.node.status,
        "summary": value.node.summary,
        "aliases": list(value.node.aliases),
        "parent": value.parent,
        "children": list(value.children),
        "depth": tree.depth(value.node.path),
        "terms": list(value.terms),
        "anchors": list(value.anchors),
        "related": list(value.related),
        "notes": list(value.notes),
        "held": len(tree.held(value.node.path)),
        "first_seen": value.first_seen,
        "last_updated": value.updated,
        "pinned": value.pinned,
    }


def topics(tree: Tree) -> JSON:
    """The tree of topics, flat, and the notes that are in none."""
    return {
        "topics": [topic(tree, branch) for branch in tree.topics.values()],
        "roots": list(tree.roots),
        "notes": tree.notes,
        "inbox": list(tree.inbox),
    }


def digested(value: Digested) -> JSON:
    """What a digest did, or would do."""
    return {
        "schema": SCHEMA,
        "day": value.day,
        "dry_run": value.dry_run,
        "weekly": value.weekly,
        "done_before": value.done_before,
        "notes": value.notes,
        "placed": value.placed,
        "topics": value.topics,
        "inbox": list(value.inbox),
        "made": list(value.made),
        "changed": list(value.changed),
        "ended": [{"path": path, "to": to} for path, to in value.ended],
        "failed": [
            {**error(failure), "path": change.path} for change, failure in value.failed
        ],
        "problems": problems(value.problems),
        "indexed": value.behind is None,
    }


def error(value: MindcacheError) -> JSON:
    """What went wrong, for a program."""
    shape: JSON = {
        "schema": SCHEMA,
        "error": type(value).__name__,
        "message": value.message,
        "mend": value.mend,
        "exit_code": value.exit_code,
    }
    candidates = getattr(value, "candidates", None)
    return {**shape, "candidates": candidates} if candidates else shape


def merged(*parts: Mapping[str, object]) -> JSON:
    """One object with the schema's number in front."""
    whole: JSON = {"schema": SCHEMA}
    for part in parts:
        whole.update(part)
    return whole
