"""What topics of real vaults and of news are called, each read and judged.

`topics_judged.tsv` holds their titles and our verdicts: `good` where a reader knows
from the title what is inside, `fair` where he has to look, `poor` where he is misled;
under `summary` the same of what its summary says.
None of the notes' own sentences is kept here. A change that gives other titles has to
be read before it passes.
"""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from datetime import datetime
from pathlib import Path

import pytest

from bench.digest import lay_down, texts_of
from mindcache.digest import digest

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data"
JUDGED = Path(__file__).parent / "topics_judged.tsv"

NOW = datetime(2026, 5, 1, 12, 0)  # noqa: DTZ001  civil time
# Titles that nobody has judged yet, or that are gone: a reworded rule may bring some.
UNJUDGED = 3
GOOD = 0.7
POOR = 1


def judged(of: str = "verdict") -> dict[str, dict[str, str]]:
    """Verdicts by vault and title, of titles or of summaries."""
    found: dict[str, dict[str, str]] = {}
    with JUDGED.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            found.setdefault(row["vault"], {})[row["title"]] = row[of]
            assert row["why"]
    return found


@pytest.mark.parametrize("of", ["verdict", "summary"])
def test_most_were_found_good(of) -> None:
    verdicts = Counter(v for titles in judged(of).values() for v in titles.values())
    assert verdicts.keys() <= {"good", "fair", "poor"}
    assert verdicts.total() >= 40
    assert verdicts["good"] >= GOOD * verdicts.total()
    assert verdicts["poor"] <= POOR


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(judged()))
def test_topics_are_called_what_was_judged(name, tmp_path, make_app) -> None:
    vault = tmp_path / "vault"
    now = NOW
    if name == "bbc":
        if not (DATA / "topics" / "bbc").is_dir():
            pytest.skip("no labelled news beside the repository")
        now = datetime(2026, 3, 2, 3, 0)  # noqa: DTZ001  civil time
        vault.mkdir()
        texts = texts_of("bbc", str(DATA / "topics"))
        numbered = ((at, text) for at, (text, _) in enumerate(texts))
        lay_down(str(vault), numbered, now.replace(day=1, hour=0))
    else:
        ours = name == "consultant"
        source = (ROOT / "examples" if ours else DATA / "vaults") / name
        if not source.is_dir():
            pytest.skip(f"no vault {name} beside the repository")
        shutil.copytree(source, vault)
        for path in (vault, *vault.rglob("*")):
            path.chmod(path.stat().st_mode | 0o700)
    (vault / ".obsidian").mkdir(exist_ok=True)
    made = {Path(path).stem for path in digest(make_app(vault), now=now).made}
    known = judged()[name].keys()
    changed = f"not judged: {sorted(made - known)}; gone: {sorted(known - made)}"
    assert len(made ^ known) <= UNJUDGED, changed
