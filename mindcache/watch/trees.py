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
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from mindcache.filenames import is_note

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent
    from watchdog.observers.api import BaseObserver
    from watchdog.observers.inotify_c import InotifyEvent, InotifyFD, WatchDescriptor

__all__ = ["Died", "Exhausted", "Hints", "Tree", "open_tree", "shared_kind"]

# The limits that a system may run into, and where each is raised.
_REMEDY = {
    errno.ENOSPC: "raise it: sysctl fs.inotify.max_user_watches=524288",
    errno.EMFILE: "raise it: sysctl fs.inotify.max_user_instances=512",
}

# File systems on which other machines write, of which this one is told nothing.
_SHARED = frozenset(
    (
        *("nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph"),
        *("vboxsf", "prl_fs", "vmhgfs", "virtiofs", "fakeowner", "drvfs"),
        *("fuse.sshfs", "fuse.rclone", "fuse.s3fs", "fuse.gvfsd-fuse"),
        *("fuse.vmhgfs-fuse", "fuse.glusterfs", "fuse.grpcfuse", "fuse.osxfs"),
    )
)


class Exhausted(Exception):
    """No (more) watches can be had; the text names the limit and the remedy."""


class Died(Exception):
    """A tree that stopped telling."""


class Hints(Protocol):
    """What a tree tells; called from its own threads. Paths are vault-relative."""

    def touched(self, path: str) -> None:
        """A file was created or moved here, or a note was written here."""

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
    return _ObserverTree(root, ignored, hints)


def shared_kind(root: str, mounts: str = "/proc/self/mounts") -> str:
    """The kind of file system at `root` if others may change it untold, else ""."""
    best, kind = "", ""
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                _, place, name, *_ = line.split(" ")
                place = _unescaped(place).rstrip("/")
                if len(place) >= len(best) and f"{root}/".startswith(place + "/"):
                    best, kind = place, name
    except (OSError, ValueError):
        return ""
    return kind if kind in _SHARED else ""


def _unescaped(place: str) -> str:
    """A mount point as it is, its spaces and the like no longer in octal."""
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n")):
        place = place.replace(code, char)
    return place.replace("\\134", "\\")


class _InotifyTree:
    """One inotify instance, one watch for each folder that is not ignored."""

    def __init__(self, root: str, ignored: Ignored, hints: Hints) -> None:
        from watchdog.observers.inotify_c import InotifyConstants, InotifyFD, Mask

        self._root = root
        self._ignored = ignored
        self.hints = hints
        self._known: dict[str, _Folder] = {}
        # Folders are met by the thread that opens the tree and by inotify's.
        self._lock = threading.RLock()
        self._failure: Exhausted | Died | None = None
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
        with self._lock:
            for path in _folders(self._root, folder, self._ignored):
                if path not in self._known:
                    self._watch_one(path)

    def _watch_one(self, path: str) -> None:
        met = _Folder(self, path)
        full = os.path.join(self._root, path) if path else self._root
        try:
            met.descriptor = self._inotify.add_callback(
                os.fsencode(full),
                self._mask,
                met,
                id(met),  # type: ignore[arg-type]
            )
        except OSError as error:
            if error.errno in _REMEDY:
                raise _exhausted(error) from error
            if not path:
                raise
            return  # gone, or not ours to read: the scan says so
        if met.descriptor >= 0:  # else it may not be read, until its mode changes
            self._known[path] = met

    def _unwatch(self, folder: str) -> None:
        """Let go of a folder that was moved away, and of every folder in it.

        A folder that was met at its new place already has a callback for each
        place; only that of the old one goes.
        """
        with self._lock:
            gone = [path for path in self._known if path.startswith(folder)]
            met = [self._known.pop(path) for path in gone]
        self._inotify.remove_callbacks([(f.descriptor, id(f)) for f in met])  # type: ignore[misc]

    # -- what a folder's watch tells, on inotify's thread --------------------

    def lose(self) -> None:
        """Notifications were dropped; a folder among them would never be watched."""
        self._failure = self._failure or Died("more changed than the system tells")
        self.hints.everything()

    def meet(self, event: InotifyEvent, path: str) -> None:
        """A folder came, went or changed its mode; `path` ends in "/"."""
        if self._ignored(path):
            return
        if event.is_moved_from:
            self._unwatch(path)
        elif not event.is_delete:
            try:
                self._watch(path)
            except Exhausted as error:
                self._failure = error
        self.hints.everything()

    def forget(self, folder: _Folder) -> None:
        """The system let go of a watch."""
        with self._lock:
            if self._known.get(folder.path) is folder:
                del self._known[folder.path]


class _Folder:
    """One folder under watch: turns its events into hints."""

    __slots__ = ("_tree", "descriptor", "path")

    def __init__(self, tree: _InotifyTree, path: str) -> None:
        self._tree = tree
        self.path = path
        self.descriptor: WatchDescriptor = -1  # type: ignore[assignment]

    def on_event(self, event: InotifyEvent) -> None:
        hints = self._tree.hints
        if event.is_delete_self or event.is_move_self:
            hints.everything()
            return
        name = os.fsdecode(event.name)
        if event.is_directory:
            if name:  # else it is this folder's own mode that changed
                self._tree.meet(event, f"{self.path}{name}/")
        elif event.is_delete or event.is_moved_from:
            hints.vanished(self.path + name)
        # What is written into other files changes nothing that is known of them.
        elif is_note(name) or event.is_create or event.is_moved_to:
            hints.touched(self.path + name)

    def on_watch_deleted(self, wd: WatchDescriptor) -> None:  # noqa: ARG002  watchdog's word
        self._tree.forget(self)

    def on_queue_overflow(self) -> None:
        self._tree.lose()


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

    def __init__(self, root: str, ignored: Ignored, hints: Hints) -> None:
        from watchdog.events import FileSystemEventHandler
        from watchdog.observers import Observer

        handler = FileSystemEventHandler()
        handler.on_any_event = self._on_event  # type: ignore[method-assign]
        self._root = root
        self._ignored = ignored
        self._hints = hints
        self._observer: BaseObserver = Observer()
        self._observer.schedule(handler, root, recursive=True)
        try:
            self._observer.start()
        except OSError as error:
            with suppress(OSError, RuntimeError):
                self._observer.unschedule_all()
            raise _exhausted(error) from error

    def check(self) -> None:
        threads = (self._observer, *self._observer.emitters)
        if not all(thread.is_alive() for thread in threads):
            raise Died("the thread that reads notifications ended")

    def close(self) -> None:
        self._observer.stop()
        self._observer.join(timeout=5)

    def _on_event(self, event: FileSystemEvent) -> None:
        kind = event.event_type
        if kind in {"opened", "closed_no_write"}:
            return
        paths = [self._relative(p) for p in (event.src_path, event.dest_path) if p]
        if all(self._is_left_out(path) for path in paths):
            return
        # Where a folder is deleted, some systems don't know that it was one.
        unsure = kind == "deleted" and not is_note(paths[0])
        if event.is_directory or unsure:
            if kind != "modified":
                self._hints.everything()
            return
        if kind in {"deleted", "moved"}:
            self._hints.vanished(paths[0])
        elif kind == "created" or is_note(paths[0]):
            self._hints.touched(paths[0])
        for path in paths[1:]:
            self._hints.touched(path)

    def _is_left_out(self, path: str) -> bool:
        """Whether a path lies in a folder that is never looked into."""
        names = path.split("/")
        folders = ("/".join(names[:i]) + "/" for i in range(1, len(names)))
        return any(self._ignored(folder) for folder in folders)

    def _relative(self, path: bytes | str) -> str:
        return os.path.relpath(os.fsdecode(path), self._root).replace(os.sep, "/")


def _exhausted(error: OSError) -> Exhausted:
    remedy = _REMEDY.get(error.errno or 0, "check the system's limits")
    return Exhausted(f"{error.strerror or error}; {remedy}")
