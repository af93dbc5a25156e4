"""Copies without a base: lines that go on, what both wrote, and earlier versions."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from mindcache.merge import merge, merge_by_earlier
from mindcache.write.diverged import find, settle
from mindcache.write.earlier import earlier_versions
from tests.conftest import MakeApp, MakeVault, write_files
from tests.test_write_sharing import _as_ines, git

__all__ = ["_as_ines"]

HEAD = "---\nid: m-1\nstatus: active\nowner: Ines\n---\n"
FIRST = HEAD + "# Pumps\n- the first pump leaks\n"
BASE = FIRST + "- the second one was replaced on Monday\n"
COPY = "n.sync-conflict-20261130-032821-CJ7RRAW.md"


def both(ours: str, theirs: str) -> str | None:
    """What two versions of which nothing is known become; None if it isn't certain."""
    found = merge("n.md", None, ours.encode(), theirs.encode())
    turned = merge("n.md", None, theirs.encode(), ours.encode())
    assert found.is_certain == turned.is_certain
    if found.is_certain:
        assert found.data == turned.data
    return found.data.decode() if found.is_certain else None


def test_lines_that_go_on_and_lines_beside_them_come_together() -> None:
    ours = BASE.replace("pump leaks", "pump leaks since May")
    theirs = BASE.replace("Monday", "Monday by Olav").replace(
        "- the second", "- nobody knows the supplier yet\n- the second"
    )
    assert both(ours, theirs) == theirs.replace("pump leaks", "pump leaks since May")


def test_what_both_put_at_the_end_is_kept_where_nobody_reworded_it() -> None:
    one, other = "- ask Halden for a quote\n", "- paint arrived this morning\n"
    assert both(BASE + one, BASE + other) == BASE + one + other
    # One may be what became of the other, or too short to be told from it.
    assert both(BASE + one, BASE + "- ask Halden for two quotes\n") is None
    assert both(BASE + "two\n", BASE + "zwei\n") is None
    assert both(BASE, BASE.replace("leaks", "drips")) is None


_LINES = st.lists(
    st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=6).map(" ".join),
    max_size=6,
)


@given(_LINES, _LINES)
def test_what_is_certain_without_a_base_has_every_line(one, other) -> None:
    merged = both("\n".join(one), "\n".join(other))
    if merged is None:
        return
    lines = merged.split("\n")
    for line in (*one, *other):
        assert any(each == line or each.startswith(f"{line} ") for each in lines)


def test_an_earlier_version_serves_where_no_word_gets_lost() -> None:
    ours = BASE + "- ask Halden for a quote\n"
    theirs = BASE + "- ask Halden for two quotes\n"
    found = merge_by_earlier("n.md", [BASE.encode()], ours.encode(), theirs.encode())
    assert found is not None
    assert "a quote" in found.data.decode()
    assert "two quotes" in found.data.decode()


def test_a_value_is_replaced_only_on_a_version_that_both_had() -> None:
    ours = BASE.replace("status: active", "status: archived")
    theirs = BASE.replace("owner: Ines", "owner: Olav")
    sides = (ours.encode(), theirs.encode())
    # Alone it does not tell whether the other side ever had it.
    assert merge_by_earlier("n.md", [BASE.encode()], *sides) is None
    found = merge_by_earlier("n.md", [BASE.encode(), FIRST.encode()], *sides)
    assert found is not None
    assert found.data.decode() == ours.replace("owner: Ines", "owner: Olav")
    # A third machine that never had the second line has an older value, no newer one.
    third = FIRST.replace("owner: Ines", "owner: Nobody")
    versions = [BASE.encode(), FIRST.encode()]
    assert merge_by_earlier("n.md", versions, sides[0], third.encode()) is None


def test_what_syncthing_replaced_and_git_has_is_looked_at(
    make_vault: MakeVault, make_app: MakeApp
) -> None:
    ours = BASE.replace("status: active", "status: archived")
    theirs = BASE.replace("owner: Ines", "owner: Olav")
    kept = {
        ".stversions/n~20261101-090000.md": FIRST,
        ".stversions/n~20261102-090000.md": BASE,
        ".stversions/n and more~20261103-090000.md": "another note",
    }
    root = make_vault({"n.md": ours, COPY: theirs, **kept})
    app = make_app(root)
    assert earlier_versions(app, "n.md") == [BASE.encode(), FIRST.encode()]
    assert [pair.is_certain for pair in find(app)] == [True]
    assert settle(app).failed == []
    assert (root / "n.md").read_text() == ours.replace("owner: Ines", "owner: Olav")
    assert (root / ".trash/n.md").read_text() == ours
    other = make_vault({"sub/n.md": FIRST})
    _committed(other)
    assert earlier_versions(make_app(other), "sub/n.md") == [
        BASE.encode(), FIRST.encode()
    ]  # fmt: skip


def _committed(root: Path) -> None:
    git(root, "init", "-q")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    write_files(root, {"sub/n.md": BASE})
    git(root, "commit", "-qam", "second")
