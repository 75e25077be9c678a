"""Keys and passwords in what a run shows or writes: each is replaced by ``[key]``.

A key is known from the environment or recognised by its shape, wherever it comes from: a
user exported it, it stands in an imported session, an endpoint sends it back in an error.
A known key is found as it is, and in the forms in which others repeat it: percent-encoded as in
an address, escaped as in JSON, in capitals, in names of files, in base64, in hexadecimal digits.
Ordinary text, hashes and identifiers stay as they are.

The key that is sent to the endpoint is known whatever its length and shape; a short one
counts only where it is a word of its own.
"""

from __future__ import annotations

import base64
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote, quote_plus, unquote, urlsplit

from pytest_compaction.secrets.formatted import Span
from pytest_compaction.secrets.names import names_a_secret
from pytest_compaction.secrets.own_environment import own_values
from pytest_compaction.secrets.shapes import find, replace

BLOT: Final = "[key]"
LONG: Final = 12
"""Fewest characters for the value of an environment variable to be taken for a secret, unless it
mixes letters with other signs; a shorter secret counts only where it is a word of its own."""
_SHORTEST: Final = 3
"""Fewest characters of the endpoint's own key; replacing a shorter one would hide nothing."""
_REMEMBERED: Final = 20_000
_SHORT: Final = 500
"""The most characters of a text whose scrubbed form is remembered, and of one of which many are;
both bound the memory."""
_NO_KEYS: Final = frozenset(
    "EMPTY ollama lm-studio no-key none null dummy fake key test not-needed unused xxx".split()
)
"""What the manuals of servers without keys tell users to set as the key."""
_ESCAPED_OCTET: Final = re.compile("%[0-9A-F]{2}")
_SLUG: Final = re.compile(r"[^A-Za-z0-9_.:+=]")
_SHORTEST_PASSWORD: Final = 8
_ENCODED: Final = 6
"""Fewest characters of a secret that is also looked for in base64 and in hexadecimal digits."""


def environment_secrets(environment: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """Values of variables that are named like a key, the longest first.

    Short values and paths of existing files are left out: they are not secrets, and
    replacing them would damage ordinary text. The credentials of the endpoint are left
    out only below three characters.
    """
    if environment is None:
        own = own_values()
        taken_out = _secrets_of(own) if own else ()
        return _joined(_secrets_of_process(), (*_known_besides, *taken_out))
    return _secrets_of(environment)


_known_besides: tuple[str, ...] = ()
"""Secrets that were given to this process in other ways."""


def know(secrets: Iterable[str]) -> None:
    """Treat these as secrets as well, in place of those of an earlier call."""
    global _known_besides
    _known_besides = tuple(s for s in secrets if len(s) >= _SHORTEST and s not in _NO_KEYS)


@lru_cache(maxsize=16)
def _joined(secrets: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({*secrets, *others}, key=lambda value: (-len(value), value)))


_process: tuple[dict[bytes, bytes], tuple[str, ...]] = ({}, ())
"""The environment of the process when it was last looked at, and the secrets in it."""


def _secrets_of_process() -> tuple[str, ...]:
    """The secrets of ``os.environ``, which is compared much faster than it is gone through."""
    global _process
    now: dict[bytes, bytes] | None = getattr(os.environ, "_data", None)
    if not now:
        return _secrets_of(os.environ)
    before, secrets = _process
    if before != now:
        before, secrets = _process = dict(now), _secrets_of(os.environ)
    return secrets


def _secrets_of(known: Mapping[str, str]) -> tuple[str, ...]:
    named = tuple(known[name] for name in known if names_a_secret(name))
    named += tuple(filter(None, (credentials_of(v)[1] for v in known.values() if "@" in v)))
    return _secrets_among(named, known.get("OPENAI_API_KEY", ""), known.get("OPENAI_BASE_URL", ""))


@lru_cache(maxsize=8)
def _secrets_among(named: tuple[str, ...], key: str, base_url: str) -> tuple[str, ...]:
    stripped = {value.strip() for value in named}
    found = {value for value in stripped if _is_long(value) and not _is_file(value)}
    found |= _sent_to_endpoint(key.strip(), base_url.strip())
    return tuple(sorted(found, key=lambda value: (-len(value), value)))


def _is_long(value: str) -> bool:
    """Whether a value is long enough that no ordinary word is replaced with it."""
    if len(value) >= LONG:
        return not value.isdecimal()
    mixed = any(map(str.isalpha, value)) and not value.isalpha()
    return len(value) >= _SHORTEST_PASSWORD and mixed


@lru_cache(maxsize=8)
def _sent_to_endpoint(key: str, base_url: str) -> frozenset[str]:
    """The key; for an address with a password, also the password and its Basic header."""
    found = {key}
    user, password = credentials_of(base_url)
    if password:
        found |= {password, base64.b64encode(f"{user}:{password}".encode()).decode()}
    return frozenset(v for v in found if len(v) >= _SHORTEST and v not in _NO_KEYS)


def credentials_of(url: str) -> tuple[str, str]:
    """User and password in an address, decoded; each is empty when the address has none."""
    try:
        parts = urlsplit(url)
        return unquote(parts.username or ""), unquote(parts.password or "")
    except ValueError:
        return "", ""


@lru_cache(maxsize=256)
def _is_file(value: str) -> bool:
    """Whether a value is the path of something that exists."""
    try:
        return value.startswith(("/", "~", ".")) and Path(value).expanduser().exists()
    except (OSError, RuntimeError, ValueError):
        return False


def scrubbed(text: str, secrets: Iterable[str] | None = None, *, shapes: bool = True) -> str:
    """The text with every key in it replaced by ``[key]``.

    ``secrets`` are keys whatever their shape; without them, those of the environment are.
    Without ``shapes``, they alone are replaced.
    """
    known = environment_secrets() if secrets is None else tuple(secrets)
    return _scrubbed_one(text, known, shapes)


def _scrubbed_one(text: str, secrets: tuple[str, ...], shapes: bool) -> str:
    """As :func:`scrubbed`; a text that is not long is scrubbed once."""
    if len(text) <= _SHORT:
        return _short_scrubbed_once(text, secrets, shapes)
    if len(text) <= _REMEMBERED:
        return _scrubbed_once(text, secrets, shapes)
    return _scrubbed(text, secrets, shapes)


def _scrubbed(text: str, secrets: tuple[str, ...], shapes: bool) -> str:
    spans = list(find_known(text, secrets))
    if spans:
        text = replace(text, spans, lambda _: BLOT)
    if shapes and (len(text) >= LONG or "://" in text):
        spans = list(find(text))
        if spans:
            text = replace(text, spans, lambda _: BLOT)
    return text


# The messages of a view are scrubbed with each request that holds them.
_scrubbed_once: Final = lru_cache(maxsize=1024)(_scrubbed)
# Facts and what decided on them stand in records, in failures and in the reasons of scores.
_short_scrubbed_once: Final = lru_cache(maxsize=8192)(_scrubbed)


def find_known(text: str, secrets: Iterable[str] | None = None) -> Iterator[Span]:
    """Where known secrets stand, without any look at their shape; see :func:`scrubbed`."""
    known = environment_secrets() if secrets is None else tuple(secrets)
    for form in _all_forms(known):
        if form in text:
            yield from (match.span() for match in _known(form).finditer(text))


@lru_cache(maxsize=16)
def _all_forms(secrets: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(form for secret in secrets for form in _forms(secret)))


@lru_cache(maxsize=256)
def _forms(secret: str) -> tuple[str, ...]:
    """A secret as it is, and as others may repeat it.

    Others are addresses, JSON such as the arguments of a tool call, names of files, capitals,
    base64 and hexadecimal digits.
    """
    # Half a surrogate pair has no UTF-8 form; here it only has to raise no error.
    octets = secret.encode("utf-8", "surrogatepass")
    quoted = (quote(octets, safe=""), quote(octets), quote_plus(octets))
    lower = (_ESCAPED_OCTET.sub(lambda match: match[0].lower(), form) for form in quoted)
    escaped = [json.dumps(secret, ensure_ascii=ascii_only)[1:-1] for ascii_only in (False, True)]
    # Some writers of JSON escape the slash as well.
    slashes = (form.replace("/", r"\/") for form in escaped)
    forms = [secret, *quoted, *lower, *escaped, *slashes]
    if len(secret) >= _ENCODED and not secret.isalpha():
        named = (secret.replace("-", "_"), _SLUG.sub("_", secret))
        forms += [form for name in (secret, *named) for form in (name, name.upper(), name.lower())]
        forms += [octets.hex(), octets.hex().upper(), *_in_base64(octets)]
    return tuple(dict.fromkeys(forms))


def _in_base64(octets: bytes) -> Iterator[str]:
    """What base64 of a longer text shows of these octets, wherever they start in it."""
    for before in range(3):
        whole = base64.b64encode(bytes(before) + octets)
        # The characters that the octets before and behind have a part in are left out.
        first, last = -(-before * 8 // 6), (before + len(octets)) * 8 // 6
        shown = whole[first:last].decode()
        yield shown
        yield shown.replace("+", "-").replace("/", "_")


@lru_cache(maxsize=256)
def _known(secret: str) -> re.Pattern[str]:
    """Finds a form of a known secret; a short one only where it is a word of its own."""
    literal = re.escape(secret)
    if len(secret) >= LONG:
        return re.compile(literal)
    return re.compile(rf"(?<![A-Za-z0-9_]){literal}(?![A-Za-z0-9_])")


def scrubbed_json(
    value: Any, ciphertext: Set[str] = frozenset(), secrets: tuple[str, ...] | None = None
) -> Any:
    """A copy of a JSON value with all its texts scrubbed, the names of members included.

    ``ciphertext`` names members in which anything can look like a key by chance: only known
    secrets are replaced there. A name that is also the endpoint's key, when that is a short
    word, stays. ``secrets`` are keys whatever their shape; without them, those of the
    environment are.
    """
    secrets = environment_secrets() if secrets is None else secrets
    # A key such as "content" would otherwise rename the members of every record.
    in_names = tuple(s for s in secrets if len(s) >= LONG or not s.isalpha())
    least = min(map(len, _all_forms(secrets)), default=LONG)

    def scrub_text(text: str, known: tuple[str, ...], shapes: bool = True) -> str:
        # Most texts are names and words that are shorter than any key.
        if len(text) < least and len(text) < LONG and "://" not in text:
            return text
        return _scrubbed_one(text, known, shapes)

    def scrub(value: Any, shapes: bool = True) -> Any:
        if isinstance(value, str):
            return scrub_text(value, secrets, shapes)
        if value is None or isinstance(value, (int, float)):
            return value
        if isinstance(value, (list, tuple)):
            return [scrub(item) for item in value]
        if isinstance(value, (dict, Mapping)):
            return {
                scrub_text(str(name), in_names): scrub(item, name not in ciphertext)
                for name, item in value.items()
            }
        return value

    return scrub(value)
