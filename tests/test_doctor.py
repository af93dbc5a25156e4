"""What `doctor` and `status` say of files that can't be read, and how they end."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import MakeApp, MakeVault
from tests.test_write_moving import play

MARKED = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\n"
IS_ROOT = os.geteuid() == 0


def write(path: str, text: str | bytes) -> Callable[[Path], None]:
    def do(root: Path) -> None:
        full = root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(text if isinstance(text, bytes) else text.encode())

    return do


def pipe(root: Path) -> None:
    os.mkfifo(root / "b.md")


def not_utf8(root: Path) -> None:
    (Path(os.fsdecode(os.fsencode(root) + b"/b\xff.md"))).write_text("Tea.\n")


def locked(root: Path) -> None:
    (root / "b.md").write_text("Tea.\n")
    (root / "b.md").chmod(0)


COPY = "a.sync-conflict-20261130-101010-ABCDEFG.md"
ENDS = {
    "git's markers": (write("b.md", MARKED), "git-conflict", 1),
    "a pipe": (pipe, "not-a-file", 1),
    "a name that is not UTF-8": (not_utf8, "name", 1),
    "a name of two lines": (write("b\nc.md", "Tea.\n"), "name", 1),
    "half a ledger": (write(".mindcache/ledger/d-0000.jsonl", '{"wha'), "ledger", 1),
    "a note above size_cap": (write("b.md", "tea " * 500_000), "too-large", 0),
    "a conflict copy": (write(COPY, "Coffee.\n"), "conflict-copy", 0),
    "properties": (write("b.md", "---\na: b: c\n---\n"), "frontmatter", 0),
    "Windows-1252": (write("b.md", b"caf\xe9\n"), "encoding", 0),
    "UTF-16": (write("b.md", "Tea.\n".encode("utf-16-le")), "encoding", 0),
    "a setting": (write(".mindcache/config.toml", "xyzzy = 1\n"), "config-unknown", 0),
}
IF_NOT_ROOT = pytest.param(
    (locked, "unreadable", 1),
    id="an unreadable file",
    marks=pytest.mark.skipif(IS_ROOT, reason="root may read everything"),
)


@pytest.mark.parametrize(
    "case", [*(pytest.param(end, id=name) for name, end in ENDS.items()), IF_NOT_ROOT]
)
def test_doctor_ends_with_1_for_what_a_person_has_to_mend(
    make_vault: MakeVault, case: tuple[Callable[[Path], None], str, int]
) -> None:
    make, code, end = case
    root = make_vault({"a.md": "Coffee is roasted.\n"})
    make(root)
    for _ in range(2):  # when it is first met, and when it is known
        ended, out = play(root, "doctor", "--json")
        (problem,) = json.loads(out)["problems"]
        assert problem["code"].startswith(code)
        assert (problem["severity"] == "error", ended) == (end == 1, end)


@pytest.mark.parametrize("before", ["tea " * 500_000, "Tea is green.\n"])
def test_what_took_a_notes_place_is_all_that_is_told(
    make_vault: MakeVault, make_app: MakeApp, before: str
) -> None:
    root = make_vault({"a.md": "Coffee is roasted.\n", "b.md": before})
    app = make_app(root)
    app.update()
    (root / "b.md").unlink()
    pipe(root)
    assert [p.code for p in app.doctor().problems] == ["not-a-file"]
    assert "b.md" not in app.reader().stamps()


@pytest.mark.parametrize(
    "make",
    [
        pipe,
        not_utf8,
        write("b\nc.md", "Tea.\n"),
        pytest.param(
            locked, marks=pytest.mark.skipif(IS_ROOT, reason="root may read everything")
        ),
    ],
)
def test_status_counts_what_cannot_be_read(
    make_vault: MakeVault, make: Callable[[Path], None]
) -> None:
    root = make_vault({"a.md": "Coffee is roasted.\n"})
    make(root)
    found = json.loads(play(root, "status", "--json")[1])
    assert (found["unread"], found["pending"]) == (1, 1)
    play(root, "index", "update")
    found = json.loads(play(root, "status", "--json")[1])
    assert (found["unread"], found["pending"], found["indexed"]) == (1, 0, 1)
    out = play(root, "status")[1]
    assert "unread      1 file" in out
    assert "mindcache doctor names what is held apart, skipped or unread." in out
    assert "brings it in step" not in out


def test_utf_16_without_a_mark_is_found_and_its_bytes_stay(
    make_vault: MakeVault,
) -> None:
    data = "The bilge pump runs on Mondays.\n".encode("utf-16-le")
    root = make_vault({"b.md": data})
    out = play(root, "doctor")[1]
    assert "b.md: the file is stored as UTF-16 without a byte order mark" in out
    assert "save the file as UTF-8" in out
    assert "b.md" in play(root, "search", "exact", "bilge")[1]
    assert (root / "b.md").read_bytes() == data
