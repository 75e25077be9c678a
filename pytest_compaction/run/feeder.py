"""Feeds messages to a strategy: each call checked, compaction when the trigger says so.

A case is fed whole: there is a state at each of its compaction points, or an error.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate
from typing import Any

from pytest_compaction.case.case import Case, Point
from pytest_compaction.compactors.composition import asks_model
from pytest_compaction.compactors.protocol import (
    Compactor,
    CompactorError,
    Context,
    Outcome,
    Span,
    State,
    Status,
    View,
)
from pytest_compaction.conversation.messages import Message, groups, structure_faults
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.models.parameters import misuse_of, shown
from pytest_compaction.models.protocol import ChargedError, Model
from pytest_compaction.models.usage import Usage
from pytest_compaction.run.proxy.owners import at_work
from pytest_compaction.run.strategy_thread import FunctionLoops, StrategyThread
from pytest_compaction.run.triggers import Trigger


class CompactionError(ChargedError):
    """A compaction did not take place; the text names strategy, case and point, and why."""


@dataclass(frozen=True, slots=True)
class Step:
    """One compaction: where, what happened, and the view's tokens before and after.

    ``prefix`` are the tokens of the messages that the view after it begins with as the view
    before it did, which a cache of prompts still holds. ``by_server`` says that the request asks
    the endpoint to compact: what it then reads is not known here. ``messages`` and ``log`` are
    the messages of the log until there and their tokens.

    ``until_next`` is the number of messages of the log after which the view held as many tokens
    again as before, each taken in as it is; ``None`` if the log ended before, ``left`` messages
    after this compaction, or if that is not known.
    """

    point: str
    status: Status
    before: int
    after: int
    error: str | None = None
    prefix: int = 0
    by_server: bool = False
    messages: int = 0
    log: int = 0
    until_next: int | None = None
    left: int = 0
    usage: Usage = Usage()
    """What the compaction asked of models."""
    seconds: float | None = None
    """How long replies of endpoints took; ``None`` if none came from one."""


class CheckedStrategy:
    """One strategy, every call in its own thread within a time limit, every result checked.

    What breaks the contract raises :class:`CompactorError`. :meth:`close` lets the
    thread end. ``waited`` is that of :class:`StrategyThread`.
    """

    def __init__(
        self,
        compactor: Compactor[State],
        timeout: float,
        loops: FunctionLoops | None = None,
        waited: Callable[[], float] = float,
    ) -> None:
        self._compactor = compactor
        self._timeout = timeout
        self._name = compactor.name
        self._thread = StrategyThread(
            compactor.name, loops.of(compactor) if loops else None, waited
        )

    def close(self) -> None:
        """Let the thread of the strategy end. A later call has a thread of its own."""
        self._thread.close()

    async def start(self) -> State:
        """The state before any message."""
        state: State = await self._call("start", self._compactor.start)
        return state

    async def observe(self, state: State, new: Sequence[Message], context: Context) -> State:
        """The state with new messages taken in."""
        observed = await self._call("observe", self._compactor.observe, state, new, context)
        if not isinstance(observed, dict):
            raise CompactorError(
                f"{self._name}: observe returned {type(observed).__name__}; expected the new state"
            )
        return observed

    async def due(self, state: State, context: Context) -> str | None:
        """The strategy's reason why compaction is due, or ``None``."""
        reason: str | None = await self._call("due", self._compactor.due, state, context)
        return reason

    async def view(
        self, state: State, context: Context, probe: str | None = None
    ) -> tuple[Message, ...]:
        """The messages of a view, for a caller that sends nothing else.

        A view with request parameters is refused: sent without them, it would be another view.
        """
        rendered = await self.rendered(state, context, probe)
        if rendered.parameters:
            raise CompactorError(
                f"{self._name}: its view needs {shown(rendered.parameters)}, which is only "
                "sent with the probes of a case; use mode=client here"
            )
        return rendered.messages

    async def rendered(self, state: State, context: Context, probe: str | None = None) -> View:
        """The view of a state, checked for broken structure.

        A strategy that asks a model about a question has a coroutine ``asked_view`` for it.
        """
        asked = None if probe is None else getattr(self._compactor, "asked_view", None)
        if asked is not None:
            rendered = await self._call("asked_view", asked, state, context, probe)
        else:
            rendered = await self._call("render", self._compactor.render, state, context, probe)
        messages: Any = getattr(rendered, "messages", None)
        if not isinstance(messages, tuple | list) or not all(
            isinstance(message, Message) for message in messages
        ):
            raise CompactorError(
                f"{self._name}: render returned {type(rendered).__name__}; expected a View"
            )
        faults = structure_faults(messages)
        if faults:
            listed = "\n".join(f"  {fault}" for fault in faults[:3])
            raise CompactorError(f"{self._name} broke the message structure:\n{listed}")
        parameters: Any = getattr(rendered, "parameters", None) or {}
        misused = misuse_of(parameters)
        if misused is not None:
            raise CompactorError(f"{self._name}: {misused}")
        return View(tuple(messages), parameters)

    async def compact(self, state: State, context: Context, point: str) -> tuple[State, Step]:
        """The state after a compaction, and what happened there."""
        rendered = await self.rendered(state, context)
        view = rendered.messages
        before = context.tokens.messages(view)
        outcome = await self._call("compact", self._compactor.compact, state, context)
        if not isinstance(outcome, Outcome):
            raise CompactorError(
                f"{self._name}: compact returned {type(outcome).__name__}; expected an Outcome"
            )
        check_spans(self._name, outcome, view)
        left = await self.rendered(outcome.state, context)
        after = context.tokens.messages(left.messages)
        prefix = sum(map(context.tokens.message, common_prefix(view, left.messages)))
        by_server = bool(rendered.parameters or left.parameters)
        step = Step(point, outcome.status, before, after, outcome.error, prefix, by_server)
        return outcome.state, step

    async def _call(self, what: str, method: Callable[..., Any], *arguments: Any) -> Any:
        model = next((given.model for given in arguments if isinstance(given, Context)), None)
        call = partial(at_work, model, method, *arguments)
        return await self._thread.call(call, self._timeout, f"{self._name}: {what}")


class Feeder:
    """Feeds a conversation to one strategy and keeps its state.

    The caller decides when to observe, and where to ask whether it :meth:`is_time` to
    compact. ``steps`` are the compactions that took place, in order. Each method raises
    :class:`CompactorError` when the strategy breaks its contract.
    """

    def __init__(
        self,
        compactor: Compactor[State],
        trigger: Trigger,
        timeout: float,
        loops: FunctionLoops | None = None,
        waited: Callable[[], float] = float,
    ) -> None:
        self.strategy = CheckedStrategy(compactor, timeout, loops, waited)
        self.trigger = trigger
        self.steps: list[Step] = []
        self._asks_model = asks_model(compactor)
        self._state: State | None = None
        self._since: list[Message] = []
        self._turns = 0
        self._observed = 0

    @property
    def turns(self) -> int:
        """The number of user messages observed so far."""
        return self._turns

    async def state(self) -> State:
        """The state as it stands; the strategy is started if it was not yet."""
        if self._state is None:
            self._state = await self.strategy.start()
        return self._state

    async def observe(self, new: Sequence[Message], context: Context) -> None:
        """Let the strategy take in new messages."""
        self._state = await self.strategy.observe(await self.state(), new, context)
        self._since.extend(new)
        self._observed += len(new)
        self._turns += sum(message.role == "user" for message in new)

    async def is_time(self, context: Context) -> bool:
        """Whether the trigger says to compact now.

        The view is only made for a trigger that depends on its tokens: making it after each
        group of a long log would take a time that grows with the square of its length.
        """
        state = await self.state()
        due, tokens = None, 0
        if self.trigger.kind == "auto":
            due = await self.strategy.due(state, context)
        if self.trigger.weighs_view:
            view = (await self.strategy.rendered(state, context)).messages
            tokens = context.tokens.messages(view)
        return self.trigger.fires(
            tokens,
            context.window,
            self._since,
            due,
            context.budget,
            self._turns,
            self._asks_model,
        )

    async def compact(self, context: Context, point: str) -> Step:
        """Compact now; ``point`` names the place in the conversation."""
        used, waited = _spent(context.model)
        self._state, step = await self.strategy.compact(await self.state(), context, point)
        usage, seconds = _spent(context.model)
        took = None if seconds == waited or seconds is None else round(seconds - (waited or 0), 3)
        step = replace(step, messages=self._observed, usage=usage - used, seconds=took)
        self.steps.append(step)
        self._since = []
        return step

    def close(self) -> None:
        """Let the thread of the strategy end."""
        self.strategy.close()


def _spent(model: Any) -> tuple[Usage, float | None]:
    """What was asked of a model so far, and how long its replies took, where it is counted."""
    used = getattr(model, "usage", None)
    return (used if isinstance(used, Usage) else Usage()), getattr(model, "seconds", None)


def common_prefix(first: Sequence[Message], second: Sequence[Message]) -> Sequence[Message]:
    """The messages with which both begin, as an endpoint reads them."""
    count = 0
    for one, other in zip(first, second, strict=False):
        if (one.role, one.parts) != (other.role, other.parts):
            break
        count += 1
    return first[:count]


def check_spans(name: str, outcome: Outcome[State], view: Sequence[Message]) -> None:
    """Raise unless every message of the view has exactly one fate: none is dropped in silence."""
    if not all(isinstance(span, Span) for span in outcome.spans):
        raise CompactorError(f"{name}: the spans of the outcome are not Span objects")
    claimed = [id for span in outcome.spans for id in span.ids]
    ids = [message.id for message in view]
    if sorted(claimed) != sorted(ids):
        missing = sorted(set(ids) - set(claimed)) or sorted(set(claimed) - set(ids))
        raise CompactorError(
            f"{name}: the spans of the outcome are not a partition of the view; "
            f"look at {', '.join(missing[:5]) or 'messages named twice'}"
        )


@dataclass(frozen=True, slots=True)
class PointState:
    """A strategy at a compaction point: its state, or the ``error`` that left it without one.

    ``failure`` says that the last compaction failed and left more in the view than
    the budget allows: an answer from that view says nothing about the strategy. ``view`` is
    what the model would be sent there without a question; ``None`` if that is not what it reads.
    ``cause`` is what the code of the strategy raised, with its traceback.
    """

    state: State | None
    log_tokens: int
    view_tokens: int
    error: str | None = None
    failure: str | None = None
    view: tuple[Message, ...] | None = None
    cause: BaseException | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class FeedResult:
    """The result of feeding a case: a state for each compaction point, and every step."""

    points: tuple[PointState, ...]
    steps: tuple[Step, ...]


class CaseFeeder:
    """Feeds one case to one strategy; each call into it may take ``timeout`` seconds.

    ``budgets`` are the tokens that the view may take at each compaction point; without them
    it is the budget of the context. On the way to a point its budget is in force. ``waited``
    tells for how many seconds the strategy waited for requests of others, which does not count.
    ``needs_probe`` says that the views depend on the question.
    """

    def __init__(
        self,
        case: Case,
        compactor: Compactor[State],
        context: Context,
        trigger: Trigger,
        timeout: float,
        loops: FunctionLoops | None = None,
        budgets: tuple[int, ...] | None = None,
        waited: Callable[[], float] = float,
    ) -> None:
        self.budgets = budgets or (context.budget,) * len(case.points)
        self._case = case
        self._feeder = Feeder(compactor, trigger, timeout, loops, waited)
        self._needs_record = getattr(compactor.traits, "needs_record", False)
        self.needs_probe = getattr(compactor.traits, "needs_probe", False)
        self._context = context

    async def feed(self) -> FeedResult:
        """Feed the whole case. After an error all later points carry it."""
        points: list[PointState] = []
        error: str | None = None
        cause: BaseException | None = None
        before = 0
        until = tokens_until(self._case.messages, self._context.tokens)
        for number, point in enumerate(self._case.points):
            log_tokens = until[point.index + 1]
            if error is None:
                try:
                    new = self._case.messages[before : point.index + 1]
                    await self._advance(new, point, self._at(number))
                    before = point.index + 1
                    points.append(await self._point(number, log_tokens))
                except CompactorError as raised:
                    error = f"{raised} (case {self._case.id}, compaction point {point.id})"
                    cause = raised.__cause__
            if error is not None:
                points.append(PointState(None, log_tokens, 0, error, cause=cause))
        return FeedResult(tuple(points), with_runway(self._feeder.steps, until))

    async def rendered(
        self, state: State, point: int, question: str | None = None, model: Model | None = None
    ) -> View:
        """The view of the state at a point, checked for broken structure.

        ``model`` is asked in place of that of the compactions.
        """
        context = self._at(point)
        context = context if model is None else replace(context, model=model)
        return await self._feeder.strategy.rendered(state, context, question)

    def _at(self, point: int) -> Context:
        return replace(self._context, budget=self.budgets[point])

    def close(self) -> None:
        """Let the thread of the strategy end."""
        self._feeder.close()

    async def _point(self, number: int, log_tokens: int) -> PointState:
        state = await self._feeder.state()
        rendered = await self.rendered(state, number)
        tokens = self._context.tokens.messages(rendered.messages)
        failure = self._failure(tokens, self.budgets[number])
        view = None if rendered.parameters else rendered.messages
        return PointState(state, log_tokens, tokens, failure=failure, view=view)

    def _failure(self, tokens: int, budget: int) -> str | None:
        last = self._feeder.steps[-1] if self._feeder.steps else None
        if last is None or last.status != "failed":
            return None
        if self._needs_record:
            return f"there is nothing to judge at {last.point}: {last.error}"
        if tokens <= budget:
            return None
        return (
            f"the compaction at {last.point} failed and left {tokens} tokens in a view for "
            f"{budget}: {last.error or 'the strategy gave no reason'}"
        )

    async def _advance(self, new: Sequence[Message], point: Point, context: Context) -> None:
        """Observe new messages, and compact at the point or whenever the trigger fires."""
        if self._feeder.trigger.kind == "case":
            await self._feeder.observe(new, context)
            await self._feeder.compact(replace(context, recorded=point.recorded), point.id)
            return
        for begin, end in groups(new):
            batch = new[begin:end]
            await self._feeder.observe(batch, context)
            if await self._feeder.is_time(context):
                await self._feeder.compact(context, batch[-1].id)


def tokens_until(log: Sequence[Message], tokens: TokenCounter) -> list[int]:
    """The tokens of a log up to each message, beginning with 0.

    Each message is counted once: a long log is more than a counter remembers.
    """
    return list(accumulate(map(tokens.message, log), initial=0))


def with_runway(steps: Sequence[Step], until: Sequence[int]) -> tuple[Step, ...]:
    """The steps with what they leave of the log: see :class:`~pytest_compaction.run.feeder.Step`.

    ``until`` are the tokens that :func:`tokens_until` gives of the log.

    The view after a compaction grows by each message of the log as it is, whatever a later
    compaction makes of it; so steps of runs with other triggers can be compared.
    """
    return tuple(_with_runway(step, until) for step in steps)


def _with_runway(step: Step, until: Sequence[int]) -> Step:
    log, last = until[step.messages], len(until) - 1
    wanted = log + step.before - step.after
    at = bisect_left(until, wanted, lo=step.messages)
    reached = at <= last and not step.by_server
    return replace(
        step,
        log=log,
        left=last - step.messages,
        until_next=at - step.messages if reached else None,
    )
