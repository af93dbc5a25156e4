"""Exports: what is in them, where they may lie, and that they are always the same."""

from __future__ import annotations

import io
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from mindcache.app import App
from mindcache.errors import Locked, MindcacheError, Refused, UsageError
from mindcache.exporters import (
    Destination,
    Report,
    export_folder,
    export_json,
    export_sqlite,
    schema_text,
)
from mindcache.exporters.gather import gathering
from mindcache.exporters.plain import without_ours
from mindcache.note import parse
from mindcache.recall import Filters
from mindcache.vault import Entry
from tests.conftest import NOW
from tests.dumps import dump
from tests.exports import breaches, vaults

ID = "m-01JEZ0000000000000000000AA"
NOTES: dict[str, str | bytes] = {
    "Pumps.md": f"---\nid: {ID}\ntype: fact\nsummary: Pumps leak # so\ntags:\n  - client/acme\n"
    'about: "[[Ines]]"\nsource_type: chat\nsource_id: c1\nexternal_ref: the log\n'
    "own:   'kept'\n---\nSee [[Boss]] and ![[plan.png]].\n",
    "Ines.md": "---\ntype: entity\naliases: [Boss]\n---\nWorks here.\n",
    "sub/Old.md": "caf\xe9 of old\r\n".encode("latin-1"),
    "journal/2026-11-29.md": "---\ntype: journal\ndate: 2026-11-29\n---\n"
    "- 09:00 [acme] Ines called ^j-7q2m\n",
    "plans/Rota.md": "---\ntype: plan\ntime_start: 2026-11-29T09:00\nstatus: planned\n"
    "timezone: Europe/Berlin\n---\nWho is on.\n",
    "topics/Water.md": "---\ntype: topic\nstatus: hot\n---\nAll of it.\n",
    "topics/Pumping.md": '---\ntype: topic\nparent_topic: "[[Water]]"\nanchors:\n  - "[[Pumps]]"\n'
    "related_topics: []\nfirst_seen: 2026-01-02\n---\n%% mindcache:begin x %%\n- [[Ines]]\n"
    "%% mindcache:end %%\nMine.\n",
}


def exported(app: App, filters: Filters | None = None, **options: bool) -> bytes:
    """The JSON export as bytes."""
    out = io.BytesIO()
    export_json(app, filters or Filters(), Destination("-"), stdout=out, **options)
    return out.getvalue()


def as_json(app: App, filters: Filters | None = None, **options: bool) -> dict:
    return json.loads(exported(app, filters, **options))


def node(whole: dict, path: str) -> dict:
    return next(each for each in whole["nodes"] if each["path"] == path)


# -- JSON ----------------------------------------------------------------------


def test_a_node_says_what_the_note_means_and_what_it_is(make_vault, make_app) -> None:
    whole = as_json(make_app(make_vault(NOTES)))
    pumps = node(whole, "Pumps.md")
    assert pumps["id"] == ID
    assert pumps["tags"] == ["client/acme"]
    assert pumps["source_ref"] == {
        "source_type": "chat",
        "source_id": "c1",
        "source_path": "",
        "external_ref": "the log",
    }
    assert pumps["properties"]["own"] == "kept"
    assert pumps["text"] == "See [[Boss]] and ![[plan.png]].\n"
    assert (pumps["head"] + pumps["text"]).encode() == NOTES["Pumps.md"].encode()  # type: ignore[union-attr]
    edges = [
        (e["relation"], e["origin"], e["target"]["path"])
        for e in pumps["related_nodes"]
    ]
    assert edges == [("about", "property", "Ines.md"), ("about", "body", "Ines.md")]
    assert node(whole, "sub/Old.md")["text"] == "caf\xe9 of old\r\n"
    assert node(whole, "sub/Old.md")["base64"]
    day = node(whole, "journal/2026-11-29.md")
    assert day["entries"] == [
        {"id": "j-7q2m", "at": "2026-11-29T09:00:00", "lines": [5, 5]}
    ]


def test_topics_say_their_place_in_the_tree(make_vault, make_app) -> None:
    topics = as_json(make_app(make_vault(NOTES)))["topics"]
    pumping, water = topics
    assert water["child_topic_ids"] == ["topics/Pumping.md"]
    assert water["parent_topic_id"] == ""
    assert pumping["parent_topic_id"] == "topics/Water.md"
    assert pumping["anchor_graph_nodes"] == [{"id": ID, "path": "Pumps.md"}]
    assert pumping["members"] == [{"id": "", "path": "Ines.md"}]
    assert pumping["first_seen"] == "2026-01-02"


def test_of_two_notes_with_one_id_the_first_has_it(make_vault, make_app) -> None:
    notes = {
        "a.md": f"---\nid: {ID}\ntype: topic\n---\n",
        "b.md": f"---\nid: {ID}\ntype: topic\nparent_topic: '[[a]]'\n---\n",
    }
    a, b = as_json(make_app(make_vault(notes)))["topics"]
    assert b["parent_topic_id"] == ID
    assert a["child_topic_ids"] == ["b.md"]


def test_occurrences_go_out_when_asked_for(make_vault, make_app) -> None:
    app = make_app(make_vault(NOTES))
    assert "occurrences" not in node(as_json(app), "plans/Rota.md")
    rota = node(as_json(app, with_occurrences=True), "plans/Rota.md")
    assert [each["start"] for each in rota["occurrences"]] == ["2026-11-29T09:00:00"]


def test_filters_narrow_notes_and_ledger(make_vault, make_app) -> None:
    app = make_app(make_vault(NOTES))
    app.ledger.add([Entry("made", "calendar", "u1", ID, "Pumps.md"),
                    Entry("made", "calendar", "gone", "m-gone", "Gone.md")])  # fmt: skip
    assert [e["key"] for e in as_json(app)["ledger"]] == ["u1", "gone"]
    part = as_json(app, Filters(tags=("client/acme",)))
    assert [each["path"] for each in part["nodes"]] == ["Pumps.md"]
    assert [e["key"] for e in part["ledger"]] == ["u1"]
    assert part["filters"] == {"tags": ["client/acme"]}
    with pytest.raises(UsageError, match="nearest: client/acme"):
        exported(app, Filters(tags=("client/acne",)))


def test_what_stays_behind_is_said(make_vault, make_app) -> None:
    files = {
        **NOTES,
        "plan.png": b"png",
        "n.sync-conflict-20260101-120000-ABCDEFG.md": "copy",
        "secret/x.md": "x",
        ".mindcacheignore": "secret/\n",
        ".mindcache/config.toml": "size_cap = 300\n",
        "big.md": "x" * 400,
    }
    app = make_app(make_vault(files))
    report = export_json(
        app, Filters(types=("fact",)), Destination("-"), stdout=io.BytesIO()
    )
    left = {each.what: (each.count, each.paths) for each in report.left}
    assert left["notes held apart until a conflict is mended"] == (
        1,
        ("n.sync-conflict-20260101-120000-ABCDEFG.md",),
    )
    assert left["notes larger than size_cap"] == (1, ("big.md",))
    assert left["ignored notes"][0] == 1
    assert left["attachments"][0] == 1
    assert left["other notes"][0] == 5
    assert report.notes == 2
    assert not report.is_lossy


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(vaults)
def test_every_export_keeps_to_the_schema(tmp_path_factory, files) -> None:
    root = tmp_path_factory.mktemp("vault")
    (root / ".obsidian").mkdir()
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    app = App(str(root), str(tmp_path_factory.mktemp("cache")), now=lambda: NOW)
    whole = exported(app, with_occurrences=True)
    schema = json.loads(schema_text())
    assert breaches(json.loads(whole), schema, schema) == []
    assert exported(app, with_occurrences=True) == whole
    assert not any(mark in whole.decode() for mark in ("\x1b", "\u202e", "\u2028"))
    app.close()


def test_the_schema_check_finds_what_is_wrong() -> None:
    schema = json.loads(schema_text())
    wrong = {"format": "other", "schema": 1, "nodes": [{"path": 3, "more": 1}]}
    found = breaches(wrong, schema, schema)
    assert "$: topics is missing" in found
    assert "$.format: 'other'" in found
    assert "$.nodes[0].path: 3 is no string" in found
    assert "$.nodes[0]: more is unknown" in found


# -- places --------------------------------------------------------------------


def test_nothing_but_our_own_is_replaced(make_vault, make_app, tmp_path: Path) -> None:
    app = make_app(make_vault(NOTES))
    foreign = tmp_path / "theirs.json"
    foreign.write_text('{"format": "mine"}')

    def write(path: Path, *, force: bool = False) -> Report:
        to = Destination(str(path), force)
        return export_json(app, Filters(), to, stdout=io.BytesIO())

    with pytest.raises(Refused, match="not just what an export wrote"):
        write(foreign, force=True)
    assert foreign.read_text() == '{"format": "mine"}'
    (tmp_path / "folder").mkdir()
    ours = tmp_path / "ours.json"
    write(ours)
    with pytest.raises(Refused, match="is there already"):
        write(ours)
    assert write(ours, force=True).notes == len(NOTES)
    with pytest.raises(Refused, match="lies in the vault"):
        write(Path(app.vault.root, "x.json"))
    with pytest.raises(UsageError, match="is a folder"):
        write(tmp_path / "folder")
    with pytest.raises(UsageError, match="only JSON goes to stdout"):
        export_sqlite(app, Filters(), Destination("-"))
    with pytest.raises(MindcacheError, match="there is no folder"):
        write(tmp_path / "none" / "x.json")
    assert sorted(p.name for p in tmp_path.glob(".*")) == []


def test_a_link_into_the_vault_is_seen_through(make_vault, make_app, tmp_path) -> None:
    app = make_app(make_vault(NOTES))
    (tmp_path / "door").symlink_to(app.vault.root)
    with pytest.raises(Refused, match="lies in the vault"):
        export_sqlite(app, Filters(), Destination(str(tmp_path / "door" / "x.sqlite")))
    with pytest.raises(Refused, match="the vault lies in"):
        export_folder(app, Filters(), Destination(str(tmp_path), force=True), "keep")


def test_a_note_changed_meanwhile_is_left_out_and_told(make_vault, make_app) -> None:
    root = make_vault(NOTES)
    app = make_app(root)
    report = Report("json", "-")
    with gathering(app, Filters(), report) as found:
        (root / "Ines.md").write_text("meanwhile")
        (root / "Pumps.md").unlink()
        paths = [path for path, _ in found.files()]
    assert "Ines.md" not in paths
    assert [(p.path, p.code) for p in report.skipped] == [
        ("Ines.md", "changed"),
        ("Pumps.md", "unreadable"),
    ]
    assert report.is_lossy


def test_an_export_never_lags_behind(make_vault, make_app, monkeypatch) -> None:
    from mindcache.cache import lock

    root = make_vault(NOTES)
    app = make_app(root)
    app.reader()
    (root / "New.md").write_text("new")
    monkeypatch.setattr("mindcache.app.keeping.WAIT_TO_ANSWER", 0.0)
    with lock.hold(app.cache_path + ".lock", 0), pytest.raises(Locked, match="behind"):
        exported(app)


# -- SQLite --------------------------------------------------------------------


def test_the_graph_is_there_as_tables(make_vault, make_app, tmp_path: Path) -> None:
    app = make_app(make_vault(NOTES))
    app.ledger.add([Entry("made", "calendar", "u1", ID, "Pumps.md")])
    one, two = tmp_path / "1.sqlite", tmp_path / "2.sqlite"
    report = export_sqlite(app, Filters(), Destination(str(one)))
    export_sqlite(app, Filters(), Destination(str(two)))
    assert one.read_bytes() == two.read_bytes()
    assert (report.notes, report.topics, report.ledger) == (len(NOTES), 2, 1)
    with closing(sqlite3.connect(one)) as db:
        ask = lambda sql: db.execute(sql).fetchall()  # noqa: E731  seven questions
        assert ask("PRAGMA integrity_check") == [("ok",)]
        assert ask("SELECT value FROM meta WHERE key = 'schema'") == [("1",)]
        assert ask("SELECT tag FROM tags") == [("client/acme",)]
        assert ask("SELECT path FROM aliases WHERE alias = 'Boss'") == [("Ines.md",)]
        assert ("Pumps.md", "about") in ask("SELECT source, relation FROM edges")
        assert ask("SELECT bytes FROM nodes WHERE path = 'sub/Old.md'")[0][0]
        assert ask("SELECT path, start FROM occurrences") == [
            ("plans/Rota.md", "2026-11-29T09:00:00")
        ]
        assert ask("SELECT id, line_start FROM entries") == [("j-7q2m", 5)]
        assert ask("SELECT target FROM topic_anchors") == [("Pumps.md",)]
        assert ask('SELECT kind, key, "to" FROM ledger') == [("calendar", "u1", "")]
        assert ask(
            "SELECT date_start, source_id FROM nodes WHERE path = 'Pumps.md'"
        ) == [("2024-12-13T00:00:00", "c1")]
    again = export_sqlite(app, Filters(), Destination(str(one), force=True))
    assert again.notes == len(NOTES)


# -- a folder ------------------------------------------------------------------


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(vaults)
def test_what_is_kept_is_the_same_vault(tmp_path_factory, files) -> None:
    base = tmp_path_factory.mktemp("both")
    root = base / "vault"
    (root / ".obsidian").mkdir(parents=True)
    (root / ".mindcache").mkdir()
    (root / ".mindcache/config.toml").write_text('timezone = "Europe/Berlin"\n')
    (root / "pic.png").write_bytes(b"png")
    for path, data in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(data)
    app = App(str(root), str(base / "cache"), now=lambda: NOW)
    report = export_folder(app, Filters(), Destination(str(base / "out")), "keep")
    assert report.attachments == 1
    copy = App(str(base / "out"), str(base / "cache2"), now=lambda: NOW)
    copy.update()
    ours, theirs = dump(app.cache_path), dump(copy.cache_path)
    for table, rows in ours.items():
        assert theirs[table] == rows, table
    app.close()
    copy.close()


def test_plain_properties_are_those_that_others_know(
    make_vault, make_app, tmp_path
) -> None:
    app = make_app(make_vault({**NOTES, "plan.png": b"png"}))
    out = tmp_path / "out"
    report = export_folder(app, Filters(), Destination(str(out)), "plain")
    assert (report.notes, report.attachments) == (len(NOTES), 1)
    assert (out / "Pumps.md").read_text() == (
        "---\ndescription: Pumps leak\ntags:\n  - client/acme\nsource: the log\nown: kept\n"
        'related:\n  - "[[Ines]]"\n---\nSee [[Ines|Boss]] and ![[plan.png]].\n'
    )
    assert (out / "sub/Old.md").read_bytes() == "caf\xe9 of old\r\n".encode()
    assert (out / "topics/Pumping.md").read_text().endswith("---\n- [[Ines]]\nMine.\n")
    assert not (out / ".mindcache").exists()


def test_without_properties_links_lead_on(make_vault, make_app, tmp_path: Path) -> None:
    notes = {**NOTES, "By id.md": f"to [[{ID}]] and [x](Ines.md), not `[[Boss]]`\n"}
    app = make_app(make_vault(notes))
    out = tmp_path / "out"
    export_folder(app, Filters(), Destination(str(out)), "none")
    by_id = (out / "By id.md").read_text()
    assert by_id == f"to [[Pumps|{ID}]] and [x](Ines.md), not `[[Boss]]`\n"
    assert (out / "Ines.md").read_text() == "Works here.\n"
    copy = make_app(out, "copy")
    assert copy.reader().links_by_alias() == []
    before = {(e.source, e.target) for e in app.reader().edges_from() if not e.field}
    after = {(e.source, e.target) for e in copy.reader().edges_from()}
    assert after == before


def test_attachments_follow_the_filter(make_vault, make_app, tmp_path: Path) -> None:
    app = make_app(make_vault({**NOTES, "plan.png": b"png", "other.png": b"png"}))
    out = tmp_path / "out"
    report = export_folder(app, Filters(ids=(ID,)), Destination(str(out)), "keep")
    assert (out / "plan.png").exists()
    assert not (out / "other.png").exists()
    assert {left.what: left.count for left in report.left}["attachments"] == 1


def test_a_folder_is_replaced_only_as_it_was_written(
    make_vault, make_app, tmp_path
) -> None:
    root = make_vault(NOTES)
    app = make_app(root)
    out = tmp_path / "out"
    again = Destination(str(out), force=True)
    export_folder(app, Filters(), Destination(str(out)), "keep")
    with pytest.raises(Refused, match="is there already"):
        export_folder(app, Filters(), Destination(str(out)), "keep")
    (root / "Ines.md").unlink()
    export_folder(app, Filters(), again, "keep")
    assert not (out / "Ines.md").exists()
    (out / "mine.md").write_text("my own")
    with pytest.raises(Refused, match="not just what an export wrote"):
        export_folder(app, Filters(), again, "keep")
    (out / "mine.md").unlink()
    (out / "Pumps.md").write_text("changed")
    with pytest.raises(Refused, match="not just what an export wrote"):
        export_folder(app, Filters(), again, "keep")
    assert (out / "Pumps.md").read_text() == "changed"
    assert sorted(p.name for p in tmp_path.glob(".*")) == []


@settings(max_examples=100, deadline=None)
@given(vaults)
def test_plain_notes_keep_their_words_and_lose_what_is_ours(files) -> None:
    for path, data in files.items():
        note = parse(path, data)
        for keep_plain in (True, False):
            plain, problem = without_ours(path, data, keep_plain=keep_plain)
            if problem is not None:
                assert plain == data
                continue
            after = parse(path, plain)
            assert after.encoding.name == "utf-8"
            if not note.generated:
                assert plain.decode().endswith(note.body)
            if not keep_plain:
                continue
            assert not after.properties.keys() & {"created_at", "about", "recurrence"}
            owned = note.properties.keys() & {"tags", "aliases", "title", "n"}
            assert all(after.properties[k] == note.properties[k] for k in owned)


def test_what_cannot_be_read_stays_as_it_is() -> None:
    broken = b"---\nbroken: [\n---\ntext\n"
    data, problem = without_ours("a.md", broken, keep_plain=False)
    assert data == broken
    assert problem is not None
    assert problem.code == "properties"


def test_a_rule_at_the_start_of_the_text_is_no_fence() -> None:
    data, _ = without_ours(
        "a.md", b"---\nid: x\n---\n---\nk: v\n---\n", keep_plain=False
    )
    assert data == b"\n---\nk: v\n---\n"
    assert parse("a.md", data).properties == {}


def test_a_foreign_type_is_its_owners() -> None:
    note = b"---\ntype: '[[Book]]'\nstatus: read\nid: 7\ndate: 2026\ntime_start: 2025\n---\n"
    data, _ = without_ours("a.md", note, keep_plain=True)
    assert data == (
        b'---\ntype: "[[Book]]"\nstatus: read\nid: 7\ndate: 2026\ntime_start: 2025\n---\n'
    )
