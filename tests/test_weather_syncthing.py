"""Two Syncthing devices on loopback, a daemon on each: after a storm no word is missing."""

from __future__ import annotations

import json
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.storm import (
    LENGTH,
    NEEDS_SYNCTHING,
    ROUNDS,
    SEED,
    Machine,
    Tally,
    agree_with_rebuilt,
    apart,
    begun,
    contents,
    files,
    notes,
    one_day,
    only_adds,
    seeded,
    settled_by_hand,
    two_machines,
)
from tests.watching import until

pytestmark = NEEDS_SYNCTHING

REPLACES = 0.01
# Notes that are worked on again and again.
MINE = 20
_KEY = "of-this-test-alone"
_DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Device:
    """One Syncthing over the vault of a machine."""

    def __init__(self, machine: Machine, home: Path) -> None:
        self.machine = machine
        self.home = home
        self.gui, self.port = _free_port(), _free_port()
        self.process: subprocess.Popen[bytes] | None = None
        is_old = "v1." in self._said("--version")[:14]
        skips = (
            ("--no-default-folder", "--skip-port-probing")
            if is_old
            else ("--no-port-probing",)
        )
        self._said("generate", f"--home={home}", *skips)
        named = (f"--home={home}", "--device-id") if is_old else ("device-id", f"--home={home}")  # fmt: skip
        self.id = self._said(*named).strip()

    def _said(self, *words: str) -> str:
        done = subprocess.run(
            ["syncthing", *words], capture_output=True, text=True, check=True,
            env=self.machine.env,
        )  # fmt: skip
        return done.stdout

    def start(self, other: Device) -> None:
        (self.machine.vault / ".stfolder").mkdir(exist_ok=True)
        template = (Path(__file__).parents[1] / "vault_template/.stignore").read_text()
        (self.machine.vault / ".stignore").write_text(template)
        devices = "".join(
            f'<device id="{each.id}" name="{each.machine.name}" compression="metadata">'
            f"<address>tcp://127.0.0.1:{each.port}</address></device>"
            for each in (self, other)
        )
        options = "".join(
            f"<{key}>{value}</{key}>"
            for key, value in {
                "listenAddress": f"tcp://127.0.0.1:{self.port}",
                "globalAnnounceEnabled": "false",
                "localAnnounceEnabled": "false",
                "relaysEnabled": "false",
                "natEnabled": "false",
                "startBrowser": "false",
                "crashReportingEnabled": "false",
                "urAccepted": "-1",
                "autoUpgradeIntervalH": "0",
                "reconnectionIntervalS": "1",
            }.items()
        )
        (self.home / "config.xml").write_text(
            '<configuration version="36">'
            f'<folder id="vault" path="{self.machine.vault}" type="sendreceive"'
            ' rescanIntervalS="3600" fsWatcherEnabled="true" fsWatcherDelayS="1"'
            ' autoNormalize="true">'
            f'<device id="{self.id}"/><device id="{other.id}"/>'
            "<maxConflicts>-1</maxConflicts><caseSensitiveFS>true</caseSensitiveFS>"
            '<versioning type="simple"><param key="keep" val="5"/></versioning>'
            f"</folder>{devices}"
            f'<gui enabled="true"><address>127.0.0.1:{self.gui}</address>'
            f"<apikey>{_KEY}</apikey></gui><options>{options}</options></configuration>"
        )
        with (self.home / "log").open("ab") as log:
            self.process = subprocess.Popen(
                ["syncthing", "serve", f"--home={self.home}", "--no-browser",
                 "--no-restart", "--no-upgrade"],
                stdout=log, stderr=log, env=self.machine.env,
            )  # fmt: skip
        until(self._answers, "Syncthing answers", 60)

    def _answers(self) -> bool:
        with suppress(OSError):
            self.ask("system/ping")
            return True
        return False

    def ask(self, what: str, *, posts: bool = False) -> dict[str, object]:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.gui}/rest/{what}",
            headers={"X-API-Key": _KEY},
            method="POST" if posts else "GET",
        )
        with _DIRECT.open(request, timeout=60) as answer:
            found = answer.read()
        shape = json.loads(found) if found.strip() else {}
        return shape if isinstance(shape, dict) else {}

    def pause(self, other: Device) -> None:
        self.ask(f"system/pause?device={other.id}", posts=True)

    def resume(self, other: Device) -> None:
        self.ask(f"system/resume?device={other.id}", posts=True)

    def scan(self) -> None:
        self.ask("db/scan?folder=vault", posts=True)

    def is_connected(self, other: Device) -> bool:
        known = self.ask("system/connections")["connections"]
        return bool(known[other.id]["connected"])  # type: ignore[index]

    def is_done(self, other: Device) -> bool:
        state = self.ask("db/status?folder=vault")
        there = self.ask(f"db/completion?folder=vault&device={other.id}")
        wanted = (state["state"], state["needTotalItems"], there["needItems"])
        return wanted == ("idle", 0, 0) and not there["needDeletes"]

    def close(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(30)


def in_step(one: Device, other: Device) -> None:
    """Wait until both have what the other has."""
    until(lambda: one.is_connected(other) and other.is_connected(one), "a line", 60)
    for _ in range(30):
        one.scan()
        other.scan()
        until(lambda: one.is_done(other) and other.is_done(one), "both are done", 120)
        if contents(one.machine.vault) == contents(other.machine.vault):
            return
        time.sleep(0.3)
    names = set(files(one.machine.vault)) ^ set(files(other.machine.vault))
    raise AssertionError(f"never in step: {sorted(names)}")


@pytest.fixture
def devices(tmp_path: Path) -> Iterator[tuple[Device, Device]]:
    machines = two_machines(tmp_path)
    made: list[Device] = []
    try:
        for machine in machines:
            machine.vault.mkdir()
            made.append(Device(machine, tmp_path / machine.name / "syncthing"))
        one, other = made
        seeded(one.machine.vault)
        one.start(other)
        other.start(one)
        in_step(one, other)
        for machine in machines:
            machine.daemon.start()
        yield one, other
    finally:
        for device in made:
            device.close()
        for machine in machines:
            machine.close()


def merged(machine: Machine) -> set[str]:
    """What is merged where it is certain; the notes of which copies are still there."""
    _, out = machine.command("doctor", "conflicts", "--merge", "--json")
    shape = json.loads(out)
    assert shape["failed"] == [], out
    return {pair["original"] for pair in shape["pairs"] if pair["kind"] == "copy"}


def test_no_word_is_lost_between_two_devices(
    devices: tuple[Device, Device], tmp_path: Path
) -> None:
    added, replaced = Tally(), Tally()
    one, other = devices
    machines = [device.machine for device in devices]
    ledger, writers, chance = begun(machines, replaces=REPLACES)
    listed = 0
    for number in range(ROUNDS * LENGTH):
        one.pause(other)
        until(lambda: not other.is_connected(one), "the line is cut", 60)
        before = contents(machines[0].vault)
        one_day(writers, number, chance, notes(machines[0].vault)[:MINE])
        sides = [contents(machine.vault) for machine in machines]
        one.resume(other)
        chance.choice(writers).commands(4)  # while it all comes in
        in_step(one, other)
        left = merged(chance.choice(machines))
        in_step(one, other)
        left &= merged(chance.choice(machines))
        for path in before:
            texts = [before[path], *(side.get(path, b"") for side in sides)]
            if path.endswith(".md") and all(texts) and len(set(texts)) == 3:
                tally = (
                    added if all(only_adds(texts[0], t) for t in texts) else replaced
                )
                tally.count(is_apart=apart(*texts), is_alone=path not in left)
        in_step(one, other)
        listed += settled_by_hand(machines[0])
        in_step(one, other)
    listings = [m.command("doctor", "conflicts", "--json")[1] for m in machines]
    assert listings[0] == listings[1]
    lost = ledger.lost(machines[0].vault)
    doubled = ledger.doubled(machines[0].vault)
    refused = [dict(w.refused) for w in writers]
    print(  # noqa: T201  likewise
        f"Syncthing, seed {SEED}: {len(ledger.written)} writes {dict(ledger.kinds)}, {len(lost)}"
        f" lost, {len(doubled)} doubled; added: {added}; replaced: {replaced}; {listed} listed; refused {refused}"
    )
    assert len(ledger.written) >= 5000
    assert lost == []
    assert doubled == []
    assert added.apart_alone >= 0.95 * added.apart
    agree_with_rebuilt(machines, tmp_path)
