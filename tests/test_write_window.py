"""Saves of somebody else between our last look at a file and our writing it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindcache import atomic, swapping
from mindcache.app import App
from mindcache.errors import ChangedMeanwhile, MindcacheError, Refused
from mindcache.vault import SCRATCH, Move, Trash, Vault, commit
from tests.conftest import MakeApp, MakeVault

Save = Callable[[Path, str], None]
MOMENTS = ("to be looked at", "to be exchanged", "exchanged", "to be put back")
BASE = "a line\n"

can_exchange = pytest.mark.skipif(
    sys.platform != "linux", reason="asks Linux who has a file open"
)


def by_rename(path: Path, text: str) -> None:
    new = path.with_name("4913~")
    new.write_text(text)
    os.replace(new, path)


def in_place(path: Path, text: str) -> None:
    path.write_text(text)


def all_text(root: Path) -> str:
    """What is in files that a person can see, and none of ours is left over."""
    files = [p for p in root.rglob("*") if p.is_file() and ".obsidian" not in p.parts]
    assert [p.name for p in files if p.name.endswith(".tmp")] == []
    return "".join(p.read_text() for p in files)


class Somebody:
    """Saves a note at chosen moments: what he sees, and a word of his own."""

    def __init__(self, path: Path, plan: dict[str, list[Save | None]]) -> None:
        self.path = path
        self.plan = {moment: list(saves) for moment, saves in plan.items()}
        self.words: list[str] = []

    def __call__(self, moment: str) -> None:
        saves = self.plan.get(moment)
        save = saves.pop(0) if saves else None
        if save is None:
            return
        before = self.path.read_text() if self.path.exists() else ""
        self.words.append(f"theirs-{len(self.words)}-{moment}")
        save(self.path, f"{before}{self.words[-1]}\n")


def edit(root: Path, moment: Callable[[str], None]) -> str:
    """Our edit; what it was refused for, "" where it was made."""
    try:
        Vault(str(root), moment).replace(
            "n.md", f"{BASE}ours\n".encode(), BASE.encode()
        )
    except ChangedMeanwhile as error:
        return str(error)
    return ""


@pytest.mark.parametrize("save", [by_rename, in_place])
@pytest.mark.parametrize("moment", MOMENTS[:3])
def test_a_save_at_any_moment_is_kept(
    make_vault: MakeVault, moment: str, save: Save
) -> None:
    root = make_vault({"n.md": BASE})
    somebody = Somebody(root / "n.md", {moment: [save]})
    refused = edit(root, somebody)
    assert somebody.words[0] in (root / "n.md").read_text()
    # What is saved over our text, once that has its name, was made of it.
    assert ("was changed by someone else" in refused) == (moment != "exchanged")
    assert ("ours" in all_text(root)) == (not refused)
    assert [p.name for p in root.glob("*.md")] == ["n.md"]


def test_who_saves_once_more_while_it_is_put_back_has_the_name(
    make_vault: MakeVault,
) -> None:
    root = make_vault({"n.md": BASE})
    plan = {"to be exchanged": [by_rename], "to be put back": [by_rename]}
    somebody = Somebody(root / "n.md", plan)
    refused = edit(root, somebody)
    first, second = somebody.words
    assert second in (root / "n.md").read_text()
    (kept,) = root.glob("n.sync-conflict-*.md")
    assert first in kept.read_text()
    assert kept.name in refused


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.sampled_from(MOMENTS),
        st.lists(st.sampled_from([by_rename, in_place, None]), max_size=4),
    )
)
def test_whoever_saves_however_often_loses_nothing(
    make_vault: MakeVault, plan: dict[str, list[Save | None]]
) -> None:
    root = make_vault({"n.md": BASE})
    somebody = Somebody(root / "n.md", plan)
    if not edit(root, somebody):
        somebody.words.append("ours")
    text = all_text(root)
    assert [word for word in somebody.words if word not in text] == []


@can_exchange
def test_a_program_that_has_it_open_is_waited_for(make_vault: MakeVault) -> None:
    root = make_vault({"n.md": BASE})
    threads: list[threading.Thread] = []

    def moment(name: str) -> None:
        if name != "to be exchanged":
            return
        file = (root / "n.md").open("r+")

        def finish() -> None:
            time.sleep(0.1)
            file.write("their words over ours\n")
            file.close()

        threads.append(threading.Thread(target=finish))
        threads[0].start()

    assert "was changed" in edit(root, moment)
    threads[0].join()
    assert (root / "n.md").read_text() == "their words over ours\n"
    assert "ours\n" in all_text(root)


@can_exchange
def test_a_file_that_stays_open_for_writing_is_left_alone(
    make_vault: MakeVault,
) -> None:
    root = make_vault({"n.md": BASE})
    with (root / "n.md").open("r+") as file:
        assert "is being written by another program" in edit(root, lambda _: None)
        file.write("late")
    assert (root / "n.md").read_text() == "latene\n"
    with (root / "n.md").open():  # a reader is in nobody's way
        Vault(str(root)).replace("n.md", b"ours", b"latene\n")
    assert all_text(root) == "ours"


def test_what_is_deleted_or_becomes_something_else_meanwhile_stays_so(
    make_vault: MakeVault,
) -> None:
    root = make_vault({"n.md": BASE, "other.md": "x"})
    note = root / "n.md"

    def at(name: str, *actions: Callable[[], object]) -> Callable[[str], None]:
        return lambda moment: (
            [a() for a in actions] and None if moment == name else None
        )

    assert "is gone" in edit(root, at("to be exchanged", note.unlink))
    assert not note.exists()
    note.write_text(BASE)
    link = at("to be exchanged", note.unlink, lambda: note.symlink_to("other.md"))
    assert "was changed" in edit(root, link)
    assert note.is_symlink()
    note.unlink()
    note.write_text(BASE)
    folder = at("to be exchanged", note.unlink, note.mkdir)
    assert "was changed" in edit(root, folder)
    assert note.is_dir()
    note.rmdir()
    note.write_text(BASE)
    # Saved, then deleted while our text had its name: the save is given back.
    plan = {"to be exchanged": lambda: by_rename(note, "new"), "exchanged": note.unlink}
    assert "was changed" in edit(root, lambda m: plan[m]() if m in plan else None)
    assert all_text(root) == "xnew"


@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_at_any_moment_loses_nothing(make_vault: MakeVault, moment: str) -> None:
    root = make_vault({"n.md": BASE})
    somebody = Somebody(root / "n.md", {"to be exchanged": [by_rename]})

    def interrupted(name: str) -> None:
        if moment == "to be put back" or name != moment:
            somebody(name)
        if name == moment:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        edit(root, interrupted)
    left = [p for p in root.iterdir() if p.name.endswith(".tmp")]
    if moment == "to be put back":
        # Interrupted again and again: what was theirs is still there.
        assert [atomic.is_foreign(str(p)) for p in left] == [True]
        assert somebody.words[0] in left[0].read_text()
    else:
        assert left == []
        assert [word for word in somebody.words if word not in all_text(root)] == []


def test_ctrl_c_while_a_save_is_put_back_puts_it_back(make_vault: MakeVault) -> None:
    root = make_vault({"n.md": BASE})
    somebody = Somebody(root / "n.md", {"to be exchanged": [by_rename]})
    interrupts = [KeyboardInterrupt()]

    def interrupted(name: str) -> None:
        somebody(name)
        if name == "to be put back" and interrupts:
            raise interrupts.pop()

    with pytest.raises(KeyboardInterrupt):
        edit(root, interrupted)
    assert (root / "n.md").read_text() == f"{BASE}{somebody.words[0]}\n"
    assert all_text(root) == f"{BASE}{somebody.words[0]}\n"


def test_a_note_that_goes_while_it_is_moved_is_gone(make_vault: MakeVault) -> None:
    root = make_vault({"n.md": "x"})
    gone = [root / "n.md"]

    def moment(_name: str) -> None:
        if gone:
            gone.pop().unlink()

    with pytest.raises(ChangedMeanwhile, match="is gone"):
        Vault(str(root), moment).move("n.md", "m.md", b"x")
    assert all_text(root) == ""


def test_what_a_killed_write_had_taken_out_comes_to_the_trash(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault({"sub/n.md": BASE})
    code = f"""
import os
from mindcache.vault import Vault
def moment(name):
    if name == "to be exchanged":
        open("sub/n.md", "w").write("their save")
    if name == "exchanged":
        os._exit(9)
Vault(os.getcwd(), moment).replace("sub/n.md", b"ours", {BASE.encode()!r})
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=root, check=False)
    assert done.returncode == 9
    (left,) = (root / "sub").glob(".*.tmp")
    os.utime(left, (0, 0))
    app: App = make_app(root)
    app.tidy()
    assert (root / ".trash/sub/n.md").read_text() == "their save"
    assert "now .trash/sub/n.md" in " ".join(app.remarks)
    assert (root / "sub/n.md").read_text() == "ours"
    assert not left.exists()


def test_without_an_exchange_a_save_before_the_last_look_is_kept(
    make_vault: MakeVault, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NFS and FUSE have none: the last look is as late as can be."""
    monkeypatch.setattr(swapping, "_call", lambda: None)
    root = make_vault({"n.md": BASE, "a.md": "A"})
    somebody = Somebody(root / "n.md", {"to be looked at": [by_rename]})
    assert edit(root, somebody)
    assert somebody.words[0] in all_text(root)
    (root / "n.md").write_text(BASE)
    assert edit(root, lambda _: None) == ""
    Vault(str(root)).move("a.md", "b.md", b"A")
    assert sorted(p.name for p in root.glob("*.md")) == ["b.md", "n.md"]


# -- moving and throwing away ---------------------------------------------------------


@pytest.mark.parametrize("save", [by_rename, in_place])
@pytest.mark.parametrize("change", [Move("n.md", "m.md", b"x"), Trash("n.md", b"x")])
def test_a_note_that_is_saved_while_it_is_moved_stays(
    make_vault: MakeVault, change: Move | Trash, save: Save
) -> None:
    root = make_vault({"n.md": "x"})
    somebody = Somebody(root / "n.md", {"to be renamed": [save]})
    done = commit(Vault(str(root), somebody), [change])
    assert [type(error) for _, error in done.failed] == [ChangedMeanwhile]
    assert (root / "n.md").read_text() == f"x{somebody.words[0]}\n"
    assert [p.name for p in root.rglob("*.md")] == ["n.md"]
    assert not (root / ".trash").exists()


def test_a_name_that_is_taken_at_the_last_moment_stays_taken(
    make_vault: MakeVault,
) -> None:
    root = make_vault({"n.md": "x", "dir/in.md": "in"})
    theirs = Somebody(root / "m.md", {"to be renamed": [by_rename]})
    with pytest.raises(Refused, match=r"m\.md exists already"):
        Vault(str(root), theirs).move("n.md", "m.md", b"x")
    assert (root / "n.md").read_text() == "x"
    assert (root / "m.md").read_text() == f"{theirs.words[0]}\n"
    with pytest.raises(Refused, match="new exists already"):
        Vault(str(root), lambda _: (root / "new").write_text("!") and None).move_folder(
            "dir", "new"
        )
    assert (root / "new").read_text() == "!"


def test_saved_again_under_the_old_name_both_are_kept(make_vault: MakeVault) -> None:
    root = make_vault({"n.md": "x"})
    plan = {"to be renamed": [by_rename], "to be renamed back": [by_rename]}
    somebody = Somebody(root / "n.md", plan)
    with pytest.raises(ChangedMeanwhile, match=r"is kept as m\.md"):
        Vault(str(root), somebody).move("n.md", "m.md", b"x")
    assert somebody.words[0] in (root / "m.md").read_text()
    assert somebody.words[1] in (root / "n.md").read_text()


# -- lines at the end of a file -------------------------------------------------------


@pytest.mark.parametrize("moment", ["to be appended to", "appended to"])
def test_lines_reach_the_file_that_has_the_name(
    make_vault: MakeVault, moment: str
) -> None:
    path = ".mindcache/ledger/d.jsonl"
    root = make_vault({path: '{"n":0}\n'})
    theirs = ['{"n":0}\n{"n":1}\n']

    def replaced(name: str) -> None:
        if name == moment and theirs:
            by_rename(root / path, theirs.pop())

    Vault(str(root), replaced).append(path, ['{"n":2}'])
    assert (root / path).read_text() == '{"n":0}\n{"n":1}\n{"n":2}\n'


def test_lines_that_the_new_file_was_made_of_stand_there_once(
    make_vault: MakeVault,
) -> None:
    path = ".mindcache/ledger/d.jsonl"
    root = make_vault({path: '{"n":0}\n'})

    def replaced(name: str) -> None:
        if name == "appended to":
            by_rename(root / path, (root / path).read_text() + '{"n":3}\n')

    Vault(str(root), replaced).append(path, ['{"n":2}'])
    assert (root / path).read_text() == '{"n":0}\n{"n":2}\n{"n":3}\n'
    with pytest.raises(MindcacheError, match="replaces it all the time"):
        Vault(str(root), lambda _: by_rename(root / path, "")).append(path, ['{"n":4}'])


def test_many_processes_append_whole_lines(make_vault: MakeVault) -> None:
    root = make_vault({})
    code = """
import sys
from mindcache.vault import Vault
vault = Vault(sys.argv[1])
for n in range(40):
    vault.append(".mindcache/ledger/d.jsonl", ['{"by":"%s %d"}' % (sys.argv[2], n)])
"""
    running = [
        subprocess.Popen([sys.executable, "-c", code, str(root), str(n)])
        for n in range(5)
    ]
    assert [each.wait() for each in running] == [0] * 5
    lines = (root / ".mindcache/ledger/d.jsonl").read_text().splitlines()
    assert sorted(lines) == sorted(
        f'{{"by":"{who} {n}"}}' for who in range(5) for n in range(40)
    )


# -- beside a program that saves all the time -----------------------------------------

_SAVER = """
import os, sys, time
root, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
note = os.path.join(root, "n.md")

def everything():
    found = ""
    for name in os.listdir(root):
        if name.endswith(".md"):
            try:
                with open(os.path.join(root, name)) as file:
                    found += file.read()
            except FileNotFoundError:
                pass
    return found

lost, last = [], ""
for k in range(count):
    until = time.monotonic() + 3
    while last and last not in everything():
        if time.monotonic() > until:
            lost.append(last)
            break
    try:
        with open(note) as file:
            lines = file.read().splitlines()
    except FileNotFoundError:
        lines = []
    last = f"saver-{seed}-{k};"
    text = "\\n".join(["a line", *lines[-5:], last]) + "\\n"
    if (k + seed) % 2:
        with open(note + "~", "w") as file:
            file.write(text)
        os.replace(note + "~", note)
    else:
        with open(note, "w") as file:
            file.write(text)
    time.sleep((k * 7 % 11) / 4000)
print(" ".join(lost))
"""


def test_beside_a_program_that_saves_all_the_time(make_vault: MakeVault) -> None:
    root = make_vault({"n.md": BASE})
    saver = subprocess.Popen(
        [sys.executable, "-c", _SAVER, str(root), "1500", "1"],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    vault = Vault(str(root))
    made = refused = 0
    while saver.poll() is None:
        before = (root / "n.md").read_bytes()
        try:
            vault.replace("n.md", before + f"ours-{made};\n".encode(), before)
            made += 1
        except ChangedMeanwhile:
            refused += 1
    lost, _ = saver.communicate()
    assert (saver.returncode, lost.split()) == (0, [])
    assert made > 50
    assert refused > 0
    assert [p.name for p in root.iterdir() if p.name.endswith(".tmp")] == []
    assert not (root / SCRATCH).exists()
