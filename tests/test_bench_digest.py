"""The bench of the digest: its measures, and a small set laid down night by night."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench import digest as bench
from bench.digest import agreement, k_means
from tests.themes import THEMES

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data" / "topics"


def test_the_same_groups_agree_wholly() -> None:
    found = agreement([3, 3, 1, 1], ["a", "a", "b", "b"])
    assert (found.groups, found.placed) == (2, 1.0)
    assert (found.nmi, found.ari, found.purity) == (1.0, 1.0, 1.0)


def test_measures_by_hand() -> None:
    # Two groups of two, one of them mixed; one text in none.
    found = agreement([0, 0, 1, 1, None], ["a", "a", "a", "b", "b"])
    assert found.placed == 0.8
    assert found.purity == 0.75
    assert found.ari == pytest.approx(0.0)
    assert found.nmi == pytest.approx(0.3437, abs=1e-4)


def test_nothing_placed_measures_nothing() -> None:
    assert agreement([None, None], ["a", "b"]).placed == 0.0


def test_k_means_finds_what_lies_apart() -> None:
    rng = np.random.default_rng(2)
    middles = np.array([[100, 0, 0], [0, 100, 0], [0, 0, 100]])
    whose = np.repeat(np.arange(3), 20)
    noise = rng.integers(-9, 10, size=(60, 3))
    rows = (middles[whose] + noise).astype(np.int8)
    found = agreement(k_means(rows, 3), [str(each) for each in whose])
    assert found.ari == 1.0


@pytest.fixture
def data(tmp_path) -> Path:
    """A set in the form of the news: a folder for each class."""
    for kind, texts in THEMES.items():
        folder = tmp_path / "data" / "bbc" / "data_files" / kind
        folder.mkdir(parents=True)
        for title, text in texts.items():
            (folder / f"{title}.txt").write_text(f"{title}\n\n{text}\n")
            (folder / f"{title} 2.txt").write_text(f"Of {title}\n\n{text}\n")
    (folder / "odd.txt").write_bytes(
        "The query cost £9 of the Postgres".encode("cp1252")
    )
    return tmp_path / "data"


def test_a_small_set_is_measured_whole(data, capsys) -> None:
    assert bench.main(["--data", str(data), "--sets", "bbc", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["texts"], found["classes"]) == (37, 3)
    assert found["leaves"]["purity"] >= 0.9
    assert found["leaves"]["placed"] >= 0.9
    assert found["nights"]["under_mean"] >= 0.9
    assert found["asked"]["questions"] > 30
    assert found["asked"]["third"] >= 0.9
    lines = bench._printed(found)
    assert lines[0].startswith("bbc: 37 texts, 3 classes, 21 nights")


def test_without_texts_it_says_so(tmp_path, capsys) -> None:
    assert bench.main(["--data", str(tmp_path)]) == 1
    assert "no texts" in capsys.readouterr().out


@pytest.fixture(scope="module")
def news() -> dict[str, Any]:
    """What the bench finds out about labelled news, measured once."""
    if not (DATA / "bbc").is_dir():
        pytest.skip("no labelled news beside the repository")
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        assert bench.main(["--data", str(DATA), "--sets", "bbc", "--json"]) == 0
    found: dict[str, Any] = json.loads(said.getvalue())
    return found


@pytest.mark.slow
def test_news_find_their_desks(news) -> None:
    leaves, level = news["leaves"], news["nearest_level"]
    assert leaves["purity"] >= 0.93
    assert leaves["nmi"] >= 0.60
    assert leaves["placed"] >= 0.90
    assert level["nmi"] >= 0.80
    assert level["purity"] >= 0.93
    assert news["nights"]["under_mean"] >= 0.98


@pytest.mark.slow
def test_news_need_few_topics(news) -> None:
    assert news["leaves"]["groups"] <= 25


def test_digests_of_a_large_vault_are_measured(capsys) -> None:
    assert bench.main(["--notes", "60", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["notes"] == 60
    names = [row["name"] for row in found["rows"]]
    assert names == [
        "first digest",
        "a night with 100 new notes",
        "a night without news",
        "a quarter of all in the inbox",
    ]
    assert all(row["wall"] > 0 and row["memory"] > 10 for row in found["rows"])


@pytest.mark.slow
def test_news_stay_where_they_were(news) -> None:
    assert news["nights"]["kept_mean"] >= 0.97
