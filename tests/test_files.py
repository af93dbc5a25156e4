"""What somebody else may have prepared: pipes and devices, folders, cache files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from mindcache import files
from mindcache.app import App
from mindcache.errors import ConfigError, MindcacheError
from mindcache.vault import Ledger, Vault
from tests.conftest import MakeApp, MakeVault

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes and owners")

_FIXED = (
    ".mindcacheignore",
    ".mindcache/config.toml",
    ".mindcache/ledger/other.jsonl",
    ".mindcache/access/other.jsonl",
    ".obsidian/daily-notes.json",
    ".obsidian/app.json",
)


@pytest.mark.parametrize("kind", ["pipe", "endless"])
@pytest.mark.parametrize("path", _FIXED)
def test_what_is_no_plain_file_ends_at_once(
    make_vault: MakeVault, make_app: MakeApp, path: str, kind: str
) -> None:
    # Git carries symbolic links: a pull may bring one that leads to an endless device.
    root = make_vault({"a.md": "Apples.\n"})
    full = root / path
    full.parent.mkdir(exist_ok=True, parents=True)
    os.mkfifo(full) if kind == "pipe" else full.symlink_to("/dev/zero")
    app = make_app(root)
    if path.startswith(".obsidian"):
        app.update()
        assert app.vault.link_format() == "shortest"
        return
    with pytest.raises(MindcacheError, match="not a regular file"):
        all_of(app)


def all_of(app: App) -> tuple[object, ...]:
    return app.update(), app.ledger.entries, app.access.uses()


def test_settings_that_nobody_wrote_by_hand_are_not_read(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    with path.open("wb") as file:
        file.truncate(files.SETTINGS_BYTES + 1)
    with pytest.raises(OSError, match="larger than"):
        files.read_plain(str(path))


def test_a_link_to_settings_elsewhere_is_read(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "", "shared.json": '{"newLinkFormat": "relative"}'})
    (root / ".obsidian/app.json").symlink_to(root / "shared.json")
    assert Vault(str(root)).link_format() == "relative"


def test_a_ledger_that_leads_nowhere_is_said(make_vault: MakeVault) -> None:
    root = make_vault({"a.md": "", ".mindcache/ledger/keep": ""})
    (root / ".mindcache/ledger/x.jsonl").symlink_to("nowhere")
    with pytest.raises(MindcacheError, match=r"x\.jsonl can't be read"):
        _ = Ledger(Vault(str(root)), "here-0000").entries


# -- folders of this machine -------------------------------------------------------


@pytest.fixture
def stranger() -> int:
    if os.geteuid() != 0:
        pytest.skip("only root can make a file somebody else's")
    return 12_345


def test_a_cache_that_somebody_else_prepared_is_refused(
    make_vault: MakeVault, tmp_path: Path, stranger: int
) -> None:
    root = make_vault({"a.md": "Apples.\n"})
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    app = App(str(root), str(shared))
    prepared = Path(app.cache_folder)
    app.close()
    prepared.mkdir()
    os.chown(prepared, stranger, -1)
    with pytest.raises(ConfigError, match="belongs to another user"):
        _ = App(str(root), str(shared)).cache_path


def test_a_link_that_somebody_else_made_is_no_cache(
    make_vault: MakeVault, tmp_path: Path, stranger: int
) -> None:
    root = make_vault({"a.md": "Apples.\n"})
    mine = tmp_path / "mine"
    mine.mkdir()
    shared = tmp_path / "shared"
    shared.symlink_to(mine)
    os.chown(shared, stranger, -1, follow_symlinks=False)
    with pytest.raises(ConfigError, match="belongs to another user"):
        _ = App(str(root), str(shared)).cache_path


def test_state_is_not_kept_where_everybody_writes(
    make_vault: MakeVault, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    monkeypatch.setenv("MINDCACHE_STATE_DIR", str(shared))
    with pytest.raises(ConfigError, match="everybody shares"):
        _ = App(str(make_vault({}))).state_folder
    monkeypatch.setenv("MINDCACHE_STATE_DIR", str(shared / "mine"))
    assert App(str(make_vault({}))).state_folder == str(shared / "mine")


def test_a_cache_that_is_too_open_is_closed(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    app = make_app(make_vault({"a.md": "Apples.\n"}))
    folder = Path(app.cache_folder)
    folder.mkdir(parents=True)
    folder.chmod(0o777)
    Path(app.cache_path).touch()
    Path(app.cache_path).chmod(0o666)
    app.update()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for each in folder.iterdir():
        assert stat.S_IMODE(each.stat().st_mode) & 0o077 == 0, each


def test_a_cache_file_that_is_a_link_is_not_written_through(
    make_vault: MakeVault, make_app: MakeApp, tmp_path: Path
) -> None:
    app = make_app(make_vault({"a.md": "Apples.\n"}))
    theirs = tmp_path / "theirs"
    theirs.write_bytes(b"")
    Path(app.cache_folder).mkdir(parents=True)
    Path(app.cache_path).symlink_to(theirs)
    with pytest.raises((OSError, MindcacheError)):
        app.update()
    assert theirs.read_bytes() == b""
