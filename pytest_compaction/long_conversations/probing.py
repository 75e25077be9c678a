"""The questions of the ten abilities, with nuggets and evidence; each is checked by the model."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pytest_compaction.case import ABILITIES, Ability, Question
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
from pytest_compaction.long_conversations.outline import OutlinePoint, PointKind

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
