"""What a run over many notes did: a sync, an import or export, a digest."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from mindcache.redact import redact
from mindcache.wire.shape import JSON, SCHEMA, error, moment, problems

if TYPE_CHECKING:
    from mindcache.digest import Digested
    from mindcache.exporters import Report as Export
    from mindcache.importers import Report
    from mindcache.importers.found import Extracted
    from mindcache.importers.plan import Step
    from mindcache.importers.restore import Restored
    from mindcache.sync import SyncReport

__all__ = ["digested", "exported", "extracted", "imported", "restored", "update"]


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
                "start": moment(when.start) if when else None,
                "end": moment(when.end) if when else None,
                "valid_until": moment(until) if until else None,
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
        "steps": [
            {"step": each.step, "said": list(each.said), "waiting": list(each.waiting)}
            for each in value.outcomes
        ],
        "failed": [
            {**error(failure), "path": change.path} for change, failure in value.failed
        ],
        "problems": problems(value.problems),
        "indexed": value.behind is None,
    }
