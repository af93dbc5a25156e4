"""Vaults that nobody here wrote: out and back, no byte and no edge lost."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from mindcache.exporters import Destination, export_folder, export_json, schema_text
from mindcache.importers.restore import restore
from mindcache.recall import Filters
from tests.exports import breaches

VAULTS = Path(__file__).parents[2] / "shared" / "data" / "vaults"
NAMES = (
    "obsidian-help-en",
    "kepano-obsidian",
    "logseq-docs",
    "dataview-test-vault",
    "markdown-oxide-testfiles",
)


@pytest.fixture(params=NAMES)
def root(request) -> Path:
    path = VAULTS / request.param
    if not path.is_dir():
        pytest.skip(f"{path.name} is not there")
    return path


def test_out_and_back(root: Path, make_vault, make_app, tmp_path: Path) -> None:
    app = make_app(root, "theirs")
    out = io.BytesIO()
    report = export_json(app, Filters(), Destination("-"), stdout=out)
    assert not report.is_lossy
    whole = json.loads(out.getvalue())
    schema = json.loads(schema_text())
    assert breaches(whole, schema, schema) == []
    assert report.notes == len(whole["nodes"]) == app.reader().counts()["notes"]
    there = tmp_path / "x.json"
    there.write_bytes(out.getvalue())
    home = make_vault({})
    back = make_app(home, "ours")
    result = restore(back, str(there))
    for path, error in result.refused:
        # Only names that some system can't store stay out.
        assert "Windows" in str(error), path
    for path in result.made:
        assert (home / path).read_bytes() == (root / path).read_bytes()
    if not result.refused:
        edges = list(app.reader().edges_from())
        assert back.reader().edges_from() == edges


def test_links_lead_on_without_properties(root: Path, make_app, tmp_path: Path) -> None:
    app = make_app(root, "theirs")
    there = tmp_path / "plain"
    report = export_folder(app, Filters(), Destination(str(there)), "none")
    assert not report.is_lossy
    plain = make_app(there, "of-the-copy")
    before = {(e.source, e.target) for e in app.reader().edges_from() if not e.field}
    after = {(e.source, e.target) for e in plain.reader().edges_from()}
    assert before <= after
