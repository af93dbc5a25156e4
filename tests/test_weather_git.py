"""Two clones, a bare remote, a daemon on each: after a storm no word is missing."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.storm import (
    LENGTH,
    ROUNDS,
    WORD,
    Machine,
    Tally,
    agree_with_rebuilt,
    apart,
    begun,
    contents,
    notes,
    one_day,
    seeded,
    settled_by_hand,
    two_machines,
)

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("git") is None, reason="no git here"),
]


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[tuple[Machine, Machine]]:
    remote = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", remote], check=True)
    made = two_machines(tmp_path)
    one, other = made
    try:
        one.vault.mkdir()
        seeded(one.vault)
        one.git("init", "-q")
        one.git("remote", "add", "origin", str(remote))
        done(one, "git", "setup")
        done(one, "git", "sync")
        subprocess.run(["git", "clone", "-q", remote, other.vault], check=True)
        done(other, "git", "setup")
        for machine in made:
            machine.daemon.start()
        yield one, other
    finally:
        for machine in made:
            machine.close()


def done(machine: Machine, *words: str) -> str:
    code, out = machine.command(*words)
    assert code == 0, out
    return out


def sync(machine: Machine, tally: Tally) -> set[str]:
    """Sync as a person does: what can't be merged is merged by hand, both kept."""
    code, out = machine.command("git", "sync", "--json")
    assert out.startswith("{"), out
    shape = json.loads(out)
    assert code == (1 if shape["reason"] else 0), out
    listed = set(shape["conflicts"])
    if shape["received"] or listed:
        count(machine, listed, tally)
    if shape["reason"]:
        assert listed, out
        assert shape["rescue"], out
        by_hand(machine, listed)
    return listed


def by_hand(machine: Machine, listed: set[str]) -> None:
    machine.git("merge", "-q", "origin/main", fails=True)
    for path in machine.git("ls-files", "-z").split("\0"):
        full = machine.vault / path
        if path.endswith(".md") and full.exists():
            text = full.read_text()
            if "\n>>>>>>> " in text:
                full.write_text(without_markers(text))
    machine.git("add", "-A")
    machine.git("commit", "-qm", "both kept")
    shape = json.loads(done(machine, "git", "sync", "--json"))
    assert shape["pushed"], shape


def without_markers(text: str) -> str:
    """One side as it is, and what only the other says below it."""
    kept: list[str] = []
    theirs: list[str] = []
    side = kept
    for line in text.split("\n"):
        if line.startswith(("<<<<<<< ", ">>>>>>> ")):
            side = kept
        elif line == "=======":
            side = theirs
        else:
            side.append(line)
    known = set(WORD.findall("\n".join(kept)))
    more = [w for w in WORD.findall("\n".join(theirs)) if w not in known]
    return "\n".join([*kept, *(f"- kept {word}" for word in more), ""])


def count(machine: Machine, listed: set[str], tally: Tally) -> None:
    """Look at each note that both sides changed since they last were in step."""
    parents = machine.git("rev-list", "--parents", "-1", "HEAD").split()[1:]
    ours, theirs = ("HEAD", "origin/main") if listed else (parents[0], parents[-1])
    base = machine.git("merge-base", ours, theirs).strip()
    changed = [
        set(machine.git("diff", "--name-only", "-z", base, side).split("\0"))
        for side in (ours, theirs)
    ]
    for path in sorted(changed[0] & changed[1]):
        texts = [
            machine.git("show", f"{side}:{path}", fails=True).encode()
            for side in (base, ours, theirs)
        ]
        if path.endswith(".md") and all(texts):
            tally.count(is_apart=apart(*texts), is_alone=path not in listed)


def test_no_word_is_lost_between_two_clones(
    machines: tuple[Machine, Machine], tmp_path: Path
) -> None:
    tally = Tally()
    ledger, writers, chance = begun(machines)
    listed = 0
    for number in range(ROUNDS * LENGTH):
        one_day(writers, number, chance, notes(machines[0].vault))
        if chance.random() < 0.3:
            continue  # a day without a line to the other
        for machine in chance.sample(machines, 2):
            listed += len(sync(machine, tally))
    for machine in (*machines, machines[0]):
        listed += len(sync(machine, tally))
    listed += settled_by_hand(machines[0])
    for machine in machines:
        sync(machine, tally)
    one, other = machines
    assert contents(one.vault) == contents(other.vault)
    lost, doubled = ledger.lost(one.vault), ledger.doubled(one.vault)
    refused = [dict(w.refused) for w in writers]
    print(  # noqa: T201  likewise
        f"git: {len(ledger.written)} writes {dict(ledger.kinds)}, {len(lost)} lost,"
        f" {len(doubled)} doubled; {tally}; {listed} listed; refused {refused}"
    )
    assert len(ledger.written) >= 5000
    assert lost == []
    assert doubled == []
    assert tally.apart_alone >= 0.95 * tally.apart
    agree_with_rebuilt(machines, tmp_path)
