"""Feeds messages to a strategy: each call checked, compaction when the trigger says so.

A case is fed whole: there is a state at each of its compaction points, or an error. Strategies of
this package are called on the loop that feeds them, all others in a thread of their own.
"""

from __future__ import annotations

import asyncio
import inspect
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import accumulate
from typing import Any, Final, Self

from pytest_compaction.case import Case, Point, Probe
from pytest_compaction.compactors import (
    Compactor,
    CompactorError,
    Context,
    Outcome,
    Span,
    State,
    Status,
    View,
    asks_model,
    in_context,
    is_own,
)
from pytest_compaction.conversation import (
    Message,
    Part,
    TokenCounter,
    ToolCall,
    ToolResult,
    groups,
    structure_faults,
)
from pytest_compaction.metrics import cycles_in, stuck_at
from pytest_compaction.models import (
    ChargedError,
    ModelError,
    NotAskedError,
    Usage,
    misuse_of,
    parameter_names,
)
from pytest_compaction.run.loop import MeteredModel, SharedLoop, has_ended
from pytest_compaction.run.strategy_thread import StrategyThread, at_work, refused, too_long
from pytest_compaction.run.triggers import Trigger

APART_TOKENS: Final = 1_000_000
"""A log of more tokens has its own thread for each strategy, so that the loop is never blocked for
seconds."""


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

    ``requests`` is the number of those that the log made from then to the next compaction. After
    the view each has what the log said since: ``added`` tokens in the last one, ``sent`` in all.
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
    requests: int = 0
    added: int = 0
    sent: int = 0
    usage: Usage = Usage()
    seconds: float | None = None
    placeholder: str = ""
    """The placeholder of a summary that was not made; see :func:`placeholder_in`."""
    flaws: Mapping[str, int] = field(default_factory=dict)


class CheckedStrategy:
    """One strategy, every call within a time limit, every result checked.

    What breaks the contract raises :class:`CompactorError`. The code of users has a thread of its
    own, and so has every strategy if ``apart``. ``waited`` tells for how many seconds the strategy
    had to wait for requests of others, which does not count.
    """

    def __init__(
        self,
        compactor: Compactor[State],
        timeout: float,
        shared: SharedLoop | None = None,
        waited: Callable[[], float] = float,
        apart: bool = False,
    ) -> None:
        self._compactor = compactor
        self._timeout = timeout
        self._name = compactor.name
        self._waited = waited
        self._thread: StrategyThread | None = None
        if apart or not is_own(compactor):
            loop = shared.of(compactor) if shared else None
            self._thread = StrategyThread(compactor.name, loop, waited)

    @property
    def asks_model(self) -> bool:
        return asks_model(self._compactor)

    def close(self) -> None:
        """Let the thread of the strategy end. A later call has a thread of its own."""
        if self._thread is not None:
            self._thread.close()

    async def start(self) -> State:
        state: State = await self._call("start")
        return state

    async def observe(self, state: State, new: Sequence[Message], context: Context) -> State:
        observed = await self._call("observe", state, new, context)
        if not isinstance(observed, dict):
            raise CompactorError(
                f"{self._name}: observe returned {type(observed).__name__}; expected the new state"
            )
        return observed

    async def due(self, state: State, context: Context) -> str | None:
        reason: str | None = await self._call("due", state, context)
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
                f"{self._name}: its view needs {parameter_names(rendered.parameters)}, which "
                "is only sent with the probes of a case; use mode=client here"
            )
        return rendered.messages

    async def rendered(self, state: State, context: Context, probe: str | None = None) -> View:
        """The view of a state, checked for broken structure."""
        by_model = probe is not None and hasattr(self._compactor, "asked_view")
        rendered = await self._call("asked_view" if by_model else "render", state, context, probe)
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
        misused = misuse_of(parameters) if parameters else None
        if misused is not None:
            raise CompactorError(f"{self._name}: {misused}")
        return View(tuple(messages), parameters)

    async def compact(self, state: State, context: Context, point: str) -> tuple[State, Step]:
        """The state after a compaction, and what happened there."""
        rendered = await self.rendered(state, context)
        view = rendered.messages
        before = context.tokens.messages(view)
        outcome = await self._call("compact", state, context)
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
        new = [message for message in left.messages if message.origin == "synthetic"]
        return outcome.state, replace(step, placeholder=placeholder_in(new))

    async def _call(self, what: str, *arguments: Any) -> Any:
        method = getattr(self._compactor, what)
        said = f"{self._name}: {what}"
        told = [in_context(self._compactor, a) if isinstance(a, Context) else a for a in arguments]
        if self._thread is not None:
            model = next((given.model for given in arguments if isinstance(given, Context)), None)
            call = partial(at_work, model, method, *told)
            return await self._thread.call(call, self._timeout, said)
        try:
            value = method(*told)
            if inspect.iscoroutine(value):
                task = asyncio.ensure_future(value)
                try:
                    if not await has_ended(task, self._timeout, self._waited):
                        raise CompactorError(f"{said} {too_long(self._timeout)}")
                    value = task.result()
                finally:
                    task.cancel()
        except Exception as error:
            raise refused(said, error) from error
        return value


class Feeder:
    """Feeds a conversation to one strategy and keeps its state."""

    def __init__(self, strategy: CheckedStrategy, trigger: Trigger) -> None:
        self.strategy = strategy
        self.trigger = trigger
        self.steps: list[Step] = []
        self.turns = 0
        self._state: State | None = None
        self._since: list[Message] = []
        self._observed = 0

    @property
    def seen(self) -> int:
        """The number of messages that it was fed."""
        return self._observed

    async def state(self) -> State:
        if self._state is None:
            self._state = await self.strategy.start()
        return self._state

    async def observe(self, new: Sequence[Message], context: Context) -> None:
        self._state = await self.strategy.observe(await self.state(), new, context)
        self._since.extend(new)
        self._observed += len(new)
        self.turns += sum(message.role == "user" for message in new)

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
        elif self.trigger.kind == "growth":
            tokens = context.tokens.messages(self._since)
        return self.trigger.fires(
            tokens,
            context.window,
            self._since,
            due,
            context.budget,
            self.turns,
            self.trigger.kind == "adaptive" and self.strategy.asks_model,
        )

    async def compact(self, context: Context, point: str) -> Step:
        """Compact now; ``point`` names the place in the conversation."""
        used, waited, flaws = _spent(context.model)
        model = context.model
        if isinstance(model, MeteredModel) and model.place:
            model.compacts_at(replace(model.place, point=point, budget=context.budget))
        self._state, step = await self.strategy.compact(await self.state(), context, point)
        usage, seconds, now = _spent(context.model)
        took = None if seconds == waited or seconds is None else round(seconds - (waited or 0), 3)
        step = replace(step, messages=self._observed, usage=usage - used, seconds=took)
        step = replace(step, flaws=dict(sorted((now - flaws).items())))
        self.steps.append(step)
        self._since = []
        return step


def _spent(model: Any) -> tuple[Usage, float | None, Counter[str]]:
    """The usage of a model so far, the seconds of its replies, and the flaws of its summaries."""
    used = getattr(model, "usage", None)
    usage = used if isinstance(used, Usage) else Usage()
    flaws: Counter[str] = getattr(model, "flaws", None) or Counter()
    return usage, getattr(model, "seconds", None), flaws


_PLACEHOLDERS: Final = (
    "too long to summarize",  # LangChain: nothing of the conversation fitted its limit
    "Error generating summary",
    "No previous conversation history",
    "Summary unavailable",
)
"""Texts of frameworks in place of a summary, without an error."""


def placeholder_in(messages: Sequence[Message]) -> str:
    """A known text in place of a summary, in a short message that a strategy wrote; or empty."""
    texts = [message.text for message in messages if len(message.text) < 300]
    return next((known for known in _PLACEHOLDERS if any(known in text for text in texts)), "")


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


class CaseFeeder:
    """Feeds one case to one strategy; each call into it may take ``timeout`` seconds.

    ``budgets`` are the tokens that the view may take at each compaction point; without them
    it is the budget of the context. On the way to a point its budget is in force. After
    :meth:`feed` there is a state for each of the ``points``, and ``steps`` are the compactions.
    """

    def __init__(
        self,
        case: Case,
        compactor: Compactor[State],
        context: Context,
        trigger: Trigger,
        timeout: float,
        shared: SharedLoop | None = None,
        budgets: tuple[int, ...] | None = None,
    ) -> None:
        self.budgets = budgets or (context.budget,) * len(case.points)
        self.points: list[PointState] = []
        self.steps: tuple[Step, ...] = ()
        self._case = case
        self._context = context
        self._until = tokens_until(case.messages, context.tokens)
        model = context.model
        self._model = model if isinstance(model, MeteredModel) else None
        waited = self._model.waited if self._model else float
        apart = self._until[-1] > APART_TOKENS
        self._strategy = CheckedStrategy(compactor, timeout, shared, waited, apart)
        self._feeder = Feeder(self._strategy, trigger)
        self._needs_record = getattr(compactor.traits, "needs_record", False)
        self.needs_probe = getattr(compactor.traits, "needs_probe", False)
        self.searches = getattr(compactor.traits, "searches", False)
        self.is_null = getattr(compactor.traits, "null", False)

    async def feed(self) -> Self:
        """Feed the whole case. After an error all later points carry it."""
        before = 0
        for number, point in enumerate(self._case.points):
            log_tokens = self._until[point.index + 1]
            if self.points and self.points[-1].error is not None:
                self.points.append(replace(self.points[-1], log_tokens=log_tokens))
                continue
            try:
                await self._advance(before, point, self._at(number))
                before = point.index + 1
                self.points.append(await self._point(number, log_tokens))
            except CompactorError as raised:
                error = f"{raised} (case {self._case.id}, compaction point {point.id})"
                self.points.append(PointState(None, log_tokens, 0, error, cause=raised.__cause__))
        self.steps = with_runway(self._feeder.steps, self._case.messages, self._until)
        return self

    async def view(
        self, point: int, question: str | None = None, model: MeteredModel | None = None
    ) -> View:
        """The view after a point; strategies that read per question are given it."""
        at_point, failed = self.points[point], self._model_error
        if failed and (at_point.state is None or isinstance(failed, NotAskedError)):
            raise type(failed)(*failed.args)
        if at_point.state is None:
            raise CompactionError(at_point.error or "there is no view") from at_point.cause
        context = self._at(point)
        context = context if model is None else replace(context, model=model)
        try:
            return await self._strategy.rendered(at_point.state, context, question)
        except CompactorError as error:
            if isinstance(error.__cause__, ModelError):  # the view for a question takes a model
                raise error.__cause__ from None
            said = f"{error} (case {self._case.id})"
            raise CompactionError(said) from error.__cause__

    async def earlier(
        self, probe: Probe, model: MeteredModel
    ) -> tuple[tuple[Message, ...] | None, ...]:
        """The views that the model would have read at each point before that of a probe.

        Where views depend on the question, those that it would have been given with it.
        ``None`` stands for a view that is not known: the endpoint edits it, or there is none.
        """
        if not self.needs_probe:
            return tuple(point.view for point in self.points[: probe.point])
        views: list[tuple[Message, ...] | None] = []
        for number in range(probe.point):
            try:
                view = await self.view(number, probe.question, model)
            except ChargedError:
                views.append(None)
            else:
                views.append(None if view.parameters else view.messages)
        return tuple(views)

    def failure(self, point: int) -> str | None:
        """Why an answer at a point would say nothing about the strategy, if so."""
        failure, error = self.points[point].failure, self._model_error
        return failure if failure is None or error is None else str(error)

    async def go_on(self, cycles: int) -> Self:
        """Continue the log after the last point, then again from its beginning with ids made new.

        It ends with so many compactions in all, once the strategy is stuck, or if the trigger says
        nothing for a whole log. A case with an error is not continued, nor one that an endpoint
        compacts.
        """
        feeder, context = self._feeder, self._at(-1)
        begin, steps, turn = self._case.points[-1].index + 1, list(self.steps), 0
        done = self.points[-1].error is not None or any(step.by_server for step in steps)
        while not done:
            log = self._case.messages[begin:] if not turn else again(self._case.messages, turn)
            before = len(steps)
            for first, end in groups(log):
                batch = log[first:end]
                try:
                    await feeder.observe(batch, context)
                    if await feeder.is_time(context):
                        steps.append(await feeder.compact(context, batch[-1].id))
                except CompactorError as raised:
                    error = f"{raised} (case {self._case.id}, continued at {batch[-1].id})"
                    steps.append(Step(batch[-1].id, "failed", 0, 0, error, messages=feeder.seen))
                    done = True
                sizes = ((step.before, step.after, context.budget) for step in steps)
                done = done or len(steps) >= cycles or stuck_at(list(cycles_in(sizes))) is not None
                if done:
                    break
            done = done or (turn > 0 and len(steps) == before)
            turn += 1
        self.steps = tuple(steps)
        return self

    def close(self) -> None:
        self._strategy.close()

    @property
    def _model_error(self) -> ModelError | None:
        return self._model.error if self._model else None

    def _at(self, point: int) -> Context:
        return replace(self._context, budget=self.budgets[point])

    async def _point(self, number: int, log_tokens: int) -> PointState:
        state = await self._feeder.state()
        rendered = await self._strategy.rendered(state, self._at(number))
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

    async def _advance(self, begin: int, point: Point, context: Context) -> None:
        new = self._case.messages[begin : point.index + 1]
        if self._feeder.trigger.kind == "case":
            await self._feeder.observe(new, context)
            await self._feeder.compact(replace(context, recorded=point.recorded), point.id)
            return
        for first, end in groups(new):
            batch = new[first:end]
            await self._feeder.observe(batch, context)
            if await self._feeder.is_time(context):
                asked = replace(context, reason=self._feeder.trigger.kind)
                await self._feeder.compact(asked, batch[-1].id)


def again(log: Sequence[Message], turn: int) -> list[Message]:
    """A log without its system messages, said again: messages and calls have ids of the turn."""

    def renamed(part: Part) -> Part:
        if isinstance(part, ToolCall):
            return replace(part, id=f"{part.id}~{turn}")
        if isinstance(part, ToolResult):
            return replace(part, call_id=f"{part.call_id}~{turn}")
        return part

    return [
        replace(each, id=f"{each.id}~{turn}", parts=tuple(map(renamed, each.parts)))
        for each in log
        if each.role != "system"
    ]


def tokens_until(log: Sequence[Message], tokens: TokenCounter) -> list[int]:
    """The tokens of a log up to each message, beginning with 0.

    Each message is counted once: a long log is more than a counter remembers.
    """
    return list(accumulate(map(tokens.message, log), initial=0))


def with_runway(
    steps: Sequence[Step], messages: Sequence[Message], until: Sequence[int]
) -> tuple[Step, ...]:
    """The steps with what they leave of the log, given the tokens :func:`tokens_until`.

    The view after a compaction grows by each message of the log as it is, whatever a later
    compaction makes of it; so steps of runs with other triggers can be compared.
    """
    last, found = len(until) - 1, []
    asked = [
        number
        for number, message in enumerate(messages)
        if message.role == "assistant" and (not number or messages[number - 1].role != "assistant")
    ]
    ends = [*(step.messages for step in steps[1:]), len(messages)]
    for step, end in zip(steps, ends, strict=False):
        log = until[step.messages]
        later = asked[bisect_left(asked, step.messages) : bisect_left(asked, end)]
        sizes = [until[number] - log for number in later]
        at = bisect_left(until, log + step.before - step.after, lo=step.messages)
        next = None if at > last or step.by_server else at - step.messages
        step = replace(step, log=log, left=last - step.messages, until_next=next)
        step = replace(step, requests=len(sizes), added=max(sizes, default=0), sent=sum(sizes))
        found.append(step)
    return tuple(found)
