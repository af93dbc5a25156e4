"""One note as plain values: bytes in, `Note` out, and bytes out again.

Owns the syntax of Markdown as Obsidian has it, the frontmatter and its surgery.
Knows no vault, no disk and no meaning of a property.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindcache.lazy import exports

if TYPE_CHECKING:
    from mindcache.note.decoding import Decoded, Fault, decode
    from mindcache.note.emission import emit
    from mindcache.note.frontmatter import block_end, note_handler
    from mindcache.note.markdown import (
        find_places,
        links_in_text,
        parse,
        tags_in_text,
    )
    from mindcache.note.surgery import DELETE, UNSAFE, Delete, edit, same_value
    from mindcache.note.types import (
        Block,
        Callout,
        Encoding,
        Field,
        Frontmatter,
        Heading,
        Link,
        Note,
        Place,
        Property,
        Tag,
        Task,
    )

__all__ = [
    "DELETE",
    "UNSAFE",
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
    "Place",
    "Property",
    "Tag",
    "Task",
    "block_end",
    "decode",
    "edit",
    "emit",
    "find_places",
    "links_in_text",
    "note_handler",
    "parse",
    "same_value",
    "tags_in_text",
]

__getattr__ = exports(
    __name__,
    {
        "decoding": "Decoded Fault decode",
        "emission": "emit",
        "frontmatter": "block_end note_handler",
        "markdown": "find_places links_in_text parse tags_in_text",
        "surgery": "DELETE UNSAFE Delete edit same_value",
        "types": "Block Callout Encoding Field Frontmatter Heading Link Note Place"
        " Property Tag Task",
    },
)
