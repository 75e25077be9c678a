"""The tokens of a case's messages, kept from run to run: most of a view are messages of its log."""

from __future__ import annotations

from typing import Any, Final

from pytest_compaction.cache.kept_results import Form, KeptResults
from pytest_compaction.case.case import Case
from pytest_compaction.conversation.messages import identity
from pytest_compaction.conversation.tokens import TokenCounter, counted_texts


def _counts(kept: Any) -> list[int]:
    return [int(count) for count in kept]


_COUNTS: Final = Form(list[int], _counts)


class TokenCounts:
    """Tells a counter the tokens of cases, each once."""

    def __init__(self, tokens: TokenCounter, kept: KeptResults) -> None:
        self._tokens = tokens
        self._kept = kept
        self._told: set[str] = set()

    def tell(self, case: Case) -> None:
        """Tell the counter the tokens of all messages of a case, if they are kept."""
        if not self._kept.keeps or not case.digest or case.digest in self._told:
            return
        self._told.add(case.digest)
        recorded = (message for point in case.points for message in point.recorded)
        messages = (*case.messages, *recorded)
        texts = list(dict.fromkeys(text for m in messages for text in counted_texts(m)))
        about = identity(["tokens", self._tokens.name, case.digest])
        counts = self._kept.once(about, _COUNTS, lambda: [self._tokens.text(t) for t in texts])
        if len(counts) == len(texts):
            for text, count in zip(texts, counts, strict=True):
                self._tokens.remember(text, count)
