"""Which device's daemon lets the digest run: written into the settings, kept there."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from mindcache.app import App
from mindcache.cli.root import root
from mindcache.config import with_text
from mindcache.digest.machine import claim, elsewhere
from mindcache.errors import ConfigError
from tests.themes import notes

KEY = "digest.machine"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"", b'digest.machine = "desk-1a2b"\n'),
        (b'[digest]\nat = "03:00"\n', b'[digest]\nmachine = "desk-1a2b"\nat = "03:00"\n'),
        (b'x = 1 # [digest]\n', b'digest.machine = "desk-1a2b"\nx = 1 # [digest]\n'),
        (b"[digest]", b'[digest]\nmachine = "desk-1a2b"\n'),
        (
            b'\xef\xbb\xbf# mine\r\ndigest.at = ""\r\n',
            b'\xef\xbb\xbfdigest.machine = "desk-1a2b"\r\n# mine\r\ndigest.at = ""\r\n',
        ),
    ],
)  # fmt: skip
def test_a_setting_is_added_and_every_other_byte_kept(before, after) -> None:
    assert with_text("config.toml", before, KEY, "desk-1a2b") == after
    assert tomllib.loads(after.decode("utf-8-sig"))["digest"]["machine"] == "desk-1a2b"


@pytest.mark.parametrize(
    "data",
    [
        b'digest = { at = "03:00" }\n',
        b'["digest"]\nat = "03:00"\n',
        b'digest.machine = "lap-1a2b"\n',
        b'note = """\n[digest]\n"""\n[digest]\nat = ""\n',
        b"not toml",
    ],
)
def test_what_cannot_be_added_to_is_refused_with_the_line_to_write(data) -> None:
    with pytest.raises(ConfigError) as caught:
        with_text("config.toml", data, KEY, "desk-1a2b")
    assert caught.value.mend


_LINES = st.sampled_from(
    [
        "",
        "# a comment",
        "[digest]",
        " [digest] # here",
        "[digest.more]",
        "[other]",
        "[[rows]]",
        'at = "3:00"',
        'digest.at = ""',
        "n = 1",
        "k = {a = 1}",
        "x = '''",
        "'''",
    ]
)


@given(st.lists(_LINES, max_size=8))
def test_it_is_added_alone_or_not_at_all(lines) -> None:
    data = "\n".join(lines).encode()
    try:
        changed = with_text("config.toml", data, KEY, "desk-1a2b")
    except ConfigError:
        return
    before, after = (tomllib.loads(d.decode()) for d in (data, changed))
    assert after.setdefault("digest", {}).pop("machine") == "desk-1a2b"
    assert after == {"digest": {}, **before}
    assert changed.endswith(data[len(data) - 1 :] if data else b"\n") or lines


def run(app: App, *words: str):
    caches = str(Path(app.cache_folder).parent)
    return CliRunner().invoke(
        root, ["digest", *words, "--vault", app.vault.root, "--cache-dir", caches]
    )


def test_the_first_daemon_to_digest_writes_itself(make_vault, make_app) -> None:
    vault = make_vault(
        {**notes(), ".mindcache/config.toml": '# Mine.\ntimezone = ""\n'}
    )
    app = make_app(vault)
    config = vault / ".mindcache" / "config.toml"
    # By hand nobody is named: a machine without a daemon must not keep others off.
    assert run(app).exit_code == 0
    assert "digest.machine" not in config.read_text()
    (vault / "memory" / "Baguette.md").write_text("Bread of wheat flour and rye.\n")
    assert run(app, "--unasked", "--again").exit_code == 0
    assert config.read_text() == (
        f'digest.machine = "{app.device}"\n# Mine.\ntimezone = ""\n'
    )
    app.refresh()
    assert elsewhere(app) == ""
    assert claim(app) is None


def test_another_ones_daemon_leaves_it_and_a_hand_may(make_vault, make_app) -> None:
    settings = '[digest]\nmachine = "desk-1a2b"\n'
    vault = make_vault({**notes(), ".mindcache/config.toml": settings})
    app = make_app(vault)
    left = run(app, "--unasked")
    assert (left.exit_code, left.stdout) == (0, "")
    assert "the daemon on desk-1a2b digests this vault" in left.stderr
    assert not (vault / "topics").exists()
    done = run(app)
    assert "the daemon on desk-1a2b digests this vault" in done.stderr
    assert len(list((vault / "topics").glob("*.md"))) == 3
    assert (vault / ".mindcache" / "config.toml").read_text() == settings


def test_settings_that_cannot_be_added_to_are_a_problem_with_a_mend(
    make_vault, make_app
) -> None:
    settings = 'digest = { at = "" }\n'
    vault = make_vault({".mindcache/config.toml": settings})
    problem = claim(make_app(vault))
    assert problem is not None
    assert "digest.machine" in problem.mend
    assert (vault / ".mindcache" / "config.toml").read_text() == settings
