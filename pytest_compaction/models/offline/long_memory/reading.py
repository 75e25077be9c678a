"""A view as its reader has it: exchanges, and what was said in them, sentence by sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from statistics import median
from typing import Final

from pytest_compaction.conversation.messages import Message
from pytest_compaction.models.offline.long_memory.dates import holds_date, year_of
from pytest_compaction.models.offline.long_memory.relevance import Relevance
from pytest_compaction.models.offline.long_memory.statement import Statement
from pytest_compaction.text.words import content_stems, normalize, segments

_SPEAKER: Final = re.compile(
    r"^(?:\[[^\]\n]{1,40}, (?P<origin>user|assistant)\]|(?P<who>user|assistant):\s?)", re.IGNORECASE
)
_GOES_ON: Final = re.compile(
    r"^(?:by the way|before i forget|and another thing|this is what|here is|what i wanted"
    r"|since we|good to have|so,|oh,|also,)",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"\w+")
_YEAR: Final = re.compile(r"\b(?:19|20)\d\d\b")
_BLOCK: Final = re.compile(r"^```\w+\n.*?^```", re.MULTILINE | re.DOTALL)
_BEFORE: Final = 300
"""Characters before a block of code that tell what it is about."""
_LINES: Final = 24
"""Lines of a block that are shown."""


class Reading:
    """The statements of a view in order, and how common their wording is in it."""

    def __init__(self, view: Sequence[Message]) -> None:
        self.statements = tuple(_statements(view))
        self._view = view
        self.characters = sum(len(said.text) for said in self.statements)
        self.exchanges = max((said.exchange for said in self.statements), default=-1) + 1

    @cached_property
    def told(self) -> tuple[Statement, ...]:
        """What the user told, each sentence once, questions aside."""
        seen: set[tuple[int, str]] = set()
        found: list[Statement] = []
        for said in self.statements:
            if said.by_user and not said.asks and (said.exchange, said.text) not in seen:
                seen.add((said.exchange, said.text))
                found.append(said)
        return tuple(found)

    @cached_property
    def relevance(self) -> Relevance:
        """How much each statement has to do with a question."""
        return Relevance(self.statements)

    @cached_property
    def dated(self) -> tuple[int, ...]:
        """The numbers of the statements that name a day."""
        return tuple(n for n, said in enumerate(self.statements) if holds_date(said.normal))

    @cached_property
    def year(self) -> int:
        """The year of dates that do not say one."""
        return year_of(said.normal for said in self.statements if _YEAR.search(said.text))

    def opening(self, exchange: int, words: int) -> str:
        """The first so many words of what the user told in an exchange, code left out."""
        told = " ".join(said.text for said in self._of_user[exchange] if said.is_prose)
        return " ".join(told.split()[:words])

    @cached_property
    def _of_user(self) -> tuple[tuple[Statement, ...], ...]:
        found: list[list[Statement]] = [[] for _ in range(self.exchanges)]
        for said in self.statements:
            if said.by_user:
                found[said.exchange].append(said)
        return tuple(map(tuple, found))

    def code_on(self, terms: Sequence[str]) -> list[str]:
        """The block of code that shares most of these stems with its message, if any does."""
        shares = [self.relevance.share(terms, stems) for stems, _ in self._blocks]
        best = max(range(len(shares)), key=lambda number: shares[number], default=None)
        return [self._blocks[best][1]] if best is not None and shares[best] > 0 else []

    @cached_property
    def _blocks(self) -> list[tuple[frozenset[str], str]]:
        found: list[tuple[frozenset[str], str]] = []
        for message in self._view:
            for match in _BLOCK.finditer(message.text):
                before = message.text[max(match.start() - _BEFORE, 0) : match.end()]
                lines = match[0].splitlines()
                if len(lines) > _LINES:
                    lines = [*lines[:_LINES], "```"]
                found.append((frozenset(content_stems(normalize(before))), "\n".join(lines)))
        return found

    def commonness(self, said: Statement) -> float:
        """How many sentences hold a middling pair of words of this one: small talk repeats."""
        pairs = _pairs(said.normal)
        return median(self._counts[pair] for pair in pairs) if pairs else 0.0

    @cached_property
    def _counts(self) -> Counter[tuple[str, str]]:
        return Counter(pair for said in self.told for pair in set(_pairs(said.normal)))

    @cached_property
    def going_on(self) -> tuple[int, ...]:
        """The exchanges in which the user only goes on with the subject of the one before."""
        return tuple(sorted({said.exchange for said in self.told if _GOES_ON.match(said.text)}))

    @cached_property
    def stems(self) -> tuple[frozenset[str], ...]:
        """The stems of each exchange, of both speakers."""
        found: list[set[str]] = [set() for _ in range(self.exchanges)]
        for said in self.statements:
            found[said.exchange].update(content_stems(normalize(said.text)))
        return tuple(map(frozenset, found))

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The normalised text of each exchange."""
        found: list[list[str]] = [[] for _ in range(self.exchanges)]
        for said in self.statements:
            found[said.exchange].append(normalize(said.text))
        return tuple(" ".join(parts) for parts in found)


def _pairs(normal: str) -> list[tuple[str, str]]:
    return list(pairwise(_WORD.findall(normal)))


def _statements(view: Sequence[Message]) -> Iterator[Statement]:
    exchange, last = -1, ""
    for message in view:
        if message.role == "system" and message.origin == "log":
            continue
        for speaker, line in _lines(message):
            begins = speaker != "assistant" and (speaker != last or message.origin == "log")
            if begins or speaker == "note" or exchange < 0:
                exchange += 1
            last = speaker
            for text in segments(line):
                yield Statement(text, exchange, speaker != "assistant")


def _lines(message: Message) -> Iterable[tuple[str, str]]:
    """The text with its speaker; a record of several speakers is cut where they change.

    A note without a speaker stands for itself.
    """
    if message.origin == "log":
        return [(message.role, message.text)]
    speaker = "note"
    found: list[tuple[str, str]] = []
    for line in message.text.splitlines():
        match = _SPEAKER.match(line)
        if match:
            speaker = (match["origin"] or match["who"]).lower()
        found.append((speaker, line[match.end() :] if match else line))
    return found
