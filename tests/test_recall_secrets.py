"""Secrets that stand in notes are taken out of answers, and counted."""

from __future__ import annotations

import json

import pytest

from mindcache.cli import run
from tests.test_write_moving import play

GITHUB = "ghp_" + "a1B2" * 9
AWS = "AKIA" + "Q7W3E5R2T9Y8U6I4"
NOTE = f"""---
summary: The harbour token is {GITHUB}
---
The harbour crane is driven with the token {GITHUB}.

export HARBOUR_KEY={AWS}
"""


@pytest.mark.parametrize(
    "more", [(), ("--budget", "400"), ("--expand",), ("--notes",), ("--mode", "deep")]
)
def test_recall_answers_without_them(make_vault, more) -> None:
    vault = make_vault({"Crane.md": NOTE, "Quay.md": "The quay. [[Crane]]\n"})
    asked = ("recall", "harbour crane token", "--floor", "0", *more)
    status, out = play(vault, *asked)
    assert status == 0
    assert "Crane.md" in out
    assert GITHUB not in out
    assert AWS not in out
    assert "taken out" in out
    shape = json.loads(play(vault, *asked, "--json")[1])
    assert shape["redacted"] >= 1
    assert GITHUB not in json.dumps(shape)
    assert AWS not in json.dumps(shape)
    assert (vault / "Crane.md").read_text() == NOTE


def test_questions_of_a_batch_are_answered_without_them(
    make_vault, tmp_path, monkeypatch, capsys
) -> None:
    vault = make_vault({"Crane.md": NOTE})
    monkeypatch.chdir(vault)
    lines = tmp_path / "lines.txt"
    lines.write_text("harbour crane token\n")
    assert run(["recall", "--batch", str(lines), "--budget", "300"]) == 0
    out = capsys.readouterr().out
    assert GITHUB not in out
    assert json.loads(out)["redacted"] >= 1


def test_what_holds_none_says_so(make_vault) -> None:
    vault = make_vault({"Crane.md": "The harbour crane lifts nine tonnes.\n"})
    shape = json.loads(play(vault, "recall", "harbour crane", "--json")[1])
    assert shape["redacted"] == 0
    assert "nine tonnes" in shape["hits"][0]["snippet"]
