"""The sentences of a long log or view, with an index that takes little memory."""

from __future__ import annotations

import re
from array import array
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Final

from pytest_compaction.text.keys.alternatives import Key, Term
from pytest_compaction.text.lexicon.phrases import lines_with_phrases, phrases_in
from pytest_compaction.text.quantities.held import held_values
from pytest_compaction.text.sentences.bounded_list import BoundedList, drop_beyond_most
from pytest_compaction.text.sentences.compact_postings import CompactPostings
from pytest_compaction.text.sentences.long_lines import LongLines
from pytest_compaction.text.sentences.names import in_lower_case, proper_among
from pytest_compaction.text.sentences.parsed import bounded_find
from pytest_compaction.text.sentences.sentence_index import SentenceIndex
from pytest_compaction.text.sentences.sentence_list import Excerpt, ShownNames
from pytest_compaction.text.words import normalize, stem

_WORD: Final = re.compile(r"[^\W\d_]+")
_WORD_EDGE: Final = re.compile(r"[\w.]")
_MOST_NUMBERS: Final = 200_000
"""Numbers of sentences that are held for the words that were asked for."""
_NO_NAMES: Final[Mapping[str, tuple[str, ...]]] = {}
_NO_WORDS: Final[frozenset[str]] = frozenset()


class LongIndex(BoundedList, SentenceIndex):
    """Finds the same as an index that holds all words. Each text is read once when it is built.

    What questions find out is held while it is little, and found out again later. ``note`` is
    given the names that each text shows when it is read, with the number of the text.
    """

    def __init__(
        self,
        texts: Sequence[str],
        lines: LongLines | None = None,
        note: Callable[[int, ShownNames], None] | None = None,
    ) -> None:
        lines = LongLines(texts) if lines is None else lines
        postings = CompactPostings()
        spelled: dict[str, tuple[str, ...]] = {}
        capitals: set[str] = set()
        lower: set[str] = set()
        phrased: dict[Key, array[int]] = defaultdict(lambda: array("I"))
        for of_text, text in enumerate(texts):
            excerpt = Excerpt.of(text)
            if note is not None:
                note(of_text, excerpt.shown)
            first = lines.begins[-1]
            lines.add(excerpt)
            for tokens in excerpt.tokens_of:
                postings.add(tokens)
            for number in lines_with_phrases(excerpt.normals):
                for word in dict.fromkeys(word for word, _ in phrases_in(excerpt.normals[number])):
                    phrased[word].append(first + number)
            spelled |= excerpt.shown.camel
            capitals |= excerpt.shown.capitals
            lower |= excerpt.shown.lower
        postings.close()
        camel = in_lower_case(spelled)
        proper = proper_among(capitals, [frozenset(lower)])
        size, of = len(lines.texts), lines.excerpt_of
        names: list[Mapping[str, tuple[str, ...]]] = [_NO_NAMES] * size
        for number, held in _by_excerpt(sorted(camel), postings, of).items():
            names[number] = {name: camel[name] for name in held}
        proper_of = [_NO_WORDS] * size
        for number, held in _by_excerpt(sorted(proper), postings, of).items():
            proper_of[number] = frozenset(held)
        super().__init__(lines, postings, names, proper_of)
        self._phrases = dict(phrased)

    def contains(self, text: str) -> bool:
        """Whether the normalised ``text`` stands in one of the texts between word boundaries."""
        sought = normalize(text)
        found: set[int] | None = None
        for word in _WORD.finditer(sought):
            if _is_apart(sought, word):
                rows = self._postings.of(stem(word[0]))
                of = {self.excerpt_of[number] for number in rows}
                found = of if found is None else found & of
        numbers = range(len(self._lines.texts)) if found is None else sorted(found)
        return any(
            bounded_find(sought, f" {normalize(self._lines.texts[number])} ") >= 0
            for number in numbers
        )

    @cached_property
    def _phrased(self) -> Mapping[Key, Sequence[int]]:
        return self._phrases

    @cached_property
    def _valued(self) -> Mapping[Key, Sequence[int]]:
        found: dict[Key, array[int]] = defaultdict(lambda: array("I"))
        for number, normal in enumerate(self.normals):
            for key in dict.fromkeys(key for key, _ in held_values(normal)):
                found[key].append(number)
        return found

    def holders_of(self, key: Key) -> Sequence[int]:
        """The sentences with what can be looked up by a key."""
        return self._postings.of(key)

    def _values(self, number: int) -> frozenset[Key]:
        drop_beyond_most(self._held)
        return super()._values(number)

    def _holders_of_word(self, term: Term) -> frozenset[int]:
        if term not in self._of_terms:
            total = sum(map(len, self._of_terms.values()))
            if total > _MOST_NUMBERS:
                self._of_terms.clear()
        return super()._holders_of_word(term)


def _by_excerpt(
    words: Sequence[str], postings: CompactPostings, excerpt_of: Sequence[int]
) -> dict[int, list[str]]:
    """Which of the words each excerpt holds as tokens, in the order of the words."""
    found: dict[int, list[str]] = defaultdict(list)
    for word in words:
        for excerpt in dict.fromkeys(excerpt_of[number] for number in postings.row(word)):
            found[excerpt].append(word)
    return found


def _is_apart(text: str, word: re.Match[str]) -> bool:
    """Whether a word stands alone, so that a text that holds it holds it as a word."""
    start, end = word.span()
    return not (_WORD_EDGE.match(text[start - 1 : start]) or _WORD_EDGE.match(text, end))
