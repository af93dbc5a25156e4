"""The ledger: what is written is read again, and nothing else is written."""

from __future__ import annotations

import pytest

from mindcache.vault import Entry, Ledger, Vault


def test_entries_come_back(tmp_path) -> None:
    ledger = Ledger(Vault(str(tmp_path)), "one")
    entries = [Entry("made", "topic", "m-1", id="m-1"), Entry("digest", "day", "2026")]
    ledger.add(entries)
    assert ledger.entries == entries
    assert ledger.problems == []


@pytest.mark.parametrize(
    "entry",
    [Entry("", "topic", "x"), Entry("made", "", "x"), Entry("made", "topic", "")],
)
def test_what_names_nothing_is_not_written(tmp_path, entry) -> None:
    ledger = Ledger(Vault(str(tmp_path)), "one")
    with pytest.raises(ValueError, match="not an entry"):
        ledger.add([Entry("made", "topic", "m-1"), entry])
    assert ledger.entries == []
    assert not (tmp_path / ".mindcache").exists()
