"""Entries from what was said: what the user demands, and what the assistant reports.

A sentence counts by what it is about (a condition, a decision and its reason, a next step)
and by how specific it is. What somebody only announces, asks or acknowledges counts little:
the calls that follow show it better.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from pytest_compaction.conversation.messages import Message
from pytest_compaction.models.offline.cues import (
    CONSTRAINT,
    DECISION,
    ERROR,
    FILLER,
    NEXT,
    PLAN,
    POINTING,
    REASON,
    STATE,
    exact_tokens,
)
from pytest_compaction.models.offline.entry import (
    DEMAND_LEAD,
    MAX_ENTRY_CHARACTERS,
    Entry,
    Kind,
    specificity,
)
from pytest_compaction.text import STOPWORDS, clipped, normalize, raw_tokens, sentences

_FEWEST_WORDS: Final = 4
"""A sentence with fewer content words says nothing, unless it names something exactly."""
_EMPTY: Final = -4.0
_OPENING: Final = 2.0
_CONDITION: Final = 2.5
_DEMAND: Final = 1.0
"""Worth of what the user says: in the first request, as a condition, in any case."""
_REPORT: Final = 0.7
"""Bonus of what is said at the end of a turn, to the user and not between two calls."""
_OF_KIND: Final = {"decision": 1.5, "next": 1.2, "error": 1.0, "state": 0.6, "finding": 0.4}


def said_entries(message: Message, order: int, opening: bool) -> Iterator[Entry]:
    """The entries of the text of one message; ``opening`` marks the first request."""
    by_user = message.role == "user"
    for text, above in _sentences(message.text):
        text = shortened(text)
        condition = bool(CONSTRAINT.search(text) or CONSTRAINT.search(above))
        short = by_user and (condition or opening)
        if text and not _says_something(text, _FEWEST_WORDS // 2 if short else _FEWEST_WORDS):
            yield Entry("finding", text, _EMPTY, order)
        elif text and by_user:
            yield demand(text, order, opening, condition)
        elif text:
            yield report(text, order, bonus=0.0 if message.calls else _REPORT)


def _sentences(text: str) -> list[tuple[str, str]]:
    """The sentences of a text, each with the lead-in above it; clauses stay together."""
    split = sentences(text)
    found: list[tuple[str, str]] = []
    block = -1
    for sentence in split:
        above = " ".join(split[number].text for number in sentence.context)
        if sentence.block == block and sentence.text[:1].islower():
            found[-1] = (f"{found[-1][0]}; {sentence.text}", above)
        else:
            found.append((sentence.text, above))
        block = sentence.block
    return found


def shortened(text: str) -> str:
    """A sentence without the filler at its beginning, on one line, within the limit."""
    return clipped(FILLER.sub("", text.strip()), MAX_ENTRY_CHARACTERS)


def _says_something(text: str, fewest: int) -> bool:
    """Whether a sentence stands for itself: enough content words, or something exact."""
    if text.endswith(":"):
        return False
    words = [word for word in raw_tokens(normalize(text)) if word not in STOPWORDS]
    return len(words) >= fewest or (len(words) > 1 and bool(exact_tokens(text)))


def demand(text: str, order: int, opening: bool = False, condition: bool = False) -> Entry:
    """What the user wants; a condition counts more, a question less."""
    worth = specificity(text) + _DEMAND
    worth += _CONDITION if condition or CONSTRAINT.search(text) else 0.0
    worth += _OPENING if opening else 0.0
    worth -= 2.0 if text.endswith("?") else 0.0
    text = text if text.startswith(DEMAND_LEAD) else DEMAND_LEAD + text
    return Entry("demand", text, worth, order)


def report(text: str, order: int, bonus: float = 0.0) -> Entry:
    """What the assistant says, by what it is about."""
    kind = kind_of(text)
    worth = specificity(text) + _OF_KIND[kind] + bonus
    worth += 0.7 if REASON.search(text) and kind != "next" else 0.0
    worth -= 1.5 if PLAN.match(text) else 0.0
    worth -= 1.0 if POINTING.match(text) else 0.0
    worth -= 1.5 if text.endswith("?") else 0.0
    return Entry(kind, text, worth, order)


def kind_of(text: str) -> Kind:
    """What a sentence is about, by its cues."""
    if DECISION.search(text):
        return "decision"
    if NEXT.search(text):
        return "next"
    if ERROR.search(text):
        return "error"
    return "state" if STATE.search(text) else "finding"
