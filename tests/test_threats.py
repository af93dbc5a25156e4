"""The table of threats is true, and what has no test elsewhere has one here."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path

import pytest

import mindcache
from mindcache.note import parse
from mindcache.watch.daemon import program
from tests.conftest import MakeVault
from tests.test_write_moving import play

HERE = Path(__file__).parent
PACKAGE = Path(mindcache.__file__).parent
ROWS = [
    line
    for name in ("THREATS.md", "FIELD.md")
    for line in (HERE / name).read_text(encoding="utf-8").split("\n")
    if line.startswith("| ") and not line.startswith(("| threat", "| case"))
]


@pytest.mark.parametrize("row", ROWS)
def test_what_the_table_names_is_there(row: str) -> None:
    named = re.findall(r"`(test_\w+\.py)::(test_\w+)`", row)
    assert named, "a threat without a test"
    for file, test in named:
        assert f"def {test}(" in (HERE / file).read_text(encoding="utf-8"), test
    for path in re.findall(r"`([\w/]+(?:\.py|/))`", row.split("|")[2]):
        assert (PACKAGE / path).exists(), path


def _imported() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            for name in names:
                found.setdefault(name, set()).add(path.name)
    return found


def test_nothing_listens_or_runs_what_it_reads() -> None:
    roots = {name.split(".")[0] for name in _imported()}
    assert not roots & {
        "socket", "socketserver", "http", "uvicorn", "starlette", "requests", "httpx",
        "pickle", "marshal", "shelve", "dill", "torch", "csv", "webbrowser",
    }  # fmt: skip
    assert "urllib.request" not in _imported()


def test_no_program_of_ours_looks_for_modules_where_it_stands() -> None:
    assert "-P" in program()
    for path in PACKAGE.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        for words in re.findall(r"sys\.executable,[^\]]*\"mindcache\"", text):
            assert '"-P"' in words, path


@pytest.mark.parametrize(
    "tag", ["!!python/object/apply:os.system ['true']", "!!python/name:os.system x"]
)
def test_a_tag_of_yaml_makes_nothing(tag: str) -> None:
    note = parse("n.md", f"---\na: {tag}\n---\nText.\n".encode())
    assert note.frontmatter is not None
    assert dict(note.frontmatter.properties) == {}
    assert "means nothing" in note.problems[0].message


@pytest.mark.skipif(not hasattr(os, "link"), reason="no hard links here")
def test_the_other_name_of_a_note_keeps_its_bytes(
    make_vault: MakeVault, tmp_path: Path
) -> None:
    head = "id: m-01M646SRY04YHEFZPFVJVE4V41\ntype: fact\nsummary: Six.\n"
    head += "tags: [scope/global]\ncreated_at: 2026-10-29T16:10\n"
    root = make_vault({"n.md": f"---\n{head}---\nHigh water is at six.\n"})
    other = tmp_path / "theirs"
    os.link(root / "n.md", other)
    before = other.read_bytes()
    assert play(root, "update", "n.md", "--append", "It rose.")[0] == 0
    assert "It rose." in (root / "n.md").read_text()
    assert other.read_bytes() == before
