"""Rows of SQLite files as notes, and what such a file is kept from."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from mindcache.cli import run
from mindcache.errors import MindcacheError, UsageError
from mindcache.importers import Wishes, find, run_import
from mindcache.importers.sqlite import opening
from mindcache.importers.sqlite.mapping import Chosen, from_toml, parsed, to_toml


def database(path: Path, script: str) -> Path:
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.commit()
    connection.close()
    return path


NOTES = """
CREATE TABLE note (nr INTEGER PRIMARY KEY, name TEXT, words TEXT, at, labels TEXT, kind TEXT, stars INT);
INSERT INTO note VALUES (1, 'Tea', 'It is green.', 1709294400, '["drink", "tool/pot"]', 'fact', 5);
INSERT INTO note VALUES (2, 'Tea', 'It is black.', '2024-03-02T10:00:00Z', 'drink, hot', 'Widget', NULL);
INSERT INTO note VALUES (3, NULL, NULL, NULL, NULL, NULL, NULL);
"""
MAP = "title=name,body=words,when=at,tags=labels,type=kind,stars=stars"


@pytest.fixture
def bring(make_vault, make_app, tmp_path):
    vault = make_vault({})

    def work(path: Path, chosen: Chosen, wishes=None, **options):
        app = make_app(vault)
        importer = find("sqlite").configured(
            chosen=chosen, **{"namespace": "domain", **options}
        )
        return run_import(app, importer, [str(path)], wishes or Wishes()), app

    return work


def test_rows_become_notes_by_a_mapping(bring, tmp_path) -> None:
    path = database(tmp_path / "n.db", NOTES)
    chosen = Chosen(table="note", columns=parsed([MAP]))
    report, app = bring(path, chosen)
    assert [s.path for s in report.plan.of("made")] == [
        "memory/2024-03-01 Tea.md",
        "memory/2024-03-02 Tea.md",
    ]
    assert [(each.what, each.count) for each in report.left] == [("row", 1)]
    first = dict(app.look("memory/2024-03-01 Tea.md")[1].properties)
    first.pop("id")
    assert first == {
        "type": "fact",
        "summary": "It is green.",
        "stars": 5,
        "title": "Tea",
        "created_at": "2024-03-01T12:00",
        "tags": ["domain/drink", "tool/pot", "scope/project"],
        "source_type": "sqlite",
        "source_id": "n.db/note/1",
        "source_path": "n.db",
    }
    second = app.look("memory/2024-03-02 Tea.md")[1]
    assert (second.properties["kind"], second.body) == ("Widget", "It is black.\n")
    report, _ = bring(path, chosen)
    assert {s.action for s in report.plan.steps} == {"unchanged"}
    Path(app.vault.root, "memory/2024-03-02 Tea.md").unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE note SET words = 'It is red.' WHERE nr = 1")
    connection.close()
    dry, _ = bring(path, chosen, Wishes(dry_run=True))
    report, _ = bring(path, chosen)
    assert [s.action for s in report.plan.steps] == ["changed", "left_out"]
    assert [s.change for s in dry.plan.steps] == [s.change for s in report.plan.steps]
    assert Path(app.vault.root, "memory/2024-03-02 Tea.md").exists() is False


def test_times_that_cant_be_read_are_told_once(bring, tmp_path) -> None:
    script = (
        "CREATE TABLE t (nr INTEGER PRIMARY KEY, title, at);"
        "INSERT INTO t VALUES (1, 'a', 'last spring?!'), (2, 'b', 'xx'), (3, 'c', NULL),"
        " (4, 'd', '2024-03-02');"
    )
    path = database(tmp_path / "n.db", script)
    report, _ = bring(path, Chosen(table="t", columns=parsed(["when=at"])))
    assert len(report.plan.of("made")) == 4
    (problem,) = report.problems
    assert problem.code == "sqlite-time"
    assert "from at in 2 of the rows, such as 'last spring?!'" in problem.message
    assert not report.is_lossy


def test_a_query_of_the_users_own(bring, tmp_path) -> None:
    path = database(tmp_path / "n.db", NOTES)
    query = "SELECT name AS title, words AS body, nr FROM note WHERE nr < 3 -- '; DROP"
    report, _ = bring(path, Chosen(query=query, columns={"key": "nr"}))
    assert [s.item.key for s in report.plan.of("made")] == [
        "n.db/query/1",
        "n.db/query/2",
    ]
    with pytest.raises(UsageError, match="which row is which"):
        bring(path, Chosen(query=query))


@pytest.mark.parametrize(
    "query",
    [
        "DELETE FROM note",
        "UPDATE note SET name = 'x'",
        "CREATE TABLE t (x)",
        "PRAGMA writable_schema = 1",
        "ATTACH 'x.db' AS x",
        "SELECT 1; DROP TABLE note",
        "SELECT load_extension('x')",
        "SELECT token FROM auth_profile_store",
        "SELECT count(*) FROM auth_profile_store",
        "WITH x AS (SELECT token FROM AUTH_PROFILE_store) SELECT * FROM x",
        "SELECT * FROM harmless",
        "nonsense",
    ],
)
def test_nothing_but_reading_is_allowed(query, tmp_path) -> None:
    script = f"{NOTES} CREATE TABLE auth_profile_store (token); INSERT INTO auth_profile_store VALUES ('hush'); CREATE VIEW harmless AS SELECT * FROM auth_profile_store;"
    path = database(tmp_path / "n.db", script)
    before = path.read_bytes()
    with opening.opened(str(path)) as connection:
        with pytest.raises(UsageError):
            list(opening.rows(connection, query))
        assert "auth_profile_store" not in opening.tables(connection)
    assert path.read_bytes() == before
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith("n.db")) == [
        "n.db"
    ]


def test_a_query_without_end_is_ended(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(opening, "LONGEST", 0.05)
    path = database(tmp_path / "n.db", NOTES)
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) FROM n"
    with (
        opening.opened(str(path)) as connection,
        pytest.raises(MindcacheError, match="longer"),
    ):
        list(opening.rows(connection, endless))


def test_more_rows_than_are_taken(bring, tmp_path, monkeypatch) -> None:
    from mindcache.importers.sqlite import reader

    monkeypatch.setattr(reader, "MOST_ROWS", 2)
    report, _ = bring(
        database(tmp_path / "n.db", NOTES),
        Chosen(table="note", columns={"title": "name"}),
    )
    assert len(report.plan.of("made")) == 2
    assert report.is_lossy


def test_a_log_that_is_not_merged_yet_is_read_too(bring, tmp_path) -> None:
    path = database(tmp_path / "n.db", f"PRAGMA journal_mode = wal; {NOTES}")
    writer = sqlite3.connect(path)
    writer.execute("INSERT INTO note (nr, name) VALUES (9, 'Late')")
    writer.commit()
    report, _ = bring(path, Chosen(table="note", columns={"title": "name"}))
    writer.close()
    assert "memory/Late.md" in [s.path for s in report.plan.of("made")]


def test_a_file_that_says_nothing_is_refused_with_what_it_holds(
    bring, tmp_path
) -> None:
    path = database(tmp_path / "n.db", NOTES)
    with pytest.raises(UsageError, match=r"note \(nr, name") as told:
        bring(path, Chosen())
    assert "no program that is known" in str(told.value)
    with pytest.raises(UsageError, match="no table nothing"):
        bring(path, Chosen(table="nothing"))
    with pytest.raises(UsageError, match="no column x"):
        bring(path, Chosen(table="note", columns={"title": "x"}))
    (tmp_path / "t.db").write_text("no database")
    with pytest.raises(MindcacheError, match="no SQLite file"):
        bring(tmp_path / "t.db", Chosen())


def test_secrets_are_taken_out(bring, tmp_path) -> None:
    key = "ghp_" + "a1B2" * 9
    script = f"CREATE TABLE t (id INTEGER PRIMARY KEY, title, body); INSERT INTO t VALUES (1, 'K', 'It is {key}');"
    report, app = bring(database(tmp_path / "t.db", script), Chosen(table="t"))
    assert key not in Path(app.vault.root, "memory/K.md").read_text()
    assert [(each.what, each.count) for each in report.left] == [("GitHub token", 1)]


def test_a_mapping_comes_back_from_its_file() -> None:
    chosen = Chosen("", 'SELECT "a\\b"\n-- é\x7f', {"title": "x y", "own key": 'q"'})
    assert from_toml(to_toml(chosen), "m.toml") == chosen
    for wrong in ("title", "title=", "id=x", "title=a,title=b"):
        with pytest.raises(UsageError):
            parsed([wrong])
    for text in ("map = 3", "[map]\ntitle = 3", "x ="):
        with pytest.raises(UsageError, match=r"m\.toml"):
            from_toml(text, "m.toml")


BASIC = """
CREATE TABLE project (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO project VALUES (1, 'main');
CREATE TABLE entity (id INTEGER PRIMARY KEY, title TEXT, {kind} TEXT, entity_metadata JSON,
  content_type TEXT, permalink TEXT, file_path TEXT, created_at TEXT, project_id INT);
INSERT INTO entity VALUES (1, 'Coffee: how', 'note', '{{"tags": ["brew"]}}', 'text/markdown',
  'notes/coffee-how', 'notes/Coffee- how.md', '2025-01-02 03:04:05', 1);
INSERT INTO entity VALUES (2, 'Pot', 'person', NULL, 'text/markdown', 'notes/pot', 'notes/Pot.md', '2025-01-03', 1);
INSERT INTO entity VALUES (3, 'scan.pdf', 'file', NULL, 'application/pdf', NULL, 'scan.pdf', '2025-01-03', 1);
CREATE TABLE observation (id INTEGER PRIMARY KEY, entity_id INT, content TEXT, category TEXT, context TEXT, tags JSON);
INSERT INTO observation VALUES (1, 1, 'Bloom for 30 seconds', 'method', 'V60', '["filter"]');
CREATE TABLE relation (id INTEGER PRIMARY KEY, from_id INT, to_id INT, to_name TEXT, relation_type TEXT);
INSERT INTO relation VALUES (1, 1, 2, 'Pot', 'needs'), (2, 1, NULL, 'Somewhere', 'derived_from'), (3, 2, 1, 'notes/coffee-how', 'about');
"""


@pytest.mark.parametrize("kind", ["entity_type", "note_type"])
def test_basic_memory_is_known(kind, bring, tmp_path) -> None:
    path = database(tmp_path / "memory.db", BASIC.format(kind=kind))
    report, app = bring(path, Chosen())
    assert [s.path for s in report.plan.of("made")] == [
        "memory/notes/Coffee- how.md",
        "memory/notes/Pot.md",
    ]
    note = app.look("memory/notes/Coffee- how.md")[1]
    assert note.body == (
        "# Coffee: how\n\n- [method] Bloom for 30 seconds #filter (V60)\n\n## Relations\n\n"
        "- needs [[Pot]]\n- derived_from [[Somewhere]]\n"
    )
    found = note.properties
    assert found["kind"] == "note"
    assert found["about"] == ["[[Pot]]"]
    assert found["derived_from"] == ["[[Somewhere]]"]
    assert found["tags"] == ["domain/brew", "scope/project"]
    assert found["created_at"] == "2025-01-02T03:04:05"
    assert found["project"] == "main"
    back = app.look("memory/notes/Pot.md")[1].properties["about"]
    assert back == ["[[Coffee- how|Coffee: how]]"]
    assert [(each.what, each.count) for each in report.left] == [("entity", 1)]
    report, _ = bring(path, Chosen())
    assert {s.action for s in report.plan.steps} == {"unchanged"}


def test_basic_memorys_markdown_is_taken_where_it_is_kept(bring, tmp_path) -> None:
    more = (
        "CREATE TABLE note_content (entity_id INTEGER PRIMARY KEY, markdown_content TEXT);"
        "INSERT INTO note_content VALUES (2, '---\ntitle: Pot\npermalink: notes/pot\n---\n\nIt whistles.\n');"
    )
    path = database(tmp_path / "memory.db", BASIC.format(kind="note_type") + more)
    _, app = bring(path, Chosen())
    assert app.look("memory/notes/Pot.md")[1].body == "\nIt whistles.\n"


def test_the_command_line_keeps_a_mapping(
    make_vault, tmp_path, monkeypatch, capsys
) -> None:
    monkeypatch.chdir(make_vault({}))
    path = database(tmp_path / "n.db", NOTES)
    saved = tmp_path / "m.toml"
    call = ["import", "sqlite", str(path)]
    wishes = ["--table", "note", "--map", MAP, "--save-mapping", str(saved)]
    assert run([*call, *wishes, "--dry-run"]) == 0
    assert not saved.exists()
    assert run([*call, *wishes]) == 0
    capsys.readouterr()
    assert run([*call, "--mapping", str(saved), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["unchanged"] == 2
    assert run([*call, "--mapping", str(tmp_path / "none.toml")]) == 3
    assert run([*call, "--map", "title=name"]) == 2
    assert run([*call, "--table", "note", "--query", "SELECT 1"]) == 2
    assert run([*call]) == 2
