"""Writes a draft out with a model: user turns, assistant turns, follow-ups, then questions.

Turns are written side by side, and the pairs of a turn one after the other. A question is kept only
if the messages that it names state its nuggets, and no other message speaks against them. Every
call goes through the caller, so that a store before it makes an interrupted conversation go on
where it was.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
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
from pytest_compaction.long_conversations.by_model.dropped import dropped_questions
from pytest_compaction.long_conversations.by_model.plain_text import plain
from pytest_compaction.long_conversations.names import TOWNS
from pytest_compaction.long_conversations.questions.probing import Probing, Truth
from pytest_compaction.long_conversations.truths import (
    gives_away,
    invented,
    is_told,
    names,
)
from pytest_compaction.long_conversations.wording import Turn
from pytest_compaction.models.protocol import ModelError
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call, Caller
from pytest_compaction.models.wire.reply import read_reply

REPLY_TOKENS: Final = 1500
"""Room for a message, and for the reasoning that some models spend before it."""
TRIALS: Final = 3
"""How often a message is asked for until it states what it has to, and nothing else."""
_MOST_LOST: Final = 20
"""So many turns may be missing where fewer were written."""
_SIDE_BY_SIDE: Final = 16
_LONGER: Final = 4
"""So many times its length may a question have in other words."""
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

    Raises :class:`~pytest_compaction.models.protocol.ModelError` if a call fails for good, or if
    the model does not write most of what it is asked for; what was written until then is in the
    store.
    """
    writer = _Writer(model, caller, made)
    turns = await writer.turns(made.turns)
    for _ in range(_ROUNDS):
        size = sum(tokens_of(turn, tokens.text) for turn in turns)
        if size >= made.tokens * (1 - MISSED / 2) or not turns:
            break
        mean = size / len(turns)
        more = [made.spare() for _ in range(max(1, int((made.tokens - size) / mean)))]
        turns = _mixed(turns, await writer.turns(more))
    turns = _shortened(turns, made.tokens, tokens)
    conversation = conversation_of(made, turns, made.probings)
    dropped = dropped_questions(made, conversation, writer.spoilt)
    kept = [probing for probing in made.probings if probing.question not in dropped]
    return Written(replace(conversation, probings=await writer.questions(kept)), dropped)


class _Writer:
    """Asks the model. Turns that it did not write are left out."""

    def __init__(self, model: str, caller: Caller, made: Draft) -> None:
        self._model = model
        self._caller = caller
        self._plan = made.plan
        self._free = asyncio.Semaphore(_SIDE_BY_SIDE)
        self._about = {said.key: said.about for said in made.plan.said()}
        self._names = {each.key: each.names for each in made.plan.undertakings}
        self._truths: dict[str, list[Truth]] = {}
        self._rules = dict(filter(None, (probing.rule for probing in made.probings)))
        self._written = self._lost = 0
        self._last_problem = ""
        self.spoilt: dict[str, str] = {}
        """Why what a message says is not clear, by its key."""
        for truth in (truth for probing in made.probings for truth in probing.truths):
            for key in truth.keys if truth.words else ():
                self._truths.setdefault(key, []).append(truth)

    async def turns(self, drafts: Sequence[Turn]) -> list[Turn]:
        """The turns in the words of the model."""
        written = await asyncio.gather(*map(self._turn, drafts))
        return [turn for turn in written if turn is not None]

    async def questions(self, probings: Sequence[Probing]) -> list[Probing]:
        """The questions in other words."""
        return await asyncio.gather(*map(self._question, probings))

    async def _turn(self, drafted: Turn) -> Turn | None:
        """The turn; ``None`` if the model did not write it, or says of nothing what it invents."""
        async with self._free:
            pairs: list[Pair] = []
            for place, pair in enumerate(drafted.pairs):
                key = drafted.key if place == drafted.place else None
                before = " ".join(text for said in pairs for text in (said.user, said.assistant))
                user, why = await self._user(pair.user, key, pairs, f"{before} {pair.user}")
                words = max(len(pair.assistant.split()), 10)
                given = f"{before} {pair.user} {user}"
                asked = prompts.assistant_turn(user, words, pairs)
                reply, more = await self._tried(asked, lambda text: invented(text, given))  # noqa: B023
                why = why or (f"a message has {more}, which is not planned" if more else "")
                if not user or not reply or (why and drafted.key is None):
                    self._leave_out()
                    return None
                if why and drafted.key is not None:
                    self.spoilt[drafted.key] = why
                pairs.append(Pair(user, reply, pair.kind))
        self._written += 1
        return replace(drafted, pairs=tuple(pairs))

    def _leave_out(self) -> None:
        """Count a turn that was not written, and end where most are not."""
        self._lost += 1
        if self._lost > max(_MOST_LOST, self._written):
            raise ModelError(
                f"{self._model} did not write {self._lost} of the first "
                f"{self._lost + self._written} turns as it was asked to{self._last_problem}"
            )

    async def _user(
        self, sketch: str, key: str | None, before: Sequence[Pair], given: str
    ) -> tuple[str, str]:
        """The user's message, and what is wrong with it after all trials."""
        truths = self._truths.get(key, []) if key else []
        kept = [truth.words for truth in truths]
        about = self._about.get(key) if key else None
        rule = self._rules.get(key or "", "")
        all_names = self._names.get(key or "", ())
        named = about is not None and names(about, sketch)
        kept += [rule] if rule else []
        kept += all_names
        kept += [name for name in about.names if name in sketch] if about and named else []

        def lacking(text: str) -> str:
            missing = [truth.words for truth in truths if not is_told(truth, text)]
            if rule and rule not in text.casefold():
                missing.append(rule)
            missing += [name for name in all_names if name.casefold() not in text.casefold()]
            if missing:
                return f"no message states {missing[0]!r}"
            if about is not None and named and not names(about, text):
                return f"a message does not say that it is about {about.asked}"
            value = invented(text, given)
            return f"a message has {value}, which is not planned" if value else ""

        return await self._tried(prompts.user_turn(sketch, kept, before), lacking)

    async def _tried(
        self, messages: list[dict[str, Any]], lacking: Callable[[str], str]
    ) -> tuple[str, str]:
        """The first reply that lacks nothing, or else the last one, and what it lacks."""
        text = why = ""
        for trial in range(1, TRIALS + 1):
            said = await self._said(messages, trial)
            if said:
                text, why = said, lacking(said)
                if not why:
                    break
        return text, why

    async def _question(self, probing: Probing) -> Probing:
        """The question in other words, unless they ask for less or give its answer away."""
        async with self._free:
            text = await self._said(prompts.question(probing), 1)
        spoken = any(gives_away(truth, text) for truth in probing.truths)
        same = all(word in text for word in self._named_in(probing.question))
        long = len(text) > _LONGER * len(probing.question)
        if not text or "\n" in text or long or spoken or not same:
            return probing
        return replace(probing, question=text)

    def _named_in(self, question: str) -> list[str]:
        """What a question is about, as it names it."""
        known = [name for each in self._plan.undertakings for name in each.names]
        known += [name for span in self._plan.spans for name in span.names]
        return [name for name in (*known, *TOWNS) if name in question]

    async def _said(self, messages: list[dict[str, Any]], trial: int) -> str:
        """What the model replies; empty where it refuses, or says nothing that can be read."""
        body = {"model": self._model, "messages": messages, "max_tokens": REPLY_TOKENS}
        answered = await self._caller.call(Call("chat.completions", body, trial=trial))
        reply = read_reply("chat.completions", answered.body)
        if reply.problem:
            self._last_problem = f": {reply.problem}"
        return plain(reply.text) if not reply.problem else ""


def _mixed(turns: Sequence[Turn], more: Sequence[Turn]) -> list[Turn]:
    """The turns with others in between, at equal distances."""
    mixed: list[Turn] = []
    step = len(turns) / max(len(more), 1)
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
