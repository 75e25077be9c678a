"""What became of each fact of a probe at every compaction, and where it could be had again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from pytest_compaction.artifacts.call_places import LogPlaces
from pytest_compaction.cache.kept_results import Form, KeptResults
from pytest_compaction.case.case import Case, Fact, Probe
from pytest_compaction.conversation.identity import identity
from pytest_compaction.conversation.messages import Message, readable
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.metrics.recovery import is_recoverable
from pytest_compaction.metrics.survival import view_index
from pytest_compaction.run.response import FactHistory

Earlier = tuple[tuple[Message, ...] | None, ...]
"""The views at the points before that of a probe; ``None`` for one that is not known."""


@dataclass(frozen=True, slots=True)
class StatedAt:
    """Where the log states a fact.

    ``first`` is the position of the first message that does, or of the last of several that only
    do together. ``source`` is the smallest message that does, with its tokens; ``None`` if the
    case names no evidence.
    """

    first: int
    source: tuple[str, int] | None


def _from_json(kept: Any) -> tuple[StatedAt, ...]:
    return tuple(
        StatedAt(first, None if source is None else (source[0], source[1]))
        for first, source in kept
    )


_STATED_AT: Final[Form[tuple[StatedAt, ...]]] = Form(
    lambda found: [[stated.first, stated.source] for stated in found], _from_json
)


class LogFacts:
    """Where the log of one case states facts. Facts are read in their evidence alone."""

    def __init__(self, case: Case, tokens: TokenCounter, kept: KeptResults) -> None:
        self.case = case
        self._tokens = tokens
        self._kept = kept
        self._position = {message.id: number for number, message in enumerate(case.messages)}

    def history(
        self, probe: Probe, survives: Sequence[bool], view: Sequence[Message], earlier: Earlier
    ) -> tuple[FactHistory, ...]:
        """The history of each fact of a probe; ``survives`` says which the ``view`` states."""
        text = "" if all(survives) else "\n".join(map(readable, view))
        return tuple(
            FactHistory(
                self._stated_after(fact, at.first, probe, held, earlier),
                None if held else self._recoverable(fact, probe, text),
                at.source,
            )
            for fact, at, held in zip(probe.facts, self._stated_at(probe), survives, strict=True)
        )

    def _stated_after(
        self, fact: Fact, first: int, probe: Probe, survives: bool, earlier: Earlier
    ) -> tuple[tuple[str, bool], ...]:
        points = self.case.points[: probe.point + 1]
        held = [
            None if view is None or point.index < first else _states(view, fact)
            for point, view in zip(points, earlier, strict=False)
        ]
        held.append(survives if points[-1].index >= first else None)
        return tuple(
            (point.id, stated)
            for point, stated in zip(points, held, strict=True)
            if stated is not None
        )

    def _recoverable(self, fact: Fact, probe: Probe, view: str) -> bool:
        until = self.case.points[probe.point].index
        return is_recoverable(
            fact, self._places, until, view, lambda message, fact: _states((message,), fact)
        )

    def _stated_at(self, probe: Probe) -> tuple[StatedAt, ...]:
        def make() -> tuple[StatedAt, ...]:
            return tuple(map(self._place_of, probe.facts))

        if not self.case.digest:  # a case made in code: its name would not say what it holds
            return make()
        about = ["stated at", self._tokens.name, self.case.id, self.case.digest, probe.id]
        return self._kept.once(identity(about), _STATED_AT, make)

    def _place_of(self, fact: Fact) -> StatedAt:
        known = sorted(self._position[id] for id in fact.evidence if id in self._position)
        if not known:
            return StatedAt(0, None)
        messages = [self.case.messages[position] for position in known]
        sizes = list(map(self._tokens.message, messages))
        stating = [len(known) == 1 or _states((message,), fact) for message in messages]
        first = stating.index(True) if any(stating) else -1
        size, number = min(
            (size, number)
            for number, size in enumerate(sizes)
            if stating[number] or not any(stating)
        )
        return StatedAt(known[first], (messages[number].id, size))

    @cached_property
    def _places(self) -> LogPlaces:
        return LogPlaces(self.case.messages)


def _states(view: tuple[Message, ...], fact: Fact) -> bool:
    return view_index(view).is_stated(fact.statement)
