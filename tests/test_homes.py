"""Our own folders lie where platformdirs, which knows every system, puts them."""

from __future__ import annotations

import subprocess
import sys

import platformdirs
import pytest

from mindcache.homes import own_folder

HOMES = ["", " ", "/somewhere/else", "/with a blank/", "relative/is/ignored", "~/tilde"]


@pytest.mark.parametrize("home", HOMES)
@pytest.mark.parametrize("kind", ["config", "cache", "state"])
def test_a_folder_lies_where_the_system_wants_it(
    kind: str, home: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"XDG_{kind.upper()}_HOME", home)
    wanted = getattr(platformdirs, f"user_{kind}_dir")("mindcache", appauthor=False)
    assert own_folder(kind) == wanted  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["/home/ann", "relative"])
def test_it_follows_the_home_of_the_user(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", name)
    wanted = platformdirs.user_cache_dir("mindcache", appauthor=False)
    assert own_folder("cache") == wanted


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere platformdirs is asked")
def test_nothing_is_loaded_for_it() -> None:
    code = (
        "import sys; from mindcache.homes import own_folder; own_folder('cache');"
        " sys.exit('platformdirs' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
