"""Markdown: files and folders of notes, Obsidian's, Logseq's or anybody's."""

from __future__ import annotations

from mindcache.importers.markdown.reader import Markdown

__all__ = ["markdown"]

markdown = Markdown()
