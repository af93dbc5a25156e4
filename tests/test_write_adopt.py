"""Adopting notes on terms: flat tags, foreign types and statuses, interrupted runs."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mindcache.app import App
from mindcache.errors import Refused, UsageError
from mindcache.lint import check
from mindcache.note import parse
from mindcache.write.adopt import Terms, adopt, refused
from mindcache.write.rewrite import Rewrite
from tests.conftest import MakeApp, MakeVault

ROOT = Path(__file__).parents[1]
KEPANO = ROOT.parent / "shared" / "data" / "vaults" / "kepano-obsidian"
NAMESPACES = ("tool", "client", "domain", "convention", "scope")
NOTE = "---\ntype: '[[Book]]' # mine\ntags: [reading, tool/ink]\nstatus: open\n---\nA book.\n"  # fmt: skip


def adopted(app: App, path: str, terms: Terms) -> Rewrite:
    data, note, memory = app.look(path)
    return adopt(data, note, memory, terms, app.now())


def breaches(app: App, rewrite: Rewrite) -> list[str]:
    note = parse(rewrite.path, rewrite.after)
    return [p.code for p in check(note, app.meaning_of(note), NAMESPACES)]


def test_without_terms_nothing_foreign_is_touched(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    app = make_app(make_vault({"n.md": NOTE}))
    done = adopted(app, "n.md", Terms(NAMESPACES))
    assert b"type: '[[Book]]' # mine\n" in done.after
    assert breaches(app, done) == ["contract-type", "contract-tags", "contract-status"]


def test_on_terms_what_was_there_is_kept_elsewhere(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    app = make_app(make_vault({"n.md": NOTE}))
    terms = Terms(NAMESPACES, "domain", "kind", "state")
    done = adopted(app, "n.md", terms)
    found = parse("", done.after).properties
    assert found["type"] == "fact"
    assert found["kind"] == "[[Book]]"
    assert found["status"] == "active"
    assert found["state"] == "open"
    assert found["tags"] == ["domain/reading", "tool/ink", "scope/project"]
    assert b"type: fact # mine\n" in done.after
    assert breaches(app, done) == []


def test_the_refusal_names_the_command_that_settles_it(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    vault = make_vault({"my $note.md": NOTE.replace("A book.", "![[x.png]]")})
    app = make_app(vault)
    done = adopted(app, "my $note.md", Terms(NAMESPACES))
    note = parse(done.path, done.after)
    found = check(note, app.meaning_of(note), NAMESPACES)
    mend = refused(note, found, Terms(NAMESPACES)).mend
    call = shlex.split(mend[mend.index("mindcache adopt") :])
    run = subprocess.run(
        [sys.executable, "-m", *call],
        cwd=vault, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=False,
    )  # fmt: skip
    assert run.returncode == 0
    assert "id" in parse("", (vault / "my $note.md").read_bytes()).properties


def test_a_property_that_is_taken_is_never_overwritten(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    app = make_app(make_vault({"n.md": NOTE.replace("status", "kind")}))
    with pytest.raises(Refused, match="kind already"):
        adopted(app, "n.md", Terms(NAMESPACES, "domain", "kind"))


@pytest.mark.parametrize(
    "terms",
    [
        {"namespace": "colour"},
        {"namespace": "scope"},
        {"keep_type_as": "about"},
        {"keep_status_as": "id"},
    ],
)
def test_terms_that_make_no_sense(terms: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        Terms(NAMESPACES, **terms)  # type: ignore[arg-type]


def test_most_of_a_stranger_s_vault_can_be_adopted(
    tmp_path: Path, make_app: MakeApp
) -> None:
    """All but templates, whose properties no YAML reader understands."""
    if not KEPANO.is_dir():
        pytest.skip("the shared vaults are not here")
    root = tmp_path / "real"
    shutil.copytree(KEPANO, root)
    app = make_app(root)
    terms = Terms(NAMESPACES, "domain", "kind", "state", title_as_summary=True)
    left = []
    for path in sorted(app.vault.scan().notes):
        before = (root / path).read_bytes()
        try:
            done = adopted(app, path, terms)
        except Refused:
            left.append(path)
            continue
        assert breaches(app, done) == [], path
        assert parse("", done.after).body == parse("", before).body
    assert [path for path in left if not path.startswith("Templates/")] == []


def test_an_interrupted_run_says_what_it_has_written(make_vault: MakeVault) -> None:
    notes = {f"n{number:04}.md": f"Note number {number}.\n" for number in range(600)}
    vault = make_vault(notes)
    process = subprocess.Popen(
        [sys.executable, "-m", "mindcache", "adopt", ".", "--write"],
        cwd=vault,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        # A shell's background jobs, tests among them, inherit a deaf ear.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  no threads here
    )
    while (vault / "n0005.md").stat().st_size < 40 and process.poll() is None:
        time.sleep(0.002)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    written = sorted(
        p.name for p in vault.glob("n*.md") if p.read_bytes().startswith(b"---")
    )
    assert process.returncode == 130, said
    assert len(written) < len(notes)
    assert re.findall(r"written: (\S+)", said) == written


def test_what_is_no_tag_is_not_lost(make_vault: MakeVault, make_app: MakeApp) -> None:
    files = {
        "list.md": "---\ntags: [1, ink]\n---\nA book.\n",
        "map.md": "---\ntags: {a: b}\n---\nA book.\n",
    }
    app = make_app(make_vault(files))
    done = adopted(app, "list.md", Terms(NAMESPACES, "domain"))
    assert parse("", done.after).properties["tags"] == [
        "domain/ink",
        "scope/project",
        1,
    ]
    with pytest.raises(Refused, match="which is no list of tags"):
        adopted(app, "map.md", Terms(NAMESPACES, "domain"))
