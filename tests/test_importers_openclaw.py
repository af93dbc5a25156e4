"""An OpenClaw agent's memory, from its files and from its index."""

from __future__ import annotations

import sqlite3
import struct
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindcache.cli import run
from mindcache.errors import UsageError
from mindcache.importers import Wishes, find, run_import
from mindcache.importers.openclaw.entries import entries
from mindcache.importers.openclaw.index import read_index
from mindcache.importers.sqlite.opening import opened
from tests.conftest import write_files

MEMORY = """# Memory

Some prose
on two lines.

## Network

- Keep the gateway on loopback. <!-- trigger: gateway setup, network safety --> <!-- importance: 9 --> <!-- project: github.com/open/claw -->
- Tea at four. Source: memory/2026-03-05.md#L3-L4
  - green
```
- no entry
```
"""
USER = """<!-- observed: 2026-07-01 | status: superseded -->

- Prefer long updates.

<!-- observed: 2026-07-27 | status: active -->

- Prefer concise progress updates.
"""
WORKSPACE = {
    "MEMORY.md": MEMORY,
    "USER.md": USER,
    "SOUL.md": "Be kind.\n",
    "DREAMS.md": "## Deep Sleep\nA dream.\n",
    "memory/2026-03-05.md": "# Day\n\nTea.\n",
    "memory/2026-03-06-1430.md": "A call.\n",
    "memory/projects/site.md": "The site.\n",
    "memory/dreaming/light/2026-03-05.md": "zzz\n",
    "memory/.dreams/phase-signals.json": "{}",
    "skills/x/SKILL.md": "skill\n",
}


@pytest.fixture
def bring(make_vault, make_app):
    vault = make_vault({})

    def work(path: Path, wishes=None):
        app = make_app(vault)
        return run_import(app, find("openclaw"), [str(path)], wishes or Wishes()), app

    return work


def of(app, path: str) -> dict:
    return dict(app.look(path)[1].properties)


def test_a_workspace(bring, tmp_path) -> None:
    write_files(tmp_path / "workspace", WORKSPACE)
    report, app = bring(tmp_path / "workspace")
    assert sorted(s.path for s in report.plan.of("made")) == [
        "memory/main/2026-03-05.md",
        "memory/main/2026-03-06-1430.md",
        "memory/main/Keep the gateway on loopback.md",
        "memory/main/Prefer concise progress updates.md",
        "memory/main/Prefer long updates.md",
        "memory/main/Some prose.md",
        "memory/main/Tea at four.md",
        "memory/main/projects/site.md",
    ]
    gateway = of(app, "memory/main/Keep the gateway on loopback.md")
    assert gateway["triggers"] == ["gateway setup", "network safety"]
    assert (gateway["importance"], gateway["project"]) == (0.9, "open/claw")
    assert gateway["section"] == "Network"
    tea = app.look("memory/main/Tea at four.md")[1]
    assert tea.body == (
        "Tea at four. Source: memory/2026-03-05.md#L3-L4\n- green\n```\n- no entry\n```\n"
    )
    assert tea.properties["derived_from"] == ["[[memory/main/2026-03-05]]"]
    old = of(app, "memory/main/Prefer long updates.md")
    assert (old["status"], old["valid_from"], old["valid_until"]) == (
        "archived", "2026-07-01", "2026-07-27",
    )  # fmt: skip
    assert old["superseded_by"] == "[[Prefer concise progress updates]]"
    day = of(app, "memory/main/2026-03-06-1430.md")
    assert (day["type"], day["time_start"]) == ("event", "2026-03-06T14:30")
    assert of(app, "memory/main/2026-03-05.md")["all_day"] is True
    assert {(each.what, each.count) for each in report.left} == {
        ("dream", 2),
        ("file of the agent's own", 1),
        ("folder skills/", 1),
        ("machine state", 1),
    }
    assert run(["--vault", app.vault.root, "lint"]) == 0


def test_again_makes_nothing_and_deleted_stays_deleted(bring, tmp_path) -> None:
    write_files(tmp_path / "workspace", WORKSPACE)
    dry, _ = bring(tmp_path / "workspace", Wishes(dry_run=True))
    done, app = bring(tmp_path / "workspace")
    assert [s.change for s in dry.plan.steps] == [s.change for s in done.plan.steps]
    Path(app.vault.root, "memory/main/Tea at four.md").unlink()
    write_files(tmp_path / "workspace", {"MEMORY.md": MEMORY + "- One more.\n"})
    report, _ = bring(tmp_path / "workspace")
    assert [s.path for s in report.plan.of("made")] == ["memory/main/One more.md"]
    assert len(report.plan.of("left_out")) == 1
    assert len(report.plan.of("unchanged")) == 7


def chunks_of(text: str, size: int = 3, overlap: int = 1) -> list[tuple[int, int, str]]:
    lines = text.rstrip("\n").split("\n")
    found = []
    start = 0
    while start < len(lines):
        end = min(start + size, len(lines))
        found.append((start + 1, end, "\n".join(lines[start:end])))
        if end == len(lines):
            break
        start = end - overlap
    return found


def index(path: Path, generation: int, files: dict[str, str], origins=None) -> Path:
    """An index as OpenClaw keeps it; `origins` by (path, first line)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    table = "chunks" if generation == 1 else "memory_index_chunks"
    rowid = "chunk_rowid INTEGER PRIMARY KEY," if generation == 3 else ""
    key = "id TEXT UNIQUE" if generation == 3 else "id TEXT PRIMARY KEY"
    inline = (
        ", importance INT, triggers TEXT, project_key TEXT" if generation == 3 else ""
    )
    db = sqlite3.connect(path)
    db.execute(
        f"CREATE TABLE {table} ({rowid} {key}, path TEXT, source TEXT, start_line INT,"
        f" end_line INT, hash TEXT, model TEXT, text TEXT, embedding, updated_at INT{inline})"
    )
    if generation > 1:
        db.execute(
            "CREATE TABLE memory_index_chunk_provenance (chunk_id TEXT PRIMARY KEY,"
            " origin_class TEXT, session_kind TEXT, observed_at INT, supersedes_key TEXT)"
        )
    vector = struct.pack("<2d", 0.5, 0.5) if generation == 3 else "[0.5, 0.5]"
    for name, text in files.items():
        for start, end, words in chunks_of(text):
            row = (
                f"{name}:{start}",
                name,
                "memory",
                start,
                end,
                "h",
                "m",
                words,
                vector,
                0,
            )
            db.execute(
                f"INSERT INTO {table} (id, path, source, start_line, end_line, hash, model,"
                " text, embedding, updated_at) VALUES (?,?,?,?,?,?,?,?,?,?)",
                row,
            )
            if generation > 1:
                origin = (origins or {}).get((name, start), "agent")
                db.execute(
                    "INSERT INTO memory_index_chunk_provenance VALUES (?, ?, 'interactive', 0, NULL)",
                    (row[0], origin),
                )
    db.execute(
        f"INSERT INTO {table} (id, path, source, start_line, end_line, text) VALUES ('s', 's.jsonl', 'sessions', 1, 1, 'hi')"
    )
    db.execute("CREATE TABLE auth_profile_store (token TEXT)")
    db.execute("INSERT INTO auth_profile_store VALUES ('hush hush')")
    db.execute("CREATE TABLE standing_intents (intent_key TEXT)")
    db.execute("INSERT INTO standing_intents VALUES ('x')")
    db.commit()
    db.close()
    return path


FILES = {
    "MEMORY.md": MEMORY,
    "memory/2026-03-05.md": "# Day\n\nOne.\nTwo.\n\nThree.\nFour.\n",
    "memory/dreaming/light/2026-03-05.md": "zzz\n",
}


@pytest.mark.parametrize("generation", [1, 2, 3])
def test_the_index_gives_back_the_texts(generation, bring, tmp_path) -> None:
    path = index(
        tmp_path / "agents/main/agent/openclaw-agent.sqlite", generation, FILES
    )
    report, app = bring(path)
    day = app.look("memory/main/2026-03-05.md")[1]
    assert day.body == FILES["memory/2026-03-05.md"]
    assert of(app, "memory/main/Keep the gateway on loopback.md")["importance"] == 0.9
    assert day.properties.get("origin_class") == (None if generation == 1 else "agent")
    assert {(each.what, each.count) for each in report.left} == {
        ("dream", 1), ("standing intent", 1), ("transcript", 1),
    }  # fmt: skip
    # The files themselves are the same things.
    write_files(tmp_path / "workspace", FILES)
    report, app = bring(tmp_path / "workspace")
    assert {s.action for s in report.plan.steps} <= {"unchanged", "changed", "held"}


def test_the_index_is_read_only_where_files_are_missing(bring, tmp_path) -> None:
    write_files(
        tmp_path / "state/workspace", {"memory/2026-03-05.md": "From the file.\n"}
    )
    origins = {("memory/2026-03-05.md", 3): "untrusted"}
    index(tmp_path / "state/agents/main/agent/openclaw-agent.sqlite", 2, FILES, origins)
    _, app = bring(tmp_path / "state")
    day = app.look("memory/main/2026-03-05.md")[1]
    assert day.body == "From the file.\n"
    assert (day.properties["origin_class"], day.properties["confidence"]) == (
        "untrusted",
        0.25,
    )
    assert app.vault.exists("memory/main/Keep the gateway on loopback.md")


def test_what_the_index_knows_of_an_entry_alone(bring, tmp_path) -> None:
    path = index(tmp_path / "main.sqlite", 3, {"MEMORY.md": "- One thing.\n"})
    db = sqlite3.connect(path)
    db.execute(
        "UPDATE memory_index_chunks SET importance = 7, triggers = 'a; b',"
        " project_key = 'github.com/x/y' WHERE path = 'MEMORY.md'"
    )
    db.execute(
        "UPDATE memory_index_chunk_provenance SET origin_class = 'owner',"
        " observed_at = 1772700000000"
    )
    db.commit()
    db.close()
    _, app = bring(path)
    found = of(app, "memory/main/One thing.md")
    assert (found["importance"], found["triggers"]) == (0.7, ["a", "b"])
    assert (found["project"], found["origin_class"]) == ("x/y", "owner")
    assert found["valid_from"] == "2026-03-05T08:40"


def test_a_broken_index_costs_itself_only(bring, tmp_path) -> None:
    write_files(
        tmp_path / "state",
        {
            "workspace/MEMORY.md": "- One.\n",
            "memory/main.sqlite": b"SQLite format 3\0junk",
        },
    )
    report, _ = bring(tmp_path / "state")
    assert len(report.plan.of("made")) == 1
    assert [p.code for p in report.problems] == ["openclaw-index"]
    assert report.is_lossy


def test_credentials_are_never_read(bring, tmp_path) -> None:
    path = index(tmp_path / "main.sqlite", 2, FILES)
    with opened(str(path)) as connection:
        list(read_index(connection))
        for table in ("auth_profile_store", "AUTH_PROFILE_STORE"):
            with pytest.raises(sqlite3.DatabaseError, match=r"prohibited|authorized"):
                connection.execute(f"SELECT token FROM {table}").fetchall()
            with pytest.raises(sqlite3.DatabaseError, match=r"prohibited|authorized"):
                connection.execute(f"SELECT count(*) FROM {table}").fetchall()
    _, app = bring(path)
    for file in Path(app.vault.root).rglob("*"):
        assert not file.is_file() or b"hush" not in file.read_bytes()


def test_secrets_are_taken_out(bring, tmp_path) -> None:
    key = "ghp_" + "a1B2" * 9
    files = {"MEMORY.md": f"- It is {key}\n", "memory/2026-03-05.md": f"It is {key}\n"}
    write_files(tmp_path / "workspace", files)
    report, app = bring(tmp_path / "workspace")
    assert [(each.what, each.count) for each in report.left] == [("GitHub token", 2)]
    for file in Path(app.vault.root).rglob("*.md"):
        assert key not in file.read_text()


def test_a_folder_of_something_else(bring, tmp_path) -> None:
    write_files(tmp_path / "x", {"notes.md": "N\n"})
    with pytest.raises(UsageError, match=r"neither MEMORY\.md"):
        bring(tmp_path / "x")


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.text("ab -", max_size=4), min_size=1, max_size=20),
    st.integers(2, 5),
    st.integers(0, 1),
)
def test_overlaps_are_cut_by_their_lines(lines, size, overlap) -> None:
    from mindcache.importers.openclaw.index import joined

    text = "\n".join(lines).rstrip("\n") or "a"
    rows = [
        {"id": n, "start_line": start, "end_line": end, "text": words}
        for n, (start, end, words) in enumerate(chunks_of(text, size, overlap))
    ]
    assert joined("p", rows, {}).text == text + "\n"


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "- A",
                "  B",
                "",
                "# H",
                "C <!-- x -->",
                "```",
                "<!-- importance: 3 -->",
                "1. D",
                "<!--",
            ]
        ),
        max_size=14,
    )
)
def test_entries_lose_no_word(lines) -> None:
    text = "\n".join(lines)
    found = list(entries(text))
    words = "".join(each.text for each in found)
    if "<!--" not in lines:  # what it begins is a comment up to the next end of one
        assert [words.count(letter) for letter in "ABCD"] == [
            text.count(letter) for letter in "ABCD"
        ]
    assert all(
        1 <= each.lines[0] <= each.lines[1] <= max(1, len(lines)) for each in found
    )
