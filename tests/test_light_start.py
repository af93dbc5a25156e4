"""What a cold start may load: help and tag queries stay clear of the heavy libraries."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HEAVY = {
    *("numpy", "networkx", "model2vec", "peewee", "mcp", "rich", "tokenizers"),
    *("pathspec", "watchdog", "rank_bm25", "dateutil", "detect_secrets", "requests"),
}
SCRIPT = """
import sys
from mindcache.cli import run
code = run(sys.argv[1:])
print("\\nLOADED", *sorted(sys.modules), file=sys.stderr)
sys.exit(code)
"""


def play(vault: Path, *args: str) -> tuple[str, set[str]]:
    """What a command printed, and the top-level modules that it had loaded."""
    said, modules = played(vault, *args)
    return said, {name.partition(".")[0] for name in modules}


def ran(script: str, vault: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """A process of this very code that carries out a script in a vault."""
    return subprocess.run(
        [sys.executable, "-c", script, *args],
        cwd=vault,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )


def played(vault: Path, *args: str) -> tuple[str, set[str]]:
    """The same with every module by its whole name."""
    result = ran(SCRIPT, vault, *args)
    loaded = result.stderr.rpartition("LOADED")[2].split()
    return result.stdout, set(loaded)


@pytest.fixture
def vault(make_vault) -> Path:
    """A vault that is indexed and has not changed since."""
    root = make_vault(
        {
            "Pricing.md": "---\ntags:\n  - client/acme\n---\nA price.\n",
            "Tools.md": "We use #tool/dbt daily.\n",
            "journal/2026-11-29.md": "---\ntype: journal\ndate: 2026-11-29\n---\n"
            "- 09:00 Ines called ^j-7q2m\n",
        }
    )
    play(root, "index", "update")
    return root


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--help",), "Usage: mindcache"),
        (("--version",), "mindcache "),
        (("index", "query", "--help"), "--client"),
        (("recall", "--help"), "--batch"),
        (("index", "query", "--client", "acme"), "Pricing.md  client/acme"),
        (("index", "query", "--client", "acme", "--json"), '"path": "Pricing.md"'),
        (("index", "query", "--client", "amce"), "Nearest tags"),
        (("index", "tags"), "tool/dbt"),
        (("index", "tags", "--json"), '"tag": "tool/dbt"'),
        (("plans",), "Nothing from"),
        (("plans", "--help"), "--due"),
        (("status",), "3 notes"),
        (("topics",), "No topics here"),
        (("topics", "--json"), '"roots": []'),
        (("digest", "--help"), "--weekly"),
        (("digest", "status"), "never"),
        (("digest", "proposals"), "Nothing waits"),
        (("why-faint", "Pricing.md"), "never fades: undated"),
        (("timeline",), "Ines called"),
        (("timeline", "--day", "2026-11-29", "--json"), '"id": "j-7q2m"'),
        (("show", "j-7q2m"), "Ines called"),
        (("config",), "size_cap"),
        (("completion", "zsh"), "compdef"),
        (("mcp", "install"), "mcpServers"),
        (("mcp", "--help"), "stdin"),
        (("merge-driver", "Tools.md", "Tools.md", "Tools.md", "Tools.md"), ""),
    ],
)
def test_these_start_light(vault: Path, args: tuple[str, ...], said: str) -> None:
    out, loaded = play(vault, *args)
    assert said in out
    assert loaded & HEAVY == set()


def test_help_loads_no_command() -> None:
    result = subprocess.run(
        [sys.executable, "-c", SCRIPT, "--help"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    ours = {
        n
        for n in result.stderr.rpartition("LOADED")[2].split()
        if n.startswith("mindcache.")
    }
    assert "mindcache.app" not in ours
    assert "mindcache.cli.recall" not in ours


def test_recall_does_without_the_index_writer(vault: Path) -> None:
    out, loaded = play(vault, "recall", "price")
    assert "Pricing.md" in out
    assert loaded & {"model2vec", "networkx", "peewee", "rich", "mcp"} == set()


def test_a_question_without_a_time_loads_nothing_that_reads_times(vault):
    said, loaded = played(vault, "recall", "what is the price")
    assert "Pricing.md" in said
    assert "mindcache.when.phrases" not in loaded
    said, loaded = played(vault, "recall", "who called on 29 November 2026")
    assert "Ines called" in said
    assert "mindcache.when.phrases" in loaded


HOLDING = """
import contextlib, sys
from mindcache.cache import lock
from mindcache.cli import run
hold = lock.hold

@contextlib.contextmanager
def watched(path, *more):
    with hold(path, *more):
        before = set(sys.modules)
        yield
        if path.endswith("cache.sqlite.lock"):
            print("\\nLOADED", *(set(sys.modules) - before), file=sys.stderr)

lock.hold = watched
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.parametrize(
    "args", [("recall", "a price"), ("journal", "append", "Ines called")]
)
def test_who_has_the_cache_has_loaded_what_it_needs(
    vault: Path, args: tuple[str, ...]
) -> None:
    """Whoever else waits for it, a daemon first of all, waits for the work alone."""
    (vault / "Pricing.md").write_text("Another price.\n")
    result = ran(HOLDING, vault, *args)
    assert "LOADED" in result.stderr
    loaded = {name.partition(".")[0] for name in result.stderr.split()}
    assert not loaded & {"peewee", "numpy", "tokenizers", "yaml"}
    assert not loaded & {"snowballstemmer", "_mindcache_snowball", "Stemmer"}
