"""The watch loop and its trees, in this process, where they can be hurt."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from mindcache.app import App
from mindcache.cache import lock
from mindcache.cache.beat import Beat
from mindcache.sync import SyncReport
from mindcache.vault import Scan, Vault
from mindcache.watch.pending import QUIET
from mindcache.watch.trees import Tree, open_tree, shared_kind
from mindcache.watch.watcher import Rhythm, Watcher
from tests.conftest import NOW, MakeVault, write_files
from tests.watching import Cache, until

# watchdog's observer warns where it meets a new folder twice, and would end by it
# here, where warnings are errors.
pytestmark = pytest.mark.filterwarnings("ignore:Callback with id:RuntimeWarning")

linux = pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="no inotify")


class Running:
    """A watcher in a thread of this process, with all that it said and told."""

    def __init__(self, vault: Path, caches: Path, rhythm: Rhythm) -> None:
        self.cache = Cache(vault, caches)
        self.said: list[str] = []
        self.told: list[dict[str, object]] = []
        self._app = App(str(vault), str(caches))
        self._own = Beat(self._app.cache_folder)
        self.watcher = Watcher(self._app, self.said.append, self._tell, rhythm)
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        until(lambda: self.told and self.told[-1]["last_scan"], "it comes up")
        self.at_rest()

    def _tell(self, state: dict[str, object]) -> None:
        self._own.say(state)
        self.told.append(state)

    def _run(self) -> None:
        with self._own.held():
            self.watcher.run()

    def at_rest(self) -> None:
        until(lambda: self.told[-1]["pending"] == 0, f"it rests {self.said}")

    @property
    def tree(self) -> Tree:
        tree = self.watcher._tree
        assert tree is not None
        return tree

    def mode(self) -> object:
        return self.told[-1]["mode"]

    def heard(self, words: str) -> int:
        return sum(words in line for line in self.said)

    def close(self) -> None:
        self.watcher.stop()
        self._thread.join(20)
        self._app.close()
        self.cache.app.close()
        assert not self._thread.is_alive()


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Callable[..., Running]]:
    running: list[Running] = []

    def start(vault: Path, **rhythm: float) -> Running:
        running.append(Running(vault, tmp_path / "caches", Rhythm(**rhythm)))
        return running[-1]

    yield start
    for each in running:
        each.close()


Run = Callable[..., Running]


# -- notifications that end ---------------------------------------------------------


@linux
def test_a_dead_observer_is_armed_again(make_vault: MakeVault, run: Run) -> None:
    vault = make_vault({"n.md": "Text.\n"})
    watch = run(vault, beat=0.1, retry=0.2)
    watch.tree._inotify.stop()
    watch.tree._inotify.join(5)
    (vault / "n.md").write_text("Written unseen.\n")
    until(lambda: watch.cache.says("n.md", "Written unseen."), "the scan")
    watch.at_rest()
    (vault / "n.md").write_text("Seen again.\n")
    until(lambda: watch.cache.says("n.md", "Seen again."), "the hint")
    assert watch.heard("watching again") == 1
    assert watch.mode() == "notified"


@linux
def test_an_observer_that_dies_again_and_again_is_not_chased(
    make_vault: MakeVault, run: Run
) -> None:
    vault = make_vault({"n.md": "Text.\n"})
    watch = run(vault, beat=0.05, retry=1.0)
    end = time.monotonic() + 2.0
    while time.monotonic() < end:
        tree = watch.watcher._tree
        if tree is not None:
            tree._inotify.stop()
        time.sleep(0.05)
    assert 1 <= watch.heard("watching again") <= 4
    (vault / "n.md").write_text("Edited.\n")
    until(lambda: watch.cache.says("n.md", "Edited."), "it lives")


@linux
def test_what_nobody_told_is_found_by_the_periodic_scan(
    make_vault: MakeVault, run: Run
) -> None:
    vault = make_vault({"n.md": "Text.\n"})
    watch = run(vault, beat=0.1, rescan=1.0, poll=0.5)
    # The thread lives and reads, but nobody gets its events any more.
    watch.tree._inotify._watch_for_wd.clear()
    (vault / "n.md").write_text("Untold.\n")
    until(lambda: watch.cache.says("n.md", "Untold."), "the scan")
    until(lambda: watch.heard("nobody told"), "it says so")
    until(lambda: watch.mode() == "notified", "armed again")
    watch.at_rest()
    (vault / "n.md").write_text("Told.\n")
    until(lambda: watch.cache.says("n.md", "Told."), "the hint")
    # A second time, and its file system is not trusted any more.
    watch.at_rest()
    watch.tree._inotify._watch_for_wd.clear()
    (vault / "n.md").write_text("Untold again.\n")
    until(lambda: watch.mode() == "polling", "it polls")
    assert watch.heard("polling") == 1
    assert watch.heard("nobody told") == 1
    (vault / "n.md").write_text("Polled.\n")
    until(lambda: watch.cache.says("n.md", "Polled."), "the poll")
    assert not watch.cache.is_fresh()


@linux
def test_more_changes_than_the_system_keeps(make_vault: MakeVault, run: Run) -> None:
    vault = make_vault({"n.md": "Text.\n"})
    watch = run(vault, beat=0.1, retry=0.2)
    queued = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if queued > 40_000:
        pytest.skip("the queue is too long to be filled here")
    with watch.watcher._lock:  # the thread that reads can't go on
        for number in range(queued // 3 + 1500):
            (vault / f"{number % 100}.txt").write_text(str(number))
            (vault / f"{number % 100}.txt").unlink()
        write_files(vault, {"late/deep/x.md": "Late.\n"})
    until(lambda: watch.cache.says("late/deep/x.md", "Late."), "the late note")
    until(lambda: watch.heard("more changed"), "it says so")
    until(lambda: watch.mode() == "notified", "it is armed again")
    watch.at_rest()
    # The folder whose coming was lost is watched all the same.
    (vault / "late/deep/x.md").write_text("Later.\n")
    until(lambda: watch.cache.says("late/deep/x.md", "Later."), "the edit")


# -- rounds that fail ---------------------------------------------------------------


def test_a_round_that_fails_is_said_once_and_done_later(
    make_vault: MakeVault, run: Run
) -> None:
    vault = make_vault({"n.md": "Text.\n"})
    watch = run(vault, beat=0.1, retry=0.3)
    cache = Path(watch.cache.app.cache_path)
    for name in (cache, Path(f"{cache}-wal"), Path(f"{cache}-shm")):
        name.unlink(missing_ok=True)
    cache.mkdir()  # no file can be opened there
    (vault / "n.md").write_text("Edited.\n")
    until(lambda: watch.told[-1]["trouble"], "it is told")
    said = len(watch.said)
    time.sleep(1.5)
    assert len(watch.said) == said
    assert not watch.cache.is_fresh()
    cache.rmdir()
    until(lambda: watch.cache.says("n.md", "Edited."), "it goes on")
    watch.at_rest()
    assert watch.told[-1]["trouble"] == ""


def test_a_cache_that_another_process_had_costs_no_second_debounce(
    make_vault: MakeVault, run: Run
) -> None:
    vault = make_vault({"n.md": "Text.\n"})
    watch = run(vault, beat=0.1)
    took = []
    work = watch.watcher._app.update

    def update(**more: object) -> SyncReport:
        took.append(time.monotonic())
        return work(**more)  # type: ignore[arg-type]

    watch.watcher._app.update = update  # type: ignore[method-assign]
    with lock.hold(watch.cache.app.cache_path + ".lock", 5.0):
        (vault / "n.md").write_text("Edited.\n")
        until(lambda: watch.told[-1]["trouble"], "it waits for the cache")
        until(lambda: len(took) > 2, "it tries again")
    until(lambda: watch.cache.says("n.md", "Edited."), "it is indexed")
    # Each try waits for the lock for a second; none waits for a quiet moment before it.
    gaps = [b - a for a, b in pairwise(took)]
    assert min(gaps) < 1.0 + QUIET


def test_a_problem_is_said_once_for_as_long_as_it_is_there(
    tmp_path: Path, make_vault: MakeVault, run: Run
) -> None:
    (tmp_path / "out.md").write_text("Outside.\n")
    vault = make_vault({"n.md": "Text.\n"})
    (vault / "link.md").symlink_to(tmp_path / "out.md")
    watch = run(vault, beat=0.1, rescan=0.3)
    time.sleep(0.8)
    assert watch.heard("link.md") == 1
    (vault / "link.md").unlink()
    time.sleep(0.8)
    (vault / "link.md").symlink_to(tmp_path / "out.md")
    until(lambda: watch.heard("link.md") == 2, "it is there again")


def test_an_ignore_file_that_cannot_be_read_ends_nothing(
    make_vault: MakeVault, run: Run
) -> None:
    vault = make_vault({"n.md": "Text.\n"})
    watch = run(vault, beat=0.1, retry=0.3, rescan=0.5)
    (vault / ".mindcacheignore").mkdir()
    until(lambda: watch.told[-1]["pending"] != 0, "it can't tell what is hidden")
    (vault / ".mindcacheignore").rmdir()
    (vault / "n.md").write_text("Edited.\n")
    until(lambda: watch.cache.says("n.md", "Edited."), "it goes on")
    watch.at_rest()
    until(lambda: watch.mode() == "notified", "notified again")


# -- what is told to those who ask -----------------------------------------------------


class CountingVault(Vault):
    """A vault that counts how often it was walked."""

    walks = 0

    def scan(self, progress: Callable[[int], None] | None = None) -> Scan:
        self.walks += 1
        return super().scan(progress)


def test_a_question_walks_only_where_no_daemon_has_seen_the_disk(
    tmp_path: Path, make_vault: MakeVault, run: Run
) -> None:
    vault = make_vault({"n.md": "A zebra.\n"})

    def asked() -> int:
        app = App(str(vault), str(tmp_path / "caches"))
        counting = CountingVault(str(vault))
        app.__dict__["vault"] = counting
        try:
            assert app.reader().find_node("n.md") is not None
        finally:
            app.close()
        return counting.walks

    watch = run(vault, beat=0.2)
    if watch.mode() == "notified":
        until(watch.cache.is_fresh, "fresh")
        assert asked() == 0
    (vault / "n.md").write_text("Two zebras.\n")
    until(lambda: watch.told[-1]["pending"] == 1, "the hint")
    assert asked() > 0
    watch.at_rest()
    watch.close()
    assert asked() > 0


def test_a_hint_is_told_at_once_though_the_loop_sleeps(
    make_vault: MakeVault, run: Run
) -> None:
    vault = make_vault({"n.md": "Text.\n"})
    watch = run(vault, beat=1.5)
    watch.at_rest()
    begun = time.monotonic()
    watch.watcher.touched("n.md")
    # Not by and by: whoever asks after a save must be told that it waits.
    assert watch.told[-1]["pending"] == 1
    assert time.monotonic() - begun < 0.2
    before = len(watch.told)
    for _ in range(100):
        watch.watcher.touched("n.md")
    assert len(watch.told) - before < 5
    watch.watcher.touched(".n.md.swp")
    watch.watcher.vanished("a//b.md")
    watch.at_rest()


def test_a_hint_that_is_due_sooner_wakes_the_loop(
    make_vault: MakeVault, run: Run
) -> None:
    vault = make_vault({"n.md": "Text.\n", "m.md": "More.\n"})
    watch = run(vault, beat=3.0)
    seconds = []
    for number in range(3):
        (vault / "m.md").write_text(f"More {number}.\n")
        seconds.append(
            until(
                lambda n=number: watch.cache.says("m.md", f"More {n}."),  # type: ignore[misc]
                "the edit",
            )
        )
    assert min(seconds) < 2.0


# -- the trees -------------------------------------------------------------------------


class Recorder:
    """Hints as they come, without a loop behind them."""

    def __init__(self) -> None:
        self.seen: set[tuple[str, str]] = set()

    def touched(self, path: str) -> None:
        self.seen.add(("touched", path))

    def vanished(self, path: str) -> None:
        self.seen.add(("vanished", path))

    def everything(self) -> None:
        self.seen.add(("everything", ""))

    def hears(self, kind: str, path: str = "") -> None:
        until(lambda: (kind, path) in self.seen, f"{kind} {path} in {self.seen}")
        self.seen.clear()


@pytest.fixture(params=["linux", "other"])
def tree(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[Path, Recorder, Tree]]:
    """Each kind of tree over a small vault, and what it told."""
    if request.param == "linux" and not os.path.exists("/proc/self/stat"):
        pytest.skip("no inotify")
    root = (tmp_path / "root").resolve()
    write_files(root, {"n.md": "Text.\n", "left/out.md": "x\n", "in/m.md": "y\n"})
    told = Recorder()
    vault = Vault(str(root))
    (root / ".mindcacheignore").write_text("left/\n")
    opened = open_tree(str(root), vault.folders_left_out(), told, request.param)
    yield root, told, opened
    opened.close()


def test_every_kind_of_tree_tells(tree: tuple[Path, Recorder, Tree]) -> None:
    root, told, opened = tree
    opened.check()
    (root / "n.md").write_text("Edited.\n")
    told.hears("touched", "n.md")
    (root / "new.md").write_text("New.\n")
    told.hears("touched", "new.md")
    (root / "new.md").rename(root / "in/newer.md")
    until(lambda: ("touched", "in/newer.md") in told.seen, "the new place")
    told.hears("vanished", "new.md")
    (root / "in/newer.md").unlink()
    told.hears("vanished", "in/newer.md")
    (root / "picture.png").write_bytes(b"\x89PNG")
    told.hears("touched", "picture.png")
    write_files(root, {"a/b/c.md": "Deep.\n"})
    told.hears("everything")
    until(lambda: tells(root / "a/b/c.md", told, "a/b/c.md"), "inside the new folder")
    time.sleep(0.2)
    told.seen.clear()
    (root / "a").rename(root / "z")
    told.hears("everything")
    until(lambda: tells(root / "z/b/c.md", told, "z/b/c.md"), "inside the moved one")
    time.sleep(0.2)
    told.seen.clear()
    shutil.rmtree(root / "z")
    told.hears("everything")
    opened.check()


def tells(path: Path, told: Recorder, relative: str) -> bool:
    path.write_text(f"At {time.monotonic()}.\n")
    time.sleep(0.05)
    return ("touched", relative) in told.seen


def test_no_kind_of_tree_tells_of_what_is_left_out(
    tree: tuple[Path, Recorder, Tree],
) -> None:
    root, told, _ = tree
    write_files(root, {"left/out.md": "Edited.\n", "left/deep/er.md": "New.\n"})
    write_files(root, {".git/objects/x": "Object.\n", ".trash/t.md": "Trash.\n"})
    (root / "n.md").read_text()
    (root / "n.md").write_text("Edited.\n")
    until(lambda: ("touched", "n.md") in told.seen, "the note")
    time.sleep(0.3)
    heard = {path for kind, path in told.seen if kind != "everything"}
    assert heard == {"n.md"}
    assert not any(path.startswith("left/") for path in heard)


def test_no_kind_of_tree_tells_of_reading_and_of_written_assets(
    tree: tuple[Path, Recorder, Tree],
) -> None:
    root, told, _ = tree
    (root / "data.csv").write_text("1\n")
    until(lambda: ("touched", "data.csv") in told.seen, "it came")
    time.sleep(0.3)
    told.seen.clear()
    with (root / "data.csv").open("a") as file:
        file.write("2\n")
    (root / "n.md").read_text()
    os.listdir(root / "in")
    time.sleep(0.4)
    assert told.seen == set()


@linux
def test_left_out_folders_cost_no_watch(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "root"
    write_files(root, {f".git/o/{n}/x": "x" for n in range(50)})
    write_files(root, {f"node_modules/{n}/x.md": "x" for n in range(50)})
    write_files(root, {"a/n.md": "x\n"})
    (root / ".mindcacheignore").write_text("node_modules/\n")
    vault = Vault(str(root))
    tree = open_tree(str(root), vault.folders_left_out(), Recorder(), "linux")
    try:
        assert sorted(tree._known) == ["", "a/"]
    finally:
        tree.close()


@linux
def test_trees_leave_nothing_open(tmp_path: Path) -> None:
    root = tmp_path.resolve()
    before = len(os.listdir("/proc/self/fd"))
    threads = threading.active_count()
    for kind in ("linux", "other"):
        for _ in range(5):
            open_tree(str(root), lambda _folder: False, Recorder(), kind).close()
    assert len(os.listdir("/proc/self/fd")) <= before + 3  # watchdog shares one
    assert threading.active_count() <= threads + 1


def test_file_systems_that_others_write_are_known(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "/dev/vda / ext4 rw 0 0\n"
        "server:/home /home nfs4 rw 0 0\n"
        "/dev/vdb /home/local ext4 rw 0 0\n"
        "me@host:/x /mnt/with\\040space fuse.sshfs rw 0 0\n"
    )
    table = str(mounts)
    assert shared_kind("/home/anna/vault", table) == "nfs4"
    assert shared_kind("/home", table) == "nfs4"
    assert shared_kind("/home/local/vault", table) == ""
    assert shared_kind("/homely/vault", table) == ""
    assert shared_kind("/mnt/with space/vault", table) == "fuse.sshfs"
    assert shared_kind("/vault", table) == ""
    assert shared_kind("/vault", str(tmp_path / "none")) == ""


def test_what_was_used_comes_into_a_vault_of_ours(
    make_vault: MakeVault, run: Run
) -> None:
    ours = make_vault({"Note.md": "One.\n", ".mindcache/config.toml": "# none\n"})
    other = make_vault({"Note.md": "One.\n"})
    for vault in (ours, other):
        app = App(str(vault))
        app.access.note(["Note.md"], NOW, "show")
        run(vault)
        if vault == ours:
            until(lambda app=app: not app.access.has_spooled(), "it is flushed")
        assert app.access.has_spooled() is (vault == other)
        assert app.access.uses().of("Note.md") == {NOW.date(): 1}
    assert not (other / ".mindcache").exists()
