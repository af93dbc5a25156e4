"""One call of the program: its shared options, and the App that they lead to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from mindcache.app import App
    from mindcache.cli.output import Progress

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
        """The App of this call; closed, with its progress, when the call ends.

        Raises VaultUnavailable.
        """
        if self._app is None:
            from mindcache.app import App
            from mindcache.cli import output

            progress = output.Progress()
            app = App(
                self.vault,
                self.cache_dir,
                cwd=self.here,
                progress=progress if progress.wanted else None,
                waiting=progress.waiting,
            )
            self._tell_default(app.vault.root)
            self._app = app
            context = click.get_current_context()
            context.call_on_close(progress.stop)
            context.call_on_close(self._app.close)
            context.call_on_close(self._tell_remarks)
            self._progress = progress
        return self._app

    @property
    def progress(self) -> Progress | None:
        """The display of long work, None where nobody would see it."""
        return self._progress if self._app and self._progress.wanted else None

    @property
    def here(self) -> str:
        """The current folder. Raises VaultUnavailable when it is gone and needed."""
        try:
            return os.getcwd()
        except FileNotFoundError as error:
            chosen = self.vault or os.environ.get("MINDCACHE_VAULT") or ""
            if os.path.isabs(os.path.expanduser(chosen)):
                return os.sep  # nothing is looked up from there
            from mindcache.errors import VaultUnavailable

            raise VaultUnavailable(
                "the current folder was deleted",
                mend="go into another, or give a whole path with --vault",
            ) from error

    @property
    def cache_folder(self) -> str:
        """Where the cache of this call lies, "" as long as that isn't known."""
        return "" if self._app is None else self._app.cache_folder

    def settle(self) -> None:
        """End the progress display before the answer is printed."""
        if self._app is not None:
            self._progress.stop()

    def _tell_remarks(self) -> None:
        """Say what was done besides what was asked: an interrupted move, finished."""
        from mindcache.cli import output

        for remark in [] if self._app is None else self._app.remarks:
            output.remark(f"mindcache: {output.single(remark)}")

    def _tell_default(self, root: str) -> None:
        """Say so when it is the machine's default vault that is going to answer."""
        if self.json or self.vault or os.environ.get("MINDCACHE_VAULT"):
            return
        here = os.path.realpath(self.here)
        if here == root or here.startswith(root.rstrip(os.sep) + os.sep):
            return
        from mindcache.cli import output

        shown = output.path_text(root)
        output.remark(f"mindcache: no vault here; this is the default one, {shown}")
