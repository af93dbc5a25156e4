"""The frame of all importers, shown with a small one of another package."""

from __future__ import annotations

import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest

from mindcache.cli import run
from mindcache.errors import MindcacheError, NoteNotFound, Problem, UsageError
from mindcache.importers import Item, Read, Wishes, find, names, run_import
from tests.test_light_start import ROOT

PLUGIN = """
from datetime import datetime
from mindcache.errors import Problem
from mindcache.importers import Item, Read


class Lines:
    name = "lines"
    source_type = "import"
    short = "One fact a line, as key=text."
    suffixes = (".lines",)
    folder = "memory"

    def read(self, sources, context):
        for source in sources:
            with open(source.path, encoding="utf-8") as file:
                for number, line in enumerate(file, 1):
                    key, sign, text = line.rstrip("\\n").partition("=")
                    if not sign:
                        yield Problem(
                            source.name, number, "lines", "no =", "add one", "error"
                        )
                        continue
                    known = context.known.find(text)
                    properties = {"summary": text, "entities": known or None}
                    yield Item(
                        key,
                        "fact",
                        text,
                        None,
                        {k: v for k, v in properties.items() if v},
                        {"source_path": source.name},
                        f"{text}.\\n",
                        f"{source.name}:{number}",
                    )
            yield Read(source.name)


lines = Lines()
"""


@pytest.fixture
def plugin(tmp_path, monkeypatch) -> Path:
    """A package that brings an importer, installed for this test."""
    folder = tmp_path / "site"
    info = folder / "linesimporter-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "linesimporter.py").write_text(PLUGIN)
    (info / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: linesimporter\nVersion: 1.0\n"
    )
    (info / "entry_points.txt").write_text(
        "[mindcache.importers]\nlines = linesimporter:lines\nbroken = nowhere:at_all\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    yield folder
    sys.modules.pop("linesimporter", None)


def test_other_packages_bring_importers(plugin) -> None:
    known = names()
    assert next(iter(known)) == "calendar"
    assert list(known)[-2:] == ["broken", "lines"]
    assert known["lines"] == "One fact a line, as key=text."
    assert "can't be loaded" in known["broken"]
    assert find("nobody") is None
    with pytest.raises(MindcacheError, match="broken"):
        find("broken")


def test_theirs_run_as_ours_do(plugin, make_vault, make_app, tmp_path) -> None:
    app = make_app(make_vault({"Crane.md": "---\ntype: entity\n---\n"}))
    importer = find("lines")
    assert importer is not None
    source = tmp_path / "x.lines"
    source.write_text("a=The crane is red\nb=Tea\nnonsense\n")
    report = run_import(
        app, importer, [str(source)], Wishes(tags=("tool/x",), project="p/q")
    )
    assert [step.path for step in report.plan.of("made")] == [
        "memory/The crane is red.md",
        "memory/Tea.md",
    ]
    assert report.problems == [
        Problem("x.lines", 3, "lines", "no =", "add one", "error")
    ]
    _, note, memory = app.look("memory/The crane is red.md")
    assert note.properties["entities"] == ["[[Crane]]"]
    assert note.properties["tags"] == ["tool/x", "scope/project"]
    assert memory.project == "p/q"
    assert note.properties["source_id"] == "a"
    assert app.reader().find_node("memory/Tea.md") is not None  # indexed already
    source.write_text("a=The crane is blue\nb=Tea\n")
    report = run_import(app, importer, [str(source)], Wishes(folder="elsewhere"))
    assert [s.action for s in report.plan.steps] == ["changed", "unchanged"]
    assert report.plan.steps[0].names == ("summary", "body")


def test_the_command_line_runs_them(
    plugin, make_vault, tmp_path, monkeypatch, capsys
) -> None:
    vault = make_vault({})
    monkeypatch.chdir(vault)
    source = tmp_path / "x.lines"
    source.write_text("a=Red\n")
    assert run(["import", "lines", str(source)]) == 0
    assert "memory/Red.md" in capsys.readouterr().out
    assert run(["import", "nobody", "x"]) == 2
    assert "No such command 'nobody'" in capsys.readouterr().err
    assert run(["import", "broken", "x"]) == 1


@pytest.mark.parametrize(
    ("wishes", "error"),
    [
        (Wishes(folder="../out"), UsageError),
        (Wishes(folder="/etc"), UsageError),
        (Wishes(folder=".hidden"), UsageError),
        (Wishes(folder="con"), UsageError),
        (Wishes(tags=("nonsense",)), UsageError),
        (Wishes(tags=("client/acme,other/x",)), UsageError),
    ],
)
def test_wishes_that_make_no_sense(
    make_vault, make_app, tmp_path, wishes, error
) -> None:
    app = make_app(make_vault({}))
    importer = find("calendar")
    assert importer is not None
    with pytest.raises(error):
        run_import(app, importer, [str(tmp_path)], wishes)


def test_paths_that_lead_nowhere(make_vault, make_app, tmp_path) -> None:
    app = make_app(make_vault({}))
    importer = find("calendar")
    assert importer is not None
    with pytest.raises(NoteNotFound):
        run_import(app, importer, [str(tmp_path / "gone.ics")], Wishes())
    (tmp_path / "none").mkdir()
    with pytest.raises(UsageError, match=r"no file in"):
        run_import(app, importer, [str(tmp_path / "none")], Wishes())


class Fixed:
    """An importer that reads the same items from whatever it is given."""

    name = source_type = "fixed"
    short = "A few."
    suffixes = (".x",)
    folder = "in"

    def __init__(self, *items: Item) -> None:
        self.items = items

    def read(self, sources, context):
        yield from self.items
        yield Read(sources[0].name)


def item(key: str, title: str = "Title") -> Item:
    when = datetime.fromisoformat("2026-01-01T10:00")
    return Item(key, "fact", title, when, {"summary": title})


def test_equal_names_get_a_mark_of_their_own(make_vault, make_app, tmp_path) -> None:
    app = make_app(make_vault({"in/2026-01-01 TITLE.md": "mine"}))
    (tmp_path / "a.x").write_text("")
    report = run_import(
        app, Fixed(item("a"), item("b")), [str(tmp_path / "a.x")], Wishes()
    )
    paths = [step.path for step in report.plan.of("made")]
    assert paths == [
        f"in/2026-01-01 Title {s.id[-6:].lower()}.md" for s in report.plan.steps
    ]
    assert len(set(paths)) == 2


def test_what_breaches_the_contract_is_refused_with_its_words(
    make_vault, make_app, tmp_path
) -> None:
    app = make_app(make_vault({}))
    (tmp_path / "a.x").write_text("")
    wrong = Item("k", "fact", "T", None, {"summary": "s", "status": "so so"})
    report = run_import(
        app, Fixed(wrong, item("ok")), [str(tmp_path / "a.x")], Wishes()
    )
    assert "unknown status" in report.plan.of("refused")[0].reason
    assert len(report.plan.of("made")) == 1
    assert report.is_lossy


def test_a_note_changed_while_it_was_imported_is_left(
    make_vault, make_app, tmp_path
) -> None:
    vault = make_vault({})
    app = make_app(vault)
    (tmp_path / "a.x").write_text("")
    source = [str(tmp_path / "a.x")]
    path = run_import(app, Fixed(item("a")), source, Wishes()).plan.steps[0].path

    class Meanwhile(Fixed):
        """While the last item is read, somebody writes into the first one's note."""

        def read(self, sources, context):
            yield self.items[0]
            yield Read(sources[0].name)

    real = app.commit

    def commit(changes):
        (vault / path).write_text("somebody else")
        return real(changes)

    app.commit = commit  # type: ignore[method-assign]
    report = run_import(app, Meanwhile(item("a", "Other")), source, Wishes())
    assert (vault / path).read_text() == "somebody else"
    assert [step.path for step, _ in report.failed] == [path]
    assert report.is_lossy


def test_the_list_and_help_load_nothing_heavy(make_vault) -> None:
    script = (
        "import sys\nfrom mindcache.cli import run\n"
        "code = run(sys.argv[1:])\n"
        "heavy = {'icalendar', 'numpy', 'peewee', 'dateutil'} & set(sys.modules)\n"
        "sys.exit(9 if heavy else code)\n"
    )
    for args in (
        ["import", "--list"],
        ["import", "--help"],
        ["import", "calendar", "--help"],
        ["import", "chat", "--help"],
    ):
        done = subprocess.run(
            [sys.executable, "-c", script, *args],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert ("chat" if "chat" in args else "calendar") in done.stdout
