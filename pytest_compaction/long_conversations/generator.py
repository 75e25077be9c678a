"""A long conversation by a model: outline, turns, questions; and the files that hold it."""

from __future__ import annotations

import asyncio
import random
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeVar

from pytest_compaction.case import ABILITIES, Ability, Batch, Pair, Question, write_conversation
from pytest_compaction.conversation import MESSAGE_TOKENS, TokenCounter
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
from pytest_compaction.long_conversations.outline import (
    TURN_TOKENS,
    OutlinePoint,
    OutlineScale,
    Part,
    PointKind,
    write_outline,
)
from pytest_compaction.models import Caller, Usage

ABSTENTION: Final = "abstention"
_KINDS: Final[Mapping[Ability, PointKind]] = {
    "contradiction_resolution": "contradiction",
    "instruction_following": "instruction",
    "knowledge_update": "update",
    "preference_following": "preference",
    "temporal_reasoning": "event",
}
"""The kind of points that a question of an ability is about; the others take any."""
_SHOWN: Final = 150
_NUGGETS: Final = 12
_EVIDENCE: Final = 2_000
"""Characters of a message that a check shows."""


@dataclass(frozen=True, slots=True)
class KeptQuestions:
    """The questions that were kept, and why others were dropped, by question."""

    questions: tuple[Question, ...]
    dropped: dict[str, str]


async def write_questions(
    author: Author,
    points: Sequence[OutlinePoint],
    said: Mapping[int, tuple[int, str]],
    count: int,
    draw: str,
) -> KeptQuestions:
    """So many questions of each ability about points that ``draw`` decides on."""
    written = await asyncio.gather(
        *(
            _of_ability(author, ability, _candidates(ability, points, draw), said, count)
            for ability in ABILITIES
        )
    )
    checked = [each for questions in written for each in questions]
    return KeptQuestions(
        tuple(question for question, why in checked if not why),
        {question.question: why for question, why in checked if why},
    )


def _candidates(ability: Ability, points: Sequence[OutlinePoint], draw: str) -> list[OutlinePoint]:
    """The points to ask about in order: those of the kind, with the points that they refer to."""
    kind = _KINDS.get(ability)
    chosen = [point for point in points if kind in {None, point.kind}] or list(points)
    if len(chosen) > _SHOWN:
        rng = random.Random(f"{draw}/{ability}")  # noqa: S311 - no secret is made of it
        chosen = rng.sample(chosen, _SHOWN)
    numbers = {point.number for point in chosen} | {point.of for point in chosen}
    # What was changed since has to be seen, so that nobody asks for a value that is stale.
    return [point for point in points if point.number in numbers or point.of in numbers - {0}]


async def _of_ability(
    author: Author,
    ability: Ability,
    points: Sequence[OutlinePoint],
    said: Mapping[int, tuple[int, str]],
    count: int,
) -> list[tuple[Question, str]]:
    """The questions of an ability, each with why it is dropped; empty if it is not."""
    shown = {point.number for point in points}
    each = members(question=TEXT, answer=TEXT, nuggets=listed(TEXT), points=listed(NUMBER))

    def fault(data: dict[str, Any]) -> str:
        found = data["questions"]
        if len(found) != count:
            return f"questions: there have to be {count}, not {len(found)}"
        for asked in found:
            if not (plain(asked["question"]) and plain(asked["answer"])):
                return "questions: each needs a text and an answer"
            if not 0 < len(asked["nuggets"]) <= _NUGGETS or not all(map(plain, asked["nuggets"])):
                return f"nuggets: each question needs 1 to {_NUGGETS}, none of them empty"
            if bool(asked["points"]) == (ability == ABSTENTION) or not shown.issuperset(
                asked["points"]
            ):
                return "points: those that the answer needs, of the numbers above"
        return ""

    found = await author.data(
        f"the questions of {ability}",
        prompts.questions(ability, count, [point.line for point in points]),
        members(questions=listed(each)),
        fault,
    )
    return await asyncio.gather(
        *(_checked(author, ability, asked, points, said) for asked in found["questions"])
    )


async def _checked(
    author: Author,
    ability: Ability,
    asked: Mapping[str, Any],
    points: Sequence[OutlinePoint],
    said: Mapping[int, tuple[int, str]],
) -> tuple[Question, str]:
    """A question, and why it is dropped; empty if it is not."""
    numbers = sorted(set(asked["points"]))
    named = [said[number] for number in numbers]
    question = Question(
        ability,
        plain(asked["question"]),
        plain(asked["answer"]),
        [plain(nugget) for nugget in asked["nuggets"]],
        [id for id, _ in named] or None,
    )
    shown = [text[:_EVIDENCE] for _, text in named] or [point.line for point in points]
    prompt = prompts.check(
        question.question, question.answer, question.rubric, "\n\n".join(dict.fromkeys(shown))
    )
    schema = members(holds=FLAG, why=TEXT)
    found = await author.data("the check of a question", prompt, schema)
    return question, "" if found["holds"] else plain(found["why"]) or "the check does not say why"


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
class Round:
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
        self, part: Part, points: Sequence[OutlinePoint], count: int, before: str = ""
    ) -> list[Round]:
        """So many turns of a part, which between them say the points; written at the same time."""
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
        self, part: Part, points: Sequence[OutlinePoint], count: int, before: str
    ) -> list[Round]:
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
        turns: list[Round] = []
        for message in found["messages"]:
            earlier = [pair for turn in turns for pair in turn.pairs][-_REMEMBERED:]
            pairs = await self._pairs(part, plain(message["text"]), earlier)
            turns.append(Round(tuple(pairs), tuple(message["points"])))
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
    return items[len(items) * number // of : len(items) * (number + 1) // of]


FEWEST_TOKENS: Final = 10_000
"""Shorter than this, a conversation has no room for what the questions need."""
MISSED: Final = 0.02
"""The share by which a conversation may miss its length before turns are added or left out."""
_TWO_OF_EACH: Final = 20_000
"""From this length on there are two questions of each ability, and below it one."""
_ROUNDS: Final = 10
"""How often turns are added until the length is right."""
_CALLS_A_TURN: Final = 6
"""A main reply, two looks at what follows it, and half of the most that can follow, about."""
_READ: Final = 1_500
"""Tokens that a call reads, about."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """The parts of a conversation with their turns, its questions, and why others were dropped."""

    parts: tuple[tuple[Part, tuple[Round, ...]], ...]
    questions: tuple[Question, ...]
    dropped: dict[str, str]
    tokens: int
    plans: int

    @property
    def messages(self) -> int:
        return 2 * sum(len(turn.pairs) for _, turns in self.parts for turn in turns)

    def write(self, folder: Path) -> None:
        """Write the conversation into a new folder, in the layout of BEAM, as a whole."""
        partial = folder.with_name(f".{folder.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        batches = [
            Batch([turn.pairs for turn in turns], f"{part.start:%B-%d-%Y}")
            for part, turns in self.parts
        ]
        write_conversation(partial, batches, self.questions, self.plans)
        partial.rename(folder)


def estimated(tokens: int) -> Usage:
    scale = OutlineScale.of(tokens)
    outline = 1 + scale.plans * (1 + scale.parts)
    questions = len(ABILITIES) * (2 + (tokens >= _TWO_OF_EACH))
    calls = outline + questions + _CALLS_A_TURN * (tokens // TURN_TOKENS)
    return Usage(calls, calls * _READ, 0, tokens + calls * 50)


async def write_out(
    model: str, caller: Caller, domain: str, number: int, tokens: int
) -> Conversation:
    """The conversation with this number in a domain, of about so many tokens.

    Raises :class:`~pytest_compaction.models.ModelError` if a call fails for good or a reply has no
    form; a store holds what was written until then.
    """
    author = Author(model, caller)
    scale = OutlineScale.of(tokens)
    outline = await write_outline(author, domain, number, tokens, scale)
    stage = Stage(author, domain, outline.seed)
    talk = await asyncio.gather(
        *(stage.turns(part, part.points, scale.turns) for part in outline.parts)
    )
    count = TokenCounter().text
    for _ in range(_ROUNDS):
        size = sum(_tokens(turn, count) for turns in talk for turn in turns)
        if size >= tokens * (1 - MISSED):
            break
        turns = sum(map(len, talk))
        more = max((tokens - size) * turns // size, 1)
        added = await asyncio.gather(
            *(
                stage.turns(
                    part, (), len(_share(range(more), n, len(talk))), turns[-1].pairs[0].user
                )
                for n, (part, turns) in enumerate(zip(outline.parts, talk, strict=True))
            )
        )
        talk = [[*turns, *new] for turns, new in zip(talk, added, strict=True)]
    talk = _shortened(talk, tokens * (1 + MISSED), count)
    said: dict[int, tuple[int, str]] = {}
    id = 0
    for turn in (turn for turns in talk for turn in turns):
        said |= dict.fromkeys(turn.points, (id, turn.pairs[0].user))
        id += 2 * len(turn.pairs)
    draw, each = f"{domain}/{number}/{tokens}", 1 + (tokens >= _TWO_OF_EACH)
    asked = await write_questions(author, outline.points, said, each, draw)
    return Conversation(
        tuple((part, tuple(turns)) for part, turns in zip(outline.parts, talk, strict=True)),
        asked.questions,
        asked.dropped,
        sum(_tokens(turn, count) for turns in talk for turn in turns),
        scale.plans,
    )


def _tokens(turn: Round, count: Callable[[str], int]) -> int:
    texts = (text for pair in turn.pairs for text in (pair.user, pair.assistant))
    return sum(count(text) + MESSAGE_TOKENS for text in texts)


def _shortened(
    talk: Sequence[list[Round]], most: float, count: Callable[[str], int]
) -> list[list[Round]]:
    """The turns without as many as needed that say no point, then of what follows questions."""
    left = {(n, place): turn for n, turns in enumerate(talk) for place, turn in enumerate(turns)}
    spare: list[tuple[tuple[int, int], Round | None]] = [
        (key, None) for key, turn in left.items() if key[1] and not turn.points
    ]
    spare = [one for start in range(3) for one in spare[start::3]]
    long = [(key, replace(t, pairs=t.pairs[:1])) for key, t in left.items() if len(t.pairs) > 1]
    spare += [one for start in range(3) for one in long[start::3]]
    over = sum(_tokens(turn, count) for turn in left.values()) - most
    for key, shorter in spare:
        if over <= 0:
            break
        turn = left.pop(key, None)
        if turn is not None:
            over -= _tokens(turn, count)
        if turn is not None and shorter is not None:
            left[key] = shorter
            over += _tokens(shorter, count)
    return [
        [left[n, i] for i in range(len(turns)) if (n, i) in left] for n, turns in enumerate(talk)
    ]
