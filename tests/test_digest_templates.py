"""Templates: searched like any note, and nothing that a digest would work on."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import pytest

from mindcache.app import App
from mindcache.digest import digest
from mindcache.digest.fading import why_faint
from mindcache.recall import Ask
from mindcache.vault import Vault
from tests.conftest import NOW, write_files
from tests.themes import BREAD, note, notes

CORE = ".obsidian/templates.json"
TEMPLATER = ".obsidian/plugins/templater-obsidian/data.json"

# What a template of a baker's fact would be: under contract, and old enough to fade.
FORM = """---
id: m-01AAAAAAAAAAAAAAAAAAAAAAA{n}
type: fact
summary: Bread of rye flour, form {n}
tags:
  - scope/project
status: active
created_at: 2025-01-0{n}
---
The rye loaf and the wheat dough need flour, an oven and a baking stone. {{{{title}}}}
"""


def forms(folder: str) -> dict[str, str]:
    return {f"{folder}/Form {n}.md": FORM.format(n=n) for n in range(1, 5)}


def texts(vault: Path) -> str:
    """All that the digest wrote into the vault."""
    made = [p for p in vault.rglob("*.md") if p.parent.name in ("topics", "proposals")]
    made += (vault / "summaries").rglob("*.md")
    return "".join(p.read_text(encoding="utf-8") for p in sorted(made))


@pytest.mark.parametrize(
    ("place", "text"),
    [
        (CORE, '{"folder": "Meta/Forms"}'),
        (CORE, '{"folder": "/meta/forms/", "dateFormat": "YYYY"}'),
        (CORE, '{"folder": "META"}'),
        (
            TEMPLATER,
            '{"templates_folder": "Meta\\\\Forms", "trigger_on_file_creation": 1}',
        ),
        (".mindcache/config.toml", 'digest.templates = ["Meta"]\n'),
    ],
)
def test_templates_are_searched_and_not_digested(
    make_vault, make_app, place, text
) -> None:
    vault = make_vault({**notes(), **forms("Meta/Forms"), place: text})
    app = make_app(vault)
    before = {p: p.read_bytes() for p in (vault / "Meta").rglob("*.md")}
    report = digest(app)
    assert (report.topics, report.notes, report.inbox) == (3, 18, [])
    assert app.topics().inbox == ()
    assert "Form 1" not in texts(vault)
    for days in (1, 200, 201, 202):
        late = digest(app, now=NOW + timedelta(days=days))
        assert not any("Form" in each for each in late.waiting)
    assert {p: p.read_bytes() for p in before} == before
    node = app.reader().find_node("Meta/Forms/Form 1.md")
    reason = why_faint(app, node) if node else None
    assert reason is not None
    assert reason.keeps == "a template"
    hits = app.recall("deep", Ask("form of rye flour"), app.corpus()).hits
    assert any(hit.path.startswith("Meta/Forms/") for hit in hits)


def test_a_folder_set_later_takes_its_notes_out_of_the_topics(
    make_vault, make_app
) -> None:
    vault = make_vault({**notes(), **forms("Forms")})
    app = make_app(vault)
    assert digest(app).notes == 22
    assert "[[Form 1]]" in texts(vault)
    write_files(vault, {CORE: '{"folder": "Forms"}'})
    report = digest(app, now=NOW + timedelta(days=1))
    assert report.notes == 18
    listed = texts(vault)
    assert "\n- [[Form 1]]" not in listed
    assert all(f"[[{title}]]" in listed for title in BREAD)
    again = digest(app, now=NOW + timedelta(days=1), again=True)
    assert not again.is_change


def test_what_is_set_in_the_vault_goes_before_obsidians_settings(
    make_vault, make_app
) -> None:
    files = {CORE: '{"folder": "Forms"}', ".mindcache/config.toml": ""}
    vault = make_vault({**forms("Forms"), **files})
    assert make_app(vault).templates == ("Forms",)
    (vault / ".mindcache/config.toml").write_text('digest.templates = ["Other"]\n')
    assert make_app(vault).templates == ("Other",)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b"[]",
        b"null",
        b'{"folder": 7, "templates_folder": ["a"]}',
        b'{"folder": "", "templates_folder": ""}',
        b'{"folder": "/", "templates_folder": "."}',
        b'{"folder": " / ", "templates_folder": "\\\\"}',
        b'{"folder": "\xff"}',
        b"[" * 100_000,
    ],
)
def test_settings_that_say_no_folder_are_as_none(make_vault, text) -> None:
    vault = make_vault({CORE: text, TEMPLATER: text})
    assert Vault(str(vault)).template_folders() == ()


@pytest.mark.parametrize("name", ["..", "../x", "a/../..", "\ud800", "x" * 10_000])
def test_a_folder_that_is_none_of_the_vaults_holds_no_template(
    make_vault, make_app, name
) -> None:
    settings = {CORE: json.dumps({"folder": name})}
    app: App = make_app(make_vault({"a.md": note("One note."), **settings}))
    assert digest(app).notes == 1


def test_a_folder_in_another_script_is_found(make_vault, make_app) -> None:
    settings = {CORE: json.dumps({"folder": "VORLÄGEN"})}
    vault = make_vault({**notes(), **forms("Vorlägen"), **settings})
    assert digest(make_app(vault)).notes == 18


def test_both_plugins_are_heard(make_vault) -> None:
    vault = make_vault(
        {CORE: '{"folder": "A/B"}', TEMPLATER: '{"templates_folder": "Tpl"}'}
    )
    assert Vault(str(vault)).template_folders() == ("A/B", "Tpl")
