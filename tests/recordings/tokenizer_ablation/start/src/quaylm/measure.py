"""How many bits a model needs for a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

from quaylm.bpe import STOP, UNKNOWN, Tokenizer
from quaylm.corpus import characters
from quaylm.ngram import Model


@dataclass(frozen=True)
class Score:
    """Bits for a split and what they are divided by."""

    bits: float
    characters: int
    pieces: int
    unknown: int

    @property
    def bpc(self) -> float:
        """Bits per character, the measure of docs/protocol.md."""
        return self.bits / self.characters

    @property
    def unknown_share(self) -> float:
        """The share of the pieces that are unknown."""
        return self.unknown / self.pieces if self.pieces else 0.0


def score(model: Model, pieces: Sequence[str]) -> float:
    """Bits of one entry, its stop included."""
    entry = [*pieces, STOP]
    bits = 0.0
    for position in range(len(entry)):
        bits -= log2(model.probability(entry, position))
    return bits


def evaluate(model: Model, tokenizer: Tokenizer, lines: Sequence[str]) -> Score:
    """The score of a split."""
    bits = 0.0
    pieces = unknown = 0
    for line in lines:
        entry = tokenizer.encode(line)
        bits += score(model, entry)
        pieces += len(entry)
        unknown += entry.count(UNKNOWN)
    return Score(bits, characters(lines), pieces, unknown)
