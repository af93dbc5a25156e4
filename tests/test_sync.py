"""Disk to cache: what a sync notices, keeps, and refuses to believe."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mindcache.cache.read import Reader, SeenFile
from mindcache.errors import VaultUnavailable
from mindcache.sync import Scope, diff
from mindcache.vault import Scan, Stamp
from tests.conftest import MakeApp, MakeVault, write_files
from tests.dumps import dump


def seen(device: int = 1, inode: int = 7, mtime: int = 5, size: int = 3) -> SeenFile:
    return SeenFile("note", size, mtime, inode, device, b"hash")


@pytest.mark.parametrize(
    "stamp",
    [
        Stamp(4, 5, 7, 1),
        Stamp(3, 4, 7, 1),  # an older time counts as well: sync programs keep mtimes
        Stamp(3, 6, 7, 1),
        Stamp(3, 5, 8, 1),  # replaced by rename
    ],
)
def test_any_difference_of_a_stamp_is_a_suspect(stamp: Stamp) -> None:
    found = diff(Scan(notes={"a.md": stamp}, devices={1}), {"a.md": seen()})
    assert found.suspects == ["a.md"]
    assert not found.gone


def test_an_equal_stamp_is_no_suspect() -> None:
    assert not diff(Scan(notes={"a.md": Stamp(3, 5, 7, 1)}), {"a.md": seen()})


def test_what_an_unreadable_folder_hides_is_not_gone() -> None:
    scan = Scan(unreadable=["sub/"], devices={1})
    found = diff(scan, {"sub/a.md": seen(), "subway.md": seen()})
    assert found.kept == ["sub/a.md"]
    assert found.gone == ["subway.md"]


def test_what_was_on_a_file_system_that_is_not_mounted_is_not_gone() -> None:
    scan = Scan(notes={"a.md": Stamp(3, 5, 7, 1)}, devices={1})
    found = diff(scan, {"a.md": seen(), "mnt/b.md": seen(device=2)})
    assert found.kept == ["mnt/b.md"]
    assert not found.gone


def test_a_device_number_that_changed_at_a_restart_hides_no_deletion() -> None:
    scan = Scan(notes={"a.md": Stamp(3, 5, 7, 9)}, devices={9})
    found = diff(scan, {"a.md": seen(device=2), "b.md": seen(device=2)})
    assert found.gone == ["b.md"]


def test_first_sync_reports_every_note(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    vault = make_vault({"a.md": "one", "sub/b.md": "two", "pic.png": b"\x89PNG"})
    report = make_app(vault).update()
    assert report.added == ["a.md", "sub/b.md"]
    assert (report.on_disk, report.indexed, report.partial) == (2, 2, False)


def test_create_edit_move_delete(make_vault: MakeVault, make_app: MakeApp) -> None:
    vault = make_vault({"a.md": "one", "b.md": "two", "c.md": "three"})
    app = make_app(vault)
    app.update()
    (vault / "a.md").write_text("one, changed")
    (vault / "b.md").rename(vault / "moved.md")
    (vault / "c.md").unlink()
    (vault / "d.md").write_text("four")
    report = app.update()
    assert report.changed == ["a.md"]
    assert report.moved == [("b.md", "moved.md")]
    assert report.removed == ["c.md"]
    assert report.added == ["d.md"]
    assert not app.update().changed


def test_same_size_edit_within_the_clock_tick_is_seen(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    vault = make_vault({"a.md": "cat"})
    app = make_app(vault)
    app.update()
    before = (vault / "a.md").stat()
    with (vault / "a.md").open("r+") as file:
        file.write("dog")
    os.utime(vault / "a.md", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert app.update().changed == ["a.md"]


def test_a_move_never_embeds_again(
    make_vault: MakeVault, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mindcache.index.embedding import Encoder

    vault = make_vault({"a.md": "A quiet paragraph about herons.", "b.md": "Other."})
    app = make_app(vault)
    app.update()
    encoded: list[str] = []
    encode = Encoder.encode
    monkeypatch.setattr(
        Encoder,
        "encode",
        lambda self, texts: encoded.extend(texts) or encode(self, texts),
    )
    (vault / "deep").mkdir()
    (vault / "a.md").rename(vault / "deep/renamed.md")
    report = app.update()
    assert report.moved == [("a.md", "deep/renamed.md")]
    assert encoded == []
    (vault / "b.md").write_text("Other.\n\n# New heading\n\nA new section.")
    app.update()
    assert encoded == ["A new section."]


def test_unchanged_content_under_a_new_stamp_is_not_read_as_changed(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    vault = make_vault({"a.md": "one"})
    app = make_app(vault)
    app.update()
    os.utime(vault / "a.md", ns=(1, 1))
    report = app.update()
    assert not report.changed
    assert report.indexed == 1


def test_the_other_spelling_of_a_name_is_another_note(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    vault = make_vault({"README.md": "upper", "readme.md": "lower"})
    app = make_app(vault)
    assert app.update().added == ["README.md", "readme.md"]


def test_move_then_copy_back_gives_two_notes(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    """C8: the copy at the old path is a note of its own, its id a duplicate."""
    note = "---\nid: m-01JEZ0000000000000000000AA\n---\ntext"
    vault = make_vault({"a.md": note})
    app = make_app(vault)
    app.update()
    (vault / "a.md").rename(vault / "b.md")
    app.update()
    (vault / "a.md").write_text(note)
    assert app.update().added == ["a.md"]
    assert app.reader().duplicate_ids() == [
        ("m-01JEZ0000000000000000000AA", ["a.md", "b.md"])
    ]


def test_a_link_to_a_note_created_later_resolves(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    """C7: no rebuild is needed, whichever of the two comes first."""
    vault = make_vault({"a.md": "[[Later]] and [[Nick]]"})
    app = make_app(vault)
    assert len(app.reader().unresolved()) == 2
    write_files(vault, {"sub/Later.md": "here", "x.md": "---\naliases: [Nick]\n---\n"})
    links = app.reader().links_from("a.md")
    assert [link.resolved for link in links] == ["sub/Later.md", "x.md"]
    (vault / "Later.md").write_text("nearer")
    assert app.reader().links_from("a.md")[0].resolved == "Later.md"
    (vault / "Later.md").unlink()
    (vault / "sub/Later.md").unlink()
    assert app.reader().links_from("a.md")[0].resolved == ""


def test_colliding_names_never_stop_a_sync(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    """C1, C12: names that fall together elsewhere are separate notes here."""
    names = [
        "Finance/X.md",
        "finance/x.md",
        "C++.md",
        "C.md",
        "\u00e9.md",
        "e\u0301.md",
    ]
    vault = make_vault({name: f"text of {name}" for name in names})
    report = make_app(vault).update()
    assert sorted(report.added) == sorted(names)
    assert not report.failed


def test_a_held_note_is_neither_indexed_nor_lost(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    copy = "n.sync-conflict-20260101-120000-ABCDEFG.md"
    torn = "<<<<<<< HEAD\nmine zebra\n=======\nyours zebra\n>>>>>>> other\n"
    vault = make_vault({"n.md": "zebra", copy: "zebra copy", "torn.md": torn})
    app = make_app(vault)
    report = app.update()
    assert report.indexed == 1
    assert {p.code for p in report.skipped} == {"conflict-copy", "git-conflict"}
    assert {p.path for p in app.reader().problems()} == {copy, "torn.md"}
    (vault / "torn.md").write_text("mended zebra")
    assert app.update().indexed == 2


def test_a_giant_note_is_reported_and_not_read(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    """L2: a 30 MB drawing costs nothing but a line in the report."""
    vault = make_vault({"big.excalidraw.md": b"x" * 30_000_000, "a.md": "small"})
    app = make_app(vault)
    report = app.update()
    assert report.indexed == 1
    assert [p.code for p in report.skipped] == ["too-large"]
    assert app.reader().counts()["skipped"] == 1
    assert not app.update().skipped  # said once, kept in the problems
    assert [p.code for p in app.reader().problems()] == ["too-large"]


def test_partial_updates_say_so(make_vault: MakeVault, make_app: MakeApp) -> None:
    vault = make_vault({"a.md": "one", "b.md": "two", "c.md": "three"})
    app = make_app(vault)
    app.update()
    for name in ("a.md", "b.md"):
        (vault / name).write_text("changed")
    (vault / "c.md").unlink()
    report = app.update(scope=Scope(only=("a.md", "c.md", "nowhere.md")))
    assert report.partial
    assert (report.changed, report.removed) == (["a.md"], ["c.md"])
    assert [p.path for p in report.skipped] == ["nowhere.md"]
    assert report.failed
    assert app.update().changed == ["b.md"]


def test_since_limits_what_is_looked_at_and_never_what_is_found_later(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    vault = make_vault({"old.md": "one", "new.md": "two"})
    app = make_app(vault)
    app.update()
    (vault / "old.md").write_text("one changed")
    os.utime(vault / "old.md", ns=(10**18, 10**18))
    (vault / "new.md").write_text("two changed")
    report = app.update(scope=Scope(since_ns=2 * 10**18 - 5 * 10**17))
    assert report.partial
    assert report.changed == ["new.md"]
    assert app.update().changed == ["old.md"]


def test_an_emptied_folder_without_marks_of_a_vault_is_not_believed(
    tmp_path: Path, make_app: MakeApp
) -> None:
    """A11: a mount point whose disk is away looks just like this."""
    root = tmp_path / "mountpoint"
    write_files(root, {"a.md": "one", "b.md": "two"})
    app = make_app(root)
    app.update()
    for name in ("a.md", "b.md"):
        (root / name).unlink()
    with pytest.raises(VaultUnavailable, match="2 are known"):
        app.update()
    reader = Reader.open(app.cache_path, app.fingerprint)
    assert reader is not None
    assert reader.counts()["notes"] == 2
    reader.close()
    assert app.update(rebuild=True).indexed == 0


def test_a_vanished_root_removes_nothing(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    vault = make_vault({"a.md": "one"})
    app = make_app(vault)
    app.update()
    vault.rename(vault.with_name("elsewhere"))
    with pytest.raises(VaultUnavailable):
        app.update()
    vault.with_name("elsewhere").rename(vault)
    assert app.update().indexed == 1


def test_a_note_written_during_the_scan_is_not_removed(
    make_vault: MakeVault, make_app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mindcache.vault import Vault

    vault = make_vault({"a.md": "one", "b.md": "two"})
    app = make_app(vault)
    app.update()
    (vault / "b.md").unlink()
    walk = Vault.scan

    def scan_then_write(self: Vault, progress: object = None) -> Scan:
        found = walk(self)
        (vault / "b.md").write_text("two again")
        return found

    monkeypatch.setattr(Vault, "scan", scan_then_write)
    assert app.update().removed == []
    monkeypatch.setattr(Vault, "scan", walk)
    app.update()
    assert app.reader().counts()["notes"] == 2


def test_forty_thousand_paths_fit_every_statement(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    """L1: no list of paths or ids meets SQLite's limit of variables."""
    vault = make_vault({"a.md": "---\ntags: [x/y]\n---\none"})
    app = make_app(vault)
    reader = app.reader()
    many = [f"no/such/{n}.md" for n in range(40_000)]
    assert reader.file_ids([*many, "a.md"]).keys() == {"a.md"}
    assert len(reader.nodes(range(40_000))) == 1
    assert reader.edges_of(many) == []
    assert reader.chunks(range(40_000)).keys() == {0}
    assert reader.names(many) == []


def test_a_fingerprint_that_changed_builds_anew(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    vault = make_vault({"a.md": "one", "sub/b.md": "two"})
    app = make_app(vault)
    app.update()
    (vault / ".mindcacheignore").write_text("sub/\n")
    again = make_app(vault)
    assert again.fingerprint != app.fingerprint
    assert again.update().added == ["a.md"]
    assert again.reader().counts()["notes"] == 1


def test_a_damaged_cache_is_built_anew(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    vault = make_vault({"a.md": "one zebra", "b.md": "[[a]]"})
    app = make_app(vault)
    app.update()
    good = dump(app.cache_path)
    app.close()
    for damage in (b"not a database at all" * 500, b""):
        Path(app.cache_path).write_bytes(damage)
        for name in ("-wal", "-shm"):
            Path(app.cache_path + name).unlink(missing_ok=True)
        again = make_app(vault)
        assert again.reader().counts()["notes"] == 2
        assert dump(app.cache_path) == good
        again.close()


def test_the_cache_is_its_owners_alone(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    app = make_app(make_vault({"a.md": "one"}))
    app.update()
    assert Path(app.cache_path).stat().st_mode & 0o777 == 0o600
    assert Path(app.cache_path).parent.stat().st_mode & 0o777 == 0o700


def test_an_index_leaves_every_byte_of_the_vault(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    vault = make_vault(
        {"a.md": b"\xef\xbb\xbf---\r\nx: 1\r\n---\r\ntext", "b.md": "\xff"}
    )
    before = {p: (p.read_bytes(), p.stat()) for p in vault.rglob("*") if p.is_file()}
    make_app(vault).update()
    after = {p: (p.read_bytes(), p.stat()) for p in vault.rglob("*") if p.is_file()}
    assert {p: b for p, (b, _) in before.items()} == {
        p: b for p, (b, _) in after.items()
    }
    assert [s.st_mtime_ns for _, s in before.values()] == [
        s.st_mtime_ns for _, s in after.values()
    ]


def test_purged_text_leaves_the_file(make_vault: MakeVault, make_app: MakeApp) -> None:
    """L7: after compaction the words of a deleted note stand nowhere in the file."""
    vault = make_vault({"a.md": "xylographer secretword", "b.md": "other"})
    app = make_app(vault)
    app.update()
    (vault / "a.md").unlink()
    app.update()
    app.compact()
    app.close()
    folder = Path(app.cache_path).parent
    data = b"".join(p.read_bytes() for p in folder.iterdir())
    assert b"xylograph" not in data
    assert b"secretword" not in data
    assert b"other" in data


def test_a_rename_of_which_only_the_new_name_is_told_is_one_memory(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    root = make_vault({"a.md": "One.\n", "b.md": "Other.\n", "copy.md": "Other.\n"})
    app = make_app(root)
    app.update()
    (root / "a.md").rename(root / "new.md")
    report = app.update(scope=Scope(only=("new.md",)))
    assert (report.added, report.moved, report.removed) == (
        [],
        [("a.md", "new.md")],
        [],
    )
    assert [node.path for node in app.reader().nodes()] == ["b.md", "copy.md", "new.md"]
    (root / "third.md").write_text("Other.\n")
    report = app.update(scope=Scope(only=("third.md",)))
    assert (report.added, report.moved, report.removed) == (["third.md"], [], [])
    (root / "copy.md").unlink()
    (root / "fourth.md").write_text("Other.\n")
    report = app.update(scope=Scope(only=("fourth.md",)))
    assert report.moved == [("copy.md", "fourth.md")]
