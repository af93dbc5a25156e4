"""Secrets in a text: found by their unmistakable forms, and taken out.

Pure. Precision goes first: a form is listed only where hardly anything else looks
like it. What is a secret merely because someone says so is not found.

Our own forms read every text. Lines that hold something long and mixed, or a quoted
value behind a word such as `password`, are also given to the detectors of
detect-secrets, which know the keys of many more services; most texts have no such line
and never load them. Of those detectors some are left out: in 7.5 MB of chats, news and
notes the entropy of strings "finds" 14,500 secrets, where the detectors used here find
one, which is one. None of them is ever asked to verify what it found, which would go
over the network.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import NamedTuple

from mindcache.lazy import regex

__all__ = ["Redacted", "redact"]

_SPOKEN_OF = r"pass(?:word|wort|phrase|code)|kennwort|contraseña|mot de passe"

# Each has a group `secret`, or is one as a whole. In the order in which they are
# looked for: what holds others goes first.
_FORMS = (
    (
        "private key",
        (
            r"-----BEGIN (?P<what>(?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?)-----"
            r"[\s\S]*?(?:-----END (?P=what)-----|\Z)"
        ),
    ),
    (
        # What is left of one that was cut off at its beginning.
        "private key",
        (
            r"(?m)(?:^[A-Za-z0-9+/]{16,}={0,2}[ \t]*\r?\n){1,200}"
            r"-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        ),
    ),
    ("AWS key", r"\b(?:AKIA|ASIA)[A-Z2-7]{16}\b"),
    (
        "AWS secret",
        (
            r"(?i:aws_?secret_?(?:access_?)?key)[\"']?[ \t]*[:=][ \t]*[\"']?"
            r"(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"
        ),
    ),
    (
        "GitHub token",
        r"\b(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{50,255})\b",
    ),
    ("GitLab token", r"\bgl(?:pat|dt|rt|ptt|cbt|soat)-[A-Za-z0-9_-]{20,}"),
    (
        "Slack token",
        r"\bxox[abeoprs]-[A-Za-z0-9-]{20,}|\bxapp-[0-9]-[A-Z0-9-]{20,}[a-z0-9]*",
    ),
    (
        "Slack webhook",
        r"https://hooks\.slack\.com/services/(?P<secret>[A-Za-z0-9/]{30,})",
    ),
    ("Anthropic key", r"\bsk-ant-[A-Za-z0-9_-]{20,}"),
    (
        "OpenAI key",
        r"\bsk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{20,}|\bsk-[A-Za-z0-9]{40,}\b",
    ),
    ("Google key", r"\bAIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    ("Stripe key", r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{20,}\b"),
    ("Telegram token", r"\b[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])"),
    ("npm token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("PyPI token", r"\bpypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{40,}"),
    (
        "JWT",
        r"\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{16,}",
    ),
    (
        "password in a URL",
        (
            r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s:/?#@\[\]]{0,64}:"
            r"(?P<secret>(?![$<{])[^\s:/?#@]{3,128})@(?=[\w\[])"
        ),
    ),
    (
        # As one says it: the password for the door is "…".
        "password",
        (
            rf"(?i:{_SPOKEN_OF})\b[^\n\"'“]{{0,40}}?\b(?i:is|was|ist|war|lautet|est|es|era)"
            r"[ \t]{1,4}(?P<secret>\"[^\s\"]{6,64}\"|'[^\s']{6,64}'|“[^\s”]{6,64}”)"
        ),
    ),
    (
        "exported variable",
        (
            r"(?m)^[ \t>$`]*(?:export|set)[ \t]+(?:[A-Za-z_]\w*_)?"
            r"(?i:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)"
            r"=(?P<secret>\"(?!\$)[^\"\n]{6,}\"|'[^'\n]{6,}'"
            r"|(?![\"'$(`<])[^\s;&|`]{6,})"
        ),
    ),
)

# Without one of these no form fits: most texts are read once and left alone.
_HINT = regex(
    r"PRIVATE KEY|A[KS]IA|AIza|://|(?i:aws_?secret)|gh[pousr]_|github_pat_|\bgl[a-z]+-"
    r"|xox|xapp-|\bsk-|[rs]k_|npm_|pypi-|eyJ|:AA|\b(?:export|set)[ \t]"
    rf"|(?i:{_SPOKEN_OF})\b[^\n\"'“]{{0,40}}[ \t][\"'“]"
)

# Detectors of detect-secrets, by module and class, and what their finds are called
# here. Private keys, JWTs and passwords in URLs are found by our own forms, whole.
_DETECTORS = (
    ("artifactory", "ArtifactoryDetector", "Artifactory key"),
    ("aws", "AWSKeyDetector", "AWS key"),
    ("azure_storage_key", "AzureStorageKeyDetector", "Azure key"),
    ("cloudant", "CloudantDetector", "Cloudant key"),
    ("discord", "DiscordBotTokenDetector", "Discord token"),
    ("github_token", "GitHubTokenDetector", "GitHub token"),
    ("gitlab_token", "GitLabTokenDetector", "GitLab token"),
    ("ibm_cloud_iam", "IbmCloudIamDetector", "IBM key"),
    ("ibm_cos_hmac", "IbmCosHmacDetector", "IBM key"),
    ("mailchimp", "MailchimpDetector", "Mailchimp key"),
    ("npm", "NpmDetector", "npm token"),
    ("openai", "OpenAIDetector", "OpenAI key"),
    ("pypi_token", "PypiTokenDetector", "PyPI token"),
    ("sendgrid", "SendGridDetector", "SendGrid key"),
    ("slack", "SlackDetector", "Slack token"),
    ("softlayer", "SoftlayerDetector", "SoftLayer key"),
    ("square_oauth", "SquareOAuthDetector", "Square key"),
    ("stripe", "StripeDetector", "Stripe key"),
    ("telegram_token", "TelegramBotTokenDetector", "Telegram token"),
    ("twilio", "TwilioKeyDetector", "Twilio key"),
    ("keyword", "KeywordDetector", "password"),
)
# What a line needs for one of them to find anything: a run with a digit in it, as long
# as keys are and not as long as an image, or a quoted value that is called a secret.
_LONG = regex(
    r"(?<![A-Za-z0-9_+/=.-])(?=[A-Za-z_+/=.-]{0,400}[0-9])[A-Za-z0-9_+/=.-]{20,400}"
    r"(?![A-Za-z0-9_+/=.-])"
)
_CALLED = regex(
    r"(?i:pass|pwd|secret|key|token|contrase|cred)[\w-]{0,40}[\"']?[ \t]{0,8}[:=]{1,2}>?"
    r"[ \t]{0,8}[\"']"
)
# Long and mixed, and no key: an id of ours, or words and numbers joined as in paths.
# A key changes between cases and digits without anything in between.
_WORDS = r"(?:[A-Z]?[a-z]{1,19}|[0-9]{1,10})"
_NO_KEY = regex(
    rf"m-[0-9A-HJKMNP-TV-Z]{{26}}|{_WORDS}(?:[/_-]{_WORDS}){{1,20}}(?:\.md)?"
)
# Less is a word; the shortest keys have eleven characters, passwords may have eight.
_SHORTEST = 8
# Stands for a secret that is elsewhere, or for none.
_NO_SECRET = regex(r"[$<{*%\[(]|x{4,}|\.{3}|.*\s", re.IGNORECASE | re.DOTALL)
# What a detector takes for a part of the secret, and isn't.
_NAME = regex(r"AccountKey=")
# A longer line is a file in one line, which takes some detectors quadratic time.
_PIECE = 20_000

# One detector: what it calls its finds, and the secrets that it sees in a line.
_Detector = tuple[str, Callable[[str], Iterable[str]]]


_WORD = "REDACTED"


class Redacted(NamedTuple):
    """A text without its secrets, and how many of each kind were taken out."""

    text: str
    found: tuple[tuple[str, int], ...] = ()

    @property
    def taken(self) -> int:
        """How many secrets were taken out."""
        return sum(number for _, number in self.found)


def redact(text: str, *, keep_lines: bool = False) -> Redacted:
    """The text with every secret replaced by a word that says what stood there.

    The word may stand in prose, in a property and in code alike; it is no secret
    itself, so that redacting again changes nothing. With `keep_lines` a secret of
    several lines leaves as many, so that every line keeps its number.
    """
    found: Counter[str] = Counter()
    if _HINT.search(text):
        for kind, form in _forms():
            text = form.sub(
                functools.partial(_without, kind, found, keep_lines=keep_lines), text
            )
    if _may_hold(text):
        text = "\n".join(_line(line, found) for line in text.split("\n"))
    return Redacted(text, tuple(sorted(found.items())))


@functools.cache
def _forms() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The forms, made when the first text hints at one: that takes 25 ms."""
    return tuple((kind, re.compile(form)) for kind, form in _FORMS)


def _line(line: str, found: Counter[str]) -> str:
    """One line without what the detectors see in it."""
    if not _may_hold(line):
        return line
    if len(line) > _PIECE:
        pieces = (line[at : at + _PIECE] for at in range(0, len(line), _PIECE))
        return "".join(_line(piece, found) for piece in pieces)
    for kind, seen_in in _detectors():
        seen = {_NAME.sub("", each) for each in seen_in(line)}
        for secret in sorted(seen, key=lambda each: (-len(each), each)):
            if _is_secret(secret) and secret in line:
                found[kind] += line.count(secret)
                line = line.replace(secret, f"{_WORD}-{kind.replace(' ', '-')}")
    return line


def _may_hold(text: str) -> bool:
    """Whether the detectors could find anything: most texts never load them."""
    long = (match[0] for match in _LONG.finditer(text))
    return not all(map(_NO_KEY.fullmatch, long)) or bool(_CALLED.search(text))


def _is_secret(seen: str) -> bool:
    return (
        len(seen) >= _SHORTEST
        and _WORD not in seen
        and not _NO_SECRET.match(seen)
        and seen.isascii()
    )


@functools.cache
def _detectors() -> tuple[_Detector, ...]:
    """The detectors, loaded when the first line needs one: that takes .13 s."""
    return tuple(
        (
            kind,
            getattr(
                import_module(f"detect_secrets.plugins.{module}"), name
            )().analyze_string,
        )
        for module, name, kind in _DETECTORS
    )


def _without(
    kind: str, found: Counter[str], match: re.Match[str], *, keep_lines: bool
) -> str:
    whole = match[0]
    start, end = 0, len(whole)
    if "secret" in match.re.groupindex:
        start = match.start("secret") - match.start()
        end = match.end("secret") - match.start()
    if whole[start:end].strip("\"'").startswith(_WORD):
        return whole
    found[kind] += 1
    rest = "\n" * whole.count("\n", start, end) if keep_lines else ""
    return f"{whole[:start]}{_WORD}-{kind.replace(' ', '-')}{rest}{whole[end:]}"
