"""A compacted case: its views, and the answers that are given from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.compactors.protocol import CompactorError, View
from pytest_compaction.conversation.messages import Message
from pytest_compaction.models.protocol import ChargedError, ModelError, NotAskedError
from pytest_compaction.models.usage import OwnCalls, Usage
from pytest_compaction.run.feeder import CaseFeeder, CompactionError, FeedResult, Step
from pytest_compaction.run.metered_model import MeteredModel
from pytest_compaction.run.response import Arm, Response


@dataclass(frozen=True)
class Compaction:
    """A case as a strategy left it. ``ask`` answers a probe from the compacted context alone."""

    case: Case
    arm: Arm
    steps: tuple[Step, ...]
    """Every compaction that took place, in order."""
    usage: Usage
    _view: Callable[[int], tuple[Message, ...]] = field(repr=False, compare=False)
    _ask: Callable[[Probe], Response] = field(repr=False, compare=False)

    def view(self, point: int = -1) -> tuple[Message, ...]:
        """The messages that the model sees after a compaction point (the last by default).

        Raises :class:`CompactionError` if there is no view, and
        :class:`~pytest_compaction.models.protocol.ModelError` if a model is the reason.
        """
        return self._view(point)

    def ask(self, probe: Probe) -> Response:
        """The answer to a probe. Raises what :meth:`view` raises."""
        return self._ask(probe)


@dataclass(frozen=True)
class CompactedCase:
    """A case that was fed to a strategy, and the strategy itself, which renders its views.

    ``compared`` says whether it is compared with the nulls: the nulls and the control are
    not. ``usage`` is that of its compactions, for which ``model`` was asked. ``model_error`` says
    why it could not summarise, whatever the strategy then did.
    """

    case: Case
    arm: Arm
    fed: FeedResult
    usage: Usage
    model_error: ModelError | None
    feeder: CaseFeeder
    model: MeteredModel
    compared: bool = True
    own: OwnCalls = OwnCalls()
    """The part of the usage that the strategy's own client asked for."""

    async def view(
        self, point: int, question: str | None = None, model: MeteredModel | None = None
    ) -> View:
        """The view after a point; strategies that read per question are given it.

        What they ask about the question is counted by the meter of ``model``.
        """
        at_point = self.fed.points[point]
        failed = at_point.error is not None or at_point.state is None
        if self.model_error and (failed or isinstance(self.model_error, NotAskedError)):
            raise type(self.model_error)(*self.model_error.args)
        if at_point.error is not None or at_point.state is None:
            raise CompactionError(at_point.error or "there is no view") from at_point.cause
        try:
            return await self.feeder.rendered(at_point.state, point, question, model)
        except CompactorError as error:
            if isinstance(error.__cause__, ModelError):  # the view for a question takes a model
                raise error.__cause__ from None
            said = f"{error} (case {self.case.id})"
            raise CompactionError(said) from error.__cause__

    async def earlier(
        self, probe: Probe, model: MeteredModel
    ) -> tuple[tuple[Message, ...] | None, ...]:
        """What the model would have read at each point before that of a probe.

        Where views depend on the question, it is what it would have been given with the same
        one. ``None`` stands for a view that is not known: the endpoint edits it, or there is none.
        """
        if not self.feeder.needs_probe:
            return tuple(point.view for point in self.fed.points[: probe.point])
        return tuple([await self._asked_at(n, probe, model) for n in range(probe.point)])

    async def _asked_at(
        self, point: int, probe: Probe, model: MeteredModel
    ) -> tuple[Message, ...] | None:
        try:
            view = await self.view(point, probe.question, model)
        except ChargedError:
            return None
        return None if view.parameters else view.messages

    def failure(self, point: int) -> str | None:
        """Why an answer at a point would say nothing about the strategy, if so."""
        failure = self.fed.points[point].failure
        if failure is not None and self.model_error is not None:
            return str(self.model_error)
        return failure
