"""An answer to a question about a long conversation, from the view and the question alone."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

from pytest_compaction.cache.sized_cache import SizedCache
from pytest_compaction.case.case import AnswerSpec
from pytest_compaction.conversation.messages import Message
from pytest_compaction.models.offline.answer import BoundedAnswer
from pytest_compaction.models.offline.long_memory.contradictions import both_sides
from pytest_compaction.models.offline.long_memory.days import asks_between, days_between
from pytest_compaction.models.offline.long_memory.demands import demands_on
from pytest_compaction.models.offline.long_memory.events import (
    counted,
    events_on,
    number_asked,
    numbered,
    summed_up,
    told_of,
)
from pytest_compaction.models.offline.long_memory.lookup import latest, parts_of
from pytest_compaction.models.offline.long_memory.quotes import quoted
from pytest_compaction.models.offline.long_memory.reading import Reading
from pytest_compaction.models.offline.long_memory.subject import Subject, distinct_subject_of
from pytest_compaction.models.offline.long_memory.sums import expenses, sum_of_items
from pytest_compaction.models.offline.long_memory.wishes import likes, names_for, standing

ABSTENTION: Final = "There is no information about this in the conversation."
_MOST_CHARACTERS: Final = 2_000_000
_READINGS: Final = SizedCache[tuple[Message, ...], Reading](
    _MOST_CHARACTERS, lambda reading: reading.characters
)
"""The questions on a view follow one another, and it is read once for them."""
_ORDER: Final = re.compile(r"\b(?:in (?:which|what) order|the order in which|chronolog)", re.I)
_SUMMARY: Final = re.compile(
    r"\b(?:sum(?:mary|mari[sz]e)?\b.{0,5}\bup\b|summar|overview|recap)", re.I
)
_DAYS: Final = re.compile(r"\bhow (?:many (?:days|weeks|months)|long)\b", re.I)
_TOTAL: Final = re.compile(
    r"\b(?:how much|what)\b.*\b(?:altogether|in total|overall|in all|spent)\b", re.I
)
_WHETHER: Final = re.compile(
    r"^(?:have|has|did|do|does|am|is|are|was|were|had) (?!there\b)(?:i|we|my|our|the|\w+)\b", re.I
)
_ADVICE: Final = re.compile(
    r"\b(?:should i|shall i|would suit|suggest|recommend|can you help me|what kind of"
    r"|what can i|which \w+ (?:can|could) i|where (?:can|could) i|how (?:can|could) i"
    r"|would you advise|do you think i)\b",
    re.I,
)
_COUNT: Final = re.compile(
    r"\bhow many\b.*\b(?:different|across|and (?:which|who|what)|have i mentioned|did i mention)\b",
    re.I,
)
_MOST_EVENTS: Final = 12
_USUAL_EVENTS: Final = 5


def answer(
    view: Sequence[Message], question: str, spec: AnswerSpec, count: Callable[[str], int]
) -> str:
    """What the view says on the question; where it says nothing, that there is no information."""
    messages = tuple(view)
    lines = answer_lines(_READINGS.get(messages, lambda: Reading(messages)), question)
    made = BoundedAnswer(spec, count)
    made.add(lines or [ABSTENTION], 1.0)
    return made.text()


def answer_lines(reading: Reading, question: str) -> list[str]:
    """The lines of the answer, the first the most important; none where nothing is known."""
    if _WHETHER.search(question):
        return both_sides(question, reading) or quoted(question, reading)
    if _ADVICE.search(question):
        return _advice(question, reading)
    subject = distinct_subject_of(question, reading)
    if _ORDER.search(question):
        if subject is not None:
            return numbered([said.proper for said in events_on(subject, question, reading)])
        return numbered(told_of(question, reading, number_asked(question) or _USUAL_EVENTS))
    if _SUMMARY.search(question):
        if subject is not None:
            found = events_on(subject, question, reading, _MOST_EVENTS)
            return [said.proper for said in found]
        return summed_up(question, reading)
    if _COUNT.search(question):
        return counted(question, reading)
    if _DAYS.search(question) and asks_between(question):
        return days_between(question, subject, reading)
    if _TOTAL.search(question):
        paid = sum_of_items(question, reading)
        if not paid and subject is not None:
            paid = expenses(subject, reading)
        return paid or quoted(question, reading)
    if subject is None:
        return quoted(question, reading)
    return _looked_up(question, subject, reading)


def _advice(question: str, reading: Reading) -> list[str]:
    """What the user likes, then what they want of answers, then what was said on the matter."""
    demands = demands_on(question, reading)
    liked = likes(question, reading)
    said = quoted(question, reading) if demands or not liked else []
    return [*liked, *said, *(one.text for one in demands)]


def _looked_up(question: str, subject: Subject, reading: Reading) -> list[str]:
    found = [latest(part, subject, reading) for part in parts_of(question)]
    lines = [said.proper for said in found if said is not None]
    if not lines:
        return []
    for further in standing(question, reading):
        said = latest(f"Who {further}", subject, reading)
        if said is not None:
            lines.append(said.proper)
    return list(dict.fromkeys([*lines, *names_for(subject, reading)]))
