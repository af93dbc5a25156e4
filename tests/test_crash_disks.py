"""Disks that are full, vaults that can't be written, caches and models that are broken.

Each time a clear message and no lost word; and once it is mended, the next run is as if
nothing had been. The calls of one command after the other are `test_crash_matrix`'s.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from mindcache import model
from mindcache.cache import lock
from mindcache.cli.failures import guarded
from tests.conftest import MakeVault
from tests.dumps import dump
from tests.faults import in_a_child

ROOT = Path(__file__).parents[1]
NOTES = {
    f"n{n}.md": f"---\nid: m-01KA0000000000000000000C{n:02}\ntype: fact\nsummary: Note {n}\n"
    "tags:\n  - scope/project\nstatus: active\ncreated_at: 2026-03-01\n---\n"
    f"The crane word{n}zq, see [[n{(n + 1) % 30}]].\n"
    for n in range(30)
}
# Commands that write, each with what it is to be called with.
WRITES = [
    ("remember", "The office closes at three.", "--scope", "project"),
    ("journal", "append", "At the pier"),
    ("update", "n1.md", "--append", "More."),
    ("rename", "n2.md", "Renamed"),
    ("entity", "merge", "n3.md", "n4.md"),
    ("forget", "n5.md"),
    ("archive", "n6.md"),
    ("digest", "--weekly"),
]


def rarely(value: object) -> object:
    return pytest.param(value, marks=pytest.mark.slow)


# Those that write in one step and in many; the others only when all is run.
SOME = [c if c[0] in ("remember", "entity") else rarely(c) for c in WRITES]
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


def words(*args: str, vault: Path, cache: Path) -> list[str]:
    return [sys.executable, "-m", "mindcache", *args, *_places(vault, cache)]


def run(*args: str, vault: Path, cache: Path, **env: str) -> tuple[int, str]:
    """A command in a process of its own: its exit code and what it said."""
    said = cache.parent / "said.txt"

    def work() -> int:
        os.environ.update(env)
        return guarded([*args, *_places(vault, cache)])

    code = in_a_child(work, said)
    assert "Traceback" not in said.read_text(), said.read_text()
    return code, said.read_text()


def run_unprivileged(*args: str, vault: Path, cache: Path) -> tuple[int, str]:
    """The same as one who has to respect permission bits, even where we are root."""
    done = subprocess.run(
        words(*args, vault=vault, cache=cache),
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=as_nobody_special,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    said = done.stdout + done.stderr
    assert "Traceback" not in said, said
    return done.returncode, said


def _places(vault: Path, cache: Path) -> list[str]:
    return ["--vault", str(vault), "--cache-dir", str(cache)]


def contents(vault: Path) -> dict[str, bytes]:
    return {
        p.relative_to(vault).as_posix(): p.read_bytes()
        for p in vault.rglob("*")
        if p.is_file() and not p.is_symlink()
    }


def is_sound(vault: Path, cache: Path, tmp_path: Path) -> None:
    """The doctor has no complaint, and the cache is what a new one is."""
    assert run("doctor", vault=vault, cache=cache)[0] == 0
    assert run("index", "update", vault=vault, cache=tmp_path / "fresh")[0] == 0
    assert dump(cache_file(cache)) == dump(cache_file(tmp_path / "fresh"))


def cache_file(cache: Path) -> Path:
    (found,) = cache.rglob("cache.sqlite")
    return found


def as_nobody_special() -> None:
    """Make even root respect permission bits in the program that follows."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


# -- full disks -----------------------------------------------------------------------

FULL = """
set -e
mount -t tmpfs -o size=$1k none "$2"
if [ -d "$3" ]; then cp -a "$3/." "$2/"; fi
head -c 100000000 /dev/zero > "$2/filler" 2>/dev/null || true
if [ "$4" != 0 ]; then truncate -s -"$4" "$2/filler"; fi
shift 4
code=0
"$@" || code=$?
printf '\\ncode %s\\n' "$code"
rm -f "$FILLED/filler"
code=0
"$@" > /dev/null 2>&1 || code=$?
printf 'then %s\\n' "$code"
rm -rf "$KEPT"
cp -a "$FILLED" "$KEPT"
"""


def can_mount() -> bool:
    unshare = shutil.which("unshare")
    if unshare is None:
        return False
    words_ = [unshare, "-Urm", "mount", "-t", "tmpfs", "none", "/mnt"]
    return subprocess.run(words_, check=False, capture_output=True).returncode == 0


def on_full_disk(
    tmp_path: Path, what: Path, free: int, command: list[str]
) -> tuple[int, int, str, Path]:
    """Put a folder on a disk with so many bytes free, and run a command twice there.

    The second time there is room. (Both exit codes, what the first said, what was left.)
    """
    disk, kept = what, tmp_path / "kept"
    source = tmp_path / "source-of-disk"
    if what.exists():
        shutil.copytree(what, source, symlinks=True)
    disk.mkdir(exist_ok=True)
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "FILLED": str(disk),
        "KEPT": str(kept),
    }
    done = subprocess.run(
        ["unshare", "-Urm", "sh", "-c", FULL, "sh", "8000", str(disk), str(source),
         str(free), *command],
        check=False, capture_output=True, text=True, timeout=120, env=env,
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert "Traceback" not in said, said
    assert "\ncode " in said, said
    first = int(said.partition("\ncode ")[2].split()[0])
    then = int(said.partition("\nthen ")[2].split()[0])
    return first, then, said, kept


@linux
@pytest.mark.skipif(
    not can_mount(), reason="no mounts in a namespace of one's own here"
)
@pytest.mark.parametrize("free", [4096, *map(rarely, (0, 40_960))])
@pytest.mark.parametrize("command", SOME, ids=lambda c: c[0])
def test_a_full_vault_loses_nothing(
    make_vault: MakeVault, tmp_path: Path, command, free
) -> None:
    vault, cache = make_vault(NOTES), tmp_path / "cache"
    assert run("index", "update", vault=vault, cache=cache)[0] == 0
    first, then, said, kept = on_full_disk(
        tmp_path, vault, free, words(*command, vault=vault, cache=cache)
    )
    assert first in (0, 1, 4), said
    assert first == 0 or "No space left" in said or "full" in said, said
    assert then in (0, 3, 4), said
    text = b"".join(contents(kept).values())
    assert [n for n in range(30) if f"word{n}zq".encode() not in text] == []
    shutil.rmtree(vault)
    kept.rename(vault)
    is_sound(vault, cache, tmp_path)


@linux
@pytest.mark.skipif(
    not can_mount(), reason="no mounts in a namespace of one's own here"
)
@pytest.mark.parametrize("free", [0, 40_960, 400_000])
def test_a_full_disk_of_the_cache_is_told_and_mends_itself(
    make_vault: MakeVault, tmp_path: Path, free
) -> None:
    vault, cache = make_vault(NOTES), tmp_path / "cache"
    before = contents(vault)
    first, then, said, kept = on_full_disk(
        tmp_path, cache, free, words("index", "update", vault=vault, cache=cache)
    )
    assert first in (0, 1), said
    assert first == 0 or "full" in said or "No space left" in said, said
    assert then == 0
    assert contents(vault) == before
    cache.rmdir()
    kept.rename(cache)
    is_sound(vault, cache, tmp_path)


# -- what may not be written ----------------------------------------------------------


def locked(vault: Path) -> None:
    for path in [vault, *vault.rglob("*")]:
        path.chmod(path.stat().st_mode & ~0o222)


def unlocked(vault: Path) -> None:
    for path in [vault, *vault.rglob("*")]:
        path.chmod(path.stat().st_mode | 0o200)


@linux
@pytest.mark.parametrize("command", SOME, ids=lambda c: c[0])
def test_a_vault_that_may_only_be_read(
    make_vault: MakeVault, tmp_path: Path, command
) -> None:
    vault, cache = make_vault(NOTES), tmp_path / "cache"
    before = contents(vault)
    locked(vault)

    def may_not(*args: str) -> tuple[int, str]:
        return run_unprivileged(*args, vault=vault, cache=cache)

    code, said = may_not("recall", "word7zq", "--json")
    assert code == 0, said
    assert json.loads(said[said.index("{") :])["hits"][0]["path"] == "n7.md"
    code, said = may_not(*command)
    assert code in (1, 4), said
    assert "Permission denied" in said
    assert contents(vault) == before
    unlocked(vault)
    assert run(*command, vault=vault, cache=cache)[0] == 0
    is_sound(vault, cache, tmp_path)


@linux
@pytest.mark.parametrize("which", ["cache", "state", "config"])
def test_a_folder_of_the_machine_that_may_not_be_written(
    make_vault: MakeVault, tmp_path: Path, which
) -> None:
    vault, cache = make_vault(NOTES), tmp_path / "cache"
    folder = {"cache": cache}.get(which, tmp_path / f"machine-{which}")
    folder.mkdir(exist_ok=True)
    folder.chmod(0o555)
    code, said = run_unprivileged(
        "remember", "A crane is tall.", "--scope", "project", vault=vault, cache=cache
    )
    assert code in (0, 1), said
    assert code == 0 or "ermission" in said, said
    folder.chmod(0o755)
    assert run("index", "update", vault=vault, cache=cache)[0] == 0
    is_sound(vault, cache, tmp_path)


# -- broken caches --------------------------------------------------------------------


def other_database(path: Path) -> None:
    path.unlink()
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE files (mine TEXT)")
    connection.execute("INSERT INTO files VALUES ('of another program')")
    connection.commit()
    connection.close()


BREAKS: dict[str, Callable[[Path], object]] = {
    "empty": lambda p: p.write_bytes(b""),
    "cut to a page": lambda p: os.truncate(p, 4096),
    "cut in half": lambda p: os.truncate(p, p.stat().st_size // 2),
    "cut within a page": lambda p: os.truncate(p, p.stat().st_size - 1000),
    "text": lambda p: p.write_bytes(b"not a database at all\n" * 500),
    "zeros inside": lambda p: p.write_bytes(
        p.read_bytes()[:8192] + bytes(16384) + p.read_bytes()[24576:]
    ),
    "another's": other_database,
    "a foreign log": lambda p: Path(f"{p}-wal").write_bytes(b"x" * 9000),
    "a folder": lambda p: (p.unlink(), p.mkdir()),
}


@pytest.mark.parametrize("how", BREAKS)
def test_a_broken_cache_is_told_or_built_anew(
    make_vault: MakeVault, tmp_path: Path, how: str
) -> None:
    vault, cache = make_vault(NOTES), tmp_path / "cache"
    run("index", "update", vault=vault, cache=cache)
    before = contents(vault)
    path = cache_file(cache)
    BREAKS[how](path)
    for command in (("recall", "word7zq"), ("index", "update"), ("status",)):
        code, said = run(*command, vault=vault, cache=cache)
        assert code == 0 or "mindcache:" in said, said
    code, said = run("doctor", "--repair", vault=vault, cache=cache)
    if how == "a folder":
        assert code == 1
        path.rmdir()
    else:
        assert code == 0, said
    code, said = run("recall", "word7zq", "--json", vault=vault, cache=cache)
    assert code == 0, said
    assert contents(vault) == before
    is_sound(vault, cache, tmp_path)


def test_a_cache_that_another_process_keeps_is_waited_for(
    make_vault: MakeVault, tmp_path: Path
) -> None:
    vault, cache = make_vault(NOTES), tmp_path / "cache"
    run("index", "update", vault=vault, cache=cache)
    path = cache_file(cache)
    with lock.hold(f"{path}.lock", 1):
        process = subprocess.Popen(
            words("index", "update", vault=vault, cache=cache),
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
        )
        with pytest.raises(subprocess.TimeoutExpired):
            process.communicate(timeout=4)
    assert b"Traceback" not in process.communicate(timeout=60)[1]
    assert process.returncode == 0
    is_sound(vault, cache, tmp_path)


# -- broken models --------------------------------------------------------------------

MODEL_BREAKS: dict[str, Callable[[Path], object]] = {
    "no weights": lambda p: (p / "model.safetensors").unlink(),
    "no tokenizer": lambda p: (p / "tokenizer.json").unlink(),
    "no config": lambda p: (p / "config.json").unlink(),
    "cut weights": lambda p: os.truncate(p / "model.safetensors", 5000),
    "empty weights": lambda p: (p / "model.safetensors").write_bytes(b""),
    "noise": lambda p: (p / "model.safetensors").write_bytes(os.urandom(50_000)),
    "huge header": lambda p: (p / "model.safetensors").write_bytes(b"\xff" * 64),
    "cut tokenizer": lambda p: os.truncate(p / "tokenizer.json", 500),
    "another's tokenizer": lambda p: (p / "tokenizer.json").write_text("{}"),
    "a folder": shutil.rmtree,
}


@pytest.mark.parametrize("how", MODEL_BREAKS)
def test_a_broken_model_is_named_and_nothing_lost(
    make_vault: MakeVault, tmp_path: Path, how: str
) -> None:
    vault, cache = make_vault(NOTES), tmp_path / "cache"
    folder = tmp_path / "model"
    shutil.copytree(model.shipped(), folder)
    MODEL_BREAKS[how](folder)
    before = contents(vault)
    for command in (("index", "update"), ("recall", "crane")):
        code, said = run(
            *command, vault=vault, cache=cache, MINDCACHE_MODEL=str(folder)
        )
        assert code in (1, 2), said
        assert str(folder) in said
    assert contents(vault) == before
    code, said = run("recall", "word7zq", "--json", vault=vault, cache=cache)
    assert code == 0
    is_sound(vault, cache, tmp_path)
