"""The two vaults that ship: what `init` lays down, and the example.

They are read here with plain PyYAML and a few regular expressions, so that a
mistake in them shows even where Mindcache's own parser would forgive it; one
test then reads them with that parser.
"""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
import unicodedata
from datetime import UTC, date, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
import yaml

from mindcache.config import SETTINGS
from mindcache.note import parse

ROOT = Path(__file__).parents[1]
TEMPLATE = ROOT / "vault_template"
EXAMPLE = ROOT / "examples" / "consultant"
QUESTIONS = ROOT / "tests" / "example_questions.toml"
VAULTS = [TEMPLATE, EXAMPLE]

CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
NAMESPACES = {"tool", "client", "domain", "convention", "scope"}
MEMORY_TYPES = {"fact", "event", "entity", "summary", "plan"}
TOPIC_STATUS = {"hot", "warm", "cool", "faint"}
STATUS = {"active", "planned", "occurred", "missed", "canceled", "faint", "archived"}
OUTCOMES = {"occurred", "missed", "canceled"}
EDGES = {
    *("about", "involves", "before_after", "same_topic", "derived_from"),
    *("planned_for", "occurred_after", "contradicts"),
}
LINK_LISTS = {*EDGES, "entities", "anchors", "related_topics"}
LINK_TEXTS = {"superseded_by", "parent_topic"}
DATETIMES = {
    *("time_start", "time_end", "valid_from", "valid_until"),
    *("created_at", "updated_at", "first_seen", "last_updated"),
}
# What YAML makes of a value of each of Obsidian's types.
PYTHON_TYPES: dict[str, type | tuple[type, ...]] = {
    "text": str,
    "multitext": str,
    "tags": str,
    "aliases": str,
    "number": (int, float),
    "checkbox": bool,
    "date": date,
    "datetime": datetime,
}
# What design says of each property; `types.json` must say the same.
PROPERTY_TYPES = {
    **dict.fromkeys(
        [
            *("id", "type", "summary", "project", "status", "outcome", "timezone"),
            *("location", "superseded_by", "recurrence", "source_type", "source_id"),
            *("source_path", "external_ref", "lang", "parent_topic"),
        ],
        "text",
    ),
    **dict.fromkeys(LINK_LISTS, "multitext"),
    **dict.fromkeys(DATETIMES, "datetime"),
    **dict.fromkeys(["sequence", "confidence", "importance"], "number"),
    **dict.fromkeys(["all_day", "digest", "pinned"], "checkbox"),
    "tags": "tags",
    "aliases": "aliases",
    "date": "date",
}
# The folders that a new vault has.
FOLDERS = ["memory", "topics", "plans", "journal", "proposals", "templates"]
# Settings of a vault, as the template's config lists them.
DEFAULTS = {each.key: each.default for each in SETTINGS if each.scope == "vault"}

WIKILINK = re.compile(r"!?\[\[([^\[\]]*)\]\]")
QUOTED_LINK = re.compile(r"\[\[[^\[\]|#]+(\|[^\[\]]+)?\]\]")
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
ENTRY = re.compile(r"- ([01]\d|2[0-3]):[0-5]\d \[[^\[\]]+\] \S.* \^j-[a-z0-9]+")
SUBLINK = re.compile(r"  - \[\[[^\[\]]+\]\]")
MEMBERS = re.compile(
    r"^%% mindcache:begin ([0-9a-f]+) %%\n(.*?)^%% mindcache:end %%$",
    re.MULTILINE | re.DOTALL,
)


def read(path: Path) -> tuple[dict[str, object], str]:
    """Properties and body of a note, by the simplest rules there are."""
    text = path.read_bytes().decode("utf-8")
    assert "\r" not in text
    assert "\t" not in text
    assert text.endswith("\n")
    if not text.startswith("---\n"):
        return {}, text
    block, fence, body = text[4:].partition("\n---\n")
    assert fence, f"{path}: the frontmatter has no end"
    properties = yaml.safe_load(block)
    assert isinstance(properties, dict)
    return properties, body


def notes(vault: Path) -> list[Path]:
    """All notes of a vault but the templates, which hold placeholders."""
    return [
        path
        for path in sorted(vault.rglob("*.md"))
        if path.relative_to(vault).parts[0] != "templates"
    ]


def named(vault: Path) -> dict[str, list[str]]:
    """Every name that a link may use, with the vault paths it could mean."""
    names: dict[str, list[str]] = {}
    for path in sorted(vault.rglob("*")):
        where = path.relative_to(vault).as_posix()
        if path.is_dir() or any(part.startswith(".") for part in where.split("/")):
            continue
        for form in (where, where.removesuffix(".md")):
            parts = form.split("/")
            for start in range(len(parts)):
                key = fold("/".join(parts[start:]))
                if where not in names.setdefault(key, []):
                    names[key].append(where)
    return names


def fold(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def links(text: str) -> list[str]:
    found = WIKILINK.findall(CODE.sub("", text))
    return [re.split(r"\\?\||#", target)[0] for target in found]


def local_time(value: object) -> datetime:
    """A property's date and time, which must be civil time without a zone."""
    assert isinstance(value, datetime), value
    assert value.tzinfo is None
    return value


def case(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


ALL_NOTES = [path for vault in VAULTS for path in notes(vault)]
CONTRACTED = [path for path in ALL_NOTES if "id" in read(path)[0]]
JOURNAL = sorted((EXAMPLE / "journal").glob("*.md"))
TOPICS = sorted((EXAMPLE / "topics").glob("*.md"))


def vault_of(path: Path) -> Path:
    return next(vault for vault in VAULTS if path.is_relative_to(vault))


@pytest.mark.parametrize("path", ALL_NOTES, ids=case)
def test_properties_are_flat_and_known(path: Path) -> None:
    properties, _ = read(path)
    assert set(properties) <= set(PROPERTY_TYPES)
    for name, value in properties.items():
        items = value if isinstance(value, list) else [value]
        kind = PROPERTY_TYPES[name]
        assert isinstance(value, list) == (kind in {"multitext", "tags", "aliases"})
        assert all(isinstance(item, PYTHON_TYPES[kind]) for item in items), name
        if name in LINK_LISTS | LINK_TEXTS:
            assert all(QUOTED_LINK.fullmatch(str(item)) for item in items), name


@pytest.mark.parametrize("path", ALL_NOTES, ids=case)
def test_links_resolve_to_one_file(path: Path) -> None:
    names = named(vault_of(path))
    text = path.read_text(encoding="utf-8")
    for target in links(text):
        assert len(names.get(fold(target), [])) == 1, target


@pytest.mark.parametrize("path", ALL_NOTES, ids=case)
def test_times_are_in_order(path: Path) -> None:
    properties, _ = read(path)
    for first, last in [
        ("time_start", "time_end"),
        ("valid_from", "valid_until"),
        ("created_at", "updated_at"),
        ("first_seen", "last_updated"),
    ]:
        if first in properties and last in properties:
            assert local_time(properties[first]) <= local_time(properties[last])


@pytest.mark.parametrize("path", CONTRACTED, ids=case)
def test_the_contract_is_kept(path: Path) -> None:
    properties, _ = read(path)
    summary, tags = str(properties["summary"]), properties["tags"]
    assert 20 <= len(summary) <= 160
    assert "\n" not in summary
    assert isinstance(tags, list)
    assert all(
        tag.split("/")[0] in NAMESPACES and re.fullmatch(r"[a-z-]+(/[a-z-]+)+", tag)
        for tag in tags
    )
    scopes = [tag for tag in tags if tag.startswith("scope/")]
    assert len(scopes) == 1
    assert scopes[0] in {"scope/global", "scope/project"}
    assert (scopes[0] == "scope/project") == ("project" in properties)
    if properties["type"] == "topic":
        assert properties["status"] in TOPIC_STATUS
    else:
        assert properties["type"] in MEMORY_TYPES
        assert properties["status"] in STATUS
    assert properties.get("outcome", "occurred") in OUTCOMES
    assert local_time(properties["created_at"]).year == 2026


@pytest.mark.parametrize("path", CONTRACTED, ids=case)
def test_an_id_carries_the_time_of_the_note(path: Path) -> None:
    properties, _ = read(path)
    found = re.fullmatch(
        f"m-([0-7][{CROCKFORD}]{{9}})[{CROCKFORD}]{{16}}", str(properties["id"])
    )
    assert found
    milliseconds = 0
    for digit in found[1]:
        milliseconds = milliseconds * 32 + CROCKFORD.index(digit)
    config = tomllib.loads((EXAMPLE / ".mindcache" / "config.toml").read_text("utf-8"))
    created = local_time(properties["created_at"])
    created = created.replace(tzinfo=ZoneInfo(config["timezone"]))
    assert datetime.fromtimestamp(milliseconds / 1000, UTC) == created


@pytest.mark.parametrize("path", ALL_NOTES, ids=case)
def test_our_own_parser_has_nothing_to_say(path: Path) -> None:
    properties, body = read(path)
    note = parse(path.relative_to(vault_of(path)).as_posix(), path.read_bytes())
    assert note.problems == ()
    assert note.conflict_line == 0
    assert list(note.properties) == list(properties)
    assert note.body == body
    in_text = [link.target for link in note.links if link.origin != "property"]
    assert sorted(in_text) == sorted(links(body))


def test_ids_are_unique() -> None:
    ids = [read(path)[0]["id"] for path in CONTRACTED]
    assert len(ids) == len(set(ids)) >= 30


@pytest.mark.parametrize("path", ALL_NOTES, ids=case)
def test_block_ids_are_unique_in_their_note(path: Path) -> None:
    blocks = re.findall(r"(?:^| )\^([A-Za-z0-9-]+)$", read(path)[1], re.MULTILINE)
    assert len(blocks) == len(set(blocks))


@pytest.mark.parametrize("path", JOURNAL, ids=case)
def test_the_journal_has_its_form(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    head = f"---\ntype: journal\ndate: {path.stem}\n---\n"
    assert text.startswith(head)
    lines = text.removeprefix(head).splitlines()
    entries = [line for line in lines if ENTRY.fullmatch(line)]
    assert len(entries) >= 3
    assert all(ENTRY.fullmatch(line) or SUBLINK.fullmatch(line) for line in lines)
    assert [line[2:7] for line in entries] == sorted(line[2:7] for line in entries)


@pytest.mark.parametrize("path", TOPICS, ids=case)
def test_a_topic_has_one_generated_part(path: Path) -> None:
    properties, body = read(path)
    ((stamp, inner),) = MEMBERS.findall(body)
    assert hashlib.sha256(inner.encode()).hexdigest().startswith(stamp)
    members = set(links(inner))
    assert members
    anchors = properties["anchors"]
    assert isinstance(anchors, list)
    assert {links(anchor)[0] for anchor in anchors} <= members


def test_a_superseded_fact_points_to_what_replaced_it() -> None:
    old, _ = read(EXAMPLE / "memory" / "Halden day rate.md")
    new, _ = read(EXAMPLE / "memory" / "Halden pricing.md")
    assert old["status"] == "archived"
    assert old["superseded_by"] == "[[Halden pricing]]"
    assert old["contradicts"] == ["[[Halden pricing]]"]
    assert old["valid_until"] == new["valid_from"]


def test_a_repeating_plan_keeps_its_outcomes_as_blocks() -> None:
    properties, body = read(EXAMPLE / "plans" / "Send invoices.md")
    assert str(properties["recurrence"]).startswith("RRULE:FREQ=MONTHLY")
    outcomes = re.findall(
        r"^- (\d{4}-\d\d-\d\d) (occurred|missed|canceled).* \^o-(\d{8})$",
        body,
        re.MULTILINE,
    )
    assert [day.replace("-", "") for day, _, _ in outcomes] == ["20260930", "20261030"]
    assert all(day.replace("-", "") == block for day, _, block in outcomes)


def test_the_example_has_every_kind_of_note() -> None:
    found = [read(path)[0].get("type") for path in notes(EXAMPLE)]
    assert {*MEMORY_TYPES, "topic", "journal", None} == set(found)


@pytest.mark.parametrize(
    "path", sorted((TEMPLATE / "templates").glob("*.md")), ids=case
)
def test_a_template_makes_a_valid_note(path: Path, tmp_path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert isinstance(yaml.safe_load(text[4:].partition("\n---\n")[0]), dict)
    filled = (
        text.replace("{{title}}", "It's late: call #2")
        .replace("{{date:YYYY-MM-DDTHH:mm:ss}}", "2026-03-06T11:20:00")
        .replace("{{date:YYYY-MM-DD}}", "2026-03-06")
    )
    assert "{{" not in filled
    note = tmp_path / "note.md"
    note.write_text(filled, encoding="utf-8", newline="\n")
    properties, _ = read(note)
    assert properties["type"] == path.stem.lower()
    assert properties["summary"] == "It's late: call #2"
    assert properties["status"] in STATUS
    assert properties["tags"] in (["scope/project"], ["scope/global"])
    assert "id" not in properties
    for name in DATETIMES & properties.keys():
        if properties[name] is not None:
            assert datetime.fromisoformat(str(properties[name])).year == 2026
    assert all(properties[name] == [] for name in LINK_LISTS & properties.keys())


def test_init_finds_every_folder_and_a_template_per_type() -> None:
    for folder in FOLDERS:
        assert any(path.is_file() for path in (TEMPLATE / folder).iterdir()), folder
    stems = {path.stem.lower() for path in (TEMPLATE / "templates").glob("*.md")}
    assert stems == MEMORY_TYPES


@pytest.mark.parametrize("vault", VAULTS, ids=case)
def test_obsidian_settings(vault: Path) -> None:
    types = json.loads((vault / ".obsidian" / "types.json").read_text("utf-8"))
    assert types == {"types": PROPERTY_TYPES}
    assert set(types["types"].values()) == set(PYTHON_TYPES)
    app = json.loads((vault / ".obsidian" / "app.json").read_text("utf-8"))
    assert app == {
        "alwaysUpdateLinks": True,
        "newLinkFormat": "shortest",
        "trashOption": "local",
    }


def test_the_templates_plugin_finds_its_folder() -> None:
    settings = json.loads(
        (TEMPLATE / ".obsidian" / "templates.json").read_text("utf-8")
    )
    assert (TEMPLATE / settings["folder"]).is_dir()


@pytest.mark.parametrize("path", sorted(TEMPLATE.rglob("*.base")), ids=case)
def test_a_base_is_valid(path: Path) -> None:
    base = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert set(base) <= {"filters", "formulas", "properties", "summaries", "views"}
    columns = {f"formula.{name}" for name in base.get("formulas", {})} | {
        f"file.{name}" for name in ("name", "folder", "mtime")
    }
    assert_filter(base["filters"])
    assert set(base["properties"]) <= columns | set(PROPERTY_TYPES)
    names = [view["name"] for view in base["views"]]
    assert len(names) == len(set(names)) >= 1
    for view in base["views"]:
        assert view["type"] in {"table", "cards", "list", "map"}
        assert set(view["order"]) <= columns | set(PROPERTY_TYPES)
        assert_filter(view.get("filters", {"and": []}))
        for rule in [*view.get("sort", []), view.get("groupBy")]:
            if rule is not None:
                assert rule["property"] in columns | set(PROPERTY_TYPES)
                assert rule["direction"] in {"ASC", "DESC"}
    copy = EXAMPLE / path.relative_to(TEMPLATE)
    assert copy.read_bytes() == path.read_bytes()


def assert_filter(value: object) -> None:
    """A filter is an expression, or one of and, or, not over a list of filters."""
    if isinstance(value, str):
        assert value.count("(") == value.count(")")
        assert value.count('"') % 2 == 0
        return
    assert isinstance(value, dict)
    assert len(value) == 1
    assert set(value) <= {"and", "or", "not"}
    for part in next(iter(value.values())):
        assert_filter(part)


@pytest.mark.parametrize("vault", VAULTS, ids=case)
def test_only_scratch_space_stays_at_home(vault: Path) -> None:
    for name, line in [
        (".gitignore", ".mindcache/tmp/"),
        (".stignore", "/.mindcache/tmp"),
    ]:
        lines = (vault / name).read_text("utf-8").splitlines()
        assert [each for each in lines if ".mindcache/" in each] == [line]
    attributes = (vault / ".gitattributes").read_text("utf-8")
    assert ".mindcache" not in attributes
    assert "union" not in attributes
    assert "*.md text eol=lf" in attributes.splitlines()
    assert "*.md merge=mindcache" in attributes.splitlines()


def test_the_config_lists_every_default() -> None:
    text = (TEMPLATE / ".mindcache" / "config.toml").read_text("utf-8")
    assert tomllib.loads(text) == {}
    assert flat(tomllib.loads(uncommented(text))) == DEFAULTS


def test_the_example_sets_its_zone() -> None:
    text = (EXAMPLE / ".mindcache" / "config.toml").read_text("utf-8")
    assert set(tomllib.loads(text)) == {"timezone"}
    assert set(flat(tomllib.loads(uncommented(text)))) == set(DEFAULTS)


def flat(table: dict[str, object], prefix: str = "") -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            found |= flat(value, f"{prefix}{key}.")
        else:
            found[prefix + key] = value
    return found


def uncommented(text: str) -> str:
    return re.sub(r"^# (?=[a-z_.]+ = )", "", text, flags=re.MULTILINE)


def test_the_questions_name_notes_of_the_example() -> None:
    questions = tomllib.loads(QUESTIONS.read_text("utf-8"))["question"]
    assert len({question["ask"] for question in questions}) == len(questions) == 12
    pages = [path.read_text("utf-8").casefold() for path in notes(EXAMPLE)]
    for question in questions:
        assert question["expect"]
        assert all((EXAMPLE / path).is_file() for path in question["expect"])
        # An answer that merely repeats the question would make the test idle.
        assert not any(question["ask"].casefold() in page for page in pages)
