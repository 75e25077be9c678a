"""An answer as rules read it: its sentences, what they say, and their words and values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pytest_compaction.case.nuggets import ABSTAINS
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.quantities.values import Value, values_of
from pytest_compaction.text.words import content_stems, normalize, segments

_NEAR: Final = 3
"""Neighbouring sentences that are read together."""
_TITLE: Final = re.compile(r"\b(Drs?|Mrs?|Ms|Prof|St)\.(?=\s)")
_SIDE: Final = re.compile(
    r"[;:]\s|,?\s(?:but|however|yet|while|whereas|although|though|elsewhere|and (?:later|also))\b",
    re.IGNORECASE,
)
"""Where one side of a contradiction ends and the other begins."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The stems and values of neighbouring sentences."""

    stems: frozenset[str]
    values: tuple[Value, ...]


@dataclass(frozen=True)
class Answer:
    """An answer, with the sentences that say something apart from those that abstain.

    ``whole`` counts all of them as saying something.
    """

    text: str
    question: str
    whole: bool = False

    @cached_property
    def sentences(self) -> list[str]:
        """All sentences; the point of a title ends none."""
        return segments(_TITLE.sub(r"\1", self.text))

    @cached_property
    def said(self) -> list[str]:
        """The sentences that do not say that there is no information."""
        return [text for text in self.sentences if self.whole or not ABSTAINS.search(text)]

    @cached_property
    def sides(self) -> list[str]:
        """The parts of what is said, each of which may be another side of a matter."""
        return [part for text in self.said for part in _SIDE.split(text) if part.strip()]

    @cached_property
    def index(self) -> TextIndex:
        """What is said, for the matcher."""
        return TextIndex("\n".join(self.said))

    @cached_property
    def asked(self) -> frozenset[str]:
        """The stems of the question."""
        return frozenset(content_stems(normalize(self.question)))

    @cached_property
    def given(self) -> tuple[Value, ...]:
        """The values of the question."""
        return values_of(normalize(self.question))

    @cached_property
    def stems(self) -> frozenset[str]:
        """All stems of what is said."""
        return frozenset(stem for text in self.said for stem in content_stems(normalize(text)))

    @cached_property
    def passages(self) -> list[Passage]:
        """What is said, in passages."""
        return passages_of(self.said)


def passages_of(texts: Sequence[str]) -> list[Passage]:
    """Each text with its next neighbours."""
    each = [(content_stems(normalize(text)), values_of(normalize(text))) for text in texts]
    found: list[Passage] = []
    for start in range(len(each)):
        near = each[start : start + _NEAR]
        stems = frozenset(stem for words, _ in near for stem in words)
        found.append(Passage(stems, tuple(value for _, values in near for value in values)))
    return found
