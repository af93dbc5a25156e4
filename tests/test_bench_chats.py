"""The synthetic export: the same for a seed, read as what it is, within its memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.chats import main, write_export
from tests.chats import bring_in, made


def test_the_same_seed_gives_the_same_export(tmp_path: Path) -> None:
    one, two = tmp_path / "1.json", tmp_path / "2.json"
    assert write_export(str(one), 50_000, 3) == write_export(str(two), 50_000, 3)
    assert one.read_bytes() == two.read_bytes()
    write_export(str(two), 50_000, 4)
    assert one.read_bytes() != two.read_bytes()


def test_it_is_an_export(tmp_path: Path, make_vault, make_app) -> None:
    path = tmp_path / "conversations.json"
    talks, turns = write_export(str(path), 100_000)
    app = make_app(make_vault({}))
    report = bring_in(app, str(path))
    assert len(made(report)) == talks
    blocks = [b for p in made(report) for b in app.look(p)[1].blocks]
    assert len(blocks) == turns
    assert report.problems == []


@pytest.mark.slow
def test_a_large_export_needs_little_memory(capfd) -> None:
    assert main(["--megabytes", "200"]) == 0
    said = capfd.readouterr().out
    assert said.count("within the goal of 300 MB") == 2
