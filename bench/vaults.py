"""A synthetic vault: as many notes as wanted, the same bytes for the same seed.

Notes look like those of a working life: about 150 words under a title and a
heading, with properties, tags in namespaces, typed relations, links in the text
and an inline tag. Words follow Zipf's law, function words of English among them,
so that some postings are long, most are short, and the stemmer and the tokenizer
have forms to work on. Each note depends on the seed and its own number alone.
"""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from itertools import accumulate

__all__ = ["VERSION", "Synthetic"]

# Part of a saved run: numbers from different texts can't be compared.
VERSION = 1

_FUNCTION_WORDS = (
    "the of and to a in is that it was for on are with as his they be at one have"
    " this from or had by but some what there we can out other were all your when up"
    " use how said an each she which do their time if will way about many then them"
    " would like so these her long make thing see him two has more day could go come"
    " did my no most who over know than call first people may down been now find any"
    " new work part take get place made after back only little around"
)
_STEMS = (
    "meet price contract report budget team client launch server deploy review"
    " invoice travel garden kitchen market author chapter lesson train bridge river"
    " patient doctor clinic recipe flavor engine sensor signal filter cluster query"
    " schema migrate index vector column record packet router socket thread memory"
    " branch commit merge release version ticket sprint backlog design sketch color"
    " layout button widget screen camera lens portrait album concert guitar melody"
    " rhythm chorus theater script actor director festival museum gallery paint"
    " sculpt canvas history empire treaty border harbor vessel captain anchor island"
    " mountain valley forest timber orchard harvest farmer barley cotton fabric"
    " tailor leather cobbler hammer carpenter mason quarry marble pillar window"
    " ceiling carpet lantern candle mirror drawer cupboard blanket teacher student"
    " campus lecture seminar thesis journal archive catalog library reader novel"
    " poem letter stamp courier parcel warehouse forklift truck driver highway"
    " tunnel station platform conductor railway airport pilot cockpit runway luggage"
    " hotel reception corridor elevator stair balcony terrace fountain statue plaza"
    " cathedral tower bell choir organ sermon pilgrim desert caravan merchant bazaar"
    " spice pepper saffron ginger vinegar butter cheese bakery oven flour sugar"
    " honey cherry walnut almond grape wine barrel cellar winter summer autumn"
    " weather storm thunder drought flood climate carbon energy turbine panel"
    " battery charge voltage circuit copper silver nickel cobalt alloy furnace"
    " welding robot motor gear piston valve pump compressor boiler insulate measure"
    " calibrate inspect repair replace upgrade monitor alert incident outage recover"
    " backup restore encrypt password account permission policy audit finance ledger"
    " payment refund discount customer vendor supplier partner investor board"
    " council mayor senate election campaign debate speech protest lawyer court"
    " judge verdict appeal witness evidence detective suspect athlete coach stadium"
    " tournament medal referee cyclist runner swimmer skater"
)
_ENDINGS = ("", "s", "ed", "ing", "er", "ers", "ment", "ation", "able", "ly")
_SYLLABLES = (
    "ka lo mi ter san vel or in dra po gu shi ne ra bel tum ex al co fi ren mar ton"
    " ley wick ham burg stad dor win gar eth ul nor pen quin zar"
)
# Names of people, places and products: most of all words, each of them seldom.
_RARE_WORDS = 14_000
# Share of function words in running English text.
_FUNCTION_SHARE = 0.45
# Mandelbrot's law, frequency ~ 1 / (rank + offset) ** exponent, for both kinds of
# words. Content words begin where function words leave off: the most frequent of
# them then stands in every fifth passage, as the subject of a vault does.
_EXPONENT = 1.05
_FUNCTION_OFFSET, _CONTENT_OFFSET = 2.7, 25.0

_FOLDERS = 50
_CLIENTS, _TOOLS, _DOMAINS = 40, 60, 13
_TYPES = ("fact", "fact", "fact", "event", "entity", "plan")
_RELATIONS = ("about", "involves", "same_topic", "derived_from", "before_after")
_FIRST_DAY = datetime(2024, 1, 1, 8)  # noqa: DTZ001  civil time, as notes have it
_DAYS = 1_000
_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


class Synthetic:
    """The vault of one seed and one number of notes, not yet on any disk."""

    def __init__(self, notes: int, seed: int) -> None:
        self.notes = notes
        self.seed = seed

    def _random(self, *what: object) -> random.Random:
        # A text as seed gives the same numbers on every platform and version.
        name = ":".join(map(str, (self.seed, *what)))
        return random.Random(name)  # noqa: S311  texts, no secrets

    @cached_property
    def _content_words(self) -> tuple[str, ...]:
        """All content words, the most frequent first."""
        rng = self._random("words")
        stems, syllables = _STEMS.split(), _SYLLABLES.split()
        known = [stem + ending for ending in _ENDINGS for stem in stems]
        rare: dict[str, None] = {}
        while len(rare) < _RARE_WORDS:
            rare["".join(rng.choices(syllables, k=rng.randint(2, 4)))] = None
        common = known[: len(stems) * 4]
        rng.shuffle(common)
        rest = [*known[len(stems) * 4 :], *rare]
        rng.shuffle(rest)
        return tuple(dict.fromkeys((*common, *rest)))

    @cached_property
    def _vocabulary(self) -> tuple[list[str], list[float]]:
        """Every word, and the running sum of their frequencies."""
        content = _zipf(len(self._content_words), _CONTENT_OFFSET, 1 - _FUNCTION_SHARE)
        function_words = _FUNCTION_WORDS.split()
        function = _zipf(len(function_words), _FUNCTION_OFFSET, _FUNCTION_SHARE)
        words = [*function_words, *self._content_words]
        return words, list(accumulate([*function, *content]))

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """The title of each note, which is its file name too: no two are equal."""
        rng = self._random("titles")
        words = self._content_words
        picked = (
            rng.choices(words[:4_000], k=2)
            if rng.random() < 0.7
            else rng.sample(words, 2)
            for _ in range(self.notes)
        )
        return tuple(
            f"{a.capitalize()} {b} {number}" for number, (a, b) in enumerate(picked)
        )

    def path(self, number: int) -> str:
        """Where a note lies in the vault."""
        return f"area-{number % _FOLDERS:02d}/{self.titles[number]}.md"

    def passage(self, what: object, words: int) -> str:
        """Running text of about so many words, the same for the same `what`."""
        return self._paragraph(self._random("passage", what), words)

    def text(self, number: int) -> str:
        """The whole text of a note."""
        rng = self._random("note", number)
        first, second = self._paragraph(rng, 60), self._paragraph(rng, 36)
        link, other, third = (self._linked(rng, number) for _ in range(3))
        items = [" ".join(self._words(rng, 7)) for _ in range(3)]
        tag = self._content_words[rng.randrange(_DOMAINS)]
        heading = " ".join(self._words(rng, 3)).capitalize()
        body = (
            f"# {self.titles[number]}\n\n{first} See [[{link}]] #domain/{tag}\n\n"
            f"## {heading}\n\n{second} It follows [[{other}|what was said]].\n\n"
            + "".join(f"- {item}\n" for item in items)
            + f"\n{self._paragraph(rng, 30)} Compare [[{third}]].\n"
        )
        return self._frontmatter(rng, number, first) + body

    def _frontmatter(self, rng: random.Random, number: int, first: str) -> str:
        kind = rng.choice(_TYPES)
        summary = " ".join(first.split()[:9]).rstrip(".,")
        lines = [
            f"id: m-{self._ulid(rng, number)}",
            f"type: {kind}",
            f'summary: "{summary}"',
            "tags:",
            f"  - client/{self._content_words[_skewed(rng, _CLIENTS)]}",
            f"  - tool/{self._content_words[_skewed(rng, _TOOLS)]}",
            f"  - scope/{rng.choice(('project', 'project', 'global'))}",
            f"created_at: {self.created(number):%Y-%m-%dT%H:%M}",
        ]
        if kind == "plan":
            lines.append(f"status: {rng.choice(('planned', 'occurred', 'missed'))}")
        for relation in rng.sample(_RELATIONS, rng.choice((1, 1, 2))):
            lines.append(f"{relation}:")
            lines += [
                f'  - "[[{self._linked(rng, number)}]]"'
                for _ in range(rng.choice((1, 2)))
            ]
        return "---\n" + "\n".join(lines) + "\n---\n"

    def created(self, number: int) -> datetime:
        """The civil time that a note carries; its file's time is the same in UTC."""
        minutes = self._random("time", number).randrange(_DAYS * 24 * 60)
        return _FIRST_DAY + timedelta(minutes=minutes)

    def middling_client(self) -> str:
        """What follows `client/` in a tag that is neither frequent nor rare.

        Of notes that a tag query lists: events are none of them.
        """
        texts = map(self.text, range(min(self.notes, 300)))
        found = Counter(
            text.partition("client/")[2].partition("\n")[0]
            for text in texts
            if "\ntype: event\n" not in text
        )
        by_rank = sorted(found, key=lambda name: (-found[name], name))
        return by_rank[len(by_rank) // 2]

    def _ulid(self, rng: random.Random, number: int) -> str:
        moment = self.created(number) - datetime(1970, 1, 1)  # noqa: DTZ001  as above
        value = int(moment.total_seconds() * 1000)
        head = "".join(
            _CROCKFORD[value >> 5 * place & 31] for place in range(9, -1, -1)
        )
        return head + "".join(rng.choices(_CROCKFORD, k=16))

    def _linked(self, rng: random.Random, number: int) -> str:
        """The title of another note; early ones are linked to more often."""
        return self.titles[_skewed(rng, self.notes) if number else self.notes - 1]

    def _words(self, rng: random.Random, count: int) -> list[str]:
        words, sums = self._vocabulary
        return rng.choices(words, cum_weights=sums, k=count)

    def _paragraph(self, rng: random.Random, count: int) -> str:
        """About `count` words in sentences."""
        sentences: list[str] = []
        while count > 0:
            length = min(count, rng.randint(7, 16))
            words = self._words(rng, length)
            if length > 10:
                words[length // 2] += ","
            sentences.append(" ".join(words).capitalize() + ".")
            count -= length
        return " ".join(sentences)

    def questions(self, count: int, stream: str) -> list[str]:
        """Different questions of 3 to 8 words, each from the text of one note.

        Another `stream` gives others.
        """
        rng = self._random("questions", stream)
        found: dict[str, None] = {}
        while len(found) < count:
            words = self._body_words(rng.randrange(self.notes))
            start = rng.randrange(len(words) - 8)
            found[" ".join(words[start : start + rng.randint(3, 8)])] = None
        return list(found)

    def _body_words(self, number: int) -> list[str]:
        body = self.text(number).split("\n\n")[1].partition(" See [[")[0]
        return [word.strip(".,").lower() for word in body.split()]

    def write(self, root: str) -> Iterator[int]:
        """Lay the vault down under `root`; yields the number of notes so far.

        Files get times long past, so that their stamps are trusted at once.
        """
        os.makedirs(os.path.join(root, ".obsidian"))
        with open(os.path.join(root, ".obsidian", "app.json"), "w") as file:
            file.write("{}\n")
        for folder in {os.path.dirname(self.path(n)) for n in range(self.notes)}:
            os.makedirs(os.path.join(root, folder))
        epoch = datetime(1970, 1, 1)  # noqa: DTZ001  civil time here is UTC
        for number in range(self.notes):
            full = os.path.join(root, self.path(number))
            with open(full, "w", encoding="utf-8", newline="\n") as file:
                file.write(self.text(number))
            moment = int((self.created(number) - epoch).total_seconds()) * 10**9
            os.utime(full, ns=(moment, moment))
            yield number + 1


def _zipf(count: int, offset: float, share: float) -> Sequence[float]:
    """Frequencies of `count` words by rank, which sum up to `share`."""
    raw = [1.0 / (rank + offset) ** _EXPONENT for rank in range(1, count + 1)]
    whole = sum(raw)
    return [each * share / whole for each in raw]


def _skewed(rng: random.Random, count: int) -> int:
    """A number below `count`, small ones more often."""
    return int(count * rng.random() ** 2)
