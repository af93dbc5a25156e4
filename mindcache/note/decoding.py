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
    """Read `data` as UTF-8, as UTF-16 with a byte order mark, or as Windows-1252.

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
    try:
        return content.decode("utf-8"), "utf-8", bom, None
    except UnicodeDecodeError:
        return _read_damaged(content, bom=bom)


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
