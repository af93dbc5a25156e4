"""The importer for chats: from files to the notes of their conversations.

Which format a file has is seen by what is in it, never by its name alone.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from mindcache.errors import Problem, Severity
from mindcache.importers.chat import (
    chatgpt,
    claude,
    claude_code,
    slack,
    telegram,
    whatsapp,
)
from mindcache.importers.chat.files import BROKEN, File, Text, files_of, lines_of
from mindcache.importers.chat.layout import items_of
from mindcache.importers.chat.turns import Conversation, Who, dictionary, listed
from mindcache.importers.chat.values import Fault, Values, keys_of, repaired
from mindcache.importers.item import Context, Item, Left, Read, Source, Stranger

__all__ = ["Chat"]

# Characters of a file's beginning by which it is recognised.
_LOOKED_AT = 64 << 10
# What the owner is called where `me` says no name.
_OWNER = "Me"

_Told = Item | Problem | Left | Stranger | Read

# Files beside the conversations of an export, and why they make no notes.
_BESIDE = {
    "message_feedback.json": "what you thought of an answer is no conversation",
    "shared_conversations.json": "a list of what the export holds anyway",
    "user.json": "about the account",
    "users.json": "about the account",
    "user_settings.json": "about the account",
    "projects.json": "no conversation",
    "memories.json": "what the service keeps of you is no conversation",
    "integration_logs.json": "no conversation",
    "canvases.json": "no conversation",
    "lists.json": "no conversation",
}


class Chat:
    """The importer for chats; see `importers.item.Importer`."""

    name = "chat"
    source_type = "chat"
    short = "Conversations of chat programs and assistants."
    suffixes = (".json", ".jsonl", ".txt", ".zip")
    folder = "chats"
    formats = ("chatgpt", "claude", "claude-code", "slack", "telegram", "whatsapp")

    def takes_folder(self, path: str) -> bool:
        """Whether a folder is an unpacked Slack export."""
        return any(os.path.isfile(os.path.join(path, name)) for name in slack.LISTS)

    def read(self, sources: Sequence[Source], context: Context) -> Iterator[_Told]:
        """Everything in the sources; see `importers.item.Importer`."""
        for source in sources:
            reading = _Reading(source, context)
            try:
                with files_of(source) as (files, problems):
                    reading.is_whole = not problems
                    yield from problems
                    yield from reading.read(files)
            except BROKEN as error:
                reading.is_whole = False
                message = f"the archive is damaged: {error}"
                mend = "fetch it again"
                yield Problem(source.name, 0, "chat-archive", message, mend, "error")
            yield Read(source.name, reading.is_whole)


class _Lines:
    """The lines of a text file, counted, with what was too long."""

    def __init__(self, read: Callable[[int], str], shown: str) -> None:
        self.read = read
        self.shown = shown
        self.problems: list[Problem] = []

    def __iter__(self) -> Iterator[tuple[int, str]]:
        for number, line in lines_of(self.read):
            if line is None:
                self.problems.append(
                    Problem(self.shown, number, "chat-line", "the line is too long",
                            "it is left out", "error")
                )  # fmt: skip
            else:
                yield number, line


@dataclass(slots=True)
class _Head:
    """A file's stream, whose beginning was read already."""

    text: Text
    head: str

    def read(self, size: int) -> str:
        """About so many characters, "" at the end; the beginning first."""
        if self.head:
            head, self.head = self.head, ""
            return head
        return self.text.read(size)


class _Reading:
    """One source while it is read."""

    def __init__(self, source: Source, context: Context) -> None:
        self.source = source
        self.context = context
        self.zone = context.zone
        self.names = tuple(name for name in context.me if "@" not in name)
        self.me = Who(self.names[0] if self.names else _OWNER, "me")
        self.is_whole = True

    # -- which format ----------------------------------------------------

    def read(self, files: Sequence[File]) -> Iterator[_Told]:
        """Everything in the files of the source."""
        wanted = self.context.format
        if wanted == "slack" or (not wanted and _is_slack(files)):
            yield from self._slack(files)
            return
        found = 0
        for file in files:
            why = _BESIDE.get(file.name.rpartition("/")[2].lower())
            if why and not wanted:
                yield Left(f"file {file.shown}", why)
                found += 1
                continue
            try:
                found += yield from self._file(file, wanted)
            except BROKEN as error:
                yield self._damaged(file, error)
                found += 1
        if not files:
            yield self._unknown(self.source.name)

    def _file(self, file: File, wanted: str) -> Generator[_Told, None, int]:
        """A file of any format but Slack's; 1 when its format was recognised."""
        with file.open() as opened:
            text = Text(opened)
            head = text.read(_LOOKED_AT)
            kind = wanted or _format(head)
            stream = _Head(text, head)
            if kind == "claude-code":
                yield from self._claude_code(file, stream)
            elif kind == "whatsapp":
                yield from self._whatsapp(file, stream)
            elif kind == "telegram":
                yield from self._telegram(file, stream)
            elif kind:
                yield from self._objects(file, stream, wanted)
            else:
                yield self._unknown(file.shown)
                return 0
            if problem := text.problem(file.shown):
                self.is_whole = False
                yield problem
        return 1

    def _unknown(self, shown: str) -> Problem:
        self.is_whole = False
        formats = ", ".join(Chat.formats)
        severity: Severity = "error" if self.source.is_named else "warning"
        return Problem(
            shown, 0, "chat-unknown", "no chat is recognised in it",
            f"--format forces one of: {formats}", severity,
        )  # fmt: skip

    # -- formats ---------------------------------------------------------

    def _objects(self, file: File, stream: _Head, wanted: str) -> Iterator[_Told]:
        """The conversations of ChatGPT and Claude.ai: objects, one or an array."""
        values = Values(stream.read)
        rows = values.items() if values.peek() == "[" else _alone(values)
        others = 0
        for line, value in rows:
            if isinstance(value, Fault):
                yield self._broken(file, value)
                continue
            place = f"{file.shown}:{line}"
            try:
                talk = self._talk(dictionary(value), wanted, place)
            except ValueError as error:
                yield self._broken(file, Fault(line, str(error)))
                continue
            if talk is None:
                others += 1
            else:
                yield from self._told(talk)
        if others:
            yield Left("record", "it is no conversation", others)

    def _talk(
        self, value: Mapping[str, Any], wanted: str, place: str
    ) -> Conversation | None:
        payload = value.get("raw_provider_payload")
        if isinstance(payload, dict):  # what a browser extension saw on its way
            value = payload
        if wanted in {"", "chatgpt"} and chatgpt.is_conversation(value):
            return chatgpt.conversation(value, self.me, self.zone, place)
        if wanted in {"", "claude"} and claude.is_conversation(value):
            return claude.conversation(value, self.me, self.zone, place)
        return None

    def _claude_code(self, file: File, stream: _Head) -> Iterator[_Told]:
        lines = _Lines(stream.read, file.shown)
        faults: list[Problem] = []

        def records() -> Iterator[tuple[str, Mapping[str, Any]]]:
            for number, line in lines:
                if not line.strip():
                    continue
                try:
                    value = json.loads(line, strict=False)
                except (ValueError, RecursionError):
                    try:
                        value = json.loads(repaired(line), strict=False)
                    except (ValueError, RecursionError) as error:
                        message = f"no JSON: {error}"
                        faults.append(self._broken(file, Fault(number, message)))
                        continue
                yield f"{file.shown}:{number}", dictionary(value)

        stem = file.name.rpartition("/")[2].removesuffix(".jsonl")
        stem = "" if self.source.path == "-" else stem
        found = claude_code.conversations(
            records(), stem, self.me, self.zone, self.context.met
        )
        for talk in found:
            yield from self._told(talk)
        yield from faults
        yield from self._lost(lines)

    def _whatsapp(self, file: File, stream: _Head) -> Iterator[_Told]:
        if self.source.path == "-":
            message = "a WhatsApp chat is read more than once, which stdin can't be"
            mend = "give the file's path"
            self.is_whole = False
            yield Problem("stdin", 0, "chat-file", message, mend, "error")
            return
        lines = _Lines(stream.read, file.shown)
        order, is_sure = whatsapp.order_of(line for _, line in lines)
        if not is_sure:
            message = "day and month can't be told apart; read as day/month"
            mend = "check the dates of the notes"
            yield Problem(file.shown, 0, "chat-date", message, mend)
        name = file.name.rpartition("/")[2]
        name = name[:-4] if name.lower().endswith(".txt") else name
        if name == "_chat":
            name = os.path.basename(self.source.path).rpartition(".")[0]
        title = whatsapp.title_of(name)
        people: list[str] = []
        if not title:
            with file.open() as opened:
                said = lines_of(Text(opened).read)
                people = whatsapp.people_of((line or "" for _, line in said), order)
        with file.open() as opened:
            again = _Lines(Text(opened).read, file.shown)
            talk = whatsapp.conversation(
                (line for _, line in again),
                order,
                title,
                people,
                self.names,
                file.shown,
            )
            yield from self._told(talk)
            yield from self._lost(again)

    def _telegram(self, file: File, stream: _Head) -> Iterator[_Told]:
        values = Values(stream.read)
        found = telegram.conversations(values, self.names, self.zone, file.shown)
        for talk in found:
            if isinstance(talk, Fault):
                yield self._broken(file, talk)
            else:
                yield from self._told(talk)

    def _slack(self, files: Sequence[File]) -> Iterator[_Told]:
        by_name = {file.name.rpartition("/")[2]: file for file in files}
        problems: list[Problem] = []

        def rows(file: File | None) -> list[Any]:
            try:
                value, found = _whole(file, self._broken) if file else ([], [])
            except BROKEN as error:
                value, found = [], [self._damaged(file, error)] if file else []
            problems.extend(found)
            return listed(value)

        users = rows(by_name.get("users.json"))
        lists = [rows(by_name.get(name)) for name in slack.LISTS]
        team = slack.Team.of(users, lists)
        channels: dict[str, list[File]] = {}
        for file in files:
            if day := slack.day_of(file.name):
                channels.setdefault(day[0], []).append(file)
            elif (name := file.name.rpartition("/")[2]) in _BESIDE:
                if name != "users.json":
                    yield Left(f"file {file.shown}", _BESIDE[name])
            elif name not in slack.LISTS:
                yield Left(f"file {file.shown}", "no file of a Slack export")
        for folder in sorted(channels):
            days = sorted(channels[folder], key=lambda file: file.name)
            talk = slack.conversation(
                folder,
                map(rows, days),
                team,
                self.names,
                self.zone,
                days[0].shown,
            )
            yield from self._told(talk)
        yield from problems

    # -- telling ---------------------------------------------------------

    def _told(self, talk: Conversation) -> Iterator[_Told]:
        for each in items_of(talk, self.context):
            if isinstance(each, Problem):
                self.is_whole = False
            yield each

    def _lost(self, lines: _Lines) -> Iterator[Problem]:
        self.is_whole = self.is_whole and not lines.problems
        yield from lines.problems

    def _damaged(self, file: File, error: Exception) -> Problem:
        """A file of an archive that can't be unpacked; the others don't suffer."""
        self.is_whole = False
        why = str(error) or "it ends too early"
        message = f"this file of the archive is damaged: {why}"
        mend = "fetch the archive again; what else is in it is taken"
        return Problem(file.shown, 0, "chat-archive", message, mend, "error")

    def _broken(self, file: File, fault: Fault) -> Problem:
        self.is_whole = False
        mend = "export it again" if fault.is_end else "it is left out"
        return Problem(
            file.shown, fault.line, "chat-json", fault.message, mend, "error"
        )


def _format(head: str) -> str:
    """The format of a file that begins so; "objects" for either assistant's."""
    sign, keys = keys_of(head)
    if sign == "{":
        line = head.lstrip("\ufeff \t\r\n").partition("\n")[0]
        if claude_code.is_record(_object(line, keys)):
            return "claude-code"
        if telegram.is_export(keys):
            return "telegram"
    if sign and keys & {"mapping", "chat_messages", "raw_provider_payload"}:
        return "objects"
    # The one key that counts may stand behind long texts.
    if sign and (keys >= {"create_time", "title"} or keys >= {"uuid", "created_at"}):
        return "objects"
    if sign == "[" and head.lstrip("\ufeff \t\r\n")[1:].lstrip()[:1] == "]":
        return "objects"
    # Its lines may begin with a bracket, as JSON does.
    return "whatsapp" if not keys and whatsapp.is_chat(head) else ""


def _object(line: str, keys: frozenset[str]) -> Mapping[str, Any]:
    """The object of a line; of one that is cut, its keys and a type if it says one."""
    try:
        return dictionary(json.loads(line, strict=False))
    except (ValueError, RecursionError):
        pass
    if "\n" in line or not keys >= {"type", "sessionId"}:
        return {}
    return {"type": "user", **dict.fromkeys(keys - {"type"})}


def _is_slack(files: Sequence[File]) -> bool:
    return slack.is_export(file.name for file in files)


def _alone(values: Values) -> Iterator[tuple[int, Any]]:
    if values.peek():
        yield values.line, values.value()


def _whole(
    file: File, broken: Callable[[File, Fault], Problem]
) -> tuple[Any, list[Problem]]:
    """A small JSON file at once, and what is wrong with it."""
    problems: list[Problem] = []
    opened: IO[bytes]
    with file.open() as opened:
        text = Text(opened)
        values = Values(text.read)
        if values.peek() != "[":
            return [], problems
        found: list[Any] = []
        rows = values.items()
        for _, value in rows:
            if isinstance(value, Fault):
                problems.append(broken(file, value))
            else:
                found.append(value)
        if problem := text.problem(file.shown):
            problems.append(problem)
    return found, problems
