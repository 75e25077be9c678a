"""Secrets that this process knows: values of its environment and of the parameters of strategies.

They are found as they are, in upper case, percent-encoded as in an address, escaped as in JSON, in
hexadecimal, and in base64 as in a header of basic authentication.
Variables may point elsewhere while a run lasts; the run itself asks :func:`own_variable`.
"""

from __future__ import annotations

import json
import os
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, quote_plus, unquote, urlsplit

from pytest_compaction.secrets.disguises import Span

LONG: Final = 12
"""Fewest characters of a secret that is found within a word."""
_SHORTEST_ENCODED: Final = 6
"""Fewest characters of a secret that is also looked for in upper case, hexadecimal and base64."""
_ESCAPED_OCTET: Final = re.compile("%[0-9A-F]{2}")

# --- names of variables and parameters that hold a secret ---

_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_ENDINGS: Final = (
    *("password", "passwd", "passphrase", "passcode", "pass", "pwd", "secret", "token"),
    *("apikey", "accesskey", "secretkey", "privatekey", "authkey", "credential", "credentials"),
)
"""How a word ends that names a secret, such as ``PGPASSWORD``."""
_NO_ENDINGS: Final = frozenset("bypass compass trespass encompass surpass multipass".split())
_WORDS: Final = frozenset(
    "key pw pat creds cred auth bearer jwt dsn sas salt cookie webhook".split()
)
"""Words that name a secret when they come last."""
_PLURALS: Final = frozenset("secrets passwords apikeys keys".split())
_ANYWHERE: Final = frozenset("secret password passwd passphrase apikey".split())
"""Words that name a secret wherever they stand, unless the last word says that it is another."""
_KINDS: Final = frozenset(
    """api access secret private auth admin account master service signing encryption client
    app""".split()
)
"""Before ``key``: the key is a secret, whatever follows."""
_OTHER_KEYS: Final = frozenset(
    "public pub primary foreign sort cache gpg partition hot row".split()
)
_AFTER: Final = frozenset(
    """base value prod production dev development stage staging test testing live sandbox backup old
    new current previous primary secondary main default ro rw read write b64 base64 hex raw plain
    text str string eu us uk de global local""".split()
)
"""Endings that keep the meaning of a name: ``OPENAI_API_KEY_2``, ``DB_PASSWORD_PROD``."""
_OTHERS: Final = frozenset(
    """file path name id ids length limit count ttl expiry expires timeout policy url uri host mode
    enabled dir folder manager ring store provider hash arn region type format algorithm size min
    max days age prefix suffix header field scheme backend class version login sock socket user
    username command cmd helper required""".split()
)


@lru_cache(maxsize=2048)
def names_a_secret(name: str) -> bool:
    """Whether a variable or a parameter of this name holds a secret: ``PGPASSWORD``, ``api_key``.

    Numbers, stages and forms at its end do not count: ``OPENAI_API_KEY_2``, ``SECRET_KEY_BASE``.
    """
    words = [word.lower() for word in _WORD.findall(name)]
    if name.startswith("TF_TOKEN_"):  # Terraform: the token for the host that follows
        return True
    if not words or name in ("PWD", "OLDPWD") or words[-1] in _OTHERS:
        return False
    pairs = pairwise(words)
    if not _ANYWHERE.isdisjoint(words) or any(a in _KINDS and b == "key" for a, b in pairs):
        return True
    while len(words) > 1 and (words[-1].isdigit() or words[-1] in _AFTER):
        words.pop()
    last = words[-1]
    if last == "key" and len(words) > 1 and words[-2] in _OTHER_KEYS:
        return False
    ends = last.endswith(_ENDINGS) and last not in _NO_ENDINGS
    return ends or last in _WORDS or last in _PLURALS


# --- the user's own values of variables that point elsewhere ---

_own: dict[str, str | None] = {}
"""Former values of the variables, ``None`` for those that were not set."""


def own_variable(name: str) -> str:
    """The user's own value of a variable, without space around it; empty if it is not set."""
    value = _own[name] if name in _own else os.environ.get(name)
    return (value or "").strip()


def point(variables: Mapping[str, str | None]) -> Callable[[], None]:
    """Set variables, or remove those that are ``None``. The result puts the user's own back."""

    def put(name: str, value: str | None) -> None:
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value

    for name, value in variables.items():
        _own.setdefault(name, os.environ.get(name))
        put(name, value)

    def put_back() -> None:
        for name in variables:
            if name in _own:
                put(name, _own.pop(name))

    return put_back


# --- values ---

_SHORTEST: Final = 3
"""Fewest characters of the endpoint's own key; replacing a shorter one would hide nothing."""
_NO_KEYS: Final = frozenset(
    "EMPTY ollama lm-studio no-key none null dummy fake key test not-needed unused xxx".split()
)
"""Placeholder keys from the manuals of servers without keys."""
_SHORTEST_PASSWORD: Final = 8


def environment_secrets(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Values of variables that are named like a key, the longest first.

    Short values and paths of existing files are left out: they are not secrets, and
    replacing them would damage ordinary text. The credentials of the endpoint are left
    out only below three characters.
    """
    global _last
    if environment is not None:
        return _longest_first(_secrets_of(environment))
    # The environment is compared much faster than it is gone through.
    now: dict[Any, Any] = getattr(os.environ, "_data", None) or dict(os.environ)
    if _last[:3] != (now, _own, _known_besides):
        taken_out = {name: value for name, value in _own.items() if value is not None}
        found = {*_secrets_of(os.environ), *_secrets_of(taken_out), *_known_besides}
        _last = dict(now), dict(_own), _known_besides, _longest_first(found)
    return _last[3]


_known_besides: tuple[str, ...] = ()
"""Secrets that were given to this process in other ways."""
_last: tuple[dict[Any, Any], dict[str, str | None], tuple[str, ...], tuple[str, ...]] = (
    {},
    {},
    (),
    (),
)
"""What the secrets of this process were found in when they were last asked for, and they."""


def know(secrets: Iterable[str]) -> None:
    """Treat these as secrets as well, in place of those of an earlier call."""
    global _known_besides
    _known_besides = tuple(s for s in secrets if len(s) >= _SHORTEST and s not in _NO_KEYS)


def _longest_first(secrets: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(secrets, key=lambda value: (-len(value), value)))


def _secrets_of(known: Mapping[str, str]) -> set[str]:
    named = [known[name] for name in known if names_a_secret(name)]
    named += [credentials_of(value)[1] for value in known.values() if "@" in value]
    found = {v for v in map(str.strip, named) if _is_long(v) and not _is_file(v)}
    # The endpoint's key; of an address with a password, also that and its Basic header.
    sent = {known.get("OPENAI_API_KEY", "").strip()}
    user, password = credentials_of(known.get("OPENAI_BASE_URL", "").strip())
    if password:
        sent |= {password, b64encode(f"{user}:{password}".encode()).decode()}
    return found | {v for v in sent if len(v) >= _SHORTEST and v not in _NO_KEYS}


def _is_long(value: str) -> bool:
    """Whether a value is long enough that no ordinary word is replaced with it."""
    if len(value) >= LONG:
        return not value.isdecimal()
    mixed = any(map(str.isalpha, value)) and not value.isalpha()
    return len(value) >= _SHORTEST_PASSWORD and mixed


def credentials_of(url: str) -> tuple[str, str]:
    """User and password in an address, decoded; each is empty when the address has none."""
    try:
        parts = urlsplit(url)
        return unquote(parts.username or ""), unquote(parts.password or "")
    except ValueError:
        return "", ""


def _is_file(value: str) -> bool:
    try:
        return value.startswith(("/", "~", ".")) and Path(value).expanduser().exists()
    except (OSError, RuntimeError, ValueError):
        return False


# --- where secrets stand ---


def find_known(text: str, secrets: Iterable[str]) -> Iterator[Span]:
    """Where secrets stand; some spans overlap. Linear."""
    for form in _all_forms(tuple(secrets)):
        if form in text:
            yield from (match.span() for match in _pattern(form).finditer(text))


def shortest_form(secrets: tuple[str, ...]) -> int:
    """Fewest characters of a text in which one of the secrets may stand."""
    return min(map(len, _all_forms(secrets)), default=LONG)


@lru_cache(maxsize=16)
def _all_forms(secrets: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(form for secret in secrets for form in _forms(secret)))


@lru_cache(maxsize=256)
def _forms(secret: str) -> tuple[str, ...]:
    # Half a surrogate pair has no UTF-8 form; here it only has to raise no error.
    octets = secret.encode("utf-8", "surrogatepass")
    quoted = (quote(octets, safe=""), quote(octets), quote_plus(octets))
    lower = (_ESCAPED_OCTET.sub(lambda match: match[0].lower(), form) for form in quoted)
    escaped = [json.dumps(secret, ensure_ascii=ascii_only)[1:-1] for ascii_only in (False, True)]
    # Some writers of JSON escape the slash as well.
    slashes = (form.replace("/", r"\/") for form in escaped)
    forms = [secret, *quoted, *lower, *escaped, *slashes]
    if len(secret) >= _SHORTEST_ENCODED and not secret.isalpha():
        forms += [secret.upper(), octets.hex(), octets.hex().upper(), *_in_base64(octets)]
    return tuple(dict.fromkeys(forms))


def _in_base64(octets: bytes) -> Iterator[str]:
    """The characters that stand for these octets wherever they begin in a longer text."""
    for before in range(3):
        whole = b64encode(bytes(before) + octets)
        # The characters that the octets before and behind have a part in are left out.
        first, last = -(-before * 8 // 6), (before + len(octets)) * 8 // 6
        shown = whole[first:last].decode()
        yield shown
        yield shown.replace("+", "-").replace("/", "_")


@lru_cache(maxsize=256)
def _pattern(form: str) -> re.Pattern[str]:
    """Finds a form of a secret; a short one only where it is a word of its own."""
    literal = re.escape(form)
    if len(form) >= LONG:
        return re.compile(literal)
    return re.compile(rf"(?<![A-Za-z0-9_]){literal}(?![A-Za-z0-9_])")
