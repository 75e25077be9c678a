"""Views that are no honest account of their log: foreign names, foreign wordings, bare lists.

A view from a cache with too short a key states names from elsewhere, and a strategy that reads the
case files has the texts or keys of facts. A summary may do either by chance, so that only a view
with most of its names, or of the wordings, from elsewhere is marked; and one that is mostly a list
of names, which says of none what it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain
from typing import Final

from pytest_compaction.case import Case, Fact
from pytest_compaction.conversation import Message, leading_system, readable
from pytest_compaction.text import normalize

LEAST: Final = 5
"""The fewest foreign names of a foreign view: with less there is little to go by."""
SHOWN: Final = 5
"""The most names, or facts, that are kept."""
_PART: Final = 1_000_000
"""Characters of a part of a log, at least."""
LEAST_WORDINGS: Final = 4
"""The fewest such wordings of a marked view: one or two may be chance."""
_WORDS: Final = 5
"""The fewest words of a wording: a shorter one, any summary may have."""
_WORD: Final = re.compile(r"\w+")
_Words = tuple[str, ...]
_WORDINGS: Final[tuple[Callable[[Fact], Iterable[str]], ...]] = (
    lambda fact: (fact.text,),
    lambda fact: (group[0] for group in fact.keys if len(fact.keys) > 1),
    lambda fact: (key for group in fact.keys for key in group if len(fact.keys) > 1),
)
"""Parts of a fact that may be copied: its text, the first key of each group, all keys."""


@dataclass(frozen=True, slots=True)
class ForeignNames:
    """The first names of a view that its log lacks, ``count`` of all ``of`` its paths and names."""

    names: tuple[str, ...] = ()
    count: int = 0
    of: int = 0

    @property
    def make_it_foreign(self) -> bool:
        """Whether most names of the view come from elsewhere, and not just a few."""
        return self.count >= LEAST and 2 * self.count > self.of


def foreign_names(view: Sequence[Message], log: Sequence[str]) -> ForeignNames:
    """The paths and names of a view that its log, given as normalised texts, lacks."""
    from pytest_compaction.text import claims  # takes long to import

    whole = frozenset(log)  # to look for a message in all of a long log takes long
    parts = tuple(_parts(log))

    def is_said(text: str) -> bool:
        return text in whole or any(text in part for part in parts)

    named = {
        claim.text: normalize(claim.text.rstrip("/").rpartition("/")[2])
        for message in view
        if not is_said(normalize(text := readable(message)))
        for claim in claims(text)
        if claim.kind in {"path", "name"}
    }
    lacking = [name for name, last in named.items() if not is_said(last)]
    return ForeignNames(tuple(lacking[:SHOWN]), len(lacking), len(named))


def _parts(texts: Iterable[str]) -> Iterator[str]:
    """The texts joined to parts of some size; joined to one, they would be held twice at once."""
    held: list[str] = []
    size = 0
    for text in texts:
        held.append(text)
        size += len(text)
        if size >= _PART:
            yield "\n".join(held)
            held, size = [], 0
    yield "\n".join(held)


@dataclass(frozen=True, slots=True)
class ForeignWordings:
    """The first facts of which a view has the case file's wording and its log has not.

    ``of`` counts the facts with a wording that the log lacks; all are empty with next to none.
    """

    texts: tuple[str, ...] = ()
    count: int = 0
    of: int = 0

    @property
    def come_from_the_case(self) -> bool:
        """Whether the view has at least half of the wordings, and not just a few."""
        return self.count >= LEAST_WORDINGS and 2 * self.count >= self.of


def foreign_wordings(
    made: Iterable[str], facts: Iterable[Fact], log: Sequence[str]
) -> ForeignWordings:
    """The facts whose wording stands in normalised texts that a strategy made and not in its log.

    The words may stand in any order, with nothing between. Of the ways to copy a fact the one
    counts by which most are found. Paths are left out: an honest list of files says the same.
    """
    windows = _Windows([word for text in made for word in _WORD.findall(text)])
    said = ""
    best = ForeignWordings()
    different = {fact.text: fact for fact in facts if fact.type != "path"}
    for wording in _WORDINGS:
        worded = {text: _words_of(wording(fact)) for text, fact in different.items()}
        worded = {text: words for text, words in worded.items() if len(words) >= _WORDS}
        found = {text: there for text, words in worded.items() if (there := windows.like(words))}
        if len(found) <= best.count or len(found) < LEAST_WORDINGS:
            continue
        said = said or f" {' '.join(word for text in log for word in _WORD.findall(text))} "
        foreign = {text for text, there in found.items() if f" {' '.join(there)} " not in said}
        if len(foreign) > best.count and len(foreign) >= LEAST_WORDINGS:
            of = sum(t in foreign or f" {' '.join(w)} " not in said for t, w in worded.items())
            shown = [text for text in found if text in foreign][:SHOWN]
            best = ForeignWordings(tuple(shown), len(foreign), of)
    return best


class _Windows:
    """Finds words that stand together in a text, in any order."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words = words
        self._different = frozenset(words)
        self._sums = list(accumulate(map(hash, words), initial=0))
        self._starts: dict[int, dict[int, int]] = {}

    def like(self, words: _Words) -> _Words:
        """The words in the order in which they stand together; empty if they do not."""
        if not self._different.issuperset(words):
            return ()
        size = len(words)
        if size not in self._starts:  # equal words in any order have equal sums of hashes
            pairs = zip(self._sums, self._sums[size:], strict=False)
            self._starts[size] = {last - first: start for start, (first, last) in enumerate(pairs)}
        start = self._starts[size].get(sum(map(hash, words)))
        return () if start is None else tuple(self._words[start : start + size])


def _words_of(texts: Iterable[str]) -> _Words:
    return tuple(word for text in texts for word in _WORD.findall(normalize(text)))


LEAST_LISTED: Final = 40
"""The fewest words of a marked list: a short one is a part of a summary."""
_MOSTLY: Final = 0.6
"""The share of the words of a view that are names in bare lists, from which on it is marked."""
_BARE: Final = 0.8
"""The share of the words of a line that are names, from which on it says nothing of them."""
_FENCES: Final = ("```", "~~~")
_PARTS_OF_LINE: Final = re.compile(r"[\s,;|]+")
_BULLET: Final = re.compile(r"^\s*(?:[-*•+]|\d{1,3}[.)])\s+")
_NAME: Final = re.compile(r"`[^`]+`|[\w./@%+:#$-]*[\w./@%+#$-]")
_TELLING: Final = re.compile(r"[`/_.\d]|[^\W_][A-Z]")
"""A word in the signs of names is a name if it has one of these."""


@dataclass(frozen=True, slots=True)
class ListedNames:
    """How many words of a view stand in lines of names alone, of how many outside of code."""

    count: int = 0
    of: int = 0

    @property
    def make_the_view(self) -> bool:
        """Whether most of the view is a bare list."""
        return self.count >= LEAST_LISTED and self.count >= _MOSTLY * self.of


def listed_names(view: Iterable[str], made: Iterable[str]) -> ListedNames:
    """The words of the texts that a strategy ``made`` in lines of names, of all of its ``view``.

    In such a line four of five words are a path, an identifier, a number, or in backticks.
    """
    listed = 0
    for line in chain.from_iterable(map(_outside_code, made)):
        words = [word for word in _PARTS_OF_LINE.split(_BULLET.sub("", line)) if word]
        bare = (word.strip("\"'()[]<>") for word in words)
        names = sum(bool(_NAME.fullmatch(word) and _TELLING.search(word)) for word in bare)
        listed += len(line.split()) if names and names >= _BARE * len(words) else 0
    lines = chain.from_iterable(map(_outside_code, view))
    return ListedNames(listed, sum(len(line.split()) for line in lines))


def _outside_code(text: str) -> Iterator[str]:
    """The lines of a text that stand in no fenced block."""
    fenced = False
    for line in text.splitlines():
        if line.lstrip().startswith(_FENCES):
            fenced = not fenced
        elif not fenced:
            yield line


@lru_cache(maxsize=8)
def listed_in_view(view: tuple[Message, ...], case: Case) -> ListedNames:
    """The lists of names in the messages of a view that are not of its log; no system prompt."""
    log = frozenset(map(readable, case.messages))
    texts = [readable(message) for message in view[leading_system(view) :]]
    return listed_names(texts, (text for text in texts if text not in log))


@lru_cache(maxsize=8)  # the probes of a case follow one another and share a view
def foreign_to_case(view: tuple[Message, ...], case: Case, point: int) -> ForeignNames:
    """The names of a view after a point of a case that its log until there lacks."""
    return foreign_names(view, _normal_log(case)[: len(case.log_until(point))])


@lru_cache(maxsize=8)
def worded_as_case(view: tuple[Message, ...], case: Case, point: int) -> ForeignWordings:
    """The facts asked for after a point whose wording by the case file its log lacks."""
    log = _normal_log(case)[: len(case.log_until(point))]
    whole = frozenset(log)
    texts = (normalize(readable(message)) for message in view)
    made = [text for text in texts if text not in whole]
    facts = [fact for probe in case.probes if probe.point == point for fact in probe.facts]
    return foreign_wordings(made, facts, log)


@lru_cache(maxsize=2)  # points and strategies of a case follow one another
def _normal_log(case: Case) -> tuple[str, ...]:
    return tuple(normalize(readable(message)) for message in case.messages)
