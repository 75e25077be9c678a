"""The sentences of a text with an index of their words, names, paths and values."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from typing import Final

from pytest_compaction.text.keys.alternatives import (
    Alternative,
    Key,
    Term,
    alternative,
    is_value,
    path_keys,
)
from pytest_compaction.text.lexicon.expressions import forms_of_words
from pytest_compaction.text.lexicon.phrases import places_of
from pytest_compaction.text.lexicon.relations import Relation
from pytest_compaction.text.quantities.held import held_values
from pytest_compaction.text.sentences.clauses import Sentence, sentences
from pytest_compaction.text.sentences.parsed import Parsed, bounded_find, parse
from pytest_compaction.text.sentences.passages import SENTENCES, joined
from pytest_compaction.text.sentences.things import proper_names
from pytest_compaction.text.words import (
    canonical_number,
    is_path,
    normalize,
    path_suffixes,
    raw_tokens,
    stem,
    token_forms,
)

_CAMEL: Final = re.compile(r"\b[A-Za-z]?[a-z0-9]+(?:[A-Z][a-z0-9]+)+\b|\b(?:[A-Z][a-z0-9]+){2,}\b")
_HUMP: Final = re.compile(r"[A-Z]?[a-z]+")


class SentenceIndex:
    """The sentences of a text, found by what they hold. Building is linear in the text.

    Sentences are named by their number. What takes longer, values and cues, is read when asked
    for and then kept.
    """

    def __init__(self, text: str) -> None:
        self._normal = f" {normalize(text)} "
        self.sentences = sentences(text)
        self.normals = [normalize(sentence.text) for sentence in self.sentences]
        self._names = camel_names(text)
        self._proper = proper_names(text)
        self._holders: dict[Key, list[int]] = defaultdict(list)
        self._held: dict[int, frozenset[Key]] = {}
        self._parsed: dict[int, Parsed] = {}
        self._phrased: dict[Key, frozenset[int]] = {}
        self._joined = "\n".join(self.normals)
        self._starts = list(accumulate((len(one) + 1 for one in self.normals), initial=0))
        for number, normal in enumerate(self.normals):
            forms = set[Key]().union(*map(_posted, raw_tokens(normal)))
            for name in self._names.keys() & forms if self._names else ():
                forms.update(self._names[str(name)])
            for form in forms:
                self._holders[form].append(number)

    def has_token(self, token: str) -> bool:
        """Whether the text holds this token, number, identifier or path suffix."""
        normal = normalize(token)
        return canonical_number(normal) in self._holders or (
            is_path(normal) and "/".join(path_suffixes(normal)[:1]) in self._holders
        )

    def contains(self, text: str) -> bool:
        """Whether the normalised ``text`` stands in the text between word boundaries."""
        return bounded_find(normalize(text), self._normal) >= 0

    def has_path(self, path: str) -> bool:
        """Whether the text names this path, fully or by a suffix on component boundaries."""
        return any(key in self._holders for key in path_keys(path)) and bool(path_suffixes(path))

    def is_removed(self, number: int) -> bool:
        """Whether a diff takes this line away."""
        return self.sentences[number].removed

    def parsed(self, number: int) -> Parsed:
        """The sentence with this number, prepared for questions."""
        if number not in self._parsed:
            sentence = self.sentences[number]
            normal = self.normals[number]
            proper = self._proper.intersection(raw_tokens(normal))
            self._parsed[number] = parse(normal, self._names, sentence.code, proper)
        return self._parsed[number]

    def beside(self, number: int) -> list[int]:
        """Sentences near this one in the same bullet or paragraph: they may share a passage."""
        sentence, away = self.sentences[number], SENTENCES - 1
        around = range(max(number - away, 0), min(number + away + 1, len(self.sentences)))
        return [beside for beside in around if self._is_beside(beside, number, sentence)]

    def around(self, number: int) -> Parsed:
        """The sentence with those beside it, read as one."""
        return joined([self.parsed(one) for one in sorted([number, *self.beside(number)])])

    def _is_beside(self, beside: int, number: int, sentence: Sentence) -> bool:
        """Whether both stand in one block, and neither is the lead-in of the other."""
        other = self.sentences[beside]
        return (
            beside != number
            and other.block == sentence.block
            and beside not in sentence.context
            and number not in other.context
        )

    def passages(self, number: int) -> list[range]:
        """The passages that hold this sentence, short ones first."""
        near = [*self.beside(number), number]
        low, high = min(near), max(near)
        return [
            range(first, first + size)
            for size in range(2, SENTENCES + 1)
            for first in range(number - size + 1, number + 1)
            if low <= first and first + size - 1 <= high
        ]

    def near(self, numbers: set[int]) -> set[int]:
        """These sentences, and those whose groups may count together with theirs."""
        near = set(numbers)
        for number in numbers:
            sentence = self.sentences[number]
            near.update(sentence.context)
            near.update(range(number, max(sentence.last, number) + 1))
            near.update(self.beside(number))
        return near

    def holders(self, terms: Sequence[Term], near: set[int] | None = None) -> set[int]:
        """The sentences, among those in ``near`` if it is given, that hold all of these terms.

        Values are read only in sentences that hold the words of the terms, or that are near.
        """
        found: set[int] | None = None
        for term in terms:
            if not is_value(term):
                holders = self._holders_of_word(term)
                found = holders if found is None else found & holders
                if not found:
                    return set()
        for term in terms:
            if is_value(term):
                within = found if found is not None else near
                numbers = range(len(self.normals)) if within is None else within
                found = {
                    number for number in numbers if not self._values(number).isdisjoint(term.keys)
                }
        return found or set()

    def holders_of_group(self, group: Sequence[Alternative], near: set[int] | None) -> set[int]:
        """The sentences, among those in ``near`` if given, that hold one of the alternatives."""
        found: set[int] = set()
        for wanted in group:
            found |= self.holders(wanted.terms, near)
            if wanted.relation and wanted.relation.first:
                found |= self._holders_of_sides(wanted.relation, near)
        return found

    def _holders_of_sides(self, relation: Relation, near: set[int] | None) -> set[int]:
        """The sentences with one side of a direction and the other one beside them."""
        first, second = (
            self.holders(alternative(side).terms, near)
            for side in (relation.first, relation.second)
        )
        return {number for number in first if not second.isdisjoint(self.beside(number))}

    def _holders_of_word(self, term: Term) -> set[int]:
        found = {number for key in term.keys for number in self._holders.get(key, ())}
        for key in term.keys:
            found |= self._holders_of_phrase(key)
        if term.parts:
            rows = [set(self._holders.get(part, ())) for part in term.parts]
            found |= set.intersection(*rows)
        return found

    def _holders_of_phrase(self, word: Key) -> frozenset[int]:
        """The sentences with a set expression that stands for the word, or with its words."""
        if isinstance(word, str) and " " in word:
            rows = [
                {number for form in forms for number in self._holders.get(form, ())}
                for forms in forms_of_words(word)
            ]
            return frozenset.intersection(*map(frozenset, rows))
        if word not in self._phrased:
            places = places_of(word, self._joined) if isinstance(word, str) else ()
            self._phrased[word] = frozenset(bisect_right(self._starts, at) - 1 for at in places)
        return self._phrased[word]

    def _values(self, number: int) -> frozenset[Key]:
        if number not in self._held:
            self._held[number] = frozenset(key for key, _ in held_values(self.normals[number]))
        return self._held[number]

    def literal(self, normal: str) -> list[int]:
        """The sentences in which the normalised text stands, if it has words."""
        forms = [form for token in raw_tokens(normal) for form in token_forms(token)[:1]]
        if not forms:
            return []
        rare = min((self._holders.get(form, []) for form in forms), key=len)
        return [number for number in rare if bounded_find(normal, self.normals[number]) >= 0]


@lru_cache(maxsize=65536)
def _posted(token: str) -> tuple[Key, ...]:
    """What a token of a text can be looked up by."""
    if is_path(token):
        return (*token_forms(token), ("path", "/".join(path_suffixes(token)[:1])))
    return token_forms(token)


def camel_names(text: str) -> dict[str, tuple[str, ...]]:
    """The stems of the words of each name in camel case, by the name in lower case.

    Of two spellings of one name the last in order counts.
    """
    names: dict[str, tuple[str, ...]] = {}
    for name in sorted(set(_CAMEL.findall(text))):
        parts = _HUMP.findall(name)
        if len(parts) > 1:
            names[name.casefold()] = tuple(stem(part.lower()) for part in parts)
    return names
