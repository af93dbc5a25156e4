"""The first law: whatever happened to the files, syncing equals building anew."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindcache.app import App
from tests.conftest import NOW
from tests.dumps import dump

# Few names, so that operations meet: case twins, Unicode twins, nested twins,
# attachments, a conflict copy, a date.
NAMES = [
    "a.md",
    "A.md",
    "b.md",
    "sub/a.md",
    "Sub/b.md",
    "caf\u00e9.md",
    "cafe\u0301.md",
    "deep/er/2026-03-01.md",
    "a.sync-conflict-20260101-120000-ABCDEFG.md",
    "pic.png",
    "sub/pic.png",
]
TEXTS = [
    "",
    "plain words here",
    "---\ntitle: T\naliases: [Nick, AC/DC]\ntags: [client/acme, Tool/Git]\n---\nbody [[a]] [[b|x]]",
    "---\nid: m-01JEZ0000000000000000000AA\nabout: '[[caf\u00e9]]'\n---\n[[Nick]] [[sub/a]] #tool/git",
    "---\nbroken: [\n---\n[[a]]",
    "# One\n\nfirst [[AC/DC]] ![[pic.png]]\n\n## Two\n\nsecond ^block",
    "[[m-01JEZ0000000000000000000AA]] [[2026-03-01]] (about:: [[b]])",
    "<<<<<<< HEAD\nx\n=======\ny\n>>>>>>> z\n",
    (
        "---\ntype: plan\ntime_start: 2026-03-01T09:00\ntimezone: Pacific/Auckland\n"
        "recurrence: RRULE:FREQ=WEEKLY;COUNT=3\n---\n- 2026-03-08 missed: ill ^o-20260308"
    ),
    (
        "---\ntype: plan\ntime_start: 2026-03-01\ntime_end: 2026-02-01\n"
        "recurrence: [RRULE:FREQ=HOURLY, nonsense]\n---\n- 2026-03-02 missed ^o-20260302"
    ),
    "\u4e2d\u6587\u5408\u7d04\u8f49\u63db #\u65e5\u672c\u8a9e",
]

Operation = Callable[[Path], None]

name = st.sampled_from(NAMES)
text = st.sampled_from(TEXTS)


def write(path: str, body: str) -> Operation:
    def run(root: Path) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(body, encoding="utf-8")

    return run


def delete(path: str) -> Operation:
    return lambda root: (root / path).unlink(missing_ok=True)


def move(source: str, target: str) -> Operation:
    def run(root: Path) -> None:
        if (root / source).exists():
            (root / target).parent.mkdir(parents=True, exist_ok=True)
            (root / source).replace(root / target)

    return run


def copy(source: str, target: str) -> Operation:
    def run(root: Path) -> None:
        if (root / source).exists() and source != target:
            (root / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / source, root / target)

    return run


def rename_folder(source: str, target: str) -> Operation:
    def run(root: Path) -> None:
        if (root / source).is_dir() and not (root / target).exists():
            (root / source).rename(root / target)

    return run


def age(path: str) -> Operation:
    def run(root: Path) -> None:
        if (root / path).exists():
            os.utime(root / path, ns=(10**18, 10**18))

    return run


operation = st.one_of(
    st.builds(write, name, text),
    st.builds(write, name, text),
    st.builds(delete, name),
    st.builds(move, name, name),
    st.builds(copy, name, name),
    st.builds(
        rename_folder,
        st.sampled_from(["sub", "Sub", "deep"]),
        st.sampled_from(["sub", "Sub", "other", "deep"]),
    ),
    st.builds(age, name),
)
# Several operations happen between two syncs, as they do in life.
steps = st.lists(st.lists(operation, min_size=1, max_size=5), min_size=1, max_size=6)


def check(rounds: list[list[Operation]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "vault")
        (root / ".obsidian").mkdir(parents=True)
        app = App(str(root), str(Path(folder, "cache")), now=lambda: NOW)
        app.update()
        for operations in rounds:
            for run in operations:
                run(root)
            app.update()
        app.close()
        fresh = App(str(root), str(Path(folder, "fresh")), now=lambda: NOW)
        fresh.update()
        synced, built = dump(app.cache_path), dump(fresh.cache_path)
        for table, rows in built.items():
            assert synced[table] == rows, table
        assert synced["pending"] == []
        assert app.with_cache(lambda cache: cache.faults()) == []


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps)
def test_any_sequence_of_operations_equals_a_rebuild(
    rounds: list[list[Operation]],
) -> None:
    check(rounds)


@settings(max_examples=20)
@given(steps)
def test_compaction_changes_nothing_that_can_be_read(
    rounds: list[list[Operation]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "vault")
        (root / ".obsidian").mkdir(parents=True)
        app = App(str(root), str(Path(folder, "cache")), now=lambda: NOW)
        for operations in rounds:
            for run in operations:
                run(root)
            app.update()
        before = dump(app.cache_path)
        app.compact()
        assert dump(app.cache_path) == before
        write("a.md", "after the compaction [[b]]")(root)
        app.update()
        fresh = App(str(root), str(Path(folder, "fresh")), now=lambda: NOW)
        fresh.update()
        assert dump(app.cache_path) == dump(fresh.cache_path)
