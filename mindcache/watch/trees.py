"""Where hints come from: the file system's own notifications, or none at all.

On Linux every folder of the vault is watched by itself, so that ignored trees
cost nothing and a watch that can't be had is noticed; elsewhere watchdog's
observer watches the whole tree. Either only calls back with hints. When the
system has no watches left, `open_tree` says why and the caller polls.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent
    from watchdog.observers.api import BaseObserver
    from watchdog.observers.inotify_c import InotifyEvent, InotifyFD, WatchDescriptor

__all__ = ["Died", "Exhausted", "Hints", "Tree", "open_tree"]

# The limits that a system may run into, and where each is raised.
_REMEDY = {
    errno.ENOSPC: "raise it: sysctl fs.inotify.max_user_watches=524288",
    errno.EMFILE: "raise it: sysctl fs.inotify.max_user_instances=512",
}


class Exhausted(Exception):
    """No (more) watches can be had; the text names the limit and the remedy."""


class Died(Exception):
    """A tree that stopped telling."""


class Hints(Protocol):
    """What a tree tells; called from its own threads. Paths are vault-relative."""

    def touched(self, path: str) -> None:
        """A file was created, written or moved here."""

    def vanished(self, path: str) -> None:
        """A file was deleted here or moved away."""

    def everything(self) -> None:
        """A folder came or went, or notifications were lost."""


class Tree(Protocol):
    """A vault under watch."""

    def check(self) -> None:
        """Raise Died when its threads ended, Exhausted when a folder can't be watched."""
        ...

    def close(self) -> None:
        """Stop watching."""
        ...


# Whether a vault-relative folder (ending in "/") is one that is never looked into.
Ignored = Callable[[str], bool]


def open_tree(
    root: str, ignored: Ignored, hints: Hints, platform: str = sys.platform
) -> Tree:
    """Watch the vault at `root`. Raises Exhausted when the system can't."""
    if platform == "linux":
        return _InotifyTree(root, ignored, hints)
    return _ObserverTree(root, hints)


class _InotifyTree:
    """One inotify instance, one watch for each folder that is not ignored."""

    def __init__(self, root: str, ignored: Ignored, hints: Hints) -> None:
        from watchdog.observers.inotify_c import InotifyConstants, InotifyFD, Mask

        self._root = root
        self._ignored = ignored
        self._hints = hints
        self._folders: dict[WatchDescriptor, str] = {}
        self._known: dict[str, WatchDescriptor] = {}
        self._failure: Exhausted | None = None
        names = (
            "IN_CREATE IN_MODIFY IN_CLOSE_WRITE IN_ATTRIB IN_DELETE IN_MOVED_FROM"
            " IN_MOVED_TO IN_DELETE_SELF IN_MOVE_SELF IN_ONLYDIR IN_DONT_FOLLOW"
            " IN_EXCL_UNLINK"
        )
        mask = 0
        for name in names.split():
            mask |= getattr(InotifyConstants, name)
        self._mask = Mask(mask)
        try:
            self._inotify: InotifyFD = InotifyFD()
        except OSError as error:
            raise _exhausted(error) from error
        self._inotify.daemon = True
        self._inotify.start()
        try:
            self._watch("")
        except BaseException:
            self.close()
            raise

    def check(self) -> None:
        if self._failure is not None:
            raise self._failure
        if not self._inotify.is_alive():
            raise Died("the thread that reads notifications ended")

    def close(self) -> None:
        self._inotify.stop()
        self._inotify.join(timeout=5)

    def _watch(self, folder: str) -> None:
        """Watch a folder ("" or ending in "/") and every folder below it."""
        for each in _folders(self._root, folder, self._ignored):
            if each in self._known:
                continue
            full = os.path.join(self._root, each) if each else self._root
            try:
                descriptor = self._inotify.add_callback(
                    os.fsencode(full),
                    self._mask,
                    self,
                    id(self),  # type: ignore[arg-type]
                )
            except OSError as error:
                if error.errno in _REMEDY:
                    raise _exhausted(error) from error
                if not each:
                    raise
                continue  # gone, or not ours to read: the scan says so
            self._folders[descriptor] = each
            self._known[each] = descriptor

    def _unwatch(self, folder: str) -> None:
        """Let go of a folder that was moved away, and of every folder in it."""
        moved = [path for path in self._known if path.startswith(folder)]
        descriptors = [self._known.pop(path) for path in moved]
        for descriptor in descriptors:
            self._folders.pop(descriptor, None)
        self._inotify.remove_callbacks([(d, id(self)) for d in descriptors])  # type: ignore[misc]

    # -- what inotify calls, on its thread --------------------------------

    def on_event(self, event: InotifyEvent) -> None:
        folder = self._folders.get(event.wd)
        if folder is None:
            return
        if event.is_delete_self or event.is_move_self:
            self._hints.everything()
            return
        name = os.fsdecode(event.name)
        if event.is_directory:
            self._meet_folder(event, f"{folder}{name}/")
        elif event.is_delete or event.is_moved_from:
            self._hints.vanished(folder + name)
        else:
            self._hints.touched(folder + name)

    def _meet_folder(self, event: InotifyEvent, path: str) -> None:
        if event.is_attrib or self._ignored(path):
            return
        if event.is_moved_from:
            self._unwatch(path)
        elif event.is_create or event.is_moved_to:
            try:
                self._watch(path)
            except Exhausted as error:
                self._failure = error
        self._hints.everything()

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:
        folder = self._folders.pop(wd, None)
        if folder is not None and self._known.get(folder) == wd:
            del self._known[folder]

    def on_queue_overflow(self) -> None:
        self._hints.everything()


def _folders(root: str, folder: str, ignored: Ignored) -> Iterator[str]:
    """A folder and those below it, each before what it holds."""
    pending = [folder]
    while pending:
        each = pending.pop()
        yield each
        try:
            entries = os.scandir(os.path.join(root, each) if each else root)
        except OSError:
            continue
        with entries:
            below = [
                f"{each}{entry.name}/"
                for entry in entries
                if entry.is_dir(follow_symlinks=False)
            ]
        pending += sorted((b for b in below if not ignored(b)), reverse=True)


class _ObserverTree:
    """watchdog's observer for systems that watch whole trees."""

    def __init__(self, root: str, hints: Hints) -> None:
        from watchdog.events import FileSystemEventHandler
        from watchdog.observers import Observer

        handler = FileSystemEventHandler()
        handler.on_any_event = self._on_event  # type: ignore[method-assign]
        self._root = root
        self._hints = hints
        self._observer: BaseObserver = Observer()
        self._observer.schedule(handler, root, recursive=True)
        try:
            self._observer.start()
        except OSError as error:
            raise _exhausted(error) from error

    def check(self) -> None:
        if not self._observer.is_alive():
            raise Died("the thread that reads notifications ended")

    def close(self) -> None:
        self._observer.stop()
        self._observer.join(timeout=5)

    def _on_event(self, event: FileSystemEvent) -> None:
        if event.event_type in {"opened", "closed_no_write"}:
            return
        if event.is_directory:
            if event.event_type != "modified":
                self._hints.everything()
            return
        if event.event_type in {"deleted", "moved"}:
            self._hints.vanished(self._relative(event.src_path))
        else:
            self._hints.touched(self._relative(event.src_path))
        if event.dest_path:
            self._hints.touched(self._relative(event.dest_path))

    def _relative(self, path: bytes | str) -> str:
        return os.path.relpath(os.fsdecode(path), self._root).replace(os.sep, "/")


def _exhausted(error: OSError) -> Exhausted:
    remedy = _REMEDY.get(error.errno or 0, "check the system's limits")
    return Exhausted(f"{error.strerror or error}; {remedy}")
