"""The nulls at equal tokens: what a strategy without an idea states in as many tokens."""

from __future__ import annotations

from typing import Final

from pytest_compaction.case import Case, Probe
from pytest_compaction.compactors import (
    Compactor,
    Context,
    Random,
    SaidOnly,
    State,
    Window,
)
from pytest_compaction.conversation import Message
from pytest_compaction.metrics import probe_scores, read_outcomes, view_index
from pytest_compaction.rubric import CRITERIA, Rubric, dimension_scores, overall_score
from pytest_compaction.run.figures.shipped_nulls import CaseNulls
from pytest_compaction.run.response import NullReading, Roles

NULLS: Final[tuple[type[Compactor[State]], ...]] = (Random, SaidOnly, Window)
"""Compared in every run. ``anchors`` is the weakest of the nulls, and its views would have to be
read: it takes part as a strategy that is named."""


class NullViews:
    """Makes the views of the nulls, each once for a case and the tokens at its points.

    At each compaction point of the case a null gets as many tokens as the view under test
    has there, whatever the trigger of the run. No model is asked.
    """

    def __init__(self, roles: Roles, rubric: Rubric = CRITERIA) -> None:
        self._roles = roles
        self._rubric = rubric
        self._states: dict[tuple[str, str, str, tuple[int, ...]], tuple[State, bool]] = {}
        self._readings: dict[tuple[str, str, str, tuple[int, ...]], tuple[NullReading, ...]] = {}

    def readings(
        self, case: Case, probe: Probe, tokens: tuple[int, ...], known: CaseNulls | None = None
    ) -> tuple[NullReading, ...]:
        """What each null states of the probe's facts after the last of these points."""
        key = (case.id, case.digest, probe.id, tokens)
        if key not in self._readings:
            found: list[NullReading] = []
            for null in (make() for make in NULLS):
                view = self.view(null, case, tokens)
                if view is None:
                    found.append(NullReading(null.name, 0.0, 0.0, 0))
                    continue
                figures = None  # those known are scores by the default rubric
                if known and self._rubric == CRITERIA:
                    figures = known.of(null.name, probe, view)
                overall, stated = figures or read_view(probe, view, self._rubric)
                size = self._roles.tokens.messages(view)
                found.append(NullReading(null.name, overall, stated, size))
            self._readings[key] = tuple(found)
        return self._readings[key]

    def view(
        self, null: Compactor[State], case: Case, tokens: tuple[int, ...]
    ) -> tuple[Message, ...] | None:
        """The view of a null after as many points as there are ``tokens``, if it fits them."""
        state, fits = self._state(null, case, tokens)
        return null.render(state, self._context(case, tokens[-1])).messages if fits else None

    def _state(
        self, null: Compactor[State], case: Case, tokens: tuple[int, ...]
    ) -> tuple[State, bool]:
        if not tokens:
            return null.start(), True
        key = (null.name, case.id, case.digest, tokens)
        if key not in self._states:
            before, _ = self._state(null, case, tokens[:-1])
            number = len(tokens) - 1
            begin = case.points[number - 1].index + 1 if number else 0
            context = self._context(case, tokens[-1])
            new = case.messages[begin : case.points[number].index + 1]
            compacting = null.compact(null.observe(before, new, context), context)
            try:
                compacting.send(None)  # a null asks nobody, so that it waits for nothing
            except StopIteration as ended:
                self._states[key] = ended.value.state, ended.value.status != "failed"
            else:
                compacting.close()
                raise RuntimeError("a null waits for something, but nulls ask nobody")
        return self._states[key]

    def _context(self, case: Case, budget: int) -> Context:
        return Context(case.window, budget, self._roles.tokens, self._roles.compaction)


def read_view(
    probe: Probe, view: tuple[Message, ...], rubric: Rubric = CRITERIA
) -> tuple[float, float]:
    """The survival of a view, and the share of the probe's facts that it states."""
    found = read_outcomes(probe.facts, probe.traps, view_index(view))
    scores = {s.id: s.score for s in probe_scores(probe, found)}
    overall = overall_score(dimension_scores(scores, rubric))
    return overall or 0.0, sum(found.stated) / len(found.stated)
