"""Remembering: a text and what is known of it become a new note under contract.

Decides, and writes nothing: where the note goes, what it is called, which properties
it has. Whether the vault says the same already is asked by whoever has its texts.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from mindcache import lint, tags
from mindcache.cache.read import Reader
from mindcache.errors import Refused, UsageError
from mindcache.filenames import safe_stem, shortened
from mindcache.links import path_key
from mindcache.memory import TYPES, Memory, conflict_copy_of, moment
from mindcache.note import UNSAFE, Note, Property, edit, parse
from mindcache.plain import first_sentence, plain_text
from mindcache.redact import redact
from mindcache.vault import Names, Vault
from mindcache.when import parse_interval, time_of_ulid
from mindcache.write.ids import drawn_id
from mindcache.write.names import links_to
from mindcache.write.rewrite import MeaningOf, refusal
from mindcache.write.times import Side, event_date, read_time, time_properties

__all__ = ["KINDS", "Draft", "Ground", "Wish", "draft", "one_of"]

# The types whose notes are remembered one by one; the others have commands of their
# own, or are made by the digest.
KINDS = ("fact", "event", "entity", "summary", "plan")

_FOLDERS = {"plan": "plans"}
_FOLDER = "memory"

# A name that nobody chose is no longer than a line in a file list.
_TITLE_BYTES = 72

_HEADING = re.compile(r"\s*#{1,6}[ \t]+([^\n]+?)[ \t#]*(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class Wish:
    """What is to be remembered; "" and empty mean that nothing was said.

    `text` is Markdown, properties in front included. `links` are names of notes by
    the property that shall lead to them. `scope` is "project" or "global".
    """

    text: str
    type: str = ""
    title: str = ""
    summary: str = ""
    links: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    at: str = ""
    until: str = ""
    where: str = ""
    project: str = ""
    source: str = ""
    scope: str = ""
    confidence: float | None = None
    importance: float | None = None
    pinned: bool = False
    folder: str = ""
    allow_missing: bool = False


@dataclass(frozen=True, slots=True)
class Ground:
    """What is known while a note is drafted.

    `project` is the one that the writer stands in, `chance` the random bytes of the
    id, `now` the civil time.
    """

    vault: Vault
    reader: Reader
    meaning_of: MeaningOf
    namespaces: Sequence[str]
    now: datetime
    chance: bytes
    zone: str = ""
    project: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A note as it would be written. `redacted` are kinds of secrets and how many."""

    path: str
    id: str
    data: bytes
    note: Note
    memory: Memory
    title_given: bool
    redacted: tuple[tuple[str, int], ...] = ()
    remarks: tuple[str, ...] = ()


def one_of(what: str, value: str, known: Sequence[str]) -> str:
    """The known word that is meant. Raises UsageError naming the nearest."""
    wanted = value.strip().casefold().replace("-", "_").replace(" ", "_")
    if wanted in known:
        return wanted
    close = difflib.get_close_matches(wanted, known, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]}? " if close else ""
    raise UsageError(
        f"unknown {what} {value!r}", mend=f"{hint}one of: {', '.join(known)}"
    )


def draft(wish: Wish, ground: Ground) -> Draft:
    """The note that would be written.

    Raises UsageError for a call that makes no sense, NoteNotFound for links to notes
    that aren't there, and Refused, in the contract's words, for what it forbids.
    """
    wish, redacted = _without_secrets(wish)
    if wish.text and not wish.text.endswith(("\n", "\r")):
        wish = replace(wish, text=wish.text + "\n")
    given = _parsed(wish.text)
    reading = _Reading(wish, given, ground)
    path = reading.free_path()
    changes = reading.changes(path)
    data = edit(_encoded(wish.text), changes)
    note = parse(path, data)
    memory = ground.meaning_of(note)
    _check(note, given, memory, ground)
    return Draft(
        path,
        memory.id,
        data,
        note,
        memory,
        bool(reading.title_given),
        redacted,
        tuple(reading.remarks),
    )


def _without_secrets(wish: Wish) -> tuple[Wish, tuple[tuple[str, int], ...]]:
    counts: dict[str, int] = {}

    def clean(text: str) -> str:
        found = redact(text)
        for kind, number in found.found:
            counts[kind] = counts.get(kind, 0) + number
        return found.text

    wish = replace(
        wish,
        text=clean(wish.text),
        title=clean(wish.title),
        summary=clean(wish.summary),
        where=clean(wish.where),
        source=clean(wish.source),
    )
    return wish, tuple(sorted(counts.items()))


def _parsed(text: str) -> Note:
    """The text with its own properties. Raises Refused where they can't be read."""
    note = parse("", _encoded(text))
    for problem in note.problems:
        if problem.code in UNSAFE:
            where = f"line {problem.line} of the text: " if problem.line else ""
            mend = problem.mend or "begin the text with an empty line"
            raise Refused(f"{where}{problem.message}", mend=mend)
    return note


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Refused(
            "the text holds bytes that are no UTF-8", mend="convert it to UTF-8 first"
        ) from error


class _Reading:
    """One wish with what its text says of itself; what flags say goes first."""

    def __init__(self, wish: Wish, note: Note, ground: Ground) -> None:
        self.wish = wish
        self.note = note
        self.ground = ground
        self.own = note.properties
        self.body = note.body.replace("\r\n", "\n").replace("\r", "\n")
        self.memory = ground.meaning_of(note)
        self.remarks: list[str] = []
        self.type = self._type()
        self.title_given = wish.title.strip() or self._text("title")
        self.sentence = first_sentence(self.body)
        self.summary = " ".join((wish.summary or self._text("summary")).split())
        heading = _HEADING.match(self.body)
        self.heading = plain_text(heading[1]) if heading else ""
        self.summary = self.summary or self.sentence or self.title_given or self.heading
        if not self.summary and self.body.strip():
            raise UsageError(
                "the text has no sentence that could be its summary",
                mend='give one: --summary "What this note says"',
            )
        if not self.summary:
            raise UsageError(
                "there is nothing to remember: no text and no --summary",
                mend='for example: mindcache remember "The office closes at three"',
            )

    def _text(self, key: str) -> str:
        value = self.own.get(key)
        return " ".join(str(value).split()) if isinstance(value, (str, int)) else ""

    def _type(self) -> str:
        given = self.wish.type.strip()
        if given:
            return one_of("type", given, KINDS)
        own = self.own.get("type")
        if own in (None, ""):
            return "fact"
        kind = str(own).strip().casefold()
        if kind in TYPES and kind not in KINDS:
            raise Refused(
                f"a {kind} is not remembered note by note",
                mend=f"give --type with one of: {', '.join(KINDS)}",
            )
        return str(own)  # a foreign one is the contract's to refuse

    # -- where it goes -----------------------------------------------------

    def free_path(self) -> str:
        """A path that no file has, with a name that no other note goes by."""
        stem = self._stem()
        names = Names(self.ground.vault.root)
        folder = self._folder(names)
        for number in range(1, 10_000):
            name = stem if number == 1 else f"{shortened(stem, 112)} {number}"
            path = f"{folder}{name}.md"
            if not self._is_taken(path, names):
                return path
        raise Refused(f"too many notes are called {stem}", mend="give another --title")

    def _stem(self) -> str:
        if self.title_given:
            stem = safe_stem(self.title_given)
            if not stem:
                raise UsageError(
                    f"no file can be called {self.title_given!r}",
                    mend="give a --title with letters or digits in it",
                )
        else:
            words = self.heading or self.sentence or self.summary
            words = words.rstrip(" …。.!?:;,")
            short = shortened(words, _TITLE_BYTES)
            # Words that were cut off may have turned what it says.
            cut = "" if short == words else "…"
            stem = f"{safe_stem(short)}{cut}" if safe_stem(short) else "Note"
        # What a sync program would call a conflict's copy is never searched.
        return f"{stem} note" if conflict_copy_of(f"{stem}.md") else stem

    def _folder(self, names: Names) -> str:
        given = self.wish.folder.strip().replace("\\", "/").removeprefix("./")
        if given.startswith("/") or ".." in given.split("/"):
            raise UsageError(
                f"--folder {given} leads out of the vault",
                mend="name a folder by its path from the vault's root",
            )
        if self.wish.folder.strip() in {".", "./"}:
            return ""
        folder = given.strip("/") or _FOLDERS.get(self.type, _FOLDER)
        # A folder that is there in other letters is the one that is meant.
        folder = names.twin(folder) or folder
        if self.ground.vault.folders_left_out()(f"{folder}/"):
            raise Refused(
                f"the folder {folder} is hidden or ignored: nothing in it is found",
                mend="give another --folder",
            )
        return f"{folder}/"

    def _is_taken(self, path: str, names: Names) -> bool:
        if self.ground.vault.exists(path) or names.twin(path):
            return True
        return any(
            row.kind == "alias" or row.path[-3:].lower() == ".md"
            for row in self.ground.reader.names({path_key(path)})
        )

    # -- what it says of itself --------------------------------------------

    def changes(self, path: str) -> dict[str, Property]:
        """The properties to set, in the order in which a reader wants them."""
        wish, now = self.wish, self.ground.now.replace(microsecond=0)
        found: dict[str, Property] = {"id": self._id(), "type": self.type}
        stem = path.rpartition("/")[2][:-3]
        if self.title_given and self.title_given != stem:
            found["title"] = self.title_given
        found["summary"] = self.summary
        project = self._project()
        found["tags"] = self._tags(project)
        if project:
            found["project"] = project
        times = self._times()
        found["status"] = self._text("status") or self._status(times)
        found.update(times)
        if wish.where.strip():
            found["location"] = " ".join(wish.where.split())
        found.update(self._links(path))
        if wish.source.strip():
            found["external_ref"] = " ".join(wish.source.split())
        numbers = {"confidence": wish.confidence, "importance": wish.importance}
        found.update({k: v for k, v in numbers.items() if v is not None})
        if wish.pinned:
            found["pinned"] = True
        if self.own.get("created_at") in (None, ""):
            found["created_at"] = moment(now)
        return found

    def _id(self) -> str:
        given = self.own.get("id")
        if given in (None, ""):
            return drawn_id(self.ground.now, self.ground.chance)
        if not isinstance(given, str) or time_of_ulid(given) is None:
            raise Refused(
                f"the text has an id of another kind: {given}",
                mend="leave that property out, or give it another name",
            )
        for node in self.ground.reader.nodes_by_id(given):
            raise Refused(
                f"the text has the id of {node.path}, {given}",
                mend=f"mindcache update {given} changes that note; or leave the id out",
            )
        return given

    def _project(self) -> str:
        given = " ".join(self.wish.project.split()) or self._text("project")
        if given or self.wish.scope == "global":
            return given
        return "" if self.memory.scope == "global" else self.ground.project

    def _tags(self, project: str) -> list[Property]:
        own = [tag.name for tag in self.note.tags if not tag.line]
        given = [tags.normalise(t) for each in self.wish.tags for t in each.split(",")]
        found = {tags.key(tag): tag for tag in (*own, *filter(None, given))}
        scopes = [key for key in found if tags.namespace(key) == "scope"]
        wanted = self.wish.scope
        if wanted:
            if any(
                tags.key(tag) != f"scope/{wanted}" and tags.namespace(tag) == "scope"
                for tag in given
            ):
                raise UsageError(
                    f"--scope {wanted} and the tags say different things",
                    mend="give one of them",
                )
            for key in scopes:
                del found[key]
        elif scopes:
            wanted = ""
        else:
            # The narrower of the two: that something holds everywhere must be said.
            wanted = "project"
            if not project:
                self.remarks.append(_NO_PROJECT)
        result: list[Property] = list(found.values())
        return [*result, f"scope/{wanted}"] if wanted else result

    def _times(self) -> dict[str, Property]:
        wish, ground = self.wish, self.ground
        side: Side = "future" if self.type == "plan" else "past"
        if wish.at.strip():
            start = read_time("--at", wish.at, ground.now, ground.zone, side)
            times = time_properties(start, wish.until, ground.zone, ground.now)
            if parse_interval(wish.at.strip(), ground.zone) is None:
                # "1/2/2026" and "end of month" may have been meant otherwise.
                self.remarks.append(f'{_told(times)}, read from "{wish.at.strip()}"')
            return times
        written = parse_interval(self.own.get("time_start"), ground.zone)
        if wish.until.strip():
            if written is None:
                raise UsageError(
                    "--until says when it ends, and nothing when it begins",
                    mend="give --at too",
                )
            times = time_properties(written, wish.until, ground.zone, ground.now)
            return {"time_end": times["time_end"]}
        if self.type not in {"event", "plan"} or written is not None:
            return {}
        said = event_date(self.body, ground.now, side)
        if said is None:
            return {}
        times = time_properties(said[0], "", ground.zone, ground.now)
        self.remarks.append(
            f'time_start {times["time_start"]}, read from "{said[1]}"; --at says another'
        )
        return times

    def _status(self, times: Mapping[str, Property]) -> str:
        if self.type == "plan":
            return "planned"
        if self.type != "event":
            return "active"
        start = times.get("time_start", self.own.get("time_start"))
        begins = parse_interval(start, self.ground.zone)
        ahead = begins is not None and begins.start > self.ground.now
        return "planned" if ahead else "occurred"

    def _links(self, path: str) -> dict[str, Property]:
        found: dict[str, Property] = {}
        for key, names in self.wish.links.items():
            links = links_to(
                self.ground.reader, path, names, allow_missing=self.wish.allow_missing
            )
            own = self.own.get(key)
            before = own if isinstance(own, list) else [own] if own else []
            merged: list[Property] = list(before)
            merged += [link for link in links if link not in before]
            if links:
                found[key] = merged
        return found


def _told(times: Mapping[str, Property]) -> str:
    return ", ".join(f"{key} {times[key]}" for key in _SPAN if key in times)


_SPAN = ("time_start", "time_end")

_NO_PROJECT = (
    "scope/project, and of no project, since none is known here: --project NAME says"
    " which, --scope global that it holds everywhere"
)


def _check(
    note: Note,
    given: Note,
    memory: Memory,
    ground: Ground,
) -> None:
    """Raise Refused unless the note keeps the contract and the text as it was."""
    if note.body != given.body:
        raise Refused(
            "the text would not be read back as it was written",
            mend="begin it with an empty line",
        )
    breaches = lint.check(note, memory, ground.namespaces)
    if breaches:
        raise refusal(breaches, "nothing written")
