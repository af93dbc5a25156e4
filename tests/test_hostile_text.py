"""A stranger's text costs what its length costs, wherever it is read.

Bounds are of CPU and far from what is measured (a hundredth): with a pattern that tries
every way to share a text, these sizes take minutes. Other surfaces have such a test
beside their own: `test_plain`, `test_note_parse`, `test_merge`, `test_extract`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import datetime

import pytest

from mindcache import fence, filenames, journal, links
from mindcache.alike import contradiction, equal, reading, sentences
from mindcache.cli import output
from mindcache.importers import prose
from mindcache.importers.chat import contained, slack, whatsapp
from mindcache.importers.markdown.docs import Doc
from mindcache.importers.markdown.logseq import Graph, obsidian_docs
from mindcache.importers.openclaw.entries import entries
from mindcache.lint import check
from mindcache.memory import Meaning, describe
from mindcache.note import parse
from mindcache.recall.snippet import snippet
from mindcache.redact import redact
from mindcache.session import transcript
from mindcache.text.chunks import chunk
from mindcache.when import date_in_name, find_phrases, parse_interval, parse_phrase

NOW = datetime(2026, 11, 30, 12)  # noqa: DTZ001  civil time
_SIZE = 30_000
_SECONDS = 1.5


def _linted(text: str) -> object:
    note = parse("n.md", f"---\nid: m-1\n---\n{text}".encode())
    return check(note, describe(note, Meaning()), ("scope",))


def _spoken(text: str) -> object:
    message = {"role": "user", "content": text}
    line = json.dumps({"type": "user", "message": message}).encode()
    return transcript.tell(transcript.records(line + b"\n"), "s")


def _logseq(text: str) -> object:
    doc = Doc("pages/a.md", f"a:: {text}\n- {text}\n", "a", "a", "a")
    return list(obsidian_docs([doc], Graph()))


def _slack(text: str) -> object:
    said = {"type": "message", "user": "U1", "ts": "1772359260.0", "text": f"{text}x"}
    return slack.conversation("general", [[said]], slack.Team(), (), "UTC", "x.zip")


SURFACES: dict[str, Callable[[str], object]] = {
    "redact": redact,
    "fence": lambda text: fence.strip(fence.fenced(text, text[:1_000])),
    "output": lambda text: (output.single(text), output.json_text(text)),
    "chunks": lambda text: chunk(parse("n.md", text.encode())),
    "snippet": lambda text: snippet(text, ["a"], "en"),
    "phrases": lambda text: find_phrases(text, NOW, ("en", "de")),
    "dates": lambda text: (date_in_name(text), parse_interval(text)),
    "a phrase": lambda text: parse_phrase(text, NOW),
    "prose": lambda text: prose.escaped(prose.readable(prose.from_html(text))),
    "one line": lambda text: prose.unlinked(prose.one_line(text)),
    "told": lambda text: contradiction.Told.of(text[:600]),
    "equal": lambda text: equal.normal_of(text, {"a": text}, text),
    "wording": lambda text: (
        reading.Wording.of(text), sentences.sentences_of(text)
    ),
    "a name": filenames.safe_stem,
    "journal": lambda text: journal.parse(journal.tidy(text), "j-aaaa"),
    "lint": _linted,
    "links": links.target_key,
    "transcript": _spoken,
    "chat": lambda text: contained.contained(f"a\n|{text}\n\n{text}x"),
    "chat line": contained.safe_line,
    "whatsapp": lambda text: whatsapp.conversation(
        [f"01/03/2026, 10:01 - Ann: {text}x"], "dmy", "", ["Ann"], (), "chat.txt"
    ),
    "slack": _slack,
    "logseq": _logseq,
    "openclaw": lambda text: list(entries(f"# {text}x\n\n- {text}x\n")),
}  # fmt: skip

UNITS = [
    " ", "\t", "*", "**a ", "_a", "`", "`\n\n", "~~~\n", "[[", "](", "<", "< ", "<b ",
    "<!--", "</mindcache-memory", "\x1b]", "%%", "{{", "|", "|\t", "- ", "> ", "#  #",
    "A ", "Aa-", "I and ", '"a b ', "1:", "2026-01-01 ", "next week ", "\u200e", "\ufe0f",
    "\u200d", "中", "-----BEGIN PRIVATE KEY-----", "password = '", "eyJaaaaaaaaa.", "a.",
    "a@", "://", "is ", "not ", ", and ", "a::", "\r", "&", "- 10:00 a ^j-aaaa\n", "* ",
]  # fmt: skip


@pytest.mark.parametrize("name", SURFACES)
def test_what_it_costs_grows_with_its_length(name: str) -> None:
    read = SURFACES[name]
    read("Warm.")
    for unit in UNITS:
        text = unit * (_SIZE // len(unit))
        started = time.process_time()
        read(f"{text}x")
        assert time.process_time() - started < _SECONDS, unit
