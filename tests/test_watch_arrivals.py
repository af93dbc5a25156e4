"""What a sync program put there, told from what was saved here while somebody looked on."""

from __future__ import annotations

from pathlib import Path

from mindcache.app import App
from mindcache.sync import put
from mindcache.watch.arrivals import Arrivals
from tests.conftest import MakeVault
from tests.watching import Daemon, until


def test_a_file_that_had_a_name_of_syncthing_s_came(tmp_path: Path) -> None:
    note = tmp_path / "n.md"
    note.write_text("came\n")
    arrivals = Arrivals(str(tmp_path))
    arrivals.looks()
    assert arrivals.known() is None
    arrivals.seen(None)
    for mine in ("n.md", "n.md~", ".n.md.tmp"):
        arrivals.vanished(mine)
    arrivals.touched("n.md")
    assert arrivals.known() == {}
    for name in (".syncthing.n.md.tmp", "a/~syncthing~n.md.tmp"):
        arrivals.vanished(name)
        arrivals.touched("n.md")
        arrivals.touched("other.md")
        assert arrivals.known() == {"n.md": put(note.stat())}
        arrivals.seen(["other.md"])
        assert arrivals.known() == {"n.md": put(note.stat())}
        arrivals.seen(["n.md"])
        assert arrivals.known() == {}


def test_what_comes_while_others_are_looked_at_still_counts(tmp_path: Path) -> None:
    note = tmp_path / "n.md"
    note.write_text("came\n")
    arrivals = Arrivals(str(tmp_path))
    arrivals.looks()
    arrivals.seen(None)
    arrivals.known()
    arrivals.vanished(".syncthing.n.md.tmp")
    arrivals.touched("n.md")
    arrivals.seen(None)
    assert arrivals.known() == {"n.md": put(note.stat())}
    arrivals.blind()
    assert arrivals.known() is None


def test_the_daemon_tells_what_came_from_what_was_saved(
    make_vault: MakeVault, tmp_path: Path
) -> None:
    root = make_vault({".stfolder/x": "", "n.md": "one\n"})
    app = App(str(root), str(tmp_path / "cache"))
    assert app.versions is not None
    daemon = Daemon(root, tmp_path / "cache")
    daemon.start()
    try:
        for number, text in enumerate(("saved\n", "came\n", "saved again\n"), 2):
            beside = root / (".syncthing.n.md.tmp" if text == "came\n" else ".n.md.tmp")
            beside.write_text(text)
            beside.replace(root / "n.md")
            until(lambda n=number: len(app.versions.of("n.md")) == n, "it is kept")
            until(daemon.is_idle, "the daemon rests")
    finally:
        daemon.close()
    kept = [(each.how, each.is_followed) for each in app.versions.of("n.md")]
    assert kept == [
        ("unknown", False), ("changed", True), ("arrived", True), ("changed", True)
    ]  # fmt: skip
