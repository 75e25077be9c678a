"""The probing questions of a conversation as probes: one each, with its ability as kind."""

from __future__ import annotations

import difflib
import re
from collections.abc import Container, Iterator
from typing import Any, Final

from pytest_compaction.case.case import AnswerSpec, Fact, Nugget, Probe
from pytest_compaction.case.kinds import ABILITIES, Ability
from pytest_compaction.case.long_memory.shapes import ShapeError, at, short_text, shown
from pytest_compaction.case.validation import CaseFault
from pytest_compaction.text import printable

ANSWER_KEYS: Final = (
    "answer",
    "ideal_answer",
    "ideal_response",
    "ideal_summary",
    "expected_compliance",
)
"""Where a question has its model answer, by ability."""
LONG_ANSWER_TOKENS: Final = 800
"""The most tokens of an answer to a question of an ability that asks for more than a fact."""
_LONG: Final = frozenset(
    {"event_ordering", "instruction_following", "preference_following", "summarization"}
)
_STATED: Final = frozenset(ABILITIES) - {
    "abstention",
    "instruction_following",
    "preference_following",
}
"""Abilities of which the nuggets may stand in a conversation; the others are about the answer."""
_ID: Final = re.compile(r"\d{1,18}")
_NO_ID: Final = re.compile(r"[\W_]*|n/?a|none", re.IGNORECASE)


def probes_of(value: Any, ids: Container[int]) -> tuple[list[Probe], list[CaseFault]]:
    """The probes, and the faults of questions that are none. ``ids`` are those of the messages.

    Raises :class:`ShapeError` if the file does not hold questions by ability. An id that no
    message has is left out: the set has some.
    """
    if not isinstance(value, dict) or not value:
        raise ShapeError("", shown(value), "an object of questions by ability")
    probes: list[Probe] = []
    faults: list[CaseFault] = []
    for name, questions in value.items():
        ability = next((each for each in ABILITIES if each == name), None)
        if ability is None:
            near = difflib.get_close_matches(name, ABILITIES, 1)
            hint = f"{near[0]}, or another" if near else "one"
            expected = f"{hint} of {', '.join(ABILITIES)}"
            faults.append(CaseFault(at("", name), f"the ability '{printable(name, 60)}'", expected))
            continue
        try:
            for number, pointer, asked in _listed(at("", name), questions):
                probes.append(_probe(ability, number, pointer, asked, ids))
        except ShapeError as error:
            faults.append(error.fault)
    if not probes and not faults:
        faults.append(CaseFault("", "no question", "at least one question of an ability"))
    return probes, faults


def _listed(pointer: str, questions: Any) -> Iterator[tuple[int, str, dict[str, Any]]]:
    if not isinstance(questions, list):
        raise ShapeError(pointer, shown(questions), "a list of questions")
    for number, asked in enumerate(questions):
        if not isinstance(asked, dict):
            raise ShapeError(at(pointer, number), shown(asked), "an object with a question")
        yield number + 1, at(pointer, number), asked


def _probe(
    ability: Ability, number: int, pointer: str, asked: dict[str, Any], ids: Container[int]
) -> Probe:
    question = short_text(asked.get("question"), at(pointer, "question"), "the text of a question")
    named = dict.fromkeys(source_ids(asked.get("source_chat_ids"), at(pointer, "source_chat_ids")))
    evidence = tuple(str(id) for id in named if id in ids)
    nuggets = tuple(Nugget(text, evidence) for text in _rubric(pointer, asked))
    return probe_with(ability, f"{ability}-{number}", question, nuggets)


def probe_with(ability: Ability, id: str, question: str, nuggets: tuple[Nugget, ...]) -> Probe:
    """A probe of an ability; its facts are the nuggets that a view can state."""
    stated = [n for n in nuggets if ability in _STATED and n.is_stated_in_log(ability)]
    answer = AnswerSpec(max_tokens=LONG_ANSWER_TOKENS) if ability in _LONG else AnswerSpec()
    facts = tuple(Fact(nugget.content, evidence=nugget.evidence) for nugget in stated)
    return Probe(id, ability, question, facts, answer=answer, nuggets=nuggets)


def _rubric(pointer: str, asked: dict[str, Any]) -> list[str]:
    """The nuggets of a question; the model answer is the only one where there is no rubric."""
    keys = ("rubric", *ANSWER_KEYS)
    key = next((key for key in keys if asked.get(key) not in (None, "")), None)
    if key is None:
        found = "neither 'rubric' nor an answer"
        raise ShapeError(pointer, found, f"'rubric', or one of {', '.join(ANSWER_KEYS)}")
    value = asked[key]
    place = at(pointer, key)
    if not isinstance(value, list):
        return [_nugget(place, value, "a list of nuggets, each a text")]
    if not value:
        raise ShapeError(place, shown(value), "a list of nuggets, each a text")
    return [_nugget(at(place, number), one, "a nugget, a text") for number, one in enumerate(value)]


def _nugget(pointer: str, value: Any, expected: str) -> str:
    """The text of a nugget; a number stands for itself."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return short_text(str(value) if number else value, pointer, expected)


def source_ids(value: Any, pointer: str) -> Iterator[int]:
    """The ids in a list, in lists of it, or in a mapping of lists; none if there is nothing.

    A text is taken for an id if it is a number, and for none if it is ``--`` or the like.
    """
    levels = [(value, pointer)]
    while levels:
        here, place = levels.pop()
        if isinstance(here, bool):
            raise ShapeError(place, shown(here), "the id of a message")
        if isinstance(here, int):
            yield here
        elif isinstance(here, dict):
            levels.extend(reversed([(each, at(place, key)) for key, each in here.items()]))
        elif isinstance(here, list):
            levels.extend(reversed([(each, at(place, i)) for i, each in enumerate(here)]))
        elif isinstance(here, str) and _ID.fullmatch(here.strip()):
            yield int(here)
        elif here is not None and not (isinstance(here, str) and _NO_ID.fullmatch(here.strip())):
            expected = "the id of a message, or lists or a mapping of such ids"
            raise ShapeError(place, shown(here), expected)
