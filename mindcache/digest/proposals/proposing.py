"""The steps of the digest: "apply" goes first, "propose" turns suggestions into boxes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from mindcache.digest.proposals import pages as on_disk
from mindcache.digest.proposals import records
from mindcache.digest.proposals.book import KINDS, Book, Proposal, entry, proposed
from mindcache.digest.proposals.deciding import (
    SETTLED,
    Deed,
    Moot,
    Order,
    decide,
    fingerprint,
    places,
    title,
)
from mindcache.digest.proposals.doing import apply
from mindcache.digest.proposals.form import boxes_of, heading, plain, section
from mindcache.digest.proposals.pages import KIND, Page, Pages
from mindcache.digest.proposals.run import Applied
from mindcache.digest.step import Night, Outcome, Source, Suggestion
from mindcache.errors import MindcacheError, Problem, Refused
from mindcache.links import Names, path_key, written
from mindcache.memory import moment
from mindcache.note import Note, emit, parse
from mindcache.vault import Create, Replace

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.cache.read import Reader

__all__ = ["apply_step", "propose"]

FOLDER = "proposals"

# Of those that were shown before; a list of more is not read every day.
_MOST_ASKED = 20

# Of one note: a hundred diffs are what an editor opens at once, and below `size_cap`.
_PER_PAGE = 100

_GREETING = (
    "Tick a box to agree: the next digest, or `mindcache digest apply`, does it, and"
    " `mindcache digest undo` takes it back. To refuse, write `[-]` or delete the"
    " line; it will not be asked again. What you leave as it is waits."
)


# -- the first step ----------------------------------------------------------------


def apply_step(night: Night) -> Outcome:
    """Carry out what was ticked since, by the very function of the command."""
    outcome = Outcome("apply")
    book = Book(night.app.ledger.entries)
    if not night.dry_run:
        try:
            records.purge(night.app.vault, night.now.date())
        except (MindcacheError, OSError) as error:
            outcome.problems.append(Problem("", 0, "undo-kept", str(error)))
    if not book.of:
        return outcome
    done = apply(night.app, dry_run=night.dry_run, now=night.now)
    _tell(outcome, done)
    return outcome


def _tell(outcome: Outcome, done: Applied) -> None:
    would = "would do" if done.dry_run else "done"
    for word, found in (
        (would, done.done),
        ("undone", done.undone),
        ("rejected", done.rejected),
        ("moot", done.moot),
        ("changed since", done.skipped),
    ):
        for each in found:
            why = f": {each.why}" if each.why else ""
            outcome.said.append(f"{word}: {each.proposal.title}{why}")
    for each in done.unclear:
        outcome.waiting.append(f"{each.proposal.title}: {each.why}")
    outcome.done += done.paths
    # What failed is told of the page: its box stays as it is.
    outcome.failed += [
        (Replace(proposal.page, b"", b""), error) for proposal, error in done.failed
    ]
    outcome.behind = done.behind


# -- the last but one ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Shown:
    """A suggestion with what it comes to."""

    proposal: Proposal
    deed: Deed
    sources: tuple[Source, ...]


@dataclass(slots=True)
class _News:
    """What the night brings: proposals to show, and open ones that are settled."""

    shown: list[_Shown] = field(default_factory=list)
    moot: list[tuple[Proposal, str]] = field(default_factory=list)


def propose(night: Night, suggestions: Sequence[Suggestion]) -> Outcome:
    """Put what is suggested and neither open nor refused into the note of the day.

    Open proposals whose notes are gone or say something else by now are shut.
    """
    outcome = Outcome("propose")
    book = Book(night.app.ledger.afresh())
    if not suggestions and not book.of:
        return outcome
    pages = on_disk.look(night.app, book)
    places_left = _pages_of(night, pages)
    page = next(places_left)
    at = night.at
    lost = [p for p in book.open() if p.state == "proposed" and pages.home(p) is None]
    suggestions = [*suggestions, *(_again(each) for each in lost)]
    news = _news(night, book, pages, suggestions, page[0], outcome)
    made = {each.proposal.id for each in news.shown}
    outcome.before += [entry("moot", p, at) for p in lost if p.id not in made]
    for proposal, why in news.moot:
        book.of[proposal.id] = replace(proposal, state="moot", since=at, why=why)
        outcome.before.append(entry("moot", proposal, at, why))
        outcome.said.append(f"no longer needed: {proposal.title}: {why}")
    _note_shown(book, pages, at, outcome)
    still = [p for p in book.open() if pages.verdict(p).what not in ("no", "gone")]
    outcome.waiting += [f"{p.id}  {p.title}" for p in still[:_MOST_ASKED]]
    if more := len(still) - _MOST_ASKED:
        outcome.waiting += [f"and {more:,} more proposals"] if more > 0 else []
    growing = page[0] if news.shown else ""
    changes: dict[str, Create | Replace] = {
        each.path: each for each in on_disk.tidied(book, pages.of.values(), growing)
    }
    for start in range(0, len(news.shown), _PER_PAGE):
        page = next(places_left) if start else page
        some = news.shown[start : start + _PER_PAGE]
        _write(night, some, page, changes, outcome)
    outcome.changes += changes.values()
    return outcome


def _again(proposal: Proposal) -> Suggestion:
    """What a night was killed over before it was shown."""
    return Suggestion(
        proposal.kind,
        proposal.key,
        proposal.paths,
        proposal.reason,
        value=proposal.value,
    )


def _news(
    night: Night,
    book: Book,
    pages: Pages,
    suggestions: Sequence[Suggestion],
    page: str,
    outcome: Outcome,
) -> _News:
    news = _News()
    open_by_key = {(p.kind, p.key): p for p in book.open() if pages.home(p)}
    again: set[tuple[str, str]] = set()
    for each in suggestions:
        name = (each.kind, each.key)
        if name in again or book.is_refused(*name):
            continue
        again.add(name)
        try:
            if each.kind not in KINDS or not each.key:
                raise Refused(f"nobody knows how to {each.kind or 'do'} {each.key!r}")
            _refuse_odd(each)
            found = _shown(night, each, page)
        except Moot:
            continue
        except MindcacheError as error:
            where = each.notes[0] if each.notes else ""
            outcome.problems.append(
                Problem(where, 0, "not-proposed", error.message, error.mend, "info")
            )
            continue
        known = open_by_key.get(name)
        if known is not None:
            if _marks(known) == _marks(found.proposal):
                continue
            news.moot.append((known, "it is proposed anew, as the notes are now"))
        news.shown.append(found)
    fresh = {(s.proposal.kind, s.proposal.key) for s in news.shown}
    waiting = [p for name, p in open_by_key.items() if name not in fresh]
    reader = night.app.reader()
    # Those last whose decision may close the reader.
    for proposal in sorted(waiting, key=lambda p: p.kind == "entity"):
        if why := _why_moot(night, reader, proposal):
            news.moot.append((proposal, why))
    return news


def _refuse_odd(each: Suggestion) -> None:
    """Raise Refused for words that no file can hold: those of a name of other bytes."""
    try:
        "".join((each.key, each.value, each.reason, *each.notes)).encode()
    except UnicodeEncodeError as error:
        raise Refused("a name in it is not UTF-8", mend="rename the file") from error


def _marks(proposal: Proposal) -> list[tuple[str, str]]:
    if proposal.kind == "entity":
        return [(proposal.value, "")]
    return [(note_id or path, mark) for path, note_id, mark in proposal.notes]


def _shown(night: Night, each: Suggestion, page: str) -> _Shown:
    app = night.app
    reader = app.reader()
    notes = []
    for path in each.notes:
        try:
            data, note, memory = app.look(path)
        except OSError as error:
            raise Moot(f"{path}: {error.strerror}") from error
        node = reader.find_node(path)
        note_id = memory.id if node is not None and node.id else ""
        notes.append((path, note_id, fingerprint(each.kind, data, note)))
    deed = decide(app, reader, Order(each.kind, each.notes, each.value), night.now)
    called = [path.rpartition("/")[2].removesuffix(".md") for path in each.notes]
    if each.kind == "diverged":
        called = list(each.notes)
    # A name may hold the oddest characters: what is asked is one line.
    asked = " ".join(title(each.kind, called, each.value).split())
    proposal = proposed(each, notes, asked, page, night.at)
    return _Shown(proposal, deed, each.sources)


def _why_moot(night: Night, reader: Reader, proposal: Proposal) -> str:
    """Why an open proposal is needed no more, "" where it still is."""
    app = night.app
    try:
        if proposal.kind == "entity":
            decide(app, reader, Order("entity", (), proposal.value), night.now)
            return ""
        paths = places(app, reader, proposal.notes)
        for path, (_, _, mark) in zip(paths, proposal.notes, strict=True):
            data, note, _ = app.look(path)
            if fingerprint(proposal.kind, data, note) != mark:
                return f"{path} says something else by now"
        if proposal.kind in SETTLED - {"diverged"}:
            decide(app, reader, Order(proposal.kind, paths), night.now)
    except Moot as error:
        return error.message
    except (MindcacheError, OSError):
        return ""  # whatever keeps it now may be mended by the time it is ticked
    return ""


def _note_shown(book: Book, pages: Pages, at: str, outcome: Outcome) -> None:
    """Say of boxes that are there that they were shown: a night may have been killed."""
    for proposal in book.open():
        if proposal.state == "proposed" and pages.home(proposal) is not None:
            outcome.before.append(entry("shown", proposal, at))


def _pages_of(night: Night, pages: Pages) -> Iterator[tuple[str, Page | None]]:
    """The day's notes that take more, or can be made."""
    stem = f"{FOLDER}/Proposals {night.now.date().isoformat()}"
    for number in itertools.count(1):
        path = f"{stem}.md" if number == 1 else f"{stem} {number}.md"
        page = pages.of.get(path)
        if not night.app.vault.exists(path):
            yield path, None
        elif (
            page is not None
            and page.note is not None
            and not page.why
            and len(page.boxes) < _PER_PAGE
            and page.note.properties.get("status") != "archived"
            and _takes_more(page.note)
        ):
            yield path, page


def _takes_more(note: Note) -> bool:
    """Whether a box below the text would be one: no fence or comment is left open."""
    probe = "p-0000000000"
    more = f"{note.text}\n\n- [ ] more ^{probe}\n"
    after = parse(note.path, more.encode("utf-8", "surrogatepass"))
    return any(box.id == probe for box in boxes_of(after))


def _write(
    night: Night,
    shown: Sequence[_Shown],
    where: tuple[str, Page | None],
    changes: dict[str, Create | Replace],
    outcome: Outcome,
) -> None:
    path, page = where
    shown = [
        replace(each, proposal=replace(each.proposal, page=path)) for each in shown
    ]
    text = "\n".join(_body(night.app, path, shown))
    if page is None:
        changes[path] = Create(path, _new(path, text, night.now))
    else:
        known = changes.get(path)
        before = known.data if known is not None else page.data
        gap = b"" if before.endswith(b"\n\n") else b"\n"
        gap = gap if before.endswith(b"\n") else b"\n\n"
        changes[path] = Replace(
            path, before + gap + text.encode("utf-8", "replace"), page.data
        )
    at = night.at
    for each in shown:
        outcome.before.append(entry("proposed", each.proposal, at))
        outcome.waiting.append(f"{each.proposal.id}  {each.proposal.title}")
    outcome.after[path] = [entry("shown", each.proposal, at) for each in shown]
    count = len(shown)
    what = "1 change" if count == 1 else f"{count:,} changes"
    outcome.said.append(f"proposed {what} in {path}")


def _new(path: str, text: str, now: datetime) -> bytes:
    at = moment(now.replace(microsecond=0))
    day = now.date().isoformat()
    properties = {
        "id": on_disk.page_id(path, day),
        "type": KIND,
        "summary": f"Changes to your notes that were proposed on {day}.",
        "status": "active",
        "created_at": at,
    }
    return emit(dict(properties), f"{_GREETING}\n\n{text}").encode("utf-8", "replace")


def _body(app: App, page: str, shown: Sequence[_Shown]) -> list[str]:
    paths = {path for each in shown for path in each.proposal.paths}
    paths |= {source.path for each in shown for source in each.sources}
    names = Names(app.reader().names({path_key(path) for path in paths}))

    def link(path: str) -> str:
        if names.resolve(page, path) is None:
            return plain(path)
        return written(names, page, path)

    lines: list[str] = []
    for kind in KINDS:
        of_kind = [each for each in shown if each.proposal.kind == kind]
        if of_kind:
            lines += [heading(kind), ""]
        for each in of_kind:
            proposal = each.proposal
            lines += section(
                proposal,
                _ways(proposal, [link(path) for path in proposal.paths]),
                each.sources,
                each.deed.diff,
                link,
                each.deed.remarks,
            )
    return lines


def _ways(proposal: Proposal, links: Sequence[str]) -> list[tuple[str, str]]:
    if proposal.kind != "diverged":
        return [("", title(proposal.kind, links, plain(proposal.value)))]
    note, copy = links[0], plain(proposal.paths[1])
    return [
        ("a", f"Keep {note} as it is; the copy {copy} goes to the trash"),
        ("b", f"Let {note} say what the copy {copy} says"),
    ]
