"""Two Syncthing devices, a daemon on each: values and lines replaced apart come together.

Nobody has what both began as but in what the machines remember. Nothing may be lost,
or come back, however often a note is edited on both.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.storm import (
    NEEDS_SYNCTHING,
    WORD,
    Ledger,
    Machine,
    Tally,
    Writer,
    apart,
    contents,
    note_text,
    only_adds,
    settled_by_hand,
)
from tests.storm import notes as notes_of
from tests.test_weather_syncthing import SEED, Device, in_step, merged
from tests.watching import until

pytestmark = NEEDS_SYNCTHING

ROUNDS = 10
NOTES = 14
# Of these, so many are edited on both in a round.
SHARED = 7


class Editor(Writer):
    """Somebody who words lines anew and sets values, as often as he adds."""

    def edits(self, path: str, count: int) -> None:
        for _ in range(count):
            full = self.machine.vault / path
            text = self._edited(full.read_text())
            if self.chance.random() < 0.5:
                full.write_text(text)
            else:
                beside = full.with_name(f".{full.name}.tmp")
                beside.write_text(text)
                beside.replace(full)
            if self.chance.random() < 0.3:
                until(self.machine.daemon.is_idle, "it was seen", 60)

    def _edited(self, text: str) -> str:
        lines = text.split("\n")
        roll = self.chance.random()
        if roll < 0.35:
            return self._property(lines, self._own("k", 0, 8))
        slot = self._own("- slot ", 0, 24)
        at = next(n for n, each in enumerate(lines) if each.startswith(slot))
        if roll < 0.55:
            self.ledger.gone.update(WORD.findall(lines[at]))
            lines[at] = (
                f"{slot} {self._sentence()} {self.ledger.word(self.side, 'line')}"
            )
        elif roll < 0.75:
            lines[at] += f" {self.ledger.word(self.side, 'extend')}"
        elif roll < 0.9:
            word = self.ledger.word(self.side, "insert")
            lines.insert(at + 1, f"- {self._sentence()} {word}")
        else:
            tag = f"  - domain/{self.ledger.word(self.side, 'tag')}"
            lines.insert(lines.index("tags:") + 1, tag)
        return "\n".join(lines)


@pytest.fixture
def devices(tmp_path: Path) -> Iterator[tuple[Device, Device]]:
    made: list[Device] = []
    machines = [
        Machine(name, tmp_path / name, tmp_path / name / "vault")
        for name in ("ines", "olav")
    ]
    try:
        for machine in machines:
            (machine.vault / "memory").mkdir(parents=True)
            config = machine.vault / ".mindcache/config.toml"
            config.parent.mkdir()
            config.write_text("machines = 2\n")
            made.append(Device(machine, tmp_path / machine.name / "syncthing"))
        one, other = made
        one.start(other)
        other.start(one)
        for machine in machines:
            machine.daemon.start()
            until(machine.daemon.is_idle, "the daemon rests", 60)
        for number in range(NOTES):
            path = machines[0].vault / f"memory/Note {number:02}.md"
            path.write_text(note_text(number))
        in_step(one, other)
        seen(machines)
        yield one, other
    finally:
        for device in made:
            device.close()
        for machine in machines:
            machine.close()


def test_what_is_replaced_apart_comes_together(devices: tuple[Device, Device]) -> None:
    print(f"\nMINDCACHE_STORM_SEED={SEED}")  # noqa: T201  to be seen with -s
    one, other = devices
    machines = [device.machine for device in devices]
    ledger, chance = Ledger(), random.Random(SEED)
    editors = [
        Editor(m, side, ledger, SEED) for m, side in zip(machines, "ab", strict=True)
    ]
    added, replaced = Tally(), Tally()
    for _ in range(ROUNDS):
        one.pause(other)
        until(lambda: not other.is_connected(one), "the line is cut", 60)
        before = contents(machines[0].vault)
        shared = chance.sample(notes_of(machines[0].vault), SHARED)
        for editor in editors:
            for path in shared:
                editor.edits(path, chance.choice((1, 2, 3, 5)))
        sides = [contents(machine.vault) for machine in machines]
        one.resume(other)
        in_step(one, other)
        seen(machines)
        left = merged(chance.choice(machines))
        in_step(one, other)
        for path in shared:
            texts = [before[path], *(side[path] for side in sides)]
            is_added = all(only_adds(texts[0], text) for text in texts)
            tally = added if is_added else replaced
            tally.count(is_apart=apart(*texts), is_alone=path not in left)
        assert words(machines[0], set(shared) - left) & ledger.gone == set()
        seen(machines)
        settled_by_hand(machines[0])
        in_step(one, other)
        seen(machines)
        assert ledger.lost(machines[0].vault) == []
        # What he settles by hand has what the other side had replaced.
        ledger.gone -= words(machines[0], left)
    print(  # noqa: T201  likewise
        f"added: {added}; replaced: {replaced}; {len(ledger.written)} writes"
    )
    assert added.apart_alone >= 0.95 * added.apart
    assert replaced.apart_alone >= 0.95 * replaced.apart


def seen(machines: Iterable[Machine]) -> None:
    """Wait as people do, until the daemons have seen what there is."""
    time.sleep(0.5)
    for machine in machines:
        until(machine.daemon.is_idle, "the daemon rests", 60)


def words(machine: Machine, paths: Iterable[str]) -> set[str]:
    """The words that stand in these notes."""
    texts = ((machine.vault / path).read_text() for path in paths)
    return {word for text in texts for word in WORD.findall(text)}
