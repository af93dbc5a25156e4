"""What of a session goes into the journal: its own words, and none that were recalled. Pure.

Extractive: first sentences of what was asked, the last answer's, and names of files. A
sentence of an answer that stands in what the memory said into the session is an echo,
and left out; what a person asks is theirs, whatever it repeats.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from mindcache.fence import harmless
from mindcache.plain import first_sentence, plain_text
from mindcache.session.transcript import Told

__all__ = ["Kept", "keep"]

_ASKED, _FILES, _NOTES = 6, 10, 10
_LONGEST = 200
# Words in a row by which a sentence is known again, and the share of them that makes
# it an echo: quoting a name or a number is none, repeating a fact is.
_ROW, _ECHO = 3, 0.6
# A sign of a script without spaces is a word here.
_SIGN = "\u0e01-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_SIGN}]|(?:(?![{_SIGN}])\w)+")
_SENTENCE = re.compile(r"(?<=[.!?。！？])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Kept:
    """An entry: its text, further lines, and the notes it should link to (paths)."""

    text: str
    further: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def keep(
    told: Told, injected: Iterable[str], vault: str, root: str, last: str
) -> Kept | None:
    """The entry for a session, None where nothing was asked or done in it.

    `injected` is what our hooks said, `vault` and `root` the folders of the vault and
    of the project, `last` the last answer where there is no transcript.
    """
    echoes = _rows((*injected, *told.recalled))
    asked = list(
        dict.fromkeys(filter(None, (_first(words, set()) for words in told.asked)))
    )
    answers = told.answered or ((last,) if last else ())
    done = next(
        filter(None, (_first(words, echoes) for words in reversed(answers))), ""
    )
    notes = [_within(path, vault) for path in (*told.written, *told.read)]
    files = [
        shown
        for path in told.written
        if not _within(path, vault) and (shown := _shown(path, root))
    ]
    if not (asked or told.written or (last and done)):
        return None
    lead = asked[0] if asked else done or "files were written"
    further = [f"asked: {words}" for words in asked[1:_ASKED]]
    if len(asked) > _ASKED:
        further.append(f"asked {len(asked) - _ASKED} more things")
    if done and done != lead:
        further.append(f"done: {done}")
    if files:
        more = f" and {len(files) - _FILES} more" if len(files) > _FILES else ""
        further.append(f"files: {', '.join(files[:_FILES])}{more}")
    linked = [path for path in dict.fromkeys(notes) if path.lower().endswith(".md")]
    return Kept(f"Session: {lead}", tuple(further), tuple(linked[:_NOTES]))


def _first(words: str, echoes: set[tuple[str, ...]]) -> str:
    """The first sentence that is no echo, on one line; "" for none."""
    text = plain_text(harmless(words))
    for sentence in [first_sentence(text), *_SENTENCE.split(text)][:40]:
        line = " ".join(sentence.split())
        if line and _WORD.search(line) and not _is_echo(line, echoes):
            return (
                line if len(line) <= _LONGEST else line[: _LONGEST - 1].rstrip() + "…"
            )
    return ""


def _rows(texts: Iterable[str]) -> set[tuple[str, ...]]:
    """The rows of words in texts, `_ROW` at a time."""
    return {row for text in texts for row in _rows_of(text)}


def _rows_of(text: str) -> list[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    size = min(_ROW, len(words))
    return (
        [tuple(words[n : n + size]) for n in range(len(words) - size + 1)]
        if size
        else []
    )


def _is_echo(line: str, echoes: set[tuple[str, ...]]) -> bool:
    rows = _rows_of(line)
    if not echoes or len(rows[0]) < _ROW:
        return False
    return sum(row in echoes for row in rows) >= _ECHO * len(rows)


def _within(path: str, folder: str) -> str:
    """The path from a folder, with forward slashes; "" where it lies elsewhere."""
    path, folder = path.replace("\\", "/"), folder.replace("\\", "/").rstrip("/")
    return path.removeprefix(f"{folder}/") if path.startswith(f"{folder}/") else ""


def _shown(path: str, root: str) -> str:
    """A file as the entry names it: from the project's root, else its bare name."""
    name = (root and _within(path, root)) or re.split(r"[/\\]", path)[-1]
    return " ".join(harmless(name).split())[:120]
