"""The tokens of the texts of a case, kept from run to run.

Most texts of a view stand in the log, or come from the strategy the same as in the last run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pytest_compaction.cache import Form, KeptResults
from pytest_compaction.case.case import Case
from pytest_compaction.conversation.identity import identity
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.run.response import Arm


def _counts(kept: Any) -> dict[str, int]:
    return {str(key): int(count) for key, count in kept.items()}


_COUNTS: Final[Form[Mapping[str, int]]] = Form(dict, _counts)


class TokenCounts:
    """Tells a counter what it counted for a case in earlier runs.

    What it has counted beside is kept when the work on the case ends: whatever was counted
    since the last such end, for other cases too if several are open. That changes no count.
    """

    def __init__(self, tokens: TokenCounter, kept: KeptResults) -> None:
        self._tokens = tokens
        self._kept = kept
        self._pending: dict[str, int] = {}

    def tell(self, case: Case, arm: Arm) -> None:
        """Tell the counter what is known of the messages of a case, and of the arm."""
        if self._kept.keeps and case.digest:
            self._tokens.tell(self._kept.once(self._about(case), _COUNTS, lambda: self._of(case)))
            self._tokens.tell(self._kept.find(self._about(case, arm), _COUNTS) or {})

    def keep(self, case: Case, arm: Arm) -> None:
        """Keep what the counter has counted since it was last kept."""
        if not self._kept.keeps or not case.digest:
            return
        fresh = {**self._pending, **self._tokens.take_fresh()}
        self._pending.clear()
        if fresh:
            known = self._kept.find(self._about(case, arm), _COUNTS) or {}
            self._kept.keep(self._about(case, arm), _COUNTS, {**known, **fresh})

    def _of(self, case: Case) -> Mapping[str, int]:
        """The counts of all messages of a case."""
        self._tokens.tell({})  # from now on it collects
        self._pending.update(self._tokens.take_fresh())
        self._tokens.messages(case.messages)
        for point in case.points:
            self._tokens.messages(point.recorded)
        return self._tokens.take_fresh()

    def _about(self, case: Case, arm: Arm | None = None) -> str:
        return identity(["tokens", self._tokens.name, case.digest, arm])
