"""One line of an offline summary, while it is a candidate: its kind, its worth, its place."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from pytest_compaction.models.offline.cues import exact_tokens
from pytest_compaction.models.structured_summary import Source

Kind = Literal[
    "demand", "decision", "next", "error", "state", "finding", "outcome", "value", "file"
]
"""What an entry is about: what the user demanded, what was decided, and so on.

A ``finding`` was said, an ``outcome`` is what a command printed, a ``value`` stands in a file.
"""

SOURCE_OF: Final[Mapping[Kind, Source]] = {
    "demand": "intent",
    "decision": "decisions",
    "next": "next",
    "error": "errors",
    "state": "state",
    "finding": "values",
    "outcome": "values",
    "value": "values",
    "file": "files",
}
"""The source as which a section gathers an entry of a kind."""

MAX_ENTRY_CHARACTERS: Final = 320
FILE_LINE: Final = re.compile(
    r"^`(?P<path>[^`\s]+)` (?P<what>(?:created|modified|deleted|read|renamed from \S+?)"
    r"(?:, (?:created|modified|deleted|read|renamed from \S+?))*)(?:: (?P<details>.+))?$"
)
COMMAND_LINE: Final = re.compile(r"^`(?P<command>[^`]+)`: \S")
VALUE_LINE: Final = re.compile(r"^(?P<text>.+) \((?P<path>[\w./-]*\w\.\w+)\)$")
DEMAND_LEAD: Final = "User: "
LAST_RUN: Final = "Last test run: "

TokenCount = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Entry:
    """A candidate line; ``order`` is its place in the log, negative for a carried one.

    Of the entries with the same ``subject`` only the newest is true; an empty one stands
    for itself. ``detail`` may be added to the text where there is room.
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
