"""A view as its reader has it: exchanges, and what was said in them, sentence by sentence."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import median
from typing import Final

from pytest_compaction.conversation.messages import Message
from pytest_compaction.text.words import content_stems, normalize, segments

_SPEAKER: Final = re.compile(
    r"^(?:\[[^\]\n]{1,40}, (?P<origin>user|assistant)\]|(?P<who>user|assistant):\s?)", re.IGNORECASE
)
_LEAD: Final = re.compile(
    r"^(?:as for|about|now to|regarding|concerning|i come from|so|by the way|before i forget"
    r"|here is|this is what|and another thing|what i wanted|since we|good to have|back to"
    r"|please remember|oh|well)\b[^,:.]{0,60}[,:]\s*(?:because |and |that )?",
    re.IGNORECASE,
)
_GOES_ON: Final = re.compile(
    r"^(?:by the way|before i forget|and another thing|this is what|here is|what i wanted"
    r"|since we|good to have|so,|oh,|also,)",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of the view; ``exchange`` is the number of the request that it belongs to."""

    text: str
    exchange: int
    by_user: bool

    @property
    def proper(self) -> str:
        """The sentence without the words that only lead to it."""
        return _LEAD.sub("", self.text, count=1) or self.text

    @property
    def normal(self) -> str:
        """The sentence proper, normalised."""
        return normalize(self.proper)

    @property
    def stems(self) -> frozenset[str]:
        """The stems of its words of content."""
        return frozenset(content_stems(self.normal))

    @property
    def asks(self) -> bool:
        """Whether it is a question, which states nothing."""
        return self.text.rstrip().endswith("?")


class Reading:
    """The statements of a view in order, and how common their wording is in it."""

    def __init__(self, view: Sequence[Message]) -> None:
        self.statements = tuple(_statements(view))
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
