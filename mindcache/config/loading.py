"""Reading settings from both files, the environment and flags, and writing one of them.

An error names file, line and mend.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from mindcache import atomic, files
from mindcache.config.table import FORMS, SETTINGS, WRITING, Scope, Setting, Value
from mindcache.errors import ConfigError, Problem, VaultUnavailable
from mindcache.homes import own_folder

__all__ = [
    "Settings",
    "load",
    "machine_config_path",
    "remember_vault",
    "vault_config_path",
    "with_text",
]

_IN_VAULT = ".mindcache/config.toml"

_BY_KEY = {setting.key: setting for setting in SETTINGS}


class Settings(NamedTuple):
    """Every setting's value, and the place each value came from.

    `faults` are those of the `problems` that are about a value that can't be used, by
    the key of their setting.
    """

    values: Mapping[str, Value]
    origins: Mapping[str, str]
    problems: tuple[Problem, ...] = ()
    faults: Mapping[str, Problem] = MappingProxyType({})

    def text(self, key: str) -> str:
        """The value of a text setting."""
        return str(self.values[key])

    def number(self, key: str) -> int:
        """The value of a whole-number setting."""
        value = self.values[key]
        return value if isinstance(value, int) else 0

    def flag(self, key: str) -> bool:
        """The value of a setting that is true or false."""
        return self.values[key] is True

    def texts(self, key: str) -> tuple[str, ...]:
        """The value of a list setting."""
        value = self.values[key]
        return tuple(value) if isinstance(value, list) else ()

    @property
    def answers(self) -> str:
        """The vault settings that change what is indexed, as one line of text."""
        keys = sorted(
            s.key for s in SETTINGS if s.scope == "vault" and s.key not in WRITING
        )
        return ";".join(f"{k}={self.values[k]!r}" for k in keys)


def vault_config_path(vault: str) -> str:
    """The vault's settings file, which need not exist."""
    return os.path.join(vault, ".mindcache", "config.toml")


def machine_config_path() -> str:
    """The machine's settings file, which need not exist."""
    folder = os.environ.get("MINDCACHE_CONFIG_DIR") or own_folder("config")
    return os.path.join(folder, "config.toml")


def load(vault: str | None, flags: Mapping[str, str] | None = None) -> Settings:
    """Read every setting.

    Raises ConfigError naming file, line and mend, and VaultUnavailable where not
    the settings but the whole vault can't be read.
    """
    values: dict[str, Value] = {s.key: s.default for s in SETTINGS}
    origins = dict.fromkeys(values, "default")
    problems: list[Problem] = []
    if vault:
        path = vault_config_path(vault)
        try:
            _merge(values, origins, problems, path, "vault")
        except ConfigError as error:
            if os.access(vault, os.R_OK | os.X_OK):
                raise
            raise VaultUnavailable(
                f"{vault} can't be read",
                mend="check its permissions, or whether its disk is mounted",
            ) from error
    _merge(values, origins, problems, machine_config_path(), "machine")
    for setting in SETTINGS:
        if setting.variable and (value := os.environ.get(setting.variable)):
            values[setting.key] = value
            origins[setting.key] = setting.variable
    for key, value in (flags or {}).items():
        values[key] = value
        origins[key] = "flag"
    _check_zone(values, origins)
    faults = dict(_no_times(values, origins))
    return Settings(values, origins, (*problems, *faults.values()), faults)


def _no_times(
    values: Mapping[str, Value], origins: Mapping[str, str]
) -> Iterator[tuple[str, Problem]]:
    """The settings of the vault that are read as times and are none."""
    for key, (form, mend) in FORMS.items():
        value = str(values[key])
        if value and not form.fullmatch(value.strip()):
            line = _line_of(_read(origins[key]), key)
            message = f"{key} is no time: {value!r}"
            yield key, Problem(_IN_VAULT, line, "config-value", message, mend)


def _check_zone(values: Mapping[str, Value], origins: Mapping[str, str]) -> None:
    zone = values["timezone"]
    if not zone:
        return
    import zoneinfo

    try:
        zoneinfo.ZoneInfo(str(zone))
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError) as error:
        path = origins["timezone"]
        raise ConfigError(
            f"{_place(path, _line_of(_read(path), 'timezone'))}:"
            f" no time zone is called {zone!r}",
            mend='use an IANA name such as "Europe/Berlin"',
        ) from error


def _merge(
    values: dict[str, Value],
    origins: dict[str, str],
    problems: list[Problem],
    path: str,
    scope: Scope,
) -> None:
    data = _read(path)
    for key, value in _flatten(_parse(path, data)):
        setting = _BY_KEY.get(key)
        line = _line_of(data, key)
        if setting is None or setting.scope != scope:
            shown = _IN_VAULT if scope == "vault" else path
            problems.append(_unknown(shown, line, key, setting))
            continue
        if not _fits(value, setting.default):
            raise ConfigError(
                f"{_place(path, line)}: {key} must be {_kind(setting.default)},"
                f" not {value!r}",
                mend=f"for example {key} = {_example(setting.default)}",
            )
        values[key] = value
        origins[key] = path


def _place(path: str, line: int) -> str:
    return f"{path}:{line}" if line else path


def _read(path: str) -> bytes:
    """A settings file's bytes; b"" for a file that isn't there."""
    try:
        return files.read_plain(path)
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise ConfigError(
            f"{path}: can't be read: {error.strerror}", mend="check its permissions"
        ) from error


def _parse(path: str, data: bytes) -> dict[str, Any]:
    if all(not line.strip() or line.lstrip()[:1] == b"#" for line in data.split(b"\n")):
        return {}  # nothing but comments needs no parser, which is slow to load
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{_place(path, line)}: not UTF-8", mend="save the file as UTF-8"
        ) from error
    except (ValueError, RecursionError) as error:  # also a number of 5,000 digits
        found = re.search(
            r"\s*\(at line (\d+), column \d+\)|\s*\(at end.*\)", str(error)
        )
        line = int(found[1] or 0) if found else 0
        message = str(error)[: found.start()] if found else str(error)
        raise ConfigError(
            f"{_place(path, line)}: not valid TOML: {message}",
            mend="mend the line, or delete it for the default",
        ) from error


def _line_of(data: bytes, key: str) -> int:
    """The line where a setting stands in a settings file, 0 if it can't be told."""
    table = ""
    for number, line in enumerate(data.decode("utf-8-sig", "replace").split("\n"), 1):
        name, equals, _ = line.partition("=")
        head = line.partition("#")[0].strip()
        if not equals and head.startswith("[") and head.endswith("]"):
            table = _plain_key(head[1:-1]) + "."
        elif equals and table + _plain_key(name) == key:
            return number
    return 0


def _plain_key(written: str) -> str:
    return ".".join(part.strip(" \t\"'") for part in written.split("."))


def _flatten(table: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    rows: list[tuple[str, Any]] = []
    for name, value in table.items():
        key = prefix + name
        if isinstance(value, dict):
            rows.extend(_flatten(value, key + "."))
        else:
            rows.append((key, value))
    return rows


def _unknown(path: str, line: int, key: str, setting: Setting | None) -> Problem:
    if setting is not None:
        message = f"{key} is a setting of the {setting.scope}, and counts only there"
        return Problem(path, line, "config-scope", message, "move it there")
    import difflib

    close = difflib.get_close_matches(key, list(_BY_KEY), n=1)
    mend = f"did you mean {close[0]}?" if close else "delete it"
    return Problem(path, line, "config-unknown", f"no setting is called {key}", mend)


def _fits(value: object, default: Value) -> bool:
    if isinstance(default, list):
        return isinstance(value, list) and all(isinstance(v, str) for v in value)
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(value, bool) and isinstance(default, bool)
    if isinstance(default, int):
        return isinstance(value, int) and value > 0
    return isinstance(value, type(default))


def _kind(default: Value) -> str:
    if isinstance(default, list):
        return "a list of texts"
    return {str: "a text", int: "a whole number above 0", bool: "true or false"}.get(
        type(default), "a number"
    )


def _example(default: Value) -> str:
    return repr(default).replace("'", '"')


def remember_vault(vault: str) -> bool:
    """Record `vault` as the machine's default unless it has one; True if written.

    A path that isn't valid UTF-8 can't be recorded. Raises ConfigError when the
    machine's settings can't be read or written.
    """
    path = machine_config_path()
    previous = _read(path)
    try:
        line = _text_line("vault", vault)
    except UnicodeEncodeError:
        return False
    if "vault" in _parse(path, previous):
        return False
    # In front, because at the end it might fall into a table.
    bom = b"\xef\xbb\xbf" if previous.startswith(b"\xef\xbb\xbf") else b""
    newline = b"\r\n" if b"\r\n" in previous else b"\n"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        # Where the settings are a link into somebody's dotfiles, its target.
        real = os.path.realpath(path)
        atomic.replace(real, bom + line + newline + previous[len(bom) :])
    except OSError as error:
        raise ConfigError(
            f"{path}: can't be written: {error.strerror}",
            mend="check its permissions, or name the vault with --vault",
        ) from error
    return True


def with_text(path: str, data: bytes, key: str, value: str) -> bytes:
    """A settings file's bytes with one more text setting; all others are kept.

    It goes below the header of its table, else in front. Raises ConfigError where the
    file would then say anything else, or has that setting already.
    """
    table, _, name = key.rpartition(".")
    header = re.compile(
        rb"^[ \t]*\[[ \t]*" + re.escape(table).encode() + rb"[ \t]*\][^\n]*(?:\n|\Z)",
        re.MULTILINE,
    )
    newline = b"\r\n" if b"\r\n" in data else b"\n"
    found = header.search(data) if table else None
    line = _text_line(name if found else key, value)
    if found:
        at = found.end()
        front = b"" if data[at - 1 : at] == b"\n" else newline
    else:
        at = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        front = b""
    changed = data[:at] + front + line + newline + data[at:]
    before = dict(_flatten(_parse(path, data)))
    try:
        after = dict(_flatten(_parse(path, changed)))
    except ConfigError:
        after = {}
    if key in before or after != {**before, key: value}:
        raise ConfigError(
            f"{path}: {key} can't be added without touching what stands there",
            mend=f"add it yourself: {_text_line(key, value).decode()}",
        )
    return changed


def _text_line(key: str, value: str) -> bytes:
    """`key = "value"` as TOML, whose escapes are JSON's but for DEL."""
    import json

    text = json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"{key} = {text}".encode()
