"""A conversation as notes: where one ends and the next begins, and how turns are written.

Pure. A turn is a paragraph, `**Speaker:** text ^block-id`; what of it can't stand in a
paragraph (code, a list, a table) follows. A sitting stands under its own heading, day
and hour, so that every passage carries its date. Where notes are cut depends on what
came before only: a conversation that has grown keeps the notes that it had.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from mindcache.errors import Problem
from mindcache.fence import strip
from mindcache.importers.chat.contained import contained, quoted, safe_line
from mindcache.importers.chat.turns import Conversation, Quote, Turn, Who
from mindcache.importers.item import REPLACED, Context, Item, Left, Stranger
from mindcache.importers.prose import escaped, one_line, seen, unlinked
from mindcache.links import fold
from mindcache.note import Property
from mindcache.redact import redact

__all__ = ["items_of"]

# Characters of a note after which the next day begins another, and those after which
# any turn does: what Obsidian opens at once and a person still scrolls through (about
# 5,000 and 10,000 words), far below `size_cap`.
_LONG, _TOO_LONG = 30_000, 60_000
# Characters of one turn. Longer ones are pasted logs; with them a note nears `size_cap`.
_LONGEST_TURN = 60_000
# Characters of an attachment's text: enough to find it by, no copy of it.
_LONGEST_QUOTE = 4_000
# A pause that ends a sitting.
_PAUSE = timedelta(hours=1)

_LONGEST_NAME = 40  # as far as `sync.people` reads a name before what is said
_NAME_SIGNS = re.compile(r"[*:\[\]|#^`<>%\\]+")
# What hides text from a reader and not from a machine.
_UNSEEN = re.compile("[\u00ad\u180e\u2060-\u2064\U000e0000-\U000e007f]")


@dataclass(slots=True)
class _Part:
    """Turns of one note, while they come."""

    key: str
    turns: list[Turn] = field(default_factory=list)
    body: list[str] = field(default_factory=list)
    size: int = 0
    last: datetime | None = None
    ids: Counter[str] = field(default_factory=Counter)


def items_of(
    talk: Conversation, context: Context
) -> Iterator[Item | Left | Stranger | Problem]:
    """The notes of a conversation, and what of it is told besides."""
    writer = _Writer(talk, context)
    empty = 0
    for turn in talk.turns:
        clean = writer.cleaned(turn)
        if clean is None:
            empty += 1
            continue
        if writer.must_end(clean):
            yield from writer.ended()
        writer.add(clean)
    yield from writer.ended()
    yield from talk.problems
    if not writer.keys and not talk.problems and (empty or not talk.left):
        name = writer.title or one_line(talk.key, 60)
        why = "nothing that anybody said can be read in it"
        yield Left(f"conversation {name!r} ({talk.place})", why)
    for (what, why), count in sorted(talk.left.items()):
        yield Left(what, why, count)


class _Writer:
    def __init__(self, talk: Conversation, context: Context) -> None:
        self.talk = talk
        self.context = context
        self.part: _Part | None = None
        self.keys: set[str] = set()
        self.day: date | None = None
        self.title = seen_line(talk.title, 200, talk.left)

    # -- a turn ----------------------------------------------------------

    def cleaned(self, turn: Turn) -> Turn | None:
        """The turn without secrets and unseen signs, None where nothing is left."""
        text = self._text(turn.text)
        if len(text) > _LONGEST_TURN:
            self.talk.left[_CUT] += len(text) - _LONGEST_TURN
            text = text[:_LONGEST_TURN].rstrip() + "…"
        quotes = tuple(self._quote(each) for each in turn.quotes)
        quotes = tuple(each for each in quotes if each.text or each.name)
        if not text and not quotes:
            return None
        name = seen_line(turn.who.name, _LONGEST_NAME, self.talk.left)
        name = " ".join(_NAME_SIGNS.sub(" ", name).split()) or "Somebody"
        return Turn(turn.id, Who(name, turn.who.role), turn.at, text, quotes)

    def _quote(self, quote: Quote) -> Quote:
        text = self._text(quote.text)
        if len(text) > _LONGEST_QUOTE:
            why = f"beyond the first {_LONGEST_QUOTE:,} of each"
            over = len(text) - _LONGEST_QUOTE
            self.talk.left["characters of attached texts", why] += over
            text = text[:_LONGEST_QUOTE].rstrip() + "…"
        return Quote(seen_line(quote.name, 200, self.talk.left), text)

    def _text(self, text: str) -> str:
        said = strip(text)
        if said != text:
            self.talk.left[_RECALLED] += 1
        clean = redact(_UNSEEN.sub("", seen(said)))
        if clean.taken:
            self.talk.left[_SECRETS] += clean.taken
        return clean.text.strip("\n").rstrip()

    # -- where a note ends -----------------------------------------------

    def must_end(self, turn: Turn) -> bool:
        """Whether another note begins with this turn."""
        part = self.part
        if part is None:
            return False
        is_new_day = turn.at is not None and turn.at.date() != self.day
        if self.talk.is_endless and is_new_day and self._is_later(turn):
            return True
        return part.size > _TOO_LONG or (is_new_day and part.size > _LONG)

    def _is_later(self, turn: Turn) -> bool:
        # A clock that was put back begins no day anew: its note is there already.
        at = turn.at.date() if turn.at else None
        return at is not None and (self.day is None or at > self.day)

    def _key(self, turn: Turn) -> str:
        """The note's key: that of the conversation, its first day, a number."""
        talk = self.talk
        if not self.keys and not talk.is_endless:
            key = talk.key
        else:
            key = f"{talk.key}/{turn.at.date() if turn.at else 'undated'}"
        found, number = key, 1
        while found in self.keys:
            number += 1
            found = f"{key}/{number}"
        self.keys.add(found)
        return found

    # -- writing ---------------------------------------------------------

    def add(self, turn: Turn) -> None:
        """Write one turn into the note that is open."""
        if self.part is None:
            self.part = _Part(self._key(turn))
        part = self.part
        if turn.at is not None:
            self._head(part, turn.at)
        blocks = self._blocks(part, turn)
        part.body += blocks
        part.size += sum(map(len, blocks))
        part.turns.append(Turn(turn.id, turn.who, turn.at, turn.text[:400]))

    def _head(self, part: _Part, at: datetime) -> None:
        """A heading where a sitting begins."""
        last = part.last
        if last is None or at.date() != last.date() or at - last >= _PAUSE:
            part.body.append(f"## {at:%Y-%m-%d %H:%M}")
        part.last = at
        self.day = max(self.day or at.date(), at.date())

    def _blocks(self, part: _Part, turn: Turn) -> list[str]:
        block_id = _block_id(part, turn)
        speaker = f"**{escaped(turn.who.name)}:**"
        blocks = contained(turn.text)
        first = blocks[0][1] if blocks and blocks[0][0] == "text" else ""
        rest = [text for _, text in (blocks[1:] if first else blocks)]
        for quote in turn.quotes:
            if quote.name:
                rest.append(f"Attached: {safe_line(quote.name)}")
            if quote.text:
                rest.append(quoted(quote.text))
        head = f"{speaker} {first}" if first else speaker
        return [f"{head} ^{block_id}", *(each for each in rest if each)]

    # -- the note --------------------------------------------------------

    def ended(self) -> Iterator[Item | Stranger]:
        """The note that was open, and who in it has none."""
        part, self.part = self.part, None
        if part is None:
            return
        links: dict[str, None] = {}
        for who in dict.fromkeys(turn.who for turn in part.turns):
            if link := _link(self.context, who):
                links[link] = None
            elif who.role == "person":
                yield Stranger(who.name)
        yield self._item(part, list(links))

    def _item(self, part: _Part, links: list[Property]) -> Item:
        talk = self.talk
        times = sorted(turn.at for turn in part.turns if turn.at)
        start = times[0] if times else talk.created
        end = times[-1] if times and times[-1] != start else None
        first = next((t for t in part.turns if t.text), part.turns[0])
        said = first.text or first.who.name
        # Words without a name are read as the owner's.
        is_owner = first.who.role == "me" or not first.text
        told = said if is_owner else f"{first.who.name}: {said}"
        title = self.title or one_line(said, 60)
        properties: dict[str, Property] = {
            "title": unlinked(title),
            "summary": unlinked(one_line(told, 160)) or unlinked(title),
            "time_start": _written(start),
            "time_end": _written(end) if _written(end) != _written(start) else None,
            "timezone": talk.zone if start else None,
            "entities": links or None,
        }
        once: dict[str, Property] = {}
        place = talk.place.partition(":")[0]
        once["source_path"] = place
        if talk.project:
            once["project"] = talk.project
        if start and start <= self.context.now:
            once["created_at"] = _written(start)
        return Item(
            key=part.key,
            type="event",
            title=title,
            when=start,
            properties={k: v for k, v in properties.items() if v},
            once=once,
            body="\n\n".join(part.body) + "\n",
            place=talk.place,
            version=talk.version or (times[-1].isoformat() if times else ""),
            grows=True,
        )


_CUT = ("characters of turns", f"beyond the first {_LONGEST_TURN:,} of each")
_RECALLED = ("text recalled from the vault", "it is known there already")
_SECRETS = (REPLACED, "a word that says what it was stands in its place")


def seen_line(text: str, longest: int, left: Counter[tuple[str, str]]) -> str:
    """One line without secrets and unseen signs; what was taken out is counted."""
    clean = redact(_UNSEEN.sub("", text))
    if clean.taken:
        left[_SECRETS] += clean.taken
    return one_line(clean.text, longest)


def _written(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(timespec="minutes")


def _block_id(part: _Part, turn: Turn) -> str:
    """A block id from the message's own; of two equal ones the later has a number."""
    digest = hashlib.blake2b(turn.id.encode("utf-8", "replace"), digest_size=5)
    found = f"t-{digest.hexdigest()}"
    part.ids[found] += 1
    return found if part.ids[found] == 1 else f"{found}-{part.ids[found]}"


def _link(context: Context, who: Who) -> str:
    """The link to the speaker's note, shown as the speaker is called; "" for none."""
    link = context.known.link_of(who.name)
    if not link:
        return ""
    target = link[2:-2]
    if fold(target.rpartition("/")[2]) == fold(who.name):
        return link
    return f"[[{target}|{who.name}]]"
