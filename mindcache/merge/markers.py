"""A note with git's conflict markers, as the versions that git put into it. Pure."""

from __future__ import annotations

__all__ = ["sides_of"]

_OURS, _BASE, _THEIRS, _END = "<<<<<<< ", "||||||| ", "=======", ">>>>>>> "


def sides_of(data: bytes) -> tuple[bytes | None, bytes, bytes] | None:
    """The versions (base, ours, theirs) that markers part; None for none, or torn ones.

    The base is None unless git was told to write it (`merge.conflictStyle=diff3`).
    """
    try:
        lines = data.decode().split("\n")
    except UnicodeDecodeError:
        return None
    base: list[str] = []
    ours: list[str] = []
    theirs: list[str] = []
    state, has_base, was_told, blocks = "", True, False, 0
    for line in lines:
        mark = line.removesuffix("\r")
        if not state and mark.startswith(_OURS):
            state, was_told = "ours", False
        elif state == "ours" and mark.startswith(_BASE):
            state, was_told = "base", True
        elif state in ("ours", "base") and mark == _THEIRS:
            has_base = has_base and was_told
            state = "theirs"
        elif state == "theirs" and mark.startswith(_END):
            state, blocks = "", blocks + 1
        else:
            for name, side in (("base", base), ("ours", ours), ("theirs", theirs)):
                if state in ("", name):
                    side.append(line)
    if state or not blocks:
        return None
    first, one, other = ("\n".join(side).encode() for side in (base, ours, theirs))
    return first if has_base else None, one, other
