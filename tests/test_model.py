"""The model that ships inside, and what tells two models apart."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mindcache import model
from mindcache.errors import ConfigError

FILES = ("config.json", "tokenizer.json", "model.safetensors")


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    for name in FILES:
        shutil.copy(Path(model.shipped()) / name, tmp_path / name)
    return tmp_path


def test_equal_contents_have_one_identity_wherever_they_lie(copied: Path) -> None:
    assert model.identity(str(copied)) == model.identity(model.shipped())


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("place", ["first", "last", "longer"])
def test_another_file_is_another_model(copied: Path, name: str, place: str) -> None:
    data = bytearray((copied / name).read_bytes())
    if place == "longer":
        data += b"\0"
    else:
        data[0 if place == "first" else -1] ^= 1
    (copied / name).write_bytes(data)
    assert model.identity(str(copied)) != model.identity(model.shipped())


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_another_model(copied: Path, name: str) -> None:
    (copied / name).unlink()
    assert model.identity(str(copied)) != model.identity(model.shipped())


def test_what_is_no_part_of_the_model_does_not_count(copied: Path) -> None:
    (copied / "README.md").write_text("a card")
    (copied / "__pycache__").mkdir()
    assert model.identity(str(copied)) == model.identity(model.shipped())


def test_no_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="none") as caught:
        model.identity(str(tmp_path / "none"))
    assert "model" in caught.value.mend
