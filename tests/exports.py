"""What tests of exports share: checking JSON against a schema, and vaults of all kinds."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

_TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
}


def breaches(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> list[str]:
    """Where a value breaches a JSON Schema, as far as ours uses the language."""
    return list(_breaches(value, schema, root, "$"))


_KNOWN = {
    *("$ref", "type", "const", "enum", "minimum", "maximum", "minItems", "maxItems"),
    *("items", "required", "properties", "additionalProperties", "description"),
    *("$schema", "$defs", "title", "contentEncoding"),
}


def _breaches(value: Any, schema: dict[str, Any], root: dict[str, Any], at: str):
    assert set(schema) <= _KNOWN, set(schema) - _KNOWN
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/$defs/")
        yield from _breaches(value, root["$defs"][name], root, at)
    if "const" in schema and value != schema["const"]:
        yield f"{at}: {value!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{at}: {value!r} is none of {schema['enum']}"
    if "type" in schema and not _is_a(value, schema["type"]):
        yield f"{at}: {value!r} is no {schema['type']}"
    elif isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", 1e9):
            yield f"{at}: {len(value)} items"
        for number, item in enumerate(value):
            yield from _breaches(item, schema.get("items", {}), root, f"{at}[{number}]")
    elif isinstance(value, dict):
        yield from _of_object(value, schema, root, at)
    else:
        is_low = "minimum" in schema and value < schema["minimum"]
        if is_low or ("maximum" in schema and value > schema["maximum"]):
            yield f"{at}: {value!r} is out of bounds"


def _is_a(value: Any, wanted: str) -> bool:
    is_truth = isinstance(value, bool)
    return isinstance(value, _TYPES[wanted]) and is_truth == (wanted == "boolean")


def _of_object(
    value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any], at: str
):
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{at}: {name} is missing"
    for name, item in value.items():
        if name in properties:
            yield from _breaches(item, properties[name], root, f"{at}.{name}")
        elif schema.get("additionalProperties") is False:
            yield f"{at}: {name} is unknown"


# -- vaults --------------------------------------------------------------------

PATHS = (
    *("a.md", "b.md", "sub/a.md", "sub/deep/c.md", "2026-03-01.md", "caf\u00e9.md"),
    *("journal/2026-11-29.md", "topics/Pumps.md", "plans/Rota.md", "\u65e5\u672c.md"),
)
HEADS = (
    "",
    "---\n---\n",
    "---\ntitle: T # why not\naliases: [Nick, 'AC/DC']\ntags:   [client/acme, Tool/Git]\n---\n",
    '---\nid: m-01JEZ0000000000000000000AA\ntype: fact\nabout: "[[a]]"\nsource_type: chat\n---\n',
    "---\nid: m-01JEZ0000000000000000000AA\nconfidence: 2\nimportance: 1e999\nn: {a: [1, {b: c}]}\n---\n",
    "---\nbroken: [\n---\n",
    "---\nkey: 1\nkey: 2\n---\n",
    (
        "---\ntype: plan\ntime_start: 2026-03-01T09:00\ntimezone: Pacific/Auckland\n"
        "recurrence: RRULE:FREQ=WEEKLY;COUNT=3\nstatus: planned\n---\n"
    ),
    (
        "---\ntype: topic\nparent_topic: '[[b]]'\nanchors:\n- \"[[a]]\"\n"
        "related_topics: '[[sub/a]]'\nfirst_seen: 2026-01-01\nstatus: hot\n---\n"
    ),
    "---\ntype: journal\ndate: 2026-11-29\n---\n",
    "---\ntype: '[[Book]]'\nstatus: 3\npinned: true\nvalid_until: 2026-01-01\n---",
    "--- \n# only a comment\n---\t\n",
    "---\nnever: closed\n",
)
BODIES = (
    "",
    "plain words here",
    "# One\n\nfirst [[AC/DC]] ![[pic.png]]\n\n## Two\n\nsecond ^block\n",
    "[[m-01JEZ0000000000000000000AA]] [[2026-03-01]] (about:: [[b]]) #tool/git\n\n\n",
    "- 09:00 [acme] Ines called ^j-7q2m\n- 10:00 Later ^j-7q2n\n",
    "- 2026-03-08 missed: ill ^o-20260308\n",
    "%% mindcache:begin abc %%\n- [[a]]\n- [[b]]\n%% mindcache:end %%\nmine\n",
    "\u4e2d\u6587\u5408\u7d04\u8f49\u63db \u202egnihton\u202c \u2028 \x00 \x1b[31m",
    "---\nrule\n---\n",
)
NEWLINES = ("\n", "\r\n", "\r")
CODECS = ("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1252")


def _file(head: str, body: str, newline: str, codec: str, tail: bytes) -> bytes:
    text = (head + body).replace("\n", newline)
    return text.encode(codec, "replace") + tail


notes = st.builds(
    _file,
    st.sampled_from(HEADS),
    st.one_of(st.sampled_from(BODIES), st.text(max_size=40)),
    st.sampled_from(NEWLINES),
    st.sampled_from(CODECS),
    st.sampled_from((b"", b"", b"\xff\xfe", b"\xe9t\xe9")),
)
vaults = st.dictionaries(st.sampled_from(PATHS), notes, max_size=6)
