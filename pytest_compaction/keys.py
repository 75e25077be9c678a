"""Keys and passwords: recognised by their shape or known from the environment, and blotted out.

Whatever is shown or written passes through here. A key that a user exported, that
stands in a recorded session or that an endpoint sends back in an error is replaced
by ``[key]``. Ordinary text, hashes and identifiers stay as they are.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final

BLOT: Final = "[key]"
MIN_SECRET: Final = 12
"""Characters from which on the value of an environment variable is taken for a secret."""

_KEY_NAME: Final = re.compile(
    r"(?:^|_)(?:API_?KEY|ACCESS_KEY|SECRET_KEY|ADMIN_KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PAT)$",
    re.IGNORECASE,
)
_SHAPES: Final = re.compile(
    r"""
    -----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY-----.*?(?:-----END[ ][A-Z ]*PRIVATE[ ]KEY-----|\Z)
  | (?<![A-Za-z0-9_\-])(?:
      (?:sk|csk|xai|pplx|nvapi|tvly|glpat|pypi|xox[abeoprs])-[A-Za-z0-9_\-*]{12,}
    | (?:sk_live|sk_test|rk_live|rk_test|gsk|hf|r8|gh[oprsu]|npm|fw|dop_v1|shpat|lsv2_pt)
      _[A-Za-z0-9]{16,}(?![A-Za-z0-9_])
    | github_pat_[A-Za-z0-9_]{20,}
    | AIza[A-Za-z0-9_\-]{30,}
    | ya29\.[A-Za-z0-9_\-]{20,}
    | SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}
    | (?:AKIA|ASIA|AROA)[A-Z0-9]{16}(?![A-Za-z0-9])
    | eyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*)?
    )
  | (?<=://)[^\s/@:]{1,200}:[^\s/@]{1,200}(?=@)
    """,
    re.VERBOSE | re.DOTALL,
)
"""How the keys of common services look: OpenAI, Anthropic, Google, Groq, GitHub, AWS and others."""

_SHAPE_SIGNS: Final = (
    "PRIVATE KEY", "sk-", "xai-", "pplx-", "nvapi-", "tvly-", "glpat-", "pypi-", "xox", "k_live_",
    "k_test_", "gsk_", "hf_", "r8_", "gho_", "ghp_", "ghr_", "ghs_", "ghu_", "npm_", "fw_",
    "dop_v1_", "shpat_", "lsv2_pt_", "github_pat_", "AIza", "ya29.", "SG.", "AKIA", "ASIA",
    "AROA", "eyJ", "://",
)  # fmt: skip
_ASSIGNED_SIGNS: Final = ("key", "token", "secret", "password")
"""Looked for first, because that is many times faster than a pattern that finds nothing."""

_RANDOM: Final = re.compile(r"[A-Z0-9*@]")
_BEARER: Final = re.compile(
    r"(?i)\b(bearer|basic)( )((?=[A-Za-z+/_\-.~]*[0-9])[A-Za-z0-9_\-.~+/]{16,}=*)"
)
_ASSIGNED: Final = re.compile(
    r"""(?ix)
    ((?:api|access|secret|auth|client|account)[_\- ]?(?:key|token|secret|password)|apikey|password)
    (["']?\s*(?::|=|=>|is)\s*["']?)
    (?=[A-Za-z_\-.+/]*[0-9])(?=[0-9_\-.+/]*[A-Za-z])[A-Za-z0-9_\-.+/~]{20,}=*(?![(\w])
    """
)


def environment_secrets(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Values of variables that are named like a key, the longest first.

    File paths and short values are left out: they are no secrets, and blotting them
    out would damage ordinary text.
    """
    known = os.environ if environment is None else environment
    found = {known[name].strip() for name in known if _names_a_key(name)}
    secret = (v for v in found if len(v) >= MIN_SECRET and not v.startswith(("/", "~", ".")))
    return tuple(sorted(secret, key=lambda value: (-len(value), value)))


@lru_cache(maxsize=1024)
def _names_a_key(name: str) -> bool:
    return bool(_KEY_NAME.search(name))


def scrubbed(text: str, secrets: Iterable[str] | None = None) -> str:
    """The text with every key in it replaced by ``[key]``.

    ``secrets`` are texts that are keys whatever their shape; without them those of
    the environment.
    """
    if len(text) < MIN_SECRET and "://" not in text:
        return text
    for secret in environment_secrets() if secrets is None else secrets:
        if secret in text:
            text = text.replace(secret, BLOT)
    if any(sign in text for sign in _SHAPE_SIGNS):
        text = _SHAPES.sub(_blotted, text)
    lower = text.lower()
    if "bearer " in lower or "basic " in lower:
        text = _BEARER.sub(_value_blotted, text)
    if any(sign in lower for sign in _ASSIGNED_SIGNS):
        text = _ASSIGNED.sub(_value_blotted, text)
    return text


def _value_blotted(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2]}{BLOT}"


def _blotted(found: re.Match[str]) -> str:
    """Hyphenated lower-case words may begin as a key does; a key is never without digits."""
    return BLOT if _RANDOM.search(found[0]) or ":" in found[0] else found[0]


def scrubbed_json(value: Any) -> Any:
    """JSON with all its texts scrubbed, the names of members included; a new value."""
    return _scrubbed_json(value, environment_secrets())


def _scrubbed_json(value: Any, secrets: tuple[str, ...]) -> Any:
    if isinstance(value, str):
        return scrubbed(value, secrets)
    if isinstance(value, Mapping):
        return {
            scrubbed(str(name), secrets): _scrubbed_json(item, secrets)
            for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_scrubbed_json(item, secrets) for item in value]
    return value


def keys_in(text: str, secrets: Iterable[str] | None = None) -> list[str]:
    """The keys that :func:`scrubbed` would blot out, each once."""
    found = [s for s in (environment_secrets() if secrets is None else secrets) if s in text]
    if any(sign in text for sign in _SHAPE_SIGNS):
        found += [match[0] for match in _SHAPES.finditer(text) if _blotted(match) == BLOT]
    lower = text.lower()
    if "bearer " in lower or "basic " in lower:
        found += [match[3] for match in _BEARER.finditer(text)]
    if any(sign in lower for sign in _ASSIGNED_SIGNS):
        found += [match[0][len(match[1] + match[2]) :] for match in _ASSIGNED.finditer(text)]
    return list(dict.fromkeys(found))
