"""The digest that a daemon starts: when, how often, and what it says."""

from __future__ import annotations

import os
import signal
import threading
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from mindcache.app import App
from mindcache.watch.nightly import Nightly
from mindcache.watch.watcher import Rhythm, Watcher
from tests.themes import notes
from tests.watching import until

MORNING = datetime(2026, 11, 30, 2, 59)  # noqa: DTZ001  civil time


class Nights:
    """A vault with a clock of its own, and what was said over it."""

    def __init__(self, vault: Path, tmp_path: Path, at: str) -> None:
        (vault / ".mindcache").mkdir()
        config = vault / ".mindcache" / "config.toml"
        config.write_text(f'[digest]\nat = "{at}"\n')
        self.now = MORNING
        self.app = App(str(vault), str(tmp_path / "cache"), now=lambda: self.now)
        self.said: list[str] = []
        self.nightly = Nightly(self.app, self.said.append)

    def until_said(self, count: int) -> None:
        def look() -> bool:
            self.nightly.look()
            return len(self.said) == count

        until(look, f"the digest ends {self.said}", 60)


@pytest.fixture
def start(make_vault, tmp_path):
    opened: list[Nights] = []

    def begin(at: str) -> Nights:
        opened.append(Nights(make_vault(notes()), tmp_path, at))
        return opened[-1]

    yield begin
    for each in opened:
        each.nightly.close()
        each.app.close()


def test_it_starts_at_its_hour_and_once_a_day(start) -> None:
    nights = start("03:00")
    nights.nightly.look()
    assert nights.nightly._running is None
    nights.now += timedelta(minutes=1)
    nights.until_said(1)
    assert nights.said == ["digested"]
    made = sorted(Path(nights.app.vault.root, "topics").glob("*.md"))
    assert len(made) == 3
    # Neither the same day nor a clock that goes back begins it again.
    for later in (timedelta(hours=9), timedelta(days=-2)):
        nights.now += later
        nights.nightly.look()
        assert nights.nightly._running is None


def test_it_is_caught_up_after_sleep(start) -> None:
    nights = start("3:00")
    nights.now = MORNING + timedelta(days=3, hours=11)
    nights.until_said(1)
    assert nights.said == ["digested"]


@pytest.mark.parametrize(("at", "lines"), [("", 0), ("soon", 1), ("25:00", 1)])
def test_without_an_hour_it_never_starts(start, at, lines) -> None:
    nights = start(at)
    for _ in range(3):
        nights.now += timedelta(days=1)
        nights.nightly.look()
        assert nights.nightly._running is None
    assert len(nights.said) == lines
    assert not Path(nights.app.vault.root, "topics").exists()


def days_of(nights: Nights) -> list[str]:
    """The civil days of which the ledger says that a digest wrote something."""
    nights.app.ledger.__dict__.pop("entries", None)
    entries = nights.app.ledger.entries
    return [e.key for e in entries if (e.what, e.kind) == ("digest", "day")]


def test_one_that_was_killed_is_begun_again(start) -> None:
    nights = start("03:00")
    nights.nightly.close()
    nights.nightly = Nightly(nights.app, nights.said.append, pause=0.01)
    nights.now += timedelta(minutes=1)
    nights.nightly.look()
    running = nights.nightly._running
    assert running is not None
    os.kill(running.pid, signal.SIGKILL)
    nights.until_said(2)
    assert nights.said == ["the digest ended with -9; once more in 0 min", "digested"]
    assert len(list(Path(nights.app.vault.root, "topics").glob("*.md"))) == 3
    assert len(days_of(nights)) == 1


def test_what_never_ends_well_is_left_for_the_next_day(start) -> None:
    nights = start("03:00")
    nights.nightly.close()
    nights.nightly = Nightly(nights.app, nights.said.append, pause=0.0)
    config = Path(nights.app.vault.root, ".mindcache", "config.toml")
    nights.now += timedelta(minutes=1)
    nights.nightly.look()
    config.write_text("[digest\n")  # nobody can read this
    nights.until_said(3)
    assert nights.said[-1] in {f"the digest ended with {code}" for code in (1, 2, 5)}
    for _ in range(3):
        nights.nightly.look()
        assert nights.nightly._running is None


def test_another_devices_daemon_is_left_to_it(start) -> None:
    nights = start("03:00")
    config = Path(nights.app.vault.root, ".mindcache", "config.toml")
    config.write_text('[digest]\nat = "03:00"\nmachine = "desk-1a2b"\n')
    nights.app.refresh()
    nights.now += timedelta(minutes=1)
    for _ in range(3):
        nights.nightly.look()
        assert nights.nightly._running is None
    assert nights.said == [
        "the daemon on desk-1a2b lets the digest run (digest.machine)"
    ]
    config.write_text(f'[digest]\nat = "03:00"\nmachine = "{nights.app.device}"\n')
    nights.app.refresh()
    nights.until_said(2)
    assert nights.said[-1] == "digested"


def test_a_daemon_digests_once_a_day_whatever_its_clock_does(start) -> None:
    nights = start("03:00")
    lines: list[str] = []
    watcher = Watcher(
        nights.app, lines.append, lambda _state: None, Rhythm(rescan=0.3, beat=0.05)
    )
    thread = threading.Thread(target=watcher.run)
    thread.start()
    try:
        nights.now = MORNING + timedelta(minutes=2)
        until(lambda: "digested" in lines, f"the first night {lines}", 60)
        # An hour twice, a zone left and entered again, a battery that ran empty.
        for hours in (-1, 1, -30, 20, -24 * 365, 0):
            nights.now = MORNING + timedelta(minutes=5, hours=hours)
            time.sleep(0.4)
        assert lines.count("digested") == 1
        # Asleep for two nights: one of them is made up for.
        nights.now = MORNING + timedelta(days=2, hours=6)
        until(lambda: lines.count("digested") == 2, f"the next one {lines}", 60)
        time.sleep(0.5)
        assert lines.count("digested") == 2
    finally:
        watcher.stop()
        thread.join(30)
    assert len(days_of(nights)) == len(set(days_of(nights))) == 1


def test_a_clock_that_was_far_ahead_holds_it_off_for_a_day(start) -> None:
    nights = start("03:00")
    nights.now = MORNING + timedelta(days=400, minutes=1)
    nights.until_said(1)
    nights.now = MORNING + timedelta(days=1, minutes=1)
    nights.nightly.look()
    assert nights.nightly._running is None
    nights.nightly._began -= 21 * 3600
    nights.until_said(2)


def test_two_daemons_at_once_write_as_one_does(start, tmp_path) -> None:
    nights = start("03:00")
    nights.now += timedelta(minutes=1)
    other = App(nights.app.vault.root, str(tmp_path / "other"), now=lambda: nights.now)
    said: list[str] = []
    nights.nightly.close()
    nights.nightly = Nightly(nights.app, nights.said.append, pause=0.1)
    both = [nights.nightly, Nightly(other, said.append, pause=0.1)]
    for each in both:
        each.look()

    def look() -> bool:
        for each in both:
            each.look()
        # What the other one was just writing is left, and done a moment later.
        return nights.said[-1:] == said[-1:] == ["digested"]

    until(look, f"both digests end {nights.said} {said}", 60)
    other.close()
    vault = Path(nights.app.vault.root)
    assert len(list((vault / "topics").glob("*.md"))) == 3
    assert len(days_of(nights)) == 1
    settings = (vault / ".mindcache" / "config.toml").read_text()
    assert settings.count("machine = ") == 1
