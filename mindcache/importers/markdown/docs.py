"""Markdown texts that belong together, and the items they become. Pure.

Owns what of a text may become part of a memory: its properties, its links to the
others, the parts that a long one is cut into. Where texts come from (files, the rows
of a database) is their reader's affair.
"""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from mindcache.errors import Problem, Refused
from mindcache.filenames import is_note, portability, safe_stem
from mindcache.hashing import blake2b
from mindcache.importers.item import Context, Item, Left
from mindcache.importers.markdown.cutting import Cut, cut, part_of, pointed
from mindcache.importers.markdown.properties import Terms, aliases_of, mapped
from mindcache.links import Name, Names, fold, path_key, target_key
from mindcache.memory import conflict_copy_of
from mindcache.note import Link, Note, parse
from mindcache.redact import redact
from mindcache.write.relink import Shift, relink

__all__ = ["Asset", "Doc", "is_markdown", "safe_path", "taken_in"]


@dataclass(frozen=True, slots=True)
class Doc:
    """One Markdown text.

    `path` is what links among the texts find it by, `names` are further ones; `key`
    names it for good, `place` is for reports and `source` what its note is said to
    come from. `wanted` is where its note would like to lie. `extra` are properties
    that the text doesn't have and its source does; the text's own win. `by_alias` says
    that whatever the text came from finds it by its aliases, which Obsidian doesn't.
    """

    path: str
    text: str
    key: str
    place: str
    source: str
    names: tuple[str, ...] = ()
    wanted: str = ""
    extra: Mapping[str, str | float | list[str]] = field(default_factory=dict)
    by_alias: bool = False


@dataclass(frozen=True, slots=True)
class Asset:
    """A file beside the texts that one of them refers to: `note` is where that lies."""

    path: str
    note: str


def safe_path(path: str) -> str:
    """The path as every system and every link can carry it."""
    parts = path.split("/")
    stem, dot, ending = parts[-1].rpartition(".")
    name = _safe(stem if dot else ending)
    folders = [_safe(part) for part in parts[:-1]]
    return "/".join([*folders, f"{name}.{ending}" if dot and stem else name])


def _safe(name: str) -> str:
    plain = safe_stem(name)
    return name if plain == name and not portability(name) else plain or "note"


def taken_in(
    docs: Sequence[Doc],
    assets: Sequence[str],
    place_asset: Callable[[Asset], str],
    context: Context,
    terms: Terms,
) -> Iterator[Item | Problem | Left]:
    """The texts as items that link each other as they did, wherever they will lie.

    `assets` are the files beside them; `place_asset` is asked once for each of those
    that a text refers to, and gives its path in the vault ("" for nowhere).
    """
    secrets: Counter[str] = Counter()
    kept: list[Doc] = []
    cuts: dict[str, Cut] = {}
    for doc in docs:
        found = redact(doc.text.lstrip("\ufeff"))
        secrets.update(dict(found.found))
        extra = {
            key: redact(value).text if isinstance(value, str) else value
            for key, value in doc.extra.items()
        }
        wanted = doc.wanted or safe_path(doc.path)
        clean = replace(doc, text=found.text, wanted=wanted, extra=extra)
        problem = _fault(clean)
        if isinstance(problem, (Problem, Left)):
            yield problem
            continue
        parts = cut(clean.path, clean.text) if terms.cut else Cut(())
        if len(parts.parts) > 1:
            cuts[clean.path] = parts
        kept += _cut_up(clean, parts.parts) if clean.path in cuts else [clean]
    if cuts:
        kept = _led_to_parts(docs, kept, cuts)
    web = _Web(kept, assets, place_asset, context)
    for doc in kept:
        if cap := _too_large(doc, context):
            yield cap
            continue
        data, problem = web.relinked(doc)
        if problem is not None:
            yield problem
        note = parse(doc.path, data)
        yield from _said_of(note, doc)
        made, trouble = mapped(note, doc, context, terms)
        yield from trouble
        yield replace(made, path=web.finals[doc.path], origin=_hash(doc))
    for kind, count in sorted(secrets.items()):
        yield Left(kind, "a secret: taken out of the text", count)


def _fault(doc: Doc) -> Problem | Left | None:
    """Why a text is no note to be taken in."""
    if conflict_copy_of(doc.path):
        return Left("conflict copy", "settle it where it comes from, then import again")
    # Most texts are not parsed for what they can't hold.
    marked = "<<<<<<< " in doc.text
    line = parse(doc.path, doc.text.encode()).conflict_line if marked else 0
    if line:
        return Problem(
            doc.place, line, "git-conflict", "git conflict markers",
            "settle the conflict, then import again", "error",
        )  # fmt: skip
    return None


def _too_large(doc: Doc, context: Context) -> Problem | None:
    size = len(doc.text.encode())
    if size <= context.size_cap:
        return None
    message = f"{size:,} bytes are more than a note may have (size_cap)"
    mend = "--cut makes several notes of it; or raise size_cap"
    return Problem(doc.place, 0, "import-large", message, mend, "error")


def _said_of(note: Note, doc: Doc) -> Iterator[Problem]:
    front = note.frontmatter
    if front is not None and front.error is not None:
        mend = "it is kept as text; mend it in the source to have it read"
        yield front.error._replace(path=doc.place, mend=mend, severity="warning")


def _hash(doc: Doc) -> str:
    """What a text says, whatever its links become."""
    said = f"{doc.text}\0{sorted(doc.extra.items())}"
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def _cut_up(doc: Doc, parts: Sequence[tuple[str, str]]) -> list[Doc]:
    folder = posixpath.dirname(doc.wanted)
    found = [replace(doc, text=parts[0][1])]
    for name, text in parts[1:]:
        path = posixpath.join(posixpath.dirname(doc.path), f"{name}.md")
        wanted = posixpath.join(folder, f"{_safe(name)}.md")
        # The same heading is the same part, wherever it stands.
        key = f"{doc.key}#{fold(name.removeprefix(f'{parts[0][0]} - '))}"
        found.append(
            replace(doc, path=path, text=text, key=key, names=(), wanted=wanted)
        )
    return found


def _led_to_parts(
    docs: Sequence[Doc], kept: Sequence[Doc], cuts: Mapping[str, Cut]
) -> list[Doc]:
    """The texts, whose links to a place in one that was cut lead to its part."""
    names = Names(Name(path_key(doc.path), "path", doc.path) for doc in docs)

    def goal(doc: Doc, link: Link) -> str:
        found = names.resolve(doc.path, link.target) if link.target else None
        if found is None or found.path not in cuts:
            return ""
        whole = cuts[found.path]
        part = part_of(link, whole.where)
        return "" if part == whole.parts[0][0] else part

    return [
        replace(doc, text=pointed(doc.text, doc.path, partial(goal, doc)))
        for doc in kept
    ]


class _Web:
    """Who links to whom: before, among the texts, and after, in the vault."""

    def __init__(
        self,
        docs: Sequence[Doc],
        assets: Sequence[str],
        place_asset: Callable[[Asset], str],
        context: Context,
    ) -> None:
        places = context.places
        notes = {doc.path: parse(doc.path, doc.text.encode()) for doc in docs}
        self.finals = {
            doc.path: places.note(doc.key, doc.wanted) if places else doc.wanted
            for doc in docs
        }
        before: list[Name] = []
        after: list[Name] = []
        for doc in docs:
            final = self.finals[doc.path]
            before.append(Name(path_key(doc.path), "path", doc.path))
            after.append(Name(path_key(final), "path", final))
            called = aliases_of(notes[doc.path])
            before += [Name(fold(n), "alias", doc.path) for n in (*called, *doc.names)]
            if not doc.by_alias:
                after += [Name(fold(name), "alias", final) for name in called]
        before += [Name(path_key(path), "path", path) for path in assets]
        names = Names(before)
        moves = dict(self.finals)
        unmet = set(assets)
        for doc in docs:
            for link in notes[doc.path].links:
                found = names.resolve(doc.path, link.target) if link.target else None
                if found is None or found.path not in unmet:
                    continue
                unmet.discard(found.path)
                if final := place_asset(Asset(found.path, self.finals[doc.path])):
                    moves[found.path] = final
                    after.append(Name(path_key(final), "path", final))
        links = [link.target for note in notes.values() for link in note.links]
        keys = {target_key(t) for t in links} | {fold(t.strip()) for t in links}
        keys |= {path_key(final) for final in moves.values()}
        ours = set(moves.values())
        # Those that are here already are no news, and may have had other aliases.
        there = [
            name
            for name in (places.names(keys) if places else ())
            if name.path not in ours
        ]
        style = places.link_format if places else "shortest"
        kept = [name for name in before if name.path in moves]
        self._shift = Shift(Names(kept), Names([*after, *there]), moves, style)

    def relinked(self, doc: Doc) -> tuple[bytes, Problem | None]:
        """The text with its links as they must be; a problem when one can't."""
        data = doc.text.encode()
        try:
            return relink(doc.path, data, self._shift).after, None
        except Refused as error:
            message = f"its links are kept as they were: {error.message}"
            mend = "check them in the new note"
            return data, Problem(doc.place, 0, "import-links", message, mend)


def is_markdown(name: str) -> bool:
    """Whether a file of this name holds Markdown."""
    return is_note(name) or name.lower().endswith(".markdown")
