"""Entries of an offline summary, and those that come from what was said.

A sentence counts by what it is about (a condition, a decision and its reason, a next step)
and by how specific it is. What somebody only announces, asks or acknowledges counts little:
the calls that follow show it better.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from pytest_compaction.conversation import Message
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
from pytest_compaction.models.structured_summary import Source
from pytest_compaction.text import (
    STOPWORDS,
    clipped,
    content_stems,
    normalize,
    raw_tokens,
    sentences,
)

Kind = Literal[
    "demand", "decision", "next", "error", "state", "finding", "outcome", "value", "file"
]
"""What an entry is about: what the user demanded, what was decided, and so on.

A ``finding`` was said, an ``outcome`` is what a command printed, a ``value`` stands in a file.
"""
KINDS: Final[Mapping[Kind, tuple[Source, float]]] = {
    "demand": ("intent", 0.20),
    "decision": ("decisions", 0.17),
    "next": ("next", 0.07),
    "error": ("errors", 0.08),
    "state": ("state", 0.04),
    "finding": ("values", 0.10),
    "outcome": ("values", 0.12),
    "value": ("values", 0.10),
    "file": ("files", 0.15),
}
"""By kind: the source as which a section gathers it, and its share of the room.

A kind has its share as long as it has entries; the others get the rest.
"""
MAX_ENTRY_CHARACTERS: Final = 320
DEMAND_LEAD: Final = "User: "

_COMMON: Final = 0.2
"""A word in more than this share of what was said tells nothing about a line."""
_FEWEST_WORDS: Final = 4
"""A sentence with fewer content words says nothing, unless it names something exactly."""
_EMPTY: Final = -4.0
_OPENING: Final = 2.0
_CONDITION: Final = 2.5
_DEMAND: Final = 1.0
"""Worth of what the user says: in the first request, as a condition, in any case."""
_REPORT: Final = 0.7
"""Bonus of what is said at the end of a turn, to the user and not between two calls."""
_REPORTS: Final[tuple[tuple[Kind, re.Pattern[str], float], ...]] = (
    ("decision", DECISION, 1.5),
    ("next", NEXT, 1.2),
    ("error", ERROR, 1.0),
    ("state", STATE, 0.6),
    ("finding", re.compile(""), 0.4),
)
"""Kinds of what the assistant says, each with its cue and worth; the first whose cue is there."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line that may go into a summary; ``order`` is its place in the log.

    The order of a carried one is negative. Of the entries with the same ``subject`` only the
    newest is true; an empty one stands for itself. ``detail`` may be added to the text where
    there is room.
    """

    kind: Kind
    text: str
    worth: float
    order: int
    subject: str = ""
    detail: str = ""

    @property
    def full(self) -> str:
        """The text with its detail."""
        return f"{self.text}: {self.detail}" if self.detail else self.text


def specificity(text: str) -> float:
    """How specific a line is: its exact tokens, of which each further one counts less.

    From 0 to about 3; a line of many words that names little is worth less.
    """
    exact = len(exact_tokens(text))
    words = max(len(text.split()), 1)
    return min(exact, 4) * 0.5 + min(exact / words, 0.5) * 2


class Topics:
    """The words that user and assistant said. A line that names some of them matters more."""

    def __init__(self, messages: Sequence[Message]) -> None:
        said = [m.text for m in messages if m.role in {"user", "assistant"} and m.text]
        counts: Counter[str] = Counter()
        for text in said:
            counts.update(set(content_stems(normalize(text))))
        most = max(3.0, _COMMON * len(said))
        self._known = {stem for stem, number in counts.items() if number <= most}

    def share(self, text: str) -> float:
        """From 0 to 1.5: how much of a line was talked about; figures do not count."""
        stems = set(content_stems(normalize(text)))
        named = sum(stem in self._known and not stem[:1].isdigit() for stem in stems)
        return min(named, 5) * 0.3

    def worth(self, line: str) -> float:
        """The worth of a printed line: what it names exactly, and what was talked about."""
        return min(len(exact_tokens(line)), 4) * 0.5 + self.share(line)


def said_entries(message: Message, order: int, opening: bool) -> Iterator[Entry]:
    """The entries of the text of one message; ``opening`` marks the first request."""
    by_user = message.role == "user"
    for text, above in _sentences(message.text):
        text = clipped(FILLER.sub("", text.strip()), MAX_ENTRY_CHARACTERS)
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
    kind, base = next((kind, worth) for kind, cue, worth in _REPORTS if cue.search(text))
    worth = specificity(text) + base + bonus
    worth += 0.7 if REASON.search(text) and kind != "next" else 0.0
    worth -= 1.5 if PLAN.match(text) else 0.0
    worth -= 1.0 if POINTING.match(text) else 0.0
    worth -= 1.5 if text.endswith("?") else 0.0
    return Entry(kind, text, worth, order)
