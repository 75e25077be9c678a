"""The sentences of a text with an index of their words, names, paths and values."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from typing import Final

from pytest_compaction.text.keys.alternatives import (
    Alternative,
    Key,
    Term,
    Wanted,
    alternative,
    has_words,
    is_value,
    path_keys,
)
from pytest_compaction.text.lexicon.expressions import forms_of_words
from pytest_compaction.text.lexicon.phrases import lines_with_phrases, phrases_in
from pytest_compaction.text.lexicon.relations import Relation
from pytest_compaction.text.quantities.held import held_values
from pytest_compaction.text.sentences.parsed import bounded_find
from pytest_compaction.text.sentences.postings import Postings
from pytest_compaction.text.sentences.sentence_list import (
    Excerpt,
    HeldLines,
    Lines,
    Naming,
    SentenceList,
    namings_of,
)
from pytest_compaction.text.words import (
    canonical_number,
    is_path,
    normalize,
    path_suffixes,
    raw_tokens,
    token_forms,
)

_NOTHING: Final[frozenset[Key]] = frozenset()


class SentenceIndex(SentenceList):
    """Sentences found by what they hold. Building is linear in the text.

    What takes longer, values and phrases, is read when asked for and then kept.
    """

    def __init__(
        self,
        lines: Lines,
        postings: Postings,
        names: Sequence[Mapping[str, tuple[str, ...]]],
        proper: Sequence[frozenset[str]],
    ) -> None:
        """The sentences, the tokens in them, and the names that each excerpt has."""
        super().__init__(lines, names, proper)
        self._postings = postings
        self._postings.split_names(self.excerpt_of, names)
        self._held: dict[int, frozenset[Key]] = {}
        self._of_terms: dict[Term, frozenset[int]] = {}

    @classmethod
    def of(cls, text: str) -> SentenceIndex:
        """The sentences of one text."""
        excerpt = Excerpt.of(text)
        return cls.of_excerpts([excerpt], namings_of([excerpt.shown]))

    @classmethod
    def of_excerpts(cls, excerpts: Sequence[Excerpt], namings: Sequence[Naming]) -> SentenceIndex:
        """The sentences of excerpts, with the names that each has."""
        lines = HeldLines.of(excerpts)
        names = [dict(naming.camel) for naming in namings]
        return cls(lines, Postings(lines.tokens_of), names, [one.proper for one in namings])

    @cached_property
    def _normal(self) -> str:
        return f" {' '.join(map(normalize, self._lines.texts))} "

    def has_token(self, token: str) -> bool:
        """Whether the text holds this token, number, identifier or path suffix."""
        normal = normalize(token)
        return canonical_number(normal) in self._postings or (
            is_path(normal) and "/".join(path_suffixes(normal)[:1]) in self._postings
        )

    def contains(self, text: str) -> bool:
        """Whether the normalised ``text`` stands in the text between word boundaries."""
        return bounded_find(normalize(text), self._normal) >= 0

    def has_path(self, path: str) -> bool:
        """Whether the text names this path, fully or by a suffix on component boundaries."""
        return any(key in self._postings for key in path_keys(path)) and bool(path_suffixes(path))

    def near(self, numbers: set[int]) -> set[int]:
        """These sentences, and those whose groups may count together with theirs."""
        near = set(numbers)
        for number in numbers:
            sentence = self.sentences[number]
            near.update(sentence.context)
            near.update(range(number, max(sentence.last, number) + 1))
            near.update(self.beside(number))
        return near

    def candidates(self, wanted: Wanted) -> list[int]:
        """The sentences that may hold all groups, with what stands above or before them."""
        named = [group for group in wanted if all(map(has_words, group))]
        holders: list[set[int]] = []
        for group in named:
            holders.append(self.holders_of_group(group, None))
            if not holders[-1]:
                return []
        near = self.near(min(holders, key=len)) if holders else None
        figures = [group for group in wanted if group not in named]
        holders.extend(self.holders_of_group(group, near) for group in figures)
        if not all(holders):
            return []
        if len(holders) == 1:
            return sorted(holders[0])
        holders.sort(key=len)
        rare, others = holders[0], [sorted(other) for other in holders[1:]]
        found = set(rare)
        for number in rare:
            found.update(self.beside(number))
            last = self.sentences[number].last
            if last > number:
                for numbers in others:
                    low, high = bisect_right(numbers, number), bisect_right(numbers, last)
                    found.update(numbers[low:high])
        return self._with_all(sorted(found), wanted)

    def _with_all(self, numbers: Sequence[int], wanted: Wanted) -> list[int]:
        """The sentences that have all groups, or could with what stands above and beside them.

        The words of one alternative may be spread over a passage.
        """
        for group in wanted:
            if any(one.relation for one in group):
                continue
            if not numbers:
                break
            asked = [[self._holders_of_term(term) for term in one.terms] for one in group]
            numbers = [number for number in numbers if self._could_hold(number, asked)]
        return list(numbers)

    def _could_hold(self, number: int, asked: Sequence[Sequence[frozenset[int] | Term]]) -> bool:
        """Whether all terms of one alternative stand in or near a sentence."""
        near = [number, *self.sentences[number].context, *self.beside(number)]
        for terms in asked:
            for holders in terms:
                if isinstance(holders, frozenset):
                    if holders.isdisjoint(near):
                        break
                elif all(self._values(one).isdisjoint(holders.among) for one in near):
                    break
            else:
                return True
        return False

    def _holders_of_term(self, term: Term) -> frozenset[int] | Term:
        """The sentences with the words of a term; the term itself if it asks for a value."""
        return term if is_value(term) else self._holders_of_word(term)

    def holders(
        self, terms: Sequence[Term], near: AbstractSet[int] | None = None
    ) -> AbstractSet[int]:
        """The sentences, among those in ``near`` if it is given, that hold all of these terms.

        Values are read only in sentences that hold the words of the terms, or that are near.
        """
        found: AbstractSet[int] | None = None
        for term in terms:
            if not term.is_value:
                holders = self._holders_of_word(term)
                found = holders if found is None else found & holders
                if not found:
                    return frozenset()
        for term in terms:
            if term.is_value:
                within = found if found is not None else near
                if within is None:
                    found = self._with_value(term)
                else:
                    found = {
                        number
                        for number in within
                        if not self._values(number).isdisjoint(term.among)
                    }
        return found or frozenset()

    def holders_of_group(
        self, group: Sequence[Alternative], near: AbstractSet[int] | None
    ) -> set[int]:
        """The sentences, among those in ``near`` if given, that hold one of the alternatives."""
        found: set[int] = set()
        for wanted in group:
            found |= self.holders(wanted.terms, near)
            if wanted.relation and wanted.relation.first:
                found |= self._holders_of_sides(wanted.relation, near)
        return found

    def _holders_of_sides(self, relation: Relation, near: AbstractSet[int] | None) -> set[int]:
        """The sentences with one side of a direction and the other one beside them."""
        first, second = (
            self.holders(alternative(side).terms, near)
            for side in (relation.first, relation.second)
        )
        return {number for number in first if not second.isdisjoint(self.beside(number))}

    def _holders_of_word(self, term: Term) -> frozenset[int]:
        """The sentences with one of the words of a term, or a set expression that stands for it."""
        known = self._of_terms.get(term)
        if known is None:
            found = self._postings.among(term.among)
            for key in self._phrased.keys() & term.among if self._phrased else ():
                found.update(self._phrased[key])
            for key in _expressions_among(term):
                found.update(self._holders_of_expression(key))
            if term.parts:
                found |= self._with_each((part,) for part in term.parts)
            known = self._of_terms[term] = frozenset(found)
        return known

    def _holders_of_expression(self, expression: str) -> set[int]:
        """The sentences with all words of an expression, in any of their forms."""
        return self._with_each(forms_of_words(expression))

    def _with_each(self, rows: Iterable[Sequence[str]]) -> set[int]:
        """The sentences with a form of each row."""
        found: set[int] | None = None
        for forms in rows:
            holders = {number for form in forms for number in self._postings.of(form)}
            found = holders if found is None else found & holders
            if not found:
                break
        return found or set()

    @cached_property
    def _phrased(self) -> Mapping[Key, Collection[int]]:
        """The sentences with a set expression, by the word that it stands for."""
        found: dict[Key, set[int]] = defaultdict(set)
        for number in lines_with_phrases(self.normals):
            for word, _ in phrases_in(self.normals[number]):
                found[word].add(number)
        return found

    def _with_value(self, term: Term) -> set[int]:
        """The sentences of the whole text with a value that a term asks for."""
        return {number for key in self._valued.keys() & term.among for number in self._valued[key]}

    @cached_property
    def _valued(self) -> Mapping[Key, Sequence[int]]:
        found: dict[Key, list[int]] = defaultdict(list)
        for number in range(len(self.normals)):
            for key in self._values(number):
                found[key].append(number)
        return found

    def _values(self, number: int) -> frozenset[Key]:
        held = self._held.get(number)
        if held is None:
            values = held_values(self.normals[number])
            held = self._held[number] = frozenset(key for key, _ in values) if values else _NOTHING
        return held

    def literal(self, normal: str) -> list[int]:
        """The sentences in which the normalised text stands, if it has words."""
        forms = [form for token in raw_tokens(normal) for form in token_forms(token)[:1]]
        if not forms:
            return []
        rare = min((self._postings.of(form) for form in forms), key=len)
        return [number for number in rare if bounded_find(normal, self.normals[number]) >= 0]


@lru_cache(maxsize=8192)
def _expressions_among(term: Term) -> tuple[str, ...]:
    return tuple(key for key in term.keys if isinstance(key, str) and " " in key)
