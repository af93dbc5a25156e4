"""The command line as a process: pipes, disks, signals, bytes, terminals.

What commands print is held by the transcripts; here is what a transcript can't
show.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import resource
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import click
import pytest

from mindcache.cache import lock
from mindcache.cli import output, run
from mindcache.cli.answers import words
from mindcache.cli.failures import database_error, guarded
from mindcache.cli.places import notes_at, vault_path
from mindcache.cli.root import root
from mindcache.errors import Refused, UsageError
from mindcache.recall import Ask
from mindcache.vault import Vault
from tests.conftest import write_files

ROOT = Path(__file__).parents[1]
NOTES = {
    "Pumps.md": "The bilge pump runs on Mondays. #tool/pump\n",
    "sub/Ropes.md": "Ropes are spliced, never knotted. See [[Pumps]].\n",
}


def start(*args: str, **options) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **options.pop("env", {})}
    return subprocess.Popen(
        [sys.executable, "-m", "mindcache", *args],
        stdout=options.pop("stdout", subprocess.PIPE),
        stderr=options.pop("stderr", subprocess.PIPE),
        env=environment,
        **options,
    )


def finish(*args: str, **options) -> tuple[int, bytes, str]:
    process = start(*args, **options)
    out, err = process.communicate(timeout=60)
    return process.returncode, out or b"", (err or b"").decode()


def settle(vault: Path) -> None:
    """Make the notes look written long ago, so that their stamps are trusted."""
    for note in vault.rglob("*.md"):
        os.utime(note, (1_700_000_000, 1_700_000_000))


def every_command() -> list[tuple[str, click.Command]]:
    """All commands and groups with their full names."""
    found: list[tuple[str, click.Command]] = []

    def walk(name: str, command: click.Command) -> None:
        found.append((name, command))
        if isinstance(command, click.Group):
            context = click.Context(command)
            for each in command.list_commands(context):
                below = command.get_command(context, each)
                assert below is not None
                walk(f"{name} {each}".strip(), below)

    walk("", root)
    return found


COMMANDS = every_command()


# -- help ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "command"), COMMANDS, ids=[n or "-" for n, _ in COMMANDS]
)
def test_every_command_has_help_and_an_example(
    name: str, command: click.Command
) -> None:
    assert command.help
    assert command.epilog is not None
    assert f"mindcache {name}".strip() in command.epilog


@pytest.mark.parametrize(
    ("name", "command"), COMMANDS, ids=[n or "-" for n, _ in COMMANDS]
)
def test_every_option_is_explained(name: str, command: click.Command) -> None:
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts}"


def test_every_command_takes_the_shared_options() -> None:
    for name, command in COMMANDS:
        options = {o for p in command.params for o in p.opts}
        assert {"--vault", "--cache-dir"} <= options, name


def test_json_is_offered_by_everything_that_answers() -> None:
    without = {
        name
        for name, command in COMMANDS
        if not isinstance(command, click.Group)
        and "--json" not in {o for p in command.params for o in p.opts}
    }
    assert without == {"completion", "hook", "merge-driver", "watch"}


@pytest.mark.parametrize(
    "args", [(), ("index",), ("search",), ("--help",), ("config",)]
)
def test_a_bare_call_leaves_no_trace(tmp_path: Path, args: tuple[str, ...]) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "Note.md").write_text("A note.\n")
    environment = {
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "MINDCACHE_CONFIG_DIR": "",
        "MINDCACHE_CACHE_DIR": "",
    }
    code, _, _ = finish(*args, cwd=home, env=environment)
    assert code == (0 if args in {("--help",), ("config",)} else 2)
    assert os.listdir(home) == ["Note.md"]


# -- where the vault is ----------------------------------------------------------


def test_shared_options_count_before_and_after(make_vault, tmp_path: Path) -> None:
    vault = make_vault(NOTES)
    places = [tmp_path / "one", tmp_path / "two", tmp_path / "three"]
    calls = [
        ("--vault", vault, "--cache-dir", places[0], "index", "tags"),
        ("index", "--vault", vault, "--cache-dir", places[1], "tags"),
        ("index", "tags", "--vault", vault, "--cache-dir", places[2]),
    ]
    for call, place in zip(calls, places, strict=True):
        code, out, _ = finish(*map(str, call), cwd=tmp_path)
        assert (code, out) == (0, b"tool/pump  1\n")
        assert list(place.glob("*/cache.sqlite"))


def test_a_vault_is_found_from_within_and_by_variable(
    make_vault, tmp_path: Path
) -> None:
    vault = make_vault(NOTES)
    assert finish("index", "tags", cwd=vault / "sub")[0] == 0
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    code, _, err = finish("index", "tags", cwd=elsewhere)
    assert code == 5
    assert "mindcache init" in err
    variable = {"MINDCACHE_VAULT": str(vault)}
    assert finish("index", "tags", cwd=elsewhere, env=variable)[0] == 0


def test_paths_are_taken_from_here_then_from_the_root(make_vault, monkeypatch) -> None:
    root = make_vault({**NOTES, "Ropes.md": "Other ropes.\n"})
    vault = Vault(str(root))
    monkeypatch.chdir(root / "sub")
    assert vault_path(vault, "Ropes.md") == "sub/Ropes.md"
    assert vault_path(vault, "sub/Ropes.md") == "sub/Ropes.md"
    assert vault_path(vault, "Pumps.md") == "Pumps.md"
    assert vault_path(vault, str(root / "Ropes.md")) == "Ropes.md"
    assert notes_at(vault, ["."]) == ["sub/Ropes.md"]
    assert notes_at(vault, [".."]) == ["Pumps.md", "Ropes.md", "sub/Ropes.md"]
    for outside in ("../../x.md", "/etc/passwd"):
        with pytest.raises(UsageError, match="not in the vault"):
            vault_path(vault, outside)


@pytest.mark.parametrize("empty", ["", "  "])
@pytest.mark.parametrize(
    "args",
    [
        ("adopt", "{}"),
        ("adopt", "Pumps.md", "{}", "--write"),
        ("lint", "{}"),
        ("init", "{}"),
        ("index", "update", "--file", "{}"),
        ("index", "update", "--file", "Pumps.md", "--file", "{}"),
        ("--vault", "{}", "status"),
        ("status", "--cache-dir", "{}"),
    ],
)
def test_an_empty_path_never_means_everything(
    make_vault, args: tuple[str, ...], empty: str
) -> None:
    vault = make_vault(NOTES)
    code, out, err = finish(*(a.format(empty) for a in args), cwd=vault)
    assert (code, out) == (2, b"")
    assert "empty" in err or "names no" in err
    found = {p.relative_to(vault).as_posix() for p in vault.rglob("*.md")}
    assert found == set(NOTES)
    assert (vault / "Pumps.md").read_text() == NOTES["Pumps.md"]


def test_the_default_vault_says_that_it_answers(make_vault, tmp_path: Path) -> None:
    vault = make_vault(NOTES)
    settings = tmp_path / "settings"
    settings.mkdir()
    (settings / "config.toml").write_text(f'vault = "{vault}"\n')
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    machine = {"MINDCACHE_CONFIG_DIR": str(settings)}
    code, out, err = finish("index", "tags", cwd=elsewhere, env=machine)
    assert (code, out) == (0, b"tool/pump  1\n")
    assert err == f"mindcache: no vault here; this is the default one, {vault}\n"
    for call, place in (
        (("index", "tags", "--json"), elsewhere),
        (("index", "tags", "--vault", str(vault)), elsewhere),
        (("index", "tags"), vault / "sub"),
    ):
        code, _, err = finish(*call, cwd=place, env=machine)
        assert (code, err) == (0, "")


def test_a_deleted_current_folder_is_no_matter_with_a_whole_path(
    make_vault, tmp_path: Path
) -> None:
    vault = make_vault(NOTES)
    script = (
        'mkdir gone && cd gone && rmdir ../gone && exec "$0" -m mindcache "$@" 2>&1'
    )

    def from_nowhere(*args: str) -> tuple[int, str]:
        result = subprocess.run(
            ["sh", "-c", script, sys.executable, *args],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return result.returncode, result.stdout

    whole = ("--vault", str(vault))
    assert from_nowhere(*whole, "index", "tags") == (0, "tool/pump  1\n")
    code, out = from_nowhere(*whole, "adopt", "sub/Ropes.md")
    assert code == 0
    assert "nothing written yet" in out
    for args in (("index", "tags"), ("--vault", "vault", "index", "tags"), ("init",)):
        code, out = from_nowhere(*args)
        assert code == 5
        assert out.startswith("mindcache: the current folder was deleted (")


# -- pipes, disks, signals ---------------------------------------------------------


def test_a_reader_that_leaves_early_is_no_error(make_vault) -> None:
    vault = make_vault({f"{n}.md": "rope " * 60 for n in range(300)})
    process = start(
        "search", "exact", "rope", "--limit", "300", "--floor", "0", cwd=vault
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait(timeout=60)


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(
    "call",
    [
        "search exact pump",
        "--version",
        "recall --batch -",
        "show Pumps --raw",
        "config",
    ],
)
def test_closed_streams_are_no_error(make_vault, call: str, closed: str) -> None:
    vault = make_vault(NOTES)
    result = subprocess.run(
        ["sh", "-c", f'exec "$0" -m mindcache {call} {closed}', sys.executable],
        cwd=vault,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (result.returncode, result.stderr) == (0, b"")
    hears = ">&-" not in closed.replace("2>&-", "") and "--batch" not in call
    assert bool(result.stdout) is hears


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.parametrize("extra", [(), ("--json",)])
def test_a_full_disk_is_said_and_fails(make_vault, extra: tuple[str, ...]) -> None:
    vault = make_vault(NOTES)
    with open("/dev/full", "wb") as full:
        code, _, err = finish("recall", "pump", *extra, cwd=vault, stdout=full)
    assert code == 1
    assert err.startswith("mindcache: No space left on device")
    assert err.count("\n") == 1


def test_ctrl_c_ends_with_130_and_no_traceback(make_vault) -> None:
    vault = make_vault(NOTES)
    assert finish("index", "update", cwd=vault)[0] == 0
    cache = next(Path(os.environ["MINDCACHE_CACHE_DIR"]).glob("*/cache.sqlite"))
    with lock.hold(str(cache) + ".lock", 1):
        process = start("index", "update", cwd=vault)
        assert process.stderr is not None
        waiting = process.stderr.readline()
        assert b"another process is writing the cache" in waiting
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert b"Traceback" not in rest


def test_a_damaged_cache_names_the_mend_and_the_mend_works(make_vault) -> None:
    vault = make_vault({f"{n}.md": f"Note {n} about ropes.\n" for n in range(400)})
    assert finish("index", "update", cwd=vault)[0] == 0
    settle(vault)
    assert finish("index", "update", cwd=vault)[0] == 0
    cache = next(Path(os.environ["MINDCACHE_CACHE_DIR"]).glob("*/cache.sqlite"))
    for beside in cache.parent.glob("cache.sqlite-*"):
        beside.unlink()
    with cache.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xa5" * (cache.stat().st_size - 16384))
    code, _, err = finish("recall", "ropes", cwd=vault)
    if code:  # a command that syncs may have mended it on the way
        assert code == 1
        assert "mindcache doctor --repair" in err
        assert "Traceback" not in err
        assert finish("doctor", cwd=vault)[0] == 1
    assert finish("doctor", "--repair", cwd=vault)[0] == 0
    assert finish("doctor", cwd=vault)[0] == 0
    code, out, _ = finish("recall", "ropes", "--floor", "0", "--json", cwd=vault)
    assert code == 0
    assert json.loads(out)["hits"]


def test_repair_builds_anew_even_where_no_fault_is_seen(make_vault) -> None:
    vault = make_vault(NOTES)
    settle(vault)
    assert finish("index", "update", cwd=vault)[0] == 0
    cache = next(Path(os.environ["MINDCACHE_CACHE_DIR"]).glob("*/cache.sqlite"))
    with contextlib.closing(sqlite3.connect(cache)) as connection, connection:
        secret = b"\xff a whole paragraph of the note".hex()
        connection.execute(f"UPDATE nodes SET title = CAST(x'{secret}' AS TEXT)")
    code, _, err = finish("show", "Pumps", cwd=vault)
    assert code == 1
    assert "Could not decode to UTF-8" in err
    assert "paragraph" not in err
    assert "mindcache doctor --repair" in err
    code, out, err = finish("doctor", "--repair", cwd=vault)
    assert code == 0
    assert b"The cache was built anew." in out
    assert b"--repair" not in out
    assert finish("show", "Pumps", cwd=vault)[0] == 0
    repaired = json.loads(finish("doctor", "--repair", "--json", cwd=vault)[1])
    assert repaired["repaired"] is True


def fill_and_roll_back(connection: sqlite3.Connection) -> None:
    """Run out of room in a transaction, which SQLite rolls back by itself at once."""
    connection.execute("BEGIN")
    try:
        connection.execute("INSERT INTO t VALUES (zeroblob(100000))")
    except sqlite3.OperationalError:
        connection.execute("ROLLBACK")
        raise


def test_the_first_cause_is_told_where_a_rollback_failed_too() -> None:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE t (x)")
    connection.execute("PRAGMA max_page_count = 3")
    with pytest.raises(sqlite3.OperationalError, match="is active") as raised:
        fill_and_roll_back(connection)
    connection.close()
    told = database_error(raised.value, "/somewhere/cache")
    assert told.message == "the disk of /somewhere/cache is full"
    assert "--cache-dir" in told.mend
    assert "--repair" not in str(told)
    assert told.exit_code == 1


def test_a_held_cache_answers_as_stale(make_vault, make_app, monkeypatch) -> None:
    vault = make_vault(NOTES)
    settle(vault)
    app = make_app(vault)
    app.update()
    (vault / "New.md").write_text("Fresh paint.\n")
    monkeypatch.setattr("mindcache.app.keeping.WAIT_TO_ANSWER", 0.1)
    with lock.hold(app.cache_path + ".lock", 1):
        answer = app.ask("exact", Ask("pump"))
    assert answer.stale
    assert answer.pending == 1
    assert answer.hits[0].path == "Pumps.md"


# -- text and bytes ------------------------------------------------------------------


def test_output_is_utf8_in_any_locale(make_vault) -> None:
    vault = make_vault({"Été.md": "Café über 合約, naïve 🛶.\n"})
    for locale in ({"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}):
        code, out, _ = finish("show", "Été", cwd=vault, env=locale)
        assert code == 0
        assert "Café über 合約, naïve 🛶." in out.decode("utf-8")


@pytest.mark.parametrize(
    "data",
    [
        b"plain\r\nlines\r\n",
        b"\xef\xbb\xbf---\r\ntitle: bom\r\n---\r\nno final newline",
        b"caf\xe9 in latin-1\n",
        b"escape \x1b[2J and nul \x00\n",
        b"",
    ],
)
def test_show_raw_gives_the_very_bytes(make_vault, data: bytes) -> None:
    vault = make_vault({"Note.md": data})
    assert finish("show", "Note", "--raw", cwd=vault)[:2] == (0, data)


def test_text_for_people_holds_no_control_characters() -> None:
    hostile = "a\x1b[31mb\x9b2Jc\x07\x00\x7f\r\nd\te\rf"
    assert output.clean(hostile) == "a�[31mb�2Jc���\nd\te\nf"
    assert output.single("  two\n\nlines\t\x1b ") == "two lines �"


def test_text_for_people_cannot_be_turned_around_or_hidden() -> None:
    turned = "safe\u202egnp.exe\u2066x\u2069 a\u200bb\u200e\u200f\ufeffc"
    assert output.clean(turned) == "safe\ufffdgnp.exe\ufffdx\ufffd abc"
    hidden = "a\U000e0061\U000e007f\u2062\u00ad\u3164b\ufe0f\u200b\ufe01\U000e0101c"
    assert output.clean(hidden) == "ab\ufe0fc"
    assert output.path_text("a\U000e0061.md") == "a\\U000e0061.md"
    assert "\U000e0061" not in output.json_text(hidden)
    assert json.loads(output.json_text(hidden)) == hidden
    joined = "👩\u200d🔧 می\u200cخواهم ❤\ufe0f 葛\U000e0100"
    assert output.clean(joined) == joined
    text = output.json_text(turned)
    assert text.isascii()
    assert json.loads(text) == turned


def test_paths_are_printed_unchanged_but_for_what_cannot_be_seen() -> None:
    plain = "a  b/ c .md 👩\u200d🔧 é"
    assert output.path_text(plain) == plain
    assert output.path_text("a\tb\nc\x1b\u202ed\u200b") == (
        "a\\tb\\nc\\x1b\\u202ed\\u200b"
    )


def test_two_spaces_in_a_name_are_kept_wherever_it_is_shown(make_vault) -> None:
    name = "Two  spaces.md"
    vault = make_vault({name: "Alone here. #tool/pump\n[[Nowhere]]\n"})
    for call in (
        ("show", name),
        ("search", "exact", "--tag", "tool"),
        ("links", "--unresolved"),
        ("index", "query", "--tool", "pump"),
        ("adopt", name),
        ("search", "graph", name),
    ):
        code, out, _ = finish(*call, cwd=vault)
        assert code == 0
        assert name in out.decode(), call
    (vault / "b?  c.md").write_text("x\n")
    assert b"b?  c.md" in finish("doctor", cwd=vault)[1]


def test_a_listing_says_how_many_more_there_are(make_vault) -> None:
    vault = make_vault({f"{n}.md": f"Rope {n}. #tool/rope\n" for n in range(23)})
    code, out, _ = finish("search", "exact", "--tag", "tool", cwd=vault)
    assert code == 0
    assert out.decode().splitlines()[-1] == "13 more; --limit 23 shows them"
    call = ("search", "exact", "--tag", "tool", "--limit", "23")
    assert b" more" not in finish(*call, cwd=vault)[1]
    shape = json.loads(
        finish("search", "exact", "--tag", "tool", "--json", cwd=vault)[1]
    )
    assert (len(shape["hits"]), shape["left_out"]) == (10, 13)


@pytest.mark.parametrize("floor", ["nan", "NaN", "inf", "-inf", "-0.1", "1.01", "x"])
def test_a_floor_is_a_number_from_0_to_1(make_vault, floor: str) -> None:
    vault = make_vault(NOTES)
    code, out, err = finish("recall", "pump", f"--floor={floor}", cwd=vault)
    assert (code, out) == (2, b"")
    assert "--floor" in err


def test_json_reads_back_equal_and_steers_no_terminal() -> None:
    value = {"a": "esc \x1b csi \x9b del \x7f lone \udc80 é 合"}
    for compact in (True, False):
        text = output.json_text(value, compact=compact)
        assert not {c for c in text if c < " " and c != "\n"} | (
            {"\x7f", "\x9b"} & set(text)
        )
        assert json.loads(text) == value


ODD = "b\udcff.md"  # the bytes b"b\xff.md", as the system hands them on


@pytest.mark.parametrize(
    "call",
    [
        ("recall", ODD), ("recall", "pump", "--tag", ODD), ("recall", f"--tag={ODD}"),
        ("search", "exact", ODD), ("search", "graph", ODD), ("index", "query", "--tag", ODD),
        ("index", "update", "--file", ODD), ("show", ODD), ("links", ODD), ("history", ODD),
        ("forget", ODD), ("archive", ODD), ("restore", ODD), ("retire", ODD),
        ("plan", ODD, "occurred"), ("update", ODD, "--set", "a=b"), ("rename", ODD, "c"),
        ("rename", "pump", ODD), ("move", ODD, "there"), ("link", ODD, "about", "pump"),
        ("entity", "create", ODD), ("entity", "merge", ODD, "pump"), ("adopt", ODD),
        ("remember", ODD), ("journal", "append", ODD), ("lint", ODD), ("import", "calendar", ODD),
        ("export", "json", "--to", ODD), ("timeline", "--project", ODD), ("config", ODD),
        ("--vault", ".", "show", "\ud800"), (ODD,),
    ],
    ids=" ".join,
)  # fmt: skip
def test_an_argument_that_is_not_utf8_reaches_no_command(
    make_vault, monkeypatch, capsys, call: tuple[str, ...]
) -> None:
    vault = make_vault(NOTES)
    monkeypatch.chdir(vault)
    before = sorted(vault.rglob("*"))
    assert guarded([*call, "--json"]) == 2
    out, err = capsys.readouterr()
    assert "is not UTF-8" in err
    assert r"\xff.md" in err or r"\ud800" in err
    assert json.loads(out)["exit_code"] == 2
    assert sorted(vault.rglob("*")) == before


def test_bytes_of_a_shell_that_are_no_utf8(make_vault) -> None:
    code, _, err = finish("show", os.fsdecode(b"b\xff.md"), cwd=make_vault(NOTES))
    assert code == 2
    assert "Traceback" not in err


def test_words_keep_phrases() -> None:
    assert words(('the "blue car"',)) == 'the "blue car"'
    assert words(("the", "blue car")) == 'the "blue car"'
    assert words(("the", '"blue car"')) == 'the "blue car"'
    assert words(("the", "blue", "car")) == "the blue car"
    assert words(("what is it",)) == "what is it"
    assert words(()) == ""


def test_a_batch_is_flushed_line_by_line_and_goes_on_after_an_error(make_vault) -> None:
    vault = make_vault(NOTES)
    call = ("recall", "--batch", "-", "--limit", "1", "--floor", "0")
    process = start(*call, cwd=vault, stdin=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    for question, path in (("pump", "Pumps.md"), ("ropes", "sub/Ropes.md")):
        process.stdin.write(f"\n{question}\n".encode())
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        assert (answer["query"], answer["hits"][0]["path"]) == (question, path)
    process.communicate(timeout=60)
    assert process.returncode == 0


# -- terminals -----------------------------------------------------------------------


def test_no_progress_in_a_pipe_and_none_for_short_work(make_vault) -> None:
    vault = make_vault(NOTES)
    code, _, err = finish("index", "update", cwd=vault)
    assert (code, err) == (0, "")
    control, terminal = pty.openpty()
    code, _, _ = finish("index", "update", "--rebuild", cwd=vault, stderr=terminal)
    os.close(terminal)
    try:
        shown = os.read(control, 1000)
    except OSError:  # nothing was ever written to the terminal
        shown = b""
    os.close(control)
    assert (code, shown) == (0, b"")


def test_progress_shows_long_work_and_goes_away() -> None:
    script = """
from mindcache.cli import output
output._PATIENCE_SECONDS = 0
progress = output.Progress()
assert progress.wanted
for stage, done, of in (("scan", 3, 0), ("index", 1, 2), ("index", 2, 2)):
    progress(stage, done, of)
progress.stop()
progress.stop()
"""
    control, terminal = pty.openpty()
    result = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"},
        stdout=subprocess.PIPE,
        stderr=terminal,
        timeout=60,
        check=True,
    )
    os.close(terminal)
    shown = os.read(control, 10_000)
    os.close(control)
    assert result.stdout == b""
    assert b"index" in shown
    assert shown.endswith(b"\x1b[2K")  # the last thing is the line's removal


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_call_back_and_are_answered(make_vault, shell: str) -> None:
    vault = make_vault(NOTES)
    code, out, _ = finish("completion", shell, cwd=vault)
    assert code == 0
    assert b"_MINDCACHE_COMPLETE" in out
    asked = {
        "_MINDCACHE_COMPLETE": "bash_complete",
        "COMP_WORDS": "mindcache ind",
        "COMP_CWORD": "1",
    }
    code, out, _ = finish(cwd=vault, env=asked)
    assert (code, out) == (0, b"plain,index\n")


# -- writing --------------------------------------------------------------------------


def test_adopt_touches_nothing_but_the_frontmatter(make_vault) -> None:
    body = b"First line. \r\n\r\n\ttabs, trailing  \r\n---\r\nno final newline"
    head = b"---\r\n# a comment\r\nrating: 007\r\ncreated: 2021-03-04\r\n"
    vault = make_vault(
        {"Note.md": head + b"---\r\n" + body, "Other.md": "Untouched.\n"}
    )
    code, out, _ = finish("adopt", "Note.md", cwd=vault)
    assert code == 0
    assert b"+id: m-" in out
    assert (vault / "Note.md").read_bytes() == head + b"---\r\n" + body
    assert finish("adopt", "Note.md", "--write", cwd=vault)[0] == 0
    written = (vault / "Note.md").read_bytes()
    assert written.startswith(head)
    assert written.endswith(b"---\r\n" + body)
    assert b"scope/project" in written
    assert (vault / "Other.md").read_bytes() == b"Untouched.\n"
    assert finish("lint", cwd=vault)[0] == 0


def test_adopt_goes_on_past_a_refused_note(make_vault) -> None:
    vault = make_vault(
        {
            "2026-01-01.md": "A good day.\n",
            "2026-01-02.md": "---\nid: other\n---\nText.\n",
        }
    )
    code, out, err = finish("adopt", ".", "--write", "--json", cwd=vault)
    shape = json.loads(out)
    assert code == 4
    assert err == ""
    assert [note["path"] for note in shape["notes"]] == ["2026-01-01.md"]
    assert [note["path"] for note in shape["refused"]] == ["2026-01-02.md"]
    assert b"id: m-" in (vault / "2026-01-01.md").read_bytes()
    assert (vault / "2026-01-02.md").read_bytes() == b"---\nid: other\n---\nText.\n"


@pytest.mark.parametrize("extra", [(), ("--json",)])
def test_adopt_that_fails_halfway_says_what_is_written(
    make_vault, extra: tuple[str, ...]
) -> None:
    notes = {
        "1 small.md": "A pump.\n",
        "2 large.md": "Rope. " * 2000,
        "3 other.md": "---\nid: other\n---\nText.\n",
        "4 small.md": "Another pump.\n",
    }
    vault = make_vault(notes)

    def no_large_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))

    code, out, err = finish(
        "adopt", ".", "--write", *extra, cwd=vault, preexec_fn=no_large_files
    )
    assert code == 1
    told = err.splitlines()
    # The cache can't be written either, which takes nothing back.
    assert told[-1].startswith("mindcache: the notes are written, but not indexed yet")
    for path in ("1 small.md", "4 small.md"):
        assert b"id: m-" in (vault / path).read_bytes()
    for path in ("2 large.md", "3 other.md"):
        assert (vault / path).read_text() == notes[path]
    assert not list(vault.glob(".*.tmp"))
    if extra:
        shape = json.loads(out)
        assert shape["written"] is True
        written = [(note["path"], note["written"]) for note in shape["notes"]]
        assert written == [("1 small.md", True), ("4 small.md", True)]
        assert [each["path"] for each in shape["failed"]] == ["2 large.md"]
        assert [each["path"] for each in shape["refused"]] == ["3 other.md"]
    else:
        assert out.decode().splitlines()[-3:] == [
            "2 notes written",
            "  written: 1 small.md",
            "  written: 4 small.md",
        ]
        assert told[0].startswith("mindcache: 2 large.md can't be written: ")
        assert told[1].startswith("mindcache: 3 other.md has an id of another kind")


def test_adopt_says_written_only_when_something_was(make_vault) -> None:
    vault = make_vault({"2026-01-01.md": "A good day.\n"})
    call = ("adopt", ".", "--write", "--json")
    assert json.loads(finish(*call, cwd=vault)[1])["written"] is True
    assert json.loads(finish(*call, cwd=vault)[1])["written"] is False


def test_init_never_writes_over_a_file(tmp_path: Path) -> None:
    vault = tmp_path / "deep" / "vault"
    vault.mkdir(parents=True)
    (vault / "Start here.md").write_text("Mine.\n")
    code, out, _ = finish("init", str(vault), "--json")
    shape = json.loads(out)
    assert code == 0
    assert shape["kept"] == ["Start here.md"]
    assert shape["default"] is True
    assert (vault / "Start here.md").read_text() == "Mine.\n"
    assert (vault / ".mindcache" / "config.toml").exists()
    second = json.loads(finish("init", str(tmp_path / "other"), "--json")[1])
    assert second["default"] is False


def test_config_fails_over_a_time_that_is_none(make_vault) -> None:
    text = '[digest]\nat = "25:99"\n'
    vault = make_vault({".mindcache/config.toml": text})
    told = ".mindcache/config.toml:2: digest.at is no time: '25:99' (write it as 03:00)"
    for call, answer in ((("config", "digest.at"), b"25:99\n"), (("config",), b"= ")):
        code, out, err = finish(*call, cwd=vault)
        assert (code, answer in out, told in err) == (1, True, True), call
        code, out, _ = finish(*call, "--json", cwd=vault)
        (problem,) = json.loads(out)["problems"]
        assert (code, problem["line"], problem["code"]) == (1, 2, "config-value")
    assert finish("config", "git.every", cwd=vault)[0] == 0


def test_an_error_is_of_one_line_whatever_name_it_quotes(make_vault) -> None:
    vault = make_vault(NOTES)
    name = "x\n\x1b[2Jy"
    for call in (
        ("rename", "Pumps.md", name),
        ("move", "Pumps.md", name),
        ("show", name),
        ("adopt", name),
        ("import", "json", name),
        ("export", "json", "--to", f"{name}/a"),
    ):
        code, _, err = finish(*call, cwd=vault)
        assert code != 0, call
        (line,) = err.splitlines()
        assert r"x\n\x1b[2Jy" in line, call


# -- doctor ---------------------------------------------------------------------------


def test_doctor_tells_names_that_clash_or_cannot_travel(make_vault) -> None:
    vault = make_vault(
        {"a/Tide.md": "x\n", "b?/one.md": "x\n", "b?/two.md": "x\n", "aux.md": "x\n"}
    )
    (vault / "a" / "tide.md").write_text("another\n")
    if len(list((vault / "a").iterdir())) == 1:
        pytest.skip("this file system does not tell case apart")
    code, out, _ = finish("doctor", "--json", cwd=vault)
    told = [(p["path"], p["code"]) for p in json.loads(out)["problems"]]
    assert code == 0
    assert told == [
        ("a/Tide.md", "clash"),
        ("aux.md", "unportable"),
        ("b?", "unportable"),
    ]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_doctor_fails_for_a_note_that_cannot_be_read(make_vault) -> None:
    vault = make_vault(NOTES)
    (vault / "Pumps.md").chmod(0)
    code, out, _ = finish("doctor", cwd=vault)
    assert code == 1
    assert b"Pumps.md: can't be read" in out


def test_a_hundred_problems_of_a_kind_are_told_by_a_few_and_a_count(make_vault) -> None:
    links = "\n\n".join(["[[the pump]]"] * 40)
    vault = make_vault({"pump.md": "---\naliases: [the pump]\n---\n", "n.md": links})
    code, out, _ = finish("doctor", cwd=vault)
    assert code == 0
    lines = out.decode().splitlines()
    assert lines[0] == "Links that only Mindcache resolves (40)"
    assert len(lines) == 7
    assert (
        lines[-1] == "  … and 35 more like these; mindcache links --by-alias lists all"
    )
    assert len(json.loads(finish("doctor", "--json", cwd=vault)[1])["problems"]) == 40


def test_a_broken_calendar_is_told_by_a_few_and_a_count(make_vault, tmp_path) -> None:
    event = "BEGIN:VEVENT\nUID:{}\nSUMMARY:E{}\nDTSTART:2026130{}T0\nEND:VEVENT\n"
    events = "".join(event.format(n, n, n % 10) for n in range(30))
    path = tmp_path / "broken.ics"
    path.write_text(f"BEGIN:VCALENDAR\nVERSION:2.0\n{events}END:VCALENDAR\n")
    code, _, err = finish("import", "calendar", str(path), cwd=make_vault(NOTES))
    assert code == 1
    assert len(err.splitlines()) < 16
    assert "… and 25 more like these; --json lists all" in err


def test_doctor_names_what_a_killed_write_left(make_vault) -> None:
    vault = make_vault(NOTES)
    name = ".0123456789abcdef.mindcache-4711-0.tmp"
    for path in (f"sub/{name}", name, f".git/{name}", ".other.tmp"):
        full = vault / path
        full.parent.mkdir(exist_ok=True)
        full.write_text("half a no")
        os.utime(full, (1_700_000_000, 1_700_000_000))
    # This one may still be in the making.
    (vault / ".0123456789abcdef.mindcache-4711-1.tmp").write_text("half a no")
    code, out, _ = finish("doctor", "--json", cwd=vault)
    told = [
        (p["path"], p["mend"], p["severity"])
        for p in json.loads(out)["problems"]
        if p["code"] == "leftover"
    ]
    assert code == 0
    mend = "delete it; mindcache doctor --repair does once it is an hour old"
    assert told == [
        (name, mend, "info"),
        (f"sub/{name}", mend, "info"),
    ]


def test_doctor_compact_leaves_no_deleted_text(make_vault) -> None:
    vault = make_vault({**NOTES, "Secret.md": "The word is xyzzyplugh.\n"})
    assert finish("index", "update", cwd=vault)[0] == 0
    cache = next(Path(os.environ["MINDCACHE_CACHE_DIR"]).glob("*/cache.sqlite"))
    assert b"xyzzyplugh" in cache.read_bytes()
    (vault / "Secret.md").unlink()
    assert finish("doctor", "--compact", cwd=vault)[0] == 0
    left = [p for p in cache.parent.iterdir() if b"xyzzyplugh" in p.read_bytes()]
    assert left == []


def test_a_link_out_of_the_vault_is_told(make_vault, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("Not yours.\n")
    vault = make_vault(NOTES)
    (vault / "Way out.md").symlink_to(outside)
    code, out, _ = finish("doctor", cwd=vault)
    assert code == 0
    assert b"Way out.md: a symbolic link that leaves the vault" in out
    assert b"Not yours" not in finish("search", "exact", "yours", cwd=vault)[1]


def test_a_packed_answer_keeps_its_budget_and_says_the_rest_on_stderr(
    make_vault,
) -> None:
    from mindcache.text.tokens import estimate

    vault = make_vault(
        {f"{n}.md": f"Rope {n} lies on deck {n}, and more. " * 9 for n in range(8)}
    )
    for call in (("recall",), ("search", "exact"), ("search", "semantic")):
        ask = (*call, "rope on deck", "--floor", "0", "--budget", "90", "--expand")
        code, out, err = finish(*ask, cwd=vault)
        assert code == 0
        assert 0 < estimate(out.decode()) <= 90
        assert "left out by the budget" in err
        shape = json.loads(finish(*ask, "--json", cwd=vault)[1])
        texts = [hit["text"] for hit in shape["hits"]]
        assert "\n\n".join(texts) == out.decode().strip()
        assert shape["budget"]["used"] <= shape["budget"]["tokens"] == 90
        left_out = shape["budget"]["left_out"]
        assert len(texts) + left_out + shape["left_out"] == 8
        assert len(shape["budget"]["left_out_paths"]) == left_out


def test_a_batch_packs_and_rolls_up_too(make_vault, tmp_path: Path) -> None:
    vault = make_vault({"a.md": "# One\nRope.\n# Two\nRope too.\n", "b.md": "Rope.\n"})
    questions = tmp_path / "questions.txt"
    questions.write_text("rope\n")
    ask = ("recall", "--batch", str(questions), "--floor", "0")
    (line,) = finish(*ask, "--notes", "--budget", "200", cwd=vault)[1].splitlines()
    shape = json.loads(line)
    assert len({hit["path"] for hit in shape["hits"]}) == len(shape["hits"])
    assert all(hit["text"].startswith("[") for hit in shape["hits"])
    assert shape["budget"]["left_out"] == 0


def test_what_only_looks_like_an_option_is_told_how_to_be_written(make_vault) -> None:
    vault = make_vault({"-dash.md": "A note whose name begins with a dash.\n"})
    code, _, err = finish("show", "-dash", cwd=vault)
    assert code == 2
    assert "comes after --: mindcache show -- -dash" in err
    assert finish("show", "--", "-dash", cwd=vault)[0] == 0
    assert "comes after" not in finish("show", "--jsn", "x", cwd=vault)[2]
    assert "comes after" not in finish("-d", cwd=vault)[2]


def test_a_hit_without_a_text_shows_its_summary(make_vault) -> None:
    head = "---\ntype: summary\nsummary: The week of the regatta and the keel.\n---\n"
    vault = make_vault({"Week.md": head})
    out = finish("recall", "regatta and keel", "--mode", "deep", cwd=vault)[1].decode()
    assert out.splitlines()[1].strip() == "The week of the regatta and the keel."


def test_why_passages_were_asked_is_told_to_who_wants_reasons(make_vault) -> None:
    topic = "---\ntype: topic\nsummary: Boats.\n---\n"
    vault = make_vault({"topics/Boats.md": topic, "Key.md": "Ines has the key.\n"})
    ask = ("recall", "who has the key?")
    code, out, err = finish(*ask, cwd=vault)
    assert (code, "detail" in out.decode() + err) == (0, False)
    explained = finish(*ask, "--explain", cwd=vault)[1].decode()
    said = "From passages and not from topics: the question asks for a detail."
    assert said in explained
    assert "outlook" not in explained
    told = json.loads(finish(*ask, "--json", cwd=vault)[1])
    assert told["reason"] == "the question asks for a detail"


def test_near_misses_name_the_floor_that_shows_them(make_vault) -> None:
    vault = make_vault({f"{n}.md": f"Sim {n} card {n * n}.\n" for n in range(4)})
    best = json.loads(finish("recall", "sim card", "--json", cwd=vault)[1])
    floor = best["hits"][0]["score"] * 1.2
    out = finish("recall", "sim card", "--floor", str(floor), cwd=vault)[1].decode()
    assert out.startswith("No answer: nothing here answers this convincingly.")
    found = re.search(r"(\d) more just below the floor .*; --floor (\S+) shows", out)
    assert found
    again = ("recall", "sim card", "--floor", found[2], "--json")
    assert len(json.loads(finish(*again, cwd=vault)[1])["hits"]) >= int(found[1])


def test_a_report_names_a_note_once() -> None:
    error = Refused("memory/X.md:17: no scope/ tag", mend="add one")
    said = output.failure_text("memory/X.md", error)
    assert said.count("memory/X.md") == 1
    assert output.failure_text("memory/X.md", Refused("gone")) == "memory/X.md: gone"


def test_all_that_is_left_out_of_search_is_counted_as_skipped(tmp_path) -> None:
    vault = tmp_path / "v"
    write_files(
        vault,
        {
            ".obsidian/app.json": "{}",
            "a.md": "One.\n",
            "a.sync-conflict-20261101-101010-ABCDEFG.md": "Two.\n",
            "b.md": "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n",
            "big.md": "x" * 2_000_000,
        },
    )
    code, out, _ = finish("--vault", str(vault), "index", "update")
    assert (code, "3 skipped" in out.decode()) == (0, True), out


def test_how_far_a_note_was_read_is_said(tmp_path) -> None:
    vault = tmp_path / "v"
    whole, torn = "Tide\n".encode("utf-16"), "Tide\n".encode("utf-16") + b"\0"
    write_files(vault, {".obsidian/app.json": "{}", "a.md": whole, "b.md": torn})
    out = finish("--vault", str(vault), "index", "update")[1].decode()
    assert "a.md: the file is stored as UTF-16; it was read as that" in out
    assert "b.md: the file is stored as UTF-16; it was read as far as it can be" in out


def test_who_cannot_run_the_server_hears_it_first(
    capsys, monkeypatch, tmp_path
) -> None:
    write_files(tmp_path / "v", {".obsidian/app.json": "{}"})
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert run(["--vault", str(tmp_path / "v"), "mcp", "install"]) == 0
    assert "the server can't run yet" in capsys.readouterr().err


def test_init_says_that_a_vault_lies_in_another(tmp_path: Path) -> None:
    (tmp_path / "outer" / ".obsidian").mkdir(parents=True)
    code, _, err = finish("init", str(tmp_path / "outer" / "deep" / "inner"))
    assert code == 0
    assert f"lies in the vault {tmp_path / 'outer'}" in err
    assert finish("init", str(tmp_path / "alone"))[2] == ""


def test_a_diagram_of_topics_is_json_where_that_is_asked(tmp_path: Path) -> None:
    (tmp_path / "vault" / ".obsidian").mkdir(parents=True)
    where = ("--vault", str(tmp_path / "vault"))
    code, out, _ = finish("topics", "--mermaid", "--json", *where)
    assert code == 0
    shape = json.loads(out)
    assert list(shape) == ["schema", "mermaid"]
    assert shape["mermaid"] == finish("topics", "--mermaid", *where)[1].decode()[:-1]
