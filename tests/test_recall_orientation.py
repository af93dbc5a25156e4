"""Whoever asks where things stand is answered by topics, and by the right ones."""

from __future__ import annotations

import shutil
import sys
import tomllib
from collections import defaultdict
from datetime import datetime
from pathlib import Path

import pytest

from mindcache.app import App
from mindcache.digest import digest
from mindcache.recall import Ask

_ROOT = Path(__file__).parent.parent
_TABLE = tomllib.loads(Path(__file__).with_name("orientation.toml").read_text("utf-8"))
_SHARED = _ROOT.parent / "shared/data/vaults"
# Of all questions so many are answered fast, and so many of these by the right topic.
_FAST, _RIGHT = 1 / 3, 0.92


def source(name: str) -> Path:
    example = _ROOT / "examples" / name
    return example if example.is_dir() else _SHARED / name


def asked(app: App, questions: list[dict]) -> list[tuple[str, bool, bool]]:
    """Each question: how it was answered, whether fast, whether by the right topic."""
    found = []
    tree = app.topics()
    every = {Path(node.path).stem for node in app.reader().nodes()}
    for each in questions:
        missing = set(each["notes"]) - every
        assert not missing, (each["text"], missing)
        answer = app.recall("auto", Ask(each["text"], limit=3))
        held = set()
        if answer.route == "fast":
            held = {Path(n).stem for h in answer.hits for n in tree.held(h.path)}
        right = bool(held.intersection(each["notes"]))
        said = f"{each['vault']}: {each['text']}: {answer.route} {answer.reason}"
        found.append((said, answer.route == "fast", right))
    return found


@pytest.mark.slow
def test_where_things_stand_is_answered_by_topics(
    tmp_path, monkeypatch, capsys
) -> None:
    monkeypatch.setenv("MINDCACHE_CONFIG_DIR", str(tmp_path / "config"))
    if not _SHARED.is_dir():
        pytest.skip("the vaults beside the repository are not there")
    by_vault = defaultdict(list)
    for each in _TABLE["ask"]:
        by_vault[each["vault"]].append(each)
    marks = []
    for name, questions in by_vault.items():
        vault = tmp_path / name
        shutil.copytree(source(name), vault)
        for path in (vault, *vault.rglob("*")):
            path.chmod(path.stat().st_mode | 0o700)
        now = datetime.fromisoformat(_TABLE["times"][name])
        app = App(vault, tmp_path / "cache", now=lambda now=now: now)
        try:
            app.update()
            digest(app, weekly=True)
            marks += asked(app, questions)
        finally:
            app.close()
    fast = [right for _, is_fast, right in marks if is_fast]
    told = [f"{len(marks)} asked, {len(fast)} fast, {sum(fast)} of these rightly"]
    told += [said for said, is_fast, right in marks if not (is_fast and right)]
    with capsys.disabled():
        sys.stdout.write("\n" + "\n".join(told) + "\n")
    assert len(marks) == 40
    assert len(fast) >= _FAST * len(marks), told
    assert sum(fast) >= _RIGHT * len(fast), told
