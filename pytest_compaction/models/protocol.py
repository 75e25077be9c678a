"""The seam between strategies and models: five requests as data, and the replies to them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, Protocol

from pytest_compaction.case import AnswerSpec, Fact, Nugget, Trap
from pytest_compaction.conversation import Message, identity
from pytest_compaction.metrics import NuggetScore
from pytest_compaction.models.structured_summary import Section, Summary
from pytest_compaction.models.summary_prompt import SummaryPrompt
from pytest_compaction.models.usage import OwnCalls, Usage
from pytest_compaction.models.wire.call import Role
from pytest_compaction.models.wire.server_edits import Applied
from pytest_compaction.rubric import Criterion, CriterionScore, applicable, asked_of_models
from pytest_compaction.text import Reading


@dataclass(frozen=True, slots=True)
class SummaryRequest:
    """Summarise ``messages`` into ``sections`` within ``budget`` tokens.

    With ``previous`` the new messages are merged into that summary; without it the
    summary is written from the messages alone. ``prompt`` is how a model is asked; rules do not
    read it.
    """

    messages: Sequence[Message]
    sections: tuple[Section, ...]
    budget: int
    previous: Summary | None = None
    instructions: str = ""
    prompt: SummaryPrompt | None = None


@dataclass(frozen=True, slots=True)
class SummaryReply:
    """The summary and what it cost; ``latency_s`` as of :class:`AnswerReply`."""

    summary: Summary
    usage: Usage = Usage()
    latency_s: float | None = None
    flaws: tuple[str, ...] = ()
    """``cut``: the model stopped at its limit. ``empty``: nothing of the reply is a summary.
    ``misformed``: it has none of the headings that were asked for. ``stale``: these recorded words
    answer another request."""


@dataclass(frozen=True, slots=True)
class CompactRequest:
    """Let the endpoint itself compact ``messages`` (native compaction).

    ``instructions`` is the focus that a user gave. ``by_trigger`` asks in an ordinary request that
    ends with a trigger item; ``instructions`` are then the system prompt, as in every turn.
    """

    messages: Sequence[Message]
    instructions: str = ""
    by_trigger: bool = False


@dataclass(frozen=True, slots=True)
class CompactReply:
    """The messages to go on with, opaque parts byte-identical, and what they cost."""

    messages: tuple[Message, ...]
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    """Answer ``question`` from ``view`` alone. The type has no room for facts and traps.

    ``parameters`` are those of the strategy; a model that cannot pass them on refuses.
    The call is booked under ``role``, which has no influence on what is sent. ``kind`` is that
    of the probe, empty where there is none: rules read questions on long conversations otherwise.
    It is not sent either. A model may call ``tools`` (functions, as OpenAI declares them) in place
    of an answer; one that cannot leaves them out.
    """

    view: Sequence[Message]
    question: str
    answer: AnswerSpec
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    role: Role = "responder"
    kind: str = ""
    tools: Sequence[Mapping[str, Any]] = field(default=(), hash=False)


@dataclass(frozen=True, slots=True)
class AnswerReply:
    """The answer and what it cost; of calls of tools the texts among their arguments, one a line.

    ``latency_s`` is how long it took in seconds, ``None`` if no endpoint was asked.
    ``applied`` is what the endpoint says that it did to the view first, if it was asked to.
    ``by_rules`` marks the answer of rules that stand in for the model, as an estimate of
    costs needs one.
    """

    text: str
    usage: Usage = Usage()
    latency_s: float | None = None
    applied: Applied | None = None
    by_rules: bool = False
    flaws: tuple[str, ...] = ()
    """As of :class:`SummaryReply`."""


@dataclass(frozen=True, slots=True)
class LogDigest:
    """The part of the log that a judge may know: its readable text, no view and no compactor.

    ``messages`` gives the text by message, as id, role and text; ``whole`` gives it where the
    messages are not known.
    """

    whole: str = field(repr=False)
    messages: tuple[tuple[str, str, str], ...] = field(default=(), repr=False)

    @property
    def text(self) -> str:
        """The readable text, put together when it is asked for."""
        return "\n".join(text for _, _, text in self.messages) if self.messages else self.whole

    @property
    def characters(self) -> int:
        """The characters of the texts."""
        return len(self.whole) + sum(len(text) for _, _, text in self.messages)

    @property
    def content_hash(self) -> str:
        """A hash of text and messages, computed once."""
        return _log_hash(self)


NO_LOG: Final = LogDigest("")
"""In place of a log that is given by other ways."""


@lru_cache(maxsize=64)
def _log_hash(log: LogDigest) -> str:
    return hashlib.sha256(identity([log.whole, log.messages]).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """Score ``response`` to ``question``. The type has no room for view and compactor.

    A request with ``nuggets`` is judged by these alone: by no criterion, and without the log.
    With ``by_evidence`` the criteria are those for which the probe has facts, form or limits.
    """

    kind: str
    question: str
    response: str
    facts: tuple[Fact, ...]
    traps: tuple[Trap, ...]
    answer: AnswerSpec
    digest: LogDigest
    nuggets: tuple[Nugget, ...] = ()
    by_evidence: bool = False

    @property
    def criteria(self) -> tuple[Criterion, ...]:
        """The criteria to score, in rubric order."""
        if self.nuggets:
            return ()
        if self.by_evidence:
            return applicable(self.facts, self.answer.has_form, self.answer.has_limits)
        return asked_of_models(self.kind)


@dataclass(frozen=True, slots=True)
class JudgeReply:
    """Scores of the applicable criteria, or ``unscored`` with the reason.

    ``stated`` and ``hit`` run parallel to the facts and traps of the request. ``readings``
    run parallel to the facts too if the judge can tell more than whether they are stated.
    ``unpaid`` tells that there is no score because the limit on costs left no room for a
    call. ``nuggets`` run parallel to those of the request. ``events`` says in which order the
    answer names the nuggets, which are then events: the number of each from 0, and ``None`` for
    an event that is none of them; it is ``None`` where no order was asked for.
    """

    criteria: tuple[CriterionScore, ...] = ()
    stated: tuple[bool, ...] = ()
    hit: tuple[bool, ...] = ()
    unscored: str | None = None
    flags: tuple[str, ...] = ()
    usage: Usage = Usage()
    unpaid: bool = False
    readings: tuple[Reading, ...] = ()
    nuggets: tuple[NuggetScore, ...] = ()
    events: tuple[int | None, ...] | None = None


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """Read the outcome of each of some facts and stale claims in a view.

    ``view`` is its readable text by message, as role and text. The type has no room for questions
    and answers.
    """

    view: tuple[tuple[str, str], ...]
    claims: tuple[Fact | Trap, ...]


@dataclass(frozen=True, slots=True)
class ReadReply:
    """The reading of each claim, in their order; one that is ``unread`` says why."""

    readings: tuple[Reading, ...]
    usage: Usage = Usage()


class ChargedError(Exception):
    """A failure after models had been asked; ``spent`` is what they used by then, by role.

    ``unpaid`` tells that the limit on costs left no room for a call, ``stale`` that no recorded
    words answer what would be sent now.
    """

    unpaid = False
    stale = False

    def __init__(self, *args: object, spent: Mapping[str, Usage] | None = None) -> None:
        super().__init__(*args)
        self.spent: dict[str, Usage] = dict(spent or {})

        self.own = OwnCalls()
        """The part of the compaction that the strategy's own client asked for."""

    def after(self, role: str, usage: Usage) -> None:
        """Add what had been used before the failure."""
        self.spent[role] = self.spent.get(role, Usage()) + usage


class ModelError(ChargedError):
    """A model could not answer; the text says which, what happened and what to do.

    A reply without an answer is charged for too.
    """


class NoReplyError(ModelError):
    """The model was asked, and what came back is no answer: it refused, or said nothing."""

    flaw = "empty"


class RefusalError(NoReplyError):
    """The model refused, or a filter held its reply back."""

    flaw = "refused"


class UnsupportedError(ModelError):
    """The model cannot do this at all, so that asking it again is useless."""


class NotAskedError(ModelError):
    """The model was not asked, so the failure says nothing about it or about a strategy."""


class StaleError(NotAskedError):
    """No recorded words answer the request, and a gate is to decide."""

    stale = True


class NotRecordedError(NotAskedError):
    """A replay needs a call that the store does not hold; the text says how to record it."""


class Model(Protocol):
    """Anything that can summarise, answer and judge. Failures raise :class:`ModelError`.

    A model that takes request parameters also has a method ``refuses``; see
    :func:`~pytest_compaction.models.parameters.refusal_of`. One that has embeddings has a coroutine
    ``embed``; see :func:`~pytest_compaction.models.embeddings.embedded`. One that can read views
    has a coroutine ``read``; see :func:`read_by`.
    """

    def at_trial(self, trial: int) -> Model:
        """This model for one repetition, which shares no calls with other repetitions."""

    @property
    def name(self) -> str:
        """The model's name on the command line and in records."""

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        """Write or update a summary within the request's budget."""

    async def answer(self, request: AnswerRequest) -> AnswerReply:
        """Answer one question from a view."""

    async def judge(self, request: JudgeRequest) -> JudgeReply:
        """Score one response against the rubric."""

    async def compact(self, request: CompactRequest) -> CompactReply:
        """Compact natively, or raise :class:`UnsupportedError`."""


async def read_by(model: Model, request: ReadRequest) -> ReadReply:
    """The reply of a model; raises :class:`UnsupportedError` for one that reads no views."""
    read = getattr(model, "read", None)
    if read is None:
        raise UnsupportedError(
            f"the model {model.name!r} has no method read, so that it cannot read views; name one "
            "at an endpoint, as in --compaction-reader=gpt-5-mini, or leave the option out"
        )
    reply: ReadReply = await read(request)
    return reply
