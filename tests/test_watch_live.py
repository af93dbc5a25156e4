"""The daemon as it runs: a real process, a real file system, real programs."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import statistics
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.conftest import MakeVault, write_files
from tests.watching import Daemon, until

# In order: how long each single save took to be found.
_FOUND: list[float] = []

Watch = Callable[..., Daemon]


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Watch]:
    """Start a daemon over a vault and wait until it is idle."""
    started: list[Daemon] = []

    def start(vault: Path, **more: object) -> Daemon:
        daemon = Daemon(vault, tmp_path / "caches", **more)  # type: ignore[arg-type]
        started.append(daemon)
        return daemon.start()

    yield start
    for daemon in started:
        daemon.close()


@pytest.fixture(scope="module", autouse=True)
def _found_in() -> Iterator[None]:
    """Print how long single saves took (to be seen with -s)."""
    yield
    if len(_FOUND) > 1:
        p95 = statistics.quantiles(_FOUND, n=20, method="inclusive")[-1]
        p50 = statistics.median(_FOUND)
        tell(f"saved to found: p50 {p50:.3f} s, p95 {p95:.3f} s, n {len(_FOUND)}")


def tell(numbers: str) -> None:
    """Print what was measured; numbers are looked at, not asserted."""
    print(f"\n{numbers}")  # noqa: T201  to be seen with -s


def found(daemon: Daemon, path: str, summary: str) -> None:
    """Wait until the note says this, and remember how long it took."""
    seconds = until(lambda: daemon.cache.says(path, summary), f"{path}: {summary}")
    _FOUND.append(seconds)


def gone(daemon: Daemon, *paths: str) -> None:
    until(lambda: not set(paths) & set(daemon.cache.paths()), f"{paths} are gone")


def there(daemon: Daemon, *paths: str) -> None:
    until(lambda: set(paths) <= set(daemon.cache.paths()), f"{paths} are there")


def at_rest(daemon: Daemon) -> None:
    until(daemon.cache.is_fresh, f"the daemon rests\n{daemon.log()}")


# -- one note -------------------------------------------------------------------


def test_saves_of_every_kind_are_found(make_vault: MakeVault, watch: Watch) -> None:
    vault = make_vault({"n.md": "---\nid: m-1\n---\nFirst.\n", "other.md": "Other.\n"})
    daemon = watch(vault)
    note = vault / "n.md"

    def text(word: str) -> str:
        return f"---\nid: m-1\n---\n{word}.\n"

    for number in range(5):
        note.write_text(text(f"In place {number}"))
        found(daemon, "n.md", f"In place {number}.")
    for number, temporary in enumerate((".n.md.tmp", "n.md~", "n.md.new", "4913")):
        (vault / temporary).write_text(text(f"Renamed {number}"))
        (vault / temporary).replace(note)
        found(daemon, "n.md", f"Renamed {number}.")
    at_rest(daemon)
    # Each was one update of the same memory, never a note gone and another come.
    said = daemon.log()
    assert said.count("1 changed") == 9
    assert "added" not in said.replace("2 added", "", 1)
    assert "removed" not in said
    node = daemon.cache.note("n.md")
    assert node is not None
    assert node.id == "m-1"


@pytest.mark.skipif(not shutil.which("vim"), reason="vim is not here")
@pytest.mark.parametrize("backupcopy", ["no", "yes"])
def test_a_note_saved_by_vim_is_one_update(
    backupcopy: str, make_vault: MakeVault, watch: Watch
) -> None:
    vault = make_vault({"n.md": "---\nid: m-1\n---\nFirst.\n"})
    daemon = watch(vault)
    subprocess.run(
        [
            *("vim", "-u", "NONE", "-N", "-es"),
            *("-c", f"set backup backupcopy={backupcopy}"),
            *("-c", "%s/First/Second/", "-c", "wq", "n.md"),
        ],
        cwd=vault,
        check=True,
        timeout=20,
    )
    found(daemon, "n.md", "Second.")
    at_rest(daemon)
    assert daemon.log().count("1 changed") == 1
    assert daemon.cache.paths() == ["n.md"]


def test_a_note_that_is_appended_slowly_is_whole_at_the_end(
    make_vault: MakeVault, watch: Watch
) -> None:
    vault = make_vault({"n.md": "Start.\n"})
    daemon = watch(vault)
    with (vault / "n.md").open("a") as file:
        for number in range(10):
            file.write(f"\nzebra{number} line.\n")
            file.flush()
            time.sleep(0.2)
    until(lambda: "zebra9" in whole_text(daemon, "n.md"), "the last line")
    at_rest(daemon)
    # Never quiet for long enough in between: it was read once, or once more.
    assert daemon.log().count("1 changed") <= 2


def whole_text(daemon: Daemon, path: str) -> str:
    from mindcache.cache.read import Reader

    daemon.cache.app.refresh()
    reader = Reader.open(daemon.cache.app.cache_path, daemon.cache.app.fingerprint)
    assert reader is not None
    try:
        node = reader.find_node(path)
        chunks = reader.chunks_of(node.file_id) if node is not None else []
        return "\n".join(chunk.text for chunk in chunks)
    finally:
        reader.close()


def test_swap_files_and_assets_keep_nobody_busy(
    make_vault: MakeVault, watch: Watch
) -> None:
    vault = make_vault({"n.md": "Text.\n", "data.csv": "1\n"})
    daemon = watch(vault)
    at_rest(daemon)
    said, cpu = daemon.log(), daemon.cpu_seconds()
    for number in range(60):
        (vault / ".n.md.swp").write_text(str(number))
        (vault / "n.md~").write_text(str(number))
        (vault / ".obsidian" / "workspace.json").write_text(str(number))
        with (vault / "data.csv").open("a") as file:
            file.write(f"{number}\n")
        assert daemon.cache.is_fresh()
        time.sleep(0.02)
    assert daemon.cache.paths() == ["n.md"]
    assert daemon.log() == said
    assert daemon.cpu_seconds() - cpu < 0.5


def test_names_of_sync_programs_come_and_go(
    make_vault: MakeVault, watch: Watch
) -> None:
    vault = make_vault({"n.md": "Old.\n", "away.md": "Away.\n"})
    daemon = watch(vault)
    # As Syncthing edits: written beside, the old deleted, the new moved in.
    (vault / ".syncthing.n.md.tmp").write_text("New.\n")
    (vault / "n.md").unlink()
    time.sleep(0.003)
    (vault / ".syncthing.n.md.tmp").rename(vault / "n.md")
    found(daemon, "n.md", "New.")
    # As it renames: to a passing name, and on to the new one.
    (vault / "n.md").rename(vault / ".syncthing.r.md.tmp")
    (vault / ".syncthing.r.md.tmp").rename(vault / "r.md")
    there(daemon, "r.md")
    gone(daemon, "n.md")
    # To an ignored name and nowhere else: gone.
    (vault / "away.md").rename(vault / ".syncthing.away.md.tmp")
    gone(daemon, "away.md")
    (vault / ".syncthing.away.md.tmp").rename(vault / "away.md")
    found(daemon, "away.md", "Away.")
    at_rest(daemon)
    # The old times that it keeps don't hide a change.
    os.utime(vault / "r.md", (1, 1))
    (vault / ".syncthing.r.md.tmp").write_text("Older by its time.\n")
    os.utime(vault / ".syncthing.r.md.tmp", (0, 0))
    (vault / ".syncthing.r.md.tmp").replace(vault / "r.md")
    found(daemon, "r.md", "Older by its time.")


def test_a_link_leads_somewhere_once_its_note_is_there(
    make_vault: MakeVault, watch: Watch
) -> None:
    vault = make_vault({"a.md": "See [[Later]] and [[Nick]].\n"})
    daemon = watch(vault)
    assert daemon.cache.resolved("a.md") == ["", ""]
    (vault / "Later.md").write_text("Here now.\n")
    until(lambda: "Later.md" in daemon.cache.resolved("a.md"), "the link")
    (vault / "Nicholas.md").write_text("---\naliases: [Nick]\n---\nHim.\n")
    until(lambda: "Nicholas.md" in daemon.cache.resolved("a.md"), "the alias")
    (vault / "Later.md").unlink()
    until(lambda: "Later.md" not in daemon.cache.resolved("a.md"), "no link")


# -- folders --------------------------------------------------------------------


def test_folders_that_come_move_and_go(
    tmp_path: Path, make_vault: MakeVault, watch: Watch
) -> None:
    vault = make_vault({"n.md": "Text.\n", "old/x.md": "Inside.\n"})
    outside = tmp_path / "outside"
    write_files(outside, {"one.md": "One.\n", "deep/two.md": "Two.\n"})
    daemon = watch(vault)
    # Made after the start, all levels at once.
    write_files(vault, {"memory/a/b/c/x.md": "Deep.\n"})
    found(daemon, "memory/a/b/c/x.md", "Deep.")
    write_files(vault, {"memory/a/b/c/x.md": "Deep again.\n"})
    found(daemon, "memory/a/b/c/x.md", "Deep again.")
    # Moved in, edited inside, moved out.
    outside.rename(vault / "notes")
    there(daemon, "notes/one.md", "notes/deep/two.md")
    (vault / "notes/deep/two.md").write_text("Two edited.\n")
    found(daemon, "notes/deep/two.md", "Two edited.")
    (vault / "notes").rename(outside)
    gone(daemon, "notes/one.md", "notes/deep/two.md")
    # Moved into a folder made a moment before: seen at both places by then.
    (vault / "archive").mkdir()
    (vault / "old").rename(vault / "archive/old")
    there(daemon, "archive/old/x.md")
    gone(daemon, "old/x.md")
    (vault / "archive/old/x.md").write_text("Moved and edited.\n")
    found(daemon, "archive/old/x.md", "Moved and edited.")
    # A folder of the same name in the old place is another one.
    write_files(vault, {"old/y.md": "Another.\n"})
    found(daemon, "old/y.md", "Another.")
    (vault / "old/y.md").write_text("Another edited.\n")
    found(daemon, "old/y.md", "Another edited.")
    # To a hidden name and back.
    (vault / "old").rename(vault / ".trash")
    gone(daemon, "old/y.md")
    (vault / ".trash").rename(vault / "old")
    there(daemon, "old/y.md")
    (vault / "old/y.md").write_text("Back.\n")
    found(daemon, "old/y.md", "Back.")
    # Deleted and made again with the same name.
    shutil.rmtree(vault / "old")
    gone(daemon, "old/y.md")
    write_files(vault, {"old/y.md": "Anew.\n"})
    found(daemon, "old/y.md", "Anew.")
    (vault / "old/y.md").write_text("Anew and edited.\n")
    found(daemon, "old/y.md", "Anew and edited.")


@pytest.mark.skipif(not shutil.which("git"), reason="git is not here")
def test_another_branch_is_checked_out(
    make_vault: MakeVault, watch: Watch, tmp_path: Path
) -> None:
    vault = make_vault({f"d{n % 5}/n{n}.md": f"Main {n}.\n" for n in range(40)})

    def git(*words: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *words],
            cwd=vault,
            check=True,
            capture_output=True,
            env={**os.environ, "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"},
        )

    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "main")
    git("checkout", "-qb", "side")
    for number in range(0, 40, 2):
        (vault / f"d{number % 5}/n{number}.md").write_text(f"Side {number}.\n")
    shutil.rmtree(vault / "d1")
    write_files(vault, {"new/made.md": "Made on the side.\n"})
    git("add", "-A")
    git("commit", "-qm", "side")
    git("checkout", "-q", "main")
    daemon = watch(vault)
    main = daemon.cache.paths()
    assert len(main) == 40
    git("checkout", "-q", "side")
    there(daemon, "new/made.md")
    gone(daemon, "d1/n1.md", "d1/n36.md")
    until(lambda: daemon.cache.says("d2/n2.md", "Side 2."), "the edit")
    git("checkout", "-q", "main")
    until(lambda: daemon.cache.paths() == main, "all of main")
    assert daemon.cache.says("d2/n2.md", "Main 2.")


def test_five_hundred_files_are_copied_at_once(
    tmp_path: Path, make_vault: MakeVault, watch: Watch
) -> None:
    vault = make_vault({"n.md": "Text.\n"})
    daemon = watch(vault)
    copy_many(tmp_path, vault, daemon, 1)


def copy_many(tmp_path: Path, vault: Path, daemon: Daemon, runs: int) -> None:
    source = tmp_path / "many"
    write_files(source, {f"s{n % 9}/m{n}.md": f"Many {n}.\n" for n in range(500)})
    before = len(daemon.cache.paths())
    for run in range(runs):
        shutil.copytree(source, vault / f"run{run}")
        expected = before + 500 * (run + 1)
        until(
            lambda n=expected: len(daemon.cache.paths()) == n,  # type: ignore[misc]
            f"run {run}",
        )


@pytest.mark.slow
def test_five_hundred_files_twenty_times_and_thousands_deleted(
    tmp_path: Path, make_vault: MakeVault, watch: Watch
) -> None:
    vault = make_vault({"n.md": "Text.\n"})
    daemon = watch(vault)
    copy_many(tmp_path, vault, daemon, 20)
    for run in range(6):
        shutil.rmtree(vault / f"run{run}")
    until(lambda: len(daemon.cache.paths()) == 7001, "3,000 gone", 60)
    at_rest(daemon)


# -- the daemon itself is hurt ----------------------------------------------------


def test_what_happens_while_it_is_down_is_found(
    make_vault: MakeVault, watch: Watch
) -> None:
    vault = make_vault({f"n{n}.md": f"Note {n}.\n" for n in range(30)})
    daemon = watch(vault)
    daemon.stop()
    write_files(vault, {f"dropped/d{n}.md": f"Dropped {n}.\n" for n in range(10)})
    (vault / "n0.md").unlink()
    (vault / "n1.md").write_text("Edited meanwhile.\n")
    daemon.start()
    assert sum(p.startswith("dropped/") for p in daemon.cache.paths()) == 10
    assert daemon.cache.note("n0.md") is None
    assert daemon.cache.says("n1.md", "Edited meanwhile.")


def test_killed_in_the_middle_it_misses_nothing(
    make_vault: MakeVault, watch: Watch
) -> None:
    vault = make_vault({"n.md": "Text.\n"})
    daemon = watch(vault)
    for round_, delay in enumerate((0.35, 0.5)):
        files = {f"r{round_}/m{n}.md": f"Many {n}.\n" for n in range(400)}
        write_files(vault, files)
        (vault / "n.md").write_text(f"Round {round_}.\n")
        time.sleep(delay)
        daemon.kill()
        daemon.start()
        assert len(daemon.cache.paths()) == 400 * (round_ + 1) + 1
        assert daemon.cache.says("n.md", f"Round {round_}.")
    (vault / "n.md").write_text("After all.\n")
    found(daemon, "n.md", "After all.")


def test_the_root_is_moved_away_and_back(make_vault: MakeVault, watch: Watch) -> None:
    vault = make_vault({f"f/n{n}.md": f"Note {n}.\n" for n in range(20)})
    daemon = watch(vault)
    elsewhere = vault.with_name("elsewhere")
    vault.rename(elsewhere)
    until(lambda: "waiting for it" in daemon.log(), "it notices")
    assert not daemon.cache.is_fresh()
    (elsewhere / "f/n0.md").write_text("Edited elsewhere.\n")
    time.sleep(0.6)
    elsewhere.rename(vault)
    found(daemon, "f/n0.md", "Edited elsewhere.")
    (vault / "f/n1.md").write_text("Edited back.\n")
    found(daemon, "f/n1.md", "Edited back.")
    assert len(daemon.cache.paths()) == 20
    assert daemon.log().count("waiting for it") == 1
    # Another folder in its place, empty: nothing is taken for deleted.
    vault.rename(elsewhere)
    vault.mkdir()
    until(lambda: "nothing was removed" in daemon.log(), "it refuses")
    vault.rmdir()
    elsewhere.rename(vault)
    at_rest(daemon)
    assert len(daemon.cache.paths()) == 20
    # Deleted for good: it waits, and can be ended.
    shutil.rmtree(vault)
    until(lambda: daemon.log().count("waiting for it") >= 2, "it waits")
    assert daemon.stop() == 0


def test_the_cache_is_deleted_under_it(make_vault: MakeVault, watch: Watch) -> None:
    vault = make_vault({f"n{n}.md": f"Note {n}.\n" for n in range(20)})
    daemon = watch(vault)
    os.unlink(daemon.cache.app.cache_path)
    until(lambda: len(daemon.cache.paths()) == 20, "the cache is back")
    # The daemon may write into the folder, or unlink in it, while it is being removed.
    shutil.rmtree(daemon.cache.folder, ignore_errors=True)
    until(lambda: len(daemon.cache.paths()) == 20, "all of it is back")
    at_rest(daemon)
    # It still is the one daemon: its lock came back with the folder.
    with pytest.raises(subprocess.CalledProcessError) as refused:
        daemon.command("watch")
    assert refused.value.returncode == 5
    (vault / "n1.md").write_text("Edited.\n")
    found(daemon, "n1.md", "Edited.")


def test_a_cache_that_is_damaged_is_built_anew(
    make_vault: MakeVault, watch: Watch
) -> None:
    vault = make_vault({f"n{n}.md": f"Note {n}.\n" for n in range(200)})
    daemon = watch(vault)
    with open(daemon.cache.app.cache_path, "r+b") as file:
        file.seek(4096)
        size = os.fstat(file.fileno()).st_size
        file.write(os.urandom(size - 4096))
    for name in ("-wal", "-shm"):
        Path(daemon.cache.app.cache_path + name).unlink(missing_ok=True)
    (vault / "n1.md").write_text("Edited.\n")
    until(lambda: daemon.is_idle() and len(daemon.cache.paths()) == 200, "it is whole")
    assert daemon.cache.says("n1.md", "Edited.")


def test_nothing_can_be_written_for_a_moment(
    make_vault: MakeVault, watch: Watch
) -> None:
    vault = make_vault({"n.md": "Text.\n"})
    daemon = watch(vault)
    # Every write of the process fails, as on a full disk.
    limit = resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (0, limit[1]))
    (vault / "n.md").write_text("Written to a full disk.\n")
    (vault / "m.md").write_text("Another.\n")
    until(lambda: not daemon.cache.is_fresh(), "it is not trusted")
    time.sleep(1.5)
    assert daemon.alive()
    assert not daemon.cache.is_fresh()
    resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, limit)
    found_late = until(lambda: daemon.cache.says("m.md", "Another."), "it goes on")
    assert found_late < 15
    assert daemon.cache.says("n.md", "Written to a full disk.")
    at_rest(daemon)


def test_another_process_has_the_cache_for_a_while(
    make_vault: MakeVault, watch: Watch
) -> None:
    from mindcache.cache import lock

    vault = make_vault({"n.md": "Text.\n"})
    daemon = watch(vault)
    with lock.hold(daemon.cache.app.cache_path + ".lock", 5):
        (vault / "n.md").write_text("Edited.\n")
        until(lambda: not daemon.cache.is_fresh(), "not fresh")
        time.sleep(2.5)
        assert daemon.cache.says("n.md", "Text.")
    found(daemon, "n.md", "Edited.")
    at_rest(daemon)
    assert daemon.log().count("another process") == 1


# -- settings ---------------------------------------------------------------------


def test_settings_that_change_meanwhile(
    make_vault: MakeVault, watch: Watch, tmp_path: Path
) -> None:
    files = {f"n{n}.md": f"Note {n}.\n" for n in range(50)}
    vault = make_vault({**files, "drafts/d.md": "Draft.\n"})
    daemon = watch(vault)
    assert len(daemon.cache.paths()) == 51
    (vault / ".mindcacheignore").write_text("drafts/\n")
    until(lambda: len(daemon.cache.paths()) == 50, "drafts are left out")
    at_rest(daemon)
    (vault / "drafts/d.md").write_text("Draft edited.\n")
    (vault / ".mindcacheignore").write_text("n1.md\n")
    until(lambda: "n1.md" not in daemon.cache.paths(), "n1 is left out")
    there(daemon, "drafts/d.md")
    at_rest(daemon)
    # The folder is watched again, now that it counts.
    (vault / "drafts/d.md").write_text("Draft again.\n")
    found(daemon, "drafts/d.md", "Draft again.")
    at_rest(daemon)
    # A setting that changes answers: built anew once, and then left in peace.
    before = daemon.log()
    write_files(vault, {".mindcache/config.toml": 'timezone = "Asia/Tokyo"\n'})
    until(lambda: daemon.cache.is_fresh() and len(daemon.cache.paths()) == 50, "anew")
    until(lambda: "50 added" in daemon.log()[len(before) :], "it says so")
    time.sleep(1.0)
    assert daemon.log()[len(before) :].count("added") == 1
    # A broken one: said once, and mended.
    write_files(vault, {".mindcache/config.toml": "timezone = \n"})
    until(lambda: "config.toml" in daemon.log(), "it complains")
    (vault / ".mindcache/config.toml").unlink()
    at_rest(daemon)
    assert len(daemon.cache.paths()) == 50


# -- limits of the system ------------------------------------------------------------


def limited(limit: str, number: int) -> list[str]:
    """Words that run a command where the system's own limit is that low.

    In a user namespace, whose limits are its own: nobody else is hit.
    """
    script = f'echo {number} > /proc/sys/user/{limit} && exec "$@"'
    return ["unshare", "--user", "--map-root-user", "sh", "-c", script, "sh"]


def can_limit() -> bool:
    try:
        words = [*limited("max_inotify_watches", 3), "true"]
        subprocess.run(words, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


@pytest.mark.parametrize(
    ("limit", "number", "sysctl"),
    [
        ("max_inotify_instances", 0, "max_user_instances"),
        ("max_inotify_watches", 3, "max_user_watches"),
    ],
)
def test_without_watches_it_polls_and_says_so_once(
    limit: str, number: int, sysctl: str, make_vault: MakeVault, watch: Watch
) -> None:
    if not can_limit():
        pytest.skip("limits can't be lowered in a user namespace here")
    vault = make_vault({f"f{n % 40}/n{n}.md": f"Note {n}.\n" for n in range(400)})
    daemon = watch(vault, before=limited(limit, number))
    until(lambda: sysctl in daemon.log(), "the warning")
    assert len(daemon.cache.paths()) == 400
    write_files(vault, {"f3/n3.md": "Edited.\n", "g/h/new.md": "New.\n"})
    until(lambda: daemon.cache.says("g/h/new.md", "New."), "the new note")
    assert daemon.cache.says("f3/n3.md", "Edited.")
    (vault / "f1/n1.md").unlink()
    gone(daemon, "f1/n1.md")
    assert daemon.log().count("polling") == 1
    assert daemon.log().count("sysctl") == 1
    # What is not told can't be known: a question looks for itself.
    until(daemon.is_idle, "idle")
    assert not daemon.cache.is_fresh()
    assert "polling" in daemon.command("status")


def test_without_descriptors_it_polls(make_vault: MakeVault, watch: Watch) -> None:
    """The process itself may have none left: the same error, the same answer."""
    vault = make_vault({"n.md": "Text.\n"})
    daemon = watch(vault)
    limit = resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE)
    # As many as are open, so the watch that the settings call for can't be had.
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, (3, limit[1]))
    (vault / ".mindcacheignore").write_text("x/\n")
    until(lambda: not daemon.cache.is_fresh(), "it can't open anything")
    time.sleep(1.0)
    assert daemon.alive()
    resource.prlimit(daemon.pid, resource.RLIMIT_NOFILE, limit)
    (vault / "n.md").write_text("Edited.\n")
    until(lambda: daemon.cache.says("n.md", "Edited."), "it goes on", 30)


# -- for months --------------------------------------------------------------------


@pytest.mark.slow
def test_memory_descriptors_and_threads_stay_level(
    make_vault: MakeVault, watch: Watch
) -> None:
    """A change every half second; MINDCACHE_SOAK_MINUTES says how long."""
    minutes = float(os.environ.get("MINDCACHE_SOAK_MINUTES", "2"))
    files = {f"f{n % 10}/n{n}.md": f"Note {n}, see [[n{n + 1}]].\n" for n in range(500)}
    vault = make_vault(files)
    daemon = watch(vault)
    end = time.monotonic() + minutes * 60
    warm_up = time.monotonic() + min(60.0, minutes * 20)
    first: tuple[int, int, int] | None = None
    step, cpu = 0, 0.0
    while time.monotonic() < end:
        step += 1
        change(vault, step)
        time.sleep(0.45)
        if first is None and time.monotonic() > warm_up:
            at_rest(daemon)
            first = measured(daemon)
            cpu = daemon.cpu_seconds()
    at_rest(daemon)
    last = measured(daemon)
    assert first is not None
    tell(
        f"{step} changes; RSS KB, descriptors, threads: {first} -> {last};"
        f" CPU after the warm-up: {daemon.cpu_seconds() - cpu:.1f} s"
    )
    assert last[0] <= first[0] * 1.05
    assert last[1:] == first[1:]
    on_disk = sorted(
        str(path.relative_to(vault)) for path in vault.rglob("*.md") if path.is_file()
    )
    assert daemon.cache.paths() == on_disk


def change(vault: Path, step: int) -> None:
    """One of the things that people do, in turn."""
    note = vault / f"f{step % 10}/n{step % 10}.md"
    kind = step % 6
    if kind in {0, 1, 2}:
        note.write_text(f"Step {step} in place, see [[n{step % 500}]].\n")
    elif kind == 3:
        temporary = note.with_name(".n.tmp")
        temporary.write_text(f"Step {step} renamed.\n")
        temporary.replace(note)
    elif kind == 4:
        write_files(vault, {f"come{step % 7}/c.md": f"Come {step}.\n"})
    else:
        shutil.rmtree(vault / f"come{(step - 1) % 7}", ignore_errors=True)


def measured(daemon: Daemon) -> tuple[int, int, int]:
    return daemon.rss_kb(), daemon.descriptors(), daemon.threads()


def test_sigterm_in_the_middle_of_a_first_index_ends_it_soon(
    make_vault: MakeVault, tmp_path: Path
) -> None:
    text = "word " * 150
    vault = make_vault({f"n{n}.md": f"Note {n}. {text}\n" for n in range(2500)})
    daemon = Daemon(vault, tmp_path / "caches")
    daemon.launch()
    try:
        until(lambda: Path(daemon.cache.app.cache_path).exists(), "it began")
        time.sleep(0.5)
        assert daemon.process is not None
        daemon.process.send_signal(signal.SIGTERM)
        began = time.monotonic()
        assert daemon.process.wait(20) == 0
        assert time.monotonic() - began < 5
        daemon.start()
        assert len(daemon.cache.paths()) == 2500
    finally:
        daemon.close()
