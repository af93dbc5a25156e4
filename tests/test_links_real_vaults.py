"""Vaults that nobody here wrote: every file accounted for, every link checked again."""

from __future__ import annotations

import hashlib
import os
import posixpath
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from mindcache.app import App
from mindcache.cache.read import LinkRow, Reader

VAULTS = Path(__file__).parents[2] / "shared" / "data" / "vaults"
NAMES = (
    "obsidian-help-en",
    "kepano-obsidian",
    "logseq-docs",
    "dataview-test-vault",
    "markdown-oxide-testfiles",
)


@dataclass(frozen=True)
class Indexed:
    """A vault of the folder above, with what the App says of it."""

    root: Path
    app: App
    before: str

    @property
    def reader(self) -> Reader:
        return self.app.reader()

    def files(self) -> list[str]:
        """Every file that Obsidian would show, with forward slashes."""
        return sorted(
            path.relative_to(self.root).as_posix()
            for path in self.root.rglob("*")
            if path.is_file()
            and not any(p.startswith(".") for p in path.relative_to(self.root).parts)
        )

    def notes(self) -> list[str]:
        return [path for path in self.files() if path.lower().endswith(".md")]

    def links(self) -> list[LinkRow]:
        return [row for path in self.notes() for row in self.reader.links_from(path)]


def fingerprint(root: Path) -> str:
    """Differs when any file, folder, byte or time below `root` does."""
    digest = hashlib.sha256()
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            path = Path(folder, name)
            digest.update(f"{path}\0{path.lstat().st_mtime_ns}\0".encode())
            digest.update(path.read_bytes())
        digest.update(f"{folder}\0{sorted(folders)}\0".encode())
    return digest.hexdigest()


def indexed(name: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Indexed]:
    root = VAULTS / name
    if not root.is_dir():
        pytest.skip(f"the folder of real vaults holds no {name}")
    own = tmp_path_factory.mktemp(name)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINDCACHE_CONFIG_DIR", str(own / "config"))
        patch.delenv("MINDCACHE_VAULT", raising=False)
        patch.delenv("MINDCACHE_MODEL", raising=False)
        before = fingerprint(root)
        app = App(str(root), str(own / "cache"))
        app.update()
        yield Indexed(root, app, before)
        app.close()


@pytest.fixture(scope="module", params=NAMES)
def vault(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Indexed]:
    yield from indexed(request.param, tmp_path_factory)


def test_every_file_is_accounted_for(vault: Indexed) -> None:
    seen = vault.reader.stamps()
    assert sorted(seen) == vault.files()
    assert sorted(p for p, s in seen.items() if s.kind != "asset") == vault.notes()
    shown = {node.path for node in vault.reader.nodes()}
    told = {problem.path for problem in vault.reader.problems()}
    for path in vault.notes():
        assert path in shown or (
            seen[path].kind in {"held", "skipped"} and path in told
        )


def test_the_unresolved_links_are_those_that_lead_nowhere(vault: Indexed) -> None:
    """Checked by another way: a set of all ends of all paths on disk."""
    ends: set[str] = set()
    for path in vault.files():
        parts = plain(path).split("/")
        for start in range(len(parts)):
            end = "/".join(parts[start:])
            ends.update((end, end.removesuffix(".md")))
    whole = {plain(path) for path in vault.files()}

    def leads_nowhere(row: LinkRow) -> bool:
        target = plain(row.target)
        if not target:
            return False
        if target.startswith(("./", "../")):
            folder = posixpath.dirname(plain(row.source))
            path = posixpath.normpath(posixpath.join(folder, target))
            return path not in whole and f"{path}.md" not in whole
        return target.lstrip("/") not in ends

    expected = [row for row in vault.links() if leads_nowhere(row)]
    assert vault.reader.unresolved() == expected
    # no link in these vaults is one of the kind that only we resolve
    assert vault.reader.links_by_alias() == []


def plain(path: str) -> str:
    return unicodedata.normalize("NFC", path).replace("\u00a0", " ").lower()


def test_resolved_links_lead_to_a_file_of_that_name(vault: Indexed) -> None:
    files = set(vault.files())
    rows = [row for row in vault.links() if row.resolved]
    assert rows
    for row in rows:
        assert row.resolved in files
        name = posixpath.basename(plain(row.target)).removesuffix(".md")
        if name:
            found = posixpath.basename(plain(row.resolved))
            assert found.removesuffix(".md") == name
        else:
            assert row.resolved == row.source


def test_no_byte_of_the_vault_is_changed(vault: Indexed) -> None:
    vault.app.update(rebuild=True)
    assert fingerprint(vault.root) == vault.before


@pytest.fixture(scope="module")
def help_vault(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Indexed]:
    yield from indexed("obsidian-help-en", tmp_path_factory)


def test_the_links_of_obsidians_own_help(help_vault: Indexed) -> None:
    """1,524 wikilinks of which four, examples all, name a note that isn't there.

    A fifth leads to a picture, which the sample lacks as it lacks most of them. The
    help has 92 notes with aliases and links to none of them by alias alone.
    """
    wikilinks = [row for row in help_vault.links() if row.kind == "wikilink"]
    assert len(wikilinks) == 1524
    dead = [row for row in help_vault.reader.unresolved() if row.kind == "wikilink"]
    assert Counter((posixpath.basename(row.source), row.target) for row in dead) == {
        ("Internal links.md", "Example"): 4,
        ("Troubleshoot Web Clipper.md", "web-clipper-kde.png"): 1,
    }
    assert sum(1 for node in help_vault.reader.nodes() if node.aliases) == 92


@pytest.fixture(scope="module")
def kepano(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Indexed]:
    yield from indexed("kepano-obsidian", tmp_path_factory)


def test_properties_that_yaml_refuses_are_told_and_the_notes_are_there(
    kepano: Indexed,
) -> None:
    broken = [p for p in kepano.reader.problems() if p.code == "frontmatter-broken"]
    assert len(broken) == len({p.path for p in broken}) == 28
    for problem in broken:
        node = kepano.reader.find_node(problem.path)
        assert node is not None
        assert node.type_inferred
        text = (kepano.root / problem.path).read_text(encoding="utf-8")
        assert 2 <= problem.line <= len(text.split("\n"))
        assert problem.mend


def test_a_type_that_is_a_link_to_a_category_is_foreign(kepano: Indexed) -> None:
    """This vault says what a note is by `type: "[[…]]"` and the like."""
    linked = [row for row in kepano.links() if row.field == "type"]
    assert linked
    for row in linked:
        node = kepano.reader.find_node(row.source)
        assert node is not None
        assert node.type_inferred
