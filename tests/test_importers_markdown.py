"""Markdown from files, folders, Obsidian's vaults and Logseq's graphs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindcache.cli import run
from mindcache.errors import UsageError
from mindcache.importers import Wishes, find, run_import
from mindcache.importers.item import Context, Item, Source
from mindcache.note import decode, parse
from mindcache.recall.own import REPORT_ID
from mindcache.redact import redact
from tests.conftest import NOW, write_files
from tests.test_light_start import ROOT

DATA = ROOT.parent / "shared" / "data" / "vaults"


@pytest.fixture
def bring(make_vault, make_app, tmp_path):
    """Imports files as a folder `src` into a vault; gives the report and the app."""
    vaults: dict[str, Path] = {}

    def work(files=None, wishes=None, *, vault=None, path="src", **options):
        root = vaults.setdefault("v", make_vault(vault or {}))
        write_files(tmp_path / "src", files or {})
        importer = find("markdown")
        options = {"namespace": "domain", "cut": False, **options}
        app = make_app(root)
        report = run_import(
            app,
            importer.configured(**options),
            [str(tmp_path / path)],
            wishes or Wishes(),
        )
        return report, app

    return work


def tree(root: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(root)): p.read_bytes() for p in root.rglob("*") if p.is_file()
    }


def properties(app, path: str) -> dict:
    return dict(app.look(path)[1].properties)


def test_a_note_comes_under_contract_and_keeps_its_own(bring) -> None:
    text = (
        "---\n# mine\ntype: '[[Book]]'\nstatus: reading\nrating: 5\nauthor: \"[[Ann]]\"\n"
        "created: 2024-05-06\ntags: [novel, tool/pen]\naliases: [NAC, NAc]\n---\n\n"
        "It is long.  And more.\r\nmixed\n\n"
    )
    report, app = bring({"shelf/Book.md": text})
    assert [s.path for s in report.plan.of("made")] == ["memory/shelf/Book.md"]
    found = properties(app, "memory/shelf/Book.md")
    assert found.pop("id").startswith("m-")
    assert found == {
        "type": "fact",
        "summary": "It is long.",
        "kind": "[[Book]]",
        "state": "reading",
        "rating": 5,
        "author": "[[Ann]]",
        "created": "2024-05-06",
        "aliases": ["NAC"],
        "tags": ["domain/novel", "tool/pen", "scope/project"],
        "source_type": "markdown",
        "source_id": "src/shelf/Book.md",
        "source_path": "src/shelf/Book.md",
        "created_at": "2024-05-06",
    }
    body = app.look("memory/shelf/Book.md")[1].body
    assert body == "\nIt is long.  And more.\r\nmixed\n\n"
    assert run(["--vault", app.vault.root, "lint"]) == 0


def test_what_breaches_the_contract_is_kept_under_another_name(bring) -> None:
    text = (
        "---\ncreated_at: last summer\nimportance: high\nabout: plain words\n"
        "time_start: 2024-02-02\ntime_end: 2024-01-01\nid: 17\nsource_id: x\n---\nWords.\n"
    )
    _, app = bring({"a.md": text})
    found = properties(app, "memory/a.md")
    assert found["own_created_at"] == "last summer"
    assert found["own_importance"] == "high"
    assert found["own_about"] == "plain words"
    assert found["own_time_end"] == "2024-01-01"
    assert found["own_id"] == 17
    assert found["own_source_id"] == "x"
    assert found["created_at"] == "2024-02-02"


def test_broken_frontmatter_stays_as_text(bring) -> None:
    text = "---\ncreated: {{date}}\nx: [\n---\nWords.\n"
    report, app = bring({"a.md": text})
    assert app.look("memory/a.md")[1].body == text
    assert [p.path for p in report.problems] == ["src/a.md"]
    assert not report.is_lossy


def test_a_summary_is_no_link(bring) -> None:
    files = {
        "a.md": "Write `[[x]]` for a link.\n",
        "b.md": "---\ndescription: See [[a|that]]\n---\n- x\n",
        "c.md": "\n",
    }
    _, app = bring(files)
    assert properties(app, "memory/a.md")["summary"] == "Write [ [x]] for a link."
    assert properties(app, "memory/b.md")["summary"] == "See that"
    assert properties(app, "memory/c.md")["summary"] == "c"


def test_dates_and_aliases_of_inline_fields(bring) -> None:
    _, app = bring(
        {
            "a.md": "created:: 2023-01-02\nalias:: One, Two\n\nWords.\n",
            "2022-03-04.md": "Day.\n",
        }
    )
    found = properties(app, "memory/a.md")
    assert (found["created_at"], found["aliases"]) == ("2023-01-02", ["One", "Two"])
    assert properties(app, "memory/2022-03-04.md")["type"] == "event"


def test_again_changes_no_byte_and_follows_the_source(bring) -> None:
    files = {
        "a.md": "# A\n[[b]] and ![[p.png]]\n",
        "b.md": "---\nmy key: 1\n---\nB.\n",
        "p.png": b"\x89PNG",
    }
    bring(files)
    _, app = bring()
    before = tree(Path(app.vault.root))
    report, app = bring()
    assert {s.action for s in report.plan.steps} == {"unchanged"}
    assert tree(Path(app.vault.root)) == before
    report, app = bring({"b.md": "---\nmy key: 2\n---\nB.\nMore.\n"})
    assert [s.names for s in report.plan.of("changed")] == [
        ("summary", "my key", "body")
    ]
    assert app.look("memory/b.md")[1].body == "B.\nMore.\n"


def test_deleted_stays_deleted_with_its_attachment(bring) -> None:
    files = {
        "a.md": "![](p.png) and [[b]] and [[y/c]]\n",
        "b.md": "B.\n",
        "y/c.md": "C.\n",
        "p.png": b"x",
    }
    _, app = bring(files, vault={"c.md": "Mine.\n", "b.md": "Mine.\n"})
    root = Path(app.vault.root)
    kept = (root / "memory/a.md").read_bytes()
    (root / "memory/b.md").unlink()
    (root / "attachments/p.png").unlink()
    report, app = bring()
    assert [s.path for s in report.plan.of("left_out")] == ["memory/b.md"]
    assert [(a.action, a.path) for a in report.attachments] == [
        ("left_out", "attachments/p.png")
    ]
    assert (root / "memory/a.md").read_bytes() == kept
    assert not (root / "memory/b.md").exists()
    assert not (root / "attachments/p.png").exists()
    report, _ = bring(wishes=Wishes(again=("src/b.md",)))
    assert [s.path for s in report.plan.of("made")] == ["memory/b.md"]
    report, _ = bring(wishes=Wishes(again=("src/p.png",)))
    assert [a.action for a in report.attachments] == ["made"]


def test_a_dry_run_says_what_the_run_does_and_writes_nothing(bring) -> None:
    files = {"a.md": "[[b]] ![[p.png]]\n", "b.md": "B.\n", "p.png": b"x"}
    dry, app = bring(files, Wishes(dry_run=True))
    assert tree(Path(app.vault.root)) == {}
    done, app = bring(files)
    assert [(s.action, s.path, s.change) for s in dry.plan.steps] == [
        (s.action, s.path, s.change) for s in done.plan.steps
    ]
    assert dry.attachments == done.attachments


def test_links_lead_where_they_led(bring) -> None:
    files = {
        "x/a.md": "[[b]] [[what]] [m](../y/b.md) ![[p.png]] [[b#H|shown]]\n",
        "y/b.md": '---\naliases: [what]\nup: "[[x/a]]"\n---\n# H\n',
        "y/aux.md": "[[a]]\n",
        "pics/p.png": b"new",
    }
    vault = {"b.md": "Another b.\n", "attachments/p.png": b"old"}
    _, app = bring(files, vault=vault)
    reader = app.reader()
    found = {link.target: link.resolved for link in reader.links_from("memory/x/a.md")}
    assert set(found.values()) - {"memory/y/b.md"} == {
        link.resolved
        for link in reader.links_from("memory/x/a.md")
        if "png" in link.target
    }
    (picture,) = set(found.values()) - {"memory/y/b.md"}
    assert (Path(app.vault.root) / picture).read_bytes() == b"new"
    assert (Path(app.vault.root) / "attachments/p.png").read_bytes() == b"old"
    assert properties(app, "memory/y/b.md")["up"] == "[[x/a]]"
    assert app.look("memory/y/aux note.md")[1].body == "[[a]]\n"
    assert "aux" in properties(app, "memory/y/aux note.md")["aliases"]


def test_attachments_go_where_obsidian_is_told(bring) -> None:
    vault = {".obsidian/app.json": '{"attachmentFolderPath": "./pics"}'}
    _, app = bring({"d/a.md": "![[p.png]]\n", "p.png": b"x"}, vault=vault)
    assert (Path(app.vault.root) / "memory/d/pics/p.png").read_bytes() == b"x"


def test_an_attachment_that_you_changed_stays(bring) -> None:
    _, app = bring({"a.md": "![[p.png]]\n", "p.png": b"1"})
    picture = Path(app.vault.root) / "attachments/p.png"
    report, _ = bring({"p.png": b"2"})
    assert [a.action for a in report.attachments] == ["changed"]
    assert picture.read_bytes() == b"2"
    picture.write_bytes(b"mine")
    report, _ = bring({"p.png": b"3"})
    assert [a.action for a in report.attachments] == ["held"]
    assert picture.read_bytes() == b"mine"


def test_a_file_alone_brings_what_lies_in_its_folder_only(bring, tmp_path) -> None:
    write_files(tmp_path, {"secret.txt": "s"})
    files = {
        "a.md": "![[p.png]] [x](../secret.txt) [y](.env)\n",
        "p.png": b"x",
        ".env": "k",
    }
    report, _ = bring(files, path="src/a.md")
    assert [a.path for a in report.attachments] == ["attachments/p.png"]
    report, _ = bring()  # the same note when its folder is imported
    assert [s.action for s in report.plan.steps] == ["unchanged"]


def test_secrets_are_taken_out_and_counted(bring) -> None:
    key = "ghp_" + "a1B2" * 9
    report, app = bring({"a.md": f"---\ntoken: {key}\n---\nIt is {key}.\n"})
    assert key not in (Path(app.vault.root) / "memory/a.md").read_text()
    assert [(each.what, each.count) for each in report.left] == [("GitHub token", 2)]


def test_what_is_no_note_is_said(bring, tmp_path) -> None:
    files = {
        "a.md": "A.\n",
        "a.sync-conflict-20260101-120000-ABCDEFG.md": "A!\n",
        "c.md": "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> x\n",
        "big.md": "x" * 1_100_000,
        "latin.md": "Stra\xdfe\n".encode("latin-1"),
        "other/.mindcache/config.toml": "",
        "other/n.md": "N.\n",
        ".hidden.md": "H\n",
    }
    write_files(tmp_path / "src", files)
    os.symlink(tmp_path / "src/a.md", tmp_path / "src/link.md")
    report, app = bring()
    assert [s.path for s in report.plan.of("made")] == [
        "memory/a.md",
        "memory/latin.md",
    ]
    assert sorted((p.code, p.severity) for p in report.problems) == [
        ("encoding", "warning"),
        ("git-conflict", "error"),
        ("import-large", "error"),
    ]
    assert {each.what for each in report.left} == {
        "conflict copy",
        "symbolic link",
        "vault",
    }
    assert app.look("memory/latin.md")[1].body == "Straße\n"
    assert report.is_lossy


def test_a_long_text_is_cut_at_its_headings(bring) -> None:
    words = "word " * 300
    text = (
        f"---\ntags: [x]\ncreated: 2024-01-02\n---\n# Doc\n{words}\n\n## One\n{words} [[#Two]]\n"
        f"```\n# no heading\n```\n## Two\nEnd. ^blk\n\n### Deep\nSee [[#Deep]].\n## One\nAgain.\n"
    )
    files = {"Doc.md": text, "o.md": "[[Doc#Two|t]] [[Doc#^blk]] [[Doc]]\n"}
    report, app = bring(files, cut=True)
    paths = [s.path for s in report.plan.of("made")]
    assert paths == [
        "memory/Doc.md",
        "memory/Doc - One.md",
        "memory/Doc - Two.md",
        "memory/Doc - One 2.md",
        "memory/o.md",
    ]
    two = properties(app, "memory/Doc - Two.md")
    assert two["derived_from"] == ["[[Doc]]"]
    assert two["before_after"] == ["[[Doc - One 2]]"]
    assert two["created_at"] == "2024-01-02"
    assert "[[Doc - Two#Two]]" in app.look("memory/Doc - One.md")[1].body
    assert "See [[#Deep]]." in app.look("memory/Doc - Two.md")[1].body
    whole = "".join(app.look(path)[1].body for path in paths[:-1])
    assert whole.replace("[[Doc - Two#Two]]", "[[#Two]]") == text.partition("---\n# ")[
        2
    ].join(["# ", ""])
    report, _ = bring(cut=True)
    assert {s.action for s in report.plan.steps} == {"unchanged"}


def test_links_from_elsewhere_lead_to_the_part(bring) -> None:
    words = "word " * 400
    text = f"# Doc\n{words}\n## Two\n{words}\n"
    _, app = bring({"Doc.md": text, "o.md": "[[Doc#Two|t]] [[Doc]]\n"}, cut=True)
    assert app.look("memory/o.md")[1].body == "[[Doc - Two#Two|t]] [[Doc]]\n"


UUID = "60a78e9e-59dc-40ab-9a01-5317dc09365f"
LOST = "11111111-59dc-40ab-9a01-5317dc09365f"


def test_logseq(bring) -> None:
    files = {
        "logseq/config.edn": '{:journal/page-title-format "EEE, dd.MM.yyyy"}',
        "logseq/bak/x.md": "old\n",
        "pages/A___B.md": (
            "alias:: Bee, [[Big B]]\ntags:: [[Some thing]], x\ntype:: [[Feature]]\n\n"
            f"- One\n  id:: {UUID}\n  collapsed:: true\n- Two ![](../assets/p.png)\n"
        ),
        "pages/C.md": (
            f"- (({UUID})) and [named]((({UUID}))) and {{{{embed (({UUID}))}}}}\n"
            f"- [[Bee]] [[Mar 5th, 2026]] [[Thu, 05.03.2026]] (({LOST})) `(({UUID}))`\n"
            "- {{embed [[A/B]]}}\n"
        ),
        "journals/2026_03_05.md": "- went [[A/B]]\n",
        "assets/p.png": b"x",
        "notes.org": "* x\n",
    }
    report, app = bring(files)
    assert [s.path for s in report.plan.of("made")] == [
        "memory/journals/2026-03-05.md",
        "memory/pages/A/B.md",
        "memory/pages/C.md",
    ]
    page = properties(app, "memory/pages/A/B.md")
    assert page["aliases"] == ["Bee", "Big B"]
    assert page["tags"] == ["domain/Some-thing", "domain/x", "scope/project"]
    assert page["kind"] == "[[Feature]]"
    assert app.look("memory/pages/A/B.md")[1].body == (
        f"\n- One ^{UUID}\n  collapsed:: true\n- Two ![](attachments/p.png)\n"
    )
    body = app.look("memory/pages/C.md")[1].body
    assert body == (
        f"- [[A/B#^{UUID}]] and [[A/B#^{UUID}|named]] and ![[A/B#^{UUID}]]\n"
        f"- [[B|Bee]] [[2026-03-05|Mar 5th, 2026]] [[2026-03-05|Thu, 05.03.2026]]"
        f" (({LOST})) `(({UUID}))`\n- ![[A/B]]\n"
    )
    assert all(link.resolved for link in app.reader().links_from("memory/pages/C.md"))
    day = properties(app, "memory/journals/2026-03-05.md")
    assert (day["type"], day["time_start"], day["all_day"]) == (
        "event",
        "2026-03-05",
        True,
    )
    assert {(each.what, each.count) for each in report.left} == {
        ("block reference", 1),
        ("folder logseq/", 1),
        ("org file", 1),
    }
    report, _ = bring()
    assert {s.action for s in report.plan.steps} == {"unchanged"}


@pytest.mark.parametrize(
    ("name", "notes", "copies"),
    [("logseq-docs", 318, 11), ("kepano-obsidian", 103, 24)],
)
def test_real_vaults(name, notes, copies, make_vault, make_app) -> None:
    folder = DATA / name
    if not folder.is_dir():
        pytest.skip("the vaults of other people are not here")
    app = make_app(make_vault({}))
    importer = find("markdown")
    report = run_import(app, importer, [str(folder)], Wishes())
    assert Counter(s.action for s in report.plan.steps) == {"made": notes}
    assert Counter(a.action for a in report.attachments) == {"made": copies}
    assert not report.is_lossy
    assert run(["--vault", app.vault.root, "lint"]) == 0
    report = run_import(app, importer, [str(folder)], Wishes())
    assert Counter(s.action for s in report.plan.steps) == {"unchanged": notes}
    assert Counter(a.action for a in report.attachments) == {"unchanged": copies}


def test_wishes_that_make_no_sense(bring, make_app) -> None:
    with pytest.raises(UsageError, match="--namespace nowhere"):
        bring({"a.md": "A\n"}, namespace="nowhere")
    _, app = bring({"a.md": "A\n"})
    with pytest.raises(UsageError, match="in this vault already"):
        run_import(app, find("markdown"), [app.vault.root], Wishes())


def test_two_folders_of_one_name(bring, tmp_path) -> None:
    write_files(tmp_path / "other/src", {"a.md": "Other.\n"})
    bring({"a.md": "A.\n"})
    report, app = bring(path="other/src", called="second")
    assert [s.action for s in report.plan.steps] == ["made"]
    assert app.look("memory/a.md")[1].body == "A.\n"
    assert report.plan.steps[0].item.key == "second/a.md"


def test_stdin(make_vault, tmp_path) -> None:
    vault = make_vault({})
    call = [sys.executable, "-m", "mindcache", "--vault", str(vault)]
    for text in ("# A title\n", "Words, more.\n", "# A title\n"):
        done = subprocess.run(
            [*call, "import", "markdown", "-"], input=text, text=True, check=False,
            capture_output=True, cwd=ROOT,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in (vault / "memory").iterdir()) == [
        "A title.md",
        "Words, more.md",
    ]


def test_the_command_line(make_vault, tmp_path, monkeypatch, capsys) -> None:
    vault = make_vault({})
    monkeypatch.chdir(vault)
    write_files(
        tmp_path / "in", {"a.md": "---\ntype: x\n---\n![[p.png]]\n", "p.png": b"x"}
    )
    call = ["import", "markdown", str(tmp_path / "in")]
    assert run([*call, "--namespace", "tool"]) == 0
    out = capsys.readouterr().out
    assert "new       memory/a.md" in out
    assert "attached  1 copied" in out
    assert run([*call, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["unchanged"] == 1
    assert answer["attachments"] == [
        {
            "action": "unchanged",
            "key": "in/p.png",
            "path": "attachments/p.png",
            "reason": "",
        }
    ]


def test_only_one_word_of_the_text_changes_by_being_imported(tmp_path) -> None:
    """Stdin has no folder: its links are kept, and its name is that of the stream."""
    path = tmp_path / "n.markdown"
    path.write_bytes(b"\xef\xbb\xbfWords [[x]].\r\n")
    importer = find("markdown")
    (item,) = [
        each
        for each in importer.read([Source(str(path), "n.markdown")], Context(NOW))
        if isinstance(each, Item)
    ]
    assert (item.body, item.path) == ("Words [[x]].\r\n", "n.md")


TEXTS = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=200),
    st.lists(
        st.sampled_from(
            ["---", "a: 1", "tags: [x]", "# H", "```", "- [ ] t", "k:: v", "[[x#y|z]]",
             "#tag", "", "  ", "%%", "^id", "| a | b |", "aliases:", "...", "{{x}}", "id:: 1"]
        ),
        max_size=14,
    ).flatmap(
        lambda lines: st.sampled_from(["\n", "\r\n", "\r"]).map(lambda end: end.join(lines))
    ),
)  # fmt: skip


@settings(
    max_examples=15,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    deadline=None,
)
@given(texts=st.lists(TEXTS, min_size=1, max_size=12))
def test_any_body_comes_back_the_same(texts, make_vault, make_app) -> None:
    vault = make_vault({})
    folder = vault.parent / f"in {vault.name}"
    texts = [text for text in texts if "<<<<<<<" not in text]
    write_files(folder, {f"n{n}.md": text for n, text in enumerate(texts)} | {"x": ""})
    app = make_app(vault, f"cache {vault.name}")
    for action in ("made", "unchanged"):
        report = run_import(app, find("markdown"), [str(folder)], Wishes())
        assert {s.action for s in report.plan.steps} <= {action}
    for number, text in enumerate(texts):
        wanted = redact(decode(text.encode()).text.lstrip("\ufeff")).text
        body = parse(f"n{number}.md", wanted.encode()).body
        assert app.look(f"memory/n{number}.md")[1].body == body


@pytest.mark.parametrize("line", ["first", "see"])
def test_a_source_that_did_not_change_is_never_said_to_have(bring, line) -> None:
    files = {
        "a.md": "---\nabout: '[[sub/b]]'\n---\nfirst\nsee [[sub/b]] and [c](sub/c.md)\nlast\n",
        "sub/b.md": "b\n",
        "sub/c.md": "c\n",
    }
    _, app = bring(files)
    root = Path(app.vault.root)
    path = next(p for p in root.rglob("a.md"))
    path.write_text(path.read_text().replace(f"\n{line}", f"\nMINE {line}"))
    app.update()
    for name in ("b.md", "c.md"):
        (old,) = (p for p in tree(root) if p.endswith(f"/{name}"))
        assert run(["move", old, "elsewhere", "--vault", str(root)]) == 0
    before = tree(root / "memory")
    for _ in range(2):
        report, _ = bring({})
        assert {s.action for s in report.plan.steps} == {"unchanged"}
        assert not any(s.held for s in report.plan.steps)
    assert tree(root / "memory") == before
    report, _ = bring({"a.md": files["a.md"].replace("last", "new last")})
    assert "new last" in path.read_text()
    assert f"MINE {line}" in path.read_text()


def test_of_a_vault_of_mindcache_its_own_pages_stay_there(bring, tmp_path) -> None:
    box = "- [ ] Retire [[A]] for [[B]] ^p-aaaaaaaaaa\n"
    pages = {
        "Start here.md": (ROOT / "vault_template" / "Start here.md").read_bytes(),
        "Digest report.md": f"---\nid: {REPORT_ID}\ntype: summary\n---\nA night.\n",
        "proposals/P.md": f"---\ntype: proposal\n---\n{box}",
        "templates/Fact.md": "---\ntype: fact\n---\n",
        ".mindcacheignore": "templates/\n",
        "Mine.md": "---\ntype: proposal\n---\nWe offer a boat.\n",
        "Other.markdown": "Tea is green.\n",
    }
    report, _ = bring(pages)
    assert len(report.plan.of("made")) == 6  # a folder of anybody's
    (tmp_path / "src" / ".mindcache").mkdir()
    report, _ = bring({"New.md": "Coffee is brown.\n"})
    made = report.plan.of("made", "unchanged", "changed")
    assert sorted(s.path for s in made) == [
        "memory/Mine.md",
        "memory/New.md",
        "memory/Other.md",
    ]
    assert {each.what: each.count for each in report.left} == {
        "ignored note": 1,
        "page of Mindcache's own": 2,
        "page of proposals": 1,
    }
