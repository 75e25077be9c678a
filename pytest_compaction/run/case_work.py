"""The way of a case in one arm: compaction, responses, verdicts; each is made once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, TypeVar

from pytest_compaction.cache import KeptResults
from pytest_compaction.case.case import Case, Probe
from pytest_compaction.compactors.protocol import Compactor, Context, State, View
from pytest_compaction.conversation.messages import Message, Text, ToolResult
from pytest_compaction.judges import ModelJudge, PanelJudge, Verdict, unscored_verdict, view_verdict
from pytest_compaction.models.calls.in_flight import requests_in
from pytest_compaction.models.offline import model as offline
from pytest_compaction.models.protocol import AnswerReply, ChargedError, JudgeReply, Model
from pytest_compaction.models.usage import Usage
from pytest_compaction.run.compaction import CompactedCase
from pytest_compaction.run.feeder import CaseFeeder, Step
from pytest_compaction.run.figures.shipped_nulls import Nulls
from pytest_compaction.run.figures.token_counts import TokenCounts
from pytest_compaction.run.figures.view_figures import ViewReader
from pytest_compaction.run.metered_model import MeteredModel
from pytest_compaction.run.plan import PlannedCase
from pytest_compaction.run.responder import ForcedChoice, Reminded, Responder, seen
from pytest_compaction.run.response import Arm, Response, Roles
from pytest_compaction.run.triggers import Trigger
from pytest_compaction.run.work_loop import OnceTasks, WorkLoop
from pytest_compaction.settings import CONTROL, Settings

OPINION_STEP: Final = 1000
"""Added to the trial for each further judgement; more than there are trials, so that no trial
shares its judgements with another one."""

T = TypeVar("T")


@dataclass(frozen=True)
class Method:
    """What is the same for all cases of a run.

    ``create`` makes the strategy of a name. ``nulls`` says in which cases the nulls are run
    beside each strategy. ``kept`` keeps the figures of views and the tokens of messages.
    """

    roles: Roles
    create: Callable[[str], Compactor[State]]
    trigger: Trigger
    settings: Settings
    work: WorkLoop
    nulls: Nulls = "shipped"
    kept: KeptResults = field(default_factory=KeptResults)

    @cached_property
    def reader(self) -> ViewReader:
        """Reads the views."""
        return ViewReader(self.roles, self.nulls, self.work.give_way, self.kept)

    @cached_property
    def counts(self) -> TokenCounts:
        """Knows the tokens of cases."""
        return TokenCounts(self.roles.tokens, self.kept)

    @property
    def reminds(self) -> bool:
        """Whether forced choices are put once more with their constraint, beside a control."""
        return CONTROL in self.settings.arms

    def opinions(self, judge: Model) -> int:
        """How often a judge is asked; rules always say the same."""
        return 1 if judge.name == offline.NAME else self.settings.judgements


class CaseWork(OnceTasks):
    """The work on one case in one arm, for the coroutines of one loop.

    ``rank`` is the place of its first item, which decides who is served first. ``planned`` is
    what its items will ask. ``begun`` is set once a model is to be asked, or all is made;
    ``characters`` are those of the log.
    """

    def __init__(
        self, case: Case, arm: Arm, method: Method, rank: int, planned: PlannedCase | None
    ) -> None:
        super().__init__()
        self.case = case
        self.arm = arm
        self.begun = asyncio.Event()
        self.characters = _characters_of(case)
        self._method = method
        self._planned = planned
        self._rank = rank
        roles = method.roles
        self._responder = Responder(roles.responder.at_trial(arm.trial), roles.tokens)

    def run_ahead(self) -> asyncio.Task[None]:
        """Make all that was planned. An error is raised where an item asks for the same."""
        return self.begin("ahead", self._run_ahead)

    async def compacted(self) -> CompactedCase:
        """The compaction, shared by all probes."""
        return await self.once("compaction", self._compact)

    async def made(self) -> tuple[tuple[Step, ...], Usage]:
        """Every compaction that took place, and their usage."""
        compacted = await self.compacted()
        return compacted.fed.steps, compacted.usage

    async def messages(self, point: int) -> tuple[Message, ...]:
        """The messages of the view after a point."""
        return (await (await self.compacted()).view(point)).messages

    async def response(self, probe: Probe) -> Response:
        """The response to a probe."""
        return await self.once(("response", probe.id), lambda: self._response_or_spent(probe))

    async def replies(self, response: Response) -> list[JudgeReply]:
        """What the judges say of a response; nothing if there is nothing to judge."""
        if response.failure is not None or not self._method.roles.answers:
            return []
        key = ("replies", response.probe.id, response.text)
        return await self.once(key, lambda: self._replies(response))

    def verdict(self, response: Response, replies: Sequence[JudgeReply]) -> Verdict:
        """The verdict of the judges that said this. Reads the view, so not for the loop."""
        probe, view, pass_score = response.probe, response.reading, self._method.settings.pass_score
        if not self._method.roles.answers:
            return view_verdict(probe, view, pass_score, response.asked_text, response.failure)
        if response.failure is not None:
            return unscored_verdict(response.failure, probe, view, pass_score)
        return self._judge(probe.id).verdict(replies, probe, response.text, view, response.leads)

    def close(self) -> None:
        """Forget what was made, and cancel what is under way."""
        self._method.counts.keep(self.case, self.arm)
        self.drop()

    def _rank_of(self, probe: str) -> int:
        known = self._planned.probes.get(probe) if self._planned else None
        return self._rank if known is None else known[0]

    async def _run_ahead(self) -> None:
        """Compact, then answer and judge what was planned; then the strategy's thread may end."""
        try:
            compacted = await self.compacted()
            planned = self._planned.probes if self._planned else {}
            probes = {probe.id: probe for probe in self.case.probes}
            try:
                await asyncio.gather(
                    *(
                        self._answer_and_judge(probes[id], judged)
                        for id, (_, judged) in planned.items()
                    ),
                    return_exceptions=True,
                )
            finally:
                compacted.feeder.close()
        finally:
            self.begun.set()

    async def _answer_and_judge(self, probe: Probe, judged: bool) -> None:
        response = await self.response(probe)
        if judged:
            await self.replies(response)

    async def _compact(self) -> CompactedCase:
        method, case, arm = self._method, self.case, self.arm
        tokens = method.roles.tokens
        method.counts.tell(case, arm)
        turn = method.work.limit.at(self._rank, self.begun)
        model = method.work.metered(method.roles.compaction.at_trial(arm.trial), turn, arm.trial)
        context = Context(case.window, case.budget, tokens, model)
        compactor = method.create(arm.compactor)
        feeder = CaseFeeder(
            case,
            compactor,
            context,
            method.trigger,
            method.settings.timeout,
            method.work.function_loops,
            arm.budgets_in(case, tokens),
            model.waited,
        )
        try:
            fed = await feeder.feed()
        except BaseException:
            feeder.close()
            raise
        compared = arm.compactor != CONTROL and not getattr(compactor.traits, "null", False)
        return CompactedCase(
            case, arm, fed, model.usage, model.error, feeder, model, compared, model.own
        )

    async def _response_or_spent(self, probe: Probe) -> Response:
        """The response. An error carries what compaction and view had used by then."""
        compacted = await self.compacted()
        asking = compacted.model.apart()
        try:
            return await self._response(compacted, probe, asking)
        except ChargedError as error:
            error.spent["compaction"], error.own = compacted.usage, compacted.own
            error.spent["view"] = asking.usage
            raise

    async def _response(
        self, compacted: CompactedCase, probe: Probe, asking: MeteredModel
    ) -> Response:
        tokens = self._method.roles.tokens
        view = await compacted.view(probe.point, probe.question, asking)
        earlier = await compacted.earlier(probe, asking)
        failure = compacted.failure(probe.point)
        answer: str | Callable[[Response], str] = ""
        reply = AnswerReply("")
        reminded: Reminded | None = None
        self._responder.check(view.parameters)
        read = seen(View(view.messages), None, tokens)
        if failure is None and (self._method.roles.answers or probe.choice is not None):
            reply, reminded = await self._answers(probe, view)
            answer, read = reply.text, seen(view, reply.applied, tokens)
            failure = read.problem
        elif failure is None:
            answer = self._method.roles.composed
        return Response(
            answer=answer,
            probe=probe,
            case=self.case,
            arm=self.arm,
            log_tokens=compacted.fed.points[probe.point].log_tokens,
            view_tokens=read.tokens,
            budget=compacted.feeder.budgets[probe.point],
            figures=self._method.reader.figures(
                compacted, probe, view, read, failure is None, earlier
            ),
            usage=reply.usage,
            compaction_usage=compacted.usage,
            own_calls=compacted.own,
            view_usage=asking.usage,
            view_own_calls=asking.own,
            latency_s=reply.latency_s,
            steps=compacted.fed.steps,
            failure=failure,
            leads=self._method.roles.leads,
            reminded=reminded,
            view=read.messages,
        )

    async def _answers(self, probe: Probe, view: View) -> tuple[AnswerReply, Reminded | None]:
        """The answer, and for a forced choice also the one with its constraint before it."""
        turn = self._method.work.limit.at(self._rank_of(probe.id), self.begun)
        if probe.choice is not None:
            forced = ForcedChoice(self._responder, turn, self._method.roles.leads == "view")
            reminds = self._method.reminds and self.arm.compactor != CONTROL
            return await forced.replies(view, probe, probe.choice, reminds)
        with requests_in(turn):
            reply = await self._responder.answer(
                view.messages, probe.question, probe.answer, view.parameters, probe.kind
            )
        return reply, None

    async def _replies(self, response: Response) -> list[JudgeReply]:
        judge = self._judge(response.probe.id)
        return await judge.replies(response.case, response.probe, response.text)

    def _judge(self, probe: str) -> PanelJudge:
        """Who judges the answers to a probe."""
        method = self._method
        judges = [
            ModelJudge(model.at_trial(self.arm.trial + OPINION_STEP * (opinion - 1)), opinion)
            for model in method.roles.judges
            for opinion in range(1, method.opinions(model) + 1)
        ]
        turn = method.work.limit.at(self._rank_of(probe), self.begun)
        return PanelJudge(
            judges,
            method.settings.pass_score,
            turn,
            method.settings.long_memory.published_rounding,
        )


def _characters_of(case: Case) -> int:
    """The characters of what was said in a log, and of what tools returned."""
    parts = (part for message in case.messages for part in message.parts)
    return sum(len(part.text) for part in parts if isinstance(part, Text | ToolResult))
