"""Fixtures: vaults made from {path: text}, and an App over each."""

from __future__ import annotations

import errno
import os
import signal
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import settings

from mindcache import atomic
from mindcache.app import App

# How long an example takes says what else the machine is doing, and no more.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

NOW = datetime(2026, 11, 30, 12, 0)  # noqa: DTZ001  civil time

MakeVault = Callable[[Mapping[str, str | bytes]], Path]
MakeApp = Callable[..., App]


def pytest_configure() -> None:
    """Let Ctrl-C be what it is where a shell began the tests in the background.

    It lets those ignore it, and every process that they begin would.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _own_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the settings, caches or vaults of whoever runs it."""
    monkeypatch.setenv("MINDCACHE_CONFIG_DIR", str(tmp_path / "machine-config"))
    monkeypatch.setenv("MINDCACHE_CACHE_DIR", str(tmp_path / "machine-cache"))
    monkeypatch.setenv("MINDCACHE_STATE_DIR", str(tmp_path / "machine-state"))
    monkeypatch.delenv("MINDCACHE_VAULT", raising=False)
    monkeypatch.delenv("MINDCACHE_MODEL", raising=False)


def write_files(root: Path, files: Mapping[str, str | bytes]) -> None:
    for path, text in files.items():
        full = root / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_bytes(text if isinstance(text, bytes) else text.encode())


@pytest.fixture
def make_vault(tmp_path: Path) -> MakeVault:
    """A vault of these files; each call makes another one."""
    made = 0

    def make(files: Mapping[str, str | bytes]) -> Path:
        nonlocal made
        made += 1
        root = tmp_path / f"vault{made}"
        (root / ".obsidian").mkdir(parents=True)
        write_files(root, files)
        return root

    return make


@pytest.fixture
def make_app(tmp_path: Path) -> Iterator[MakeApp]:
    """An App over a vault with a fixed clock; `cache` names its cache folder."""
    opened: list[App] = []

    def make(vault: Path, cache: str = "cache") -> App:
        app = App(str(vault), str(tmp_path / cache), now=lambda: NOW)
        opened.append(app)
        return app

    yield make
    for app in opened:
        app.close()


@pytest.fixture
def unwritable(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Names of files that the system does not let anybody write, for as long as in it."""
    names: set[str] = set()
    for verb in ("replace", "create"):
        real = getattr(atomic, verb)

        def write(full: str, *args: object, real=real, **kwargs: object) -> None:  # type: ignore[no-untyped-def]
            if os.path.basename(full) in names:
                raise OSError(errno.EROFS, os.strerror(errno.EROFS), full)
            real(full, *args, **kwargs)

        monkeypatch.setattr(atomic, verb, write)
    return names
