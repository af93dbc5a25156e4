"""Secrets in a text: found by their unmistakable forms, and taken out.

Pure. Precision goes first: a form is listed only where hardly anything else looks
like it. What is a secret merely because someone says so is not found.
"""

from __future__ import annotations

import functools
import re
from collections import Counter
from dataclasses import dataclass

__all__ = ["Redacted", "redact"]

# Each has a group `secret`, or is one as a whole. In the order in which they are
# looked for: what holds others goes first.
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(form))
    for kind, form in (
        (
            "private key",
            (
                r"-----BEGIN (?P<what>(?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?)-----"
                r"[\s\S]*?(?:-----END (?P=what)-----|\Z)"
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
            "exported variable",
            (
                r"(?m)^[ \t>$`]*(?:export|set)[ \t]+(?:[A-Za-z_]\w*_)?"
                r"(?i:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)"
                r"=(?P<secret>\"(?!\$)[^\"\n]{6,}\"|'[^'\n]{6,}'"
                r"|(?![\"'$(`<])[^\s;&|`]{6,})"
            ),
        ),
    )
)

# Without one of these no form fits: most texts are read once and left alone.
_HINT = re.compile(
    r"PRIVATE KEY|A[KS]IA|AIza|://|(?i:aws_?secret)|gh[pousr]_|github_pat_|\bgl[a-z]+-"
    r"|xox|xapp-|\bsk-|[rs]k_|npm_|pypi-|eyJ|\b(?:export|set)[ \t]"
)


_WORD = "REDACTED"


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and how many of each kind were taken out."""

    text: str
    found: tuple[tuple[str, int], ...] = ()

    @property
    def count(self) -> int:
        """How many secrets were taken out."""
        return sum(number for _, number in self.found)


def redact(text: str) -> Redacted:
    """The text with every secret replaced by a word that says what stood there.

    The word may stand in prose, in a property and in code alike; it is no secret
    itself, so that redacting again changes nothing.
    """
    if not _HINT.search(text):
        return Redacted(text)
    found: Counter[str] = Counter()
    for kind, form in _FORMS:
        text = form.sub(functools.partial(_without, kind, found), text)
    return Redacted(text, tuple(sorted(found.items())))


def _without(kind: str, found: Counter[str], match: re.Match[str]) -> str:
    whole = match[0]
    start, end = 0, len(whole)
    if "secret" in match.re.groupindex:
        start = match.start("secret") - match.start()
        end = match.end("secret") - match.start()
    if whole[start:end].strip("\"'").startswith(_WORD):
        return whole
    found[kind] += 1
    return f"{whole[:start]}{_WORD}-{kind.replace(' ', '-')}{whole[end:]}"
