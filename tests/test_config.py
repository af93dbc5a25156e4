"""Settings from file, variable and flag, and which vault is meant."""

from __future__ import annotations

import os
import stat
import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindcache.config import (
    SETTINGS,
    load,
    machine_config_path,
    remember_vault,
    vault_config_path,
)
from mindcache.errors import ConfigError, VaultUnavailable
from mindcache.places import find_vault


@pytest.fixture(autouse=True)
def _no_cache_variable(monkeypatch: pytest.MonkeyPatch, _own_machine: None) -> None:
    monkeypatch.delenv("MINDCACHE_CACHE_DIR")
    monkeypatch.delenv("MINDCACHE_STATE_DIR")


def write_vault_config(root: Path, text: str | bytes) -> Path:
    path = Path(vault_config_path(str(root)))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def write_machine_config(text: str | bytes) -> Path:
    path = Path(machine_config_path())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def everything(root: Path) -> set[str]:
    return {str(p) for p in root.rglob("*")}


# -- values and where they come from -------------------------------------------------


def test_without_any_file_every_setting_has_its_default(tmp_path: Path) -> None:
    found = load(str(tmp_path))
    assert found.values == {s.key: s.default for s in SETTINGS}
    assert set(found.origins.values()) == {"default"}
    assert found.problems == ()


def test_reading_makes_no_file_and_no_folder(tmp_path: Path) -> None:
    """L5: a bare look has no side effects."""
    before = everything(tmp_path)
    load(str(tmp_path))
    load(None)
    with pytest.raises(VaultUnavailable):
        find_vault(None, str(tmp_path))
    assert everything(tmp_path) == before


def test_each_file_sets_what_is_its_own(tmp_path: Path) -> None:
    vault_file = write_vault_config(
        tmp_path,
        'timezone = "Europe/Berlin"\nsize_cap = 2000\n[contract]\npaths = ["memory"]\n',
    )
    machine_file = write_machine_config('model = "/models/m"\ncache_dir = "/tmp/c"\n')
    found = load(str(tmp_path))
    assert found.text("timezone") == "Europe/Berlin"
    assert found.number("size_cap") == 2000
    assert found.texts("contract.paths") == ("memory",)
    assert found.text("model") == "/models/m"
    assert found.origins["contract.paths"] == str(vault_file)
    assert found.origins["model"] == str(machine_file)
    assert found.origins["vault"] == "default"


def test_a_variable_beats_the_file_and_a_flag_beats_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = write_machine_config('cache_dir = "/file"\n')
    assert (load(None).text("cache_dir"), load(None).origins["cache_dir"]) == (
        "/file",
        str(path),
    )
    monkeypatch.setenv("MINDCACHE_CACHE_DIR", "/variable")
    found = load(None)
    assert (found.text("cache_dir"), found.origins["cache_dir"]) == (
        "/variable",
        "MINDCACHE_CACHE_DIR",
    )
    found = load(None, {"cache_dir": "/flag"})
    assert (found.text("cache_dir"), found.origins["cache_dir"]) == ("/flag", "flag")
    monkeypatch.setenv("MINDCACHE_CACHE_DIR", "")
    assert load(None).text("cache_dir") == "/file"


@pytest.mark.parametrize("key", [s.key for s in SETTINGS if s.scope == "machine"])
def test_a_vault_cannot_set_what_is_the_machines(tmp_path: Path, key: str) -> None:
    """A vault that came by sync names no folder and no model here."""
    write_vault_config(tmp_path, f'# mine\n{key} = "/evil"\n')
    found = load(str(tmp_path))
    assert "/evil" not in found.values.values()
    (problem,) = found.problems
    assert (problem.path, problem.line, problem.code) == (
        ".mindcache/config.toml",
        2,
        "config-scope",
    )
    assert f"{key} is a setting of the machine" in problem.message


def test_a_machine_cannot_set_what_is_the_vaults(tmp_path: Path) -> None:
    path = write_machine_config('timezone = "Asia/Tokyo"\n')
    found = load(str(tmp_path))
    assert found.text("timezone") == ""
    (problem,) = found.problems
    assert (problem.path, problem.line, problem.code) == (str(path), 1, "config-scope")


@pytest.mark.parametrize(
    ("text", "line", "key", "mend"),
    [
        ('timezon = "x"\n', 1, "timezon", "did you mean timezone?"),
        ("\n\nsize-cap = 3\n", 3, "size-cap", "did you mean size_cap?"),
        ("[contract]\npath = []\n", 2, "contract.path", "did you mean contract.paths?"),
        ("xyzzy = 1\n", 1, "xyzzy", "delete it"),
        ("[a.b]\n# c\nd = 1\n", 3, "a.b.d", "delete it"),
        ("[a]\nx = 1\n[ b ]\nx = 1\n", 2, "a.x", "delete it"),
    ],
)
def test_an_unknown_key_is_a_problem_with_the_nearest_name(
    tmp_path: Path, text: str, line: int, key: str, mend: str
) -> None:
    write_vault_config(tmp_path, text)
    problem = load(str(tmp_path)).problems[0]
    assert (problem.line, problem.code, problem.mend) == (line, "config-unknown", mend)
    assert problem.message == f"no setting is called {key}"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("timezone = 3\n", 1, "timezone must be a text, not 3"),
        ("# c\nnamespaces = \"tool\"\n", 2, "namespaces must be a list of texts"),
        ("\nnamespaces = [1]\n", 2, "namespaces must be a list of texts"),
        ("[contract]\npaths = true\n", 2, "contract.paths must be a list of texts"),
        ("contract.paths = 3\n", 1, "contract.paths must be a list of texts"),
        ("contract = 3\n", 1, ""),
        ('"size_cap" = "big"\n', 1, "size_cap must be a whole number above 0"),
        ("size_cap = 1.5\n", 1, "size_cap must be a whole number above 0"),
        ("size_cap = true\n", 1, "size_cap must be a whole number above 0"),
        ("size_cap = 0\n", 1, "size_cap must be a whole number above 0"),
        ("size_cap = -1\n", 1, "size_cap must be a whole number above 0"),
        ("timezone = 2026-01-01\n", 1, "timezone must be a text"),
        ("\n\ntimezone = \"Europe/Berln\"\n", 3, "no time zone is called 'Europe/Berln'"),
        ("timezone = \"../../etc/passwd\"\n", 1, "no time zone is called"),
        ("timezone = \"Europe\"\n", 1, "no time zone is called"),
        ("size_cap = 3\ntimezone = oops\n", 2, "not valid TOML"),
        ("size_cap = 3\nsize_cap = 4\n", 2, "not valid TOML"),
        ("a = [\n", 0, "not valid TOML"),
        ("a = " + "[" * 100_000, 0, "not valid TOML"),
        (b"size_cap = 3\n# caf\xe9\n", 2, "not UTF-8"),
    ],
)  # fmt: skip
def test_what_cannot_be_understood_names_file_line_and_mend(
    tmp_path: Path, text: str | bytes, line: int, words: str
) -> None:
    path = write_vault_config(tmp_path, text)
    if not words:  # a text where a table is meant is a key that does not exist
        assert load(str(tmp_path)).problems[0].line == line
        return
    with pytest.raises(ConfigError) as caught:
        load(str(tmp_path))
    assert caught.value.message.startswith(f"{path}:{line}:" if line else f"{path}:")
    assert words in caught.value.message
    assert caught.value.mend
    assert caught.value.exit_code == 2


@pytest.mark.parametrize(
    "text", ["", "\n\n", "# only\n  # comments\n", "\ufeff", "\r\n"]
)
def test_an_empty_file_sets_nothing(tmp_path: Path, text: str) -> None:
    write_vault_config(tmp_path, text)
    assert load(str(tmp_path)).values == {s.key: s.default for s in SETTINGS}


def test_a_byte_order_mark_and_crlf_are_read_over(tmp_path: Path) -> None:
    write_vault_config(tmp_path, "\ufeffsize_cap = 5\r\ntimezone = 'UTC'\r\n")
    found = load(str(tmp_path))
    assert (found.number("size_cap"), found.text("timezone")) == (5, "UTC")


def test_a_settings_file_that_is_a_folder_is_an_error(tmp_path: Path) -> None:
    Path(vault_config_path(str(tmp_path))).mkdir(parents=True)
    with pytest.raises(ConfigError, match="can't be read"):
        load(str(tmp_path))


@pytest.mark.parametrize(
    ("text", "differs"),
    [
        ("", False),
        ("# a comment\n", False),
        ("size_cap = 1048576\n", False),
        ("size_cap = 5\n", True),
        ('timezone = "UTC"\n', True),
        ('[contract]\npaths = ["a"]\n', True),
    ],
)
def test_answers_differ_just_when_a_vault_setting_does(
    tmp_path: Path, text: str, *, differs: bool
) -> None:
    default = load(str(tmp_path)).answers
    write_machine_config('model = "/m"\n')
    write_vault_config(tmp_path, text)
    assert (load(str(tmp_path)).answers != default) is differs


# -- which vault ---------------------------------------------------------------------


def make(folder: Path) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    return os.path.realpath(folder)


def test_flag_variable_ancestor_and_default_in_this_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flag, variable, default = (make(tmp_path / n) for n in ("flag", "var", "default"))
    outside = make(tmp_path / "outside")
    around = make(tmp_path / "around")
    inside = make(tmp_path / "around" / "a" / "b")
    with pytest.raises(VaultUnavailable, match="no vault here") as caught:
        find_vault(None, outside)
    assert "mindcache init" in caught.value.mend
    assert caught.value.exit_code == 5
    write_machine_config(f"vault = {default!r}\n")
    assert find_vault(None, outside) == default
    make(tmp_path / "around" / ".mindcache")
    assert find_vault(None, inside) == around
    assert find_vault(None, around) == around
    monkeypatch.setenv("MINDCACHE_VAULT", variable)
    assert find_vault(None, inside) == variable
    assert find_vault(flag, inside) == flag


@pytest.mark.parametrize("mark", [".mindcache", ".obsidian"])
def test_the_nearest_marked_ancestor_is_meant(tmp_path: Path, mark: str) -> None:
    make(tmp_path / "outer" / ".obsidian")
    inner = make(tmp_path / "outer" / "inner")
    deep = make(tmp_path / "outer" / "inner" / "x")
    assert find_vault(None, deep) == os.path.realpath(tmp_path / "outer")
    make(tmp_path / "outer" / "inner" / mark)
    assert find_vault(None, deep) == inner


def test_a_file_called_like_the_mark_makes_no_vault(tmp_path: Path) -> None:
    (tmp_path / ".obsidian").write_text("not a folder")
    with pytest.raises(VaultUnavailable):
        find_vault(None, str(tmp_path))


def test_a_path_is_relative_to_where_one_stands_and_may_start_at_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    vault = make(tmp_path / "my vault")
    assert find_vault("my vault", str(tmp_path)) == vault
    assert find_vault("../my vault/", make(tmp_path / "other")) == vault
    monkeypatch.setenv("HOME", str(tmp_path))
    assert find_vault("~/my vault", "/") == vault


def test_a_vault_behind_a_link_is_its_real_path(tmp_path: Path) -> None:
    vault = make(tmp_path / "vault")
    (tmp_path / "link").symlink_to(vault)
    assert find_vault(str(tmp_path / "link"), "/") == vault


@pytest.mark.parametrize("flag", ["", "missing", "file.md"])
def test_a_flag_that_names_no_folder_never_means_another_one(
    tmp_path: Path, flag: str
) -> None:
    make(tmp_path / ".obsidian")
    (tmp_path / "file.md").write_text("x")
    with pytest.raises(VaultUnavailable, match="--vault"):
        find_vault(flag, str(tmp_path))


def test_a_variable_or_default_that_is_gone_says_who_named_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_machine_config(f"vault = '{tmp_path / 'gone'}'\n")
    with pytest.raises(VaultUnavailable, match=r"from .*config\.toml") as caught:
        find_vault(None, str(tmp_path))
    assert str(path) in caught.value.message
    monkeypatch.setenv("MINDCACHE_VAULT", str(tmp_path / "gone too"))
    with pytest.raises(VaultUnavailable, match="from MINDCACHE_VAULT"):
        find_vault(None, str(tmp_path))


# -- the default that init records -----------------------------------------------------


def test_the_first_vault_is_remembered_and_a_second_is_not(tmp_path: Path) -> None:
    assert remember_vault("/first vault")
    assert not remember_vault("/second")
    assert load(None).text("vault") == "/first vault"


@pytest.mark.parametrize(
    "previous",
    [
        b"# mine\nmodel = '/m'\n",
        b"\xef\xbb\xbf# with a mark\r\nmodel = '/m'\r\n",
        b"model = '/m'",
        b"[other]\nvault = 'of another table'\n",
    ],
)
def test_remembering_keeps_every_byte_that_was_there(previous: bytes) -> None:
    path = write_machine_config(previous)
    path.chmod(0o600)
    assert remember_vault("/v")
    data = path.read_bytes()
    bom = b"\xef\xbb\xbf"
    assert data.removeprefix(bom).endswith(previous.removeprefix(bom))
    assert data.startswith(bom) is previous.startswith(bom)
    if b"\r\n" in previous:
        assert data.count(b"\n") == data.count(b"\r\n")
    assert tomllib.loads(data.decode("utf-8-sig"))["vault"] == "/v"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [p.name for p in path.parent.iterdir()] == ["config.toml"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
def test_any_path_comes_back_as_it_was(tmp_path: Path, vault: str) -> None:
    Path(machine_config_path()).unlink(missing_ok=True)
    assert remember_vault(f"/{vault}")
    assert load(None).text("vault") == f"/{vault}"


def test_a_path_that_is_not_utf8_is_not_recorded() -> None:
    assert not remember_vault(os.fsdecode(b"/caf\xe9"))
    assert not Path(machine_config_path()).exists()


def test_settings_behind_a_link_are_written_where_they_are(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.toml"
    real.write_text("model = '/m'\n")
    path = Path(machine_config_path())
    path.parent.mkdir(parents=True)
    path.symlink_to(real)
    assert remember_vault("/v")
    assert path.is_symlink()
    assert tomllib.loads(real.read_text()) == {"vault": "/v", "model": "/m"}


def test_broken_machine_settings_are_not_written_over() -> None:
    path = write_machine_config("model = oops\n")
    with pytest.raises(ConfigError):
        remember_vault("/v")
    assert path.read_text() == "model = oops\n"


def test_settings_that_cannot_be_written_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "machine-config").write_text("a file where the folder should be")
    with pytest.raises(ConfigError, match=r"config\.toml: can't be"):
        remember_vault("/v")


def test_a_line_of_a_megabyte_takes_no_longer_than_its_length(tmp_path: Path) -> None:
    for filler in (" " * 500_000, "." * 500_000, "# " + "[" * 500_000):
        write_vault_config(tmp_path, f"size_cap = 5\n#{filler}\nxyzzy = 1\n")
        started = time.process_time()
        assert load(str(tmp_path)).problems[0].line == 3
        assert time.process_time() - started < 1.0
    write_vault_config(tmp_path, "size_cap = 5\n" + " " * 500_000 + "\nxyzzy = 1\n")
    started = time.process_time()
    assert load(str(tmp_path)).problems[0].line == 3
    assert time.process_time() - started < 1.0


def test_a_time_that_is_none_is_a_problem(tmp_path: Path) -> None:
    text = '[digest]\nat = "25:00"\n[git]\nevery = "often"\n'
    write_vault_config(tmp_path, text)
    found = load(str(tmp_path)).problems
    assert [str(each) for each in found] == [
        ".mindcache/config.toml:2: digest.at is no time: '25:00' (write it as 03:00)",
        ".mindcache/config.toml:4: git.every is no time: 'often' (write it as 30m or 1h)",
    ]
    write_vault_config(tmp_path, '[digest]\nat = " 3:05"\n[git]\nevery = "30 m"\n')
    assert load(str(tmp_path)).problems == ()
