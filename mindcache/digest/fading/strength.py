"""How strong a memory is on a day, from when it was made and when it was used. Pure.

Time is counted in civil days (their ordinals), so that a log whose old lines were
folded to counts a day says the very same. Nothing is remembered from night to night:
what band a memory is in follows from its uses alone.

    on use:     a ← min(8, a·2^(−Δt/h) + 1); .6 when it is made, and at least that much
                when another note links to it
    half-life:  h = min(180, 7·(1 + log2(1 + days on which it was used))·(1 + importance))
    score:      .70·a/(1+a) + .20·importance + .10·min(1, ln(1+degree)/ln 33)
    bands:      hot from .68, warm from .38, cool from .25, else faint

Up at once. Down only where the score was under the band's threshold less .08 on the
day and on each of the four days before.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

__all__ = [
    "FAINT_BELOW",
    "MOST_HOT",
    "MOST_WARM",
    "Band",
    "Life",
    "Strength",
    "banded",
    "falls_on",
    "strength",
]

Band = Literal["hot", "warm", "cool", "faint"]

# The bands from the top, each with the score from which a memory is in it.
_BANDS: Final[tuple[tuple[Band, float], ...]] = (
    ("hot", 0.68),
    ("warm", 0.38),
    ("cool", 0.25),
)
# A score has to sink below a threshold by so much, and for so many days after the
# first. In a simulated year (`scripts/bench fading`) with .05, 2 and hot from .55,
# 1.9 % of the changes in hot were undone within two nights; with these .00 to .07 %,
# by the seed, for nine in a hundred fewer recalls that hit hot.
_MARGIN: Final = 0.08
_DAYS_UNDER: Final = 4

FAINT_BELOW: Final = round(_BANDS[-1][1] - _MARGIN, 6)

# What is near at hand should be few: without a cap, 2,200 of the 11,000 memories of a
# simulated year were warm.
MOST_HOT: Final = 400
MOST_WARM: Final = 1_200
# For so many nights a threshold that had to be lifted stays up.
_NIGHTS_LIFTED: Final = 14

_MADE: Final = 0.6  # a new memory is worth a little more than half a use
_MOST_ACTIVE: Final = 8.0
_SHORTEST: Final = 7.0  # days
# "CI is red" is worth believing for days, not weeks.
_PASSING: Final = 2.0
_LONGEST: Final = 180.0
_CROWD: Final = 32  # links that count in full: more of them say no more

# So far ahead a fall is looked for; by then every activation is gone.
_FARTHEST: Final = 4_000


@dataclass(frozen=True, slots=True)
class Life:
    """What decides how strong a memory is.

    `born` is the day from which it counts, `uses` are (day, times) in order; `linked` is
    the day on which a note was last written that links to it, None for never.
    `is_passing` says that it is of something that never lasts.
    """

    born: int
    uses: tuple[tuple[int, int], ...] = ()
    importance: float = 0.5
    degree: int = 0
    is_passing: bool = False
    linked: int | None = None


@dataclass(frozen=True, slots=True)
class Strength:
    """A memory on a day: its score and what it comes from, half-life in days.

    `last` is the day of its last use (None without one), `times` how often it was
    used by then, on `days` days. `held` is the score as it counts, which sinks later
    than the score itself, and `band` what it is in by that alone.
    """

    score: float
    held: float
    band: Band
    activation: float
    half_life: float
    last: int | None
    times: int
    days: int


def _half_life(life: Life, days: int) -> float:
    shortest = _PASSING if life.is_passing else _SHORTEST
    grown = shortest * (1 + math.log2(1 + days)) * (1 + life.importance)
    return min(_LONGEST, grown)


def _score(life: Life, activation: float) -> float:
    """To six places, as everything that is compared."""
    links = min(1.0, math.log1p(life.degree) / math.log1p(_CROWD))
    parts = (
        0.70 * activation / (1 + activation),
        0.20 * life.importance,
        0.10 * links,
    )
    return round(math.fsum(parts), 6)


@dataclass(slots=True)
class _State:
    """After a use: what decays from there, and how strong it counts."""

    day: int
    activation: float
    half_life: float
    held: float = 0.0
    days: int = 0
    times: int = 0
    last: int | None = None

    def at(self, day: int) -> float:
        """The activation so long after."""
        return self.activation * math.exp2(-max(0, day - self.day) / self.half_life)


def _events(life: Life, day: int) -> Iterator[tuple[int, int]]:
    """The uses up to a day; those before it was made count as on that day.

    Among them, with no times, the day on which it was last linked to.
    """
    early = sum(times for at, times in life.uses if at <= min(life.born, day))
    if early:
        yield life.born, early
    later = [each for each in life.uses if life.born < each[0] <= day]
    if life.linked is not None and life.born < life.linked <= day:
        later.append((life.linked, 0))
    yield from sorted(later)


def _lived(life: Life, day: int) -> _State:
    """The state after the last use up to the day."""
    state = _State(life.born, _MADE, _half_life(life, 0))
    state.held = _score(life, _MADE)
    for at, times in _events(life, day):
        state.held = _held(life, state, at - 1)
        activation = state.at(at)
        state.day = at
        if times:
            state.last = at
            state.days += 1
            state.times += times
            state.half_life = _half_life(life, state.days)
            state.activation = min(_MOST_ACTIVE, activation + times)
        else:  # what is still spoken of is as good as new, and no better
            state.activation = max(_MADE, activation)
        state.held = max(state.held, _score(life, state.activation))
    return state


def _held(life: Life, state: _State, day: int) -> float:
    """As how strong it counts on a day without another use since.

    The score only sinks in between: where it was under on the first of these days it
    is on the others.
    """
    first = day - _DAYS_UNDER
    if first < state.day:
        return state.held
    return min(state.held, round(_score(life, state.at(first)) + _MARGIN, 6))


def _called(held: float, lifted: Mapping[Band, float]) -> Band:
    for band, least in _BANDS:
        if held >= max(least, lifted.get(band, 0.0)):
            return band
    return "faint"


def strength(life: Life, day: int) -> Strength:
    """How strong it is on a day, by all that was known by then."""
    state = _lived(life, day)
    now = state.at(day)
    held = _held(life, state, day)
    return Strength(
        score=_score(life, now),
        held=held,
        band=_called(held, {}),
        activation=round(now, 6),
        half_life=round(state.half_life, 1),
        last=state.last,
        times=state.times,
        days=state.days,
    )


def falls_on(life: Life, day: int) -> int | None:
    """The day on which it became, or without another use becomes, faint; None: never."""
    state = _lived(life, day)
    least = _BANDS[-1][1]
    if _held(life, state, state.day + _FARTHEST) >= least:
        return None
    low, high = state.day, state.day + _FARTHEST
    while low < high:  # once faint it stays so without a use
        middle = (low + high) // 2
        if _held(life, state, middle) < least:
            high = middle
        else:
            low = middle + 1
    return low


def banded(lives: Mapping[str, Life], day: int) -> dict[str, Band]:
    """The band of each by its key, with no more hot and warm ones than there may be.

    Where there are more, the threshold is lifted to what lets the strongest stay. It
    comes down again only to what it has been at for a fortnight: a memory at the edge
    is not pushed out and let in again night by night.
    """
    held: dict[str, float] = {}
    nights = [day - back for back in range(_NIGHTS_LIFTED)]
    histories = []
    for key, life in lives.items():
        state = _lived(life, day)
        held[key] = _held(life, state, day)
        # Unused since the first of these nights, it was strongest then.
        if state.day > nights[-1] or _held(life, state, nights[-1]) >= _BANDS[1][1]:
            histories.append(_history(life, state, nights))
    lifted = _lifted(histories)
    found = {key: _called(each, lifted) for key, each in held.items()}
    caps: tuple[tuple[Band, Band, int], ...] = (
        ("hot", "warm", MOST_HOT),
        ("warm", "cool", MOST_WARM),
    )
    for band, below, most in caps:  # equals at the edge have no place for all
        inside = [key for key, each in found.items() if each == band]
        inside.sort(key=lambda key: (-held[key], key))
        found.update(dict.fromkeys(inside[most:], below))
    return found


def _lifted(histories: Sequence[Sequence[float]]) -> dict[Band, float]:
    """The thresholds that the caps ask for: the highest of the last nights."""
    lifted: dict[Band, float] = {"hot": 0.0, "warm": 0.0}
    (_, hot), (_, warm), _ = _BANDS
    for night in zip(*histories, strict=True):
        held = sorted((each for each in night if each >= warm), reverse=True)
        hottest = sum(each >= hot for each in held)
        most_warm = min(hottest, MOST_HOT) + MOST_WARM
        caps: tuple[tuple[Band, int], ...] = (("hot", MOST_HOT), ("warm", most_warm))
        for band, most in caps:
            if len(held) > most:
                lifted[band] = max(lifted[band], held[most - 1])
    return lifted


def _history(life: Life, state: _State, nights: Sequence[int]) -> list[float]:
    """As how strong it counted on each of these nights, the latest first.

    `state` is the one of the latest.
    """
    found = []
    for night in nights:
        if night < state.day:
            state = _lived(life, night)
        found.append(_held(life, state, night) if night >= life.born else 0.0)
    return found
