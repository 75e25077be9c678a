"""The table of shapes: how keys look, and how they are found in a text and replaced.

Both ways to hide a secret go through here: :mod:`.keys` scrubs what a run shows or writes,
:mod:`.search` looks through imported transcripts, with further rules of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Final

STAND_IN: Final = "REDACTED_SECRET_"
"""Replaces a secret in an imported transcript; a number follows."""

Span = tuple[int, int]
"""Where a secret starts and ends in a text, in characters."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A pattern, and the texts of which every match has one.

    The signs are looked for first, because that is many times faster than a pattern that
    finds nothing; with ``any_case`` they are lower case and found in any case. The secret
    is the group ``secret``, or the whole match where ``pattern`` has no such group.
    """

    signs: tuple[str, ...]
    pattern: re.Pattern[str]
    any_case: bool = False

    def find(self, text: str) -> Iterator[Span]:
        """Where the secrets of this shape stand, in the order of the text; linear."""
        searched = text.lower() if self.any_case else text
        if any(sign in searched for sign in self.signs):
            group = "secret" if "secret" in self.pattern.groupindex else 0
            for match in self.pattern.finditer(text):
                if group or _RANDOM.search(match[0]):
                    yield match.span(group)


# Hyphenated lower-case words may begin as a key does; a key is never without digits.
# The colon is that of "user:password".
_RANDOM: Final = re.compile(r"[A-Z0-9*@:]")

_KEYS: Final = (
    # OpenAI sk-, sk-proj-, sk-svcacct-; Anthropic sk-ant-api03-; OpenRouter sk-or-v1-; DeepSeek
    ("sk-", r"sk-[\w\-*]{12,}"),
    # Cerebras
    ("csk-", r"csk-[\w\-*]{12,}"),
    # xAI
    ("xai-", r"xai-[\w\-*]{12,}"),
    # Perplexity
    ("pplx-", r"pplx-[\w\-*]{12,}"),
    # NVIDIA
    ("nvapi-", r"nvapi-[\w\-*]{12,}"),
    # Tavily
    ("tvly-", r"tvly-[\w\-*]{12,}"),
    # PyPI: pypi- and a macaroon in URL-safe base64
    ("pypi-", r"pypi-[\w\-*]{12,}"),
    # Slack: xoxb-, xoxp-, xoxa-, xoxe-, … for bots, users and apps
    ("xox", r"xox[abeoprs]-[\w\-*]{12,}"),
    # Slack app-level token
    ("xapp-", r"xapp-[\w\-*]{12,}"),
    # Slack webhook: the path behind https://hooks.slack.com/services/
    ("/B", r"T[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[A-Za-z0-9]{20,}"),
    # Google OAuth client secret, API key and OAuth access token
    ("GOCSPX-", r"GOCSPX-[\w\-*]{12,}"),
    ("AIza", r"AIza[\w\-]{30,}"),
    ("ya29.", r"ya29\.[\w\-]{20,}"),
    # GitLab: personal, runner, deploy, feed, SCIM, CI build, trigger, mail and agent tokens
    (
        "glpat- glrt- gldt- glft- glsoat- glcbt- glptt- glimt- glagent-",
        r"gl(?:pat|rt|dt|ft|soat|cbt|ptt|imt|agent)-[\w\-*]{12,}",
    ),
    # GitHub: OAuth, personal, refresh, server and user tokens; fine-grained personal tokens
    ("gho_ ghp_ ghr_ ghs_ ghu_", r"gh[oprsu]_[A-Za-z0-9]{16,}(?!\w)"),
    ("github_pat_", r"github_pat_\w{20,}"),
    # Stripe: secret and restricted keys
    ("k_live_", r"[sr]k_live_[A-Za-z0-9]{16,}(?!\w)"),
    ("k_test_", r"[sr]k_test_[A-Za-z0-9]{16,}(?!\w)"),
    # Groq
    ("gsk_", r"gsk_[A-Za-z0-9]{16,}(?!\w)"),
    # Hugging Face
    ("hf_", r"hf_[A-Za-z0-9]{16,}(?!\w)"),
    # Replicate
    ("r8_", r"r8_[A-Za-z0-9]{16,}(?!\w)"),
    # npm
    ("npm_", r"npm_[A-Za-z0-9]{16,}(?!\w)"),
    # Fireworks
    ("fw_", r"fw_[A-Za-z0-9]{16,}(?!\w)"),
    # DigitalOcean
    ("dop_v1_", r"dop_v1_[A-Za-z0-9]{16,}(?!\w)"),
    # Shopify
    ("shpat_", r"shpat_[A-Za-z0-9]{16,}(?!\w)"),
    # LangSmith
    ("lsv2_pt_", r"lsv2_pt_[A-Za-z0-9]{16,}(?!\w)"),
    # Signing secrets of webhooks: Stripe, Svix
    ("whsec_", r"whsec_[A-Za-z0-9]{16,}(?!\w)"),
    # Jina
    ("jina_", r"jina_[A-Za-z0-9]{16,}(?!\w)"),
    # Databricks: dapi and 32 hexadecimal digits
    ("dapi", r"dapi[0-9a-f]{32}(?![A-Za-z0-9])"),
    # HashiCorp Vault: batch, service and recovery tokens
    ("hvb. hvs. hvr.", r"hv[bsr]\.[\w\-]{20,}"),
    # Telegram bot: its number, a colon, AA and 33 characters
    (":AA", r"[0-9]{8,10}:AA[\w\-]{33}(?![\w\-])"),
    # SendGrid: SG., an id, a dot and the secret
    ("SG.", r"SG\.[\w\-]{16,}\.[\w\-]{16,}"),
    # AWS access key ids: long-lived, temporary, role
    ("AKIA ASIA AROA", r"(?:AKIA|ASIA|AROA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    # JSON Web Token: header and payload are base64 of '{"', which gives eyJ; then a signature
    ("eyJ", r"eyJ[\w\-]{8,}\.eyJ[\w\-]{8,}(?:\.[\w\-]*)?"),
)
"""What keys of a service hold, any of the texts in the first column, and their pattern."""

_PEM: Final = r"-----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY-----"
_PEM_END: Final = r"-----END[ ][A-Z ]*PRIVATE[ ]KEY-----"
"""RFC 7468; the end may have been cut off."""
_CREDENTIALS: Final = r"(?<=://)[^\s/@:]{0,200}:[^\s/@]{1,200}(?=@)"
"""RFC 3986: ``user:password`` before the host of an address; the user may be empty."""

SHAPES: Final = (
    Shape(
        ("PRIVATE KEY", *(sign for signs, _ in _KEYS for sign in signs.split()), "://"),
        # One pattern for all, so that a key within another, a token in a URL, is found once.
        re.compile(
            rf"{_PEM}.*?(?:{_PEM_END}|\Z)"
            rf"|(?a:(?<![\w\-])(?:{'|'.join(pattern for _, pattern in _KEYS)}))|{_CREDENTIALS}",
            re.DOTALL,
        ),
    ),
    # HTTP: "Authorization: Bearer …", "Basic …" (RFC 6750, 7617), "token …" as GitHub has it
    Shape(
        ("bearer ", "basic ", "authorization"),
        re.compile(
            r"(?i)\b(?:bearer|basic|authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:token|apikey)) "
            r"(?P<secret>(?=[A-Za-z+/_\-.~]*[0-9])[A-Za-z0-9_\-.~+/]{16,}=*)"
        ),
        any_case=True,
    ),
    # api_key = "…", "client_secret": "…", password is …: 20 characters or more, with a digit
    Shape(
        ("key", "token", "secret", "password"),
        re.compile(
            r"""(?ix)
            (?:(?:api|access|secret|auth|client|account)[_\- ]?(?:key|token|secret|password)
              |apikey|password)
            ["']?\s*(?::|=|=>|is)\s*["']?
            (?P<secret>(?=[A-Za-z_\-.+/]*[0-9])(?=[0-9_\-.+/]*[A-Za-z])
              [A-Za-z0-9_\-.+/~]{20,}=*)(?![(\w])
            """
        ),
        any_case=True,
    ),
    # PGPASSWORD=…: a password that is set as shells set variables, however short
    Shape(
        ("PASS",),
        re.compile(
            r"""(?x)
            (?<![A-Za-z0-9])(?:[A-Z][A-Z0-9]*_?)?(?:PASSWORD|PASSWD|PASSPHRASE)=["']?
            (?P<secret>(?=[^\s"']{0,200}[0-9])(?=[^\s"']{0,200}[A-Za-z])
              [^\s"'`,;|&<>(){}\[\]$]{6,200})(?![(\[{$])
            """
        ),
    ),
)


def find(text: str) -> Iterator[Span]:
    """Where the keys of a text stand, shape by shape, so that some overlap; linear."""
    for shape in SHAPES:
        yield from shape.find(text)


def replace(text: str, spans: Iterable[Span], stand_in: Callable[[str], str]) -> str:
    """The text with each span replaced by ``stand_in`` of it; spans that overlap become one."""
    pieces: list[str] = []
    end = 0
    for start, stop in _merged(spans):
        pieces += (text[end:start], stand_in(text[start:stop]))
        end = stop
    return "".join((*pieces, text[end:])) if pieces else text


def _merged(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, stop in sorted(spans):
        if merged and start < merged[-1][1]:
            start, stop = merged[-1][0], max(stop, merged.pop()[1])
        merged.append((start, stop))
    return merged
