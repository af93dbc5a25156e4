"""What kind of text a chunk is, as far as its surface tells: its traits.

Whether it asks, whether it says when, how much in it is a report of something
that happened: past tenses, names, "last week", quoted titles. None of this depends
on a question, so it is counted once, when a note is indexed, and kept as one small
number. The words are English; a text of another language shows only what needs no
words: question marks, years, names, quotes.
"""

from __future__ import annotations

from typing import Final

__all__ = ["COUNTED", "FLAGS", "MOST", "traits_of"]

FLAGS: Final = ("asks", "dated", "continues")
"""The traits that are there or not, from the lowest bit up.

`continues` can't be seen in a text alone: see `traits_of`."""

COUNTED: Final = ("past", "names", "ago", "quotes")
"""The traits that are counted, two bits each, after the flags."""

MOST: Final = 3
"""No trait counts for more: a fourth name says no more than three."""

_LONGEST: Final = 2_000
"""Characters that are looked at: a packed chunk has 1,500, a dump says no more."""

_CACHE_SIZE: Final = 1 << 15
"""Runs of letters whose kind is remembered; cleared when full."""

# What a run between blanks may be, as bits.
_PAST, _NAME, _AGO, _DATED, _UNIT, _COUNT, _NEAR, _MONTH, _END, _INTO, _NUMBER = (
    1 << n for n in range(11)
)

_LISTS: Final = {
    _PAST: """
        went got had was were did made took found saw came bought brought thought felt
        gave told said met ran won lost began left kept held wrote taught spent built
        sent sold grew drew ate drove flew knew led slept swam threw wore broke chose
        fell caught heard rode sang spoke stood stuck paid became
    """,
    _AGO | _DATED: "yesterday ago recently since",
    _AGO: "earlier",
    _DATED: """
        today tonight tomorrow weekend monday tuesday wednesday thursday friday saturday
        sunday
    """,
    _UNIT: """
        hour hours day days night nights week weeks month months year years summer
        winter spring autumn fall morning evening mon tue tues wed thu thurs fri sat sun
    """,
    _COUNT: "a an one two three four five six seven eight nine ten few several many",
    _NEAR: "last next this past other",
    _MONTH: """
        january february march april may june july august september october november
        december jan feb mar apr jun jul aug sep sept oct nov dec
    """,
    _NUMBER: "of",
    _INTO: "in since early late mid until by during",
}
_WORDS: Final[dict[str, int]] = {}
for _bits, _list in _LISTS.items():
    for _word in _list.split():
        _WORDS[_word] = _WORDS.get(_word, 0) | _bits

_EDGES: Final = ".,;:!?()[]\"'“”‘’«»…*_~"
_ENDS: Final = (".", "!", "?", ":", "…", '."', '!"', '?"', ".”", "!”", "?”")
_SELF: Final = ("I'", "I’")
_ASKS: Final = ("?", "？", "؟")

_kinds: dict[str, int] = {}


def traits_of(text: str, *, continues: bool = False) -> int:
    """The traits of a chunk's plain text (without Markdown's marks), as bits.

    `continues` says that it stands under the same heading as the chunk before it.

    The lowest are those of `FLAGS`; then come two bits for each of `COUNTED`, the
    number of its occurrences up to `MOST`. Takes time linear in the text.
    """
    said = text.rstrip()
    if said.endswith(")"):  # a remark behind it, such as an image's caption
        said = said[: said.rfind("(")].rstrip() or said
    found = int(said.rstrip(" \"'”’»)").endswith(_ASKS))
    past = names = ago = 0
    dated = False
    before = _END
    for run in text[:_LONGEST].split():
        kind = _kinds.get(run)
        if kind is None:
            kind = _remember(run)
        if kind:
            past += kind & _PAST
            if kind & _NAME and not before & _END:
                names += 1
            if kind & _AGO:
                ago += 1
            elif kind & _UNIT and before & _NEAR:
                dated = True
                ago += 1
            dated = dated or bool(
                kind & _DATED
                or (kind & _UNIT and before & _COUNT)
                or (kind & _MONTH and before & (_INTO | _NEAR | _NUMBER))
                or (before & _MONTH and kind & _NUMBER)
            )
        before = kind
    quotes = (text.count('"', 0, _LONGEST) + text.count("“", 0, _LONGEST) * 2) // 2
    found |= int(dated) << 1 | int(continues) << 2
    for place, count in enumerate((past, names, ago, quotes)):
        found |= min(count, MOST) << (len(FLAGS) + 2 * place)
    return found


def _remember(run: str) -> int:
    if len(_kinds) >= _CACHE_SIZE:
        _kinds.clear()
    _kinds[run] = kind = _kind(run)
    return kind


def _kind(run: str) -> int:
    """What a run is by itself."""
    word = run.strip(_EDGES)
    kind = _END if run.endswith(_ENDS) else 0
    if not word:
        return kind
    lower = word.lower()
    kind |= _WORDS.get(lower, 0)
    if len(lower) > 4 and lower.endswith("ed") and lower.isalpha():
        kind |= _PAST
    if word[0].isupper() and len(word) > 1 and word[:2] not in _SELF:
        kind |= _NAME
    if word[0].isdigit():
        kind |= _COUNT | _NUMBER
        if (len(word) == 4 and word.isdigit() and word[:2] in {"19", "20"}) or (
            len(word) == 10 and word[4] == word[7] == "-"
        ):
            kind |= _DATED
    return kind
