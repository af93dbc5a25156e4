"""OpenClaw: an agent's workspace, and the index of it where the files are gone."""

from __future__ import annotations

from mindcache.importers.openclaw.reader import OpenClaw

__all__ = ["openclaw"]

openclaw = OpenClaw()
