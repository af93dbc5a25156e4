"""Two topics that become one: their lists of notes, and what they say of each other.

Pure. The generated part of the one that stays gets the other's notes; what a person
wrote in the other beside it comes below, as with any note.
"""

from __future__ import annotations

from mindcache.errors import Refused
from mindcache.generated import WORDS, Section, find_section, replaced
from mindcache.links import Names
from mindcache.note import DELETE, Delete, Note, Property, links_in_text, parse

__all__ = ["Uniting"]

# Properties of a topic that name other topics, or notes to begin with.
_NAMING = ("parent_topic", "related_topics")


class Uniting:
    """The topic at `source` becomes part of the one at `into`; `names` are those now."""

    def __init__(self, names: Names, source: str, into: str) -> None:
        self._names = names
        self._ends = {source, into}

    def bare(self, carried: Note) -> Note:
        """The topic that goes without its generated part, as far as that was generated."""
        section = _section(carried)
        lines = carried.text.split("\n")
        own = [line for line in section.lines if line.strip() and not _is_ours(line)]
        own = own if section.is_edited else []
        kept = [*lines[: section.begin - 1], *own, *lines[section.end :]]
        return parse(carried.path, "\n".join(kept).encode("utf-8", "surrogatepass"))

    def united(
        self, kept: Note, data: bytes, carried: Note
    ) -> tuple[bytes, dict[str, Property | Delete]]:
        """The topic that stays with the notes of both, and the properties to be changed.

        `carried` is the one that goes, as if it lay where this one does. Raises Refused
        where one has not exactly one generated part.
        """
        section, other = _section(kept), _section(carried)
        lines = [line for line in section.lines if not self._is_own(kept.path, line)]
        known = {key for line in lines if (key := self._target(kept.path, line))}
        for line in other.lines:
            target = self._target(kept.path, line)
            if not _is_listed(line) or not target or target in known | self._ends:
                continue
            known.add(target)
            lines.append(line)
        ours = set(section.lines) if not section.is_edited else set[str]()
        text = replaced(kept, section, lines, ours)
        mark = b"\xef\xbb\xbf" if kept.encoding.bom else b""
        after = mark + text.encode("utf-8") if text != kept.text else data
        return after, self._properties(kept, carried)

    def _properties(self, kept: Note, carried: Note) -> dict[str, Property | Delete]:
        """What is said of other topics, without what would be said of itself."""
        changes: dict[str, Property | Delete] = {}
        for key in _NAMING:
            value = kept.properties.get(key)
            if value in (None, "", []):
                continue
            items = value if isinstance(value, list) else [value]
            left = [each for each in items if not self._is_own(kept.path, each)]
            if len(left) == len(items):
                continue
            above = carried.properties.get(key)
            if key == "parent_topic" and above and not self._is_own(kept.path, above):
                changes[key] = above
            else:
                changes[key] = left or DELETE
        return changes

    def _is_own(self, path: str, value: Property) -> bool:
        """Whether a line or value names one of the two."""
        return isinstance(value, str) and self._target(path, value) in self._ends

    def _target(self, path: str, text: str) -> str:
        links = links_in_text(text)
        if not links or not links[0].target:
            return ""
        found = self._names.resolve(path, links[0].target)
        return found.path if found is not None else links[0].target


def _section(note: Note) -> Section:
    found = find_section(note)
    if isinstance(found, str):
        raise Refused(
            f"{note.path}: {found}", mend="put one pair of markers in, or merge by hand"
        )
    return found


def _is_ours(line: str) -> bool:
    return _is_listed(line) or line.startswith(WORDS)


def _is_listed(line: str) -> bool:
    return line.startswith("- [")
