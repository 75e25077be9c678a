"""Search for the secrets of an imported transcript: keys by their shape, passwords by name.

Beside the shapes of this package, those of the package detect-secrets count. Its rules that
look at entropy alone are left out: a transcript is full of hashes, ids and encoded data, and
those are facts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any, Final

from pytest_compaction.secrets.keys import find_known
from pytest_compaction.secrets.named import HEX, WORDS, find_named, is_mixed
from pytest_compaction.secrets.shapes import STAND_IN, Span, find

_SHORTEST: Final = 6
_LEAST: Final = 8
"""Fewest characters for a group of a pattern to be the secret and not a part of its shape."""
_LONG_RUN: Final = re.compile(r"[A-Za-z0-9+/=_\-]{16}")
"""Every key has such a run, little prose does: looked for first, as that is much faster."""
# Some patterns of detect-secrets take quadratic time, so long lines are read in pieces.
_PIECE: Final = 4_000
_OVERLAP: Final = 500
_LEFT_OUT: Final = frozenset(
    {
        "ArtifactoryDetector",  # marks any text that begins with AKC or AP
        "BasicAuthDetector",  # marks templates as well; ``shapes`` has its own
        "IPPublicDetector",  # addresses are facts
        "JwtTokenDetector",  # quadratic; ``shapes`` has its own
        "NpmDetector",  # marks a part only; ``shapes`` has its own
        "PrivateKeyDetector",  # marks the first line only; ``shapes`` has its own
    }
)
_TEMPLATE: Final = re.compile(r":(?:\$|\{|<|%|\*+$)")
# A JSON Web Token looks like a member of a member of an object, but its names are long.
_SHORT_MEMBER: Final = re.compile(r"[A-Za-z_$][\w$]{0,15}(?:\??\.[A-Za-z_$][\w$]{0,15})+")
_BROKEN: Final = 16
"""Fewest characters of a key for its line to have been broken within it."""
_NEXT_LINE: Final = re.compile(
    r"(?:[ \t]{0,4}\\?\r?\n|\\{1,2}n)[ \t]{0,40}(?P<rest>[A-Za-z0-9_\-+/]{8,200}={0,2})"
    r"(?=[\s\"'`,;)\]}\\]|\Z)"
)


def secrets_in(text: str) -> Iterator[str]:
    """Every secret of a text that can be searched for everywhere, some several times; linear.

    Values that are secrets only where something names them are left out; see
    :func:`~pytest_compaction.secrets.named.find_named`.
    """
    keys = [*find_known(text), *find(text)]
    found = [text[start:stop] for start, stop in keys]
    passwords = (key.rpartition(":")[2] for key in found)
    named = (text[start:stop] for (start, stop), distinctive in find_named(text) if distinctive)
    rests = _second_halves(text, keys)
    for secret in chain(found, filter(is_mixed, passwords), named, rests, _shaped(text)):
        plain = _TEMPLATE.search(secret) or _SHORT_MEMBER.fullmatch(secret)
        if STAND_IN not in secret and len(secret) >= _SHORTEST and not plain:
            yield secret


def _second_halves(text: str, keys: Iterable[Span]) -> Iterator[str]:
    """The rest of a key on the next line, where a terminal or a model broke the line within.

    A rest that is a word, a hash or a name is not one.
    """
    for start, stop in keys:
        key, match = text[start:stop], _NEXT_LINE.match(text, stop)
        if match is None or len(key) < _BROKEN or "\n" in key:
            continue
        rest = match["rest"]
        hash_after_key = HEX.fullmatch(rest) and not HEX.fullmatch(key[-_LEAST:])
        if is_mixed(rest) and not (hash_after_key or WORDS.fullmatch(rest)):
            yield rest


def _shaped(text: str) -> Iterator[str]:
    """What the patterns of detect-secrets find, unless it is part of a longer word."""
    for line in text.splitlines():
        for start in range(0, len(line) if len(line) > _PIECE else 1, _PIECE - _OVERLAP):
            piece = line[start : start + _PIECE]
            for pattern in _library_patterns() if _LONG_RUN.search(piece) else ():
                for match in pattern.finditer(piece):
                    longest = max(filter(None, match.groups()), key=len, default="")
                    before, after = piece[: match.start()][-1:], piece[match.end() :][:1]
                    if not ((before.isalnum() and match[0][0].isalnum()) or after.isalnum()):
                        yield (longest if len(longest) >= _LEAST else match[0]).strip(" \t\"'=:")


@lru_cache(maxsize=1)
def _library_patterns() -> tuple[re.Pattern[str], ...]:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    from detect_secrets.plugins.base import RegexBasedDetector

    rules: Mapping[str, Any] = get_mapping_from_secret_type_to_class()
    return tuple(
        pattern
        for _, rule in sorted(rules.items())
        if issubclass(rule, RegexBasedDetector) and rule.__name__ not in _LEFT_OUT
        for pattern in rule.denylist
    )
