"""What a question is about, and which exchanges of the view are about the same thing.

A thing has several names and its own parts. So the exchanges that hold the name in the question
tell which words go with it, and these words find the other exchanges.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.models.offline.long_memory.reading import Reading
from pytest_compaction.text.words import STOPWORDS, content_stems, normalize

_WORD: Final = re.compile(r"[\w'\-]+")
_LONGEST: Final = 5
_LEAST_SEEN: Final = 2
_OFTEN: Final = 5
_LONGER: Final = 8
"""A name that stands often enough is better by so much for each of its words."""
_MOST_OF_ALL: Final = 0.25
"""The share of the exchanges that may be about a thing of its own."""
_FEW: Final = 15
_LIFT: Final = 4.0
"""A word tells the thing at first if it stands with its name so much more often than by chance."""
_ROUNDS: Final = ((0.0, 1.0), (0.5, 1.0), (0.6, 0.7))
"""How many of the exchanges with a word are about the thing, at least, if the word tells it, and
the sum of such shares that makes an exchange one about the thing."""
_MARKED: Final = re.compile(r"\b(?:of|for|with|at|about|on|to|in|by)\s+(?:the|my|our|a|an)\s*$")


@dataclass(frozen=True, slots=True)
class Subject:
    """The name of a thing in the question, normalised, and the exchanges that are about it."""

    name: str
    exchanges: frozenset[int]


def distinct_subject_of(question: str, reading: Reading) -> Subject | None:
    """The same, if it is a thing of its own: one that most exchanges are about tells nothing."""
    subject = subject_of(question, reading)
    if subject is None:
        return None
    held = sum(subject.name in text for text in reading.texts)
    few = len(subject.exchanges) <= max(_MOST_OF_ALL * reading.exchanges, _FEW)
    return subject if few and held >= _LEAST_SEEN else None


def subject_of(question: str, reading: Reading) -> Subject | None:
    """The thing that the question names and the view knows; ``None`` if there is none."""
    name = _name(question, reading)
    if name is None:
        return None
    held = [name in text for text in reading.texts]
    about = _about(held, reading.stems, frozenset(content_stems(name)))
    return Subject(name, _with_what_goes_on(about, reading))


def _name(question: str, reading: Reading) -> str | None:
    """The words of the question after "of the" or the like that the view repeats most."""
    normal = normalize(question)
    words = list(_WORD.finditer(normal))
    best, name = 0, None
    for first, word in enumerate(words):
        if word[0] in STOPWORDS or not _MARKED.search(normal[: word.start()]):
            continue
        for size in range(1, min(_LONGEST, len(words) - first) + 1):
            end = words[first + size - 1]
            text = normal[word.start() : end.end()]
            whole = re.compile(rf"\b{re.escape(text)}\b")
            held = sum(whole.search(said) is not None for said in reading.texts)
            rank = held * (size if held < _OFTEN else _LONGER**size)
            if rank > best and end[0] not in STOPWORDS:
                best, name = rank, text
    return name


def _about(
    held: Sequence[bool], stems: Sequence[frozenset[str]], own: frozenset[str]
) -> frozenset[int]:
    """The exchanges with enough words that hardly stand elsewhere, found in a few rounds."""
    total = Counter(stem for found in stems for stem in found)
    named = {number for number, is_held in enumerate(held) if is_held}
    chosen = named
    for share, enough in _ROUNDS:
        by_chance = _LIFT * len(chosen) / max(len(stems), 1)
        least = share or min(by_chance, 0.35)
        inside = Counter(stem for number in chosen for stem in stems[number])
        shares = {
            stem: count / total[stem]
            for stem, count in inside.items()
            if stem not in own and count >= _LEAST_SEEN and count >= least * total[stem]
        }
        chosen = named | {
            number
            for number, found in enumerate(stems)
            if sum(shares.get(stem, 0.0) for stem in found) >= enough
        }
    return frozenset(chosen)


def _with_what_goes_on(about: frozenset[int], reading: Reading) -> frozenset[int]:
    """With what follows an exchange and says by its first words that it only goes on."""
    found = set(about)
    for number in reading.going_on:
        if number - 1 in found:
            found.add(number)
    return frozenset(found)
