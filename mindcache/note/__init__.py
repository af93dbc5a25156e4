"""One note as plain values: bytes in, `Note` out, and bytes out again.

Owns the syntax of Markdown as Obsidian has it, the frontmatter and its surgery.
Knows no vault, no disk and no meaning of a property.
"""

from __future__ import annotations

from mindcache.note.decode import Decoded, Fault, decode
from mindcache.note.edit import DELETE, Delete, edit, same_value
from mindcache.note.emit import emit
from mindcache.note.frontmatter import note_handler
from mindcache.note.markdown import links_in_text, parse, tags_in_text
from mindcache.note.types import (
    Block,
    Callout,
    Encoding,
    Field,
    Frontmatter,
    Heading,
    Link,
    Note,
    Property,
    Tag,
    Task,
)

__all__ = [
    "DELETE",
    "Block",
    "Callout",
    "Decoded",
    "Delete",
    "Encoding",
    "Fault",
    "Field",
    "Frontmatter",
    "Heading",
    "Link",
    "Note",
    "Property",
    "Tag",
    "Task",
    "decode",
    "edit",
    "emit",
    "links_in_text",
    "note_handler",
    "parse",
    "same_value",
    "tags_in_text",
]
