"""An OpenClaw workspace, or its index, as items: facts, and the notes of its days."""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from mindcache.errors import MindcacheError, Problem, UsageError
from mindcache.files import open_plain
from mindcache.importers.item import Context, Item, Left, Read, Source, Stranger
from mindcache.importers.markdown.docs import Doc, safe_path, taken_in
from mindcache.importers.markdown.properties import Terms, mapped
from mindcache.importers.openclaw.entries import Entry, entries
from mindcache.importers.openclaw.index import Indexed, is_index, read_index
from mindcache.importers.sqlite.opening import opened
from mindcache.importers.sqlite.values import as_time
from mindcache.note import Property, decode, emit, parse
from mindcache.plain import plain_text
from mindcache.redact import redact
from mindcache.when import parse_interval

__all__ = ["OpenClaw"]

# Files of a workspace that say how the agent shall be.
_PERSONA = frozenset(
    {
        "agents.md", "soul.md", "identity.md", "tools.md", "heartbeat.md", "boot.md",
        "bootstrap.md",
    }
)  # fmt: skip
_KEPT = ("memory.md", "user.md")
_DAY = re.compile(r"(?:^|/)(\d{4}-\d{2}-\d{2})(?:-([^/]+))?\.md$", re.IGNORECASE)
_CLOCK = re.compile(r"([01]\d|2[0-3])([0-5]\d)$")
_HOST = re.compile(r"^(?:\w+://)?(?:[^/@]+@)?[\w-]+(?:\.[\w-]+)+[/:]")
# How sure a thing is that came from outside: half of what nobody vouches for.
_UNTRUSTED = 0.25
# Bytes of a Markdown file that is read.
_LONGEST = 16_000_000


@dataclass(slots=True)
class _Agent:
    """One agent's memory: its files' texts by their paths below the workspace."""

    name: str
    files: dict[str, str] = field(default_factory=dict)
    indexed: dict[str, Indexed] = field(default_factory=dict)
    left: Counter[tuple[str, str]] = field(default_factory=Counter)
    problems: list[Problem] = field(default_factory=list)


class OpenClaw:
    """The importer for OpenClaw; see `importers.item.Importer`."""

    name = "openclaw"
    source_type = "openclaw"
    short = "An OpenClaw workspace, its state folder, or its SQLite index."
    suffixes: tuple[str, ...] = (".sqlite", ".md")
    folder = "memory"
    terms = Terms()

    @staticmethod
    def takes_folder(path: str) -> bool:
        """Whether a folder is one source: always, its files belong together."""
        del path
        return True

    def read(
        self, sources: Sequence[Source], context: Context
    ) -> Iterator[Item | Problem | Left | Stranger | Read]:
        """Everything in the sources; see `importers.item.Importer`."""
        for source in sources:
            agents = list(_agents(source))
            if not any(agent.files or agent.problems for agent in agents):
                message = "neither MEMORY.md nor memory/ nor an index of them is there"
                raise UsageError(f"{source.name}: {message}", mend="name the workspace")
            whole = True
            for agent in agents:
                yield from agent.problems
                whole = whole and not any(p.severity == "error" for p in agent.problems)
                yield from self._of(agent, context)
                for (what, why), count in sorted(agent.left.items()):
                    yield Left(what, why, count)
            yield Read(source.name, whole)

    def _of(self, agent: _Agent, context: Context) -> Iterator[Item | Problem | Left]:
        docs = []
        secrets: Counter[str] = Counter()
        for path, text in sorted(agent.files.items()):
            if path.lower() in _KEPT:
                clean = redact(text)
                secrets.update(dict(clean.found))
                indexed = agent.indexed.get(path)
                found = _Entries(agent, path, clean.text, indexed, context)
                yield from found.items(self.terms)
            else:
                docs.append(_doc(agent, path, text))
        for kind, count in sorted(secrets.items()):
            yield Left(kind, "a secret: taken out of the text", count)
        yield from taken_in(docs, (), lambda _: "", context, self.terms)


# -- what there is -----------------------------------------------------------


def _agents(source: Source) -> Iterator[_Agent]:
    """The agents of a workspace, a state folder or an index, by name."""
    if source.path == "-":
        raise UsageError("a workspace can't come by stdin", mend="name its folder")
    if os.path.isfile(source.path):
        if source.path.lower().endswith(".md"):
            folder = os.path.dirname(os.path.realpath(source.path))
            agent = _Agent(_agent_of(os.path.basename(folder)))
            _take(agent, folder, os.path.basename(source.path))
        else:
            agent = _Agent(_agent_at(os.path.realpath(source.path)))
            _add_index(agent, source.path)
        yield agent
        return
    found: dict[str, _Agent] = {}
    root = os.path.realpath(source.path)
    for folder in _workspaces(root):
        name = _agent_of(os.path.basename(folder))
        _walk(found.setdefault(name, _Agent(name)), folder)
    for path in _indexes(root):
        name = _agent_at(path)
        alone = next(iter(found)) if len(found) == 1 else name
        _add_index(
            found.setdefault(name if name in found else alone, _Agent(name)), path
        )
    yield from (found[name] for name in sorted(found))


def _agent_of(folder: str) -> str:
    """The agent whose workspace a folder is; OpenClaw's own is `main`."""
    return "main" if folder == "workspace" else folder.removeprefix("workspace-")


def _agent_at(path: str) -> str:
    """The agent whose index a file is: named by it, or by the folder of its state."""
    parts = path.replace(os.sep, "/").split("/")
    if len(parts) > 3 and parts[-4] == "agents":
        return parts[-3]
    return parts[-1].rpartition(".")[0] or parts[-1]


def _workspaces(root: str) -> list[str]:
    if _is_workspace(root):
        return [root]
    below = sorted(n for n in os.listdir(root) if n.startswith("workspace"))
    return [p for n in below if _is_workspace(p := os.path.join(root, n))]


def _is_workspace(folder: str) -> bool:
    if not os.path.isdir(folder):
        return False
    names = {name.lower() for name in os.listdir(folder)}
    return bool(names & (_PERSONA | set(_KEPT))) or any(
        _DAY.search(name) for name in _listed(os.path.join(folder, "memory"))
    )


def _listed(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _indexes(root: str) -> list[str]:
    memory = os.path.join(root, "memory")
    found = [
        os.path.join(memory, name)
        for name in _listed(memory)
        if name.endswith(".sqlite")
    ]
    agents = os.path.join(root, "agents")
    for name in _listed(agents):
        path = os.path.join(agents, name, "agent", "openclaw-agent.sqlite")
        if os.path.isfile(path):
            found.append(path)
    return found


def _walk(agent: _Agent, folder: str) -> None:
    """The workspace's own files, and all Markdown below `memory/`."""
    for name in _listed(folder):
        if name.lower().endswith(".md"):
            _take(agent, folder, name)
    if os.path.isdir(os.path.join(folder, "skills")):
        agent.left["folder skills/", "what the agent can is no memory"] += 1
    for here, folders, names in os.walk(os.path.join(folder, "memory")):
        hidden = [name for name in folders if name.startswith(".")]
        if hidden:
            agent.left["machine state", "the index of OpenClaw's own"] += len(hidden)
        folders[:] = sorted(n for n in folders if not n.startswith("."))
        for name in sorted(names):
            if name.lower().endswith(".md") and not name.startswith("."):
                path = os.path.relpath(os.path.join(here, name), folder)
                _take(agent, folder, path.replace(os.sep, "/"))


def _take(agent: _Agent, folder: str, path: str) -> None:
    if reason := _unwanted(path):
        agent.left[reason] += 1
        return
    full = os.path.join(folder, path)
    if os.path.islink(full):
        agent.left["symbolic link", "it may lead anywhere"] += 1
        return
    place = f"{agent.name}/{path}"
    try:
        with open_plain(full) as file:
            data = file.read(_LONGEST + 1)
    except OSError as error:
        message = f"can't be read: {error.strerror}"
        agent.problems.append(
            Problem(place, 0, "import-read", message, "check it", "error")
        )
        return
    if len(data) > _LONGEST:
        message = f"larger than {_LONGEST:,} bytes"
        agent.problems.append(
            Problem(place, 0, "import-large", message, "split it", "error")
        )
        return
    # The same file under its old name in lower case is the same.
    path = path.upper()[:-3] + ".md" if path.lower() in _KEPT else path
    agent.files[path] = decode(data).text


def _unwanted(path: str) -> tuple[str, str] | None:
    """What a file is that is no memory, and why."""
    low = path.lower()
    if low in _PERSONA:
        return "file of the agent's own", "how an agent shall be is no memory"
    if low == "dreams.md" or low.startswith("memory/dreaming/"):
        return "dream", "what an agent dreamt is no fact"
    if any(part.startswith(".") for part in low.split("/")):
        return "machine state", "the index of OpenClaw's own"
    if not low.startswith("memory/") and low not in _KEPT:
        return "other file", "it lies outside of memory/"
    return None


def _add_index(agent: _Agent, path: str) -> None:
    """What an index has, where the file itself isn't there."""
    try:
        with opened(path) as connection:
            if not is_index(connection):
                agent.left["other SQLite file", "it is no index of a memory"] += 1
                return
            for each in read_index(connection):
                if isinstance(each, Left):
                    agent.left[each.what, each.why] += each.count
                elif reason := _unwanted(each.path):
                    agent.left[reason] += 1
                else:
                    _add(agent, each)
    except (sqlite3.Error, OSError, MindcacheError) as error:
        place, mend = os.path.basename(path), "check the file"
        message = f"can't be read: {error}"
        agent.problems.append(
            Problem(place, 0, "openclaw-index", message, mend, "error")
        )


def _add(agent: _Agent, each: Indexed) -> None:
    low = each.path.lower()
    path = each.path.upper()[:-3] + ".md" if low in _KEPT else each.path
    agent.indexed[path] = each
    if path in agent.files:
        return
    agent.files[path] = each.text
    if each.gaps:
        agent.problems.append(
            Problem(
                f"{agent.name}/{path}", 0, "openclaw-gap",
                f"the index lacks {each.gaps} lines of it", "import the file itself",
            )
        )  # fmt: skip


# -- days and other notes ------------------------------------------------------


def _doc(agent: _Agent, path: str, text: str) -> Doc:
    key = f"{agent.name}/{path}"
    extra: dict[str, str | float | list[str]] = {}
    if match := _DAY.search(path):
        try:
            clock = _CLOCK.match(match[2] or "")
            at = f"T{clock[1]}:{clock[2]}" if clock else ""
            if parse_interval(match[1]) is not None:
                extra |= {"type": "event", "time_start": f"{match[1]}{at}"}
                extra |= {} if at else {"all_day": True}
        except ValueError:
            extra = {}
    indexed = agent.indexed.get(path)
    extra |= _trust(indexed.origin() if indexed else "")
    wanted = safe_path(f"{agent.name}/{path.removeprefix('memory/')}")
    return Doc(path, text, key, key, key, wanted=wanted, extra=extra)


def _trust(origin: str) -> dict[str, str | float | list[str]]:
    """Who is behind it; what comes from outside is marked and hardly believed."""
    if not origin:
        return {}
    if origin != "untrusted":
        return {"origin_class": origin}
    return {"origin_class": origin, "confidence": _UNTRUSTED}


# -- facts -----------------------------------------------------------------------


class _Entries:
    """The entries of one file as facts."""

    def __init__(
        self,
        agent: _Agent,
        path: str,
        text: str,
        indexed: Indexed | None,
        context: Context,
    ) -> None:
        self.key = f"{agent.name}/{path}"
        self.agent = agent.name
        self.files = agent.files
        self.indexed = indexed
        self.context = context
        self.found = list(entries(text))
        self.keys: list[str] = []
        seen: Counter[str] = Counter()
        for each in self.found:
            digest = _digest(each)
            seen[digest] += 1
            mark = f"-{seen[digest]}" if seen[digest] > 1 else ""
            self.keys.append(f"{self.key}#{digest}{mark}")

    def items(self, terms: Terms) -> Iterator[Item | Problem]:
        """One for each, those that were superseded with what they gave way to."""
        names = [_name(entry) for entry in self.found]
        wanted = [safe_path(f"{self.agent}/{name}.md") for name in names]
        places = self.context.places
        paths = [
            places.note(key, path) if places else path
            for key, path in zip(self.keys, wanted, strict=True)
        ]
        for number, entry in enumerate(self.found):
            properties = self._properties(entry)
            if entry.status == "superseded":
                properties |= self._superseded(number, paths)
            if cited := self._cited(entry):
                properties["derived_from"] = [cited]
            data = emit(properties, entry.text).encode()
            place = f"{self.key}:{entry.lines[0]}"
            path = f"{names[number]}.md"
            doc = Doc(path, "", self.keys[number], place, self.key, wanted=path)
            item, problems = mapped(parse(path, data), doc, self.context, terms)
            yield from problems
            yield replace(item, path=paths[number])

    def _properties(self, entry: Entry) -> dict[str, Property]:
        mark = self.indexed.alone(entry.lines) if self.indexed else None
        importance = entry.importance or (mark.importance if mark else 0)
        project = entry.project or (mark.project if mark else "")
        told = mark.triggers.replace(";", ",").split(",") if mark else []
        triggers = entry.triggers or tuple(t for w in told if (t := w.strip()))
        origin = self.indexed.origin(entry.lines) if self.indexed else ""
        observed = entry.observed
        if not observed and mark and mark.observed:
            observed = as_time(mark.observed, self.context)
        if parse_interval(observed) is None:
            observed = ""
        properties: dict[str, Property] = {"type": "fact"}
        if triggers:
            properties["triggers"] = list(triggers)
        if 1 <= importance <= 10:
            properties["importance"] = importance / 10
        if project:
            properties["project"] = _HOST.sub("", project).removesuffix(".git")
        if entry.section:
            properties["section"] = plain_text(entry.section)
        if observed:
            properties |= {"created_at": observed, "valid_from": observed}
        properties.update(_trust(origin))  # type: ignore[arg-type]  # texts and numbers are properties
        return properties

    def _superseded(self, number: int, paths: Sequence[str]) -> dict[str, Property]:
        """That it holds no longer, since when, and what holds instead."""
        other = self._replacement(number)
        entry = self.found[number]
        since = self.found[other].observed if other is not None else ""
        if parse_interval(since) is None:
            since = entry.observed or self.context.now.date().isoformat()
        found: dict[str, Property] = {"status": "archived", "valid_until": since}
        if other is not None and paths[other]:
            stem = paths[other].rpartition("/")[2].removesuffix(".md")
            found["superseded_by"] = f"[[{stem}]]"
        return found

    def _replacement(self, number: int) -> int | None:
        """The entry beside it, below or above, that is still active and no older."""
        when = self.found[number].observed
        for other in (number + 1, number - 1):
            if 0 <= other < len(self.found):
                beside = self.found[other]
                same = beside.section == self.found[number].section
                if same and beside.status == "active" and beside.observed >= when:
                    return other
        return None

    def _cited(self, entry: Entry) -> str:
        """The note of the day that an entry was promoted from."""
        if entry.cites not in self.files or entry.cites.lower() in _KEPT:
            return ""
        path = entry.cites.removeprefix("memory/")
        key = f"{self.agent}/{entry.cites}"
        places = self.context.places
        wanted = safe_path(f"{self.agent}/{path}")
        found = places.note(key, wanted) if places else wanted
        return f"[[{found.removesuffix('.md')}]]" if found else ""


def _digest(entry: Entry) -> str:
    """What an entry is known by: its words, however they are spaced."""
    words = " ".join(entry.text.split()).casefold()
    return hashlib.blake2b(words.encode(), digest_size=6).hexdigest()


def _name(entry: Entry) -> str:
    """A name for the note: the first words, as many as a file list shows."""
    line = entry.text.strip().split("\n")[0].partition(" Source:")[0]
    first = plain_text(line).strip()
    words = first.replace("/", " ")[:70].rstrip(" .")
    if len(first) > 70:
        words = words.rpartition(" ")[0] or words
    return words or "note"
