"""The strategy and trial under test, the models of the roles, a response, and a compaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from pytest_compaction.case import Case, Probe
from pytest_compaction.conversation import Message, TokenCounter
from pytest_compaction.metrics import ForeignNames, ForeignWordings, ListedNames, Readings, Source
from pytest_compaction.models import OFFLINE, AnswerRequest, Model, OfflineModel, OwnCalls, Usage
from pytest_compaction.run.feeder import Step
from pytest_compaction.run.next_actions import NextAction
from pytest_compaction.run.responder import Reminded, bounded
from pytest_compaction.settings import CONTROL, Budget


@dataclass(frozen=True, slots=True)
class Arm:
    """One strategy in one trial, at a budget in place of that of the case (``None``: that one)."""

    compactor: str
    trial: int = 1
    budget: Budget | None = None


@dataclass(frozen=True, slots=True)
class Roles:
    """The models of the roles and how tokens are counted."""

    compaction: Model
    responder: Model
    judges: tuple[Model, ...]
    tokens: TokenCounter
    rules_answer: bool = False
    """Whether answers are made and judged where rules do both."""
    recorded: Model | None = None
    """What has the recorded words of a run, in place of ``compaction``."""
    reader: Model | None = None
    """The model that reads views for facts; ``None`` where rules do."""
    by_rules: frozenset[str] = frozenset()
    """The strategies without recorded words, for which ``compaction`` writes all the same."""

    def compaction_of(self, strategy: str) -> Model:
        return self.compaction if strategy in self.by_rules else self.recorded or self.compaction

    @property
    def all(self) -> tuple[Model, ...]:
        reader = () if self.reader is None else (self.reader,)
        return (self.compaction, self.responder, *self.judges, *reader)

    @property
    def leads(self) -> Source:
        """What makes the score: the view if the offline model answers, or else the answer."""
        return "view" if self.responder.name == OFFLINE else "answer"

    @property
    def answers(self) -> bool:
        """Whether answers are made and judged; else verdicts are those of the views alone."""
        asked = (self.responder, *self.judges)
        return self.rules_answer or any(model.name != OFFLINE for model in asked)

    def composed(self, response: Response) -> str:
        """What rules answer from the view of a response."""
        probe, rules = response.probe, OfflineModel(self.tokens)
        request = AnswerRequest(response.view, probe.question, probe.answer, kind=probe.kind)
        return bounded(rules.answer_text(request), probe.answer.max_tokens, self.tokens)


@dataclass(frozen=True, slots=True)
class NullReading:
    """What a null states at the tokens of the view under test.

    ``overall`` is its survival, 0 to 5, and ``stated`` the share of the probe's facts, 0 to
    1; ``tokens`` are those of the view of the null, 0 if it could not be made so small.
    """

    name: str
    overall: float
    stated: float
    tokens: int


@dataclass(frozen=True, slots=True)
class Search:
    """What a question brought into the view of a strategy that reads it.

    ``tokens`` are those of the messages that the view has for it alone. ``apart`` says that a
    search found them after the compaction, so that they are not held against the budget.
    """

    tokens: int
    apart: bool = False


@dataclass(frozen=True, slots=True)
class FactHistory:
    """What became of a fact until the point of its probe.

    ``stated_after`` says of each compaction point, from the first at which the log had stated
    the fact, whether the view there states it; points of which the view is not known are left
    out, and all are where a model read the last view of several. ``recoverable`` says whether the
    agent can read again what the view dropped, and is ``None`` for a fact that the view states. It
    is ``proved`` where an archive was searched: what the search found can be had again, also if it
    stands in the view by now, and what it did not find is gone.
    ``source`` is the smallest message that is evidence of the fact, with its tokens; ``None`` if
    the case names none. ``unasked`` says whether the view without the question states it;
    ``None`` where that is the same view.
    """

    stated_after: tuple[tuple[str, bool], ...]
    recoverable: bool | None
    source: tuple[str, int] | None
    unasked: bool | None = None
    proved: bool = False


@dataclass(frozen=True, slots=True)
class ViewFigures:
    """What rules, or a model, read in the view of a response.

    ``reading`` is what the view does with each of the probe's facts and traps. ``nulls`` says
    what each null states at equal tokens; empty for a null or the control. ``constraints``
    are those that stand there, and whether the view states each. ``prompt_hash`` is that of
    view and question. ``history`` is what became of each fact until there. ``foreign`` are
    the names of the view that its log lacks, ``worded`` the facts that it words as the case file
    and not as the log does, ``listed`` its lists of names.
    """

    reading: Readings
    nulls: tuple[NullReading, ...]
    constraints: tuple[tuple[str, bool], ...]
    prompt_hash: str
    history: tuple[FactHistory, ...]
    foreign: ForeignNames
    worded: ForeignWordings
    listed: ListedNames


@dataclass(frozen=True)
class Response:
    """An answer to a probe, with what is known about the view that it was answered from.

    ``answer`` is its text; where rules answer and nobody asked them to, a function that makes it
    from the response, called when :attr:`text` is first read. ``figures`` makes the figures of the
    view, which takes longer than to send a request: it is called when the first of them is asked
    for. ``leads`` says whether the view or the answer makes the score: the view where rules
    answered. ``view_tokens`` are the tokens of the view; if the server edited it, those that the
    server read. ``latency_s`` is in seconds. ``failure`` says why there is nothing to judge: the
    compaction failed and no model was asked, or the endpoint did not compact. ``budget`` is the
    tokens that the view may take. ``reminded`` is the second reply to a forced choice, ``None`` if
    there was none. ``view`` are the messages that the model read, as far as they are known.
    """

    answer: str | Callable[[Response], str]
    probe: Probe = field(repr=False)
    case: Case = field(repr=False)
    arm: Arm
    log_tokens: int
    view_tokens: int
    budget: int
    figures: Callable[[], ViewFigures] = field(repr=False, compare=False)
    usage: Usage = Usage()
    compaction_usage: Usage = Usage()
    own_calls: OwnCalls = OwnCalls()
    """The part of it that the strategy's own client asked for."""
    view_usage: Usage = Usage()
    """What the strategy asked about the question, to make the view for it."""
    view_own_calls: OwnCalls = OwnCalls()
    latency_s: float | None = None
    steps: tuple[Step, ...] = field(default=(), repr=False)
    failure: str | None = None
    leads: Source = "answer"
    reminded: Reminded | None = None
    next_action: NextAction | None = None
    """The next action after the point, where this is its first probe and it is asked for."""
    view: tuple[Message, ...] = field(default=(), repr=False, compare=False)
    search: Search | None = None
    """Of a strategy that reads the question: the passages that it brought."""
    reader_usage: Usage = Usage()
    """The usage of a model as reader, with the first item of those that share the reading."""

    @cached_property
    def text(self) -> str:
        return self.answer if isinstance(self.answer, str) else self.answer(self)

    @property
    def asked_text(self) -> str:
        return self.answer if isinstance(self.answer, str) else ""

    @cached_property
    def made(self) -> ViewFigures:
        """The figures of the view, made once."""
        return self.figures()

    @property
    def held_tokens(self) -> int:
        """The tokens of the view that are held against the budget."""
        apart = self.search.tokens if self.search and self.search.apart else 0
        return self.view_tokens - apart

    @property
    def over_budget(self) -> bool:
        """Whether the view takes more tokens than it may; the control may take any number."""
        return self.arm.compactor != CONTROL and self.held_tokens > self.budget

    @property
    def reading(self) -> Readings:
        return self.made.reading


@dataclass(frozen=True)
class Compaction:
    """A case as a strategy left it. ``ask`` answers a probe from the compacted context alone."""

    case: Case
    arm: Arm
    steps: tuple[Step, ...]
    usage: Usage
    _view: Callable[[int], tuple[Message, ...]] = field(repr=False, compare=False)
    _ask: Callable[[Probe], Response] = field(repr=False, compare=False)

    def view(self, point: int = -1) -> tuple[Message, ...]:
        """The messages that the model sees after a compaction point (the last by default)."""
        return self._view(point)

    def ask(self, probe: Probe) -> Response:
        return self._ask(probe)
