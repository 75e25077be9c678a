"""What all abilities share: a question with the truth of each nugget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_compaction.case.kinds import Ability

STATES = "LLM response should state: "
MENTIONS = "LLM response should mention: "


@dataclass(frozen=True, slots=True)
class Truth:
    """A nugget, and the keys of what was said that makes it true.

    ``words`` stand in the text of each key. They are empty where the nugget follows from several
    texts (a sum, a number of days) or is about the answer itself.
    """

    nugget: str
    words: str
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Probing:
    """A probing question. ``source`` names the keys of its evidence, by name or in order.

    ``remarks`` are what the user says elsewhere in words of the question, without an answer.
    ``rule`` is the key of a message and a word that it has to hold, where the question rests on
    what the user wants and no nugget repeats it.
    """

    ability: Ability
    question: str
    answer: str
    truths: tuple[Truth, ...]
    source: Mapping[str, Sequence[str]] | Sequence[str] | None = None
    remarks: tuple[str, ...] = ()
    rule: tuple[str, str] | None = None

    @property
    def keys(self) -> list[str]:
        """The keys of all its evidence."""
        lists = self.source.values() if isinstance(self.source, Mapping) else [self.source or ()]
        return [key for keys in lists for key in keys]


def stated(words: str, key: str, ask: str = STATES) -> Truth:
    """The truth of a nugget that one text states word for word."""
    return Truth(f"{ask}{words}", words, (key,))
