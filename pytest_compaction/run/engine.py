"""The way of a case: compaction, responses, verdicts; each is made once, ahead of its items.

The first item of a case starts its compaction, and then the answers to all probes that
the session selected; an item only waits for its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from pytest_compaction.case.case import Case, Probe
from pytest_compaction.compactors.protocol import Compactor, Context, State, View
from pytest_compaction.conversation.chat_format import to_chat
from pytest_compaction.conversation.messages import Message, canonical_json, short_hash
from pytest_compaction.judges.model_judge import ModelJudge
from pytest_compaction.judges.panel import PanelJudge
from pytest_compaction.judges.verdict import Verdict, unscored_verdict
from pytest_compaction.metrics.constraints import standing_constraints
from pytest_compaction.metrics.survival import read as read_facts
from pytest_compaction.metrics.survival import view_index
from pytest_compaction.models.offline import model as offline
from pytest_compaction.models.protocol import AnswerReply, ChargedError, Model
from pytest_compaction.run.case_feeder import CaseFeeder
from pytest_compaction.run.compaction import CompactedCase, Compaction
from pytest_compaction.run.forced_choice import ForcedChoice
from pytest_compaction.run.null_views import NullViews
from pytest_compaction.run.responder import Responder
from pytest_compaction.run.response import Arm, NullReading, Reminded, Response, Roles
from pytest_compaction.run.server_context import seen
from pytest_compaction.run.triggers import Trigger
from pytest_compaction.run.work_loop import WorkLoop
from pytest_compaction.settings import CONTROL

OPINION_STEP: Final = 1000
"""Added to the trial for each further judgement; more than there are trials, so that no trial
shares its judgements with another one."""


class Engine:
    """Runs cases: one compaction for each case, strategy and trial; one answer for each probe.

    ``create`` makes the strategy of a name. A response passes from ``pass_score`` on;
    each call into a strategy may take ``timeout`` seconds. ``compares_nulls`` says whether
    the nulls are run beside each strategy, and ``reminds`` whether forced choices are also
    put with their constraint before them, which makes sense beside a control. Each judge
    judges a response ``judgements`` times.
    """

    def __init__(
        self,
        roles: Roles,
        create: Callable[[str], Compactor[State]],
        trigger: Trigger,
        pass_score: float,
        timeout: float,
        work: WorkLoop,
        compares_nulls: bool = True,
        reminds: bool = False,
        judgements: int = 1,
    ) -> None:
        self._roles = roles
        self._judgements = judgements
        self._create = create
        self._trigger = trigger
        self._timeout = timeout
        self._pass_score = pass_score
        self._work = work
        self._selected: Mapping[tuple[str, Arm], Sequence[tuple[Probe, bool]]] = {}
        self._nulls = NullViews(roles) if compares_nulls else None
        self._reminds = reminds
        self._askers: dict[int, tuple[Responder, PanelJudge]] = {}

    def select(self, selected: Mapping[tuple[str, Arm], Sequence[tuple[Probe, bool]]]) -> None:
        """Tell which probes of which case will be asked, and which answers will be judged."""
        self._selected = selected

    def compaction(self, case: Case, arm: Arm) -> Compaction:
        """The compaction of a case; made once, then shared. Blocks."""
        key = ("compaction", case.id, arm)
        made = self._work.wait(self._work.once(key, lambda: self._compact(case, arm)))
        return Compaction(
            case,
            arm,
            made.fed.steps,
            made.usage,
            partial(self._messages, made),
            partial(self._response, made),
        )

    def verdict(self, response: Response) -> Verdict:
        """The verdict on a response; made once. Blocks."""
        return self._work.wait(self._verdict_once(response))

    def _messages(self, compacted: CompactedCase, point: int) -> tuple[Message, ...]:
        return self._work.wait(compacted.view(point)).messages

    def _response(self, compacted: CompactedCase, probe: Probe) -> Response:
        return self._work.wait(self._answer_once(compacted, probe))

    def _at_trial(self, trial: int) -> tuple[Responder, PanelJudge]:
        """Who answers and who judges in a trial."""
        if trial not in self._askers:
            roles = self._roles
            judges = [
                ModelJudge(model.at_trial(trial + OPINION_STEP * (opinion - 1)), opinion)
                for model in roles.judges
                for opinion in range(1, self._opinions(model) + 1)
            ]
            self._askers[trial] = (
                Responder(roles.responder.at_trial(trial), roles.tokens),
                PanelJudge(judges, self._pass_score, self._work.limit),
            )
        return self._askers[trial]

    def _opinions(self, judge: Model) -> int:
        """How often a judge is asked; rules always say the same."""
        return 1 if judge.name == offline.NAME else self._judgements

    async def _compact(self, case: Case, arm: Arm) -> CompactedCase:
        model = self._work.metered(self._roles.compaction.at_trial(arm.trial))
        context = Context(case.window, case.budget, self._roles.tokens, model)
        budgets = arm.budgets_in(case, self._roles.tokens)
        compactor = self._create(arm.compactor)
        feeder = CaseFeeder(
            case,
            compactor,
            context,
            self._trigger,
            self._timeout,
            self._work.function_loops,
            budgets,
        )
        try:
            fed = await feeder.feed()
        except BaseException:
            feeder.close()
            raise
        compared = arm.compactor != CONTROL and not getattr(compactor.traits, "null", False)
        compacted = CompactedCase(case, arm, fed, model.usage, model.error, feeder, compared)
        self._work.begin(("ahead", case.id, arm), lambda: self._work_ahead(compacted))
        return compacted

    async def _work_ahead(self, compacted: CompactedCase) -> None:
        """Answer and judge what was selected; then the strategy's thread may end.

        An error is raised again where an item asks for the same.
        """
        selected = self._selected.get((compacted.case.id, compacted.arm), ())
        try:
            await asyncio.gather(
                *(self._answer_and_judge(compacted, *each) for each in selected),
                return_exceptions=True,
            )
        finally:
            compacted.feeder.close()

    async def _answer_and_judge(self, compacted: CompactedCase, probe: Probe, judged: bool) -> None:
        response = await self._answer_once(compacted, probe)
        if judged:
            await self._verdict_once(response)

    async def _answer_once(self, compacted: CompactedCase, probe: Probe) -> Response:
        key = ("answer", compacted.case.id, compacted.arm, probe.id)
        return await self._work.once(key, lambda: self._answer_or_spent(compacted, probe))

    async def _verdict_once(self, response: Response) -> Verdict:
        key = ("verdict", response.case.id, response.arm, response.probe.id, response.text)
        return await self._work.once(key, lambda: self._verdict(response))

    async def _answer_or_spent(self, compacted: CompactedCase, probe: Probe) -> Response:
        """The answer. An error carries what the compaction had used by then."""
        try:
            return await self._answer(compacted, probe)
        except ChargedError as error:
            error.spent["compaction"] = compacted.usage
            raise

    async def _answer(self, compacted: CompactedCase, probe: Probe) -> Response:
        view = await compacted.view(probe.point, probe.question)
        failure = compacted.failure(probe.point)
        reply = AnswerReply("")
        reminded: Reminded | None = None
        responder, _ = self._at_trial(compacted.arm.trial)
        responder.check(view.parameters)
        read = seen(View(view.messages), None, self._roles.tokens)
        if failure is None:
            reply, reminded = await self._replies(compacted, probe, view, responder)
            read = seen(view, reply.applied, self._roles.tokens)
            failure = read.problem
        nulls: tuple[NullReading, ...] = ()
        if self._nulls is not None and compacted.compared and failure is None:
            earlier = (point.view_tokens for point in compacted.fed.points[: probe.point])
            nulls = await self._nulls.readings(compacted.case, probe, (*earlier, read.tokens))
        index = view_index(read.messages)
        standing = standing_constraints(compacted.case, probe.point)
        held = read_facts(standing, (), index).stated
        question = probe.choice.asked(probe.question) if probe.choice else probe.question
        asked = [to_chat(view.messages), question]
        prompt = canonical_json([*asked, view.parameters] if view.parameters else asked)
        return Response(
            text=reply.text,
            probe=probe,
            case=compacted.case,
            arm=compacted.arm,
            log_tokens=compacted.fed.points[probe.point].log_tokens,
            view_tokens=read.tokens,
            budget=compacted.feeder.budgets[probe.point],
            reading=read_facts(probe.facts, probe.traps, index),
            prompt_hash=short_hash(prompt),
            usage=reply.usage,
            compaction_usage=compacted.usage,
            latency_s=reply.latency_s,
            steps=compacted.fed.steps,
            failure=failure,
            leads=self._roles.leads,
            nulls=nulls,
            constraints=tuple(zip((fact.text for fact in standing), held, strict=True)),
            reminded=reminded,
        )

    async def _replies(
        self, compacted: CompactedCase, probe: Probe, view: View, responder: Responder
    ) -> tuple[AnswerReply, Reminded | None]:
        """The answer, and for a forced choice also the one with its constraint before it."""
        if probe.choice is not None:
            forced = ForcedChoice(responder, self._work.limit, self._roles.leads == "view")
            reminds = self._reminds and compacted.arm.compactor != CONTROL
            return await forced.replies(view, probe, probe.choice, reminds)
        async with self._work.limit:
            reply = await responder.answer(
                view.messages, probe.question, probe.answer, view.parameters
            )
        return reply, None

    async def _verdict(self, response: Response) -> Verdict:
        if response.failure is not None:
            return unscored_verdict(
                response.failure, response.probe, response.reading, self._pass_score
            )
        _, judge = self._at_trial(response.arm.trial)
        return await judge.verdict(
            response.case, response.probe, response.text, response.reading, response.leads
        )
