"""Members of known files that are secrets whatever they look like."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from pytest_compaction.secrets.blocks import Span
from pytest_compaction.secrets.encoded import decoded

_QUOTE: Final = r"""\\{0,3}["']"""
_LOGIN: Final = rf"\s{{0,3}}[:=]\s{{0,3}}(?:{_QUOTE})?(?P<secret>[A-Za-z0-9+/]{{8,2000}}={{0,2}})"


def _any(_: str) -> bool:
    return True


def _is_login(value: str) -> bool:
    """Whether base64 stands for ``user:password``."""
    text = decoded(value)
    return text is not None and ":" in text


_FILES: Final[tuple[tuple[tuple[str, ...], re.Pattern[str], Callable[[str], bool]], ...]] = (
    # Docker: config.json, auths.HOST.auth: base64 of user:password
    (
        ("auth\\", 'auth"', "auth'"),
        re.compile(rf"""["']auth{_QUOTE}{_LOGIN}"""),
        _is_login,
    ),
    # npm: .npmrc, _auth: the same; a pattern that begins with plain letters is found much faster
    (
        ("_auth",),
        re.compile(rf"_auth(?<!\w_auth){_LOGIN}"),
        _is_login,
    ),
    # JSON Web Key (RFC 7517, 7518): d, p, q, dp, dq, qi of private keys, k of symmetric ones
    (
        ("kty",),
        re.compile(
            rf"{_QUOTE}(?:d|p|q|dp|dq|qi|k){_QUOTE}\s{{0,3}}:\s{{0,3}}{_QUOTE}"
            r"(?P<secret>[\w\-]{20,2000}={0,2})"
        ),
        _any,
    ),
    # .netrc: machine HOST login USER password SECRET
    (
        ("machine",),
        re.compile(
            r"machine(?<!\wmachine)\s{1,8}\S{1,200}\s{1,8}login\s{1,8}\S{1,100}\s{1,8}password\s{1,8}"
            r"(?P<secret>[^\s\"']{4,200})"
        ),
        _any,
    ),
    # .pgpass: host:port:database:user:password
    (
        (":5432:",),
        re.compile(r":5432:[\w*\-]{1,64}:[\w*\-]{1,64}:(?P<secret>[^\s\"':]{4,200})"),
        _any,
    ),
    # Kubernetes: kubeconfig, a key in base64
    (
        ("client-key-data",),
        re.compile(
            rf"client-key-data(?:{_QUOTE})?:\s{{0,3}}(?:{_QUOTE})?(?P<secret>[\w+/=]{{40,}}(?:\s{{1,40}}[\w+/=]{{60,80}}){{0,200}})"
        ),
        _any,
    ),
)
"""Texts, one of which is in every match, the pattern with the value, and a look at the value."""


def find_in_files(text: str) -> Iterator[Span]:
    """Where secrets stand that known files have under a name of their own; linear."""
    for signs, pattern, is_secret in _FILES:
        if any(sign in text for sign in signs):
            for match in pattern.finditer(text):
                if is_secret(match["secret"]):
                    yield match.span("secret")
