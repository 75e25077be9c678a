"""Reads the views of responses: what they state of facts, traps and standing constraints."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Final

from pytest_compaction.artifacts import LogPlaces
from pytest_compaction.cache import Form, KeptResults, Latest
from pytest_compaction.case import Case, Fact, Probe
from pytest_compaction.compactors import View
from pytest_compaction.conversation import Message, TokenCounter, canonical_json, identity, readable
from pytest_compaction.conversation.formats.chat import to_chat
from pytest_compaction.metrics import (
    ForeignNames,
    ForeignWordings,
    ListedNames,
    Readings,
    foreign_to_case,
    is_recoverable,
    listed_in_view,
    standing_constraints,
    view_index,
    worded_as_case,
)
from pytest_compaction.metrics import read as read_facts
from pytest_compaction.models import OFFLINE
from pytest_compaction.rubric import CRITERIA, Rubric, changes_of
from pytest_compaction.run.figures.model_reader import Said
from pytest_compaction.run.figures.shipped_nulls import Nulls, shipped_nulls
from pytest_compaction.run.response import FactHistory, NullReading, Roles, ViewFigures
from pytest_compaction.text import Reading

if TYPE_CHECKING:
    from pytest_compaction.run.figures.null_views import NullViews
    from pytest_compaction.text import TextIndex

Messages = tuple[Message, ...]
Earlier = tuple[Messages | None, ...]
"""The views at the points before that of a probe; ``None`` for one that is not known."""


FIGURES: Final = Form.of(
    *(ViewFigures, Readings, Reading, NullReading, FactHistory),
    *(ForeignNames, ForeignWordings, ListedNames),
)


@dataclass(frozen=True, slots=True)
class AskedOfView:
    """What figures are made of: the probe, the view, and the ``messages`` of it that were read.

    ``tokens`` are those of the views at the points up to that of the probe, ``None`` for a
    strategy that is not compared with the nulls; ``answered`` is false where a failure left
    nothing to compare. ``earlier`` are the views at the points before. ``unasked`` is the view
    without the question, of a strategy that reads it. ``said`` is what a model read in it,
    ``None`` where rules read. ``searched``: an archive of what was dropped was searched for it.
    """

    probe: Probe
    view: View
    messages: Messages
    tokens: tuple[int, ...] | None
    answered: bool
    earlier: Earlier = ()
    unasked: Messages | None = None
    said: Said | None = None
    searched: bool = False


@dataclass(frozen=True, slots=True)
class _AtPoint:
    """What all probes have in common that are asked of one view after one point."""

    index: TextIndex
    constraints: tuple[tuple[str, bool], ...]
    foreign: ForeignNames
    worded: ForeignWordings
    listed: ListedNames

    @classmethod
    def of(cls, key: tuple[Case, int, Messages]) -> _AtPoint:
        """Of the view of a case after a point."""
        case, point, view = key
        index, standing = view_index(view), standing_constraints(case, point)
        held = read_facts(standing, (), index).stated
        constraints = tuple((fact.text, kept) for fact, kept in zip(standing, held, strict=True))
        foreign, worded = foreign_to_case(view, case, point), worded_as_case(view, case, point)
        return cls(index, constraints, foreign, worded, listed_in_view(view, case))


class ViewReader:
    """Has the figures of views made when somebody wants them."""

    def __init__(
        self,
        roles: Roles,
        nulls: Nulls,
        give_way: Callable[[], object],
        kept: KeptResults,
        rubric: Rubric = CRITERIA,
    ) -> None:
        self._rubric = rubric
        self._roles = roles
        self._compared_with = nulls
        self._give_way = give_way
        self._kept = kept
        self._encoding = roles.tokens.name
        self._by_rules = any(model.name == OFFLINE for model in roles.all)
        # The probes at a point follow one another, with the same view.
        self._identity: Latest[Messages, str] = Latest(identity)
        self._identity_of_read: Latest[Messages, str] = Latest(identity)
        self._identity_of_earlier: Latest[Earlier, str] = Latest(identity)
        self._identity_of_unasked: Latest[Messages, str] = Latest(identity)
        self._index_of_unasked: Latest[Messages, TextIndex] = Latest(view_index)
        self._log_facts: LogFacts | None = None
        self._prompt: Latest[Messages, str] = Latest(lambda view: canonical_json(to_chat(view)))
        self._at_point: Latest[tuple[Case, int, Messages], _AtPoint] = Latest(_AtPoint.of)

    @cached_property
    def _nulls(self) -> NullViews:
        from pytest_compaction.run.figures import null_views  # not imported for known figures

        return null_views.NullViews(self._roles, self._rubric)

    def figures(self, case: Case, asked: AskedOfView) -> Callable[[], ViewFigures]:
        """Makes the figures of a view when it is called.

        Where rules answer or judge they are made at once, because rules read the same views on
        the same loop.
        """
        if self._by_rules:
            made = self._figures(case, asked)
            return lambda: made

        def later() -> ViewFigures:
            self._give_way()
            return self._figures(case, asked)

        return later

    def _figures(self, case: Case, asked: AskedOfView) -> ViewFigures:
        tokens = asked.tokens
        if asked.probe.nuggets or self._compared_with == "none":
            tokens = None  # questions by nuggets are not compared with nulls
        elif tokens and self._compared_with == "shipped" and not shipped_nulls(case):
            tokens = None
        make = partial(self._made, case, asked, tokens)
        by_model = asked.said is not None  # its replies are kept, by the store
        if by_model or not self._kept.keeps or not case.digest:  # one made in code has no digest
            return make()
        about = [
            *("figures", self._encoding, case.id, case.digest, asked.probe.id),
            *(self._identity.of(asked.view.messages), asked.view.parameters),
            *(self._identity_of_read.of(asked.messages), tokens, asked.answered),
            self._identity_of_earlier.of(asked.earlier),
            *([] if asked.unasked is None else [self._identity_of_unasked.of(asked.unasked)]),
            *(["searched"] if asked.searched else []),
            *([canonical_json(changes)] if (changes := changes_of(self._rubric)) else ()),
        ]
        return self._kept.once(identity(about), FIGURES, make)

    def _made(self, case: Case, asked: AskedOfView, tokens: tuple[int, ...] | None) -> ViewFigures:
        probe, view = asked.probe, asked.view
        shared = self._at_point.of((case, probe.point, asked.messages))
        question = probe.choice.asked(probe.question) if probe.choice else probe.question
        rest = [question, view.parameters] if view.parameters else [question]
        prompt = f"[{','.join([self._prompt.of(view.messages), *map(canonical_json, rest)])}]"
        nulls: tuple[NullReading, ...] = ()
        if asked.answered and tokens is not None:
            nulls = self._nulls.readings(case, probe, tokens, shipped_nulls(case))
        if self._log_facts is None or self._log_facts.case is not case:
            self._log_facts = LogFacts(case, self._roles.tokens)
        history_of = partial(
            self._log_facts.history, probe, view=asked.messages, searched=asked.searched
        )
        if (said := asked.said) is None:
            constraints = shared.constraints
            reading = read_facts(probe.facts, probe.traps, shared.index)
            unasked: tuple[bool, ...] | None = None
            if asked.unasked is not None:
                index = self._index_of_unasked.of(asked.unasked)
                unasked = read_facts(probe.facts, (), index).stated
            history = history_of(reading.stated, earlier=asked.earlier, unasked=unasked)
        else:  # of the views at earlier points, which the model did not read, nothing is said
            standing = standing_constraints(case, probe.point)
            read = [(fact.text, said.of(fact).outcome) for fact in standing]
            constraints = tuple((text, how == "stated") for text, how in read if how != "unread")
            reading = said.of_probe(probe)
            history = history_of(reading.stated, earlier=(None,) * probe.point)
            if probe.point:
                history = tuple(replace(each, stated_after=()) for each in history)
        return ViewFigures(
            reading,
            nulls,
            constraints,
            hashlib.sha256(prompt.encode("utf-8", "replace")).hexdigest()[:16],
            history,
            shared.foreign,
            shared.worded,
            shared.listed,
        )


class LogFacts:
    """The facts of one case: where its log states them, and which of its views do."""

    def __init__(self, case: Case, tokens: TokenCounter) -> None:
        self.case = case
        self._tokens = tokens
        self._position = {message.id: number for number, message in enumerate(case.messages)}

    @cached_property
    def _places(self) -> LogPlaces:
        return LogPlaces(self.case.messages)

    def history(
        self,
        probe: Probe,
        survives: Sequence[bool],
        view: Sequence[Message],
        earlier: Earlier,
        unasked: Sequence[bool] | None = None,
        searched: bool = False,
    ) -> tuple[FactHistory, ...]:
        """The history of each fact of a probe; ``survives`` says which the ``view`` states.

        ``unasked`` says which the view without the question states, where that is another one.
        After a search of an archive nothing is supposed: it found a fact or did not.
        """
        text = "" if all(survives) else "\n".join(map(readable, view))
        indexes = [None if before is None else view_index(before) for before in earlier]
        points = self.case.points[: probe.point + 1]
        found: list[FactHistory] = []
        without = [None] * len(probe.facts) if unasked is None else unasked
        for fact, survived, before_search in zip(probe.facts, survives, without, strict=True):
            # A case made in code may name messages that are not in its log.
            evidence = sorted(self._position[id] for id in fact.evidence if id in self._position)
            first = min(evidence, default=0)
            stated: list[tuple[str, bool]] = []
            for point, index in zip(points, (*indexes, None), strict=True):
                if point.index >= first and (index is not None or point is points[-1]):
                    held = index.is_stated(fact.statement) if index is not None else survived
                    stated.append((point.id, held))
            read_again = None
            proved = searched and (not survived or before_search is False)
            if proved:
                read_again = survived
            elif not survived:
                read_again = is_recoverable(fact, self._places, points[-1].index, text, _states)
            told = (self.case.messages[position] for position in evidence)
            sizes = ((message.id, self._tokens.message(message)) for message in told)
            smallest = min(sizes, key=lambda each: each[1], default=None)
            history = FactHistory(tuple(stated), read_again, smallest, before_search, proved)
            found.append(history)
        return tuple(found)


def _states(message: Message, fact: Fact) -> bool:
    return view_index((message,)).is_stated(fact.statement)
