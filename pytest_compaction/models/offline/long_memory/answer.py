"""An answer to a question about a long conversation, from the view and the question alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from pytest_compaction.case.case import AnswerSpec
from pytest_compaction.conversation.messages import Message
from pytest_compaction.models.offline.answer import BoundedAnswer
from pytest_compaction.models.offline.long_memory.contradictions import both_sides
from pytest_compaction.models.offline.long_memory.days import days_between
from pytest_compaction.models.offline.long_memory.events import events_on, numbered
from pytest_compaction.models.offline.long_memory.lookup import latest, parts_of
from pytest_compaction.models.offline.long_memory.reading import Reading
from pytest_compaction.models.offline.long_memory.subject import subject_of
from pytest_compaction.models.offline.long_memory.sums import expenses
from pytest_compaction.models.offline.long_memory.wishes import likes, names_for, standing

ABSTENTION: Final = "There is no information about this in the conversation."
_ORDER: Final = re.compile(r"\b(?:in (?:which|what) order|the order in which|chronolog)", re.I)
_SUMMARY: Final = re.compile(
    r"\b(?:sum(?:mary|mari[sz]e)?\b.{0,5}\bup\b|summar|overview|recap)", re.I
)
_DAYS: Final = re.compile(r"\bhow (?:many (?:days|weeks|months)|long)\b", re.I)
_TOTAL: Final = re.compile(
    r"\b(?:how much|what)\b.*\b(?:altogether|in total|overall|in all|spent)\b", re.I
)
_EVER: Final = re.compile(r"^(?:have|did|do|am|was|had) (?:i|we)\b", re.I)
_ADVICE: Final = re.compile(
    r"\b(?:should i|shall i|would suit|suggest|recommend|can you help me|what kind of"
    r"|what can i|which \w+ (?:can|could) i|where (?:can|could) i|how (?:can|could) i"
    r"|would you advise|do you think i)\b",
    re.I,
)
_MOST_EVENTS: Final = 12


def answer(
    view: Sequence[Message], question: str, spec: AnswerSpec, count: Callable[[str], int]
) -> str:
    """What the view says on the question; where it says nothing, that there is no information."""
    lines = answer_lines(Reading(view), question)
    made = BoundedAnswer(spec, count)
    made.add(lines or [ABSTENTION], 1.0)
    return made.text()


def answer_lines(reading: Reading, question: str) -> list[str]:
    """The lines of the answer, the first the most important; none where nothing is known."""
    if _EVER.search(question):
        return both_sides(question, reading)
    if _ADVICE.search(question):
        return likes(question, reading)
    subject = subject_of(question, reading)
    if _ORDER.search(question):
        return numbered(events_on(subject, question, reading))
    if _SUMMARY.search(question):
        found = events_on(subject, question, reading, _MOST_EVENTS)
        return [said.proper for said in found]
    if _DAYS.search(question):
        return days_between(question, subject, reading)
    if _TOTAL.search(question):
        return expenses(subject, reading)
    return _looked_up(question, reading)


def _looked_up(question: str, reading: Reading) -> list[str]:
    subject = subject_of(question, reading)
    found = [latest(part, subject, reading) for part in parts_of(question)]
    lines = [said.proper for said in found if said is not None]
    if not lines:
        return []
    for further in standing(question, reading):
        said = latest(f"Who {further}", subject, reading)
        if said is not None:
            lines.append(said.proper)
    return list(dict.fromkeys([*lines, *names_for(subject, reading)]))
