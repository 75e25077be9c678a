"""Writes a draft out with a model: user turns, assistant turns, follow-ups, then questions.

Turns are written side by side, and the pairs of a turn one after the other. A question is kept only
if the messages that it names state its nuggets. Every call goes through the caller, so that a
store before it makes an interrupted conversation go on where it was.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from pytest_compaction.case.long_memory.beam.writer import Pair
from pytest_compaction.conversation.tokens import TokenCounter
from pytest_compaction.long_conversations.assemble import (
    Conversation,
    Draft,
    conversation_of,
    tokens_of,
)
from pytest_compaction.long_conversations.by_model import prompts
from pytest_compaction.long_conversations.questions.probing import Probing, Truth
from pytest_compaction.long_conversations.truths import is_told, speaks_of, untrue
from pytest_compaction.long_conversations.wording import Turn
from pytest_compaction.models.protocol import ModelError
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call, Caller
from pytest_compaction.models.wire.reply import read_reply

REPLY_TOKENS: Final = 1500
"""Room for a message, and for the reasoning that some models spend before it."""
TRIALS: Final = 3
"""How often the user's message is asked for until it states what it has to."""
_SIDE_BY_SIDE: Final = 16
MISSED: Final = 0.02
"""The share of the length by which a conversation may miss what was asked for."""
_ROUNDS: Final = 20
"""How often turns are added until the length is right."""


@dataclass(frozen=True, slots=True)
class Written:
    """A conversation, and why questions were dropped, by question."""

    conversation: Conversation
    dropped: dict[str, str]


def estimated(made: Draft, tokens: TokenCounter) -> Usage:
    """The calls for a draft if replies are as long as the draft and none is asked for again."""
    total = Usage()
    for turn in made.turns:
        for place, pair in enumerate(turn.pairs):
            before = turn.pairs[:place]
            asked = prompts.user_turn(pair.user, (), before)
            answered = prompts.assistant_turn(pair.user, 1, before)
            for messages, reply in ((asked, pair.user), (answered, pair.assistant)):
                read = sum(tokens.text(message["content"]) for message in messages)
                total += Usage(1, read, 0, tokens.text(reply))
    for probing in made.probings:
        read = sum(tokens.text(message["content"]) for message in prompts.question(probing))
        total += Usage(1, read, 0, tokens.text(probing.question))
    return total


async def write_out(made: Draft, model: str, caller: Caller, tokens: TokenCounter) -> Written:
    """The conversation of a draft in the words of a model.

    Raises :class:`~pytest_compaction.models.protocol.ModelError` if a call fails for good; what was
    written until then is in the store.
    """
    writer = _Writer(model, caller, made.probings)
    turns = await writer.turns(made.turns)
    for _ in range(_ROUNDS):
        size = sum(tokens_of(turn, tokens.text) for turn in turns)
        if size >= made.tokens * (1 - MISSED / 2):
            break
        mean = size / len(turns)
        more = [made.spare() for _ in range(max(1, int((made.tokens - size) / mean)))]
        turns = _mixed(turns, await writer.turns(more))
    turns = _shortened(turns, made.tokens, tokens)
    conversation = conversation_of(made, turns, made.probings)
    kept, dropped = await writer.questions(made, conversation)
    return Written(replace(conversation, probings=kept), dropped)


class _Writer:
    """Asks the model."""

    def __init__(self, model: str, caller: Caller, probings: Sequence[Probing]) -> None:
        self._model = model
        self._caller = caller
        self._free = asyncio.Semaphore(_SIDE_BY_SIDE)
        self._truths: dict[str, list[Truth]] = {}
        for truth in (truth for probing in probings for truth in probing.truths):
            for key in truth.keys if truth.words else ():
                self._truths.setdefault(key, []).append(truth)

    async def turns(self, drafts: Sequence[Turn]) -> list[Turn]:
        """The turns in the words of the model."""
        return await asyncio.gather(*map(self._turn, drafts))

    async def questions(
        self, made: Draft, conversation: Conversation
    ) -> tuple[list[Probing], dict[str, str]]:
        """The questions that the conversation answers, in other words, and why others went."""
        texts = conversation.texts()
        spoiled = {
            each.attribute.asked.format(it=each.about.asked)
            for each in made.plan.absences
            if speaks_of(each, texts)
        }
        kept: list[Probing] = []
        dropped: dict[str, str] = {}
        for probing in made.probings:
            missing = untrue(probing, texts, conversation.ids)
            if missing:
                dropped[probing.question] = f"no message states {missing!r}"
            elif probing.question in spoiled and probing.ability == "abstention":
                dropped[probing.question] = "a message speaks of it"
            else:
                kept.append(probing)
        return list(await asyncio.gather(*map(self._question, kept))), dropped

    async def _turn(self, drafted: Turn) -> Turn:
        async with self._free:
            pairs: list[Pair] = []
            for place, pair in enumerate(drafted.pairs):
                key = drafted.key if place == drafted.place else None
                truths = self._truths.get(key, []) if key else []
                user = await self._user(pair.user, truths, pairs)
                words = max(len(pair.assistant.split()), 10)
                assistant = await self._said(prompts.assistant_turn(user, words, pairs))
                pairs.append(Pair(user, assistant, pair.kind))
        return replace(drafted, pairs=tuple(pairs))

    async def _user(self, sketch: str, truths: Sequence[Truth], before: Sequence[Pair]) -> str:
        """The user's message; the last one if none of them states what it has to."""
        kept = [truth.words for truth in truths]
        text = ""
        for trial in range(1, TRIALS + 1):
            text = await self._said(prompts.user_turn(sketch, kept, before), trial)
            if all(is_told(truth, text) for truth in truths):
                break
        return text

    async def _question(self, probing: Probing) -> Probing:
        """The question in other words, unless they give its answer away."""
        async with self._free:
            text = await self._said(prompts.question(probing))
        told = [truth.words for truth in probing.truths if truth.words]
        if "\n" in text or any(words.casefold() in text.casefold() for words in told):
            return probing
        return replace(probing, question=text)

    async def _said(self, messages: list[dict[str, Any]], trial: int = 1) -> str:
        body = {"model": self._model, "messages": messages, "max_tokens": REPLY_TOKENS}
        answered = await self._caller.call(Call("chat.completions", body, trial=trial))
        reply = read_reply("chat.completions", answered.body)
        if reply.problem or not reply.text.strip():
            raise ModelError(f"{self._model} wrote nothing: {reply.problem or 'an empty reply'}")
        return reply.text.strip()


def _mixed(turns: Sequence[Turn], more: Sequence[Turn]) -> list[Turn]:
    """The turns with others in between, at equal distances."""
    mixed: list[Turn] = []
    step = len(turns) / len(more)
    left = list(more)
    for number, turn in enumerate(turns):
        mixed.append(turn)
        while left and number + 1 >= step * (len(more) - len(left) + 1):
            mixed.append(left.pop(0))
    return [*mixed, *left]


def _shortened(turns: Sequence[Turn], wanted: int, tokens: TokenCounter) -> list[Turn]:
    """The turns without some that say nothing that is asked for, from all over the conversation."""
    sizes = [tokens_of(turn, tokens.text) for turn in turns]
    over = sum(sizes) - wanted
    left = [number for number, turn in enumerate(turns) if turn.key is None]
    gone: set[int] = set()
    while over > 0 and left:
        mean = sum(sizes[number] for number in left) / len(left)
        count = min(len(left), max(1, int(over / mean)))
        taken = {left[place * len(left) // count] for place in range(count)}
        gone |= taken
        over -= sum(sizes[number] for number in taken)
        left = [number for number in left if number not in taken]
    return [turn for number, turn in enumerate(turns) if number not in gone]
