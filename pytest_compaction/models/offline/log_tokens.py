"""The tokens of a log: enough to see that most claims of an answer are supported."""

from __future__ import annotations

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


class LogTokens:
    """What a log holds, token by token, without its sentences. Building is linear in the log.

    It agrees with :class:`~pytest_compaction.text.matching.TextIndex` on paths, names and
    numbers, but for numbers that only count the items of a list and for paths with what a search
    found behind them (``src/a.py:def``), which it knows too. Of quotations it finds those that
    stand in the log as they are.
    """

    def __init__(self, text: str) -> None:
        self._normal = f" {normalize(text)} "
        whole = set(raw_tokens(self._normal))
        tokens = whole | {part for token in whole if ":" in token for part in token.split(":")}
        self._keys: set[Key] = {form for token in tokens for form in token_forms(token)}
        self._keys |= {
            ("path", "/".join(path_suffixes(one)[:1])) for one in filter(is_path, tokens)
        }

    def holds(self, claim: Claim) -> bool:
        """Whether the log has the token, or the quotation as it is."""
        normal = normalize(claim.text)
        if claim.kind == "path":
            return bool(path_suffixes(claim.text)) and any(
                key in self._keys for key in path_keys(claim.text)
            )
        if claim.kind != "quote" and canonical_number(normal) in self._keys:
            return True
        return claim.kind != "number" and bounded_find(normal, self._normal) >= 0
