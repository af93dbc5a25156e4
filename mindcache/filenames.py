"""What a file's name says: a note, something in passing, a name that can't travel.

Pure.
"""

from __future__ import annotations

import re
import unicodedata

from mindcache.lazy import regex

__all__ = [
    "is_gits",
    "is_note",
    "is_passing",
    "portability",
    "safe_stem",
    "shortened",
    "too_long",
]

# What editors and sync programs leave beside a note while they write it.
_TEMPORARY_HEADS = ("~$", "~syncthing~")
_TEMPORARY_TAILS = (
    "~", ".tmp", ".swp", ".part", ".crdownload", "___jb_tmp___", "___jb_old___"
)  # fmt: skip

_RESERVED = regex(
    r"^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[1-9¹²³])( *\..*)?$", re.IGNORECASE
)
_FORBIDDEN = regex(r'[\\:*?"<>|\x00-\x1f]')
# What the file systems of this world forbid, what breaks links in Obsidian, and what
# nobody sees (a soft hyphen, marks of direction); the joiners are letters' and emoji's.
_UNSAFE = regex(r'\s*[/\\:*?"<>|#^\[\]\x00-\x1f\x7f-\x9f\u2028\u2029]+\s*')
_UNSEEN = regex(
    "[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ud800-\udfff]"
)
_DASHES = regex(r" - -+ ?")
_EDGES = " .-~$"

# Bytes of a name without `.md`: Syncthing adds its own marks to names, and hashes
# those that grow longer than 160.
STEM_BYTES = 120
_READ = 1_000

# macOS takes 1,024 bytes for a whole path, the vault's own place included.
_PATH_BYTES = 900
# Deeper than anybody files by hand, and far from where programs lose their way.
_DEPTH = 64


def is_note(name: str) -> bool:
    """Whether a file of this name is a note, as Obsidian sees it."""
    return name[-3:].lower() == ".md"


def is_passing(name: str) -> bool:
    """Whether a name is hidden, temporary or a swap file's: never note or asset."""
    return (
        name[0] == "."
        or name.startswith(_TEMPORARY_HEADS)
        or name.endswith(_TEMPORARY_TAILS)
        or (name[0] == "#" and name[-1] == "#")  # Emacs saves its buffers so
        or name == "4913"  # vim's probe file
    )


def is_gits(name: str) -> bool:
    """Whether some file system takes a name for `.git`: programs may be named in there.

    Windows drops dots and spaces at its end and has a short form for it, macOS drops
    what nobody sees.
    """
    if "git" not in name.casefold() and name.isascii():
        return False
    plain = _UNSEEN.sub("", unicodedata.normalize("NFKC", name)).casefold()
    plain = plain.replace("\u200c", "").replace("\u200d", "").partition(":")[0]
    return plain.rstrip(". ") in {".git", "git~1"}


def portability(path: str) -> str:
    """Why a name can't live on every system that syncs, or "" when it can."""
    for part in path.split("/"):
        if _RESERVED.match(part):
            return f'"{part}" is a reserved name on Windows'
        if bad := _FORBIDDEN.search(part):
            return f'"{part}" holds {bad[0]!r}, which Windows forbids'
        if part.endswith((" ", ".")):
            return f'"{part}" ends in a space or dot, which Windows drops'
        if len(part.encode("utf-8", "surrogateescape")) > 255:
            return f'"{part[:40]}…" is longer than 255 bytes'
    return too_long(path)


def too_long(path: str) -> str:
    """Why a path from the vault's root is more than some system takes, or ""."""
    depth = path.count("/")
    if depth > _DEPTH:
        return f"lies {depth:,} folders deep, and {_DEPTH} are as deep as notes go"
    size = len(path.encode("utf-8", "surrogateescape"))
    if size > _PATH_BYTES:
        return f"is {size:,} bytes long, and {_PATH_BYTES} is what every system takes"
    return ""


def safe_stem(title: str) -> str:
    """A title as a file's name without `.md` that every system and link can carry.

    "" when nothing is left of it.
    """
    # Far more than fits, and less than what a stranger's title may be long.
    text = unicodedata.normalize("NFC", _UNSEEN.sub("", title.strip()[:_READ]))
    text = _DASHES.sub(" - ", _UNSAFE.sub(_in_place, text))
    stem = shortened(" ".join(text.split()).strip(_EDGES), STEM_BYTES)
    while stem[-3:].lower() == ".md":
        stem = stem[:-3].rstrip(_EDGES)
    if stem and (portability(f"{stem}.md") or is_passing(f"{stem}.md")):
        return f"{stem} note"
    return stem


def _in_place(match: re.Match[str]) -> str:
    """What stands for forbidden characters: "5:30" is 5-30, "Pumps: why" Pumps - why."""
    return "-" if match[0].strip() == match[0] else " - "


def shortened(text: str, most: int) -> str:
    """The beginning of a text that fits into `most` bytes of UTF-8.

    Cut between words where one begins late enough, else between what readers see as
    characters.
    """
    if len(text.encode("utf-8", "surrogatepass")) <= most:
        return text
    end, size = 0, 0
    for at, char in enumerate(text):
        size += len(char.encode("utf-8", "surrogatepass"))
        if size > most:
            break
        end = at + 1
    while end > 0 and _joins(text, end):
        end -= 1
    space = text.rfind(" ", 0, end + 1)
    if space > end * 2 // 3:
        end = space
    return text[:end].rstrip(_EDGES)


def _joins(text: str, at: int) -> bool:
    """Whether the characters on both sides are one to a reader."""
    before, after = text[at - 1], text[at]
    if unicodedata.category(after)[0] == "M" or "\u200d" in {before, after}:
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\u1160" <= after <= "\u11ff":
        return True
    flags = 0
    while flags < at and "\U0001f1e6" <= text[at - 1 - flags] <= "\U0001f1ff":
        flags += 1
    return flags % 2 == 1 and "\U0001f1e6" <= after <= "\U0001f1ff"
