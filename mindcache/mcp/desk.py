"""Who answers: the App of one vault, asked one call after the other.

Owns when the App is opened, looked at anew and let go. It knows no protocol.
"""

from __future__ import annotations

import gc
import logging
import os
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeVar

from mindcache.app import App, database_errors
from mindcache.errors import MindcacheError
from mindcache.mcp import listing, opening, recalling, writing
from mindcache.mcp.answer import Answer, Wash
from mindcache.mcp.arguments import Given, read, tool_called
from mindcache.mcp.tools import Tool

__all__ = ["PAGE", "Desk"]

PAGE = 200
"""Notes of one page of the list of notes."""

_log = logging.getLogger("mindcache.mcp")
T = TypeVar("T")


class Ending(MindcacheError):
    """The server is about to end; what is under way stops where it may."""


class Desk:
    """The App and whoever asks it, one call after the other on a thread of its own.

    `make` gives an App, told what to call on long work. `folder` is where the server
    was started: the project that new notes belong to.
    """

    def __init__(self, make: Callable[[Callable[..., None]], App], folder: str) -> None:
        self._make = make
        self._folder = folder
        self._app: App | None = None
        self._project: str | None = None
        self._ending = threading.Event()
        self._work = ("", 0, 0)

    def call(self, name: str, given: Mapping[str, object] | None) -> Answer:
        """One tool's answer. Raises MindcacheError in the end, for whatever went wrong."""
        tool = tool_called(name)
        asked = read(tool, given)
        wash = Wash()
        answer = self._tried(lambda app: self._answered(app, tool, asked, wash))
        if answer.used and self._app is not None:
            self._app.used(answer.used, "mcp")
        return answer

    def _answered(self, app: App, tool: Tool, asked: Given, wash: Wash) -> Answer:
        if tool.name == "remember":
            return writing.remember(app, asked, wash, project=self._project_of(app))
        answers = {
            "recall": recalling.recall,
            "get": opening.get,
            "neighbours": listing.neighbours,
            "timeline": listing.timeline,
            "update": writing.update,
            "plan": writing.plan,
            "status": listing.status,
        }
        return answers[tool.name](app, asked, wash)

    def note(self, name: str) -> str:
        """A note's text, fenced. Raises MindcacheError."""
        wash = Wash()
        return self._tried(lambda app: opening.text_of(app, name, wash))

    def notes(self, after: str) -> list[tuple[str, str, str]]:
        """A page of notes behind this path: path, title, summary."""

        def listed(app: App) -> list[tuple[str, str, str]]:
            wash = Wash()
            nodes = sorted(app.reader().nodes(), key=lambda node: node.path)
            return [
                (node.path, wash.line(node.title), wash.line(node.summary))
                for node in nodes
                if node.path > after
            ][:PAGE]

        return self._tried(listed)

    def warm(self) -> None:
        """Index what there is and load what a question needs, before one comes."""
        with suppress(MindcacheError):
            self._tried(lambda app: app.corpus().encoder.encode([""]))
        gc.collect()
        gc.freeze()  # what is loaded by now stays

    def _tried(self, work: Callable[[App], T]) -> T:
        """The work done with a fresh look at the settings; a broken cache is let go."""
        try:
            return work(self._opened())
        except database_errors() as error:
            _log.warning("the cache could not be used and is opened anew: %s", error)
            self.close()
        try:
            return work(self._opened())
        except database_errors() as error:
            self.close()
            raise MindcacheError(
                f"the cache can't be used: {error}",
                mend="a person runs mindcache doctor --repair",
            ) from error
        finally:
            self._work = ("", 0, 0)

    def _opened(self) -> App:
        if self._app is None:
            self._app = self._make(self._progress)
        else:
            self._app.refresh()
        return self._app

    def _progress(self, stage: str, done: int, of: int) -> None:
        self._work = (stage, done, of)
        # Notes are written whole or not at all; an index goes on where it stood.
        if self._ending.is_set() and stage != "writing":
            raise Ending("the server is ending")

    def _project_of(self, app: App) -> str:
        if self._project is None:
            from mindcache.write.project import project_at

            home = os.path.expanduser("~")
            self._project = project_at(self._folder, app.vault.root, home)
        return self._project

    def busy(self) -> str:
        """What keeps a call waiting, for who has waited long."""
        stage, done, of = self._work
        if not stage:
            return "another call is still being answered"
        return f"the vault is being indexed ({stage}: {done:,} of {of:,})"

    def end(self) -> None:
        """Let nothing long go on."""
        self._ending.set()

    def close(self) -> None:
        """Close what is open; the next call opens it anew."""
        if self._app is not None:
            self._app.close()
        self._app = None
