"""Questions whose answers are known, and the vaults that they are asked of.

Everything is laid down as ordinary notes in a folder that the caller gives; what
is read from outside the project (dialogues, vaults of other people) stays where it
is. A question's gold is what a hit has to be to count: a note and a block in it, or
a note and the lines that answer.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

__all__ = [
    "Gold",
    "Known",
    "Questions",
    "descriptions",
    "dialogues",
    "headings",
    "headlines",
    "notes_in",
    "paraphrases",
    "sentences",
    "titles",
]

# Questions that ask for what is not there; no figure of retrieval counts them.
ADVERSARIAL = 5

CATEGORIES = {1: "multi-hop", 2: "temporal", 3: "open", 4: "single-hop"}


@dataclass(frozen=True, slots=True)
class Gold:
    """One thing to be found: a block of a note by its anchor, or lines of a note."""

    path: str
    anchor: str = ""
    lines: tuple[int, int] = (0, 0)

    def is_met(self, path: str, anchor: str, lines: tuple[int, int]) -> bool:
        """Whether a hit there is it."""
        if path != self.path:
            return False
        if self.anchor:
            return anchor == self.anchor
        return lines[1] >= self.lines[0] and lines[0] <= self.lines[1]


@dataclass(frozen=True, slots=True)
class Known:
    """A question, all that answers it, and the kind of question it is."""

    text: str
    gold: tuple[Gold, ...]
    category: str = ""


@dataclass(frozen=True, slots=True)
class Questions:
    """Questions to one vault. `now` is the civil time at which they are asked."""

    name: str
    kind: str
    vault: str
    asked: tuple[Known, ...]
    now: datetime | None = None


# -- dialogues -------------------------------------------------------------------


def dialogues(file: str, folder: str) -> Iterator[Questions]:
    """The dialogues of a file in LoCoMo's form, each a vault: a note for a session.

    They are asked on the day after the last session.
    """
    with open(file, encoding="utf-8") as opened:
        samples = json.load(opened)
    for number, sample in enumerate(samples):
        name = str(sample.get("sample_id") or f"dialogue-{number + 1}")
        vault = os.path.join(folder, name)
        os.makedirs(vault)
        where, last = _sessions(sample["conversation"], vault)
        asked = []
        for each in sample["qa"]:
            if each["category"] == ADVERSARIAL:
                continue
            turns = [t for e in each["evidence"] for t in re.findall(r"D\d+:\d+", e)]
            gold = tuple(dict.fromkeys(where[t] for t in turns if t in where))
            if gold:
                category = CATEGORIES.get(each["category"], "other")
                asked.append(Known(each["question"], gold, category))
        now = last + timedelta(days=1) if last else None
        yield Questions(name, "dialogue", vault, tuple(asked), now)


def _sessions(
    conversation: Mapping[str, Any], vault: str
) -> tuple[dict[str, Gold], datetime | None]:
    """Write a note for each session; where each turn is, and when the last one was."""
    where: dict[str, Gold] = {}
    last = None
    number = 1
    while f"session_{number}" in conversation:
        said = conversation[f"session_{number}_date_time"]
        start = datetime.strptime(said, "%I:%M %p on %d %B, %Y")  # noqa: DTZ007  civil
        last = max(last or start, start)
        path = f"Session {number}.md"
        turns = []
        for turn in conversation[f"session_{number}"]:
            text = " ".join(turn["text"].split())
            if caption := turn.get("blip_caption"):
                text += f" ({' '.join(caption.split())})"
            anchor = turn["dia_id"].replace(":", "-")
            turns.append(f"**{turn['speaker']}:** {text} ^{anchor}")
            where[turn["dia_id"]] = Gold(path, anchor)
        properties = [
            "---",
            "type: event",
            f"time_start: {start:%Y-%m-%dT%H:%M}",
            "entities:",
            f'  - "[[{conversation["speaker_a"]}]]"',
            f'  - "[[{conversation["speaker_b"]}]]"',
            "---",
        ]
        _write(vault, path, "\n".join(properties) + "\n" + "\n\n".join(turns) + "\n")
        number += 1
    return where, last


# -- sections under their headings -------------------------------------------------

_HEADING = re.compile(r"^(\s*(?:- )?)(#{1,6}) +(.*?)\s*#*\s*$")
_SUBPATH = re.compile(r"(?<=[^\[\]|#\n])#[^\[\]|\n^]+(?=(?:\|[^\[\]\n]*)?\]\])")
_MARKS = re.compile(r"[*_`=]|#\S+|\^\S+$")
# Headings that say nothing of what is below them.
_GENERIC = frozenset(
    {"see also", "related notes", "learn more", "external links", "further reading"}
    | {"table of contents", "my notes", "release notes"}
)
_FEWEST_WORDS = 15


def headings(name: str, source: str, folder: str) -> Questions:
    """A copy of a vault without its headings' words; each asks for its section.

    Gone too are the headings in links to sections: whoever has the words of a heading
    in a text finds them above its section as well. A heading that is the name of a
    note asks for that note, and is no question here.
    """
    vault = os.path.join(folder, name)
    _copy(source, vault)
    found: list[tuple[str, Gold]] = []
    names = {os.path.basename(path)[:-3].lower() for path in notes_in(vault)}
    for path in notes_in(vault):
        try:
            with open(os.path.join(vault, path), encoding="utf-8") as opened:
                lines = opened.read().split("\n")
        except UnicodeDecodeError:
            continue
        marked = list(_headings(lines))
        for place, (at, text) in enumerate(marked):
            end = marked[place + 1][0] if place + 1 < len(marked) else len(lines)
            body = " ".join(lines[at + 1 : end]).split()
            says = len(re.findall(r"\w\w+", text)) >= 2
            generic = text.lower() in _GENERIC or text.lower() in names
            if says and not generic and len(body) >= _FEWEST_WORDS:
                found.append((text, Gold(path, lines=(at + 2, end))))
        for at, _ in marked:
            match = _HEADING.match(lines[at])
            if match:
                lines[at] = f"{match[1]}{match[2]} Section"
        _write(vault, path, _SUBPATH.sub("", "\n".join(lines)))
    counts = Counter(text.lower() for text, _ in found)
    asked = [Known(t, (gold,)) for t, gold in found if counts[t.lower()] == 1]
    return Questions(name, "heading", vault, tuple(asked))


def _headings(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    fence = False
    for at, line in enumerate(lines):
        if line.lstrip().startswith(("```", "~~~")):
            fence = not fence
        match = None if fence else _HEADING.match(line)
        if match:
            text = re.sub(r"\[\[([^\]|]*\|)?([^\]]*)\]\]", r"\2", match[3])
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
            yield at, _MARKS.sub("", text).strip()


# -- what stands in a vault ----------------------------------------------------------

_SENTENCE_END = re.compile(r"(?<=[.!?…]) +")
# Marks of what nobody remembers by its words: links, code, tables, properties.
_MARKED = re.compile(r"[\[\]`|<>#{}]|::|https?:|^ *(?:[-*+]|\d+\.) |^    ")
_TYPED_AWAY = re.compile(r"[*_=]|^\W+")
# Words of a sentence from memory: fewer stand together anywhere, more nobody types.
_FEWEST_SAID, _MOST_SAID = 6, 12

# -- whole notes -------------------------------------------------------------------

_WHOLE = (1, 10**6)


def descriptions(name: str, source: str, folder: str) -> Questions:
    """A copy of a vault without its `description` properties; each asks for its note."""
    vault = os.path.join(folder, name)
    _copy(source, vault)
    asked = []
    for path in notes_in(vault):
        full = os.path.join(vault, path)
        with open(full, encoding="utf-8", errors="replace") as opened:
            text = opened.read()
        match = re.search(r"^description: *(.+)\n", text, re.MULTILINE)
        if match and text.startswith("---"):
            _write(vault, path, text.replace(match[0], "", 1))
            said = match[1].strip().strip("\"'")
            if len(said.split()) > 3:
                asked.append(Known(said, (Gold(path, lines=_WHOLE),)))
    return Questions(name, "description", vault, tuple(asked))


def sentences(name: str, source: str, folder: str, most: int = 200) -> Questions:
    """A copy of a vault, asked by sentences of its own: the place where each stands.

    As who remembers them would type them: without end, at most twelve words.
    """
    vault = os.path.join(folder, name)
    _copy(source, vault)
    found: list[tuple[str, Gold]] = []
    counts: Counter[str] = Counter()
    for path in notes_in(vault):
        for at, line in enumerate(_plain_lines(os.path.join(vault, path)), 1):
            for sentence in _SENTENCE_END.split(line):
                words = _TYPED_AWAY.sub("", sentence).strip(" .!?…:").split()
                if len(words) >= _FEWEST_SAID:
                    said = " ".join(words[:_MOST_SAID])
                    counts[said.lower()] += 1
                    found.append((said, Gold(path, lines=(at, at))))
    once = [(said, gold) for said, gold in found if counts[said.lower()] == 1]
    chosen = once[:: max(1, len(once) // most)]
    asked = tuple(Known(said, (gold,)) for said, gold in chosen)
    return Questions(name, "sentence", vault, asked)


def _plain_lines(file: str) -> list[str]:
    """The lines of a note; those that are no plain text of its body are empty."""
    with open(file, encoding="utf-8", errors="replace") as opened:
        lines = opened.read().split("\n")
    fence = properties = False
    plain = []
    for at, line in enumerate(lines):
        if line.rstrip() == "---":
            properties = at == 0
        if line.lstrip().startswith(("```", "~~~")):
            fence = not fence
        plain.append("" if fence or properties or _MARKED.search(line) else line)
    return plain


# What follows the first line (a heading, an embed) may be the first that is searched.
_OPENING_LINES = 4


def titles(name: str, source: str, folder: str) -> Questions:
    """A copy of a vault, asked by the names of its notes: for each how it begins."""
    vault = os.path.join(folder, name)
    _copy(source, vault)
    stems = [(os.path.basename(path)[:-3], path) for path in notes_in(vault)]
    counts = Counter(stem.lower() for stem, _ in stems)
    asked = []
    for stem, path in stems:
        first = _first_line(os.path.join(vault, path))
        says = not re.fullmatch(r"[\d\W_]+", stem)
        if first and says and counts[stem.lower()] == 1:
            gold = Gold(path, lines=(1, first + _OPENING_LINES))
            asked.append(Known(stem, (gold,)))
    return Questions(name, "title", vault, tuple(asked))


def _first_line(file: str) -> int:
    """Where the text of a note begins, 0 where it has none."""
    with open(file, encoding="utf-8", errors="replace") as opened:
        lines = opened.read().split("\n")
    start = lines.index("---", 1) + 1 if lines[0] == "---" and "---" in lines[1:] else 0
    return next((n for n, line in enumerate(lines, 1) if n > start and line.strip()), 0)


def headlines(name: str, source: str, folder: str, most: int = 250) -> Questions:
    """News texts as notes, every other one of them asked for by its headline."""
    vault = os.path.join(folder, name)
    os.makedirs(vault)
    files = sorted(
        os.path.join(parent, file)
        for parent, _, names in os.walk(source)
        for file in names
        if file.endswith(".txt")
    )
    asked: dict[str, Known] = {}
    for number, file in enumerate(files[:: max(1, len(files) // (2 * most))]):
        with open(file, encoding="utf-8", errors="replace") as opened:
            headline, _, text = opened.read().partition("\n")
        path = f"news {number:04}.md"
        _write(vault, path, text.strip() + "\n")
        if number % 2 == 0:
            said = headline.strip()
            asked.setdefault(said, Known(said, (Gold(path, lines=_WHOLE),)))
    return Questions(name, "headline", vault, tuple(asked.values()))


def paraphrases(name: str, file: str, folder: str, most: int = 250) -> Questions:
    """Sentences as facts, the first of them asked for by another way to say them."""
    vault = os.path.join(folder, name)
    os.makedirs(vault)
    with open(file, encoding="utf-8-sig", newline="") as opened:
        rows = list(csv.reader(opened, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    alike = [row for row in rows if row[0] == "1"]
    asked: list[Known] = []
    # Many sentences come again; each may be one note and one question only.
    distinct = {row[4]: row for row in {row[3]: row for row in alike}.values()}
    for number, row in enumerate(list(distinct.values())[: 3 * most]):
        path = f"fact {number:04}.md"
        _write(vault, path, f"---\ntype: fact\n---\n{row[4]}\n")
        if number < most:
            asked.append(Known(row[3], (Gold(path, lines=_WHOLE),)))
    return Questions(name, "paraphrase", vault, tuple(asked))


# -- files -------------------------------------------------------------------------


def _copy(source: str, vault: str) -> None:
    shutil.copytree(source, vault, symlinks=True)
    for parent, folders, files in os.walk(vault):
        for each in (*folders, *files):  # the originals may be read-only
            path = os.path.join(parent, each)
            if not os.path.islink(path):
                os.chmod(path, os.stat(path).st_mode | 0o700)


def notes_in(vault: str) -> Iterator[str]:
    """The paths of a vault's notes, in order."""
    for parent, folders, files in os.walk(vault):
        folders.sort()
        for file in sorted(files):
            if file.endswith(".md"):
                yield os.path.relpath(os.path.join(parent, file), vault)


def _write(vault: str, path: str, text: str) -> None:
    with open(os.path.join(vault, path), "w", encoding="utf-8", newline="") as opened:
        opened.write(text)
