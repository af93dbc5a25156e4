"""Adopting a plain note: the properties that make it a memory under contract.

Nothing is guessed that a reader could not see in the note: the id is derived
from the note's date and content, so that the diff shown is the diff written.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from mindcache import tags
from mindcache.errors import Problem, Refused, UsageError
from mindcache.hashing import blake2b
from mindcache.memory import RELATIONS, STATUSES, Memory, moment
from mindcache.note import Note, Property, edit
from mindcache.when import time_of_ulid
from mindcache.write.ids import derived_id
from mindcache.write.rewrite import Rewrite, refusal
from mindcache.write.update import no_tags

__all__ = ["Terms", "adopt", "refused"]

# Properties that mean something here, so that nothing else can be kept in them.
_OURS = frozenset(
    {
        "id", "type", "summary", "tags", "tag", "project", "aliases", "alias", "status",
        "outcome", "title", "location", "created_at", "updated_at", "time_start",
        "time_end", "all_day", "timezone", "confidence", "importance", "pinned", "lang",
        "valid_from", "valid_until", "recurrence", "sequence", "superseded_by",
        "entities", "parent_topic", "related_topics", "anchors", *RELATIONS,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Terms:
    """On which terms a note is adopted, where it can't be as it is.

    `namespaces` are those that tags may have. Tags without one go under `namespace`,
    a type or status that is none of ours is kept in the property that is named for
    it; "" for none of these.
    `title_as_summary` is for notes without a sentence that could be one.
    """

    namespaces: Sequence[str]
    namespace: str = ""
    keep_type_as: str = ""
    keep_status_as: str = ""
    project: str = ""
    title_as_summary: bool = False

    def __post_init__(self) -> None:
        if self.namespace and tags.key(self.namespace) not in self._known:
            raise UsageError(
                f"--namespace {self.namespace} is no namespace of this vault",
                mend=f"one of: {', '.join(self.namespaces)}",
            )
        if tags.key(self.namespace) == "scope":
            raise UsageError(
                "--namespace scope is for scope/project and scope/global",
                mend="choose another",
            )
        for kept in (self.keep_type_as, self.keep_status_as):
            if kept in _OURS:
                raise UsageError(
                    f"{kept} is a property of ours", mend="choose another name"
                )

    @property
    def _known(self) -> set[str]:
        return {tags.key(name) for name in self.namespaces}

    def fits(self, tag: str) -> bool:
        """Whether a tag has a namespace that it may have."""
        return tags.namespace(tag) in self._known


def adopt(
    data: bytes, note: Note, memory: Memory, terms: Terms, now: datetime
) -> Rewrite:
    """The properties that the note lacks under contract, written into its block.

    Raises Refused when the note can't be edited safely, and EditRefused (a kind
    of it) naming the line.
    """
    if note.frontmatter is not None and note.frontmatter.error is not None:
        raise Refused.over(note.frontmatter.error)
    changes: dict[str, Property] = {}
    # An undated note becomes today's, to the day: the diff shown is the diff written.
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    when = memory.date.start if memory.date else today
    given = note.properties.get("id")
    if not isinstance(given, str) or time_of_ulid(given) is None:
        if given not in (None, ""):
            raise Refused(
                f"{note.path} has an id of another kind: {given}",
                mend="rename that property first, so that nothing is lost",
            )
        key = blake2b(data, digest_size=16).hexdigest()
        changes["id"] = derived_id(when, "adopt", f"{note.path}\n{key}")
    changes.update(_words(note, memory, terms))
    if memory.summary_inferred:
        summary = memory.summary or (memory.title if terms.title_as_summary else "")
        changes.update({"summary": summary} if summary else {})
    changes.update(_tags(note, memory, terms))
    if terms.project and not memory.project:
        changes["project"] = terms.project
    if note.properties.get("created_at") in (None, ""):
        changes["created_at"] = moment(when)
    return Rewrite(note.path, data, edit(data, changes), changes)


def _words(note: Note, memory: Memory, terms: Terms) -> dict[str, Property]:
    """Type and status in our words; foreign ones go where the user wants them."""
    changes: dict[str, Property] = {}
    own = note.properties.get("type")
    if own in (None, ""):
        changes["type"] = memory.type
    elif memory.type_inferred and terms.keep_type_as:
        _keep(note, terms.keep_type_as, own, changes)
        changes["type"] = memory.type
    status = note.properties.get("status")
    is_ours = isinstance(status, str) and status.strip().casefold() in STATUSES
    if status not in (None, "") and not is_ours and terms.keep_status_as:
        _keep(note, terms.keep_status_as, status, changes)
        changes["status"] = memory.status
    return changes


def _keep(note: Note, name: str, value: Property, changes: dict[str, Property]) -> None:
    if note.properties.get(name) not in (None, "", value) or name in changes:
        raise Refused(
            f"{note.path} has a property {name} already", mend="choose another name"
        )
    changes[name] = value


def _tags(note: Note, memory: Memory, terms: Terms) -> dict[str, Property]:
    """The tags with a namespace each, as far as the terms say, and a scope."""
    own = [tag.name for tag in note.tags if not tag.line]
    under = tags.normalise(terms.namespace)
    wanted = [tag if not under or terms.fits(tag) else f"{under}/{tag}" for tag in own]
    if not memory.scope:
        wanted.append("scope/project")
    if wanted == own:
        return {}
    key = "tags" if "tags" in note.properties or "tag" not in note.properties else "tag"
    return {key: [*dict.fromkeys(wanted), *no_tags(note, key)]}


def refused(note: Note, breaches: list[Problem], terms: Terms) -> Refused:
    """The breaches that are left, with the command that would settle them."""
    flags = []
    rest = []
    for breach in breaches:
        if breach.code == "contract-tags" and "namespace" in breach.message:
            flags.append(f"--namespace {_namespace(terms)}")
        elif breach.code in {"contract-type", "contract-status"}:
            word = breach.code.removeprefix("contract-")
            name = _free_name("kind" if word == "type" else "state", note)
            flags.append(f"--keep-{word}-as {name}")
        elif breach.code == "contract-summary":
            flags.append("--title-as-summary")
        else:
            rest.append(breach)
    if not flags:
        return refusal(breaches)
    words = " ".join(dict.fromkeys(flags))
    call = f"mindcache adopt {shlex.quote(note.path)} {words} --write"
    first = (
        "nothing written; mend the rest by hand, then" if rest else "nothing written;"
    )
    return refusal(breaches, f"{first} this settles it: {call}")


def _free_name(name: str, note: Note) -> str:
    """A property that the note doesn't have yet."""
    names = (name, f"own_{name}", *(f"own_{name}_{n}" for n in range(2, 1_000)))
    return next(n for n in names if n not in note.properties)


def _namespace(terms: Terms) -> str:
    """The namespace that suits most flat tags."""
    known = [name for name in terms.namespaces if tags.key(name) != "scope"]
    return "domain" if "domain" in known or not known else known[0]
