"""A vault as this machine has it, before anything of its cache is opened.

Owns the clock, the settings, where the vault, its cache and this machine's state lie,
and how a note on disk reads under these settings.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from mindcache import config, model, places
from mindcache.cache import read
from mindcache.errors import MindcacheError, Refused
from mindcache.vault import Obsidian, Vault

if TYPE_CHECKING:
    from mindcache.memory import Memory
    from mindcache.note import Note
    from mindcache.vault import AccessLog, Ledger
    from mindcache.versions import Versions

__all__ = ["Ground"]


class Ground:
    """What is known of one vault on this machine; the arguments are `App`'s."""

    def __init__(
        self,
        vault: str | None = None,
        cache_dir: str | None = None,
        *,
        cwd: str | None = None,
        now: Callable[[], datetime] | None = None,
    ) -> None:
        self._vault_flag = vault
        self._cache_flag = cache_dir
        self._cwd = cwd or os.getcwd()
        self._now = now
        self._zone = ""

    def now(self) -> datetime:
        """The current civil time in the vault's `timezone`, else on this machine."""
        from mindcache.when import in_zone

        moment = self._now() if self._now else datetime.now(UTC)  # noqa: TID251  the one clock
        # The clock goes on where the settings can't be read: to say so is a daemon's.
        with suppress(MindcacheError):
            self._zone = self.settings.text("timezone")
        return in_zone(moment, self._zone)

    def moment(self) -> datetime:
        """The current time as an instant: `now` with the zone that it is civil in."""
        now = self.now()
        if not self._zone:
            return now.astimezone()
        import zoneinfo

        return now.replace(tzinfo=zoneinfo.ZoneInfo(self._zone))

    @cached_property
    def vault(self) -> Vault:
        """The vault that is meant. Raises VaultUnavailable."""
        return Vault(places.find_vault(self._vault_flag, self._cwd))

    @cached_property
    def settings(self) -> config.Settings:
        """All settings, with where each came from. Raises ConfigError."""
        flags = {"cache_dir": self._cache_flag} if self._cache_flag else {}
        return config.load(self.vault.root, flags)

    @cached_property
    def obsidian(self) -> Obsidian:
        """Obsidian's settings in the vault."""
        return self.vault.obsidian()

    @property
    def templates(self) -> tuple[str, ...]:
        """The folders of templates, as they are set now. Raises ConfigError."""
        said = self.settings.texts("digest.templates")
        return said or self.vault.template_folders()

    @cached_property
    def model_folder(self) -> str:
        """The folder of the embedding model. Raises ConfigError when it is broken."""
        chosen = self.settings.text("model")
        return os.path.expanduser(chosen) if chosen else model.shipped()

    @cached_property
    def fingerprint(self) -> str:
        """What the cache must have been made with; see `sync.fingerprint`."""
        from mindcache import sync

        return sync.fingerprint(
            self.settings,
            self.vault.ignore_text(),
            self.obsidian,
            model.identity(self.model_folder),
        )

    @cached_property
    def cache_path(self) -> str:
        """The cache file of this vault on this machine. Raises ConfigError."""
        return places.cache_path(self.settings, self.vault.root)

    @cached_property
    def state_folder(self) -> str:
        """The folder for what this machine keeps between runs. Raises ConfigError."""
        return places.machine_folder(self.settings, "state_dir", self.vault.root)

    @cached_property
    def device(self) -> str:
        """What this machine's files in `.mindcache/` are called; made once."""
        from mindcache import device

        return device.name(self.state_folder)

    @cached_property
    def ledger(self) -> Ledger:
        """What was made, moved and said, on all machines."""
        from mindcache.vault import Ledger

        return Ledger(self.vault, self.device)

    @cached_property
    def access(self) -> AccessLog:
        """Which memory was used when, on all machines. Raises ConfigError."""
        from mindcache.vault import AccessLog

        name = os.path.basename(self.cache_folder)
        spool = os.path.join(self.state_folder, "access", f"{name}.jsonl")
        return AccessLog(self.vault, lambda: self.device, spool)

    @cached_property
    def versions(self) -> Versions | None:
        """What the notes said before, None where no sync program shares the vault.

        Raises ConfigError.
        """
        from mindcache.versions import Versions, is_shared

        if not is_shared(self.vault.root):
            return None
        name = os.path.basename(self.cache_folder)
        return Versions(os.path.join(self.state_folder, "versions", f"{name}.sqlite"))

    @property
    def cache_folder(self) -> str:
        """The folder that holds this vault's cache and the daemon's signs of life."""
        return os.path.dirname(self.cache_path)

    def made_by(self) -> str:
        """The fingerprint that the cache file on disk carries, "" without one."""
        return read.fingerprint_of(self.cache_path)

    def look(self, path: str) -> tuple[bytes, Note, Memory]:
        """A note as it is on disk right now: its bytes, its parts, its meaning.

        Raises OSError when it can't be read and Refused when it is larger than
        `size_cap`.
        """
        from mindcache.note import parse

        cap = self.settings.number("size_cap")
        data, _ = self.vault.read(path, cap)
        if data is None:
            raise Refused(
                f"{path} is larger than size_cap ({cap:,} bytes)",
                mend="split the note, or raise size_cap in .mindcache/config.toml",
            )
        note = parse(path, data)
        return data, note, self.meaning_of(note)

    def meaning_of(self, note: Note) -> Memory:
        """A parsed note as the memory that this vault's settings make of it."""
        from mindcache import memory, sync

        return memory.describe(note, sync.meaning(self.settings, self.obsidian))
