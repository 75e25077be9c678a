"""Reads the views of responses: what they state of facts, traps and standing constraints."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import CancelledError, Future, wait
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pytest_compaction.cache.kept_results import KeptResults, results_of_process
from pytest_compaction.cache.latest import Latest
from pytest_compaction.case.case import Case, Probe
from pytest_compaction.compactors.protocol import View
from pytest_compaction.conversation.formats.chat import to_chat
from pytest_compaction.conversation.identity import identity
from pytest_compaction.conversation.messages import Message, canonical_json, short_hash
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.metrics.constraints.survival import standing_constraints
from pytest_compaction.metrics.facts.foreign_names import foreign_to_case, worded_as_case
from pytest_compaction.metrics.facts.survival import read as read_facts
from pytest_compaction.metrics.facts.survival import view_index
from pytest_compaction.models.offline.model import OfflineModel
from pytest_compaction.rule_processes.pipe import Held
from pytest_compaction.rule_processes.pool import RuleProcesses
from pytest_compaction.run.compaction import CompactedCase
from pytest_compaction.run.figures.fact_history import Earlier, LogFacts
from pytest_compaction.run.figures.form import FIGURES
from pytest_compaction.run.loops.work_loop import RunStoppedError
from pytest_compaction.run.response import NullReading, Roles, ViewFigures
from pytest_compaction.run.server_context import Seen

if TYPE_CHECKING:
    from pytest_compaction.run.figures.null_views import NullViews

T = TypeVar("T")
_LOOK_S: Final = 0.02
"""Seconds after which whoever waits for figures looks whether it can help."""
Numbered = tuple[tuple[int | Message, ...] | None, ...]
"""Views with the numbers of messages of the log in their place."""


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
        self._chat: Latest[Sequence[Message], str] = Latest(lambda m: canonical_json(to_chat(m)))

    def figures(self, case: Case, asked: AskedOfView) -> ViewFigures:
        """The figures of a view of a case."""
        about = self._about(case, asked)
        if about is None:
            return self._made(case, asked)
        return self._kept.once(about, FIGURES, lambda: self._made(case, asked))

    def kept_figures(self, case: Case, asked: AskedOfView) -> ViewFigures | None:
        """The same if they were made and kept before."""
        about = self._about(case, asked)
        return None if about is None else self._kept.find(about, FIGURES)

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
        index = view_index(asked.messages)
        standing = standing_constraints(case, probe.point)
        held = read_facts(standing, (), index).stated
        question = probe.choice.asked(probe.question) if probe.choice else probe.question
        prompt = [self._chat.of(view.messages), canonical_json(question)]
        prompt += [canonical_json(view.parameters)] if view.parameters else []
        nulls: tuple[NullReading, ...] = ()
        if asked.answered and asked.tokens is not None:
            nulls = _result(self._nulls.readings(case, probe, asked.tokens))
        reading = read_facts(probe.facts, probe.traps, index)
        log_facts = self._facts_of(case)
        return ViewFigures(
            reading,
            nulls,
            tuple(zip((fact.text for fact in standing), held, strict=True)),
            short_hash(f"[{','.join(prompt)}]"),
            log_facts.history(probe, reading.stated, asked.messages, asked.earlier),
            foreign_to_case(asked.messages, case, probe.point),
            worded_as_case(asked.messages, case, probe.point),
        )

    def _facts_of(self, case: Case) -> LogFacts:
        """Where the log of a case states facts; the probes of a case follow one another."""
        known = self._log_facts
        if known is None or known.case is not case:
            known = self._log_facts = LogFacts(case, self._roles.tokens)
        return known


class ViewReader:
    """Has the figures of views made, in one of the ``processes`` if there is any.

    With ``compares_nulls`` the nulls are run beside a strategy. ``give_way`` blocks as long as
    something else goes before, ``is_idle`` says whether requests neither fly nor wait, and
    ``kept`` keeps the figures from run to run.
    """

    def __init__(
        self,
        roles: Roles,
        compares_nulls: bool,
        give_way: Callable[[], object],
        is_idle: Callable[[], bool],
        kept: KeptResults,
        processes: RuleProcesses,
    ) -> None:
        self._give_way = give_way
        self._is_idle = is_idle
        self._processes = processes
        self._encoding = roles.tokens.name
        self._kept = kept
        self._rules = FigureRules(roles, kept)
        self._compares_nulls = compares_nulls
        self._by_rules = any(model.name == "offline" for model in roles.all)

    def figures(
        self,
        compacted: CompactedCase,
        probe: Probe,
        view: View,
        read: Seen,
        answered: bool,
        earlier: Earlier,
    ) -> Callable[[], ViewFigures]:
        """Makes the figures of a view when it is called, or waits for them.

        ``read`` is what the model read of the view; ``answered`` is false where a failure
        left nothing to compare; ``earlier`` are the views at the points before. Where rules
        answer or judge, and no other process makes the figures, they are made at once, because
        rules read the same views on the same loop.
        """
        tokens = self._tokens(compacted, probe, read)
        asked = AskedOfView(probe, view, read.messages, tokens, answered, earlier)
        case = compacted.case
        if self._by_rules:
            known = self._rules.kept_figures(case, asked)
            if known is not None:
                return lambda: known
        elsewhere = self._elsewhere(case, asked)
        make = partial(self._rules.figures, case, asked)
        if elsewhere is not None:
            make = partial(self._waited_for, elsewhere)
        elif self._by_rules:
            made = make()
            return lambda: made
        return partial(self._later, make)

    def _later(self, make: Callable[[], ViewFigures]) -> ViewFigures:
        if not self._by_rules:
            self._give_way()
        return make()

    def _waited_for(self, figures: Future[ViewFigures]) -> ViewFigures:
        """What a process makes of a view. Once nobody is asked any more, this one helps it."""
        while not self._by_rules and not figures.done():
            if not (self._is_idle() and self._processes.help()):
                wait([figures], _LOOK_S)
        try:
            return figures.result()
        except CancelledError:
            raise RunStoppedError from None

    def _elsewhere(self, case: Case, asked: AskedOfView) -> Future[ViewFigures] | None:
        if not case.digest:  # its name would not say what it holds
            return None
        held = Held(f"case {case.id} {case.digest}", case)
        return self._processes.call(
            case.id,
            figures_of_view,
            held,
            replace(asked, earlier=()),
            _by_number(case, asked.earlier),
            self._encoding,
            self._kept.file,
            helps=self._by_rules,
        )

    def _tokens(self, compacted: CompactedCase, probe: Probe, read: Seen) -> tuple[int, ...] | None:
        """The tokens of the views at the points up to that of the probe, if nulls get as many."""
        if not self._compares_nulls or not compacted.compared or probe.nuggets:
            return None  # questions by nuggets are not compared with nulls
        earlier = (point.view_tokens for point in compacted.fed.points[: probe.point])
        return (*earlier, read.tokens)


def figures_of_view(
    case: Case, asked: AskedOfView, earlier: Numbered, encoding: str, file: Path | None
) -> ViewFigures:
    """The figures of a view, for a process that does nothing else; see :class:`FigureRules`."""
    asked = replace(asked, earlier=_with_messages(case, earlier))
    return _rules_of_process(encoding, file).figures(case, asked)


def _by_number(case: Case, earlier: Earlier) -> Numbered:
    """Views for a process that holds the case: its messages are not sent again."""
    known = {message.id: (number, message) for number, message in enumerate(case.messages)}

    def sent(message: Message) -> int | Message:
        number, same = known.get(message.id, (0, None))
        return number if same == message else message

    return tuple(None if view is None else tuple(map(sent, view)) for view in earlier)


def _with_messages(case: Case, earlier: Numbered) -> Earlier:
    def received(sent: int | Message) -> Message:
        return case.messages[sent] if isinstance(sent, int) else sent

    return tuple(None if view is None else tuple(map(received, view)) for view in earlier)


@lru_cache(maxsize=4)
def _rules_of_process(encoding: str, file: Path | None) -> FigureRules:
    counter = TokenCounter(encoding)
    model = OfflineModel(counter)  # nulls ask nobody
    return FigureRules(Roles(model, model, (model,), counter), results_of_process(file))


def _result(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits for nothing."""
    try:
        work.send(None)
    except StopIteration as ended:
        result: T = ended.value
        return result
    work.close()
    raise RuntimeError("a null waits for something, but nulls ask nobody")
