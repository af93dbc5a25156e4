"""What counts as a note, what a look at the disk says, and how bytes are written."""

from __future__ import annotations

import ctypes
import errno
import os
import resource
import stat
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindcache import atomic
from mindcache.errors import (
    ChangedMeanwhile,
    MindcacheError,
    Refused,
    VaultUnavailable,
)
from mindcache.filenames import portability
from mindcache.vault import Obsidian, Vault

CAP = 1_000_000

MakeVault = Callable[[dict[str, str | bytes]], Path]


def scanned(root: Path) -> tuple[set[str], set[str], list[tuple[str, str]]]:
    """What a scan finds: notes, assets, and (path, code) of the problems."""
    scan = Vault(str(root)).scan()
    return set(scan.notes), scan.assets, [(p.path, p.code) for p in scan.problems]


def everything(root: Path) -> dict[str, bytes]:
    files = (p for p in root.rglob("*") if p.is_file() and not p.is_symlink())
    return {str(p.relative_to(root)): p.read_bytes() for p in files}


# -- what counts ---------------------------------------------------------------------


def test_every_markdown_file_is_a_note_and_any_other_an_asset(
    make_vault: MakeVault,
) -> None:
    notes = {"a.md", "b/c.MD", "b/d e.md", "x.md.md", "é/日本.md", "C#.md", "#todo.md"}
    assets = {"img.png", "b/a.canvas", "Movies.base", "README", "x.md.txt", "C#"}
    assert scanned(make_vault(dict.fromkeys(notes | assets, "x"))) == (
        notes,
        assets,
        [],
    )


@pytest.mark.parametrize(
    "path",
    [
        ".hidden.md", ".obsidian/a.md", ".trash/a.md", ".git/a.md", ".mindcache/a.md",
        ".stversions/a.md", "b/.hidden/a.md", ".syncthing.a.md.tmp", "~syncthing~a.md.tmp",
        "a.md~", "a.md.tmp", ".a.md.swp", "a.md.swp", "#a.md#", "~$a.md", "4913",
        "a.md.part", "a.md___jb_tmp___", ".#a.md",
    ],
)  # fmt: skip
def test_hidden_and_passing_files_are_neither(make_vault: MakeVault, path: str) -> None:
    assert scanned(make_vault({path: "x", "a.md": "x"})) == ({"a.md"}, set(), [])


def test_an_ignored_note_is_no_note_but_links_to_it_lead_somewhere(
    make_vault: MakeVault,
) -> None:
    root = make_vault(
        {
            ".mindcacheignore": "\ufeff# comment\r\n/templates/*.md\r\ndrafts/\r\n"
            "*.secret.md\r\n!keep.secret.md\r\nbin/\r\n",
            "templates/t.md": "x",
            "templates/sub/t.md": "x",
            "deep/templates/t.md": "x",
            "drafts/a.md": "x",
            "drafts/deep/b.md": "x",
            "drafts/img.png": "x",
            "deep/drafts/c.md": "x",
            "drafts.md": "x",
            "a.secret.md": "x",
            "keep.secret.md": "x",
            "bin/keep.secret.md": "x",
            "img.png": "x",
        }
    )
    assert scanned(root) == (
        {"templates/sub/t.md", "deep/templates/t.md", "drafts.md", "keep.secret.md"},
        {
            "templates/t.md", "drafts/a.md", "drafts/deep/b.md", "deep/drafts/c.md",
            "a.secret.md", "bin/keep.secret.md", "img.png",
        },
        [],
    )  # fmt: skip


def test_a_bad_line_of_the_ignore_file_is_told_and_the_others_count(
    make_vault: MakeVault,
) -> None:
    root = make_vault({".mindcacheignore": "a.md\n!\n\nb.md\n", "a.md": "", "b.md": ""})
    assert scanned(root) == (
        set(),
        {"a.md", "b.md"},
        [(".mindcacheignore", "ignore-pattern")],
    )
    assert Vault(str(root)).scan().problems[0].line == 2


def test_ignore_patterns_and_names_meet_in_either_form(make_vault: MakeVault) -> None:
    nfd = unicodedata.normalize("NFD", "café.md")
    root = make_vault({".mindcacheignore": "café.md\n", nfd: "x"})
    assert scanned(root) == (set(), {nfd}, [])


def test_an_ignore_file_that_cannot_be_read_hides_nothing_by_accident(
    make_vault: MakeVault,
) -> None:
    root = make_vault({"private.md": "x"})
    (root / ".mindcacheignore").mkdir()
    with pytest.raises(VaultUnavailable, match="mindcacheignore"):
        Vault(str(root)).scan()


def test_symlinks_are_followed_to_nowhere(
    make_vault: MakeVault, tmp_path: Path
) -> None:
    """J4: outside refused and told, inside seen once, broken and circular told."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.md").write_text("secret")
    sibling = tmp_path / "vault1x"
    sibling.mkdir()
    root = make_vault({"a.md": "x", "folder/b.md": "x"})
    assert root.name == "vault1"
    for link, target in {
        "passwd.md": "/etc/passwd",
        "out.md": "../outside/x.md",
        "out": "../outside",
        "sibling": "../vault1x",
        "inner.md": "a.md",
        "inner": "folder",
        "folder/up": "..",
        "broken.md": "nowhere.md",
        "loop.md": "loop.md",
        "one": "two",
        "two": "one",
    }.items():
        (root / link).symlink_to(target)
    assert scanned(root) == (
        {"a.md", "folder/b.md"},
        set(),
        [
            ("broken.md", "symlink-broken"),
            ("loop.md", "symlink-broken"),
            ("one", "symlink-broken"),
            ("out", "symlink-outside"),
            ("out.md", "symlink-outside"),
            ("passwd.md", "symlink-outside"),
            ("sibling", "symlink-outside"),
            ("two", "symlink-broken"),
        ],
    )


def test_a_pipe_or_folder_called_like_a_note_is_none_and_nobody_waits(
    make_vault: MakeVault,
) -> None:
    root = make_vault({"a.md": "x", "folder.md/b.md": "x"})
    os.mkfifo(root / "pipe.md")
    assert scanned(root) == (
        {"a.md", "folder.md/b.md"},
        set(),
        [("pipe.md", "not-a-file")],
    )
    for path in ("pipe.md", "folder.md"):
        with pytest.raises(OSError, match=r"not a regular file|[Ii]s a directory"):
            Vault(str(root)).read(path, CAP)


def test_names_that_no_database_can_hold_are_told(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "x", "no\u00a0break\u202f.md": "x"})
    for name in (b"caf\xe9.md", b"two\nlines.md"):
        Path(os.fsdecode(os.fsencode(root) + b"/" + name)).write_text("x")
    folder = Path(os.fsdecode(os.fsencode(root) + b"/f\xff"))
    folder.mkdir()
    (folder / "x.md").write_text("x")
    notes, _, problems = scanned(root)
    assert notes == {"a.md", "no\u00a0break\u202f.md"}
    assert [code for _, code in problems] == ["name"] * 3
    for path, _ in problems:
        path.encode()


def test_a_folder_of_many_folders_needs_no_open_file_for_each(
    make_vault: MakeVault,
) -> None:
    root = make_vault({f"f{n}/a.md": "x" for n in range(200)})
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (100, limits[1]))
    try:
        notes, _, problems = scanned(root)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert (len(notes), problems) == (200, [])


def test_looking_at_each_path_sees_what_a_scan_sees(make_vault: MakeVault) -> None:
    """A light look and the whole scan never disagree on what a path is."""
    root = make_vault(
        {
            ".mindcacheignore": "drafts/\n*.secret.md\nno.png\n",
            "a.md": "x",
            "b/c.md": "x",
            "b/img.png": "x",
            "b/no.png": "x",
            "drafts/a.md": "x",
            "drafts/deep/a.md": "x",
            "drafts/img.png": "x",
            "x.secret.md": "x",
            ".hidden/a.md": "x",
            "b/.hidden.md": "x",
            "b/x.md.tmp": "x",
        }
    )
    os.mkfifo(root / "pipe.md")
    for link, target in {
        "inner.md": "a.md", "inner": "b", "out.md": "/etc/passwd", "out": "/etc",
        "gone.md": "nowhere",
    }.items():  # fmt: skip
        (root / link).symlink_to(target)
    Path(os.fsdecode(os.fsencode(root) + b"/caf\xe9.md")).write_text("x")
    vault = Vault(str(root))
    whole = vault.scan()
    paths = [str(p.relative_to(root)) for p in root.rglob("*")]
    paths += ["inner/c.md", "out/passwd", "none.md", "a.md/b.md", "../x.md", "/a.md"]
    paths += ["nul\0.md", "", "b", "b/", "./a.md", "b//c.md", "b/../a.md"]
    found = vault.look(paths)
    assert found.notes == whole.notes
    assert found.assets == whole.assets
    assert sorted(found.problems) == whole.problems


def test_a_root_that_is_gone_or_no_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for name in ("gone", "file"):
        with pytest.raises(VaultUnavailable, match=name):
            Vault(str(tmp_path / name)).scan()


def test_progress_is_told_as_the_scan_goes(make_vault: MakeVault) -> None:
    seen: list[int] = []
    root = make_vault({"a.md": "", "b/c.md": "", "b/d/e.md": ""})
    Vault(str(root)).scan(seen.append)
    assert seen[-1] == 3
    assert seen == sorted(seen)


# -- what permissions hide --------------------------------------------------------------

LOOK = """
import sys
from mindcache.errors import VaultUnavailable
from mindcache.vault import Vault
try:
    scan = Vault(sys.argv[1]).scan()
except VaultUnavailable as error:
    print("unavailable", error)
else:
    print(sorted(scan.notes), sorted(scan.unreadable), [str(p) for p in scan.problems])
"""


def _drop_privileges() -> None:
    """Make even root respect permission bits in the program that follows."""
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in (1, 2):  # CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH
        libc.prctl(24, capability, 0, 0, 0)  # PR_CAPBSET_DROP


def look_unprivileged(root: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", LOOK, str(root)],
        cwd=Path(__file__).parent.parent,
        preexec_fn=_drop_privileges,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


linux = pytest.mark.skipif(sys.platform != "linux", reason="drops Linux capabilities")


@linux
@pytest.mark.parametrize("mode", [0o000, 0o444, 0o111])
def test_files_in_a_locked_folder_are_unknown_not_gone(
    make_vault: MakeVault, mode: int
) -> None:
    """A11: without "read" nothing is listed; without "search" nothing is looked at."""
    root = make_vault({"a.md": "x", "locked/b.md": "x", "locked/deep/c.md": "x"})
    (root / "locked").chmod(mode)
    try:
        found = look_unprivileged(root)
    finally:
        (root / "locked").chmod(0o755)
    notes, rest = found.split("]", 1)
    assert notes == "['a.md'"
    assert "EACCES" in rest
    unreadable = rest.split("]", 1)[0]
    if mode == 0o444:
        assert "'locked/b.md'" in unreadable
        assert "'locked/deep/'" in unreadable
    else:
        assert "'locked/'" in unreadable


@linux
@pytest.mark.parametrize("mode", [0o000, 0o444, 0o111])
def test_a_locked_root_is_an_error_or_unknown_as_a_whole(
    make_vault: MakeVault, mode: int
) -> None:
    root = make_vault({"a.md": "x"})
    root.chmod(mode)
    try:
        found = look_unprivileged(root)
    finally:
        root.chmod(0o755)
    assert found.startswith("unavailable")
    assert "permissions" in found


# -- reading ------------------------------------------------------------------------------


def test_a_settled_file_has_the_stamp_that_the_scan_sees(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "text"})
    os.utime(root / "a.md", ns=(1, 1_600_000_000_000_000_001))
    vault = Vault(str(root))
    data, stamp = vault.read("a.md", CAP)
    assert data == b"text"
    assert stamp == vault.scan().notes["a.md"]
    assert stamp.mtime_ns == 1_600_000_000_000_000_001


def test_a_file_written_just_now_is_to_be_read_again(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "text"})
    vault = Vault(str(root))
    data, stamp = vault.read("a.md", CAP)
    assert (data, stamp.mtime_ns) == (b"text", 0)
    assert stamp != vault.scan().notes["a.md"]


def test_a_file_over_the_cap_is_not_read(make_vault: MakeVault) -> None:
    vault = Vault(str(make_vault({"a.md": "12345"})))
    assert vault.read("a.md", 5)[0] == b"12345"
    data, stamp = vault.read("a.md", 4)
    assert (data, stamp.size) == (None, 5)


@pytest.mark.parametrize(
    "path", ["../x.md", "/etc/passwd", "a/../../x.md", "nul\0.md", "a/.."]
)
def test_nothing_outside_is_read_or_there(make_vault: MakeVault, path: str) -> None:
    root = make_vault({"a/b.md": "x"})
    (root.parent / "x.md").write_text("secret")
    vault = Vault(str(root))
    assert not vault.exists(path)
    with pytest.raises(Refused):
        vault.read(path, CAP)
    with pytest.raises(Refused):
        vault.create(path, b"x")
    with pytest.raises(Refused):
        vault.replace(path, b"y", b"secret")
    assert (root.parent / "x.md").read_text() == "secret"


def test_a_link_is_not_read_through(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "x"})
    (root / "link.md").symlink_to("/etc/passwd")
    with pytest.raises(OSError, match=r"[Tt]oo many|symbolic"):
        Vault(str(root)).read("link.md", CAP)


# -- replacing ----------------------------------------------------------------------------


def test_a_note_is_replaced_in_one_step_and_keeps_its_mode(
    make_vault: MakeVault,
) -> None:
    root = make_vault({"a.md": "old"})
    (root / "a.md").chmod(0o640)
    inode = (root / "a.md").stat().st_ino
    Vault(str(root)).replace("a.md", b"new", b"old")
    assert everything(root) == {"a.md": b"new"}
    status = (root / "a.md").stat()
    assert stat.S_IMODE(status.st_mode) == 0o640
    assert status.st_ino != inode


def test_equal_bytes_write_nothing(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "old"})
    before = (root / "a.md").stat()
    Vault(str(root)).replace("a.md", b"old", b"old")
    assert (root / "a.md").stat() == before


def test_a_note_changed_since_it_was_read_is_left_alone(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "theirs"})
    with pytest.raises(ChangedMeanwhile, match="changed by someone else"):
        Vault(str(root)).replace("a.md", b"ours", b"as read")
    assert everything(root) == {"a.md": b"theirs"}


def test_a_note_changed_while_ours_is_written_is_left_alone(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_vault({"a.md": "old"})
    real = os.fsync

    def meanwhile(descriptor: int) -> None:
        (root / "a.md").write_text("theirs")
        real(descriptor)

    monkeypatch.setattr(os, "fsync", meanwhile)
    with pytest.raises(ChangedMeanwhile):
        Vault(str(root)).replace("a.md", b"ours", b"old")
    assert everything(root) == {"a.md": b"theirs"}


def test_a_note_that_is_gone_stays_gone(make_vault: MakeVault) -> None:
    root = make_vault({"b.md": "x"})
    for path in ("a.md", "gone/a.md", "b.md/a.md"):
        with pytest.raises(ChangedMeanwhile, match="gone"):
            Vault(str(root)).replace(path, b"new", b"old")
    assert everything(root) == {"b.md": b"x"}


def test_a_link_is_not_written_through(make_vault: MakeVault, tmp_path: Path) -> None:
    root = make_vault({"a.md": "old"})
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.md").write_text("old")
    (root / "inner.md").symlink_to("a.md")
    (root / "outer.md").symlink_to(outside / "x.md")
    (root / "folder").symlink_to(outside)
    vault = Vault(str(root))
    for path in ("inner.md", "outer.md", "folder/x.md"):
        with pytest.raises(Refused):
            vault.replace(path, b"new", b"old")
    with pytest.raises(Refused):
        vault.create("folder/new.md", b"x")
    assert everything(root) == {"a.md": b"old"}
    assert everything(outside) == {"x.md": b"old"}


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_a_write_that_fails_leaves_the_note_and_nothing_else(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    root = make_vault({"a.md": "old"})

    def full(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(MindcacheError, match=r"a\.md can't be written: No space left"):
        Vault(str(root)).replace("a.md", b"new", b"old")
    assert everything(root) == {"a.md": b"old"}


def test_what_a_killed_process_left_is_in_nobodys_way(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_vault({"a.md": "old"})
    monkeypatch.setattr(atomic, "_WRITES", iter([7, 7]))
    monkeypatch.setattr(os, "unlink", lambda _path: None)
    with pytest.raises(ChangedMeanwhile):
        Vault(str(root)).replace("a.md", b"new", b"as read")
    monkeypatch.undo()
    (left,) = (p for p in root.iterdir() if p.name.endswith(".tmp"))
    assert scanned(root) == ({"a.md"}, set(), [])
    monkeypatch.setattr(atomic, "_WRITES", iter([7]))
    Vault(str(root)).replace("a.md", b"new", b"old")
    assert not left.exists()
    assert everything(root) == {"a.md": b"new"}


# -- creating -----------------------------------------------------------------------------


@pytest.mark.parametrize(("umask", "mode"), [(0o077, 0o600), (0o002, 0o664)])
def test_a_new_note_and_its_folders_are_made_by_the_umask(
    make_vault: MakeVault, umask: int, mode: int
) -> None:
    root = make_vault({})
    old = os.umask(umask)
    try:
        Vault(str(root)).create("new/deep/a b.md", b"text")
    finally:
        os.umask(old)
    assert everything(root) == {"new/deep/a b.md": b"text"}
    assert stat.S_IMODE((root / "new/deep/a b.md").stat().st_mode) == mode


def no_hard_links(*_arguments: object) -> None:
    raise OSError(errno.EPERM, "Operation not permitted")


@pytest.mark.parametrize("links", [True, False])
def test_a_taken_name_is_refused_and_nothing_is_written_over(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch, *, links: bool
) -> None:
    root = make_vault({"a.md": "theirs", "folder.md/x.md": "x"})
    (root / "broken.md").symlink_to("nowhere")
    if not links:
        monkeypatch.setattr(os, "link", no_hard_links)
    vault = Vault(str(root))
    for path in ("a.md", "folder.md", "broken.md"):
        with pytest.raises(Refused):
            vault.create(path, b"ours")
    with pytest.raises(MindcacheError):
        vault.create("a.md/b.md", b"ours")
    assert everything(root) == {"a.md": b"theirs", "folder.md/x.md": b"x"}
    assert not (root / "nowhere").exists()


def test_a_file_system_without_hard_links_will_do(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_vault({})
    monkeypatch.setattr(os, "link", no_hard_links)
    Vault(str(root)).create("a.md", b"text")
    assert everything(root) == {"a.md": b"text"}
    monkeypatch.setattr(os, "replace", no_hard_links)
    with pytest.raises(MindcacheError):
        Vault(str(root)).create("b.md", b"text")
    assert everything(root) == {"a.md": b"text"}


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("aux.md", "reserved"),
        ("AUX", "reserved"),
        ("nul.tar.md", "reserved"),
        ("a/con/b.md", "reserved"),
        ("com1.md", "reserved"),
        ("lpt9.md", "reserved"),
        ("a:b.md", "':'"),
        ("C:\\Users\\First Last\\vault.md", "forbids"),
        ("\\\\server\\share\\x.md", "forbids"),
        ("what?.md", "'?'"),
        ('say "x".md', "forbids"),
        ("a|b.md", "'|'"),
        ("a<b>.md", "forbids"),
        ("a*.md", "'*'"),
        ("tab\there.md", "forbids"),
        ("folder./a.md", "space or dot"),
        ("folder /a.md", "space or dot"),
        ("a.md.", "space or dot"),
        ("../a.md", "space or dot"),
        ("x" * 253 + ".md", "255 bytes"),
        ("é" * 127 + ".md", "255 bytes"),
    ],
)
def test_a_name_that_cannot_live_everywhere_is_refused_with_the_reason(
    make_vault: MakeVault, path: str, words: str
) -> None:
    """L8: refused at the write, not found missing on another machine."""
    root = make_vault({})
    assert words in portability(path)
    with pytest.raises(Refused, match="choose another name"):
        Vault(str(root)).create(path, b"x")
    assert everything(root) == {}
    assert [p.name for p in root.iterdir()] == [".obsidian"]


@pytest.mark.parametrize(
    "path",
    [
        "auxiliary.md", "console.md", "com.md", "com10.md", "First Last/vault.md",
        "a.b.md", ".obsidian/types.json", "日本/é.md", "x" * 252 + ".md", "C++ & C#.md",
        "it's (1) [2] {3}, 100% = $5; a@b!.md",
    ],
)  # fmt: skip
def test_a_name_that_can_is_not(make_vault: MakeVault, path: str) -> None:
    root = make_vault({})
    assert portability(path) == ""
    Vault(str(root)).create(path, b"x")
    assert everything(root) == {path: b"x"}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.binary(max_size=200), st.binary(max_size=200), st.binary(max_size=200))
def test_bytes_are_written_as_given_or_not_at_all(
    tmp_path: Path, on_disk: bytes, expected: bytes, data: bytes
) -> None:
    (tmp_path / "a.md").write_bytes(on_disk)
    vault = Vault(str(tmp_path))
    if data == expected or on_disk == expected:
        vault.replace("a.md", data, expected)
        written = on_disk if data == expected else data
    else:
        with pytest.raises(ChangedMeanwhile):
            vault.replace("a.md", data, expected)
        written = on_disk
    assert everything(tmp_path) == {"a.md": written}


# -- the template and Obsidian's settings ---------------------------------------------------


def test_a_template_is_laid_down_around_what_is_there(
    make_vault: MakeVault, tmp_path: Path
) -> None:
    template = tmp_path / "template"
    for path in ("a.md", "b/c.md", ".obsidian/types.json"):
        (template / path).parent.mkdir(parents=True, exist_ok=True)
        (template / path).write_text("template")
    root = make_vault({"a.md": "mine", "b/d.md": "mine"})
    written, kept = Vault(str(root)).lay_down(str(template))
    assert (written, kept) == ([".obsidian/types.json", "b/c.md"], ["a.md"])
    assert everything(root) == {
        "a.md": b"mine",
        "b/d.md": b"mine",
        "b/c.md": b"template",
        ".obsidian/types.json": b"template",
    }
    assert Vault(str(root)).lay_down(str(template))[0] == []


def test_a_template_that_is_missing_is_no_success(make_vault: MakeVault) -> None:
    root = make_vault({})
    with pytest.raises(MindcacheError, match="template"):
        Vault(str(root)).lay_down(str(root / "none"))


@pytest.mark.parametrize(
    ("text", "daily_format", "folder"),
    [
        ('{"format": "DD.MM.YYYY", "folder": "Daily"}', "DD.MM.YYYY", "Daily"),
        ('{"folder": "Daily", "autorun": true}', "YYYY-MM-DD", "Daily"),
        ('{"format": "", "folder": null}', "YYYY-MM-DD", ""),
        ("\ufeff{}", "YYYY-MM-DD", ""),
    ],
)
def test_obsidians_daily_notes_are_read(
    make_vault: MakeVault, text: str, daily_format: str, folder: str
) -> None:
    root = make_vault({".obsidian/daily-notes.json": text})
    assert Vault(str(root)).obsidian() == Obsidian(daily_format, folder)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (b'{"format":\n oops}', 2),
        (b"[]", 0),
        (b"3", 0),
        (b"", 1),
        (b"[" * 100_000, 0),
        (b"\xff\xfe\xfa", 0),
    ],
)
def test_settings_of_obsidian_that_are_broken_are_told(
    make_vault: MakeVault, text: bytes, line: int
) -> None:
    found = Vault(str(make_vault({".obsidian/daily-notes.json": text}))).obsidian()
    assert (found.daily_format, found.daily_folder) == ("YYYY-MM-DD", "")
    (problem,) = found.problems
    assert (problem.path, problem.line) == (".obsidian/daily-notes.json", line)


def test_a_vault_without_settings_of_obsidian_has_its_defaults(tmp_path: Path) -> None:
    assert Vault(str(tmp_path)).obsidian() == Obsidian()
