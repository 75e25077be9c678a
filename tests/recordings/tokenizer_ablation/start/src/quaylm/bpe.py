"""Byte-pair pieces, learned from words and applied to words.

A word is spelled with a sign for its end, so that ``left`` at the end of a word and
inside of one are two pieces. Learning is incremental: after a merge only the words
that held the pair are counted again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from quaylm.errors import VocabularyError

END = "·"
UNKNOWN = "<unk>"
STOP = "<s>"

Pair = tuple[str, str]


def spell(word: str) -> tuple[str, ...]:
    """The characters of a word; the last one carries the sign for the end."""
    return (*word[:-1], word[-1] + END)


def alphabet(words: Mapping[str, int]) -> set[str]:
    """All spelled characters of the words."""
    return {sign for word in words for sign in spell(word)}


def join(spelled: Sequence[str], pair: Pair) -> tuple[str, ...]:
    """The spelled word with every occurrence of the pair merged, from the left."""
    merged: list[str] = []
    position = 0
    while position < len(spelled):
        if tuple(spelled[position : position + 2]) == pair:
            merged.append("".join(pair))
            position += 2
        else:
            merged.append(spelled[position])
            position += 1
    return tuple(merged)


def learn(words: Mapping[str, int], size: int) -> list[Pair]:
    """The merges that lead from the alphabet to ``size`` pieces.

    The most frequent pair is merged first; of equally frequent ones the first in
    alphabetical order. Stops early when no pair occurs twice.
    """
    signs = alphabet(words)
    if size < len(signs):
        raise VocabularyError(f"vocab_size {size} is below the alphabet of {len(signs)} signs")
    spelled = {word: spell(word) for word in words}
    counts: Counter[Pair] = Counter()
    holders: defaultdict[Pair, set[str]] = defaultdict(set)
    for word, signs_of in spelled.items():
        _count(word, signs_of, words[word], counts, holders)
    merges: list[Pair] = []
    while len(signs) + len(merges) < size and counts:
        best = min(counts, key=lambda pair: (-counts[pair], pair))
        if counts[best] < 2:
            break
        merges.append(best)
        for word in sorted(holders[best]):
            _count(word, spelled[word], -words[word], counts, holders)
            spelled[word] = join(spelled[word], best)
            _count(word, spelled[word], words[word], counts, holders)
    return merges


def _count(
    word: str,
    spelled: Sequence[str],
    times: int,
    counts: Counter[Pair],
    holders: defaultdict[Pair, set[str]],
) -> None:
    for pair in zip(spelled, spelled[1:], strict=False):
        counts[pair] += times
        if times > 0:
            holders[pair].add(word)
        else:
            holders[pair].discard(word)
            if counts[pair] <= 0:
                del counts[pair]


class Tokenizer:
    """Cuts words into pieces; pieces outside of the vocabulary become ``<unk>``."""

    def __init__(self, merges: Sequence[Pair], vocabulary: Iterable[str] | None = None) -> None:
        self.ranks = {pair: rank for rank, pair in enumerate(merges)}
        self.vocabulary = None if vocabulary is None else frozenset(vocabulary)
        self._cut: dict[str, tuple[str, ...]] = {}

    @classmethod
    def fit(cls, lines: Sequence[str], merges: Sequence[Pair], min_piece: int) -> Tokenizer:
        """A tokenizer whose vocabulary holds the pieces that occur ``min_piece`` times."""
        free = cls(merges)
        seen = Counter(piece for line in lines for piece in free.encode(line))
        return cls(merges, (piece for piece, count in seen.items() if count >= min_piece))

    def cut(self, word: str) -> tuple[str, ...]:
        """The pieces of a word, whether they are in the vocabulary or not."""
        if word not in self._cut:
            spelled = spell(word)
            while len(spelled) > 1:
                pairs = zip(spelled, spelled[1:], strict=False)
                best = min(pairs, key=lambda pair: self.ranks.get(pair, len(self.ranks)))
                if best not in self.ranks:
                    break
                spelled = join(spelled, best)
            self._cut[word] = spelled
        return self._cut[word]

    def encode(self, line: str) -> list[str]:
        """The pieces of an entry."""
        pieces = [piece for word in line.split() for piece in self.cut(word)]
        if self.vocabulary is None:
            return pieces
        return [piece if piece in self.vocabulary else UNKNOWN for piece in pieces]

    def decode(self, pieces: Iterable[str]) -> str:
        """The entry again; an unknown piece stands as it is."""
        return "".join(pieces).replace(END, " ").rstrip()
