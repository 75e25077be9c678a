"""Secrets in the text of a transcript: keys by their shape, passwords by what names them.

The shapes are those of the package detect-secrets, beside those that the project blots
out wherever it shows text. Its rules that look at entropy alone are left aside: a
transcript is full of hashes, ids and encoded data, and those are facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from pytest_compaction.secrets.keys import environment_secrets, keys_in
from pytest_compaction.secrets.named import is_distinctive, named_values

STAND_IN: Final = "REDACTED_SECRET_"

_SHORTEST: Final = 6
_LEAST: Final = 8
"""Characters of a group from which on it is the secret, and not a part of its shape."""
_LONG_RUN: Final = re.compile(r"[A-Za-z0-9+/=_\-]{16}")
"""What every key has, and little prose: looked for first, because it is many times faster."""
_WINDOW: Final = 4_000
_OVERLAP: Final = 500
_LEFT_ASIDE: Final = frozenset(
    {
        "ArtifactoryDetector",
        "BasicAuthDetector",
        "IPPublicDetector",
        "JwtTokenDetector",
        "NpmDetector",
        "PrivateKeyDetector",
    }
)
"""Rules that mark too much or only a part, or that take quadratic time; ``keys`` has its own."""

_PASSWORD: Final = re.compile(
    r"""(?ix)
    (?:\b|_|(?<=[a-z]))(?:password|passwd|passphrase|passwort|pwd|db_?pass)(?P<rest>[\w\-]{0,20})
    (?:["'`\]]{0,2}\s{0,3}(?::=|=>|={1,3}|:)\s{0,3}|\s(?:is|=)\s|[ ])
    (?:(?P<quote>["'`])(?P<quoted>[^"'`\s]{6,100})(?P=quote)
      |(?P<plain>[^\s"'`,;(){}\[\]<>|&]{6,100})(?![(\[.\w]))
    """
)
_NAMED: Final = re.compile(
    r"""(?ix)
    (?:secret|token|credentials?|(?:api|auth|access|account|private|signing|encryption|master)
    [_\-.]?key)[\w\-]{0,20}
    ["'`\]]{0,2}\s{0,3}(?::=|=>|={1,3}|:)\s{0,3}
    (?P<quote>["'`]?)(?P<value>[A-Za-z0-9_\-.+/~!@\#$%^&*]{16,200}={0,2})(?P=quote)(?![(\[\w])
    """
)
_ACCOUNT: Final = re.compile(r"(?<=\s)(?:-u|--user)[ =]?['\"]?[\w.@-]{1,60}:([^\s'\"]{6,100})")
_WORDS: Final = re.compile(r"[A-Za-z]+\d{0,4}(?:[_.\-/]+(?:[A-Za-z]+\d{0,4}|\d{1,4}))*")
_TEMPLATE: Final = re.compile(r":(?:\$|\{|<|%|\*+$)")
_MEMBER: Final = re.compile(r"[A-Za-z_$][\w$]{0,15}(?:\??\.[A-Za-z_$][\w$]{0,15})+")
_NAME_PATH: Final = re.compile(r"[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+")
_BROKEN: Final = 16
"""Characters of a key from which on the line may have been broken within it."""
_NEXT_LINE: Final = re.compile(
    r"(?:[ \t]{0,4}\\?\r?\n|\\{1,2}n)[ \t]{0,40}(?P<rest>[A-Za-z0-9_\-+/]{8,200}={0,2})"
    r"(?=[\s\"'`,;)\]}\\]|\Z)"
)
_HEX: Final = re.compile(r"(?:sha\d+[:-])?[0-9a-fA-F]{7,128}")


def secrets_in(text: str) -> Iterator[str]:
    """Every secret of a text, some of them several times; linear in its length."""
    known = environment_secrets()
    keys = keys_in(text, known)
    yield from _unmarked(keys)
    yield from _unmarked(filter(_is_password, (key.rpartition(":")[2] for key in keys)))
    yield from _unmarked(filter(is_distinctive, named_values(text)))
    yield from _unmarked(_second_halves(text, keys))
    for piece in _pieces(text):
        yield from _unmarked(_shaped(piece))
        yield from _unmarked(_assigned(piece))


def _second_halves(text: str, keys: Iterable[str]) -> Iterator[str]:
    """What follows on the next line where a key was broken at the end of one."""
    for key in keys:
        if "\n" in key or len(key) < _BROKEN:
            continue
        for place in _places(text, key):
            rest = _NEXT_LINE.match(text, place + len(key))
            if rest and _continues(key, rest["rest"]):
                yield rest["rest"]


def _places(text: str, key: str) -> Iterator[int]:
    place = text.find(key)
    while place >= 0:
        yield place
        place = text.find(key, place + len(key))


def _continues(key: str, rest: str) -> bool:
    """Whether it can be the rest of the key, and is no word, hash or name."""
    if not (any(map(str.isdigit, rest)) and any(map(str.isalpha, rest))):
        return False
    hash_after_key = _HEX.fullmatch(rest) and not _HEX.fullmatch(key[-_LEAST:])
    return not (hash_after_key or _WORDS.fullmatch(rest) or _reference(rest))


def _unmarked(found: Iterable[str]) -> Iterator[str]:
    for secret in found:
        named = _TEMPLATE.search(secret) or _MEMBER.fullmatch(secret)
        if STAND_IN not in secret and len(secret) >= _SHORTEST and not named:
            yield secret


def _pieces(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if len(line) <= _WINDOW:
            yield line
            continue
        for start in range(0, len(line), _WINDOW - _OVERLAP):
            yield line[start : start + _WINDOW]


def _shaped(line: str) -> Iterator[str]:
    if _LONG_RUN.search(line) is None:
        return
    for pattern in _library_patterns():
        for match in pattern.finditer(line):
            longest = max((group for group in match.groups() if group), key=len, default="")
            secret = longest if len(longest) >= _LEAST else match[0]
            before, after = line[: match.start()][-1:], line[match.end() :][:1]
            joined = (before.isalnum() and match[0][0].isalnum()) or after.isalnum()
            if not joined:
                yield secret.strip(" \t\"'=:")


@lru_cache(maxsize=1)
def _library_patterns() -> tuple[re.Pattern[str], ...]:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.plugins.base import RegexBasedDetector

    rules: Mapping[str, Any] = get_mapping_from_secret_type_to_class()
    return tuple(
        pattern
        for _, rule in sorted(rules.items())
        if issubclass(rule, RegexBasedDetector) and rule.__name__ not in _LEFT_ASIDE
        for pattern in rule.denylist
    )


def _assigned(line: str) -> Iterator[str]:
    lower = line.lower()
    if "pass" in lower or "pwd" in lower:
        for match in _PASSWORD.finditer(line):
            secret = match["quoted"] or match["plain"].rstrip(".:!?\\")
            words = _WORDS.fullmatch(secret) and re.search(r"[_.\-/]", secret)
            if _is_password(secret) and (match["quoted"] or not words):
                yield secret
    if any(sign in lower for sign in ("secret", "token", "credential", "key")):
        for match in _NAMED.finditer(line):
            if _is_random(match["value"]):
                yield match["value"]
    if "-u" in line:
        yield from (secret for secret in _ACCOUNT.findall(line) if _is_password(secret))


def _is_password(text: str) -> bool:
    """Letters and digits, and not the name of a thing or a place in the code."""
    return (
        len(text) >= 6
        and any(map(str.isdigit, text))
        and any(map(str.isalpha, text))
        and not _reference(text)
    )


def _is_random(text: str) -> bool:
    """Whether a value looks like a key: digits among letters, no words, no hash, no id."""
    changes = len(re.findall(r"[A-Za-z]\d|\d[A-Za-z]", text))
    return changes >= 3 and not (_reference(text) or _WORDS.fullmatch(text) or _HEX.fullmatch(text))


def _reference(text: str) -> bool:
    """A variable, a template, a member of an object, a UUID: names of values, not values."""
    from detect_secrets.filters import heuristic

    return (
        heuristic.is_templated_secret(text)
        or heuristic.is_prefixed_with_dollar_sign(text)
        or heuristic.is_potential_uuid(text)
        or heuristic.is_sequential_string(text)
        or bool(_NAME_PATH.fullmatch(text))
        or text.startswith(("/", "./", "~", "%", "@", "http://", "https://", "process.env", "--"))
    )
