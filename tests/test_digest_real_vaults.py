"""The digest over vaults that other people wrote, and over the example."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from mindcache import lint
from mindcache.digest import digest
from mindcache.generated import Section, find_section
from mindcache.note import parse
from tests.conftest import NOW

ROOT = Path(__file__).parents[1]
VAULTS = ROOT.parent / "shared" / "data" / "vaults"
NAMES = (
    "dataview-test-vault",
    "kepano-obsidian",
    "logseq-docs",
    "markdown-oxide-testfiles",
    "obsidian-help-en",
)


@pytest.fixture(params=["consultant", *NAMES])
def vault(request, tmp_path) -> Path:
    is_ours = request.param == "consultant"
    source = (ROOT / "examples" if is_ours else VAULTS) / request.param
    if not source.is_dir():
        pytest.skip(f"no vault {request.param} beside the repository")
    copy = tmp_path / "vault"
    shutil.copytree(source, copy)
    for path in (copy, *copy.rglob("*")):
        path.chmod(path.stat().st_mode | 0o700)
    (copy / ".obsidian").mkdir(exist_ok=True)
    return copy


def files(vault: Path) -> dict[str, bytes]:
    return {
        path.relative_to(vault).as_posix(): path.read_bytes()
        for path in sorted(vault.rglob("*"))
        if path.is_file()
    }


def test_nights_over_a_real_vault(vault, make_app) -> None:
    before = files(vault)
    app = make_app(vault)
    report = digest(app)
    assert report.failed == []
    after = files(vault)
    nodes = app.reader().nodes()
    own = {n.path for n in nodes if n.type in {"topic", "summary"}}
    faint = {n.path for n in nodes if n.status == "faint"}
    written = {path for path in after if before.get(path) != after[path]}
    assert before.keys() <= after.keys()
    assert {
        path for path in written if not path.startswith(".mindcache/")
    } <= own | faint
    kept = {p for p in before if not p.startswith((".mindcache/", "topics/"))}
    assert {p: after[p] for p in kept - faint} == {p: before[p] for p in kept - faint}
    for path in faint:
        assert parse(path, after[path]).body == parse(path, before[path]).body

    namespaces = app.settings.texts("namespaces")
    reader = app.reader()
    homes: dict[str, int] = {}
    for path in report.made:
        _, note, memory = app.look(path)
        assert lint.check(note, memory, namespaces) == []
        assert isinstance(find_section(note), Section)
        assert note.tags == tuple(t for t in note.tags if not t.line), path
        for link in reader.links_from(path):
            assert link.resolved, f"{path}: [[{link.target}]]"
            assert link.resolved_by == "path"
            if link.origin == "topic":
                homes[link.resolved] = homes.get(link.resolved, 0) + 1
    kinds = {n.path: n.type for n in reader.nodes()}
    for path, times in homes.items():
        assert times == 1 or kinds[path] in {"event", "journal"}
        assert kinds[path] not in {"summary", "proposal"}

    for options in (
        {"again": True},
        {"again": True, "weekly": True},
        {"now": NOW + timedelta(days=1)},
    ):
        assert not digest(app, **options).is_change
    assert files(vault) == after


def test_the_cache_decides_nothing(vault, make_app) -> None:
    """Another cache, filled in another order, plans the same bytes."""
    one = digest(make_app(vault, "one"), dry_run=True)
    app = make_app(vault, "other")
    notes = sorted(vault.rglob("*.md"))[::3]
    kept = {path: path.read_bytes() for path in notes}
    for path in notes:
        path.unlink()
    app.update()
    for path, data in reversed(kept.items()):
        path.write_bytes(data)
        app.update()
        if len(kept) > 30:
            break
    for path, data in kept.items():
        path.write_bytes(data)
    other = digest(app, dry_run=True)
    assert [vars_of(c) for c in one.changes] == [vars_of(c) for c in other.changes]


def vars_of(change) -> tuple[object, ...]:
    return (type(change).__name__, change.path, getattr(change, "data", None))


def test_a_topic_note_is_what_its_reader_expects(vault, make_app) -> None:
    app = make_app(vault)
    for path in digest(app).made:
        properties = parse(path, (vault / path).read_bytes()).properties
        order = ["id", "type", "summary", "tags", "status"]
        assert list(properties)[:5] == order
        assert str(properties["summary"]).endswith(".")
        assert len(Path(path).stem) <= 120
        assert "Untitled" not in path
