"""An answer as rules read it: its sentences, what they say, and their words and values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from pytest_compaction.case.remark_forms import ABSTAINS
from pytest_compaction.text.lexicon.synonyms import base_form, base_stem, senses
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.quantities.values import Value, values_of
from pytest_compaction.text.words import content_stems, normalize, segments, stem

_NEAR: Final = 3
"""Neighbouring sentences that are read together."""
_TITLE: Final = re.compile(r"\b(Drs?|Mrs?|Ms|Prof|St)\.(?=\s)")
_SIDE: Final = re.compile(
    r"[;:]\s|,?\s(?:but|however|yet|while|whereas|although|though|elsewhere|and (?:later|also))\b",
    re.IGNORECASE,
)
"""Where one side of a contradiction ends and the other begins."""


_JOINT: Final = re.compile(r"[,;]\s(?:and|but|though|although|while|whereas|yet)\s", re.IGNORECASE)
"""Where a clause ends and another one begins."""


_OF_SENSE: Final = 0.8
"""What a word of the same sense counts in place of a word."""


@dataclass(frozen=True)
class Passage:
    """The stems and values of neighbouring sentences."""

    stems: frozenset[str]
    values: tuple[Value, ...]

    def share(self, words: frozenset[str]) -> float:
        """The share of some stems that it holds; one of the same sense counts in part."""
        if not words:
            return 0.0
        return sum(self._holds(word) for word in words) / len(words)

    def _holds(self, word: str) -> float:
        if word in self.stems:
            return 1.0
        meant = senses(word)
        return _OF_SENSE if meant and not meant.isdisjoint(self._senses) else 0.0

    @cached_property
    def _senses(self) -> frozenset[int]:
        return frozenset(sense for each in self.stems for sense in senses(each))


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
        """What the sentences say before they say that there is no information."""
        if self.whole:
            return self.sentences
        return list(filter(None, map(_before_abstaining, self.sentences)))

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
        return stems_of(self.question)

    @cached_property
    def given(self) -> tuple[Value, ...]:
        """The values of the question."""
        return values_of(normalize(self.question))

    @cached_property
    def stems(self) -> frozenset[str]:
        """All stems of what is said."""
        return frozenset(each for text in self.said for each in stems_of(text))

    @cached_property
    def passages(self) -> list[Passage]:
        """What is said, in passages."""
        return passages_of(self.said)

    @cached_property
    def all(self) -> Passage:
        """All that is said, as one passage."""
        return Passage(self.stems, tuple(v for each in self.passages for v in each.values))


def _before_abstaining(sentence: str) -> str:
    """The sentence up to the clause that says that there is no information; all without one."""
    match = ABSTAINS.search(sentence)
    if match is None:
        return sentence
    *_, end = 0, *(joint.start() for joint in _JOINT.finditer(sentence, 0, match.start()))
    return sentence[:end]


def stems_of(text: str) -> frozenset[str]:
    """The stems of a text, without the words as they stand, which :func:`content_stems` has too."""
    forms = frozenset(content_stems(normalize(text)))
    left = (form for form in forms if stem(form) == form or stem(form) not in forms)
    return frozenset(base_stem(form) if base_form(form) != form else form for form in left)


def passages_of(texts: Sequence[str]) -> list[Passage]:
    """Each text with its next neighbours."""
    each = [(stems_of(text), values_of(normalize(text))) for text in texts]
    found: list[Passage] = []
    for start in range(len(each)):
        near = each[start : start + _NEAR]
        stems = frozenset(each for words, _ in near for each in words)
        found.append(Passage(stems, tuple(value for _, values in near for value in values)))
    return found
