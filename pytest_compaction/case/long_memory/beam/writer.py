"""Writes conversations in the layout and shapes of the set, for conversations of one's own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case.kinds import Ability
from pytest_compaction.case.long_memory.beam.chat import MARKER
from pytest_compaction.case.long_memory.beam.folder import CHAT, QUESTIONS, QUESTIONS_FOLDER

ANSWER_KEY: Final[Mapping[Ability, str]] = {
    "abstention": "ideal_response",
    "contradiction_resolution": "ideal_answer",
    "event_ordering": "answer",
    "information_extraction": "answer",
    "instruction_following": "expected_compliance",
    "knowledge_update": "answer",
    "multi_session_reasoning": "answer",
    "preference_following": "expected_compliance",
    "summarization": "ideal_summary",
    "temporal_reasoning": "answer",
}
"""The key of the model answer of each ability."""


@dataclass(frozen=True, slots=True)
class Pair:
    """What the user said and what the assistant replied; ``kind`` is that of the user's turn."""

    user: str
    assistant: str
    kind: str = "main_question"


@dataclass(frozen=True, slots=True)
class Batch:
    """The turns of a part of a conversation; each turn is a main question and what follows it.

    ``anchor`` is the day of the part, as in ``March-15-2024``.
    """

    turns: Sequence[Sequence[Pair]]
    anchor: str


@dataclass(frozen=True, slots=True)
class Question:
    """A probing question with its model answer and nuggets.

    ``source`` are the ids of the messages that it is about: a list, or lists by name; ``None``
    for abstention. Message ids count from 0 over the whole conversation, two a pair.
    """

    ability: Ability
    question: str
    answer: str
    rubric: Sequence[str]
    source: Any = None


def write_conversation(
    folder: Path, batches: Iterable[Batch], questions: Iterable[Question], plans: int = 1
) -> None:
    """Write a conversation into a folder; with several ``plans`` as many files, as for 10M.

    In each plan the ids and the numbers of batches begin anew, as in the set.
    """
    parts = list(batches)
    size = -(-len(parts) // plans)
    for number in range(plans):
        place = folder / f"plan-{number}" if plans > 1 else folder
        place.mkdir(parents=True, exist_ok=True)
        _write(place / CHAT, _batches(parts[number * size : (number + 1) * size]))
    by_ability: dict[str, list[dict[str, Any]]] = {}
    for question in questions:
        by_ability.setdefault(question.ability, []).append(_question(question))
    (folder / QUESTIONS_FOLDER).mkdir(parents=True, exist_ok=True)
    _write(folder / QUESTIONS_FOLDER / QUESTIONS, by_ability)


def _batches(parts: Sequence[Batch]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    id = 0
    for number, batch in enumerate(parts, start=1):
        turns: list[list[dict[str, Any]]] = []
        for place, turn in enumerate(batch.turns, start=1):
            said: list[dict[str, Any]] = []
            for pair in turn:
                user: dict[str, Any] = {"role": "user", "id": id}
                if not turns and not said:
                    user["time_anchor"] = batch.anchor
                content = pair.user
                if pair.kind == "main_question":
                    user["index"] = f"{number},{place}"
                    content = f"{content} {MARKER} {number},{place}"
                said.append({**user, "question_type": pair.kind, "content": content})
                said.append({"role": "assistant", "id": id + 1, "content": pair.assistant})
                id += 2
            turns.append(said)
        found.append({"batch_number": number, "time_anchor": batch.anchor, "turns": turns})
    return found


def _question(question: Question) -> dict[str, Any]:
    made: dict[str, Any] = {
        "question": question.question,
        ANSWER_KEY[question.ability]: question.answer,
        "difficulty": "medium",
    }
    if question.source is not None:
        made["source_chat_ids"] = question.source
    return {**made, "rubric": list(question.rubric)}


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", "utf-8")
