"""Keys and passwords: recognised by their shape or known from the environment, and blotted out.

Whatever is shown or written passes through here. A key that a user exported, that
stands in a recorded session or that an endpoint sends back in an error is replaced
by ``[key]``. Ordinary text, hashes and identifiers stay as they are.

The key that goes to the endpoint is known whatever its length and shape; a short one
counts where it stands as a word of its own.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

BLOT: Final = "[key]"
MIN_SECRET: Final = 12
"""Characters from which on the value of an environment variable is taken for a secret."""
_SHORTEST: Final = 3
"""Characters from which on the endpoint's own key is one; what is shorter hides nothing."""
_NO_KEYS: Final = frozenset(
    "EMPTY ollama lm-studio no-key none null dummy fake key test not-needed unused xxx".split()
)
"""What servers without keys say to set in place of one."""

_KEY_NAME: Final = re.compile(
    r"(?:^|_)(?:API_?KEY|ACCESS_KEY|SECRET_KEY|ADMIN_KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|PAT)$",
    re.IGNORECASE,
)
_SHAPES: Final = re.compile(
    r"""
    -----BEGIN[ ][A-Z ]*PRIVATE[ ]KEY-----.*?(?:-----END[ ][A-Z ]*PRIVATE[ ]KEY-----|\Z)
  | (?<![A-Za-z0-9_\-])(?:
      (?:sk|csk|xai|pplx|nvapi|tvly|pypi|xox[abeoprs]|xapp|GOCSPX
       |gl(?:pat|rt|dt|ft|soat|cbt|ptt|imt|agent))-[A-Za-z0-9_\-*]{12,}
    | (?:sk_live|sk_test|rk_live|rk_test|gsk|hf|r8|gh[oprsu]|npm|fw|dop_v1|shpat|lsv2_pt
       |whsec|jina)_[A-Za-z0-9]{16,}(?![A-Za-z0-9_])
    | dapi[0-9a-f]{32}(?![A-Za-z0-9])
    | hv[bsr]\.[A-Za-z0-9_\-]{20,}
    | [0-9]{8,10}:AA[A-Za-z0-9_\-]{33}(?![A-Za-z0-9_\-])
    | T[A-Z0-9]{8,12}/B[A-Z0-9]{8,12}/[A-Za-z0-9]{20,}
    | github_pat_[A-Za-z0-9_]{20,}
    | AIza[A-Za-z0-9_\-]{30,}
    | ya29\.[A-Za-z0-9_\-]{20,}
    | SG\.[A-Za-z0-9_\-]{16,}\.[A-Za-z0-9_\-]{16,}
    | (?:AKIA|ASIA|AROA)[A-Z0-9]{16}(?![A-Za-z0-9])
    | eyJ[A-Za-z0-9_\-]{8,}\.eyJ[A-Za-z0-9_\-]{8,}(?:\.[A-Za-z0-9_\-]*)?
    )
  | (?<=://)[^\s/@:]{0,200}:[^\s/@]{1,200}(?=@)
    """,
    re.VERBOSE | re.DOTALL,
)
"""How the keys of common services look: OpenAI, Anthropic, Google, Groq, GitHub, GitLab,
Slack, Telegram, Vault, Databricks, AWS and others."""

_SHAPE_SIGNS: Final = (
    "PRIVATE KEY", "sk-", "xai-", "pplx-", "nvapi-", "tvly-", "pypi-", "xox", "xapp-", "GOCSPX-",
    "glpat-", "glrt-", "gldt-", "glft-", "glsoat-", "glcbt-", "glptt-", "glimt-", "glagent-",
    "whsec_", "jina_", "dapi", "hvb.", "hvs.", "hvr.", ":AA", "/B", "k_live_", "k_test_", "gsk_",
    "hf_", "r8_", "gho_", "ghp_", "ghr_", "ghs_", "ghu_", "npm_", "fw_", "dop_v1_", "shpat_",
    "lsv2_pt_", "github_pat_", "AIza", "ya29.", "SG.", "AKIA", "ASIA", "AROA", "eyJ", "://",
)  # fmt: skip
_ASSIGNED_SIGNS: Final = ("key", "token", "secret", "password")
"""Looked for first, because that is many times faster than a pattern that finds nothing."""

_RANDOM: Final = re.compile(r"[A-Z0-9*@]")
_BEARER: Final = re.compile(
    r"(?i)\b(bearer|basic|authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?(?:token|apikey))( )"
    r"((?=[A-Za-z+/_\-.~]*[0-9])[A-Za-z0-9_\-.~+/]{16,}=*)"
)
_BEARER_SIGNS: Final = ("bearer ", "basic ", "authorization")
_EXPORTED: Final = re.compile(
    r"""
    (?<![A-Za-z0-9])((?:[A-Z][A-Z0-9]*_?)?(?:PASSWORD|PASSWD|PASSPHRASE))(=["']?)
    (?=[^\s"']{0,200}[0-9])(?=[^\s"']{0,200}[A-Za-z])[^\s"'`,;|&<>(){}\[\]$]{6,200}(?![(\[{$])
    """,
    re.VERBOSE,
)
"""A password that is set as shells set variables, however short."""
_ASSIGNED: Final = re.compile(
    r"""(?ix)
    ((?:api|access|secret|auth|client|account)[_\- ]?(?:key|token|secret|password)|apikey|password)
    (["']?\s*(?::|=|=>|is)\s*["']?)
    (?=[A-Za-z_\-.+/]*[0-9])(?=[0-9_\-.+/]*[A-Za-z])[A-Za-z0-9_\-.+/~]{20,}=*(?![(\w])
    """
)


def environment_secrets(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Values of variables that are named like a key, the longest first.

    Short values and paths of files that are there are left out: they are no secrets,
    and blotting them out would damage ordinary text. What goes to the endpoint to be
    let in is never left out for its shape, and from three characters on not for its length.
    """
    known = os.environ if environment is None else environment
    named = {known[name].strip() for name in known if _names_a_key(name)}
    found = {value for value in named if len(value) >= MIN_SECRET and not _is_file(value)}
    found |= _sent_to_endpoint(
        known.get("OPENAI_API_KEY", "").strip(), known.get("OPENAI_BASE_URL", "").strip()
    )
    return tuple(sorted(found, key=lambda value: (-len(value), value)))


@lru_cache(maxsize=8)
def _sent_to_endpoint(key: str, base_url: str) -> frozenset[str]:
    """The key and, of an address with a password, the password and the header made of it."""
    found = {key}
    user, password = credentials_of(base_url)
    if password:
        pair = f"{user}:{password}".encode()
        found |= {password, base64.b64encode(pair).decode()}
    return frozenset(v for v in found if len(v) >= _SHORTEST and v not in _NO_KEYS)


def credentials_of(url: str) -> tuple[str, str]:
    """User and password in an address, decoded; empty texts where there are none."""
    try:
        parts = urlsplit(url)
        return unquote(parts.username or ""), unquote(parts.password or "")
    except ValueError:
        return "", ""


@lru_cache(maxsize=256)
def _is_file(value: str) -> bool:
    """Whether a value is the path of something that exists."""
    if not value.startswith(("/", "~", ".")):
        return False
    try:
        return Path(value).expanduser().exists()
    except (OSError, RuntimeError, ValueError):
        return False


@lru_cache(maxsize=1024)
def _names_a_key(name: str) -> bool:
    return bool(_KEY_NAME.search(name))


def scrubbed(text: str, secrets: Iterable[str] | None = None) -> str:
    """The text with every key in it replaced by ``[key]``.

    ``secrets`` are texts that are keys whatever their shape; without them those of
    the environment.
    """
    for secret in environment_secrets() if secrets is None else secrets:
        if secret in text:
            text = _without(secret, text)
    if len(text) < MIN_SECRET and "://" not in text:
        return text
    if any(sign in text for sign in _SHAPE_SIGNS):
        text = _SHAPES.sub(_blotted, text)
    lower = text.lower()
    if any(sign in lower for sign in _BEARER_SIGNS):
        text = _BEARER.sub(_value_blotted, text)
    if any(sign in lower for sign in _ASSIGNED_SIGNS):
        text = _ASSIGNED.sub(_value_blotted, text)
    if "PASS" in text:
        text = _EXPORTED.sub(_value_blotted, text)
    return text


def _without(secret: str, text: str) -> str:
    """The text without a secret; a short one is only meant where it is a word of its own."""
    if len(secret) >= MIN_SECRET:
        return text.replace(secret, BLOT)
    return _as_word(secret).sub(BLOT, text)


@lru_cache(maxsize=8)
def _as_word(secret: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9_]){re.escape(secret)}(?![A-Za-z0-9_])")


def _value_blotted(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2]}{BLOT}"


def _blotted(found: re.Match[str]) -> str:
    """Hyphenated lower-case words may begin as a key does; a key is never without digits."""
    return BLOT if _RANDOM.search(found[0]) or ":" in found[0] else found[0]


def scrubbed_json(value: Any) -> Any:
    """JSON with all its texts scrubbed, the names of members included; a new value.

    A name stays where all that speaks against it is a short word that is also the key.
    """
    return _scrubbed_json(value, environment_secrets())


def _scrubbed_json(value: Any, secrets: tuple[str, ...]) -> Any:
    if isinstance(value, str):
        return scrubbed(value, secrets)
    if isinstance(value, Mapping):
        long = tuple(s for s in secrets if len(s) >= MIN_SECRET or not s.isalpha())
        return {
            scrubbed(str(name), long): _scrubbed_json(item, secrets) for name, item in value.items()
        }
    if isinstance(value, list | tuple):
        return [_scrubbed_json(item, secrets) for item in value]
    return value


def keys_in(text: str, secrets: Iterable[str] | None = None) -> list[str]:
    """The keys that :func:`scrubbed` would blot out, each once."""
    known = environment_secrets() if secrets is None else secrets
    found = [s for s in known if s in text and _without(s, text) != text]
    if any(sign in text for sign in _SHAPE_SIGNS):
        found += [match[0] for match in _SHAPES.finditer(text) if _blotted(match) == BLOT]
    lower = text.lower()
    if any(sign in lower for sign in _BEARER_SIGNS):
        found += [match[3] for match in _BEARER.finditer(text)]
    if any(sign in lower for sign in _ASSIGNED_SIGNS):
        found += [match[0][len(match[1] + match[2]) :] for match in _ASSIGNED.finditer(text)]
    if "PASS" in text:
        found += [match[0][len(match[1] + match[2]) :] for match in _EXPORTED.finditer(text)]
    return list(dict.fromkeys(found))
