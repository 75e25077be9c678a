"""The replay of a dialogue: two arms answer the same user turns with the same model.

The baseline arm answers from the full history, the summary arm from what a strategy kept of it; a
difference comes from the compaction, or from the model's own noise.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from pytest_compaction.case import AnswerSpec
from pytest_compaction.compactors import Compactor, CompactorError, Context, State
from pytest_compaction.conversation import (
    MESSAGE_TOKENS,
    Message,
    TokenCounter,
    canonical_json,
    short_hash,
    text_message,
)
from pytest_compaction.conversation.formats.chat import to_chat
from pytest_compaction.dialogues.charges import (
    BASELINE,
    Spent,
    answering,
    stopped,
    summed,
    together,
)
from pytest_compaction.dialogues.dialogue import (
    BothArms,
    Dialogue,
    Trial,
    TrialMatch,
    TurnReply,
    UserTurn,
)
from pytest_compaction.dialogues.history import (
    CompactedHistory,
    FullHistory,
    TurnOverBudget,
    exchange,
    tool_steps,
)
from pytest_compaction.dialogues.measures import (
    PASS_CONSISTENCY,
    dialogue_consistency,
    lexical_similarity,
    retention_by_judge,
    retention_by_rules,
    turn_consistency,
)
from pytest_compaction.dialogues.replayed import History, Replayed
from pytest_compaction.dialogues.similarity import TurnJudge
from pytest_compaction.models import (
    OFFLINE,
    AnswerReply,
    ChargedError,
    Model,
    ModelError,
    OwnCalls,
    RequestSlot,
    Usage,
    requests_in,
)
from pytest_compaction.run import (
    CheckedStrategy,
    CompactionError,
    Feeder,
    Responder,
    Roles,
    Step,
    Trigger,
    WorkLoop,
)


def agreement(
    baseline: Trial,
    summary: Trial,
    similarities: Sequence[float] | None = None,
    retentions: Sequence[float] | None = None,
) -> TrialMatch:
    """Consistency and retention of one trial of the summary arm against one of the baseline.

    ``similarities`` and ``retentions`` are a judge's figures for each common turn; without them,
    words are compared by rule. Tool calls count if either arm made any itself.
    """
    pairs = list(zip(baseline.replies, summary.replies, strict=False))
    if similarities is None:
        similarities = [lexical_similarity(one.text, other.text) for one, other in pairs]
    with_tools = any(reply.calls for trial in (baseline, summary) for reply in trial.replies)
    turns = tuple(
        turn_consistency(value, one.calls == other.calls if with_tools else None)
        for value, (one, other) in zip(similarities, pairs, strict=True)
    )
    consistency = dialogue_consistency(turns, len(baseline.replies), len(summary.replies))
    if retentions is not None:
        missing = [0.0] * (len(baseline.replies) - len(pairs))
        return TrialMatch(
            consistency,
            retention_by_judge(retentions, len(baseline.replies)),
            turns,
            (*retentions, *missing),
        )
    found = retention_by_rules(
        [reply.text for reply in baseline.replies], [reply.text for reply in summary.replies]
    )
    return TrialMatch(consistency, found.rate, turns, found.turns, found.kept, found.extracted)


MAX_ANSWER_TOKENS: Final = 2048
"""The most tokens that a real model may answer to a user turn."""
_EXTRACT_TOKENS: Final = (32, 400)
"""The offline model's answer is about as long as the recorded one, within these tokens."""


@dataclass(frozen=True, slots=True)
class TurnResponder:
    """A model that answers user turns for both arms; ``history`` says whose answers are read."""

    model: Model
    tokens: TokenCounter
    turn: RequestSlot
    history: History

    async def answer_all(
        self,
        dialogue: Dialogue,
        number: int,
        history: FullHistory | CompactedHistory,
        replies: list[TurnReply],
    ) -> None:
        """Answer all user turns of one arm, each from the history so far, into ``replies``.

        Recorded tool calls and results of a turn are read with it, in both arms and uncompacted.
        """
        responder = Responder(self.model.at_trial(number), self.tokens)
        log: list[Message] = []
        if dialogue.system.strip():
            log.append(text_message("system", "system", dialogue.system))
        for place, turn in enumerate(dialogue.turns, start=1):
            view = await history.view(log, turn.user)
            read = (*view, *tool_steps(place, turn))
            answer = await self._answer(responder, read, turn)
            replies.append(self._reply(answer, read, turn, tuple(view) != tuple(log)))
            entered = turn.reference if self.history == "recorded" else answer.text
            log.extend(exchange(place, turn, entered))

    async def _answer(
        self, responder: Responder, view: tuple[Message, ...], turn: UserTurn
    ) -> AnswerReply:
        spec = AnswerSpec(max_tokens=MAX_ANSWER_TOKENS)
        if responder.model.name == OFFLINE:
            low, high = _EXTRACT_TOKENS
            spec = AnswerSpec(max_tokens=min(max(self.tokens.text(turn.reference), low), high))
        with requests_in(self.turn):
            reply = await responder.answer(view, turn.user, spec)
        if not reply.by_rules:
            return reply
        # In an estimate of costs histories grow as they did on record. The hash keeps answers
        # from different views different.
        text = f"{turn.reference} [{short_hash(canonical_json(to_chat(view)))}]"
        return replace(reply, text=text)

    def _reply(
        self, answer: AnswerReply, view: Sequence[Message], turn: UserTurn, summarised: bool
    ) -> TurnReply:
        """The reply with its tokens: those that the endpoint charged, or else counted here.

        It has no tool calls: the recorded ones are the same in both arms.
        """
        usage = answer.usage
        if self.model.name == OFFLINE or not usage.input_tokens:
            entered = turn.reference if self.history == "recorded" else answer.text
            prompt = self.tokens.messages(view) + MESSAGE_TOKENS + self.tokens.text(turn.user)
            usage = Usage(1, prompt, 0, self.tokens.text(entered))
        return TurnReply(
            text=answer.text.encode("utf-8", "replace").decode("utf-8"),
            prompt_tokens=usage.input_tokens,
            completion_tokens=usage.output_tokens,
            summarised=summarised,
            cached_tokens=usage.cached_tokens,
        )


DEFAULT_TRIGGER: Final = Trigger("turns", 2)
"""Used for ``case``, as a dialogue has no compaction points; that of the published evaluation."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How dialogues are replayed: ``budget`` is the share of the history that a view may take."""

    trigger: Trigger
    history: History
    trials: int
    window: int
    budget: float
    timeout: float
    pass_at: float = PASS_CONSISTENCY


@dataclass(frozen=True, slots=True)
class _Arm:
    """One trial of an arm; ``steps``, ``failure`` and ``over`` are those of its compactions."""

    trial: Trial
    spent: Spent
    own: OwnCalls = OwnCalls()
    steps: tuple[Step, ...] = ()
    failure: str | None = None
    over: tuple[TurnOverBudget, ...] = ()


@dataclass(frozen=True, slots=True)
class _Pass:
    """One trial of both arms, compared; ``judging`` is the usage of each judge."""

    baseline: _Arm
    compacted: _Arm
    agreement: TrialMatch
    judging: tuple[Usage, ...]
    spent: Spent
    own: OwnCalls


def history_mode(asked: str, responder: str) -> History:
    """``own`` or ``recorded``; ``auto`` is ``recorded`` for rules, which only extract sentences."""
    if asked == "own" or (asked == "auto" and responder != OFFLINE):
        return "own"
    return "recorded"


def trigger_for_dialogues(trigger: Trigger) -> Trigger:
    return DEFAULT_TRIGGER if trigger.kind == "case" else trigger


class Replayer:
    def __init__(
        self,
        roles: Roles,
        create: Callable[[str], Compactor[State]],
        rules: Rules,
        work: WorkLoop,
    ) -> None:
        self._compaction = roles.compaction
        self._responder = TurnResponder(
            roles.responder, roles.tokens, work.limit.at(0), rules.history
        )
        self._judges = tuple(judge for judge in roles.judges if judge.name != OFFLINE)
        self._tokens = roles.tokens
        self._create = create
        self._rules = rules
        self._work = work
        self._order: Sequence[tuple[Dialogue, str]] = ()
        self._place: Mapping[tuple[str, str], int] = {}
        self._ahead = 0

    def expect(self, order: Sequence[tuple[Dialogue, str]], ahead: int) -> None:
        self._order = order
        self._place = {(dialogue.id, name): n for n, (dialogue, name) in enumerate(order)}
        self._ahead = ahead

    def replayed(self, dialogue: Dialogue, compactor: str) -> Replayed:
        """Both arms in every trial, compared; made once for a dialogue and strategy. Blocks.

        Raises :class:`CompactionError` or :class:`ModelError`.
        """
        return self._work.wait(self._replayed(dialogue, compactor))

    async def _replayed(self, dialogue: Dialogue, compactor: str) -> Replayed:
        place = self._place.get((dialogue.id, compactor))
        if place is not None:
            for other, name in self._order[place + 1 : place + 1 + self._ahead]:
                self._work.begin(_key(other, name), partial(self._replay, other, name))
        return await self._work.once(
            _key(dialogue, compactor), partial(self._replay, dialogue, compactor)
        )

    async def _replay(self, dialogue: Dialogue, compactor: str) -> Replayed:
        numbers = range(1, self._rules.trials + 1)
        passes = await together(*(self._pass(dialogue, compactor, n) for n in numbers))
        judging = zip(*(one.judging for one in passes), strict=True)
        steps = [step for one in passes for step in one.compacted.steps]
        comparison = BothArms(
            dialogue_id=dialogue.id,
            task=dialogue.task,
            turns=len(dialogue.turns),
            baseline=tuple(one.baseline.trial for one in passes),
            summary=tuple(one.compacted.trial for one in passes),
            agreements=tuple(one.agreement for one in passes),
            method="model" if self._judges else "lexical",
        )
        return Replayed(
            dialogue=dialogue,
            compactor=compactor,
            history=self._rules.history,
            comparison=comparison,
            pass_at=self._rules.pass_at,
            steps=dict(sorted(Counter(step.status for step in steps).items())),
            errors=tuple(sorted({step.error for step in steps if step.error})),
            over=tuple(one.compacted.over for one in passes),
            usage=summed(one.spent for one in passes),
            own=sum((one.own for one in passes), OwnCalls()),
            judging=tuple(
                (judge.name, sum(used, Usage()))
                for judge, used in zip(self._judges, judging, strict=True)
            ),
        )

    async def _pass(self, dialogue: Dialogue, compactor: str, number: int) -> _Pass:
        key = ("baseline", dialogue.id, number)
        baseline, compacted = await together(
            self._work.once(key, lambda: self._baseline(dialogue, number)),
            self._compacted(dialogue, compactor, number),
        )
        arms, own = (baseline.spent, compacted.spent), compacted.own
        judging = (Usage(),) * len(self._judges)
        agreed = TrialMatch(None, None, unscored=compacted.failure or "")
        if compacted.failure is None:
            try:
                agreed, judging = await self._agreement(
                    dialogue, baseline.trial, compacted.trial, number
                )
            except ChargedError as error:
                raise stopped(error, *arms, error.spent, own=own) from error
        spent = summed([*arms, {"judge": sum(judging, Usage())}])
        return _Pass(baseline, compacted, agreed, judging, spent, own)

    async def _agreement(
        self, dialogue: Dialogue, baseline: Trial, summary: Trial, number: int
    ) -> tuple[TrialMatch, tuple[Usage, ...]]:
        if not self._judges:
            return agreement(baseline, summary), ()
        limit = self._work.limit.at(0)
        judges = [TurnJudge(judge.at_trial(number), limit) for judge in self._judges]
        judged = await together(
            *(judge.judge(dialogue.turns, baseline, summary) for judge in judges)
        )
        usage = tuple(one.spent["judge"] for one in judged)
        unscored = next((one.unscored for one in judged if one.unscored), "")
        if unscored:
            return TrialMatch(None, None, unscored=unscored), usage
        similarities = _means([one.similarities for one in judged])
        retentions = _means([one.retentions for one in judged])
        return agreement(baseline, summary, similarities, retentions), usage

    async def _baseline(self, dialogue: Dialogue, number: int) -> _Arm:
        replies: list[TurnReply] = []
        try:
            await self._responder.answer_all(dialogue, number, FullHistory(), replies)
        except ModelError as error:
            answered = {BASELINE: answering(replies) + error.spent.get("responder", Usage())}
            raise stopped(error, answered) from error
        return _Arm(Trial(tuple(replies)), {BASELINE: answering(replies)})

    async def _compacted(self, dialogue: Dialogue, compactor: str, number: int) -> _Arm:
        """The arm under test. ``failure`` is set if the model failed, not the strategy."""
        rules = self._rules
        model = self._work.metered(self._compaction, self._work.limit.at(0), number)
        context = Context(rules.window, 0, self._tokens, model)
        strategy = CheckedStrategy(self._create(compactor), rules.timeout, self._work.function_loop)
        feeder = Feeder(strategy, rules.trigger)
        history = CompactedHistory(feeder, context, rules.budget, lambda: model.unasked)
        replies: list[TurnReply] = []
        ended: ChargedError | None = None
        lost = Usage()
        try:
            await self._responder.answer_all(dialogue, number, history, replies)
        except CompactorError as error:
            ended = model.error or CompactionError(f"{error} (dialogue {dialogue.id})")
        except ModelError as error:
            ended, lost = error, error.spent.get("responder", Usage())
        finally:
            strategy.close()
        if model.unasked is not None:
            ended = model.unasked
        charge = {"compaction": model.usage, "responder": answering(replies) + lost}
        if ended is not None:
            raise stopped(ended, charge, own=model.own) from ended
        spent = model.usage.input_tokens + model.usage.output_tokens
        return _Arm(
            Trial(tuple(replies), spent, model.usage.calls),
            charge,
            model.own,
            tuple(history.steps),
            history.failure if model.error is not None else None,
            tuple(history.over),
        )


def _key(dialogue: Dialogue, compactor: str) -> tuple[str, str, str]:
    return ("dialogue", dialogue.id, compactor)


def _means(values: Sequence[Sequence[float]]) -> list[float]:
    return [math.fsum(turn) / len(turn) for turn in zip(*values, strict=True)]
