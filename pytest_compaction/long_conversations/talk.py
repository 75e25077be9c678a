"""The turns of a part: what the user says, what the assistant replies, and what follows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from pytest_compaction.case.long_memory.beam import Pair
from pytest_compaction.long_conversations import prompts
from pytest_compaction.long_conversations.asking import (
    FLAG,
    NUMBER,
    TEXT,
    Author,
    listed,
    members,
    plain,
)
from pytest_compaction.long_conversations.outline import Part, Point

T = TypeVar("T")
ROUNDS: Final = 2
"""How often the user answers the assistant in a turn at most, and how often they ask on."""
_STRETCH: Final = 12
"""Main messages of the user that are written in one request."""
_REMEMBERED: Final = 4
"""Pairs before a message that the assistant sees."""
_FOLLOWING: Final[tuple[tuple[str, Callable[[str, str, Pair], prompts.Chat]], ...]] = (
    ("answer_ai_question", prompts.answer_to_assistant),
    ("followup_question", prompts.follow_up),
)


@dataclass(frozen=True, slots=True)
class Turn:
    """A main question and what follows it; ``points`` are the numbers of those that it says."""

    pairs: tuple[Pair, ...]
    points: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Stage:
    """Who writes, about what: the domain and the seed of the conversation."""

    author: Author
    domain: str
    seed: str

    async def turns(
        self, part: Part, points: Sequence[Point], count: int, before: str = ""
    ) -> list[Turn]:
        """So many turns of a part, which between them say the points.

        ``before`` is the user's last message. Stretches are written at the same time.
        """
        stretches = -(-count // _STRETCH)
        written = await asyncio.gather(
            *(
                self._stretch(
                    part,
                    _share(points, number, stretches),
                    len(_share(range(count), number, stretches)),
                    before,
                )
                for number in range(stretches)
            )
        )
        return [turn for turns in written for turn in turns]

    async def _stretch(
        self, part: Part, points: Sequence[Point], count: int, before: str
    ) -> list[Turn]:
        schema = members(messages=listed(members(text=TEXT, points=listed(NUMBER))))
        wanted = {point.number for point in points}

        def fault(data: dict[str, Any]) -> str:
            found = data["messages"]
            if len(found) != count or not all(plain(each["text"]) for each in found):
                return f"messages: there have to be {count} with a text, not {len(found)}"
            said = sorted(number for each in found for number in each["points"])
            if said != sorted(wanted):
                return f"points: each of {sorted(wanted)} has to be in one message, not {said}"
            return ""

        asked = prompts.user_turns(
            self.domain, self.seed, part.text, [point.line for point in points], count, before
        )
        what = f"what the user says about “{part.title}”"
        found = await self.author.data(what, asked, schema, fault)
        turns: list[Turn] = []
        for message in found["messages"]:
            earlier = [pair for turn in turns for pair in turn.pairs][-_REMEMBERED:]
            pairs = await self._pairs(part, plain(message["text"]), earlier)
            turns.append(Turn(tuple(pairs), tuple(message["points"])))
        return turns

    async def _pairs(self, part: Part, user: str, earlier: Sequence[Pair]) -> list[Pair]:
        """The main question with its reply, then answers to the assistant, then follow-ups."""
        pairs = [await self._replied(user, "main_question", earlier)]
        schema = members(needed=FLAG, message=TEXT)
        for kind, prompt in _FOLLOWING:
            for _ in range(ROUNDS):
                asked = prompt(self.seed, part.text, pairs[-1])
                found = await self.author.data("the user's next message", asked, schema)
                message = plain(found["message"])
                if not (found["needed"] and message):
                    break
                before = [*earlier, *pairs][-_REMEMBERED:]
                pairs.append(await self._replied(message, kind, before))
        return pairs

    async def _replied(self, user: str, kind: str, before: Sequence[Pair]) -> Pair:
        asked = prompts.assistant_turn(self.domain, before, user)
        return Pair(user, await self.author.text("a reply of the assistant", asked), kind)


def _share(items: Sequence[T], number: int, of: int) -> Sequence[T]:
    """One of several shares of a sequence, as equal as can be and in order."""
    return items[len(items) * number // of : len(items) * (number + 1) // of]
