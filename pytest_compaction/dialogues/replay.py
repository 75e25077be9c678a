"""Replaying a dialogue: two arms answer the same user turns with the same model.

The baseline arm answers from the full history, the summary arm from what a
strategy left of it. Everything else is equal, so that a difference between the
answers is the compaction's, or the model's own noise.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from pytest_compaction.case import AnswerSpec
from pytest_compaction.chat_format import to_chat
from pytest_compaction.compactors.function import CompactorError
from pytest_compaction.compactors.protocol import Compactor, Context, State
from pytest_compaction.conversation import Message, canonical_json, text_message
from pytest_compaction.dialogues.agreement import agreement
from pytest_compaction.dialogues.dialogue import Agreement, Comparison, Dialogue, Reply, Trial, Turn
from pytest_compaction.dialogues.history import CompactedHistory, FullHistory, exchange
from pytest_compaction.dialogues.replayed import History, Replayed
from pytest_compaction.dialogues.similarity import TurnJudge
from pytest_compaction.engine import Engine, Roles, short_hash
from pytest_compaction.feeding import CheckedStrategy, CompactionError, Step
from pytest_compaction.metrics.consistency import PASS_CONSISTENCY
from pytest_compaction.models import offline
from pytest_compaction.models.protocol import AnswerReply, NotAskedError
from pytest_compaction.models.rehearsal import RehearsedModel
from pytest_compaction.models.usage import Usage
from pytest_compaction.responders import Responder
from pytest_compaction.tokens import MESSAGE_TOKENS
from pytest_compaction.triggers import Trigger

DEFAULT_TRIGGER: Final = Trigger("turns", 2)
"""For ``case``: a dialogue has no compaction points; the published evaluation meant this one."""
MAX_ANSWER_TOKENS: Final = 2048
"""Bound on the answer of a real model to a user turn."""
_EXTRACT_TOKENS: Final = (32, 400)
"""The offline model answers about as long as the record does, within these bounds."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How dialogues are replayed.

    ``history`` says whose answers an arm reads later: its ``own``, or those on
    record, the same in both arms. ``budget`` is the share of the history that a view
    may take, ``window`` is in tokens, ``timeout`` in seconds; a dialogue passes from
    the consistency ``pass_at`` on.
    """

    trigger: Trigger
    history: History
    trials: int
    window: int
    budget: float
    timeout: float
    pass_at: float = PASS_CONSISTENCY


@dataclass(frozen=True, slots=True)
class _Compacted:
    """One trial of the arm under test."""

    trial: Trial
    steps: tuple[Step, ...]
    usage: Usage
    failure: str | None


@dataclass(frozen=True, slots=True)
class _Pass:
    """One trial of both arms, compared."""

    baseline: Trial
    compacted: _Compacted
    agreement: Agreement
    judging: Usage = Usage()


def history_mode(asked: str, responder: str) -> History:
    """``own`` or ``recorded``; ``auto`` is ``recorded`` for the offline model, which cannot write.

    It answers with sentences of the history; with those as history, lengths would be
    no dialogue's, and a loss would be counted again at every later turn.
    """
    if asked == "own" or (asked == "auto" and responder != offline.NAME):
        return "own"
    return "recorded"


def trigger_for_dialogues(trigger: Trigger) -> Trigger:
    """The trigger as named, or :data:`DEFAULT_TRIGGER` for ``case``."""
    return DEFAULT_TRIGGER if trigger.kind == "case" else trigger


class Replayer:
    """Replays dialogues with the models of a run."""

    def __init__(
        self,
        roles: Roles,
        create: Callable[[str], Compactor[State]],
        rules: Rules,
        engine: Engine,
    ) -> None:
        self._compaction = roles.compaction
        self._responder = roles.responder
        self._judges = tuple(judge for judge in roles.judges if judge.name != offline.NAME)
        self._tokens = roles.tokens
        self._create = create
        self._rules = rules
        self._engine = engine
        self._order: Sequence[tuple[Dialogue, str]] = ()
        self._place: Mapping[tuple[str, str], int] = {}
        self._ahead = 0

    def expect(self, order: Sequence[tuple[Dialogue, str]], ahead: int) -> None:
        """Tell in which order dialogues will be asked for, and how many to begin ahead."""
        self._order = order
        self._place = {(dialogue.id, name): n for n, (dialogue, name) in enumerate(order)}
        self._ahead = ahead

    def replayed(self, dialogue: Dialogue, compactor: str) -> Replayed:
        """Both arms in every trial, compared; made once for a dialogue and strategy. Blocks.

        Raises :class:`~pytest_compaction.feeding.CompactionError` when the strategy
        breaks its contract and :class:`~pytest_compaction.models.protocol.ModelError`
        when the responder does not answer.
        """
        return self._engine.wait(self._replayed(dialogue, compactor))

    async def _replayed(self, dialogue: Dialogue, compactor: str) -> Replayed:
        place = self._place.get((dialogue.id, compactor))
        if place is not None:
            for other, name in self._order[place + 1 : place + 1 + self._ahead]:
                self._engine.begin(_key(other, name), partial(self._replay, other, name))
        return await self._engine.once(
            _key(dialogue, compactor), partial(self._replay, dialogue, compactor)
        )

    async def _replay(self, dialogue: Dialogue, compactor: str) -> Replayed:
        numbers = range(1, self._rules.trials + 1)
        passes = await asyncio.gather(*(self._pass(dialogue, compactor, n) for n in numbers))
        steps = [step for one in passes for step in one.compacted.steps]
        comparison = Comparison(
            dialogue_id=dialogue.id,
            task=dialogue.task,
            turns=len(dialogue.turns),
            baseline=tuple(one.baseline for one in passes),
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
            usage={
                "compaction": sum((one.compacted.usage for one in passes), Usage()),
                "responder": _answering(comparison),
                "judge": sum((one.judging for one in passes), Usage()),
            },
        )

    async def _pass(self, dialogue: Dialogue, compactor: str, number: int) -> _Pass:
        key = ("baseline", dialogue.id, number)
        baseline, compacted = await asyncio.gather(
            self._engine.once(key, lambda: self._answers(dialogue, number, FullHistory())),
            self._compacted(dialogue, compactor, number),
        )
        if compacted.failure is not None:
            unscored = Agreement(None, None, unscored=compacted.failure)
            return _Pass(baseline, compacted, unscored)
        agreed, judging = await self._agreement(dialogue, baseline, compacted.trial, number)
        return _Pass(baseline, compacted, agreed, judging)

    async def _agreement(
        self, dialogue: Dialogue, baseline: Trial, summary: Trial, number: int
    ) -> tuple[Agreement, Usage]:
        if not self._judges:
            return agreement(baseline, summary), Usage()
        limit = self._engine.limit
        judges = [TurnJudge(judge.at_trial(number), limit) for judge in self._judges]
        judged = await asyncio.gather(
            *(judge.judge(dialogue.turns, baseline, summary) for judge in judges)
        )
        usage = sum((one.usage for one in judged), Usage())
        unscored = next((one.unscored for one in judged if one.unscored), "")
        if unscored:
            return Agreement(None, None, unscored=unscored), usage
        similarities = _means([one.similarities for one in judged])
        retentions = _means([one.retentions for one in judged])
        return agreement(baseline, summary, similarities, retentions), usage

    async def _compacted(self, dialogue: Dialogue, compactor: str, number: int) -> _Compacted:
        """The arm under test. ``failure`` is set where the model, not the strategy, failed."""
        rules = self._rules
        model = self._engine.metered(self._compaction.at_trial(number))
        context = Context(rules.window, 0, self._tokens, model)
        strategy = CheckedStrategy(self._create(compactor), rules.timeout)
        history = CompactedHistory(strategy, context, rules.trigger, rules.budget)
        try:
            trial = await self._answers(dialogue, number, history)
        except CompactorError as error:
            if model.error is not None:
                raise model.error from error
            raise CompactionError(f"{error} (dialogue {dialogue.id})") from error
        if isinstance(model.error, NotAskedError):
            raise model.error
        spent = model.usage.input_tokens + model.usage.output_tokens
        return _Compacted(
            replace(trial, generation_tokens=spent, generation_calls=model.usage.calls),
            tuple(history.steps),
            model.usage,
            history.failure if model.error is not None else None,
        )

    async def _answers(
        self, dialogue: Dialogue, number: int, history: FullHistory | CompactedHistory
    ) -> Trial:
        """One arm's answers to all user turns, each from its history at that time."""
        responder = Responder(self._responder.at_trial(number), self._tokens)
        log: list[Message] = []
        if dialogue.system.strip():
            log.append(text_message("system", "system", dialogue.system))
        replies: list[Reply] = []
        for place, turn in enumerate(dialogue.turns, start=1):
            view = await history.view(log, turn.user)
            answer = await self._answer(responder, view, turn)
            replies.append(self._reply(answer, view, log, turn))
            entered = turn.reference if self._rules.history == "recorded" else answer.text
            log.extend(exchange(place, turn, entered))
        return Trial(tuple(replies))

    async def _answer(
        self, responder: Responder, view: tuple[Message, ...], turn: Turn
    ) -> AnswerReply:
        spec = AnswerSpec(max_tokens=MAX_ANSWER_TOKENS)
        if responder.model.name == offline.NAME:
            low, high = _EXTRACT_TOKENS
            spec = AnswerSpec(max_tokens=min(max(self._tokens.text(turn.reference), low), high))
        async with self._engine.limit:
            reply = await responder.answer(view, turn.user, spec)
        if isinstance(responder.model, RehearsedModel):
            return await self._rehearsed(reply, view, turn, spec)
        return reply

    async def _rehearsed(
        self, reply: AnswerReply, view: tuple[Message, ...], turn: Turn, spec: AnswerSpec
    ) -> AnswerReply:
        """In an estimate of costs: the answer on record where rules stood in for the model.

        Histories grow then as they did on record; answers from different views differ.
        """
        rules = Responder(offline.OfflineModel(self._tokens), self._tokens)
        if reply.text != (await rules.answer(view, turn.user, spec)).text:
            return reply
        text = f"{turn.reference} [{short_hash(canonical_json(to_chat(view)))}]"
        return replace(reply, text=text)

    def _reply(
        self, answer: AnswerReply, view: Sequence[Message], log: Sequence[Message], turn: Turn
    ) -> Reply:
        """The reply with its tokens: what the endpoint charged, or counted where nothing was.

        Counted is the answer that goes into the history. The recorded tool calls are
        those of both arms: an answer is text, it cannot call.
        """
        usage = answer.usage
        if self._responder.name == offline.NAME or not usage.input_tokens:
            entered = turn.reference if self._rules.history == "recorded" else answer.text
            prompt = self._tokens.messages(view) + MESSAGE_TOKENS + self._tokens.text(turn.user)
            usage = Usage(1, prompt, 0, self._tokens.text(entered))
        return Reply(
            text=answer.text.encode("utf-8", "replace").decode("utf-8"),
            prompt_tokens=usage.input_tokens,
            completion_tokens=usage.output_tokens,
            calls=turn.calls,
            summarised=tuple(view) != tuple(log),
        )


def _key(dialogue: Dialogue, compactor: str) -> tuple[str, str, str]:
    return ("dialogue", dialogue.id, compactor)


def _means(values: Sequence[Sequence[float]]) -> list[float]:
    """The mean of several judges for each turn."""
    return [math.fsum(turn) / len(turn) for turn in zip(*values, strict=True)]


def _answering(comparison: Comparison) -> Usage:
    """What the answers of both arms took, or would have taken."""
    replies = [
        reply
        for arm in (comparison.baseline, comparison.summary)
        for t in arm
        for reply in t.replies
    ]
    read = sum(reply.prompt_tokens for reply in replies)
    return Usage(len(replies), read, 0, sum(reply.completion_tokens for reply in replies))
