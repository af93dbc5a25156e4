"""The digest that a daemon starts: when, how often, and what it says."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path

import pytest

from mindcache.app import App
from mindcache.watch.nightly import Nightly
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
