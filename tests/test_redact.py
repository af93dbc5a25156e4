"""Secrets go, and nothing that merely looks a little like one."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindcache.redact import redact

PEM = """-----BEGIN RSA PRIVATE KEY-----
MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn
-----END RSA PRIVATE KEY-----"""
SECRETS = [
    ("AWS key", "AKIAIOSFODNN7EXAMPLE"),
    ("AWS secret", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    ("GitHub token", "ghp_" + "a1B2" * 9),
    ("GitHub token", "github_pat_" + "a1B2_" * 12),
    ("GitLab token", "glpat-" + "x1Y2" * 5),
    ("Slack token", "xoxb-123456789012-abcdefghijklmnop"),
    ("Anthropic key", "sk-ant-api03-" + "a1B2" * 8),
    ("OpenAI key", "sk-proj-" + "a1B2" * 8),
    ("OpenAI key", "sk-" + "a1B2" * 12),
    ("Google key", "AIza" + "a1B2-" * 7),
    ("npm token", "npm_" + "a1B2" * 9),
    ("JWT", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"),
    ("private key", PEM),
    ("exported variable", "hunter2hunter2"),
    ("Telegram token", "123456789:AAE" + "a1B2" * 8),
    ("SendGrid key", "SG." + "a1B2c3" * 3 + "a1B2." + "a1B2c3D" * 6 + "x"),
    ("Twilio key", "AC" + "0a1b" * 8),
    ("Mailchimp key", "0a1b" * 8 + "-us12"),
    ("Square key", "sq0csp-" + "a1B2c3D" * 6 + "x"),
    ("Azure key", "a1B2" * 21 + "a1=="),
    ("password", "correct-horse-9"),
    ("password in a URL", "s3cret-word"),
]
AROUND = {
    "AWS secret": "aws_secret_access_key = {}\n",
    "exported variable": "Run this:\nexport STRIPE_API_KEY={}\nthen that.",
    "Azure key": "AccountName=acme;AccountKey={};x",
    "password": 'The file says\n  db_password: "{}"\nand more.',
    "password in a URL": "postgres://app:{}@db.example.org/main",
}


@pytest.mark.parametrize(
    "text",
    [
        'The password is "{}" since May.',
        "Mein WLAN-Passwort lautet '{}'.",
        "the passphrase for the boat house was “{}”",
    ],
)
def test_a_password_that_is_said_in_words_goes(text: str) -> None:
    clean = redact(text.format("hunter2secret"))
    assert clean.found == (("password", 1),)
    assert "hunter2" not in clean.text


@pytest.mark.parametrize(("kind", "secret"), SECRETS)
def test_each_kind_goes_and_is_counted(kind: str, secret: str) -> None:
    text = AROUND.get(kind, "The key is {}, as Ida said.").format(secret)
    clean = redact(text)
    assert secret not in clean.text
    assert clean.found == ((kind, 1),)
    assert clean.taken == 1
    before, after = text.split(secret)
    assert clean.text.startswith(before)
    assert clean.text.endswith(after)


@pytest.mark.parametrize(
    "text",
    [
        "AKIA is how their keys begin",
        "the sk-learn-pipeline-for-feature-selection-runs package",
        "export PATH=/usr/local/bin:$PATH",
        "export API_KEY=$OTHER_KEY",
        'export API_KEY="$(pass show key)"',
        "the key = the third door on the left",
        "http://localhost:8080/a@b and https://example.org/x:y@z",
        "https://user:${PASSWORD}@example.org",
        "https://user:<password>@example.org",
        "a commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "m-01KQR4HQ0016B8652A2VCAEF06",
        "password: see the safe",
        'password: "ask Ida for it"',
        'db_password = "${PASSWORD}"',
        "password = get_password('main-db-2026')",
        "Meeting 2026-11-30T12:00:00+01:00 at https://example.org/a/b-2026-11-30.html",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42m",
        "the_quick_brown_fox_jumps_over_13_lazy_dogs",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == redact(text).__class__(text)


def test_several_are_counted_by_kind() -> None:
    text = "AKIAIOSFODNN7EXAMPLE and AKIAIOSFODNN7EXAMPLF; ghp_" + "x" * 36
    assert redact(text).found == (("AWS key", 2), ("GitHub token", 1))


def test_a_key_without_an_end_goes_whole() -> None:
    text = "before\n-----BEGIN PRIVATE KEY-----\nMIIE\nmore"
    assert redact(text).text == "before\nREDACTED-private-key"


def test_lines_can_keep_their_numbers() -> None:
    clean = redact(f"one\n{PEM}\nlast", keep_lines=True)
    assert clean.text.split("\n") == ["one", "REDACTED-private-key", "", "", "last"]


def test_the_end_of_a_key_that_was_cut_goes_too() -> None:
    rest = "MIIE\n" + "a1B2" * 16 + "\n" + "a1B2" * 9 + "==\n"
    clean = redact(f"{rest}-----END RSA PRIVATE KEY-----\nafter")
    assert clean.text == "MIIE\nREDACTED-private-key\nafter"


@given(
    st.text(alphabet="ab :=/@.\n", max_size=60),
    st.sampled_from([s for _, s in SECRETS]),
)
def test_twice_is_as_once(around: str, secret: str) -> None:
    once = redact(f"{around} {secret} {around}")
    again = redact(once.text)
    assert again.text == once.text
    assert again.taken == 0


def test_ids_and_paths_of_ours_load_no_detectors() -> None:
    script = (
        "import sys; from mindcache.redact import redact\n"
        "redact('m-01KA00000000000000000000A2 journal/2026-11-30.md memory/Some_1.md area-00/Ethtondorton')\n"
        "print('detect_secrets' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
