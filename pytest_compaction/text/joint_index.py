"""Many texts in one index, of which each, or the first so many, are read as if alone.

What a sentence does with a statement depends on its own text, up to the names that all texts
together show (see ``Naming``). So the sentences are found in one index, made once, and only
those that may state something are read, with the names of the texts that are asked.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Final, TypeVar

from pytest_compaction.text.by_number import ByNumber
from pytest_compaction.text.keys.alternatives import Wanted, path_keys
from pytest_compaction.text.matching import TextIndex
from pytest_compaction.text.overlap import PreparedText
from pytest_compaction.text.sentences.bounded_list import BoundedList
from pytest_compaction.text.sentences.groups import Weighed
from pytest_compaction.text.sentences.long_index import LongIndex
from pytest_compaction.text.sentences.long_lines import LongLines
from pytest_compaction.text.sentences.names import in_lower_case, proper_among
from pytest_compaction.text.sentences.sentence_index import SentenceIndex
from pytest_compaction.text.sentences.sentence_list import Naming, ShownNames, namings_of
from pytest_compaction.text.statement import Statement
from pytest_compaction.text.statement_keys import signature_of
from pytest_compaction.text.weighing import weigh_sentence
from pytest_compaction.text.words import path_suffixes

Groups = tuple[tuple[str, ...], ...]
K = TypeVar("K")
Q = TypeVar("Q")
_MOST: Final = 2_000
"""Questions of which the sentences that may answer them are held; beyond it all are dropped."""


class JointIndex:
    """An index of texts. Building is linear in them, and equal texts are read once.

    The texts are not held here: they may be made each time they are looked up.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self._firsts = _Firsts()
        places, self._number_of = _distinct(texts)
        distinct = ByNumber(lambda number: texts[places[number]], len(places))
        self._lines = LongLines(distinct)
        self._index = LongIndex(distinct, self._lines, self._firsts.note)
        self._alone = _named(self._lines, partial(_naming_alone, self._lines))
        self._beginnings: dict[int, BoundedList] = {}
        self._candidates: dict[Groups, list[int]] = {}
        self._literal: dict[str, list[int]] = {}

    def text(self, place: int) -> TextIndex:
        """The text at a place."""
        number = self._number_of[place]
        return _Part(self, self._alone, range(number, number + 1), lambda: self._apart(number))

    def beginning(self, end: int, apart: Callable[[], TextIndex]) -> TextIndex:
        """The texts before the place ``end``; ``apart`` makes an index of them alone.

        It is made for a statement without keys, which is read by the wording of the whole.
        """
        size = max(self._number_of[:end], default=-1) + 1
        if size not in self._beginnings:
            self._beginnings[size] = _named(self._lines, self._firsts.naming(size, self._lines))
        return _Part(self, self._beginnings[size], range(size), apart)

    def with_path(self, path: str) -> set[int]:
        """The places of the texts that name a path, fully or by a suffix."""
        if not path_suffixes(path):
            return set()
        of = self._lines.excerpt_of
        found = {of[number] for key in path_keys(path) for number in self._index.holders_of(key)}
        return {place for place, number in enumerate(self._number_of) if number in found}

    def candidates(self, keys: Groups, wanted: Wanted, texts: range) -> list[int]:
        """The sentences of some texts that may hold all groups, in order."""
        return self._of(texts, _held(self._candidates, keys, self._index.candidates, wanted))

    def literal(self, normal: str, texts: range) -> list[int]:
        """The sentences of some texts in which a normalised text stands, in order."""
        return self._of(texts, _held(self._literal, normal, self._index.literal, normal))

    def text_of(self, number: int) -> str:
        """A sentence as written."""
        return self._lines.text_of(number)

    def normal_of(self, number: int) -> str:
        """A sentence normalised."""
        return self._lines.normals[number]

    def _of(self, texts: range, numbers: list[int]) -> list[int]:
        first, end = self._lines.begins[texts.start], self._lines.begins[texts.stop]
        return numbers[bisect_left(numbers, first) : bisect_left(numbers, end)]

    def _apart(self, number: int) -> TextIndex:
        return TextIndex(self._lines.texts[number])


def _distinct(texts: Sequence[str]) -> tuple[list[int], list[int]]:
    """The place at which each distinct text comes first, and the number of each text among them."""
    places: list[int] = []
    numbers: dict[bytes, int] = {}
    number_of: list[int] = []
    for place, text in enumerate(texts):
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        if digest not in numbers:
            numbers[digest] = len(places)
            places.append(place)
        number_of.append(numbers[digest])
    return places, number_of


def _held(
    held: dict[K, list[int]], key: K, find: Callable[[Q], list[int]], question: Q
) -> list[int]:
    """What answers a question; found once while little is held."""
    if key not in held:
        if len(held) >= _MOST:
            held.clear()
        held[key] = find(question)
    return held[key]


class _Firsts:
    """In which text each name and word came first: enough to name any number of first texts."""

    def __init__(self) -> None:
        self._camel: dict[str, tuple[int, tuple[str, ...]]] = {}
        self._capitals: dict[str, int] = {}
        self._lower: dict[str, int] = {}

    def note(self, number: int, shown: ShownNames) -> None:
        """Take in the names of the next text."""
        for name, parts in shown.camel.items():
            self._camel.setdefault(name, (number, parts))
        for word in shown.capitals:
            self._capitals.setdefault(word, number)
        for word in shown.lower:
            self._lower.setdefault(word, number)

    def naming(self, size: int, lines: LongLines) -> Callable[[int], Naming]:
        """What names one of the first ``size`` texts, among them alone."""
        camel = in_lower_case(
            {name: parts for name, (number, parts) in self._camel.items() if number < size}
        )
        capitals = [word for word, number in self._capitals.items() if number < size]
        lower = frozenset(word for word in capitals if self._lower.get(word, size) < size)
        proper = proper_among(capitals, [lower])

        def of(number: int) -> Naming:
            tokens = lines.tokens_in(number)
            here = tuple((name, camel[name]) for name in sorted(camel.keys() & tokens))
            return Naming(here, proper & tokens)

        return of


def _naming_alone(lines: LongLines, number: int) -> Naming:
    """The names that a text shows by itself."""
    return namings_of([ShownNames.of(lines.texts[number], lines.tokens_in(number))])[0]


def _named(lines: LongLines, naming: Callable[[int], Naming]) -> BoundedList:
    """The sentences of all texts with the names that a choice of them shows."""
    names, size = _Names(naming), len(lines.texts)
    return BoundedList(lines, ByNumber(names.camel, size), ByNumber(names.proper, size))


class _Names:
    """The names of texts, found when they are asked for and then kept."""

    def __init__(self, naming: Callable[[int], Naming]) -> None:
        self._naming = naming
        self._camel: dict[int, Mapping[str, tuple[str, ...]]] = {}
        self._proper: dict[int, frozenset[str]] = {}

    def camel(self, number: int) -> Mapping[str, tuple[str, ...]]:
        """The words of the names in camel case in a text, in lower case."""
        self._find(number)
        return self._camel[number]

    def proper(self, number: int) -> frozenset[str]:
        """The proper names in a text."""
        self._find(number)
        return self._proper[number]

    def _find(self, number: int) -> None:
        if number not in self._camel:
            naming = self._naming(number)
            self._camel[number], self._proper[number] = dict(naming.camel), naming.proper


class _Part(TextIndex):
    """Some texts of a joint index. What is not asked by key groups is asked of them apart."""

    def __init__(
        self,
        joint: JointIndex,
        sentences: BoundedList,
        texts: range,
        apart: Callable[[], TextIndex],
    ) -> None:
        self.touched = 0
        self._joint = joint
        self._sentences = sentences
        self._of = texts
        self._make = apart

    @cached_property
    def _apart(self) -> TextIndex:
        return self._make()

    @property
    def _index(self) -> SentenceIndex:
        return self._apart._index

    @property
    def _graded(self) -> PreparedText:
        return self._apart._graded

    @property
    def characters(self) -> int:
        """The length of the texts."""
        return self._apart.characters

    def weighed(self, statement: Statement, wanted: Wanted) -> Iterator[tuple[str, Weighed]]:
        """The sentences that do something with the groups of a statement, in order."""
        meant = signature_of(statement)
        for number in self._joint.candidates(statement.keys, wanted, self._of):
            self.touched += 1
            weighed = weigh_sentence(self._sentences, number, wanted, meant, statement)
            if weighed is not None:
                yield self._joint.text_of(number), weighed

    def literal(self, normal: str) -> Iterator[tuple[str, str]]:
        """The sentences, normalised and as written, in which the normalised text stands."""
        for number in self._joint.literal(normal, self._of):
            yield self._joint.normal_of(number), self._joint.text_of(number)
