"""From a file's bytes to text, whatever the bytes are.

Owns the guess of the encoding and the view of a text that has line feeds as its
only line ends. Reads no file and never raises.
"""

from __future__ import annotations

from typing import NamedTuple

from mindcache.note.types import Encoding

__all__ = ["Decoded", "Fault", "decode", "plain_newlines"]

_UTF8_BOM = b"\xef\xbb\xbf"
_UTF16_BOMS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
# Bytes at the beginning by which UTF-16 without a mark is told: every other one is NUL.
_PROBE = 1024
# Characters in them below which a pattern may be chance.
_FEWEST = 4
# Of ten characters in them, so many at least are Latin; quotes and dashes are others.
_LATIN_OF_TEN = 9


class Fault(NamedTuple):
    """Something wrong with a whole file: a `Problem` that lacks its path and line."""

    code: str
    message: str
    mend: str


class Decoded(NamedTuple):
    """The text without a byte order mark, how it was stored, and what was wrong."""

    text: str
    encoding: Encoding
    faults: tuple[Fault, ...]


def decode(data: bytes) -> Decoded:
    """Read `data` as UTF-8, as UTF-16, or as Windows-1252.

    UTF-16 is told by its byte order mark, or else by a NUL in every other byte.

    Bytes that are UTF-8 for the most part stay UTF-8, with U+FFFD for what can't be
    read. Faults have the codes "encoding" (stored as something else than valid
    UTF-8) and "nul" (NUL characters in the text). Never raises.
    """
    text, name, bom, fault = _read(data)
    faults = [fault] if fault else []
    if "\0" in text:
        message = f"the file holds {text.count(chr(0))} NUL characters"
        faults.append(Fault("nul", message, "remove them; it may be a binary file"))
    return Decoded(text, Encoding(name, bom, _newline(text)), tuple(faults))


def plain_newlines(text: str) -> str:
    """`text` with a line feed for every line end, of the same length.

    The carriage return in front of a line feed becomes a space, so that an offset means the
    same place in both.
    """
    if "\r" not in text:
        return text
    return text.replace("\r\n", " \n").replace("\r", "\n")


def _read(data: bytes) -> tuple[str, str, bool, Fault | None]:
    bom = data.startswith(_UTF8_BOM)
    if not bom and data[:2] in _UTF16_BOMS:
        name = _UTF16_BOMS[data[:2]]
        text = data[2:].decode(name, "replace")
        return text, name, True, _fault("UTF-16", is_whole="\ufffd" not in text)
    content = data[len(_UTF8_BOM) :] if bom else data
    if not bom and (unmarked := _unmarked(content)):
        fault = _fault("UTF-16 without a byte order mark", is_whole=True)
        return content.decode(unmarked), unmarked, False, fault
    try:
        return content.decode("utf-8"), "utf-8", bom, None
    except UnicodeDecodeError:
        return _read_damaged(content, bom=bom)


def _unmarked(content: bytes) -> str:
    """The form of UTF-16 that this is without saying so, "" for none.

    Only text that reads as it to its end is, and that holds no NUL then.
    """
    probe = content[:_PROBE]
    count = len(probe) // 2
    if b"\0" not in probe or count < _FEWEST or len(content) % 2:
        return ""
    first, second = probe[::2].count(0), probe[1::2].count(0)
    if first and second:
        return ""
    if max(first, second) * 10 < count * _LATIN_OF_TEN:
        return ""
    name = "utf-16-le" if second else "utf-16-be"
    try:
        return "" if "\0" in content.decode(name) else name
    except UnicodeDecodeError:
        return ""


def _read_damaged(content: bytes, *, bom: bool) -> tuple[str, str, bool, Fault]:
    text = content.decode("utf-8", "replace")
    lost = text.count("\ufffd")
    beyond_ascii = len(text) - len(text.encode("ascii", "ignore"))
    if bom or beyond_ascii - lost > lost:
        fault = Fault(
            "encoding",
            f"{lost} places in the file are not valid UTF-8",
            "restore them from a copy and save the file as UTF-8",
        )
        return text, "utf-8", bom, fault
    try:
        text = content.decode("cp1252")
        return text, "cp1252", bom, _fault("Windows-1252", is_whole=True)
    except UnicodeDecodeError:
        return content.decode("latin-1"), "latin-1", bom, _fault("an unknown encoding")


def _fault(name: str, *, is_whole: bool = False) -> Fault:
    far = "was read as that" if is_whole else "was read as far as it can be"
    message = f"the file is stored as {name}; it {far}"
    return Fault("encoding", message, "save the file as UTF-8")


def _newline(text: str) -> str:
    feed = text.find("\n")
    carriage = text.find("\r", 0, feed if feed >= 0 else len(text))
    if carriage < 0:
        return "\n"
    return "\r\n" if carriage == feed - 1 else "\r"
