"""Whatever is in a file or an argument is read, or refused in our own words.

Samples of our own are cut, doubled and spoiled; nothing but a `MindcacheError` may come
of it, and what is not meant stays as it was. `MINDCACHE_FUZZ` is how many examples each
test takes (60). The slow tests hold that hostile sizes end.
"""

from __future__ import annotations

import io
import json
import os
import random
import sqlite3
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindcache import fence, journal, links, redact, text
from mindcache.app import App
from mindcache.digest.proposals import form
from mindcache.errors import EditRefused, MindcacheError
from mindcache.generated import find_section
from mindcache.importers import Wishes, find, run_import
from mindcache.lint import check
from mindcache.mcp.arguments import read as read_arguments
from mindcache.mcp.tools import TOOLS
from mindcache.memory import Meaning, describe
from mindcache.merge import merge
from mindcache.note import DELETE, edit, parse
from mindcache.recurrence import read_lines
from mindcache.when import find_phrases, parse_interval, parse_phrase
from tests import calendars, chats

EXAMPLES = int(os.environ.get("MINDCACHE_FUZZ", "60"))
fuzzed = settings(
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture,
        HealthCheck.too_slow,
        HealthCheck.data_too_large,
        HealthCheck.filter_too_much,
    ],
)

NOW = datetime.fromisoformat("2026-11-30T12:00")
PROPOSAL = "p-0a1b2c3d4e"
NOTE = f"""---
id: m-01KA0000000000000000000B01
type: plan
summary: "A crane: repaired"
tags: [tool/git, 'client/acme']
aliases:
  - Crane  # the old one
status: planned
time_start: 2026-12-01T09:00
timezone: Europe/Oslo
recurrence: RRULE:FREQ=WEEKLY;COUNT=5
about: "[[Harbour|the harbour]]"
about_more: |
  text
created_at: 2026-11-01T08:00
---
# Crane ^head

See [[Harbour#Prices|prices]], [a](<b c.md> "d"), ![[p.png|100]] and #tool/git.
about:: [[Pier]] [involves:: [[Ida]]]

- 2026-12-08 missed: ill ^o-20261208
- [ ] Merge [[A]] into [[B]] ^{PROPOSAL}
- [x] No ^{PROPOSAL}-b
- 09:00 [acme/web] A word ^j-aaaa
  - see [[Ida]]

| a | [[b\\|c]] |
|---|---|

%% mindcache:begin 0123456789ab %%
- [[Harbour]]
%% mindcache:end %%

```py
[[not a link]] #no/tag
```
<recalled>old</recalled> password = "hunter2hunter2" AKIAABCDEFGHIJKLMNOP
""".encode()

PIECES = [
    *("\n", "\r\n", "\r", "---\n", "```\n", "%%", "[[", "]]", "|", "#", "^", ":", "- "),
    *("\x00", "\ufeff", "\u2028", "\u0085", "\t", "é", "e\u0301", "\u202e", "😀", "東京"),
    *("<!--", "-->", "<recalled>", "</recalled>", "$$", "\\", "`", "&a ", "*a", "!!x "),
    *("? ", "{", "}", "[", '"', "'", "99999999999999999999", "1e999", "-0", "null", "~"),
    *("2026-02-30", "0000-00-00", "24:60", "next friday", "9999-12-31", "RRULE:"),
    *("BEGIN:VEVENT\n", "END:VEVENT\n", "DTSTART:", "TZID=", "%% mindcache:end %%\n"),
]  # fmt: skip


@st.composite
def spoiled(draw: st.DrawFn, sample: bytes) -> bytes:
    """The sample with up to six things done to its bytes."""
    data = sample
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(data)))
        to = min(len(data), at + draw(st.integers(0, 40)))
        match draw(st.integers(0, 5)):
            case 0:
                data = data[:at] + data[to:]
            case 1:
                data = data[:to] + data[at:]
            case 2:
                piece = draw(st.sampled_from(PIECES)).encode()
                data = data[:at] + piece * draw(st.integers(1, 3)) + data[at:]
            case 3:
                data = data[:at] + draw(st.binary(max_size=4)) + data[to:]
            case 4:
                data = data[:at]
            case _:
                data = data[:at] + draw(st.text(max_size=6)).encode(
                    "utf-8", "surrogatepass"
                ) + data[at:]  # fmt: skip
    return data


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=20),
    st.lists(st.text(max_size=8) | st.integers(), max_size=4), st.just(DELETE),
)  # fmt: skip


# -- notes ----------------------------------------------------------------------------


@fuzzed
@given(spoiled(NOTE))
def test_every_reader_of_notes_reads_any_note(data: bytes) -> None:
    note = parse("memory/n.md", data)
    check(note, describe(note, Meaning()), ("tool", "client"))
    text.chunk(note)
    read_lines(note)
    find_section(note)
    for chunk in text.chunk(note):
        journal.parse(chunk.text, chunk.anchor.removeprefix("^"))
    boxes = form.boxes_of(note)
    for name in {box.id for box in boxes}:
        form.verdict([b for b in boxes if b.id == name], is_mentioned=True)
    form.settled(note.text, {b.line: ("x", "done") for b in boxes})


@fuzzed
@given(
    spoiled(NOTE),
    st.dictionaries(
        st.sampled_from(["status", "summary", "tags", "new", "aliases", "about"])
        | st.text(max_size=6),
        VALUES,
        max_size=3,
    ),
)
def test_an_edit_is_refused_or_leaves_the_rest(data: bytes, changes: dict) -> None:
    before = parse("n.md", data)
    try:
        after = parse("n.md", edit(data, changes))
    except EditRefused:
        return
    meant = set(changes)
    assert after.text[after.body_offset :] == before.text[before.body_offset :]
    assert {k: repr(v) for k, v in after.properties.items() if k not in meant} == {
        k: repr(v) for k, v in before.properties.items() if k not in meant
    }


@fuzzed
@given(spoiled(NOTE), spoiled(NOTE), st.none() | st.just(NOTE))
def test_a_merge_never_raises_and_loses_no_word(ours, theirs, base) -> None:
    merged = merge("n.md", base, ours, theirs)
    assert isinstance(merged.data, bytes)
    merge("a.jsonl", base, ours, theirs)
    merge("a.txt", base, ours, theirs)
    assert merge("n.md", base, ours, ours).data == ours


@fuzzed
@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=12))
def test_links_and_fences_and_secrets_take_any_text(pieces: list[str]) -> None:
    said = "".join(pieces)
    names = links.Names(
        [
            links.Name(links.path_key("a/B.md"), "path", "a/B.md"),
            links.Name(links.fold(said), "alias", "a/B.md"),
        ]
    )
    names.resolve("a/n.md", said)
    links.written(names, "a/n.md", "a/B.md", said, said)
    assert fence.strip(fence.fenced(said, said, said)).strip() == ""
    once = redact.redact(said).text
    assert redact.redact(once).text == once


@fuzzed
@given(
    st.lists(
        st.sampled_from(
            [
                "next",
                "last",
                "friday",
                "3",
                "may",
                "the",
                "of",
                "at",
                "half",
                "past",
                "2026",
                "in",
                "weeks",
                "days",
                "ago",
                "until",
                "between",
                "and",
                "14:30",
                "noon",
                "week",
                "since",
                "q1",
                "century",
                "0",
                "99999999999",
                "-",
            ]
        )
        | st.sampled_from(PIECES)
        | st.text(max_size=5),
        max_size=14,
    )
)
def test_any_phrase_is_a_time_or_none(words: list[str]) -> None:
    said = " ".join(words)
    for found in find_phrases(said, NOW):
        if found.interval is not None:
            assert found.interval.start <= found.interval.end
    parse_phrase(said, NOW)
    parse_interval(said)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=8,
)


@fuzzed
@given(
    st.sampled_from(TOOLS),
    st.dictionaries(
        st.sampled_from([a.name for tool in TOOLS for a in tool.arguments])
        | st.text(max_size=8),
        JSON,
        max_size=5,
    ),
)
def test_arguments_of_tools_are_read_or_refused(tool, given_) -> None:
    with suppress(MindcacheError):
        read_arguments(tool, given_)


# -- imports --------------------------------------------------------------------------


def zipped(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def database() -> bytes:
    connection = sqlite3.connect(":memory:")
    connection.executescript(
        "CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, body TEXT, tags TEXT);"
        "INSERT INTO note VALUES (1, 'Tea', 'Green.', '[\"drink\"]');"
    )
    return connection.serialize()


CALENDAR = calendars.calendar(
    calendars.event(
        "DTSTART;TZID=Europe/Oslo:20260302T090000", "DURATION:PT1H",
        "RRULE:FREQ=WEEKLY;BYDAY=MO,TU;UNTIL=20261231T000000Z",
        "EXDATE;TZID=Europe/Oslo:20260309T090000", "SUMMARY:Crane\\, north",
        "ATTENDEE;PARTSTAT=DECLINED;CN=\"Ida\":mailto:ida@example.org",
        "DESCRIPTION:A long line that is fo\n lded", "CATEGORIES:a,b",
    ),
    calendars.event("DTSTART;VALUE=DATE:20261201", "SUMMARY:Dentist", uid="two"),
).encode()  # fmt: skip
WHATSAPP = (
    b"[15/08/2025, 12:00:00] Ana: Hello\n[15/08/2025, 12:01:00] Ben: We met on 3 May.\n"
)
SLACK = {
    "users.json": b'[{"id": "U1", "name": "ana", "profile": {"real_name": "Ana"}}]',
    "channels.json": b'[{"id": "C1", "name": "pier", "members": ["U1"]}]',
    "pier/2026-03-01.json": b'[{"type": "message", "user": "U1", "text": "Hi <@U1>",'
    b' "ts": "1772359200.000100", "thread_ts": "1772359200.000100"}]',
}
TELEGRAM = json.dumps(
    {
        "name": "Ana", "type": "personal_chat", "id": 1,
        "messages": [
            {"id": 1, "type": "message", "date": "2026-03-01T10:00:00",
             "date_unixtime": "1772359200", "from": "Ana", "from_id": "user1",
             "text": ["Hi ", {"type": "link", "text": "x.org"}]},
        ],
    }
).encode()  # fmt: skip

SAMPLES = {
    "calendar": ("calendar", "w.ics", CALENDAR),
    "chatgpt": (
        "chat", "conversations.json", json.dumps([chats.chatgpt("one", "two")]).encode(),
    ),
    "claude": (
        "chat", "conversations.json", json.dumps([chats.claude("one", "two")]).encode(),
    ),
    "claude code": (
        "chat", "s.jsonl",
        (chats.code("user", "Hi", "u1") + chats.code("assistant", "Ho", "u2")).encode(),
    ),
    "whatsapp": ("chat", "WhatsApp Chat with Ben.txt", WHATSAPP),
    "slack": ("chat", "slack.zip", zipped(SLACK)),
    "telegram": ("chat", "result.json", TELEGRAM),
    "markdown": ("markdown", "n.md", NOTE),
    "sqlite": ("sqlite", "n.db", database()),
    "openclaw": ("openclaw", "MEMORY.md", b"# Memory\n\n- Prefer tea. <!-- observed: 2026-07-01 | status: active -->\n"),
}  # fmt: skip


@pytest.fixture(scope="module")
def dry(tmp_path_factory) -> Callable[[str, str, bytes], None]:
    """Bring in a file of these bytes, as a dry run; raises what that raises."""
    folder = tmp_path_factory.mktemp("fuzz")
    (folder / "vault/.obsidian").mkdir(parents=True)
    app = App(str(folder / "vault"), str(folder / "cache"), now=lambda: NOW)
    app.update()

    def work(kind: str, name: str, data: bytes) -> None:
        source = folder / "source"
        source.mkdir(exist_ok=True)
        for old in source.iterdir():
            old.unlink()
        (source / name).write_bytes(data)
        importer = find(kind)
        assert importer is not None
        with suppress(MindcacheError):
            run_import(app, importer, [str(source)], Wishes(dry_run=True))

    return work


@pytest.mark.parametrize("which", SAMPLES)
def test_no_import_falls_over_what_a_file_holds(dry, which: str) -> None:
    kind, name, sample = SAMPLES[which]

    @fuzzed
    @given(spoiled(sample))
    def bring_in(data: bytes) -> None:
        dry(kind, name, data)

    bring_in()


@pytest.mark.parametrize("which", ["chatgpt", "claude", "telegram"])
def test_no_import_falls_over_a_value_of_another_kind(dry, which: str) -> None:
    kind, name, sample = SAMPLES[which]
    whole = json.loads(sample)
    places = list(paths_in(whole))

    @fuzzed
    @given(st.lists(st.tuples(st.sampled_from(places), JSON), min_size=1, max_size=4))
    def bring_in(changes) -> None:
        value = json.loads(sample)
        for place, new in changes:
            put(value, place, new)
        dry(kind, name, json.dumps(value).encode())

    bring_in()


def paths_in(value: object, at: tuple = ()):
    items = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, inner in items:
        yield (*at, key)
        yield from paths_in(inner, (*at, key))


def put(value, place: tuple, new: object) -> None:
    for key in place[:-1]:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return
    with suppress(KeyError, IndexError, TypeError):
        value[place[-1]] = new


def test_an_export_of_ours_that_was_spoiled_is_refused(dry, tmp_path) -> None:
    from mindcache.cli.failures import guarded

    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / "n.md").write_bytes(NOTE)
    where = ["--vault", str(vault), "--cache-dir", str(tmp_path / "cache")]
    out = tmp_path / "out.json"
    assert guarded(["export", "json", "--to", str(out), *where]) == 0
    sample = out.read_bytes()

    @fuzzed
    @given(spoiled(sample))
    def bring_in(data: bytes) -> None:
        out.write_bytes(data)
        code = guarded(["import", "json", str(out), "--dry-run", "--json", *where])
        assert code in (0, 1, 2, 4)

    bring_in()


# -- sizes ----------------------------------------------------------------------------

# Seconds of CPU: a square over 900,000 characters would take days.
PATIENCE = 60.0
SIZE = 900_000


def head(text_: str) -> bytes:
    return f"---\n{text_}\n---\nbody\n".encode()


def bomb() -> bytes:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 30)]
    return head("\n".join(lines))


def words(size: int = SIZE) -> str:
    draw = random.Random(1)
    known = [
        "monday",
        "next",
        "3",
        "of",
        "the",
        "may",
        "[[a]]",
        "harbour",
        "#x",
        "2026-03-01",
        "12:30",
        "and",
    ]
    return " ".join(draw.choice(known) for _ in range(size // 5))


HOSTILE = {
    "many properties": head("\n".join(f"k{n}: {n}" for n in range(SIZE // 14))),
    "one list": head("tags:\n" + "\n".join(f"  - a/t{n}" for n in range(SIZE // 12))),
    "deep flow": head("a: " + "[" * (SIZE // 2) + "]" * (SIZE // 2)),
    "deep block": head("\n".join(" " * n + "a:" for n in range(1200))),
    "alias bomb": bomb(),
    "open quotes": head('a: "' + "\\" * SIZE),
    "brackets": b"[[" * (SIZE // 2),
    "closed brackets": b"[" * (SIZE // 2) + b"]" * (SIZE // 2),
    "parens": b"[a](" * (SIZE // 4),
    "images": b"![[" * (SIZE // 3),
    "backticks": b" ".join(b"`" * n for n in range(1, 1300)),
    "stars": b"*" * SIZE,
    "quotes": b"> " * (SIZE // 2),
    "lists": b"\n".join(b" " * n + b"- x" for n in range(1300)),
    "comments": b"<!--" * (SIZE // 4),
    "percent": b"%%" * (SIZE // 2) + b"x",
    "dollars": b"$" * SIZE + b"x",
    "tables": b"|" * SIZE + b"\n|-|-|\n",
    "tags": b"#a/" * (SIZE // 3),
    "headings": b"# a\n" * (SIZE // 4),
    "fields": b"a:: b [c:: d] " * (SIZE // 14),
    "spaces": b" " * SIZE + b"x",
    "blank": b"\n" * SIZE,
    "one word": b"a" * SIZE,
    "no sentence": b"a. " * (SIZE // 3),
    "one line": words().encode(),
    "bidi": "\u202e".encode() * (SIZE // 3),
    "marks": b"e" + "\u0301".encode() * (SIZE // 2),
    "han": "東京".encode() * (SIZE // 6),
    "recalled": b"<recalled>" * (SIZE // 10),
    "markers": b"%% mindcache:begin 0123456789ab %%\n" * (SIZE // 36),
    "outcomes": b"- 2026-12-08 missed: ill\n" * (SIZE // 26),
    "entries": b"- 09:00 x ^j-a\n" * (SIZE // 15),
    "assignments": b"password=" * (SIZE // 9),
}


@pytest.mark.slow
@pytest.mark.parametrize("which", HOSTILE)
def test_no_note_takes_forever(which: str) -> None:
    data = HOSTILE[which]
    began = time.process_time()
    note = parse("n.md", data)
    check(note, describe(note, Meaning()), ("tool", "client"))
    text.chunk(note)
    read_lines(note)
    find_section(note)
    fence.strip(note.text)
    redact.redact(note.text)
    find_phrases(note.text, NOW)
    with suppress(EditRefused):
        edit(data, {"status": "active"})
    merge("n.md", None, data, data + b"x")
    assert time.process_time() - began < PATIENCE


@pytest.mark.slow
def test_an_archive_that_unpacks_to_gigabytes_is_refused(dry) -> None:
    # A gigabyte of zeros in a megabyte, named as an export is.
    made = io.BytesIO()
    with (
        zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("conversations.json", "w", force_zip64=True) as file,
    ):
        file.write(b"[")
        for _ in range(1024):
            file.write(b" " * (1 << 20))
        file.write(b"]")
    began = time.process_time()
    dry("chat", "x.zip", made.getvalue())
    dry("chat", "x.json", b"[" * 5_000_000)
    dry("calendar", "x.ics", b"BEGIN:VEVENT\n" * 100_000)
    assert time.process_time() - began < 2 * PATIENCE
