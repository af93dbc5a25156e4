"""Which settings there are: the README's table, and what their values look like."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from mindcache.lazy import regex

__all__ = ["FORMS", "SETTINGS", "WRITING", "Scope", "Setting", "Value"]

Value = str | int | float | bool | list[str]
Scope = Literal["vault", "machine"]


class Setting(NamedTuple):
    """One row of the README's table of settings."""

    key: str
    default: Value
    scope: Scope
    help: str
    variable: str = ""


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "timezone",
        "",
        "vault",
        "IANA zone of the vault's clock, and in which dates with an offset are read;"
        " empty: the machine's clock, and the time as written",
    ),
    Setting(
        "namespaces",
        ["tool", "client", "domain", "convention", "scope"],
        "vault",
        "namespaces that tags of notes under contract may use",
    ),
    Setting(
        "me",
        [],
        "vault",
        "your addresses and names: what one of them declined is missed, not planned",
    ),
    Setting(
        "contract.paths",
        [],
        "vault",
        "folders whose notes are under contract even without an id of ours",
    ),
    Setting(
        "journal.folder",
        "journal",
        "vault",
        "folder of the journal's notes, one a day",
    ),
    Setting(
        "digest.at",
        "",
        "vault",
        "time of day (03:00) at which a daemon lets the digest run; empty: never",
    ),
    Setting(
        "session.budget",
        1_500,
        "vault",
        "tokens that the start of a Claude Code session may be told at most",
    ),
    Setting(
        "session.on_prompt",
        default=False,
        scope="vault",
        help="whether each prompt is answered with notes near it",
    ),
    Setting(
        "git.every",
        "",
        "vault",
        "how often (30m, 1h) a daemon lets mindcache git sync run; empty: never",
    ),
    Setting(
        "digest.machine",
        "",
        "vault",
        "the device whose daemon lets the digest run; empty: the first that does so"
        " writes itself",
    ),
    Setting(
        "machines",
        0,
        "vault",
        "machines that a sync program keeps the vault on; 2 lets copies that went two"
        " ways come together where what came from elsewhere can only be the other's;"
        " 0: not said",
    ),
    Setting(
        "digest.promote_after",
        3,
        "vault",
        "projects or clients that say the same before it is offered for all; 0: never",
    ),
    Setting(
        "digest.templates",
        [],
        "vault",
        "folders of templates, which are searched and never digested; empty: those that"
        " Obsidian's Templates and the plugin Templater are set to",
    ),
    Setting(
        "track_access",
        default=True,
        scope="vault",
        help="whether it is noted which memory was used when; off, none fades",
    ),
    Setting(
        "size_cap",
        1_048_576,
        "vault",
        "bytes; a larger note is reported and not indexed",
    ),
    Setting(
        "vault",
        "",
        "machine",
        "the vault that is meant outside of any",
        "MINDCACHE_VAULT",
    ),
    Setting(
        "cache_dir",
        "",
        "machine",
        "folder for the caches; empty: the system's cache folder",
        "MINDCACHE_CACHE_DIR",
    ),
    Setting(
        "state_dir",
        "",
        "machine",
        "folder for what this machine keeps between runs; empty: the system's own",
        "MINDCACHE_STATE_DIR",
    ),
    Setting(
        "model",
        "",
        "machine",
        "folder of another model2vec model; empty: the one that ships inside",
        "MINDCACHE_MODEL",
    ),
)

# Vault settings that decide what is written, and not how a note is indexed.
WRITING = frozenset(
    {
        "me",
        "digest.at",
        "digest.machine",
        "digest.promote_after",
        "digest.templates",
        "git.every",
        "machines",
        "session.budget",
        "session.on_prompt",
        "track_access",
    }
)

FORMS = {
    "digest.at": (regex(r"([01]?\d|2[0-3]):([0-5]\d)"), "write it as 03:00"),
    "git.every": (
        regex(r"([1-9][0-9]{0,3}) ?(m|h)", re.ASCII),
        "write it as 30m or 1h",
    ),
}
"""What texts that are read as times look like, and what to do about one that doesn't."""

# Where a vault's settings are, as its problems name it.
