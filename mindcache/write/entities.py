"""New notes about people, projects and things."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mindcache import lint
from mindcache.errors import Refused, UsageError
from mindcache.filenames import portability
from mindcache.links import Name, fold
from mindcache.memory import moment
from mindcache.note import Property, emit, parse
from mindcache.redact import redact
from mindcache.vault import Create
from mindcache.write.ids import derived_id
from mindcache.write.rewrite import refusal

if TYPE_CHECKING:
    from datetime import datetime

    from mindcache.app import App

__all__ = ["FOLDER", "Wanted", "created"]

# Where the vault template keeps what is known; people may move notes anywhere.
FOLDER = "memory"

# What no file that travels, or no link, can have in its name.
_UNNAMEABLE = re.compile(r'[\\/:*?"<>|#^\[\]\x00-\x1f]+')
_APART = re.compile(r"[\s_-]+")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a new entity is to be."""

    name: str
    aliases: Sequence[str] = ()
    kind: str = ""
    summary: str = ""
    tags: Sequence[str] = ()


def created(
    app: App, wanted: Wanted, now: datetime | None = None
) -> tuple[Create, tuple[tuple[str, int], ...]]:
    """The new note, and the kinds of secrets that were taken out, with how many.

    `now` is civil, and the App's own unless it is given. Raises Refused when there is one already, or lint objects.
    """
    wanted, redacted = _without_secrets(wanted)
    name = " ".join(wanted.name.split())
    stem = _UNNAMEABLE.sub("-", name).strip(". ")
    if not stem.strip("-"):
        raise UsageError(f"{wanted.name!r} is no name", mend="give a name")
    path = f"{FOLDER}/{stem}.md"
    if reason := portability(path):
        raise Refused(f"{path}: {reason}", mend="choose another name")
    aliases = _once([*([name] if name != stem else []), *wanted.aliases], fold(stem))
    _refuse_twins(app.reader().names(), [name, *aliases])
    now = now or app.now()
    tags = _once([tag.removeprefix("#") for tag in wanted.tags])
    if not any(fold(tag).startswith("scope/") for tag in tags):
        tags.append("scope/project")
    kind = wanted.kind.strip()
    plain = f"{name}, a {kind}." if kind else f"{name}."
    properties: dict[str, Property] = {
        "id": derived_id(now, "entity", name),
        "type": "entity",
        "summary": " ".join(wanted.summary.split()) or plain,
        "tags": [*tags],
    }
    if aliases:
        properties["aliases"] = [*aliases]
    if kind:
        properties["kind"] = kind
    properties["created_at"] = moment(now.replace(second=0, microsecond=0))
    data = emit(properties, "").encode()
    note = parse(path, data)
    breaches = lint.check(note, app.meaning_of(note), app.settings.texts("namespaces"))
    if breaches:
        raise refusal(breaches)
    return Create(path, data), redacted


def _without_secrets(wanted: Wanted) -> tuple[Wanted, tuple[tuple[str, int], ...]]:
    counts: Counter[str] = Counter()

    def clean(text: str) -> str:
        found = redact(text)
        counts.update(dict(found.found))
        return found.text

    clear = Wanted(
        clean(wanted.name),
        [clean(alias) for alias in wanted.aliases],
        clean(wanted.kind),
        clean(wanted.summary),
        [clean(tag) for tag in wanted.tags],
    )
    return clear, tuple(sorted(counts.items()))


def _once(names: Iterable[str], *known: str) -> list[str]:
    """The names without those that differ only in case or Unicode form, in order."""
    found = dict.fromkeys(known, "")
    for name in names:
        if name.strip():
            found.setdefault(fold(name.strip()), name.strip())
    return [name for name in found.values() if name]


def _refuse_twins(names: Iterable[Name], wanted: Sequence[str]) -> None:
    """Raise Refused when a note goes by one of these names, however it is spelled."""
    known: dict[str, str] = {}
    for name in sorted(names, key=lambda n: n.path):
        if name.kind != "id" and name.path.endswith(".md"):
            known.setdefault(_alike(name.key), name.path)
    for each in wanted:
        if path := known.get(_alike(fold(each))):
            raise Refused(
                f"{path} goes by {each!r} already",
                mend="add to that note, or give this one another name",
            )


def _alike(key: str) -> str:
    """A name without what people write in more than one way: `a-b`, `A b`, `a_b`."""
    return _APART.sub(" ", key).strip()
