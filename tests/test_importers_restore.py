"""Taking an export back: the same bytes, the same graph, and nothing over another."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindcache.app import App
from mindcache.cli.root import root as command_line
from mindcache.errors import NoteNotFound, Refused, UsageError
from mindcache.exporters import Destination, export_json, export_sqlite
from mindcache.exporters.records import FORMAT
from mindcache.importers import registry
from mindcache.importers.exported import is_sqlite_export, members
from mindcache.importers.restore import Restored, restore, restore_from
from mindcache.recall import Filters
from mindcache.vault import Entry
from tests.conftest import NOW
from tests.dumps import dump
from tests.exports import vaults

ID = "m-01JEZ0000000000000000000AA"
NOTES = {
    "Pumps.md": f"---\nid: {ID}\ntype: fact\n---\nSee [[Ines]].\n",
    "Ines.md": "Works here.\r\n",
}


def exported(app: App) -> bytes:
    out = io.BytesIO()
    export_json(app, Filters(), Destination("-"), stdout=out)
    return out.getvalue()


def write(path: Path, nodes: list[Any], **more: Any) -> str:
    """A small export by hand."""
    whole = {"format": "mindcache-export", "schema": 1, "nodes": nodes, **more}
    path.write_text(json.dumps(whole, indent=1), encoding="utf-8")
    return str(path)


def refused(report: Restored) -> dict[str, str]:
    return {path: error.message for path, error in report.refused}


# -- there and back ------------------------------------------------------------


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(vaults, st.booleans())
def test_any_vault_comes_back_as_it_was(tmp_path_factory, files, as_sqlite) -> None:
    base = tmp_path_factory.mktemp("base")
    root = base / "vault"
    (root / ".obsidian").mkdir(parents=True)
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    app = App(str(root), str(base / "cache"), now=lambda: NOW)
    entries = [Entry("made", "calendar", "u1", ID, "a.md"), Entry("trashed", "x", "y")]
    app.ledger.add([*entries, *entries])
    before, there = exported(app), base / "export"
    if as_sqlite:
        export_sqlite(app, Filters(), Destination(str(there)))
    else:
        there.write_bytes(before)
    index = dump(app.cache_path)
    app.close()
    shutil.rmtree(root)
    (root / ".obsidian").mkdir(parents=True)
    again = App(str(root), str(base / "fresh"), now=lambda: NOW)
    report = restore(again, str(there))
    assert report.refused == []
    assert sorted(report.made) == sorted(files)
    # That notes share an id is told, and no reason to lose one.
    assert {problem.code for problem in report.problems} <= {"import-twin"}
    assert {path: (root / path).read_bytes() for path in files} == files
    assert exported(again) == before
    for table, rows in dump(again.cache_path).items():
        assert index[table] == rows, table
    second = restore(again, str(there))
    assert (second.made, second.unchanged, second.ledger) == ([], len(files), 0)
    again.close()


def test_any_layout_of_the_same_json_is_read(make_vault, make_app, tmp_path) -> None:
    app = make_app(make_vault(NOTES))
    whole = json.loads(exported(app))
    for number, text in enumerate(
        (
            json.dumps(whole, indent=4, sort_keys=True).replace("\n", "\r\n"),
            json.dumps(whole, separators=(",", ":")),
            "\ufeff" + json.dumps(whole, ensure_ascii=False),
        )
    ):
        path = tmp_path / f"{number}.json"
        path.write_bytes(text.encode())
        empty = make_app(make_vault({}), f"c{number}")
        assert len(restore(empty, str(path)).made) == 2


@settings(max_examples=60, deadline=None)
@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers()
        | st.floats(allow_nan=False)
        | st.text(),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
        ),
        max_leaves=12,
    ),
    st.sampled_from([None, 1, 3]),
)
def test_values_are_read_as_the_library_reads_them(
    tmp_path_factory, value, indent
) -> None:
    whole = {"one": value, "list": [value, value], "last": 12345}
    path = tmp_path_factory.mktemp("json") / "x"
    path.write_text(json.dumps(whole, indent=indent), encoding="utf-8")
    found: dict[str, Any] = {"one": [], "list": []}
    for name, item in members(str(path)):
        if name == "list" or (name == "one" and isinstance(value, list)):
            found[name].append(item)
        else:
            found[name] = item
    assert found == whole


def test_notes_larger_than_what_is_read_at_once(make_vault, make_app, tmp_path) -> None:
    notes = {
        f"{n}.md": f"{n} " * size for n, size in enumerate((10, 100_000, 60_000, 5))
    }
    app = make_app(make_vault(notes))
    path = tmp_path / "x.json"
    path.write_bytes(exported(app))
    root = make_vault({})
    restore(make_app(root, "other"), str(path))
    assert {n: (root / n).read_text() for n in notes} == notes


def test_what_was_deleted_stays_deleted(make_vault, make_app, tmp_path: Path) -> None:
    from mindcache.importers import Wishes, find, run_import

    feed = tmp_path / "x.ics"
    feed.write_text(
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:u1\nSUMMARY:Survey\n"
        "DTSTART:20270301T090000\nEND:VEVENT\nEND:VCALENDAR\n"
    )
    root = make_vault(NOTES)
    app = make_app(root)
    calendar = find("calendar")
    assert calendar is not None
    made = run_import(app, calendar, [str(feed)], Wishes()).plan.of("made")
    (root / made[0].path).unlink()
    path = tmp_path / "x.json"
    path.write_bytes(exported(app))
    other = make_app(make_vault({}), "other")
    assert restore(other, str(path)).ledger == 1
    again = run_import(other, calendar, [str(feed)], Wishes()).plan
    assert [step.action for step in again.steps] == ["left_out"]


# -- onto a vault that has notes -----------------------------------------------


def test_nothing_is_ever_overwritten(make_vault, make_app, tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(exported(make_app(make_vault({**NOTES, "New.md": "new\n"}))))
    root = make_vault({"Ines.md": "my own words", "moved/P.md": NOTES["Pumps.md"]})
    app = make_app(root, "other")
    told = restore(app, str(path), dry_run=True)
    assert not (root / "New.md").exists()
    report = restore(app, str(path))
    assert refused(report) == {"Ines.md": "another text is at this path"}
    assert report.moved == [("Pumps.md", "moved/P.md")]
    assert report.made == ["New.md"] == told.made
    assert (told.unchanged, refused(told)) == (report.unchanged, refused(report))
    assert (root / "Ines.md").read_text() == "my own words"
    assert app.reader().find_node("New.md") is not None


def test_an_id_that_is_taken_is_refused_with_its_ledger(
    make_vault, make_app, tmp_path
) -> None:
    app = make_app(make_vault(NOTES))
    app.ledger.add([Entry("made", "calendar", "u1", ID, "Pumps.md")])
    path = tmp_path / "x.json"
    path.write_bytes(exported(app))
    other = make_app(make_vault({"Else.md": f"---\nid: {ID}\n---\nother\n"}), "other")
    report = restore(other, str(path))
    assert refused(report) == {
        "Pumps.md": f"its id {ID} belongs to Else.md, which is another"
    }
    assert report.ledger == 0
    assert report.made == ["Ines.md"]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("../out.md", "leads out of the vault"),
        ("a/../../out.md", "leads out of the vault"),
        ("/etc/out.md", "leads out of the vault"),
        ("a//b.md", "leads out of the vault"),
        ("C:\\out.md", "\"C:\\out.md\" holds ':', which Windows forbids"),
        ("aux.md", '"aux.md" is a reserved name on Windows'),
        (".mindcache/config.toml", "is not the path of a note"),
        (".obsidian/x.md", "is not the path of a note"),
        ("script.sh", "is not the path of a note"),
        ("ines.md", "Ines.md differs only in how it is spelled"),
        ("dir. /x.md", '"dir. " ends in a space or dot, which Windows drops'),
    ],
)
def test_paths_that_no_note_may_have(
    make_vault, make_app, tmp_path, path, reason
) -> None:
    root = make_vault(NOTES)
    outside = {each for each in tmp_path.rglob("*") if "cache" not in each.parts}
    there = write(
        tmp_path / "x.json",
        [{"path": path, "text": "x"}, {"path": "ok.md", "text": "y"}],
    )
    report = restore(make_app(root), there)
    assert refused(report) == {path: reason}
    assert report.made == ["ok.md"]
    new = set(tmp_path.rglob("*.md")) - outside
    assert new == {root / "ok.md"}


def test_a_link_that_leaves_the_vault_is_not_followed(
    make_vault, make_app, tmp_path
) -> None:
    root = make_vault({})
    (tmp_path / "elsewhere").mkdir()
    (root / "door").symlink_to(tmp_path / "elsewhere")
    there = write(tmp_path / "x.json", [{"path": "door/x.md", "text": "x"}])
    report = restore(make_app(root), there)
    assert "leads out of the vault" in refused(report)["door/x.md"]
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize(
    "hostile",
    [
        (
            "CREATE VIEW ledger AS WITH RECURSIVE n(i) AS"
            " (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS what FROM n"
        ),
        "CREATE TRIGGER t AFTER INSERT ON nodes BEGIN DELETE FROM nodes; END",
        "CREATE VIRTUAL TABLE ledger USING fts5(what)",
        "CREATE TABLE ledger (what, kind TEXT AS (hex(zeroblob(400000000))))",
    ],
)
def test_a_file_of_sqlite_runs_nothing(make_vault, make_app, tmp_path, hostile) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "x.sqlite")) as file:
        file.execute("CREATE TABLE meta (key, value)")
        file.execute("CREATE TABLE nodes (path, id, head, text, bytes)")
        file.execute("INSERT INTO meta VALUES ('format', ?)", (FORMAT,))
        file.execute(hostile)
        file.commit()
    app = make_app(make_vault({}))
    with pytest.raises(UsageError, match="would be run to be read"):
        restore(app, tmp_path / "x.sqlite")


LINE = {"what": "made", "kind": "calendar", "key": "u1"}


def test_junk_in_the_ledger_is_never_written(make_vault, make_app, tmp_path) -> None:
    junk = [{"what": "x"}, {"what": "made", "kind": "x"}, {**LINE, "to": "\ud800"}, 3]
    there = write(tmp_path / "x.json", [], ledger=[*junk, LINE])
    app = make_app(make_vault({}))
    assert [restore(app, there).ledger for _ in range(3)] == [1, 0, 0]
    assert len(restore(app, there).problems) == len(junk)
    assert app.ledger.damaged() == []


def test_an_id_of_the_vault_belongs_to_one_note(make_vault, make_app, tmp_path) -> None:
    text = f"---\nid: {ID}\n---\n"
    nodes = [
        {"path": "a.md", "id": ID, "text": f"{text}a"},
        {"path": "b.md", "id": ID, "text": f"{text}b"},
        {"path": "c.md", "text": f"{text}c"},
    ]
    there = write(tmp_path / "x.json", nodes)
    report = restore(make_app(make_vault({})), there)
    # The vault that was exported had them so; a backup comes back whole.
    assert report.made == ["a.md", "b.md", "c.md"]
    assert [(p.path, p.message) for p in report.problems] == [
        (path, f"its id {ID} is that of a.md too") for path in ("b.md", "c.md")
    ]
    there = write(tmp_path / "y.json", nodes[2:])
    report = restore(make_app(make_vault({"z.md": f"{text}z"}), "other"), there)
    assert refused(report) == {"c.md": f"its id {ID} belongs to z.md, which is another"}


@pytest.mark.parametrize("schema", ["1", True, None])
def test_a_schema_that_is_no_number_is_called_so(
    make_vault, make_app, tmp_path, schema
) -> None:
    there = write(tmp_path / "x.json", [], schema=schema)
    with pytest.raises(UsageError, match="which is no number"):
        restore(make_app(make_vault({})), there)


def test_bad_records_cost_themselves(make_vault, make_app, tmp_path: Path) -> None:
    nodes = [
        *(3, {"text": "x"}, {"path": "a.md"}, {"path": 5, "text": "x"}),
        {"path": "b.md", "text": "", "base64": "%%%"},
        {"path": "c.md", "text": "\ud800"},
        {"path": "ok.md", "text": "fine"},
        {"path": "ok.md", "text": "twice"},
    ]
    there = write(
        tmp_path / "x.json", nodes, ledger=[{"what": 1}, {"what": "made"}, LINE]
    )
    report = restore(make_app(make_vault({})), there)
    assert report.made == ["ok.md"]
    assert [problem.code for problem in report.problems] == ["import-node"] * 6 + [
        "import-ledger"
    ] * 2
    assert refused(report) == {"ok.md": "the export has two notes of this path"}
    assert report.ledger == 1


def test_what_is_no_export_writes_nothing(make_vault, make_app, tmp_path: Path) -> None:
    root = make_vault({})
    app = make_app(root)
    path = tmp_path / "x.json"

    def give(data: bytes) -> Restored:
        path.write_bytes(data)
        return restore(app, str(path))

    whole = exported(make_app(make_vault(NOTES), "other"))
    with pytest.raises(UsageError, match="line 11"):
        give(whole[: whole.index(b'"topics"') + 4])
    for data in (b"", b"[]", b"text", b"\xff\xfe", b"[" * 100_000, b'{"a": ' + b"[" * 99_999,
                 whole + b"x", b"SQLite format 3\0" + b"\0" * 200):  # fmt: skip
        with pytest.raises(UsageError, match="can't be read as an export"):
            give(data)
    with pytest.raises(UsageError, match="no export of Mindcache"):
        give(b'{"conversations": [1, 2]}')
    with pytest.raises(Refused, match="schema 2"):
        give(whole.replace(b'"schema": 1', b'"schema": 2'))
    with pytest.raises(NoteNotFound):
        restore_from(app, str(tmp_path / "none"), dry_run=False, stdin=io.BytesIO())
    assert list(root.glob("*.md")) == []


def test_stdin_is_read_as_a_file_is(make_vault, make_app) -> None:
    whole = exported(make_app(make_vault(NOTES)))
    app = make_app(make_vault({}), "other")
    report = restore_from(app, "-", dry_run=False, stdin=io.BytesIO(whole))
    assert sorted(report.made) == sorted(NOTES)


def test_other_settings_are_told(make_vault, make_app, tmp_path: Path) -> None:
    config = {".mindcache/config.toml": 'timezone = "Asia/Tokyo"\n'}
    path = tmp_path / "x.json"
    path.write_bytes(exported(make_app(make_vault({**NOTES, **config}))))
    report = restore(make_app(make_vault({}), "other"), str(path))
    assert [p.message for p in report.problems] == [
        "timezone was 'Asia/Tokyo' there and is '' here"
    ]
    assert not report.is_lossy


def test_a_note_beyond_the_size_cap_is_refused(make_vault, make_app, tmp_path) -> None:
    there = write(tmp_path / "x.json", [{"path": "big.md", "text": "x" * 400}])
    app = make_app(make_vault({".mindcache/config.toml": "size_cap = 300\n"}))
    assert refused(restore(app, there)) == {
        "big.md": "larger than size_cap (300 bytes)"
    }


# -- the command line ----------------------------------------------------------


def test_both_forms_are_listed_and_called(make_vault, make_app, tmp_path: Path) -> None:
    listed = registry.names()
    assert {"json", "sqlite", "calendar"} <= listed.keys()
    path = tmp_path / "x.sqlite"
    export_sqlite(make_app(make_vault(NOTES)), Filters(), Destination(str(path)))
    assert is_sqlite_export(str(path))
    root = make_vault({})
    with pytest.raises(SystemExit) as leaving:
        command_line(
            ["import", "sqlite", str(path), "--vault", str(root), "--json"], obj=_call()
        )
    assert leaving.value.code == 0
    assert sorted(p.name for p in root.glob("*.md")) == sorted(NOTES)


def test_an_importer_of_the_same_name_leaves_our_files_to_us(
    make_vault, make_app, tmp_path, monkeypatch
) -> None:
    monkeypatch.setitem(registry.BUILT_IN, "sqlite", registry.BUILT_IN["calendar"])  # type: ignore[arg-type]
    path = tmp_path / "x.sqlite"
    export_sqlite(make_app(make_vault(NOTES)), Filters(), Destination(str(path)))
    root = make_vault({})
    with pytest.raises(SystemExit) as leaving:
        command_line(["import", "sqlite", str(path), "--vault", str(root)], obj=_call())
    assert leaving.value.code == 0
    assert sorted(p.name for p in root.glob("*.md")) == sorted(NOTES)


def _call() -> Any:
    from mindcache.cli.call import Call

    return Call()
