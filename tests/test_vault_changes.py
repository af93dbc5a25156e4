"""Changes as values and their commit; the ledger; a device's name."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mindcache import atomic, device
from mindcache.errors import ChangedMeanwhile, MindcacheError, Refused
from mindcache.vault import (
    Change,
    Create,
    Entry,
    Ledger,
    Move,
    Replace,
    Trash,
    Vault,
    commit,
)
from tests.conftest import MakeApp, MakeVault


def files(root: Path) -> dict[str, bytes]:
    found = (p for p in root.rglob("*") if p.is_file())
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in found}


def test_each_change_is_carried_out(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "A", "b.md": "B", "c.md": "C"})
    result = commit(
        Vault(str(root)),
        [
            Create("new/d.md", b"D"),
            Replace("a.md", b"A2", b"A"),
            Move("b.md", "sub/b.md", b"B"),
            Trash("c.md", b"C"),
        ],
    )
    assert not result.failed
    assert files(root) == {
        "new/d.md": b"D",
        "a.md": b"A2",
        "sub/b.md": b"B",
        ".trash/c.md": b"C",
    }
    assert result.moved == [("b.md", "sub/b.md"), ("c.md", ".trash/c.md")]
    assert result.paths == [
        ".trash/c.md", "a.md", "b.md", "c.md", "new/d.md", "sub/b.md"
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (Replace("a.md", b"x", b"other"), ChangedMeanwhile),
        (Replace("gone.md", b"x", b""), ChangedMeanwhile),
        (Move("a.md", "z.md", b"other"), ChangedMeanwhile),
        (Move("a.md", "b.md", b"A"), Refused),
        (Move("a.md", "../z.md", b"A"), Refused),
        (Move("a.md", "aux.md", b"A"), Refused),
        (Trash("gone.md", b""), ChangedMeanwhile),
        (Trash("a.md", b"other"), ChangedMeanwhile),
        (Create("a.md", b"x"), Refused),
        (Create("A.md", b"x"), Refused),
        (Create("DIR/new.md", b"x"), Refused),
        (Create("dir/x:y.md", b"x"), Refused),
        (Create("é.md".encode().decode(), b"x"), Refused),
    ],
)
def test_what_can_not_be_done_leaves_all_as_it_was(
    change: Change, error: type[MindcacheError], make_vault: MakeVault
) -> None:
    root = make_vault({"a.md": "A", "b.md": "B", "dir/c.md": "C", "e\u0301.md": "E"})
    before = files(root)
    result = commit(Vault(str(root)), [change, Create("after.md", b"!")])
    assert [type(e) for _, e in result.failed] == [error]
    assert [c for c, _ in result.failed] == [change]
    assert files(root) == {**before, "after.md": b"!"}


def test_two_new_notes_that_would_clash_elsewhere(make_vault: MakeVault) -> None:
    root = make_vault({})
    result = commit(Vault(str(root)), [Create("N.md", b"1"), Create("n.md", b"2")])
    assert "n.md and N.md differ only" in str(result.failed[0][1])
    assert files(root) == {"N.md": b"1"}


def test_a_name_may_change_its_case(make_vault: MakeVault) -> None:
    root = make_vault({"note.md": "N"})
    assert not commit(Vault(str(root)), [Move("note.md", "Note.md", b"N")]).failed
    assert files(root) == {"Note.md": b"N"}


def test_the_trash_keeps_what_it_has(make_vault: MakeVault) -> None:
    root = make_vault({"a/n.md": "2", ".trash/a/n.md": "1"})
    result = commit(Vault(str(root)), [Trash("a/n.md", b"2")])
    assert result.moved == [("a/n.md", ".trash/a/n 2.md")]
    assert files(root) == {".trash/a/n.md": b"1", ".trash/a/n 2.md": b"2"}


def test_a_commit_is_indexed_before_it_returns(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault({"a.md": "Apples.", "b.md": "Bananas.", "c.md": "Cherries."})
    app = make_app(root)
    app.update()
    written = app.commit(
        [
            Create("d.md", b"Dates."),
            Replace("a.md", b"Apricots.", b"Apples."),
            Move("b.md", "e.md", b"Bananas."),
            Trash("c.md", b"Cherries."),
        ]
    )
    assert (written.failed, written.behind) == ([], None)
    from mindcache.cache.read import Reader

    reader = Reader.open(app.cache_path, app.fingerprint)
    assert reader is not None
    with_texts = {n.path: n.summary for n in reader.nodes(reader.where("1", []))}
    reader.close()
    assert with_texts == {"a.md": "Apricots.", "d.md": "Dates.", "e.md": "Bananas."}


def test_the_ledger_is_one_of_all_devices(make_vault: MakeVault) -> None:
    vault = Vault(str(make_vault({})))
    here, there = Ledger(vault, "here-0001"), Ledger(vault, "there-0002")
    assert here.entries == []
    first = Entry("made", "calendar", "uid-1", "m-1", at="2026-11-30T12:00")
    here.add([first])
    there.add([Entry("made", "calendar", "uid-2", "m-2")])
    fresh = Ledger(vault, "here-0001")
    assert fresh.made("calendar") == {"uid-1": "m-1", "uid-2": "m-2"}
    assert fresh.entries[0] == first
    assert fresh.made("chat") == {}


def test_a_torn_line_loses_no_other(make_vault: MakeVault) -> None:
    root = make_vault({".mindcache/ledger/x-0001.jsonl": '{"what": "made", "ki'})
    ledger = Ledger(Vault(str(root)), "x-0001")
    assert [(p.path, p.line) for p in ledger.damaged()] == [
        (".mindcache/ledger/x-0001.jsonl", 1)
    ]
    assert "--repair" in ledger.problems[0].mend
    ledger.add([Entry("made", "chat", "é\n1", "m-1")])
    assert ledger.made("chat") == {"é\n1": "m-1"}
    assert ledger.problems == []
    (line,) = (root / ".mindcache/ledger/x-0001.jsonl").read_text().splitlines()
    assert json.loads(line)["key"] == "é\n1"


def test_a_whole_line_without_its_end_stays(make_vault: MakeVault) -> None:
    line = '{"what": "made", "kind": "chat", "key": "a", "id": "m-0"}'
    root = make_vault({".mindcache/ledger/x-0001.jsonl": line})
    ledger = Ledger(Vault(str(root)), "x-0001")
    assert ledger.mend() == ""
    ledger.add([Entry("made", "chat", "b", "m-1")])
    assert ledger.made("chat") == {"a": "m-0", "b": "m-1"}


def test_a_file_that_may_not_grow_keeps_whole_lines(make_vault: MakeVault) -> None:
    root = make_vault({})
    script = (
        "import resource, signal, sys\n"
        "from mindcache.errors import MindcacheError\n"
        "from mindcache.vault import Entry, Ledger, Vault\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "ledger = Ledger(Vault(sys.argv[1]), 'x')\n"
        "ledger.add([Entry('made', 'chat', 'a', 'm-0')])\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "try:\n"
        "    ledger.add([Entry('made', 'chat', 'b' * 200, 'm-1')])\n"
        "except MindcacheError as error:\n"
        "    print(error.message)\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", script, str(root)],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert "x.jsonl can't be written" in told
    ledger = Ledger(Vault(str(root)), "x")
    assert ledger.made("chat") == {"a": "m-0"}
    assert ledger.problems == []


def test_doctor_names_damaged_lines_and_cuts_the_torn_one(make_vault, make_app) -> None:
    root = make_vault({".mindcache/ledger/other.jsonl": "junk\n"})
    app = make_app(root)
    app.ledger.add([Entry("made", "chat", "a", "m-0")])
    (own,) = set((root / ".mindcache/ledger").iterdir()) - {
        root / ".mindcache/ledger/other.jsonl"
    }
    whole = own.read_bytes()
    own.write_bytes(whole + b'{"what": "ma')
    found = [p for p in app.doctor().problems if p.code == "ledger"]
    assert {(p.path, p.line) for p in found} == {
        (".mindcache/ledger/other.jsonl", 1),
        (f".mindcache/ledger/{own.name}", 2),
    }
    app.tidy()
    assert own.read_bytes() == whole
    left = [p.path for p in app.doctor().problems if p.code == "ledger"]
    assert left == [".mindcache/ledger/other.jsonl"]


def test_a_device_keeps_its_name(tmp_path: Path) -> None:
    name = device.name(str(tmp_path / "state"))
    assert device.name(str(tmp_path / "state")) == name
    assert device.name(str(tmp_path / "other")) != name
    (tmp_path / "state" / "device").write_text("../../etc\n")
    again = device.name(str(tmp_path / "state"))
    assert "/" not in again
    assert device.name(str(tmp_path / "state")) == again


def test_ctrl_c_right_after_the_renaming_is_still_ctrl_c(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.replace

    def interrupted(source: str, target: str) -> None:
        real(source, target)
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    note = tmp_path / "n.md"
    note.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt):
        atomic.replace(str(note), b"new")
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("n.md", b"new")]
