"""The engine of a run: it plans, compacts each case once, asks its probes and has answers judged.

Items ask it one after the other, in pytest's thread; on one loop it works ahead of them, in their
order. Everything is made once and shared by those who ask for it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, Protocol

from pytest_compaction.cache import Form, KeptResults
from pytest_compaction.case import Case, Probe
from pytest_compaction.compactors import (
    Compactor,
    Context,
    State,
    View,
    Window,
    without_archive,
)
from pytest_compaction.conversation import Message, Text, TokenCounter, ToolResult, identity
from pytest_compaction.conversation.formats.requests import ENCRYPTED, encrypted_in
from pytest_compaction.judges import (
    NEXT_ONLY,
    ModelJudge,
    PanelJudge,
    Verdict,
    unscored_verdict,
    view_verdict,
)
from pytest_compaction.models import (
    OFFLINE,
    AnswerReply,
    ChargedError,
    JudgeReply,
    NotAskedError,
    Place,
    Usage,
    claim_line,
    requests_in,
)
from pytest_compaction.run.feeder import CaseFeeder, Step
from pytest_compaction.run.figures.model_reader import Said, claims_of, said_of
from pytest_compaction.run.figures.shipped_nulls import Nulls
from pytest_compaction.run.figures.view_figures import AskedOfView, Earlier, ViewReader
from pytest_compaction.run.loop import MeteredModel, OnceTasks, Turn, WorkLoop
from pytest_compaction.run.next_actions import NO_CALL, NextAction, asked_next, next_call
from pytest_compaction.run.responder import ForcedChoice, Reminded, Responder, seen
from pytest_compaction.run.response import Arm, Compaction, Response, Roles, Search
from pytest_compaction.run.triggers import Trigger
from pytest_compaction.settings import CONTROL, RECORDED, Settings

if TYPE_CHECKING:
    from pytest_compaction.run.figures.null_views import NullViews

OPINION_STEP: Final = 1000
"""Added to the trial for each further judgement; more than there are trials, so that no trial
shares its judgements with another one."""
_AHEAD: Final = 2
"""Cases that are open at most; as a multiple of the requests that may fly, if any may."""
_BEFORE_ANSWERS: Final = 1_000_000_000
"""More than there are items."""
OPEN: Final = 32
"""The least number of cases that may be open while requests fly, so that requests need not wait
for the figures of earlier items."""
OPEN_CHARACTERS: Final = 20_000_000
"""While requests may fly, further cases are opened as long as the logs of all open ones have
fewer characters: what bounds the memory is not how many they are but how long."""

Key = tuple[str, Arm]


@dataclass(frozen=True, slots=True)
class PlannedProbe:
    """A probe that an item will ask of a case; ``judged`` if it will have the response judged.

    ``ahead`` tells that it may be asked before the item runs: that the item is sure to run.
    """

    case: str
    arm: Arm
    probe: str
    judged: bool = True
    ahead: bool = True


@dataclass(slots=True)
class PlannedCase:
    """All that is asked of one case in one arm; ``rank`` is the place of its first item."""

    rank: int = 0
    probes: dict[str, tuple[int, bool]] = field(default_factory=dict)
    open: int = 0


_COUNTS: Final[Form[dict[str, int]]] = Form(dict, dict, is_text=False)


@dataclass(frozen=True)
class Method:
    """Settings and services that all cases of a run share."""

    roles: Roles
    create: Callable[[str], Compactor[State]]
    trigger: Trigger
    settings: Settings
    work: WorkLoop
    nulls: Nulls = "shipped"
    kept: KeptResults = field(default_factory=KeptResults)

    @cached_property
    def reader(self) -> ViewReader:
        rubric = self.settings.rubric
        return ViewReader(self.roles, self.nulls, self.work.give_way, self.kept, rubric)

    @cached_property
    def counts(self) -> TokenCounts:
        return TokenCounts(self.roles.tokens, self.kept)

    def judge(self, arm: Arm, turn: Turn) -> PanelJudge:
        """Who judges answers in an arm. Rules always say the same, so they are asked once."""
        settings = self.settings
        judges = [
            ModelJudge(model.at_trial(arm.trial + OPINION_STEP * (opinion - 1)), opinion)
            for model in self.roles.judges
            for opinion in range(1, 2 if model.name == OFFLINE else settings.judgements + 1)
        ]
        rounding = settings.long_memory.published_rounding
        return PanelJudge(judges, settings.pass_score, turn, rounding, settings.rubric)


class TokenCounts:
    """Tells a counter the tokens that it counted for a case in earlier runs, which changes none.

    Most texts of a view stand in the log, or come from the strategy as in the last run. What is
    counted beside is kept when the work on a case ends, for other open cases too.
    """

    def __init__(self, tokens: TokenCounter, kept: KeptResults) -> None:
        self._tokens = tokens
        self._kept = kept
        self._pending: dict[str, int] = {}

    def tell(self, case: Case, arm: Arm) -> None:
        if not self._kept.keeps or not case.digest:  # a case made in code has no digest
            return
        of_case = self._kept.find(self._about(case), _COUNTS)
        if of_case is None:
            self._tokens.tell({})  # from now on it collects
            self._pending |= self._tokens.take_fresh()
            for messages in (case.messages, *(point.recorded for point in case.points)):
                self._tokens.messages(messages)
            of_case = self._tokens.take_fresh()
            self._kept.keep(self._about(case), _COUNTS, of_case)
        for counts in (of_case, self._kept.find(self._about(case, arm), _COUNTS)):
            self._tokens.tell(counts or {})

    def keep(self, case: Case, arm: Arm) -> None:
        if not self._kept.keeps or not case.digest:
            return
        fresh, self._pending = self._pending | self._tokens.take_fresh(), {}
        if fresh:
            about = self._about(case, arm)
            self._kept.keep(about, _COUNTS, (self._kept.find(about, _COUNTS) or {}) | fresh)

    def _about(self, case: Case, arm: Arm | None = None) -> str:
        return f"tokens {self._tokens.name} {case.digest} {arm}"


class CaseWork(OnceTasks):
    """The work on one case in one arm, for the coroutines of one loop.

    All results have a key under which they are made once, or found by who does the work elsewhere.
    ``begun`` is set once a model is to be asked, or all is made.
    """

    def __init__(self, case: Case, arm: Arm, method: Method, planned: PlannedCase | None) -> None:
        super().__init__()
        self.case = case
        self.arm = arm
        self.begun = asyncio.Event()
        parts = (part for message in case.messages for part in message.parts)
        said = (part.text for part in parts if isinstance(part, Text | ToolResult))
        self.characters = sum(map(len, said))
        self._method = method
        self._planned = planned or PlannedCase()
        self._model = method.work.metered(
            method.roles.compaction_of(arm.compactor), self._turn(), arm.trial
        )

    def run_ahead(self) -> asyncio.Task[None]:
        """Make all that was planned. An error is raised where an item asks for the same."""
        return self.begin("ahead", self._run_ahead)

    async def compacted(self) -> CaseFeeder:
        return await self.once("compaction", self._compact)

    async def made(self) -> tuple[tuple[Step, ...], Usage]:

        async def made() -> tuple[tuple[Step, ...], Usage]:
            return (await self.compacted()).steps, self._model.usage

        return await self.once(("made",), made)

    async def messages(self, point: int) -> tuple[Message, ...]:

        async def view() -> tuple[Message, ...]:
            return (await (await self.compacted()).view(point)).messages

        return await self.once(("view", point), view)

    async def response(self, probe: Probe) -> Response:
        return await self.once(("response", probe.id), lambda: self._response(probe))

    async def replies(self, response: Response) -> list[JudgeReply]:
        """The replies of the judges to a response; none if there is nothing to judge."""
        probe = response.probe
        if response.failure is not None or not (self._method.roles.answers and probe.question):
            return []
        judge = self._method.judge(self.arm, self._turn(probe.id))
        return await self.once(
            ("replies", probe.id, response.text),
            lambda: judge.replies(response.case, probe, response.text),
        )

    def verdict(self, response: Response, replies: Sequence[JudgeReply]) -> Verdict:
        """The verdict of the judges that replied so. Reads the view, so not for the loop."""
        probe, view, pass_score = response.probe, response.reading, self._method.settings.pass_score
        if not probe.question:
            return unscored_verdict(response.failure or NEXT_ONLY, probe, view, pass_score)
        if not self._method.roles.answers:
            rubric, letter = self._method.settings.rubric, response.asked_text
            return view_verdict(probe, view, pass_score, letter, response.failure, rubric)
        if response.failure is not None:
            return unscored_verdict(response.failure, probe, view, pass_score)
        judge = self._method.judge(self.arm, self._turn(probe.id))
        return judge.verdict(replies, probe, response.text, view, response.leads)

    def close(self) -> None:
        """Forget what was made, and cancel what is under way."""
        self._method.counts.keep(self.case, self.arm)
        self.drop()

    def _turn(self, probe: str = "") -> Turn:
        """The turn of requests for a probe: that of its item.

        Those of the compaction come before all answers, because more calls wait for them.
        """
        first = (self._planned.rank - _BEFORE_ANSWERS, False)
        rank, _ = self._planned.probes.get(probe, first)
        return self._method.work.limit.at(rank, self.begun)

    async def _run_ahead(self) -> None:
        """Compact, then answer and judge what was planned; then the strategy's thread may end."""
        try:
            compacted = await self.compacted()
            probes = {probe.id: probe for probe in self.case.probes}

            async def asked(probe: Probe, judged: bool) -> None:
                response = await self.response(probe)
                if judged:
                    await self.replies(response)

            planned = self._planned.probes.items()
            try:
                await asyncio.gather(
                    *(asked(probes[id], judged) for id, (_, judged) in planned),
                    return_exceptions=True,
                )
            finally:
                compacted.close()
        finally:
            self.begun.set()

    async def _compact(self) -> CaseFeeder:
        method, case, arm = self._method, self.case, self.arm
        tokens = method.roles.tokens
        method.counts.tell(case, arm)
        if arm.budget == RECORDED:  # as many tokens as the view on record has, where there is one
            on_record = (point.recorded for point in case.points)
            budgets = [tokens.messages(view) if view else case.budget for view in on_record]
        else:
            budgets = [case.budget if arm.budget is None else arm.budget] * len(case.points)
        strategy = without_archive(arm.compactor)
        self._model.compacts_at(Place(case.id, strategy, arm.trial, str(method.trigger)))
        feeder = CaseFeeder(
            case,
            method.create(arm.compactor),
            Context(case.window, case.budget, tokens, self._model),
            method.trigger,
            method.settings.timeout,
            method.work.function_loop,
            tuple(budgets),
        )
        try:
            fed = await feeder.feed()
            cycles = method.settings.cycles
            return await fed.go_on(cycles) if cycles else fed
        except BaseException:
            feeder.close()
            raise

    async def _response(self, probe: Probe) -> Response:
        """The response. An error carries what compaction and view had used by then."""
        fed = await self.compacted()
        asking = self._model.apart()
        try:
            view = await fed.view(probe.point, probe.question or None, asking)
            earlier = await fed.earlier(probe, asking) if probe.question else (None,) * probe.point
            failure = fed.failure(probe.point)
            if (
                failure is None
                and self._method.roles.leads == "view"
                and encrypted_in(view.messages)
            ):
                failure = ENCRYPTED
            return await self._answered(fed, probe, asking, view, earlier, failure)
        except ChargedError as error:
            error.spent["compaction"], error.own = self._model.usage, self._model.own
            error.spent["view"] = asking.usage
            raise

    async def _answered(
        self,
        fed: CaseFeeder,
        probe: Probe,
        asking: MeteredModel,
        view: View,
        earlier: Earlier,
        failure: str | None,
    ) -> Response:
        method, roles = self._method, self._method.roles
        said = None
        if roles.leads == "view":
            said = await self._said(fed, probe, view.messages, failure)
            if said is not None and probe.choice is not None:
                failure = failure or said.unread(probe.facts)
        responder = Responder(roles.responder.at_trial(self.arm.trial), roles.tokens)
        responder.check(view.parameters)
        answer: str | Callable[[Response], str] = ""
        reply, reminded = AnswerReply(""), None
        read = seen(View(view.messages), None, roles.tokens)
        if failure is None and not (roles.answers or probe.choice):
            answer = roles.composed
        elif failure is None and probe.question:
            reply, reminded = await self._replied(view, probe, responder, said)
            answer, read = reply.text, seen(view, reply.applied, roles.tokens)
            failure = read.problem
        if roles.leads == "answer":
            said = await self._said(fed, probe, read.messages, failure, reply.usage)
        before = fed.points[: probe.point]
        tokens = (*(point.view_tokens for point in before), read.tokens)
        following = None
        try:
            if failure is None:
                following = await self._next_action(fed, probe, asking, responder, read.tokens)
        except ChargedError as error:
            error.after("responder", reply.usage)
            raise
        compared = self.arm.compactor != CONTROL and not fed.is_null and roles.reader is None
        compared = compared and bool(probe.question)
        unasked = fed.points[probe.point].view if fed.needs_probe else None
        asked = AskedOfView(
            *(probe, view, read.messages, tokens if compared else None, failure is None, earlier),
            unasked,
            said,
            fed.searches,
        )
        search = None
        if unasked is not None:
            plain = {message.id: message for message in unasked}
            found = [message for message in read.messages if plain.get(message.id) != message]
            search = Search(roles.tokens.messages(found), fed.searches)
        return Response(
            answer=answer,
            probe=probe,
            case=self.case,
            arm=self.arm,
            log_tokens=fed.points[probe.point].log_tokens,
            view_tokens=read.tokens,
            budget=fed.budgets[probe.point],
            figures=method.reader.figures(self.case, asked),
            usage=reply.usage + (following.usage if following else Usage()),
            compaction_usage=self._model.usage,
            own_calls=self._model.own,
            view_usage=asking.usage,
            view_own_calls=asking.own,
            latency_s=reply.latency_s,
            steps=fed.steps,
            failure=failure,
            leads=roles.leads,
            reminded=reminded,
            next_action=following,
            view=read.messages,
            search=search,
            reader_usage=said.usage if said is not None and self._pays(fed, probe) else Usage(),
        )

    async def _replied(
        self, view: View, probe: Probe, responder: Responder, said: Said | None
    ) -> tuple[AnswerReply, Reminded | None]:
        """The reply to a probe; rules take a forced choice by the facts that the view states."""
        settings, roles = self._method.settings, self._method.roles
        if probe.choice is None:
            with requests_in(self._turn(probe.id)):
                reply = await responder.answer(
                    view.messages, probe.question, probe.answer, view.parameters, probe.kind
                )
            return reply, None
        states = None if said is None else all(said.of_probe(probe).stated)
        forced = ForcedChoice(responder, self._turn(probe.id), roles.leads == "view", states)
        reminds = CONTROL in settings.arms and self.arm.compactor != CONTROL
        return await forced.replies(view, probe, probe.choice, reminds)

    async def _said(
        self,
        fed: CaseFeeder,
        probe: Probe,
        view: Sequence[Message],
        failure: str | None,
        spent: Usage = Usage(),
    ) -> Said | None:
        """What a model reads in a view, once for all probes that share it; ``None`` without one.

        ``spent`` is the usage of the answer. After a ``failure`` nothing is read.
        """
        reader = self._method.roles.reader
        if reader is None or not probe.question:
            return None
        if failure is not None:
            return Said(why=failure)
        claims = claims_of(self.case, self._sharing(fed, probe), probe.point)
        model, turn = reader.at_trial(self.arm.trial), self._turn(probe.id)
        key = f"read {identity([probe.point, *map(claim_line, claims)])} {identity(view)}"
        try:
            return await self.once(key, lambda: said_of(model, view, claims, turn))
        except NotAskedError as error:  # one for each item, of which one is charged
            own = copy(error)
            own.spent = dict(error.spent) if self._pays(fed, probe) else {}
            own.after("responder", spent)
            raise own from None

    def _sharing(self, fed: CaseFeeder, probe: Probe) -> Sequence[Probe]:
        """The probes that share a reading of a view: those at its point, unless it is another one
        for each question, or a module asks a question of its own."""
        shared = [each for each in self.case.probes if each.point == probe.point]
        return [probe] if fed.needs_probe or probe not in shared else shared

    def _pays(self, fed: CaseFeeder, probe: Probe) -> bool:
        """Whether the item of a probe is charged for the reading that it shares with others."""
        shared = [each.id for each in self._sharing(fed, probe)]
        planned = [id for id in self._planned.probes if id in shared] or shared
        return probe.id == planned[0]

    async def _next_action(
        self,
        fed: CaseFeeder,
        probe: Probe,
        asking: MeteredModel,
        responder: Responder,
        read: int,
    ) -> NextAction | None:
        """Ask for the next call from the view and, unless it is the control, tail and full log.

        It is asked for with the first probe at a point, if at all. ``read`` are the tokens of a
        view that the server edits.
        """
        first = next((each.id for each in self.case.probes if each.point == probe.point), None)
        if not self._method.settings.next_actions or first != probe.id:
            return None
        wanted = next_call(self.case, probe.point)
        if wanted is None:
            return NO_CALL
        view = await fed.view(probe.point, wanted.question("call"), asking)
        contexts: dict[str, View | None] = {"view": view}
        if self.arm.compactor != CONTROL:
            before = (each.view_tokens for each in fed.points[: probe.point])
            own = read if view.parameters else responder.tokens.messages(view.messages)
            tail = self._tails.view(Window(), self.case, (*before, own))
            contexts["tail"] = None if tail is None else View(tail)
            contexts["full"] = View(self.case.log_until(probe.point))
        return await asked_next(wanted, contexts, responder, self._turn(probe.id))

    @cached_property
    def _tails(self) -> NullViews:
        from pytest_compaction.run.figures import null_views  # only where next actions are asked

        return null_views.NullViews(self._method.roles)


class Executor(Protocol):
    """Does the work on cases in other processes, or on other machines."""

    def ahead(self) -> int:
        """How many cases may be open."""

    def work(self, case: Case, arm: Arm, method: Method, planned: PlannedCase | None) -> CaseWork:
        """The work on a case, done there."""


class Engine:
    """Runs cases: one compaction for each case, strategy and trial; one answer for each probe.

    ``case_of`` gives the case of an id, and ``forget`` lets it go when its items are done.

    While models at an endpoint are asked, further cases are begun as long as fewer requests
    fly than may; ``waits`` says that strategies ask such models too. Where rules do all the work,
    one case is begun after the other. With an ``executor`` it says how many cases are open.
    """

    def __init__(
        self,
        method: Method,
        case_of: Callable[[str], Case] | None = None,
        forget: Callable[[str], object] | None = None,
        waits: bool = False,
        executor: Executor | None = None,
    ) -> None:
        self.method = method
        self._loop = method.work
        self._executor = executor
        rules = all(model.name == OFFLINE for model in method.roles.all)
        self._one_by_one = rules and not waits and executor is None
        self._case_of = case_of
        self._forget = forget
        self._planned: dict[Key, PlannedCase] = {}
        self._unopened: dict[Key, None] = {}
        self._open_arms: Counter[str] = Counter()
        self._rank = 0
        self._works: dict[Key, CaseWork] = {}
        self._finished = asyncio.Event()
        self._ahead: asyncio.Task[None] | None = None

    def select(self, planned: Iterable[PlannedProbe]) -> None:
        for one in planned:
            self._rank += 1
            key = one.case, one.arm
            if key not in self._planned:
                self._planned[key] = PlannedCase(self._rank)
                self._open_arms[one.case] += 1
            group = self._planned[key]
            group.open += 1
            if one.ahead:
                if not group.probes:
                    self._unopened[key] = None
                rank, judged = group.probes.get(one.probe, (self._rank, False))
                group.probes[one.probe] = rank, judged or one.judged

    def compaction(self, case: Case, arm: Arm) -> Compaction:
        """The compaction of a case; made once, then shared. Blocks."""

        async def made() -> tuple[CaseWork, tuple[tuple[Step, ...], Usage]]:
            work = self._open(case, arm)
            if self._ahead is None and self._case_of is not None:
                self._ahead = asyncio.ensure_future(self._open_ahead(self._case_of))
            return work, await work.made()

        work, (steps, usage) = self._loop.wait(made())

        def messages(point: int) -> tuple[Message, ...]:
            return self._loop.wait(work.messages(point))

        def response(probe: Probe) -> Response:
            return self._loop.wait(work.response(probe))

        return Compaction(case, arm, steps, usage, messages, response)

    def verdict(self, response: Response) -> Verdict:
        """The verdict on a response; its judges are asked once. Blocks."""

        async def asked() -> tuple[CaseWork, list[JudgeReply]]:
            work = self._open(response.case, response.arm)
            return work, await work.replies(response)

        work, replies = self._loop.wait(asked())
        if not self._one_by_one:
            self._loop.give_way()
        return work.verdict(response, replies)

    def finish(self, case: str, arm: Arm) -> None:
        """Tell that an item of a case is done. After the last one its views are let go."""
        self._loop.tell(lambda: self._finish((case, arm)))

    def _open(self, case: Case, arm: Arm) -> CaseWork:
        key = (case.id, arm)
        self._unopened.pop(key, None)
        work = self._works.get(key)
        if work is None:
            begin = self._executor.work if self._executor else CaseWork
            work = self._works[key] = begin(case, arm, self.method, self._planned.get(key))
            work.run_ahead()
        return work

    async def _open_ahead(self, case_of: Callable[[str], Case]) -> None:
        """Begin one case after the other while there is room, until each asks a model or is done.

        The plan may have changed whenever time has gone by.
        """
        limit = self._loop.limit
        while self._unopened:
            tasks = [work.run_ahead() for work in self._works.values()]
            under_way = [task for task in tasks if not task.done()]
            if self._is_full:
                self._finished.clear()
                await self._finished.wait()
            elif self._one_by_one and under_way:
                await asyncio.wait(under_way)
            elif not self._one_by_one and not limit.has_room:
                await limit.room()
            else:
                key = next(iter(self._unopened))
                try:
                    case = await asyncio.to_thread(case_of, key[0])
                except Exception:
                    # The item that asks for the case raises the same, where it can be reported.
                    self._unopened.pop(key, None)
                    continue
                if key in self._planned:
                    await self._open(case, key[1]).begun.wait()

    @property
    def _is_full(self) -> bool:
        if self._executor is not None:
            return len(self._works) >= self._executor.ahead()
        if self._one_by_one:
            return len(self._works) > _AHEAD
        if len(self._works) <= max(OPEN, _AHEAD * self._loop.limit.most):
            return False
        return sum(work.characters for work in self._works.values()) >= OPEN_CHARACTERS

    def _finish(self, key: Key) -> None:
        planned = self._planned.get(key)
        if planned is None:
            return
        planned.open -= 1
        if planned.open:
            return
        del self._planned[key]
        self._unopened.pop(key, None)
        self._open_arms[key[0]] -= 1
        work = self._works.pop(key, None)
        if work is not None:
            work.close()
        if self._forget is not None and not self._open_arms[key[0]]:
            self._forget(key[0])
        self._finished.set()
