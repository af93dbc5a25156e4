"""Which settings decide what a note means: light, for whoever reads a single note."""

from __future__ import annotations

from mindcache import when
from mindcache.config import Settings
from mindcache.memory import Meaning
from mindcache.vault import Obsidian

__all__ = ["meaning"]


def meaning(settings: Settings, obsidian: Obsidian) -> Meaning:
    """The settings that decide what a note means."""
    return Meaning(
        zone=settings.text("timezone"),
        daily=when.daily_pattern(obsidian.daily_format),
        daily_folder=obsidian.daily_folder,
        contract_paths=settings.texts("contract.paths"),
    )
