"""Mindcache: a memory that is a folder of Markdown notes."""

__version__ = "0.1.0"
