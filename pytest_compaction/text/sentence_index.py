"""The sentences of a text with an index of their words, names, paths and values."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from typing import Any, Final

from pytest_compaction.text.alternatives import (
    Alternative,
    Key,
    Term,
    Wanted,
    alternative,
    has_words,
)
from pytest_compaction.text.cues import Cue, heading_cue
from pytest_compaction.text.excerpts import Excerpt, Naming, namings_of
from pytest_compaction.text.languages import has_function_word, language_of
from pytest_compaction.text.parsed import SENTENCES, Parsed, bounded_find, joined, parse
from pytest_compaction.text.sentence_splitting import MESSAGE_END, Sentence
from pytest_compaction.text.standing import standing_below
from pytest_compaction.text.values import held_values
from pytest_compaction.text.vocabulary import forms_of, phrases_in
from pytest_compaction.text.words import (
    is_path,
    normalize,
    path_suffixes,
    raw_tokens,
    token_forms,
)


class Postings:
    """The sentences of each token, and of a form of a token when it is asked for.

    A text has many tokens and few of their forms are ever asked for. Building is linear. What has
    one entry alone, as most do, is held without a list: lists were most of the memory of a view.
    """

    def __init__(self, tokens_of: Iterable[Sequence[str]]) -> None:
        rows: dict[str, int | list[int]] = {}
        for number, tokens in enumerate(tokens_of):
            for token in dict.fromkeys(tokens):
                row = rows.get(token)
                if row is None:
                    rows[token] = number
                elif isinstance(row, int):
                    rows[token] = [row, number]
                else:
                    row.append(number)
        self._rows = rows
        self._tokens: dict[Key, str | list[str]] = {}
        """The tokens that have a form."""
        self._split: dict[Key, list[int]] = {}
        """The sentences of forms that names in camel case are made of, all of them."""
        known = self._tokens
        for token in rows:
            for form in posted(token):
                others = known.get(form)
                if others is None:
                    known[form] = token
                elif isinstance(others, str):
                    known[form] = [others, token]
                else:
                    others.append(token)

    def split_names(
        self, excerpt_of: Sequence[int], names: Sequence[Mapping[str, Sequence[str]]]
    ) -> None:
        """Make the words known of which names in camel case are made.

        ``names`` gives for each excerpt the words of the names that it has, and ``excerpt_of``
        the excerpt of each sentence.
        """
        if not any(names):
            return
        written: dict[str, list[int]] = {}
        for number, here in enumerate(names):
            for name in here:
                written.setdefault(name, []).append(number)
        found: dict[Key, set[int]] = {}
        for name, excerpts in written.items():
            of_name = set(excerpts)
            for number in self.of(name):
                if (excerpt := excerpt_of[number]) in of_name:
                    for part in names[excerpt][name]:
                        found.setdefault(part, set()).add(number)
        self._split = {
            part: sorted(numbers.union(self.of(part))) for part, numbers in found.items()
        }

    def __contains__(self, key: Key) -> bool:
        return key in self._tokens or key in self._split

    def of(self, key: Key) -> Sequence[int]:
        """The numbers of the sentences that hold a form, in order."""
        if key in self._split:
            return self._split[key]
        tokens = self._tokens.get(key, [])
        if isinstance(tokens, str):
            return self._row(tokens)
        return sorted({number for token in tokens for number in self._row(token)})

    def among(self, keys: frozenset[Key]) -> set[int]:
        """The sentences that hold any of the forms."""
        found: set[int] = set()
        for key in self._tokens.keys() & keys:
            tokens = self._tokens[key]
            for token in (tokens,) if isinstance(tokens, str) else tokens:
                found.update(self._row(token))
        for key in self._split.keys() & keys if self._split else ():
            found.update(self._split[key])
        return found

    def _row(self, token: str) -> Sequence[int]:
        row = self._rows[token]
        return (row,) if isinstance(row, int) else row


@lru_cache(maxsize=65536)
def posted(token: str) -> tuple[Key, ...]:
    """Search keys of a token."""
    if is_path(token):
        return (*token_forms(token), ("path", "/".join(path_suffixes(token)[:1])))
    return token_forms(token)


_MOST: Final = 5_000
"""Prepared sentences of a text, and terms with their sentences, that are held at a time."""
_RUN: Final = 8
"""The most sentences to either side that a claim reaches over semicolons."""
_NOTHING: Final[frozenset[Key]] = frozenset()


class SentenceIndex:
    """The sentences of excerpts, one after the other, found by what they hold; named by number.

    Building is linear in the text. What takes longer, places and cues, values and phrases, is read
    when asked for and then kept. No sentence stands above or beside one of another excerpt.
    """

    def __init__(self, excerpts: Sequence[Excerpt], namings: Sequence[Naming]) -> None:
        """The sentences of excerpts, with the names that each has."""
        self.sentences: list[Sentence] = []
        self.normals: list[str] = []
        self.excerpt_of: list[int] = []
        """The number of the excerpt that each sentence is of."""
        self.begins = [0]
        """The number of the first sentence of each excerpt, and in the end of all sentences."""
        self._tokens_of: list[tuple[str, ...]] = []
        self._texts = [excerpt.text for excerpt in excerpts]
        blocks = 0
        for number, excerpt in enumerate(excerpts):
            before = self.begins[-1]
            moved = [
                Sentence(
                    one.text,
                    one.block + blocks,
                    tuple(above + before for above in one.context),
                    one.removed,
                    one.code,
                    one.last if one.last < 0 else one.last + before,
                    one.joined,
                )
                for one in excerpt.sentences
            ]
            self.sentences += moved if before else excerpt.sentences
            self.normals += excerpt.normals
            self._tokens_of += excerpt.tokens_of
            self.excerpt_of += [number] * len(moved)
            self.begins.append(len(self.sentences))
            blocks = max((one.block for one in moved), default=blocks) + 1
        self._namings = namings
        self._camel = [dict(naming.camel) for naming in namings]
        self._postings = Postings(self._tokens_of)
        self._postings.split_names(self.excerpt_of, self._camel)
        self._beside: dict[int, list[int]] = {}
        self._values_of: dict[int, frozenset[Key]] = {}
        self._of_terms: dict[Term, frozenset[int]] = {}
        self._parsed: dict[int, Parsed] = {}
        self._around: dict[int, Parsed] = {}
        self._others: dict[str, Mapping[int, str]] = {}

    @classmethod
    def of(cls, text: str) -> SentenceIndex:
        """The sentences of one text."""
        excerpt = Excerpt.of(text)
        return cls([excerpt], namings_of([excerpt]))

    @cached_property
    def _normal(self) -> str:
        """The whole text normalised, with a mark between excerpts that no word or name crosses."""
        return f" {f' {MESSAGE_END} '.join(map(normalize, self._texts))} "

    def parsed(self, number: int) -> Parsed:
        """The sentence with this number, prepared for questions."""
        known = self._parsed.get(number)
        if known is None:
            drop_beyond_most(self._parsed)
            sentence = self.sentences[number]
            excerpt = self.excerpt_of[number]
            proper = self._namings[excerpt].proper
            here = proper.intersection(self._tokens_of[number]) if proper else proper
            known = parse(self.normals[number], self._camel[excerpt], sentence.code, here)
            self._parsed[number] = known
        return known

    def others(self, home: str) -> Mapping[int, str]:
        """The sentences in a language other than English, each with its code.

        ``home`` is the language of the conversation. Code is in no language of Latin script.
        """
        known = self._others.get(home)
        if known is None:
            known = {}
            if home != "en" or not all(map(str.isascii, self._texts)):
                for number, sentence in enumerate(self.sentences):
                    if sentence.code and sentence.text.isascii():
                        continue
                    code = language_of(sentence.text, home)
                    led = next((known[one] for one in sentence.context if one in known), "")
                    if code == "en" and led and not has_function_word(self.normals[number], code):
                        code = led  # a name in a list is in the language of what stands above it
                    if code != "en":
                        known[number] = code
            self._others[home] = known
        return known

    def beside(self, number: int) -> list[int]:
        """Sentences near this one in the same bullet or paragraph: they may share a passage."""
        if number not in self._beside:
            sentence, away = self.sentences[number], SENTENCES - 1
            around = range(max(number - away, 0), min(number + away + 1, len(self.sentences)))
            self._beside[number] = [
                beside
                for beside in around
                if beside != number
                and self.sentences[beside].block == sentence.block
                and beside not in sentence.context  # nor is one the lead-in of the other
                and number not in self.sentences[beside].context
            ]
        return self._beside[number]

    def cues_over(self, number: int, step: bool = False) -> list[Cue]:
        """Cues of headings above that do not list a ``step``, and of claims over a semicolon."""
        above = (self.normals[one] for one in self.sentences[number].context)
        headings = (heading_cue(one) for one in above if not step or standing_below(one) != "open")
        found = [cue for cue in headings if cue is not None]
        first, last = number, number + 1
        while first and self.sentences[first].joined and number - first < _RUN:
            first -= 1
        while last < len(self.sentences) and self.sentences[last].joined and last - number < _RUN:
            last += 1
        for one in (first, *range(number + 1, last)) if last - first > 1 else ():
            claims = (cue for cue in self.parsed(one).sense.cues if cue.kind == "claimed")
            found += (
                cue
                for cue in claims
                if one != number and 0 in (cue.at if one < number else cue.scope)
            )
        return found

    def around(self, number: int) -> Parsed:
        """The sentence with those beside it, read as one."""
        if number not in self._around:
            drop_beyond_most(self._around)
            numbers = sorted([number, *self.beside(number)])
            self._around[number] = joined([self.parsed(one) for one in numbers])
        return self._around[number]

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

    def contains(self, text: str) -> bool:
        """Whether the normalised ``text`` stands in the text between word boundaries."""
        return bounded_find(normalize(text), self._normal) >= 0

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
        return sorted(found)

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
                    keys = self._valued.keys() & term.among
                    found = {number for key in keys for number in self._valued[key]}
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
        """The sentences, among those in ``near`` if given, that hold one of the alternatives.

        Of a direction one side may stand in a sentence and the other one beside it.
        """
        found: set[int] = set()
        for wanted in group:
            found |= self.holders(wanted.terms, near)
            if wanted.relation and wanted.relation.first:
                first, second = (
                    self.holders(alternative(side).terms, near)
                    for side in (wanted.relation.first, wanted.relation.second)
                )
                found.update(one for one in first if not second.isdisjoint(self.beside(one)))
        return found

    def _holders_of_word(self, term: Term) -> frozenset[int]:
        """The sentences with one of the words of a term, or a set expression that stands for it."""
        known = self._of_terms.get(term)
        if known is None:
            found = self._postings.among(term.among)
            for key in self._phrased.keys() & term.among if self._phrased else ():
                found.update(self._phrased[key])
            for key in (key for key in term.keys if isinstance(key, str) and " " in key):
                found |= self._with_each(map(forms_of, key.split(" ")))
            if term.parts:
                found |= self._with_each((part,) for part in term.parts)
            drop_beyond_most(self._of_terms)
            known = self._of_terms[term] = frozenset(found)
        return known

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
        for number, normal in enumerate(self.normals):
            for word, _ in phrases_in(normal):
                found[word].add(number)
        return found

    @cached_property
    def _valued(self) -> Mapping[Key, Sequence[int]]:
        found: dict[Key, list[int]] = defaultdict(list)
        for number in range(len(self.normals)):
            for key in self._values(number):
                found[key].append(number)
        return found

    def _values(self, number: int) -> frozenset[Key]:
        held = self._values_of.get(number)
        if held is None:
            values = held_values(self.normals[number])
            held = frozenset(key for key, _ in values) if values else _NOTHING
            self._values_of[number] = held
        return held

    def literal(self, normal: str) -> list[int]:
        """The sentences in which the normalised text stands, if it has words."""
        forms = [form for token in raw_tokens(normal) for form in token_forms(token)[:1]]
        if not forms:
            return []
        rare = min((self._postings.of(form) for form in forms), key=len)
        return [number for number in rare if bounded_find(normal, self.normals[number]) >= 0]


def drop_beyond_most(held: dict[Any, Any]) -> None:
    """Drop all that was read when it is much; it is read again when it is asked for."""
    if len(held) >= _MOST:
        held.clear()
