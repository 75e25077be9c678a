"""Feeding a case to a strategy: the state at each compaction point, or why there is none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from pytest_compaction.case.case import Case, Point
from pytest_compaction.compactors.protocol import Compactor, CompactorError, Context, State, View
from pytest_compaction.conversation.messages import Message, groups
from pytest_compaction.models.protocol import Model
from pytest_compaction.run.feeder import Feeder, Step
from pytest_compaction.run.loops.shared_loop import FunctionLoops
from pytest_compaction.run.runway import tokens_until, with_runway
from pytest_compaction.run.triggers import Trigger


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
