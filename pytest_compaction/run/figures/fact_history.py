"""What became of each fact of a probe at every compaction, and where it could be had again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from pytest_compaction.artifacts.call_places import LogPlaces
from pytest_compaction.case.case import Case, Fact, Probe
from pytest_compaction.conversation.messages import Message, readable
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.metrics import is_recoverable, view_index
from pytest_compaction.run.response import FactHistory

if TYPE_CHECKING:
    from pytest_compaction.text import TextIndex

Earlier = tuple[tuple[Message, ...] | None, ...]
"""The views at the points before that of a probe; ``None`` for one that is not known."""


class LogFacts:
    """The facts of one case: where its log states them, and which of its views do.

    Each message that is named as evidence of a fact states it, as the check of a case sees to.
    """

    def __init__(self, case: Case, tokens: TokenCounter) -> None:
        self.case = case
        self._tokens = tokens
        self._position = {message.id: number for number, message in enumerate(case.messages)}

    def history(
        self, probe: Probe, survives: Sequence[bool], view: Sequence[Message], earlier: Earlier
    ) -> tuple[FactHistory, ...]:
        """The history of each fact of a probe; ``survives`` says which the ``view`` states."""
        text = "" if all(survives) else "\n".join(map(readable, view))
        indexes = [None if before is None else view_index(before) for before in earlier]
        found: list[FactHistory] = []
        for fact, held in zip(probe.facts, survives, strict=True):
            evidence = self._evidence(fact)
            first = evidence[0] if evidence else 0
            found.append(
                FactHistory(
                    self._stated_after(fact, first, probe, held, indexes),
                    None if held else self._recoverable(fact, probe, text),
                    self._source(evidence),
                )
            )
        return tuple(found)

    def _stated_after(
        self,
        fact: Fact,
        first: int,
        probe: Probe,
        survives: bool,
        earlier: Sequence[TextIndex | None],
    ) -> tuple[tuple[str, bool], ...]:
        points = self.case.points[: probe.point + 1]
        held = [
            None if index is None or point.index < first else index.is_stated(fact.statement)
            for point, index in zip(points, earlier, strict=False)
        ]
        held.append(survives if points[-1].index >= first else None)
        return tuple(
            (point.id, stated)
            for point, stated in zip(points, held, strict=True)
            if stated is not None
        )

    def _recoverable(self, fact: Fact, probe: Probe, view: str) -> bool:
        until = self.case.points[probe.point].index
        return is_recoverable(fact, self._places, until, view, _states)

    def _evidence(self, fact: Fact) -> list[int]:
        """The positions of the messages that state a fact; a case made in code may name others."""
        return sorted(self._position[id] for id in fact.evidence if id in self._position)

    def _source(self, evidence: Sequence[int]) -> tuple[str, int] | None:
        """The message with the fewest tokens, the first of equal ones."""
        messages = [self.case.messages[position] for position in evidence]
        sizes = [(self._tokens.message(message), message.id) for message in messages]
        size, id = min(sizes, key=lambda pair: pair[0], default=(0, None))
        return None if id is None else (id, size)

    @cached_property
    def _places(self) -> LogPlaces:
        return LogPlaces(self.case.messages)


def _states(message: Message, fact: Fact) -> bool:
    return view_index((message,)).is_stated(fact.statement)
