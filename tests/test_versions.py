"""What a shared vault's notes said before: what is kept, for how long, and for whom."""

from __future__ import annotations

import os
import shutil
import stat
import time
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from mindcache.app import App
from mindcache.errors import MindcacheError
from mindcache.hashing import blake2b
from mindcache.sync import Scope
from mindcache.sync.remembering import how_it_came
from mindcache.versions import DAYS, LARGEST, MOST, Seen, Versions, is_shared
from tests.conftest import NOW, MakeApp, MakeVault

MINUTE = timedelta(minutes=1)


@pytest.fixture
def versions(tmp_path: Path) -> Versions:
    return Versions(str(tmp_path / "state" / "versions" / "v.sqlite"))


def seen(text: str, how: str = "changed", path: str = "n.md") -> Seen:
    data = text.encode()
    return Seen(path, data, blake2b(data).digest(), how, is_known=how == "changed")


def said(versions: Versions, path: str = "n.md") -> list[str]:
    return [each.data.decode() for each in versions.of(path)]


def test_each_version_is_kept_once_in_its_order(versions: Versions) -> None:
    assert versions.of("n.md") == []
    assert not Path(versions.path).exists()
    for at, text in enumerate(("one", "one", "two", "one")):
        versions.take([seen(text)], NOW + at * MINUTE)
    assert said(versions) == ["one", "two", "one"]
    kept = versions.of("n.md")
    assert [each.is_first for each in kept] == [True, False, False]
    assert kept[1].seen == "2026-11-30T12:02:00.000"


def test_nobody_else_reads_them(versions: Versions) -> None:
    versions.take([seen("one")], NOW)
    file = Path(versions.path)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_those_that_stood_longest_stay(versions: Versions) -> None:
    at = NOW
    versions.take([seen("first", "born")], at)
    versions.take([seen("came", "arrived")], at + MINUTE)
    at += timedelta(hours=9)
    for number in range(3 * MOST):
        at += MINUTE
        versions.take([seen(f"{number}")], at)
    kept = said(versions)
    assert len(kept) == MOST
    assert kept[:2] == ["first", "came"]
    assert kept[-1] == f"{3 * MOST - 1}"


def test_a_dropped_version_leaves_how_it_came_to_the_next(versions: Versions) -> None:
    at = NOW
    for number in range(MOST):
        at += timedelta(hours=1)
        versions.take([seen(f"{number}")], at)
    at += timedelta(hours=1)
    versions.take([seen("came", "arrived")], at)
    versions.take([seen("saved")], at + MINUTE)
    last = versions.of("n.md")[-1]
    assert (last.data, last.how) == (b"saved", "arrived")


def test_what_nobody_says_any_more_goes_after_a_while(versions: Versions) -> None:
    versions.take([seen("old"), seen("kept", path="k.md")], NOW)
    versions.take([seen("new")], NOW + MINUTE)
    versions.gone(["k.md"], NOW + MINUTE)
    assert said(versions, "k.md") == ["kept"]
    later = NOW + timedelta(days=DAYS + 1)
    versions.take([seen("x", path="x.md")], later)
    # What a note says is never too old; it is no beginning any more.
    assert [each.is_first for each in versions.of("n.md")] == [False]
    assert said(versions, "n.md") == ["new"]
    assert said(versions, "k.md") == []


def test_a_note_that_comes_back_or_moves_keeps_what_it_said(versions: Versions) -> None:
    versions.take([seen("one")], NOW)
    versions.gone(["n.md"], NOW)
    versions.take([seen("one")], NOW + MINUTE)
    versions.take([seen("one", path="m.md")], NOW, [("n.md", "m.md")])
    assert (said(versions), said(versions, "m.md")) == ([], ["one"])
    versions.take([seen("x", path="x.md")], NOW + timedelta(days=DAYS + 1))
    assert said(versions, "m.md") == ["one"]


def test_large_notes_are_not_kept(versions: Versions) -> None:
    versions.take([seen("x" * (LARGEST + 1))], NOW)
    assert versions.of("n.md") == []


def test_a_broken_file_is_begun_anew_and_one_that_can_t_be_is_said(
    versions: Versions,
) -> None:
    versions.take([seen("one")], NOW)
    Path(versions.path).write_bytes(b"no database at all" * 400)
    versions.take([seen("two")], NOW)
    assert said(versions) == ["two"]
    shutil.rmtree(Path(versions.path).parent)
    Path(versions.path).parent.write_text("in the way")
    with pytest.raises(MindcacheError, match="earlier versions"):
        versions.take([seen("three")], NOW)


def test_only_what_syncthing_shares_is_remembered(
    make_vault: MakeVault, make_app: MakeApp, tmp_path: Path
) -> None:
    root = make_vault({"n.md": "one\n", ".stignore": "/.trash\n"})
    app = make_app(root)
    app.update()
    assert app.versions is None
    assert not (tmp_path / "machine-state").exists()
    (root / ".stfolder").mkdir()
    assert is_shared(str(root))
    assert is_shared(str(make_vault({"n.md": ""}))) is False
    # From then on all of it is, though nothing changed.
    again = make_app(root)
    again.update()
    assert again.versions is not None
    assert [each.data for each in again.versions.of("n.md")] == [b"one\n"]
    # A note that was there before is at no beginning.
    came = replace(seen("x", "arrived", "old.md"), is_known=True)
    again.versions.take([came], NOW)
    assert [each.how for each in again.versions.of("old.md")] == ["unknown"]


@pytest.fixture
def shared(make_vault: MakeVault, make_app: MakeApp) -> tuple[Path, App]:
    root = make_vault({"n.md": "one\n", ".stfolder/x": ""})
    app = make_app(root)
    app.update()
    return root, app


def hows(app: App, path: str = "n.md") -> list[tuple[str, bool]]:
    assert app.versions is not None
    return [(each.how, each.is_followed) for each in app.versions.of(path)]


def test_it_is_told_how_a_version_came(shared: tuple[Path, App]) -> None:
    root, app = shared
    (root / "n.md").write_text("saved\n")
    (root / "born.md").write_text("born\n")
    app.update()
    for name in ("n.md", "came.md"):
        (root / name).write_text("from elsewhere\n")
        os.utime(root / name, (1e9, 1e9))
    app.update()
    (root / "n.md").write_text("saved, seen\n")
    app.update(scope=Scope(only=("n.md",), arrived={}))
    (root / "n.md").write_text("saved over what came\n")
    app.update(scope=Scope(only=("n.md",), arrived={"n.md": (1, 1)}))
    assert hows(app) == [
        ("unknown", False),
        ("changed", False),
        ("arrived", False),
        ("changed", True),
        ("unknown", False),
    ]
    assert hows(app, "born.md") == [("born", False)]
    assert hows(app, "came.md") == [("arrived", False)]


def test_what_another_process_read_first_is_followed_all_the_same(
    shared: tuple[Path, App],
) -> None:
    root, app = shared
    (root / "n.md").write_text("saved\n")
    app.update()
    app.update(scope=Scope(only=("n.md",), arrived={}))
    assert hows(app)[-1] == ("changed", True)
    app.update(scope=Scope(only=("n.md",), arrived={"n.md": (1, 1)}))
    assert hows(app)[-1] == ("changed", False)


def test_a_rename_and_a_deletion_are_followed(shared: tuple[Path, App]) -> None:
    root, app = shared
    (root / "n.md").write_text("two\n")
    app.update()
    (root / "n.md").rename(root / "m.md")
    app.update()
    assert app.versions is not None
    assert [each.data for each in app.versions.of("m.md")] == [b"one\n", b"two\n"]
    (root / "m.md").unlink()
    app.update()
    assert len(app.versions.of("m.md")) == 2
    app.compact()
    assert app.versions.of("m.md") == []


def test_what_keeps_versions_from_being_kept_stops_no_sync(
    shared: tuple[Path, App],
) -> None:
    root, app = shared
    assert app.versions is not None
    os.unlink(app.versions.path)
    os.mkdir(app.versions.path)
    (root / "n.md").write_text("two\n")
    report = app.update()
    assert report.changed == ["n.md"]
    assert [(p.code, p.severity) for p in report.problems] == [("versions", "info")]


def test_times_that_lie_apart_are_another_machine_s(tmp_path: Path) -> None:
    file = tmp_path / "n.md"
    file.write_text("x")
    now = time.time_ns()
    assert how_it_came(file.stat(), now, is_known=True) == "changed"
    assert how_it_came(file.stat(), now, is_known=False) == "born"
    late = now + 60 * 10**9
    assert how_it_came(file.stat(), late, is_known=False) == "unknown"
    for apart in (-60, 60):
        at = datetime.now().timestamp() + apart  # noqa: DTZ005, TID251  as a file has it
        os.utime(file, (at, at))
        assert how_it_came(file.stat(), now, is_known=True) == "arrived"
