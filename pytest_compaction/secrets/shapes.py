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

_DASHED: Final = r"[\w\-*]{12,}"  # with the asterisks of a key that a service shows in part
_PLAIN: Final = r"[A-Za-z0-9]{16,}(?!\w)"
_KEYS: Final = (
    # OpenAI sk-proj-, Anthropic sk-ant-, OpenRouter sk-or-, DeepSeek; Cerebras; xAI; Perplexity;
    # NVIDIA; Tavily; PyPI, a macaroon in URL-safe base64; Google: OAuth client secret
    ("sk- csk- xai- pplx- nvapi- tvly- pypi- GOCSPX-", _DASHED),
    # Slack: tokens of bots, users and apps
    ("xapp- xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs-", _DASHED),
    # GitLab: personal, runner, deploy, feed, SCIM, CI build, trigger, mail and agent tokens
    ("glpat- glrt- gldt- glft- glsoat- glcbt- glptt- glimt- glagent-", _DASHED),
    # GitHub; Groq; Hugging Face; Replicate; npm; Fireworks; DigitalOcean; Shopify; LangSmith; Jina
    ("gho_ ghp_ ghr_ ghs_ ghu_ gsk_ hf_ r8_ npm_ fw_ dop_v1_ shpat_ lsv2_pt_ jina_", _PLAIN),
    # Stripe: secret, restricted; Stripe and Svix: signing secret of a webhook
    ("sk_live_ sk_test_ rk_live_ rk_test_ whsec_", _PLAIN),
    ("github_pat_", r"\w{20,}"),  # GitHub: fine-grained personal token
    ("AIza", r"[\w\-]{30,}"),  # Google: API key, 39 characters in all
    # Google: OAuth access token; HashiCorp Vault: batch, service, recovery
    ("ya29. hvb. hvs. hvr.", r"[\w\-]{20,}"),
    ("dapi", r"[0-9a-f]{32}(?![A-Za-z0-9])"),  # Databricks
    ("AKIA ASIA AROA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),  # AWS: id of a key
    ("SG.", r"[\w\-]{16,}\.[\w\-]{16,}"),  # SendGrid: SG.id.secret
    # JSON Web Token: header and payload begin with {", which is eyJ in base64; then a signature
    ("eyJ", r"[\w\-]{8,}\.eyJ[\w\-]{8,}(?:\.[\w\-]*)?"),
)
"""How keys begin, by service, and what follows."""
_OTHER_KEYS: Final = (
    r"T[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[A-Za-z0-9]{20,}",  # Slack: path of a webhook
    r"[0-9]{8,10}:AA[\w\-]{33}(?![\w\-])",  # Telegram: number of the bot, key
)
_PEM: Final = (
    r"-----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY-----.*?(?:-----END[ ][A-Z ]*PRIVATE[ ]KEY-----|\Z)"
)
"""RFC 7468; the end may have been cut off."""
_CREDENTIALS: Final = r"(?<=://)[^\s/@:]{0,200}:[^\s/@]{1,200}(?=@)"
"""RFC 3986: ``user:password`` before the host of an address; the user may be empty."""
_RANDOM: Final = re.compile(r"[A-Z0-9*@:]")
"""Lower-case words joined by hyphens may begin as a key does. The colon is of ``user:password``."""
_LONG_VALUE: Final = r"""["']?\s*(?::|=|=>|is)\s*["']?
  (?P<secret>(?=[A-Za-z_\-.+/]*[0-9])(?=[0-9_\-.+/]*[A-Za-z])
    [A-Za-z0-9_\-.+/~]{20,}=*)(?![(\w])"""
"""A value behind its name: 20 characters or more, with a digit."""
_ODD_LETTERS: Final = "\u017f\u212a\u0130\u0131"
"""Letters that a pattern without regard to case takes for ASCII ones, but ``lower`` does not."""
_WORD: Final = r"(?:[A-Z]?[a-z]{2,}|[A-Z]{2,6})"
IDENTIFIER: Final = re.compile(rf"{_WORD}(?:[_\-.]{_WORD}|[A-Z][a-z]{{2,}})+")
"""Words without a digit, joined as in names of variables, types and packages."""
TEST_NAME: Final = re.compile(
    r"(?:[\w./\-]{1,200}::)?(?:test_\w{1,200}|[Tt]est[A-Z][A-Za-z]\w{0,200})(?:\[[^\]]{0,200}\])?"
    r"|[\w./\-]{1,200}::\w[\w:\[\]\-.]{0,200}"
)
"""A test, with its file and parameters or without."""


@dataclass(frozen=True, slots=True)
class KeyShape:
    """A pattern, and signs: short texts, at least one of which is in every match.

    Signs are searched for first, because that is many times faster than a pattern that
    finds nothing; those of a pattern that ignores case are in lower case. The secret is the
    group ``secret``, or the whole match if ``pattern`` has no such group.

    ``rest`` is what follows a sign in every match. With ``across``, a match that goes over the
    end of a line holds one of these texts; others are looked for where ``finder`` finds a sign.
    """

    signs: tuple[str, ...]
    pattern: re.Pattern[str]
    rest: re.Pattern[str] | None = None
    across: tuple[str, ...] = ()
    finder: re.Pattern[str] | None = None

    def find(self, text: str, lower: str | None = None) -> Iterator[Span]:
        """Where the secrets of this shape stand, in the order of the text; linear.

        ``lower`` is the text in lower case, if it is at hand.
        """
        group = "secret" if "secret" in self.pattern.groupindex else 0
        for match in self._matches(text, lower):
            if _is_key(match[group]) if group else _is_random(match[0]):
                yield match.span(group)

    def _matches(self, text: str, lower: str | None) -> Iterator[re.Match[str]]:
        """What ``pattern.finditer`` finds, without a look at places where it finds nothing."""
        if self.finder is not None:
            lines = _lines_with(self.finder, text)
            if any(sign in text[start:end] for start, end in lines for sign in self.across):
                yield from self.pattern.finditer(text)
            else:
                for start, end in lines:
                    yield from self.pattern.finditer(text, start, end)
            return
        searched = text
        if self.pattern.flags & re.IGNORECASE:
            searched = text.lower() if lower is None else lower
        if any(sign in searched for sign in self.signs) and self._goes_on(searched, text):
            yield from self.pattern.finditer(text)

    def _goes_on(self, searched: str, text: str) -> bool:
        """Whether the rest of the pattern stands behind one of the signs."""
        if self.rest is None or len(searched) != len(text):
            return True
        if not text.isascii() and any(letter in text for letter in _ODD_LETTERS):
            return True
        for sign in self.signs:
            at = searched.find(sign)
            while at >= 0:
                if self.rest.match(text, at + len(sign)):
                    return True
                at = searched.find(sign, at + 1)
        return False


def _finder(signs: Iterable[str]) -> re.Pattern[str]:
    """Finds where any of many signs may stand, faster than a search for one after the other.

    It stops at a character of each sign that is rare in text because it is no small letter,
    looks at the one before it, and only then at all that come before it in the sign.
    """
    heads: dict[int, set[str]] = {}
    for sign in signs:
        rare = [n for n, letter in enumerate(sign) if n and not letter.islower()]
        head = sign[: max(rare, default=len(sign) - 1) + 1]
        heads.setdefault(len(head), set()).add(head)
    every = sorted({head for group in heads.values() for head in group})
    stops = "".join(sorted({re.escape(head[-1]) for head in every}))
    pairs = "|".join(sorted({re.escape(head[-2:]) for head in every}))
    whole = "|".join(f"(?<={'|'.join(map(re.escape, sorted(heads[n])))})" for n in sorted(heads))
    return re.compile(f"[{stops}](?<={pairs})(?:{whole})")


def _lines_with(signs: re.Pattern[str], text: str) -> list[Span]:
    """Where the lines stand that hold one of the signs, in order."""
    found: list[Span] = []
    end = -1
    for match in signs.finditer(text):
        if match.start() > end:
            start = text.rfind("\n", 0, match.start()) + 1
            end = text.find("\n", match.start())
            end = len(text) if end < 0 else end
            found.append((start, end))
    return found


def _is_random(key: str) -> bool:
    """Whether a match has what words lack that begin as a key does."""
    return bool(_RANDOM.search(key)) and not IDENTIFIER.fullmatch(key)


def _is_key(value: str) -> bool:
    return not TEST_NAME.fullmatch(value)


def _any_key() -> KeyShape:
    """One shape for all keys, so that a key within another, a token in a URL, is found once."""
    heads = [head for row, _ in _KEYS for head in row.split()]
    keys = [f"(?:{'|'.join(map(re.escape, row.split()))}){rest}" for row, rest in _KEYS]
    listed = "|".join((*keys, *_OTHER_KEYS))
    pattern = re.compile(rf"{_PEM}|(?a:(?<![\w\-])(?:{listed}))|{_CREDENTIALS}", re.DOTALL)
    signs = (*heads, "/B", ":AA", "PRIVATE KEY", "://")
    return KeyShape(signs, pattern, across=("PRIVATE KEY",), finder=_finder(signs))


SHAPES: Final = (
    _any_key(),
    # HTTP: "Authorization: Bearer …", "Basic …" (RFC 6750, 7617), "token …" as GitHub has it
    KeyShape(
        ("bearer ", "basic ", "authorization"),
        re.compile(
            r"(?i)\b(?:bearer|basic|authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:token|apikey)) "
            r"(?P<secret>(?=[A-Za-z+/_\-.~]*[0-9])[A-Za-z0-9_\-.~+/]{16,}=*)"
        ),
    ),
    # api_key = "…", "client_secret": "…", password is …: 20 characters or more, with a digit
    KeyShape(
        ("key", "token", "secret", "password"),
        re.compile(
            r"""(?ix)(?:(?:api|access|secret|auth|client|account)[_\- ]?
              (?:key|token|secret|password)|apikey|password)"""
            + _LONG_VALUE
        ),
        re.compile(rf"(?ix){_LONG_VALUE}"),
    ),
    # PGPASSWORD=…: a password that is set as shells set variables, however short
    KeyShape(
        ("PASS",),
        re.compile(
            r"""(?x)(?<![A-Za-z0-9])(?:[A-Z][A-Z0-9]*_?)?(?:PASSWORD|PASSWD|PASSPHRASE)=["']?
            (?P<secret>(?=[^\s"']{0,200}[0-9])(?=[^\s"']{0,200}[A-Za-z])
              [^\s"'`,;|&<>(){}\[\]$]{6,200})(?![(\[{$])"""
        ),
    ),
)


def find(text: str) -> Iterator[Span]:
    """Where the keys of a text stand, shape by shape; some overlap. Linear."""
    lower = text.lower()
    for shape in SHAPES:
        yield from shape.find(text, lower)


def replace(text: str, spans: Iterable[Span], stand_in: Callable[[str], str]) -> str:
    """The text with each span replaced by ``stand_in`` of it; spans that overlap become one."""
    merged: list[Span] = []
    for start, stop in sorted(spans):
        if merged and start < merged[-1][1]:
            start, stop = merged[-1][0], max(stop, merged.pop()[1])
        merged.append((start, stop))
    pieces: list[str] = []
    end = 0
    for start, stop in merged:
        pieces += (text[end:start], stand_in(text[start:stop]))
        end = stop
    return "".join((*pieces, text[end:]))
