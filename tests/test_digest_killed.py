"""A digest that dies at any moment: the next one completes it, and nothing shows.

Whatever steps there are, each dies before and after every entry of the ledger and
every note that it writes.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from mindcache.app import App
from mindcache.digest import digest
from mindcache.vault import Ledger, changes
from tests.conftest import NOW, write_files
from tests.test_digest import files_of
from tests.test_digest_summaries import files
from tests.themes import BOATS, BREAD, note, notes

# What the run after tells is what it did itself, and the ledger keeps every attempt.
APART = {".mindcache/ledger", "Digest report.md"}


def watched(point: Callable[[], None]) -> None:
    """Call `point` before and after everything that a digest writes, for good."""
    add, carry_out = Ledger.add, changes._carry_out

    def adding(self, entries):
        entries = list(entries)
        if entries:
            point()
        add(self, entries)
        if entries:
            point()

    def carrying(*values):
        point()
        carry_out(*values)
        point()

    Ledger.add, changes._carry_out = adding, carrying


def in_a_child(work: Callable[[], None]) -> int:
    """Do it in a process of its own; how that ended."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def kept(vault: Path) -> dict[str, bytes]:
    return {path: data for path, data in files_of(vault).items() if path not in APART}


@pytest.fixture(params=["first", "later"])
def ready(request, make_vault, make_app):
    """Make a vault with something to do for every step, and the App over it."""
    made = 0

    def make() -> tuple[Path, App]:
        nonlocal made
        made += 1
        vault = make_vault({**notes(), **files()})
        app = make_app(vault, f"cache{made}")
        if request.param == "later":
            digest(app, now=NOW - timedelta(days=1))
            more = {
                f"memory/{name} {n}.md": note(f"{text} More.", "2026-11-27")
                for name, theme in (("bread", BREAD), ("boats", BOATS))
                for n, text in enumerate(theme.values())
            }
            write_files(vault, more)
        app.update()
        return vault, app

    return make


def test_the_next_run_completes_it(ready, tmp_path) -> None:
    vault, app = ready()
    counted = tmp_path / "points"

    def count() -> None:
        points = [0]

        def point() -> None:
            points[0] += 1
            counted.write_text(str(points[0]))

        watched(point)
        digest(app, now=NOW)

    assert in_a_child(count) == 0
    expected = kept(vault)
    total = int(counted.read_text())
    assert total >= 15
    for last in range(1, total + 1):
        vault, app = ready()

        def die(app: App = app, last: int = last) -> None:
            left = [last]

            def point() -> None:
                left[0] -= 1
                if not left[0]:
                    os.kill(os.getpid(), signal.SIGKILL)

            watched(point)
            digest(app, now=NOW)

        assert in_a_child(die) == -signal.SIGKILL
        app.close()
        report = digest(app, now=NOW)
        assert report.failed == []
        assert kept(vault) == expected, f"killed at point {last} of {total}"
        assert not digest(app, now=NOW, again=True).is_change
        assert kept(vault) == expected
        app.close()
