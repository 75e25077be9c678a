"""A long text for graded reading, in little memory."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Final

from pytest_compaction.cache.sized_cache import SizedCache
from pytest_compaction.text.by_number import ByNumber
from pytest_compaction.text.keys.alternatives import Key
from pytest_compaction.text.overlap import PreparedText, sentence_keys, split_sentences
from pytest_compaction.text.rising_numbers import RisingNumbers

_REMEMBERED: Final = 250_000
"""Characters of the texts whose sentences are held because they were asked for lately."""


class LongPreparedText(PreparedText):
    """The same as of the joined texts. A sentence is read again when it is asked for."""

    def __init__(self, texts: Sequence[str], between: str) -> None:
        """``between`` joins the texts."""
        self._texts = texts
        self._between = split_sentences(between)
        self._begins = array("I", [0])
        self._compact: dict[Key, int | RisingNumbers] = {}
        """The sentence with a key that only one has, or the sentences of any other."""
        self._read = SizedCache[int, tuple[str, ...]](_REMEMBERED, lambda read: sum(map(len, read)))
        number = 0
        for of in range(len(texts)):
            for sentence in self._split(of):
                self._add(number, sentence)
                number += 1
            self._begins.append(number)
        self.sentences = ByNumber(self._sentence, number)

    def holding(self, key: Key) -> Iterable[int]:
        """The sentences that hold a key, in order."""
        found = self._compact.get(key, ())
        return (found,) if isinstance(found, int) else found

    def _add(self, number: int, sentence: str) -> None:
        holders = self._compact
        for key in sentence_keys(sentence):
            known = holders.get(key)
            if known is None:
                holders[key] = number
            elif isinstance(known, int):
                holders[key] = numbers = RisingNumbers(known)
                numbers.add(number)
            else:
                known.add(number)

    def _sentence(self, number: int) -> str:
        of = bisect_right(self._begins, number) - 1
        return self._read.get(of, lambda: self._split(of))[number - self._begins[of]]

    def _split(self, of: int) -> tuple[str, ...]:
        """The sentences of a text, and before them those that stand between it and the last."""
        found = split_sentences(self._texts[of])
        return (*self._between, *found) if of else found
