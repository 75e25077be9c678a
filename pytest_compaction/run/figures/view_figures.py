"""Reads the views of responses: what they state of facts, traps and standing constraints."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pytest_compaction.cache import Form, KeptResults, Latest
from pytest_compaction.case.case import Case, Probe
from pytest_compaction.compactors import View
from pytest_compaction.conversation.formats.chat import to_chat
from pytest_compaction.conversation.identity import identity
from pytest_compaction.conversation.messages import Message, canonical_json
from pytest_compaction.metrics import (
    READING,
    ForeignNames,
    ForeignWordings,
    Readings,
    foreign_to_case,
    standing_constraints,
    view_index,
    worded_as_case,
)
from pytest_compaction.metrics import read as read_facts
from pytest_compaction.run.figures.fact_history import Earlier, LogFacts
from pytest_compaction.run.figures.shipped_nulls import Nulls, shipped_nulls
from pytest_compaction.run.response import FactHistory, NullReading, Roles, ViewFigures

if TYPE_CHECKING:
    from pytest_compaction.run.figures.null_views import NullViews
    from pytest_compaction.text import TextIndex


def _as_json(figures: ViewFigures) -> dict[str, Any]:
    return {
        "facts": [READING.as_json(reading) for reading in figures.reading.facts],
        "hit": figures.reading.hit,
        "nulls": [[null.name, null.overall, null.stated, null.tokens] for null in figures.nulls],
        "constraints": figures.constraints,
        "prompt_hash": figures.prompt_hash,
        "foreign": [figures.foreign.names, figures.foreign.count, figures.foreign.of],
        "worded": [figures.worded.texts, figures.worded.count, figures.worded.of],
        "history": [[h.stated_after, h.recoverable, h.source] for h in figures.history],
    }


def _from_json(kept: Any) -> ViewFigures:
    names, count, of = kept["foreign"]
    texts, found, wordings = kept["worded"]
    facts = tuple(READING.from_json(reading) for reading in kept["facts"])
    return ViewFigures(
        Readings(facts, tuple(kept["hit"])),
        tuple(NullReading(*null) for null in kept["nulls"]),
        tuple((text, held) for text, held in kept["constraints"]),
        kept["prompt_hash"],
        tuple(_history(*history) for history in kept["history"]),
        ForeignNames(tuple(names), count, of),
        ForeignWordings(tuple(texts), found, wordings),
    )


def _history(stated_after: Any, recoverable: bool | None, source: Any) -> FactHistory:
    return FactHistory(
        tuple((point, stated) for point, stated in stated_after),
        recoverable,
        None if source is None else (source[0], source[1]),
    )


FIGURES: Final = Form(_as_json, _from_json)
"""What rules read in a view."""


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AskedOfView:
    """What figures are made of: the probe, the view, and the ``messages`` of it that were read.

    ``tokens`` are those of the views at the points up to that of the probe, ``None`` for a
    strategy that is not compared with the nulls; ``answered`` is false where a failure left
    nothing to compare. ``earlier`` are the views at the points before.
    """

    probe: Probe
    view: View
    messages: tuple[Message, ...]
    tokens: tuple[int, ...] | None
    answered: bool
    earlier: Earlier = ()


@dataclass(frozen=True, slots=True)
class _AtPoint:
    """What all probes have in common that are asked of one view after one point."""

    index: TextIndex
    constraints: tuple[tuple[str, bool], ...]
    foreign: ForeignNames
    worded: ForeignWordings


class FigureRules:
    """Makes the figures of views, and keeps them from run to run."""

    def __init__(self, roles: Roles, kept: KeptResults) -> None:
        self._roles = roles
        self._encoding = roles.tokens.name
        self._kept = kept
        # The probes at a point follow one another, with the same view.
        self._identity: Latest[tuple[Message, ...], str] = Latest(identity)
        self._identity_of_read: Latest[tuple[Message, ...], str] = Latest(identity)
        self._identity_of_earlier: Latest[Earlier, str] = Latest(identity)
        self._log_facts: LogFacts | None = None
        self._prompt: Latest[Sequence[Message], Any] = Latest(_hash_begun)
        self._at_point: Latest[tuple[Case, int, tuple[Message, ...]], _AtPoint] = Latest(_at_point)

    def figures(self, case: Case, asked: AskedOfView) -> ViewFigures:
        """The figures of a view of a case."""
        about = self._about(case, asked)
        if about is None:
            return self._made(case, asked)
        return self._kept.once(about, FIGURES, lambda: self._made(case, asked))

    @cached_property
    def _nulls(self) -> NullViews:
        from pytest_compaction.run.figures.null_views import (
            NullViews,  # not imported for known figures
        )

        return NullViews(self._roles)

    def _about(self, case: Case, asked: AskedOfView) -> str | None:
        if not self._kept.keeps or not case.digest:  # a case made in code has no digest
            return None
        view = [self._identity.of(asked.view.messages), asked.view.parameters]
        view += [self._identity_of_read.of(asked.messages)]
        view += [self._identity_of_earlier.of(asked.earlier)]
        about = [self._encoding, case.id, case.digest, asked.probe.id, *view]
        return identity(["figures", *about, asked.tokens, asked.answered])

    def _made(self, case: Case, asked: AskedOfView) -> ViewFigures:
        probe, view = asked.probe, asked.view
        shared = self._at_point.of((case, probe.point, asked.messages))
        question = probe.choice.asked(probe.question) if probe.choice else probe.question
        rest = [question, view.parameters] if view.parameters else [question]
        prompt = self._prompt.of(view.messages).copy()
        prompt.update(
            "".join(f",{canonical_json(each)}" for each in rest).encode("utf-8", "replace")
        )
        prompt.update(b"]")
        nulls: tuple[NullReading, ...] = ()
        if asked.answered and asked.tokens is not None:
            known = shipped_nulls(case, self._encoding)
            nulls = _result(self._nulls.readings(case, probe, asked.tokens, known))
        reading = read_facts(probe.facts, probe.traps, shared.index)
        log_facts = self._facts_of(case)
        return ViewFigures(
            reading,
            nulls,
            shared.constraints,
            prompt.hexdigest()[:16],
            log_facts.history(probe, reading.stated, asked.messages, asked.earlier),
            shared.foreign,
            shared.worded,
        )

    def _facts_of(self, case: Case) -> LogFacts:
        """Where the log of a case states facts; the probes of a case follow one another."""
        known = self._log_facts
        if known is None or known.case is not case:
            known = self._log_facts = LogFacts(case, self._roles.tokens)
        return known


def _at_point(key: tuple[Case, int, tuple[Message, ...]]) -> _AtPoint:
    case, point, view = key
    index, standing = view_index(view), standing_constraints(case, point)
    held = read_facts(standing, (), index).stated
    return _AtPoint(
        index,
        tuple((fact.text, kept) for fact, kept in zip(standing, held, strict=True)),
        foreign_to_case(view, case, point),
        worded_as_case(view, case, point),
    )


def _hash_begun(view: Sequence[Message]) -> Any:
    """The SHA-256 of the beginning of a prompt, which the question continues."""
    return hashlib.sha256(f"[{canonical_json(to_chat(view))}".encode("utf-8", "replace"))


class ViewReader:
    """Has the figures of views made when somebody wants them.

    ``nulls`` says in which cases they are run beside a strategy. ``give_way`` blocks as long as
    something else goes before, and ``kept`` keeps the figures from run to run.
    """

    def __init__(
        self,
        roles: Roles,
        nulls: Nulls,
        give_way: Callable[[], object],
        kept: KeptResults,
    ) -> None:
        self._give_way = give_way
        self._rules = FigureRules(roles, kept)
        self._nulls = nulls
        self._encoding = roles.tokens.name
        self._by_rules = any(model.name == "offline" for model in roles.all)

    def figures(self, case: Case, asked: AskedOfView) -> Callable[[], ViewFigures]:
        """Makes the figures of a view when it is called.

        Where rules answer or judge they are made at once, because rules read the same views on
        the same loop.
        """
        if asked.tokens is not None and not self._compares(case, asked.probe):
            asked = replace(asked, tokens=None)
        make = partial(self._rules.figures, case, asked)
        if self._by_rules:
            made = make()
            return lambda: made
        return partial(self._later, make)

    def _later(self, make: Callable[[], ViewFigures]) -> ViewFigures:
        self._give_way()
        return make()

    def _compares(self, case: Case, probe: Probe) -> bool:
        """Whether the nulls are run beside the strategy; not where questions go by nuggets."""
        if self._nulls == "shipped":
            return not probe.nuggets and shipped_nulls(case, self._encoding) is not None
        return self._nulls == "all" and not probe.nuggets


def _result(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits for nothing."""
    try:
        work.send(None)
    except StopIteration as ended:
        result: T = ended.value
        return result
    work.close()
    raise RuntimeError("a null waits for something, but nulls ask nobody")
