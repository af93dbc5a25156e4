"""Files that notes refer to: copied beside them, kept in step, never over another."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mindcache.errors import MindcacheError
from mindcache.files import open_plain
from mindcache.importers.facts import past_of
from mindcache.importers.item import Attachment
from mindcache.importers.own import Said
from mindcache.vault import Create, Entry, Replace

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.importers.plan import Past

__all__ = ["LARGEST", "Copied", "copy_attachments"]

# Bytes of the largest file that is copied: what is larger is no memory, and git and
# Syncthing would carry it to every machine.
LARGEST = 100_000_000
# Bytes that are held at once before they are written.
_BATCH = 64_000_000


@dataclass(frozen=True, slots=True)
class Copied:
    """What became of an attachment. `reason` says why one was held or failed."""

    action: Literal["made", "changed", "unchanged", "held", "left_out", "failed"]
    key: str
    path: str
    reason: str = ""


def copy_attachments(
    app: App,
    kind: str,
    attachments: Sequence[Attachment],
    again: frozenset[str],
    *,
    dry_run: bool,
) -> list[Copied]:
    """Copy these files into the vault, or with `dry_run` say what would become of them.

    One that its owner deleted is not copied again unless it is among `again`; one that
    he changed is not replaced.
    """
    found: list[Copied] = []
    if not attachments:
        return found
    past = past_of(app, kind)
    batch: list[tuple[Copied, Create | Replace, str]] = []
    size = 0
    for copied, change, digest in _decided(app, attachments, past, again):
        if change is None or dry_run:
            found.append(copied)
            is_news = copied.action == "unchanged" and copied.key not in past
            if is_news and not dry_run:
                _note(app, kind, [(copied, digest)])
            continue
        batch.append((copied, change, digest))
        size += len(change.data)
        if size > _BATCH:
            found += _written(app, kind, batch)
            batch, size = [], 0
    found += _written(app, kind, batch)
    return found


def _decided(
    app: App,
    attachments: Sequence[Attachment],
    past: dict[str, Past],
    again: frozenset[str],
) -> Iterator[tuple[Copied, Create | Replace | None, str]]:
    for each in sorted(attachments, key=lambda a: a.path):
        try:
            known = past.get(each.key)
            yield _decide(app, each, known, is_wanted=each.key in again)
        except (OSError, MindcacheError) as error:
            reason = str(error.strerror if isinstance(error, OSError) else error)
            yield Copied("failed", each.key, each.path, reason), None, ""


def _decide(
    app: App, each: Attachment, past: Past | None, *, is_wanted: bool
) -> tuple[Copied, Create | Replace | None, str]:
    with open_plain(each.source) as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        reason = f"larger than {LARGEST:,} bytes"
        return Copied("failed", each.key, each.path, reason), None, ""
    digest = hashlib.blake2b(data, digest_size=16).hexdigest()
    if not app.vault.exists(each.path):
        if past is not None and not is_wanted:
            return Copied("left_out", each.key, each.path, "deleted by you"), None, ""
        return Copied("made", each.key, each.path), Create(each.path, data), digest
    there, _ = app.vault.read(each.path, LARGEST)
    if there == data:
        return Copied("unchanged", each.key, each.path), None, digest
    held = hashlib.blake2b(there or b"", digest_size=16).hexdigest()
    if there is None or past is None or past.said.version != held:
        return Copied("held", each.key, each.path, "changed by you"), None, ""
    change = Replace(each.path, data, there)
    return Copied("changed", each.key, each.path), change, digest


def _written(
    app: App, kind: str, batch: Sequence[tuple[Copied, Create | Replace, str]]
) -> list[Copied]:
    if not batch:
        return []
    result = app.commit([change for _, change, _ in batch])
    failed = {id(change): error for change, error in result.failed}
    found: list[Copied] = []
    done: list[tuple[Copied, str]] = []
    for copied, change, digest in batch:
        error = failed.get(id(change))
        if error is None:
            done.append((copied, digest))
            found.append(copied)
        else:
            found.append(Copied("failed", copied.key, copied.path, str(error)))
    _note(app, kind, done)
    return found


def _note(app: App, kind: str, done: Sequence[tuple[Copied, str]]) -> None:
    at = app.now().isoformat(timespec="seconds")
    app.ledger.add(
        Entry(
            "said" if copied.action == "changed" else "made",
            kind,
            copied.key,
            path=copied.path,
            at=at,
            said=Said(digest).text(),
        )
        for copied, digest in done
    )
