"""Bases out of what one machine saw: what proves one, and that nothing is ever reverted."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hypothesis import given, settings
from hypothesis import strategies as st

from mindcache.merge import Version, merge, merge_by_versions
from mindcache.merge.ancestry import How
from mindcache.note import parse

# -- two machines, as they are known from above -----------------------------------------


@dataclass(frozen=True)
class State:
    """What a note says: its properties, its tags, and its lines by their names."""

    properties: dict[str, str]
    tags: frozenset[str]
    lines: dict[str, str]

    @property
    def text(self) -> bytes:
        head = "".join(f"{key}: {value}\n" for key, value in self.properties.items())
        tags = "".join(f"  - {tag}\n" for tag in sorted(self.tags))
        body = "".join(f"{line}\n" for line in self.lines.values())
        return f"---\nid: m-1\n{head}tags:\n{tags}---\n# A note\n\n{body}".encode()


def a_note(keys: int, slots: int) -> State:
    return State(
        {f"k{n}": "start" for n in range(keys)},
        frozenset({"domain/pumps"}),
        {f"slot {n}": f"- slot {n} of the note" for n in range(slots)},
    )


@dataclass
class Machine:
    """One machine: the note as it is there, and what it saw of it before."""

    side: str
    state: State
    seen: list[Version] = field(default_factory=list)
    arrived: bool = True
    unseen: int = 1
    stood: list[int] = field(default_factory=list)

    def becomes(self, state: State, *, arrived: bool) -> None:
        if state != self.state:
            self.state, self.arrived = state, arrived
            self.unseen += 1

    def look(self, chance: random.Random, *, errs: bool) -> None:
        """Take in what the note says; how it came is mistaken now and then."""
        unseen, self.unseen = self.unseen, 0
        if self.seen and self.seen[-1].data == self.state.text:
            return
        how: How = "arrived" if self.arrived else "changed"
        if not self.seen:
            how = "arrived" if self.arrived else "born"
        elif errs and chance.random() < 0.2:
            how = chance.choice(("arrived", "changed", "unknown"))
        followed = unseen == 1 and how != "unknown" and bool(self.seen)
        followed = followed and self.arrived == (how == "arrived")
        self.seen.append(Version(self.state.text, how, not self.seen, followed))
        self.stood.append(0)
        if len(self.seen) > 16:
            at = min(range(15, 0, -1), key=self.stood.__getitem__)
            del self.stood[at]
            gone, after = self.seen.pop(at), self.seen[at]
            self.seen[at] = replace(
                after,
                how=after.how if gone.how == "changed" else gone.how,
                is_followed=after.is_followed and gone.is_followed,
            )


@dataclass
class World:
    """Two machines and what passes between them, by one seed."""

    chance: random.Random
    errs: bool
    first: State
    words: int = 0
    merged: int = 0
    left: int = 0

    def token(self, side: str) -> str:
        """A word that nobody else writes: one that tells of itself, or hardly."""
        self.words += 1
        long = self.chance.random() < 0.7
        return f"zq{self.words:04}{side}" if long else f"{side}{self.words}"

    def edited(self, state: State, side: str) -> State:
        """What a person at one side makes of a note."""
        roll = self.chance.random()
        name = self.chance.choice(list(state.lines))
        lines = dict(state.lines)
        if roll < 0.3:
            key = self.chance.choice(list(state.properties))
            return replace(
                state, properties={**state.properties, key: self.token(side)}
            )
        if roll < 0.4:
            return replace(state, tags=state.tags | {f"domain/{self.token(side)}"})
        if roll < 0.6:
            lines[name] += f" {self.token(side)}"
        elif roll < 0.7 and name in self.first.lines:
            lines[name] = f"- {self.token(side)} in place of {self.token(side)}"
        elif (
            roll < 0.75
            and len(lines) > len(self.first.lines) // 2
            # What is out again soon after the other put it in may come back.
            and lines[name] == self.first.lines.get(name)
        ):
            del lines[name]
        else:
            new = self.token(side)
            line = f"- told about {new} by {self.token(side)} and others"
            at = list(lines).index(name) + 1
            items = list(lines.items())
            lines = dict([*items[:at], (new, line), *items[at:]])
        return replace(state, lines=lines)


def known(merged: bytes) -> tuple[dict[str, object], frozenset[str], list[str]]:
    note = parse("n.md", merged)
    given = dict(note.properties)
    tags = given.pop("tags")
    given.pop("id")
    assert isinstance(tags, list)
    lines = [line for line in note.body.split("\n") if line.startswith("- ")]
    return given, frozenset(map(str, tags)), lines


def three_ways(
    base: State,
    one: State,
    other: State,
    *,
    keeps: bool = False,
    asks: bool = False,
) -> State | None:
    """What both sides together said, None where they meet.

    With `keeps` a line that one deleted and the other worded anew stays: to the merge
    it is one that both took out, and a new one. With `asks` a person takes one of two.
    """

    def chosen(was: str | None, mine: str | None, yours: str | None) -> str | None:
        if asks and was not in (mine, yours):
            return mine
        if keeps and was not in (mine, yours) and None in (mine, yours):
            return mine or yours
        assert mine == yours or was in (mine, yours)
        return mine if yours == was else yours

    try:
        properties = {
            key: chosen(was, one.properties[key], other.properties[key]) or ""
            for key, was in base.properties.items()
        }
        names = dict.fromkeys([*one.lines, *other.lines])
        lines = {
            name: chosen(*(each.lines.get(name) for each in (base, one, other)))
            for name in names
        }
    except AssertionError:
        return None
    tags = (one.tags | other.tags) - ((base.tags - one.tags) | (base.tags - other.tags))
    return State(properties, tags, {k: v for k, v in lines.items() if v is not None})


def lives(
    seed: int,
    *,
    errs: bool,
    watched: float,
    rounds: int = 8,
    size: tuple[int, int] = (4, 8),
) -> World:
    """Two machines in sync now and then; every merge is held against the truth."""
    chance, first = random.Random(seed), a_note(*size)
    world = World(chance, errs, first)
    machines = [Machine("a", first, arrived=False), Machine("b", first)]
    for each in machines:
        each.look(chance, errs=False)
    common = first
    for _ in range(rounds):
        before = [each.state for each in machines]
        for each in machines:
            a_day(world, each, watched)
        changed = [
            each.state != was for each, was in zip(machines, before, strict=True)
        ]
        if all(changed):
            common = met(world, machines, common)
        elif any(changed):
            common = machines[changed.index(True)].state
        for each in machines:
            each.becomes(common, arrived=True)
            if chance.random() < watched:
                each.look(chance, errs=errs)
    return world


def a_day(world: World, machine: Machine, watched: float) -> None:
    """What is saved at one machine before it hears of the other."""
    machine.stood[-1] += 1
    for _ in range(world.chance.choice((0, 0, 1, 1, 2, 5))):
        edited = world.edited(machine.state, machine.side)
        machine.becomes(edited, arrived=False)
        if world.chance.random() < watched:
            machine.look(world.chance, errs=world.errs)


def met(
    world: World,
    machines: Sequence[Machine],
    common: State,
    *,
    is_pair: bool = True,
) -> State:
    """A conflict: one is the note, the other its copy; one machine merges them."""
    chance = world.chance
    winner, loser = chance.sample(list(machines), 2)
    ours, theirs = winner.state, loser.state
    loser.becomes(ours, arrived=True)
    here = chance.choice(list(machines))
    for each in machines:
        if each is here or chance.random() < 0.5:
            each.look(chance, errs=world.errs)
    truth = three_ways(common, ours, theirs)
    found = merge_by_versions(
        "n.md", here.seen, ours.text, theirs.text, is_pair=is_pair
    )
    if found is None or not found.merged.is_certain:
        world.left += truth is not None
        settled = three_ways(common, ours, theirs, asks=True)
        assert settled is not None
    else:
        truth = truth or three_ways(common, ours, theirs, keeps=True)
        assert truth is not None, "they met, and nobody was asked"
        properties, tags, lines = known(found.merged.data)
        assert properties == truth.properties
        assert tags == truth.tags
        assert sorted(lines) == sorted(truth.lines.values())
        names = {line: name for name, line in truth.lines.items()}
        settled = replace(truth, lines={names[line]: line for line in lines})
        world.merged += 1
    here.becomes(settled, arrived=False)
    here.look(chance, errs=world.errs)
    return settled


@given(st.integers(0, 2**32), st.booleans(), st.sampled_from([1.0, 0.6, 0.1]))
@settings(max_examples=150, derandomize=True)
def test_a_merge_has_every_change_or_is_left_for_a_person(seed, errs, watched) -> None:
    lives(seed, errs=errs, watched=watched)


def test_most_of_what_was_edited_apart_merges_by_itself() -> None:
    worlds = [
        lives(seed, errs=False, watched=1.0, rounds=6, size=(12, 30))
        for seed in range(60)
    ]
    merged = sum(world.merged for world in worlds)
    left = sum(world.left for world in worlds)
    print(f"\n{merged} of {merged + left} merged by themselves")  # noqa: T201  to be seen with -s
    assert merged >= 0.95 * (merged + left)


# -- three machines ---------------------------------------------------------------------


@dataclass(frozen=True)
class Saved:
    """A state somewhere, and all that it came of."""

    state: State
    number: int
    above: frozenset[int]

    def is_below(self, other: Saved) -> bool:
        return self.number == other.number or self.number in other.above


class Three:
    """Three machines of which two at a time hear of each other."""

    def __init__(self, seed: int, *, watched: float) -> None:
        self.chance = random.Random(seed)
        self.watched = watched
        first = a_note(4, 8)
        self.world = World(self.chance, False, first)
        self.saved = [Saved(first, 0, frozenset())]
        self.at = dict.fromkeys("abc", self.saved[0])
        self.machines = {
            side: Machine(side, first, arrived=side != "a") for side in "abc"
        }
        for machine in self.machines.values():
            machine.look(self.chance, errs=False)

    def save(self, state: State, *before: Saved) -> Saved:
        above = frozenset(n for each in before for n in (*each.above, each.number))
        self.saved.append(Saved(state, len(self.saved), above))
        return self.saved[-1]

    def live(self, rounds: int) -> World:
        for _ in range(rounds):
            for machine in self.machines.values():
                self.day(machine)
            self.meet(*self.chance.sample("abc", 2))
        return self.world

    def day(self, machine: Machine) -> None:
        for _ in range(self.chance.choice((0, 0, 0, 1, 1, 3))):
            state = self.world.edited(machine.state, machine.side)
            self.at[machine.side] = self.save(state, self.at[machine.side])
            self.gets(machine, state, arrived=False)

    def gets(self, machine: Machine, state: State, *, arrived: bool) -> None:
        machine.becomes(state, arrived=arrived)
        if self.chance.random() < self.watched:
            machine.look(self.chance, errs=False)

    def meet(self, one: str, other: str) -> None:
        mine, yours = self.at[one], self.at[other]
        newest = mine
        if mine.is_below(yours):
            newest = yours
        elif not yours.is_below(mine):
            newest = self.conflict(one, other)
        for side in (one, other):
            self.at[side] = newest
            self.gets(self.machines[side], newest.state, arrived=True)

    def conflict(self, one: str, other: str) -> Saved:
        mine, yours = self.at[one], self.at[other]
        shared = [s for s in self.saved if s.is_below(mine) and s.is_below(yours)]
        newest = [s for s in shared if not any(s.number in t.above for t in shared)]
        machines = [self.machines[one], self.machines[other]]
        if len(newest) > 1:  # then nobody can say who changed what
            old = min(newest, key=lambda saved: saved.number).state
            settled = three_ways(old, mine.state, yours.state, asks=True)
            assert settled is not None
        else:
            settled = met(self.world, machines, newest[0].state, is_pair=False)
        return self.save(settled, mine, yours)


@given(st.integers(0, 2**32), st.sampled_from([1.0, 0.6, 0.1]))
@settings(max_examples=100, derandomize=True)
def test_among_three_machines_it_is_the_same(seed: int, watched: float) -> None:
    Three(seed, watched=watched).live(14)


# -- what proves a base, one by one -----------------------------------------------------

NOTE = (
    "---\nid: m-1\nstatus: todo\nowner: Ines\ntags:\n  - tool/git\n---\n# Pumps\n\n"
    "- the first pump leaks\n"
)
NEWS = NOTE + "- the second pump was replaced on Monday\n"


def base_of(
    versions: Sequence[str | Version], ours: str, theirs: str, *, is_pair: bool = False
) -> tuple[int | None, str] | None:
    """The base and what came of it; "" for what a person has to say."""
    seen = [
        each if isinstance(each, Version) else Version(each.encode(), "changed")
        for each in versions
    ]
    found = merge_by_versions(
        "n.md", seen, ours.encode(), theirs.encode(), is_pair=is_pair
    )
    turned = merge_by_versions(
        "n.md", seen, theirs.encode(), ours.encode(), is_pair=is_pair
    )
    if found is None:
        assert turned is None
        return None
    assert turned is not None
    assert found.merged.is_certain == turned.merged.is_certain
    is_certain = found.merged.is_certain
    return found.base, found.merged.data.decode() if is_certain else ""


def test_news_that_both_have_prove_a_base() -> None:
    ours = NEWS.replace("todo", "done")
    theirs = NEWS.replace("Ines", "Olav").replace("Monday", "Monday by Halden")
    merged = theirs.replace("todo", "done")
    assert base_of([NOTE, NEWS, ours], ours, theirs) == (1, merged)
    # Alone it does not tell whether the other ever had it.
    assert base_of([NEWS, ours], ours, theirs) is None
    assert base_of([NOTE, NEWS.replace("todo", "done")], NOTE, theirs) is None


def test_where_both_put_another_value_a_person_is_asked() -> None:
    ours, theirs = NEWS.replace("todo", "done"), NEWS.replace("todo", "waiting")
    assert base_of([NOTE, NEWS], ours, theirs) == (1, "")


def test_a_machine_that_never_had_the_news_reverts_nothing() -> None:
    ours = NEWS.replace("- the first", "- yes, the first")
    stale = NOTE.replace("Ines", "Olav").replace("todo", "done")
    first = Version(NOTE.encode(), "arrived", is_first=True)
    merged = ours.replace("Ines", "Olav").replace("todo", "done")
    assert base_of([first, NEWS], ours, stale, is_pair=True) == (0, merged)
    # It had some of what this machine saw at one go, and set the rest itself.
    some = NEWS.replace("owner: Ines", "owner: Nobody")
    all_ = NEWS.replace("owner: Ines", "owner: Halden")
    assert base_of([NOTE, all_], all_ + "- more\n", some + "- else\n") == (1, "")


def test_what_both_machines_write_alike_is_no_proof_of_what_was_before() -> None:
    mine = NOTE.replace("Ines", "Halden")
    line = "- imported: inspection of all pumps in spring\n"
    theirs = NOTE + line
    ours = mine + line
    assert base_of([NOTE, mine, ours], ours + "- later\n", theirs) == (2, "")


def test_what_came_first_from_elsewhere_proves_itself_between_two() -> None:
    first = Version(NOTE.encode(), "arrived", is_first=True)
    ours, theirs = NOTE.replace("todo", "done"), NOTE.replace("Ines", "Olav")
    merged = ours.replace("Ines", "Olav")
    assert base_of([first], ours, theirs, is_pair=True) == (0, merged)
    assert base_of([first], ours, theirs) is None
    found = replace(first, how="unknown")
    assert base_of([found], ours, theirs, is_pair=True) is None
    cut = replace(first, is_first=False)
    assert base_of([cut], ours, theirs, is_pair=True) is None


def test_a_note_born_here_is_everybody_s_if_it_has_its_id() -> None:
    born = Version(NOTE.encode(), "born", is_first=True)
    ours, theirs = NOTE.replace("todo", "done"), NOTE.replace("Ines", "Olav")
    assert base_of([born], ours, theirs) == (0, ours.replace("Ines", "Olav"))
    assert base_of([born], ours, theirs.replace("id: m-1", "id: m-2")) is None
    for changed in ("", "id: m-1\nsource_id: feed-7\n"):
        text = NOTE.replace("id: m-1\n", changed)
        other = Version(text.encode(), "born", is_first=True)
        assert base_of([other], ours, theirs) is None


def test_what_was_set_and_taken_back_is_asked_for() -> None:
    first = Version(NOTE.encode(), "arrived", is_first=True)
    done = NOTE.replace("todo", "done")
    ours = NOTE.replace("Ines", "Olav")
    # Whether the other had it done before or after it was taken back, nobody knows.
    theirs = done.replace("tool/git", "tool/hg")
    assert base_of([first, done, ours], ours, theirs, is_pair=True) == (0, "")


def test_a_line_that_both_had_for_long_may_be_deleted() -> None:
    chain = [NOTE, NEWS, NEWS + "- paint arrived from Halden on Tuesday\n"]
    ours = chain[2].replace("- the first pump leaks\n", "")
    theirs = chain[2].replace("todo", "done")
    merged = ours.replace("todo", "done")
    assert base_of(chain, ours, theirs) == (2, merged)
    # One that is news itself may be one that this side never had.
    ours = chain[2].replace("- the second pump was replaced on Monday\n", "")
    assert base_of(chain, ours, theirs) == (2, "")


def test_a_line_taken_out_beside_a_common_change_stays_out() -> None:
    """Not even the merge itself takes it for something that one side has besides."""
    base = "one\ntwo\nthree\n"
    ours, theirs = "one more\ntwo\nthree\n", "one more\nthree\n"
    for sides in ((ours, theirs), (theirs, ours)):
        found = merge("n.md", base.encode(), *(each.encode() for each in sides))
        assert not found.is_certain or found.data == theirs.encode()


def test_generated_and_broken_notes_have_no_versions() -> None:
    made = NOTE + "%% mindcache:begin x %%\n- [[a]]\n%% mindcache:end %%\n"
    first = Version(made.encode(), "arrived", is_first=True)
    assert base_of([first], made + "a\n", made + "b\n", is_pair=True) is None
    broken = "---\na: [\n---\n"
    first = Version(broken.encode(), "arrived", is_first=True)
    assert base_of([first], NOTE, NEWS, is_pair=True) is None
    assert base_of([], NOTE, NEWS) is None
    # Of a journal nothing is ever taken out.
    day = NOTE.replace("id: m-1", "type: journal")
    first = Version(day.encode(), "arrived", is_first=True)
    assert base_of([first], day + "- a\n", day + "- b\n", is_pair=True) is None


def test_large_notes_take_their_time_and_no_more() -> None:
    text = "".join(f"- line {n} of a long, long note\n" for n in range(4_000))
    chain = [
        NOTE + text + "".join(f"- news {m} zq{m:05}\n" for m in range(n))
        for n in range(6)
    ]
    ours = chain[-1].replace("line 7 ", "line 7a ") + "word " * 100_000
    theirs = chain[-1].replace("todo", "done")
    found = base_of(chain, ours, theirs)
    assert found is not None
    assert found[0] == 5
