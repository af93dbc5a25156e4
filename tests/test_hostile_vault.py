"""A vault that a stranger prepared: logs, intents, settings and names that mean harm."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from pathlib import Path

import pytest

from mindcache.errors import ConfigError, MindcacheError, Refused
from mindcache.files import LINE_BYTES, lines_of
from mindcache.vault import Create, Vault, commit, content_hash
from tests.conftest import MakeApp, MakeVault
from tests.test_write_moving import play
from tests.test_write_sharing import git

ID = "m-01KA0000000000000000000B01"
NOTE = (
    f"---\nid: {ID}\ntype: fact\nsummary: One\ntags:\n  - scope/project\n"
    "status: active\ncreated_at: 2026-03-05\n---\nThe harbour crane.\n"
)
ACCESS = ".mindcache/access/theirs-1234.jsonl"
LEDGER = ".mindcache/ledger/theirs-1234.jsonl"
# Far more than it takes, so that a busy machine fails nothing.
PATIENCE = 20.0


def line(**values: object) -> str:
    return json.dumps(values) + "\n"


# -- logs --------------------------------------------------------------------------


@pytest.mark.parametrize("times", [10**400, 10**18, -1, True, 1.5, "9"])
def test_no_count_of_uses_ends_a_digest(
    make_vault: MakeVault, make_app: MakeApp, times: object
) -> None:
    log = line(use="x", key=ID, day="2026-11-01", times=times)
    root = make_vault({"a.md": NOTE, ACCESS: log})
    for words in (("digest", "--now", "2026-11-30T03:00"), ("why-faint", "a.md")):
        code, out = play(root, *words)
        assert (code, "Traceback" in out) == (0, False), out
    uses = make_app(root).access.uses()
    assert not uses.days
    assert [p.code for p in uses.problems] == ["access-log"]


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_no_day_of_a_use_ends_a_digest(make_vault: MakeVault, day: str) -> None:
    log = line(use="x", key=ID, at=f"{day}T12:00:00", how="show")
    root = make_vault({"a.md": NOTE, ACCESS: log})
    for words in (("digest", "--now", "2026-11-30T03:00"), ("why-faint", "a.md")):
        code, out = play(root, *words)
        assert (code, "Traceback" in out) == (0, False), out


def test_a_line_without_an_end_takes_no_more_room_than_ours(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"a" * (3 * LINE_BYTES) + b"\n{}\n" + b"b" * LINE_BYTES + b"\nc")
    with path.open("rb") as file:
        found = list(lines_of(file))
    assert [len(each) for each in found] == [LINE_BYTES + 1, 3, LINE_BYTES + 1, 1]
    assert found[1:2] + found[3:] == [b"{}\n", b"c"]
    assert all(each.endswith(b"\n") for each in found[:3])


def test_a_log_of_one_endless_line_keeps_nobody(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    endless = b"x" * 60_000_000
    used = line(use="u", key=ID, at="2026-11-30T11:00:00", how="show").encode()
    root = make_vault({"a.md": NOTE, ACCESS: endless + b"\n" + used, LEDGER: endless})
    app = make_app(root)
    app.update()
    began = time.process_time()
    assert app.access.since(app.now().date()) == {ID}
    assert app.access.uses().days.keys() == {ID}
    assert app.ledger.afresh() == []
    assert [p.code for p in app.ledger.damaged()] == ["ledger"]
    assert time.process_time() - began < PATIENCE


# -- settings ----------------------------------------------------------------------


@pytest.mark.parametrize("value", ["9" * 5_000, "[" * 100_000, "1e400000", "nan"])
def test_no_value_of_a_setting_is_a_crash(
    make_vault: MakeVault, make_app: MakeApp, value: str
) -> None:
    config = f"size_cap = {value}\n"
    app = make_app(make_vault({"a.md": NOTE, ".mindcache/config.toml": config}))
    with pytest.raises(ConfigError, match=r"config\.toml"):
        app.update()


# -- what was begun by nobody --------------------------------------------------------


def hidden(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in sorted((root / ".git").rglob("*"))
        if path.is_file()
    }


def with_git(root: Path) -> dict[str, str]:
    (root / ".git/hooks").mkdir(parents=True)
    (root / ".git/config").write_text("[core]\n")
    (root / "hook.md").chmod(0o755)
    return hidden(root)


@pytest.mark.parametrize("to", [".git/hooks/pre-commit", ".GIT/hooks/x", "../out.md"])
def test_a_move_that_a_vault_brings_along_puts_nothing_among_hooks(
    make_vault: MakeVault, tmp_path: Path, to: str
) -> None:
    script = "#!/bin/sh\ntouch pwned\n"
    digest = content_hash(script.encode()).hex()
    intent = {"folders": [], "moves": [["hook.md", to, digest]], "texts": {}}
    root = make_vault(
        {
            "a.md": NOTE,
            "hook.md": script,
            ".mindcache/tmp/move.json": json.dumps(intent),
        }
    )
    before, outside = with_git(root), set(tmp_path.iterdir())
    code, out = play(root, "update", "a.md", "--add-tag", "tool/git")
    assert code == 0, out
    play(root, "doctor", "--repair")
    assert hidden(root) == before
    assert (root / "hook.md").read_text() == script
    assert {p.name for p in tmp_path.iterdir()} - {p.name for p in outside} <= {
        "machine-cache",
        "machine-config",
        "machine-state",
    }


def test_nothing_is_restored_among_hooks(make_vault: MakeVault) -> None:
    thrown = line(
        what="trashed", kind="note", key="hook.md", path=".git/hooks/pre-commit",
        to=".trash/hook.md",
    )  # fmt: skip
    root = make_vault({"a.md": NOTE, ".trash/hook.md": "#!/bin/sh\n", LEDGER: thrown})
    (root / ".git/hooks").mkdir(parents=True)
    play(root, "restore", ".trash/hook.md")
    play(root, "restore", "hook.md")
    assert not hidden(root)


@pytest.mark.parametrize(
    "path",
    [
        ".git/x",
        ".GIT/x",
        "a/.Git/hooks/x",
        ".git. /x",
        "git~1/x",
        ".git::$INDEX_ALLOCATION/x",
        ".g\u200cit/x",
        ".\ufeffgit/x",
        ".git",
    ],
)
def test_whatever_takes_it_for_gits_own(tmp_path: Path, path: str) -> None:
    (tmp_path / "vault").mkdir()
    vault = Vault(str(tmp_path / "vault"))
    with pytest.raises(Refused):
        vault.replace(path, b"x", b"")
    done = commit(vault, [Create(path, b"x")])
    assert isinstance(done.failed[0][1], MindcacheError)
    assert os.listdir(vault.root) == []


def test_what_only_looks_like_it_is_the_owners(tmp_path: Path) -> None:
    vault = Vault(str(tmp_path))
    for path in ("git/x.md", "a.git/x.md", ".github/x.md", "git~2.md", "digits.md"):
        commit(vault, [Create(path, b"x")])
    assert len(list(tmp_path.rglob("*.md"))) >= 4


# -- names -------------------------------------------------------------------------


@pytest.mark.skipif(
    shutil.which("git") is None or os.name != "posix", reason="no git or such names"
)
def test_a_name_that_git_takes_for_a_pattern_is_a_name(
    make_vault: MakeVault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "gitconfig"
    config.write_text("[user]\nname = Ines\nemail = i@example.org\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    names = [":(exclude)a.md", ":!a.md", ":a.md", "--help.md", "*.md", "@{u}.md"]
    root = make_vault({"a.md": "Plain.\n"})
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "plain")
    for name in names:
        (root / name).write_text(f"{hashlib.md5(name.encode()).hexdigest()}\n")
        git(root, "--literal-pathspecs", "add", "--", name)
        git(root, "commit", "-qm", f"of {name}")
    for name in names:
        code, out = play(root, "history", "--json", "--", name)
        assert code == 0, out
        told = [each["subject"] for each in json.loads(out)["versions"]]
        assert told == [f"of {name}"]
