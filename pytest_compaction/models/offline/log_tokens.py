"""The tokens of a log: enough to see that most claims of an answer are supported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from pytest_compaction.text.claims import Claim
from pytest_compaction.text.keys.alternatives import Key, path_keys
from pytest_compaction.text.sentences.parsed import bounded_find
from pytest_compaction.text.words import (
    canonical_number,
    is_path,
    normalize,
    path_suffixes,
    raw_tokens,
    token_forms,
)

_LONGEST: Final = 20_000
"""Characters of a message whose tokens are kept."""


class LogTokens:
    """What a log holds, token by token, without its sentences. Building is linear in the log.

    It agrees with :class:`~pytest_compaction.text.matching.TextIndex` on paths, names and
    numbers, but for numbers that only count the items of a list and for paths with what a search
    found behind them (``src/a.py:def``), which it knows too. Of quotations it finds those that
    stand in the log as they are.
    """

    def __init__(self, text: str, messages: Sequence[str] = ()) -> None:
        """``messages`` are what the log is of; the text if they are not given.

        The tokens of a message are read once, though it stands in the log up to each point. A
        quotation stands in one message.
        """
        self._normals: list[str] = []
        self._keys = set[Key]()
        for message in messages or (text,):
            read = _read_once(message)
            self._normals.append(read.normal)
            self._keys |= read.keys

    def holds(self, claim: Claim) -> bool:
        """Whether the log has the token, or the quotation as it is."""
        normal = normalize(claim.text)
        if claim.kind == "path":
            return bool(path_suffixes(claim.text)) and any(
                key in self._keys for key in path_keys(claim.text)
            )
        if claim.kind != "quote" and canonical_number(normal) in self._keys:
            return True
        return claim.kind != "number" and any(
            bounded_find(normal, message) >= 0 for message in self._normals
        )


@dataclass(frozen=True, slots=True)
class _Read:
    """A message, normalised, and the forms of its tokens."""

    normal: str
    keys: frozenset[Key]


def _read_once(text: str) -> _Read:
    return _read(text) if len(text) <= _LONGEST else _read.__wrapped__(text)


@lru_cache(maxsize=512)
def _read(text: str) -> _Read:
    normal = normalize(text)
    whole = set(raw_tokens(normal))
    tokens = whole.union(*(token.split(":") for token in whole if ":" in token))
    return _Read(normal, frozenset[Key]().union(*map(_keys_of, tokens)))


@lru_cache(maxsize=16_384)
def _keys_of(token: str) -> tuple[Key, ...]:
    """The forms under which a token is known; a path has one more."""
    if not is_path(token):
        return token_forms(token)
    return (*token_forms(token), ("path", "/".join(path_suffixes(token)[:1])))
