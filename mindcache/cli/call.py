"""One call of the program: its shared options, and the App that they lead to."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from mindcache.app import App

__all__ = ["Call"]


class Call:
    """What `--vault`, `--cache-dir` and `--json` said, wherever they stood."""

    def __init__(self) -> None:
        self.vault: str | None = None
        self.cache_dir: str | None = None
        self.json = False
        self._app: App | None = None

    @property
    def app(self) -> App:
        """The App of this call; closed, with its progress, when the call ends."""
        if self._app is None:
            from mindcache.app import App
            from mindcache.cli import output

            progress = output.Progress()
            self._app = App(
                self.vault,
                self.cache_dir,
                progress=progress if progress.wanted else None,
                waiting=progress.waiting,
            )
            context = click.get_current_context()
            context.call_on_close(progress.stop)
            context.call_on_close(self._app.close)
            self._progress = progress
        return self._app

    def settle(self) -> None:
        """End the progress display before the answer is printed."""
        if self._app is not None:
            self._progress.stop()
