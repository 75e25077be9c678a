"""Feeding a case to a strategy: compacting at each point, checking each step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from pytest_compaction.case.case import Case, Point
from pytest_compaction.compactors.composition.composition import asks_model
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
from pytest_compaction.models.parameters import misuse_of, shown
from pytest_compaction.models.protocol import ChargedError
from pytest_compaction.run.time_limit import with_deadline
from pytest_compaction.run.triggers import Trigger


class CompactionError(ChargedError):
    """A compaction did not take place; the text names strategy, case and point, and why."""


@dataclass(frozen=True, slots=True)
class Step:
    """One compaction: where, what happened, and the view's tokens before and after."""

    point: str
    status: Status
    before: int
    after: int
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """How things stand at a compaction point: the strategy's state, or why there is none.

    ``failure`` says that the last compaction failed and left more in the view than
    the budget allows: what can be answered from it is not the strategy's doing.
    """

    state: State | None
    log_tokens: int
    view_tokens: int
    error: str | None = None
    failure: str | None = None


@dataclass
class Fed:
    """What feeding a case gave: a standing for each compaction point, and every step."""

    standings: list[Standing] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)


class CheckedStrategy:
    """One strategy, every call with a deadline and every result checked.

    What breaks the contract raises :class:`CompactorError`.
    """

    def __init__(self, compactor: Compactor[State], timeout: float) -> None:
        self._compactor = compactor
        self._timeout = timeout
        self._name = compactor.name

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
        """Why the strategy says that compaction is due, if it does."""
        reason: str | None = await self._call("due", self._compactor.due, state, context)
        return reason

    async def view(
        self, state: State, context: Context, probe: str | None = None
    ) -> tuple[Message, ...]:
        """The messages of a view, where they are all that is sent.

        A view with request parameters is refused: without them it would be another one.
        """
        rendered = await self.rendered(state, context, probe)
        if rendered.parameters:
            raise CompactorError(
                f"{self._name}: its view goes with {shown(rendered.parameters)}, which is sent "
                "with the probes of a case only; use mode=client here"
            )
        return rendered.messages

    async def rendered(self, state: State, context: Context, probe: str | None = None) -> View:
        """The view of a state, checked for broken structure."""
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
        view = (await self.rendered(state, context)).messages
        before = context.tokens.messages(view)
        outcome = await self._call("compact", self._compactor.compact, state, context)
        if not isinstance(outcome, Outcome):
            raise CompactorError(
                f"{self._name}: compact returned {type(outcome).__name__}; expected an Outcome"
            )
        _check_spans(self._name, outcome, view)
        left = await self.rendered(outcome.state, context)
        after = context.tokens.messages(left.messages)
        return outcome.state, Step(point, outcome.status, before, after, outcome.error)

    async def _call(self, what: str, method: Callable[..., Any], *arguments: Any) -> Any:
        call = partial(method, *arguments)
        return await with_deadline(call, self._timeout, f"{self._name}: {what}")


class Feeder:
    """Feeds one case to one strategy. Every call into the strategy has a deadline."""

    def __init__(
        self,
        case: Case,
        compactor: Compactor[State],
        context: Context,
        trigger: Trigger,
        timeout: float,
    ) -> None:
        self._case = case
        self._strategy = CheckedStrategy(compactor, timeout)
        self._needs_record = getattr(compactor.traits, "needs_record", False)
        self._context = context
        self._trigger = trigger
        self._asks = asks_model(compactor)
        self._fed = Fed()
        self._since: list[Message] = []
        self._turns = 0

    async def feed(self) -> Fed:
        """The standing at each point. After a failure the later points carry its error."""
        state: State | None = None
        error: str | None = None
        before = tokens = 0
        for number, point in enumerate(self._case.points):
            log_tokens = self._context.tokens.messages(self._case.log_until(number))
            if error is None:
                try:
                    if state is None:
                        state = await self._strategy.start()
                    new = self._case.messages[before : point.index + 1]
                    state = await self._advance(state, new, point)
                    before = point.index + 1
                    tokens = self._context.tokens.messages(await self.view(state))
                except CompactorError as failure:
                    error = f"{failure} (case {self._case.id}, compaction point {point.id})"
            if error is not None or state is None:
                self._fed.standings.append(Standing(None, log_tokens, 0, error))
                continue
            standing = Standing(state, log_tokens, tokens, failure=self._failure(tokens))
            self._fed.standings.append(standing)
        return self._fed

    def _failure(self, tokens: int) -> str | None:
        last = self._fed.steps[-1] if self._fed.steps else None
        budget = self._context.budget
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

    async def view(self, state: State, probe: str | None = None) -> tuple[Message, ...]:
        """The messages of the view of a state."""
        return (await self.rendered(state, probe)).messages

    async def rendered(self, state: State, probe: str | None = None) -> View:
        """The view of a state, checked for broken structure."""
        return await self._strategy.rendered(state, self._context, probe)

    async def _advance(self, state: State, new: Sequence[Message], point: Point) -> State:
        """Observe new messages, and compact at the point or whenever the trigger fires."""
        if self._trigger.kind == "case":
            observed = await self._observe(state, new)
            return await self._compact(observed, point.id, point.recorded)
        for begin, end in groups(new):
            batch = new[begin:end]
            state = await self._observe(state, batch)
            self._since.extend(batch)
            self._turns += sum(message.role == "user" for message in batch)
            if await self._is_time(state):
                state = await self._compact(state, batch[-1].id)
                self._since = []
        return state

    async def _is_time(self, state: State) -> bool:
        due = None
        if self._trigger.kind == "auto":
            due = await self._strategy.due(state, self._context)
        tokens = self._context.tokens.messages(await self.view(state))
        window, budget = self._context.window, self._context.budget
        return self._trigger.fires(
            tokens, window, self._since, due, budget, self._turns, self._asks
        )

    async def _observe(self, state: State, new: Sequence[Message]) -> State:
        return await self._strategy.observe(state, new, self._context)

    async def _compact(self, state: State, point: str, recorded: tuple[Message, ...] = ()) -> State:
        context = replace(self._context, recorded=recorded)
        state, step = await self._strategy.compact(state, context, point)
        self._fed.steps.append(step)
        return state


def _check_spans(name: str, outcome: Outcome[State], view: Sequence[Message]) -> None:
    """Every message of the view has exactly one fate: nothing is dropped in silence."""
    if not all(isinstance(span, Span) for span in outcome.spans):
        raise CompactorError(f"{name}: the spans of the outcome are no Span objects")
    claimed = [id for span in outcome.spans for id in span.ids]
    ids = [message.id for message in view]
    if sorted(claimed) != sorted(ids):
        missing = sorted(set(ids) - set(claimed)) or sorted(set(claimed) - set(ids))
        raise CompactorError(
            f"{name}: the spans of the outcome are no partition of the view; "
            f"look at {', '.join(missing[:5]) or 'messages named twice'}"
        )
