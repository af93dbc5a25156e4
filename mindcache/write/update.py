"""Changing one note: its properties and its text, and no byte that isn't meant."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from mindcache import tags
from mindcache.errors import Refused, UsageError
from mindcache.note import DELETE, Delete, Note, Property, edit, emit, parse
from mindcache.redact import redact
from mindcache.write.rewrite import Rewrite, Seen, stamped

__all__ = ["Edits", "append_text", "no_tags", "read_assignments", "update"]

_ITEM = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]")


@dataclass(frozen=True, slots=True)
class Edits:
    """What is to be changed; None and empty mean that it stays.

    `body` is the text that replaces the note's own, `append` one that goes below it.
    """

    summary: str | None = None
    assign: Mapping[str, Property] | None = None
    unset: Sequence[str] = ()
    add_tags: Sequence[str] = ()
    remove_tags: Sequence[str] = ()
    append: str | None = None
    body: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing is to be changed."""
        texts = (self.summary, self.append, self.body)
        lists = (self.assign, self.unset, self.add_tags, self.remove_tags)
        return all(t is None for t in texts) and not any(lists)


def read_assignments(given: Sequence[str]) -> dict[str, Property]:
    """`key=value` as properties: numbers, true, false and [lists] as such, else text.

    What would not be written back just so stays text ("007"). Raises UsageError.
    """
    found: dict[str, Property] = {}
    for each in given:
        key, sign, value = each.partition("=")
        key = key.strip()
        if not sign or not key or "\n" in key:
            raise UsageError(
                f"--set {each!r} is not key=value",
                mend="for example --set status=missed",
            )
        found[key] = _value(value.strip())
    return found


def _value(text: str) -> Property:
    if not text:
        return None
    if "\n" in text or "\r" in text:
        return text
    source = f"---\nk: {text}\n---\n"
    read = parse("", source.encode("utf-8", "replace")).properties.get("k")
    if isinstance(read, list) and text.startswith("[") and not text.startswith("[["):
        return read
    if isinstance(read, (bool, int, float)) and emit({"k": read}, "") == source:
        return read
    return text


def update(seen: Seen, edits: Edits, now: datetime) -> Rewrite:
    """The note with the edits made.

    Raises Refused when it can't be edited safely, UsageError for edits that make no
    sense.
    """
    note = seen.note
    edits, remarks = _without_secrets(edits)
    changes: dict[str, Property | Delete] = dict(edits.assign or {})
    _guard(note, changes, edits)
    if edits.summary is not None:
        changes["summary"] = " ".join(edits.summary.split())
    for key in edits.unset:
        if key in note.properties:
            changes[key] = DELETE
        else:
            remarks.append(f"there is no {key} to unset")
    if edits.add_tags or edits.remove_tags:
        key, value = _tags(note, edits, remarks)
        changes[key] = value
    body = _body(note, edits)
    has_new_text = body != note.body
    changes = stamped(seen, changes, now, has_new_text=has_new_text)
    after = edit(seen.data, changes)
    if has_new_text:
        after = _with_body(note.path, after, body)
    return Rewrite(
        note.path, seen.data, after, changes, tuple(remarks), has_new_text=has_new_text
    )


def _without_secrets(edits: Edits) -> tuple[Edits, list[str]]:
    """The edits without secrets, and a remark for each kind that was taken out."""
    counts: Counter[str] = Counter()

    def clean(text: str | None) -> str | None:
        if text is None:
            return None
        found = redact(text)
        counts.update(dict(found.found))
        return found.text

    def cleaned(value: Property) -> Property:
        if isinstance(value, list):
            return [cleaned(each) for each in value]
        return clean(value) if isinstance(value, str) else value

    assign = {key: cleaned(value) for key, value in (edits.assign or {}).items()}
    edits = replace(
        edits,
        summary=clean(edits.summary),
        assign=assign,
        append=clean(edits.append),
        body=clean(edits.body),
    )
    return edits, [f"{counts[kind]} × {kind} redacted" for kind in sorted(counts)]


def _guard(note: Note, changes: Mapping[str, object], edits: Edits) -> None:
    touched = {*changes, *edits.unset}
    if "id" in touched:
        raise Refused(
            f"{note.path}: the id is the note's name for life", mend="nothing written"
        )
    twice = touched & {"tags", "tag"} and (edits.add_tags or edits.remove_tags)
    both = set(changes) & set(edits.unset)
    if edits.summary is not None and "summary" in touched:
        both.add("summary")
    if both or twice:
        name = min(both) if both else "tags"
        raise UsageError(f"{name} is to be changed in two ways", mend="give one")
    if edits.body is not None and edits.append is not None:
        raise UsageError("--body and --append exclude each other")
    has_text = edits.body is not None or edits.append is not None
    if has_text and note.text_end < len(note.text):
        raise Refused(
            f"{note.path} is a drawing: what stands behind its text must stay",
            mend="edit it in Obsidian",
        )
    if edits.body is not None and note.properties.get("type") == "journal":
        raise Refused(
            f"{note.path} is a journal: what it says stays", mend="--append adds to it"
        )
    if edits.body is not None and note.generated:
        raise Refused(
            f"{note.path} holds text that Mindcache keeps up to date",
            mend="--append adds to it",
        )


def _tags(note: Note, edits: Edits, remarks: list[str]) -> tuple[str, Property]:
    """The property that holds the tags, and what it shall hold."""
    own = next((k for k in ("tags", "tag") if k in note.properties), "tags")
    found = {tags.key(tag.name): tag.name for tag in note.tags if not tag.line}
    inline = {tags.key(tag.name): tag.line for tag in note.tags if tag.line}
    for each in edits.remove_tags:
        key = tags.key(each)
        if found.pop(key, None) is None:
            at = f"; it stands in the text, line {inline[key]}" if key in inline else ""
            remarks.append(f"there is no tag {each} among the properties{at}")
    for each in edits.add_tags:
        name = tags.normalise(each)
        if not name:
            raise UsageError(f"--add-tag {each!r} is no tag", mend="write tool/git")
        found.setdefault(tags.key(name), name)
    value: list[Property] = list(found.values())
    before = note.properties.get(own)
    strange = no_tags(note, own)
    if isinstance(before, list):
        # What stands there stays as it is spelled, `#` and all.
        spelled = [i for i in before if i in strange or tags.key(str(i)) in found]
        known = {tags.key(str(item)) for item in spelled}
        value = [*spelled, *(name for key, name in found.items() if key not in known)]
    elif [tags.key(str(v)) for v in value] == [
        tags.key(t.name) for t in note.tags if not t.line
    ]:
        return own, before  # nothing new: a single text stays one
    return own, value


def no_tags(note: Note, key: str) -> list[Property]:
    """What stands in the property of tags and is none, such as a number: not ours to lose.

    Raises Refused for a value that is neither a list nor a text.
    """
    value = note.properties.get(key)
    if value in (None, "") or isinstance(value, str):
        return []
    if not isinstance(value, list):
        raise Refused(
            f"{note.path}: {key} holds {value!r}, which is no list of tags",
            mend="give that property another name first",
        )
    own = {tags.key(tag.name) for tag in note.tags if not tag.line}
    return [i for i in value if i not in (None, "") and tags.key(str(i)) not in own]


def _body(note: Note, edits: Edits) -> str:
    if edits.append is not None:
        return append_text(note, edits.append)
    if edits.body is None:
        return note.body
    text = edits.body.replace("\r\n", "\n").replace("\r", "\n")
    if text and not text.endswith("\n"):
        text += "\n"
    return text.replace("\n", note.encoding.newline)


def append_text(note: Note, text: str) -> str:
    """The note's body with a text below it, as a paragraph or list item of its own.

    Raises Refused where the note ends inside a code block.
    """
    newline = note.encoding.newline
    text = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    if not text:
        return note.body
    body = note.body
    lines = body.rstrip("\r\n").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    gap = ""
    if body and not body.endswith(("\n", "\r")):
        gap = newline
    is_list = bool(_ITEM.match(lines[-1]) and _ITEM.match(text))
    blank = body.replace("\r\n", "\n").replace("\r", "\n").endswith("\n\n")
    if body.strip() and not is_list and not blank:
        gap += newline
    whole = body + gap + text.replace("\n", newline) + newline
    before = note.text[: len(note.text) - len(note.body)]
    after = parse(note.path, (before + whole).encode("utf-8", "surrogatepass"))
    own = (before + body + gap).replace("\r\n", "\n").replace("\r", "\n").count(
        "\n"
    ) + 1
    if any(first < own <= last for first, last in after.fences):
        raise Refused(
            f"{note.path} ends inside a code block: the text would become code",
            mend="close the block first",
        )
    return whole


def _with_body(path: str, data: bytes, body: str) -> bytes:
    """The note's bytes with another body. Raises Refused if it can't be read back."""
    note = parse(path, data)
    head = note.text[: len(note.text) - len(note.body)]
    bom = b"\xef\xbb\xbf" if note.encoding.bom else b""
    try:
        after = bom + (head + body).encode("utf-8")
    except UnicodeEncodeError as error:
        raise Refused(
            "the text holds bytes that are no UTF-8", mend="convert it to UTF-8 first"
        ) from error
    again = parse(path, after)
    if again.body != body or dict(again.properties) != dict(note.properties):
        raise Refused(
            f"{path}: the text would be read as properties",
            mend="begin it with an empty line",
        )
    return after
