"""Files that are built piece by piece: whole under their name, or not there at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from mindcache import atomic


def write(path: Path, text: str, *, over: bool = False, fail: bool = False) -> None:
    with atomic.building(str(path), over=over) as temporary:
        Path(temporary).write_text(text)
        assert not path.exists() or path.read_text() != text
        if fail:
            raise ValueError(text)


def test_what_is_built_takes_its_name_at_the_end(tmp_path: Path) -> None:
    write(tmp_path / "a", "one")
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
    assert (tmp_path / "a").read_text() == "one"


def test_a_name_that_was_taken_meanwhile_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("theirs")
    with pytest.raises(FileExistsError):
        write(tmp_path / "a", "ours")
    assert (tmp_path / "a").read_text() == "theirs"
    write(tmp_path / "a", "ours", over=True)
    assert (tmp_path / "a").read_text() == "ours"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_a_failure_leaves_the_old_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    with pytest.raises(ValueError, match="half"):
        write(tmp_path / "a", "half", over=True, fail=True)
    assert (tmp_path / "a").read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]
