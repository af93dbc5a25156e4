"""Chats: exports of assistants and messengers, one `event` note a conversation or day."""

from __future__ import annotations

from mindcache.importers.chat.reader import Chat

__all__ = ["chat"]

chat = Chat()
