"""The file of answers that the page of a review saves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pytest_compaction.case import CaseFault, read_json, read_text


class AnswersError(Exception):
    """A file of answers cannot be used; the message says why."""


def answers_of(path: Path) -> list[Mapping[str, str]]:
    """The answers in a file that the page saved. Raises :class:`AnswersError`."""
    text = read_text(path)
    data = text if isinstance(text, CaseFault) else read_json(text, "a file of answers")
    if isinstance(data, CaseFault):
        raise AnswersError(f"{path}: found {data.found}; expected {data.expected}")
    answers = data.get("answers") if isinstance(data, dict) else None
    if not isinstance(answers, list):
        raise AnswersError(f"{path}: /answers is no list; save the file from the page again")
    for number, each in enumerate(answers):
        sound = isinstance(each, dict) and all(isinstance(value, str) for value in each.values())
        if not (sound and {"case", "id", "mark"} <= each.keys()) or each.get("answer") not in {
            "yes",
            "no",
        }:
            raise AnswersError(
                f"{path}: /answers/{number} is no answer; expected texts case, id, mark, "
                "and answer: yes or no"
            )
    return answers
