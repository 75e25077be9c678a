"""Feeding a case to a strategy: compacting at each point, checking each step."""

from __future__ import annotations

import asyncio
import inspect
import threading
import traceback
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from pytest_compaction.case import Case
from pytest_compaction.compactors.function import CompactorError
from pytest_compaction.compactors.protocol import Compactor, Context, Outcome, Span, State, Status
from pytest_compaction.conversation import Message, groups, structure_faults
from pytest_compaction.text import printable
from pytest_compaction.triggers import Trigger


class CompactionError(Exception):
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


async def with_deadline(call: Callable[[], Any], seconds: float, what: str) -> Any:
    """Run other people's code in a thread of its own and wait for it at most ``seconds``.

    A call that never returns is left behind in its daemon thread; whatever it
    raises, even ``SystemExit``, becomes a :class:`CompactorError`.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(value)
        else:
            done.set_exception(error)

    def run() -> None:
        value: Any = None
        failure: BaseException | None = None
        try:
            value = call()
            if inspect.isawaitable(value):
                value = asyncio.run(_awaited(value))
        except CompactorError as error:
            failure = error
        except BaseException as error:
            said = f"{type(error).__name__}: {_said(error)}{_raised_at(error)}"
            failure = CompactorError(f"{what} raised {said}")
            failure.__cause__ = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, value, failure)

    threading.Thread(target=run, name=what, daemon=True).start()
    try:
        return await asyncio.wait_for(done, seconds)
    except TimeoutError:
        raise CompactorError(
            f"{what} did not return within {seconds:g} s (--compaction-timeout)"
        ) from None


def _said(error: BaseException) -> str:
    try:
        return printable(str(error), 300)
    except Exception:
        return "(its text cannot be shown)"


def _raised_at(error: BaseException) -> str:
    """File, line and function where it was raised, for the one who has to mend it."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if frame.filename != __file__]
    if not own:
        return ""
    return f" [{Path(own[-1].filename).name}:{own[-1].lineno} in {own[-1].name}]"


async def _awaited(value: Awaitable[Any]) -> Any:
    return await value


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
        self._compactor = compactor
        self._context = context
        self._trigger = trigger
        self._timeout = timeout
        self._name = compactor.name
        self._fed = Fed()
        self._since: list[Message] = []

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
                        state = await self._call("start", self._compactor.start)
                    new = self._case.messages[before : point.index + 1]
                    state = await self._advance(state, new, point.id)
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
        if last is None or last.status != "failed" or tokens <= budget:
            return None
        return (
            f"the compaction at {last.point} failed and left {tokens} tokens in a view for "
            f"{budget}: {last.error or 'the strategy gave no reason'}"
        )

    async def view(self, state: State, probe: str | None = None) -> tuple[Message, ...]:
        """The view of a state, checked for broken structure."""
        rendered = await self._call("render", self._compactor.render, state, self._context, probe)
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
        return tuple(messages)

    async def _advance(self, state: State, new: Sequence[Message], point: str) -> State:
        """Observe new messages, and compact at the point or whenever the trigger fires."""
        if self._trigger.kind == "case":
            return await self._compact(await self._observe(state, new), point)
        for begin, end in groups(new):
            batch = new[begin:end]
            state = await self._observe(state, batch)
            self._since.extend(batch)
            due = None
            if self._trigger.kind == "auto":
                due = await self._call("due", self._compactor.due, state, self._context)
            tokens = self._context.tokens.messages(await self.view(state))
            if self._trigger.fires(tokens, self._context.window, self._since, due):
                state = await self._compact(state, batch[-1].id)
                self._since = []
        return state

    async def _observe(self, state: State, new: Sequence[Message]) -> State:
        observed = await self._call("observe", self._compactor.observe, state, new, self._context)
        if not isinstance(observed, dict):
            raise CompactorError(
                f"{self._name}: observe returned {type(observed).__name__}; expected the new state"
            )
        return observed

    async def _compact(self, state: State, point: str) -> State:
        view = await self.view(state)
        before = self._context.tokens.messages(view)
        outcome = await self._call("compact", self._compactor.compact, state, self._context)
        if not isinstance(outcome, Outcome):
            raise CompactorError(
                f"{self._name}: compact returned {type(outcome).__name__}; expected an Outcome"
            )
        _check_spans(self._name, outcome, view)
        after = self._context.tokens.messages(await self.view(outcome.state))
        self._fed.steps.append(Step(point, outcome.status, before, after, outcome.error))
        new_state: State = outcome.state
        return new_state

    async def _call(self, what: str, method: Callable[..., Any], *arguments: Any) -> Any:
        call = partial(method, *arguments)
        return await with_deadline(call, self._timeout, f"{self._name}: {what}")


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
