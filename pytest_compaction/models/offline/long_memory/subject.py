"""What a question is about, and which exchanges of the view are about the same thing.

A thing has several names and its own parts. So the exchanges that hold the name in the question
tell which words go with it, and these words find the other exchanges.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import Final

from pytest_compaction.models.offline.long_memory.reading import Reading
from pytest_compaction.text.words import STOPWORDS, content_stems, normalize

_WORD: Final = re.compile(r"[\w'\-]+")
_LONGEST: Final = 5
_ROUNDS: Final = 3
_SMOOTH: Final = 0.5
_LEAST_SEEN: Final = 2
_CLEAR: Final = 4.0
_MARKED: Final = re.compile(r"\b(?:of|for|with|at|about|on|to|in|by)\s+(?:the|my|our|a|an)\s*$")


@dataclass(frozen=True, slots=True)
class Subject:
    """The name of a thing in the question, normalised, and the exchanges that are about it."""

    name: str
    exchanges: frozenset[int]


def subject_of(question: str, reading: Reading) -> Subject | None:
    """The thing that the question names and the view knows; ``None`` if there is none."""
    name = _name(question, reading)
    if name is None:
        return None
    held = [name in text for text in reading.texts]
    return Subject(name, _about(held, reading.stems, frozenset(content_stems(name))))


def _name(question: str, reading: Reading) -> str | None:
    """The longest words of the question after "of the" or the like that stand in the view."""
    normal = normalize(question)
    whole = "\n".join(reading.texts)
    best: tuple[int, int] | None = None
    name = None
    words = list(_WORD.finditer(normal))
    for first, word in enumerate(words):
        if not _MARKED.search(normal[: word.start()]):
            continue
        for last in range(min(len(words), first + _LONGEST), first, -1):
            end = words[last - 1]
            text = normal[word.start() : end.end()]
            if word[0] in STOPWORDS or end[0] in STOPWORDS or not re.search(
                rf"\b{re.escape(text)}\b", whole
            ):
                continue
            rank = (last - first, whole.count(text))
            if best is None or rank > best:
                best, name = rank, text
            break
    return name


def _about(
    held: Sequence[bool], stems: Sequence[frozenset[str]], own: frozenset[str]
) -> frozenset[int]:
    chosen = {number for number, is_held in enumerate(held) if is_held}
    total = Counter(stem for found in stems for stem in found)
    for _ in range(_ROUNDS):
        inside = Counter(stem for number in chosen for stem in stems[number])
        outside = len(stems) - len(chosen)
        weights = {
            stem: log(
                ((count + _SMOOTH) / (len(chosen) + 1))
                / ((total[stem] - count + _SMOOTH) / (outside + 1))
            )
            for stem in total
            if total[stem] >= _LEAST_SEEN or stem in own
            for count in (inside[stem],)
        }
        strong = {stem: weight for stem, weight in weights.items() if abs(weight) > 1}
        scores = [sum(strong.get(stem, 0.0) for stem in found) for found in stems]
        chosen = {n for n, score in enumerate(scores) if score >= _CLEAR}
    return frozenset(chosen)
