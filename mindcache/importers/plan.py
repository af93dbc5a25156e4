"""What an import would do to the vault, as plain values: nothing here writes.

The same plan is shown by `--dry-run` and carried out without it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

from mindcache.errors import EditRefused, MindcacheError, Problem, Refused
from mindcache.importers.item import Item
from mindcache.importers.naming import free_path, stem_of
from mindcache.importers.own import (
    Said,
    grown_body,
    merged_body,
    merged_properties,
    said,
    says_less,
)
from mindcache.memory import moment
from mindcache.note import DELETE, Note, Property, edit, emit, parse
from mindcache.vault import Change, Create, Entry, Replace
from mindcache.when import parse_interval
from mindcache.write.ids import derived_id

__all__ = ["Action", "Options", "Past", "Plan", "Planner", "Step"]

Action = Literal["made", "changed", "unchanged", "held", "older", "left_out", "refused"]

# What an edit of the source doesn't make newer: the rest moves `updated_at`.
_STATUS = frozenset({"status", "outcome"})
# A plan whose time is another one is open again, where only a digest settled it.
_WHEN = frozenset({"time_start", "time_end", "recurrence"})
# A plan that has faded or was put away wakes by use, not because its feed says again
# that it is planned.
_PUT_AWAY = frozenset({"faint", "archived"})


@dataclass(frozen=True, slots=True)
class Past:
    """What the ledger knows of a thing that was made once.

    `settled` is what a digest wrote of a plan last, "" for nothing.
    """

    id: str
    path: str
    said: Said
    settled: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """What becomes of one item.

    `change` is what has to be written (None for nothing), `entry` what the ledger
    then keeps. `names` are the properties that change ("body" among them), `held`
    those that the owner changed and that therefore stay.
    """

    action: Action
    item: Item
    path: str
    id: str = ""
    names: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    reason: str = ""
    mend: str = ""
    change: Change | None = None
    entry: Entry | None = None

    def told(self) -> Step:
        """The step as it is reported: without the texts that it is about."""
        item = replace(self.item, properties={}, once={}, body="")
        return replace(self, item=item, change=None, entry=None)


@dataclass(frozen=True, slots=True)
class Options:
    """How notes are made: where, and with which tags and project beside their own.

    `kind` is the ledger's word for what is made, `source_type` the notes'; `again`
    holds keys that are made anew although their notes are gone.
    """

    kind: str
    source_type: str
    folder: str
    tags: tuple[str, ...] = ("scope/project",)
    project: str = ""
    again: frozenset[str] = frozenset()


@dataclass(slots=True)
class Plan:
    """The steps, in the source's order, and what was found wrong on the way."""

    steps: list[Step] = field(default_factory=list)

    def of(self, *actions: Action) -> list[Step]:
        """The steps of these kinds."""
        return [step for step in self.steps if step.action in actions]

    @property
    def changes(self) -> list[Step]:
        """The steps that write something."""
        return self.of("made", "changed")


@dataclass(frozen=True, slots=True)
class Vault:
    """What a plan has to know of the vault, as plain questions.

    `find` gives the path of the note of a key (by its id, or by the source's id in
    it), "" for none; `look` its bytes and parts, raising OSError or MindcacheError;
    `is_taken` whether a path can't be used; `breaches` what the contract says to a
    note's bytes; `broken` why the note at a path can't be known by its id although it
    is there, "" where it can or isn't.
    """

    find: Callable[[str, str], str]
    look: Callable[[str], tuple[bytes, Note]]
    is_taken: Callable[[str], bool]
    broken: Callable[[str], str]
    breaches: Callable[[str, bytes], Sequence[Problem]]


class Planner:
    """Decides what becomes of each item of one import, one after the other.

    No two items have one key. Nothing is written meanwhile but what it decided.
    """

    def __init__(
        self,
        past: Mapping[str, Past],
        vault: Vault,
        options: Options,
        now: datetime,
    ) -> None:
        self.past = past
        self.vault = vault
        self.options = options
        self.now = now
        self.chosen: set[str] = set()

    def step(self, item: Item) -> Step:
        """What becomes of this one."""
        past = self.past.get(item.key)
        note_id = past.id if past else self._id(item)
        path = self.vault.find(note_id, item.key)
        try:
            if path:
                return self._met(item, path, note_id, past)
            if past is None or item.key in self.options.again:
                return self._new(item, note_id)
        except OSError as error:
            reason = f"can't be read: {error.strerror}"
            return Step("refused", item, path, note_id, reason=reason)
        except MindcacheError as error:
            return Step(
                "refused", item, path, note_id, reason=error.message, mend=error.mend
            )
        if broken := self.vault.broken(past.path):
            mend = "mend the note, or delete it"
            return Step("refused", item, past.path, past.id, reason=broken, mend=mend)
        return Step("left_out", item, past.path, past.id, reason="deleted by you")

    def _id(self, item: Item) -> str:
        """An id of the thing's own time; of what has none, of when it was made."""
        created = parse_interval(item.once.get("created_at"))
        when = item.when or (created.start if created else self.now)
        return derived_id(when, self.options.kind, item.key)

    # -- new -------------------------------------------------------------

    def _new(self, item: Item, note_id: str) -> Step:
        path = self._path(item, note_id)
        newline = "\r\n" if "\r\n" in item.body else "\n"
        # The body's own line ends are the source's affair.
        text = emit(self._properties(item, note_id), "", newline) + item.body
        data = text.encode("utf-8")
        if breaches := self.vault.breaches(path, data):
            raise Refused("; ".join(str(each) for each in breaches))
        self.chosen.add(path.casefold())
        now = _said(item)
        entry = self._entry("made", item, note_id, path, now)
        return Step("made", item, path, note_id, change=Create(path, data), entry=entry)

    def _path(self, item: Item, note_id: str) -> str:
        if item.path and not self._is_taken(item.path):
            return item.path
        stem = stem_of(item.title, item.when, item.type)
        mark = note_id[-6:].lower()
        return free_path(self.options.folder, stem, mark, self._is_taken)

    def _is_taken(self, path: str) -> bool:
        return path.casefold() in self.chosen or self.vault.is_taken(path)

    def _properties(self, item: Item, note_id: str) -> dict[str, Property]:
        made: dict[str, Property] = {
            "id": note_id,
            "type": item.type,
            **item.properties,
            "tags": _with_tags(item.properties.get("tags"), self.options.tags),
        }
        once = dict(item.once)
        project = once.pop("project", "")
        if self.options.project or project:
            made["project"] = self.options.project or project
        made |= {
            "source_type": self.options.source_type,
            "source_id": item.key,
            **once,
        }
        made.setdefault("created_at", moment(self.now))
        return made

    # -- met again -------------------------------------------------------

    def _met(self, item: Item, path: str, note_id: str, past: Past | None) -> Step:
        last = past.said if past else Said()
        if reason := _behind(item, last):
            return Step("older", item, path, note_id, reason=reason)
        data, note = self.vault.look(path)
        now = _said(item)
        there = note.text[note.frontmatter.body :] if note.frontmatter else note.text
        if _only_links_moved(now, last, there):
            # What has changed since are links, by where notes lie: the note's own
            # were seen to when those moved.
            now = replace(now, body=last.body)
            item = replace(item, body=there)
        is_new = last.body and now.body != last.body
        if item.grows and is_new and says_less(item.body, there):
            reason = "it says less than what was taken in before"
            return Step("older", item, path, note_id, reason=reason)
        ours = _ours(note, past.settled if past else "")
        after, names, held = self._merged(item, last, data, note, ours)
        entry = None
        if past is None:
            entry = self._entry("made", item, note_id, path, now)
        elif not now.same_content(last):
            entry = self._entry("said", item, note_id, path, now)
        if after == data:
            action: Action = "held" if held else "unchanged"
            return Step(action, item, path, note_id, held=held, entry=entry)
        if breaches := self.vault.breaches(path, after):
            raise Refused("; ".join(str(each) for each in breaches))
        change = Replace(path, after, data)
        return Step(
            "changed", item, path, note_id, names, held, change=change, entry=entry
        )

    def _merged(
        self, item: Item, last: Said, data: bytes, note: Note, ours: frozenset[str]
    ) -> tuple[bytes, tuple[str, ...], tuple[str, ...]]:
        """The note's bytes after the source's changes; the names of what changed.

        Also the names of what stays because the owner changed it too.
        """
        merged = merged_properties(last, item.properties, note.properties, ours)
        changes = dict(merged.changes)
        if ours and _WHEN & changes.keys():
            # What became of it was of another time.
            changes["status"] = item.properties.get("status", "planned")
            changes["outcome"] = item.properties.get("outcome") or DELETE
        held = list(merged.held)
        if note.properties.get("status") in _PUT_AWAY:
            changes.pop("status", None)
            held = [key for key in held if key != "status"]
        there = note.text[note.frontmatter.body :] if note.frontmatter else note.text
        merge = grown_body if item.grows else merged_body
        body, clashed = merge(last.body, item.body, there, note.encoding.newline)
        if clashed:
            held.append("body")
        if _is_same_source(item.origin, last):
            held = []  # what differs is only where its links lead
        names = [*changes, *(["body"] if body != there else [])]
        if set(names) - _STATUS:
            changes["updated_at"] = moment(self.now)
        after = edit(data, changes) if changes else data
        if body != there:
            after = _with_body(after, body)
        return after, tuple(names), tuple(held)

    def _entry(
        self, what: str, item: Item, note_id: str, path: str, now: Said
    ) -> Entry:
        return Entry(
            what,
            self.options.kind,
            item.key,
            id=note_id,
            path=path,
            at=self.now.isoformat(timespec="seconds"),
            said=now.text(),
        )


def _ours(note: Note, settled: str) -> frozenset[str]:
    """The properties that a digest settled, and nobody has changed since."""
    is_so = bool(settled) and note.properties.get("outcome") == settled
    return _STATUS if is_so else frozenset()


def _with_tags(own: Property, wished: Sequence[str]) -> list[Property]:
    """The source's own tags, then those wished for; one scope is enough."""
    found = list(own) if isinstance(own, list) else []
    if any(str(tag).casefold().startswith("scope/") for tag in found):
        wished = [tag for tag in wished if tag != "scope/project"]
    return list(dict.fromkeys([*map(str, found), *wished]))


# Stands in front of the version of a part, so that the ledger tells it from a whole.
_PART = "part "


def _said(item: Item) -> Said:
    version = _PART + item.version if item.is_part else item.version
    found = said(item.properties, item.body, version, grows=item.grows)
    return replace(found, origin=item.origin)


def _is_same_source(origin: str, last: Said) -> bool:
    return bool(origin) and origin == last.origin


def _only_links_moved(now: Said, last: Said, there: str) -> bool:
    """Whether the source is as it was, and the note isn't: nothing is to be merged."""
    is_same = _is_same_source(now.origin, last)
    return is_same and now.body != last.body and said({}, there, "").body != last.body


def _behind(item: Item, last: Said) -> str:
    """Why an item must not change the note that its source said `last` of; "" if it may."""
    was_part = last.version.startswith(_PART)
    if item.is_part and last.version and not was_part:
        return "only a part of it is in this source: import the whole"
    before = last.version.removeprefix(_PART)
    if item.version and item.is_part == was_part and item.version < before:
        return "an older copy than the one that was taken in last"
    return ""


def _with_body(data: bytes, body: str) -> bytes:
    """The note with another body; its properties keep every byte."""
    note = parse("", data)
    if note.encoding.name != "utf-8":
        raise EditRefused("the note is not UTF-8", mend="save it as UTF-8")
    front = note.frontmatter
    head = note.text[: front.body] if front else ""
    if head and not head.endswith(("\n", "\r")):
        head += note.encoding.newline
    bom = b"\xef\xbb\xbf" if note.encoding.bom else b""
    return bom + (head + body).encode("utf-8")
