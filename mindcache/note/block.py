"""What a block of properties says: YAML text in, values, links and tags out.

Owns the YAML 1.2 reading of a block without its fences, and what in it counts as a
link or a tag; positions are offsets into the block. PyYAML is loaded when the first
block is met: it costs more than the whole of a light command.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from mindcache.lazy import regex
from mindcache.note.brackets import wikilink_spans
from mindcache.note.emission import MAX_DIGITS
from mindcache.note.types import Place, Property
from mindcache.note.wikilinks import is_tag_name, wikilink

if TYPE_CHECKING:
    import yaml

__all__ = [
    "MAX_BLOCK",
    "Block",
    "BlockError",
    "compose",
    "placed_links",
    "read_block",
    "yaml_loader",
]

# Properties are a few hundred characters; a block past this is data or an attack,
# and YAML takes 2 ms per 10 KB.
MAX_BLOCK = 64 * 1024
# Nodes, children and characters that a block may unfold to. Written once, each of the
# three is at most the block's length; one more leaves room for aliases, not for bombs.
_MAX_UNFOLDED = 4 * MAX_BLOCK
# Obsidian shows no nested properties; this is deeper than any real note goes, and
# far from Python's own limit.
_MAX_DEPTH = 50

_CORE = "tag:yaml.org,2002:"
_STR, _SEQ, _MAP = _CORE + "str", _CORE + "seq", _CORE + "map"
_INT, _FLOAT, _BOOL, _NULL = (_CORE + name for name in ("int", "float", "bool", "null"))
_INTEGER = regex(r"[-+]?(?:0|[1-9][0-9]*)")
_DECIMAL = regex(
    r"[-+]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?"
)
_WORDS: dict[str, str] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), _NULL),
    **dict.fromkeys(("true", "True", "TRUE", "false", "False", "FALSE"), _BOOL),
}
_NUMERIC_START = frozenset("-+.0123456789")
_LIST_SEPARATOR = regex(r"[,\s]+")


class BlockError(Exception):
    """The block can't be read as a map of properties; `index` is where in it.

    `is_prose` when it is no YAML structure at all, but text between two rules.
    """

    is_prose = False

    def __init__(self, code: str, message: str, index: int, mend: str = "") -> None:
        super().__init__(message)
        self.code, self.message, self.index, self.mend = code, message, index, mend


class Block(NamedTuple):
    """What a block of properties says; positions are offsets into the block."""

    properties: dict[str, Property]
    texts: list[tuple[str, str, int]]
    tags: list[str]
    faults: list[BlockError]


def read_block(block: str) -> Block:
    """The properties with their links, tags and faults; raises BlockError."""
    return _Reader(block).read()


def placed_links(block: str, plain: str, first_line: int) -> Iterator[Place]:
    """The links in the properties, with offsets into the block of a readable note.

    `plain` is the block with `plain_newlines`, `first_line` the line that it starts
    on. Left out is what is not written as it reads; see `find_places`.
    """
    root = compose(block)
    seen: set[int] = set()  # what an alias repeats is written once
    for key, value in [] if root is None else root.value:
        for node in _scalars(value):
            start = node.start_mark.index
            if start in seen:
                continue
            seen.add(start)
            line = first_line + plain.count("\n", 0, start)
            yield from _placed(block, node, key.value, line)


def _scalars(node: Any) -> Iterator[Any]:  # noqa: ANN401 - any YAML node
    """The scalars below a node, and the lists in lists that are meant as links."""
    if node.id == "scalar":
        yield node
    elif node.id == "mapping":
        for _, value in node.value:
            yield from _scalars(value)
    elif _unquoted(node) is not None:
        yield node
    else:
        for child in node.value:
            yield from _scalars(child)


def _placed(block: str, node: Any, field: str, line: int) -> Iterator[Place]:  # noqa: ANN401 - any YAML node
    start, stop = node.start_mark.index, node.end_mark.index
    written = block[start:stop]
    read, within = node.value, ""
    if node.id == "sequence":
        within = "["
        read = f"[[{node.value[0].value[0].value}]]"
    elif node.style in ("'", '"'):
        within = node.style
    elif node.tag != _STR:
        return
    spans = list(wikilink_spans(written))
    meant = list(wikilink_spans(read))
    if len(spans) != len(meant):
        return
    for (at, close), (first, last) in zip(spans, meant, strict=True):
        embed = read[first - 1 : first] == "!"
        link = wikilink(
            read[first + 2 : last], line, embed=embed, origin="property", field=field
        )
        if link is not None:
            inner = start + at + 2, start + close
            yield Place(link, inner[0] - 2, inner[1] + 2, *inner, within)


def compose(block: str) -> yaml.MappingNode | None:
    """The YAML nodes of a block with their marks; None for an empty block.

    Raises BlockError for what YAML can't read and for a root that is no map.
    """
    import yaml

    loader = yaml_loader()(block)
    try:
        node: yaml.Node | None = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        raise _yaml_error(error, block) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mend = "remove control characters and deep nesting from the properties"
        message = "YAML can't read the properties"
        raise BlockError("frontmatter-broken", message, 0, mend) from error
    finally:
        loader.dispose()
    if node is None or isinstance(node, yaml.MappingNode):
        return node
    if isinstance(node, yaml.SequenceNode):
        message = "the properties are a list, not names with values"
        mend = "write each property as `name: value`"
        raise BlockError("frontmatter-not-a-map", message, 0, mend)
    message = "the text between the first two `---` lines holds no properties"
    mend = "write `name: value` there, or put a blank line in front of the rule"
    prose = BlockError("frontmatter-not-a-map", message, 0, mend)
    prose.is_prose = True
    raise prose


@functools.cache
def yaml_loader() -> Any:  # noqa: ANN401 - a class that exists only after the import
    """A loader class for YAML 1.2 scalars, in C where PyYAML was built with it.

    Only true/false, null and decimal numbers are more than text: `no`, `on`, `12:30`,
    `0123` and dates stay strings, as in Obsidian.
    """
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    scalar, sequence = yaml.ScalarNode, yaml.SequenceNode

    class Loader(base):  # type: ignore[misc]  # the base is known at run time only
        def resolve(self, kind: type, value: str, implicit: tuple[bool, bool]) -> str:
            if kind is scalar:
                return _scalar_tag(value) if implicit[0] else _STR
            return _SEQ if kind is sequence else _MAP

    return Loader


def _scalar_tag(value: str) -> str:
    tag = _WORDS.get(value)
    if tag is not None:
        return tag
    if value[0] in _NUMERIC_START:
        if _INTEGER.fullmatch(value):
            return _INT if len(value.lstrip("+-")) <= MAX_DIGITS else _STR
        if _DECIMAL.fullmatch(value) and math.isfinite(float(value)):
            return _FLOAT
    return _STR


class _Reader:
    """Turns a block's nodes into values, with a budget for what aliases repeat."""

    __slots__ = ("block", "budget", "field", "out")

    def __init__(self, block: str) -> None:
        self.block = block
        self.budget = _MAX_UNFOLDED
        self.field = ""
        self.out = Block({}, [], [], [])

    def read(self) -> Block:
        if len(self.block) > MAX_BLOCK:
            size = f"{len(self.block) // 1024} KB"
            message = f"the properties take {size}, more than 64 KB"
            mend = "move what is not a property into the body"
            raise BlockError("frontmatter-too-large", message, 0, mend)
        root = compose(self.block)
        if root is not None:
            self.out.properties.update(self.mapping(root, 0))
            for key, node in root.value:
                if key.value.casefold() in ("tags", "tag"):
                    self.out.tags.extend(self.tags(node))
        return self.out._replace(tags=_unique(self.out.tags))

    def mapping(self, node: yaml.MappingNode, depth: int) -> dict[str, Property]:
        values: dict[str, Property] = {}
        for key_node, value_node in node.value:
            if key_node.id != "scalar":
                message = "YAML takes brackets or braces for a property's name"
                raise self.error(message, key_node)
            key = key_node.value
            if depth == 0:
                self.field = key
            if key in values:
                self.fault(
                    "duplicate-key",
                    f"the property `{key}` stands there twice; the last one counts",
                    key_node,
                    "keep one of them",
                )
            values[key] = self.value(value_node, depth + 1)
        return values

    def value(self, node: Any, depth: int) -> Property:  # noqa: ANN401 - any YAML node
        self.budget -= 1 + len(node.value)
        if depth > _MAX_DEPTH or self.budget < 0:
            message = "the properties unfold to more than a note can hold"
            mend = "write the values out, without YAML aliases and deep nesting"
            raise self.error(message, node, mend)
        if node.id == "scalar":
            return self.scalar(node)
        if node.tag not in (_SEQ, _MAP):
            raise self.error(f"the YAML tag {node.tag} means nothing in a note", node)
        if node.id == "mapping":
            return self.mapping(node, depth)
        return self.unquoted_link(node) or [
            self.value(child, depth + 1) for child in node.value
        ]

    def scalar(self, node: yaml.ScalarNode) -> Property:
        text: str = node.value
        tag = node.tag
        if tag == _STR:
            if "[[" in text:
                self.out.texts.append((self.field, text, node.start_mark.index))
            return text
        if tag == _NULL:
            return None
        try:
            if tag == _BOOL:
                return {"true": True, "false": False}[text.lower()]
            if tag == _INT:
                return int(text)
            if tag == _FLOAT:
                return float(text)
        except (ValueError, KeyError):
            raise self.error(f"`{text[:40]}` is not a {tag[18:]}", node) from None
        raise self.error(f"the YAML tag {tag} means nothing in a note", node)

    def unquoted_link(self, node: yaml.SequenceNode) -> str:
        """The link that was meant where `[[A]]` stands without quotes, else ""."""
        name = _unquoted(node)
        if name is None:
            return ""
        link = f"[[{name.value}]]"
        self.out.texts.append((self.field, link, node.start_mark.index))
        message = f"the link {link} lacks quotes: YAML reads a list in a list"
        self.fault("unquoted-link", message, node, f'write "{link}"')
        return link

    def tags(self, node: Any) -> Iterator[str]:  # noqa: ANN401 - any YAML node
        """The tags of a `tags` property, as written even where YAML saw a number."""
        if node.id == "scalar":
            pieces = [] if node.tag == _NULL else _LIST_SEPARATOR.split(node.value)
            written = [(piece, node) for piece in pieces if piece]
        elif node.id == "sequence":
            items = [item for item in node.value if item.id == "scalar"]
            written = [
                (item.value.strip(), item) for item in items if item.tag != _NULL
            ]
        else:
            return
        for text, origin in written:
            name = text.removeprefix("#")
            if is_tag_name(name):
                yield name
            elif name:
                self.fault(
                    "tag-invalid",
                    f"`{name[:60]}` can't be a tag",
                    origin,
                    "use letters, digits, `_`, `-` and `/`, not digits alone",
                )

    def fault(self, code: str, message: str, node: yaml.Node, mend: str) -> None:
        fault = BlockError(code, message, node.start_mark.index, mend)
        self.out.faults.append(fault)

    def error(self, message: str, node: yaml.Node, mend: str = "") -> BlockError:
        index = node.start_mark.index
        mend = mend or _mend(_line_at(self.block, index))
        return BlockError("frontmatter-broken", message, index, mend)


def _unquoted(node: Any) -> Any:  # noqa: ANN401 - any YAML node
    """The scalar of a list in a list that was meant as `[[A]]`; None for others."""
    if not node.flow_style or len(node.value) != 1:
        return None
    inner = node.value[0]
    if inner.id != "sequence" or not inner.flow_style or len(inner.value) != 1:
        return None
    name = inner.value[0]
    if name.id != "scalar" or name.style in ("'", '"'):
        return None
    return name


def _unique(names: list[str]) -> list[str]:
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(name.casefold(), name)
    return list(first.values())


def _yaml_error(error: yaml.MarkedYAMLError, block: str) -> BlockError:
    mark = error.problem_mark or error.context_mark
    if error.context_mark and "quoted scalar" in (error.context or ""):
        mark = error.context_mark  # where the quote opened, not where the text ended
    index = min(mark.index, len(block)) if mark else 0
    if index == len(block):
        index = max(0, len(block.rstrip()) - 1)
    message = f"YAML can't read the properties: {error.problem or error.context}"
    return BlockError(
        "frontmatter-broken", message, index, _mend(_line_at(block, index))
    )


def _line_at(block: str, index: int) -> str:
    start = block.rfind("\n", 0, index) + 1
    end = block.find("\n", index)
    return block[start : end if end >= 0 else len(block)].rstrip("\r")


def _mend(line: str) -> str:
    name, colon, value = line.strip().removeprefix("- ").partition(":")
    value = value.strip()
    if "{{" in line or "<%" in line:
        shown = f'{name}: "{value}"' if colon and value[:1] in "{<" else '"{{date}}"'
        return f"quote the value: {shown[:80]}"
    if "[[" in line:
        return 'quote each link: "[[Note]]"'
    if "\t" in line:
        return "indent with spaces, not with tabs"
    if ": " in value or value[:1] in ("@", "`", "%", "*", "&", "!"):
        return f'quote the value: {name}: "{value[:60]}"'
    return "mend the line, or quote its value"
