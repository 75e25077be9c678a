"""An n-gram model with a Dirichlet prior at every length of the context.

The probability of a piece after a context is its count plus ``prior`` times the
probability after the context that is one piece shorter, divided by the count of the
context plus ``prior``. Below the empty context lies the uniform distribution over
the vocabulary. So every piece of the vocabulary has a probability above zero and
the probabilities of a context sum to one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from quaylm.bpe import STOP, UNKNOWN

Context = tuple[str, ...]


class Model:
    """Counts of pieces after contexts of 0 to ``context`` pieces."""

    def __init__(self, context: int, prior: float) -> None:
        self.context = context
        self.prior = prior
        self.vocabulary: set[str] = {STOP, UNKNOWN}
        self._after: Counter[tuple[Context, str]] = Counter()
        self._total: Counter[Context] = Counter()

    def train(self, entries: Iterable[Sequence[str]]) -> Model:
        """Count the pieces of the entries; each entry ends with a stop."""
        for entry in entries:
            pieces = [*entry, STOP]
            self.vocabulary.update(pieces)
            for position, piece in enumerate(pieces):
                for context in self.contexts(pieces, position):
                    self._after[context, piece] += 1
                    self._total[context] += 1
        return self

    def contexts(self, pieces: Sequence[str], position: int) -> list[Context]:
        """The contexts of a position, the empty one first."""
        padded = (STOP,) * self.context + tuple(pieces[max(0, position - self.context) : position])
        return [padded[len(padded) - length :] for length in range(self.context + 1)]

    def probability(self, pieces: Sequence[str], position: int) -> float:
        """The probability of the piece at a position after the ones before it."""
        value = 1 / len(self.vocabulary)
        piece = pieces[position]
        for context in self.contexts(pieces, position):
            count = self._after[context, piece]
            value = (count + self.prior * value) / (self._total[context] + self.prior)
        return value

    def size(self) -> int:
        """Entries of the count table."""
        return len(self._after)
