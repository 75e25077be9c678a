"""The segments of a sentence: what commas, dashes, colons and conjunctions separate."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where segments and explanations begin in a normalised sentence, and its brackets."""

    text: str
    ends: tuple[int, ...]
    explains: tuple[int, ...]
    brackets: tuple[Span, ...]

    def explained(self, place: int) -> int:
        """Where the next explanation begins after this place."""
        return next(
            (start for start in self._seen(self.explains, place) if start >= place), self.end
        )

    def after(self, place: int) -> int:
        """The end of the segment that goes on at this place."""
        close = min((to for at, to in self.brackets if at < place < to), default=self.end)
        return min((end for end in self._seen(self.ends, place) if end >= place), default=close)

    def before(self, place: int) -> int:
        """The start of the segment that this place is in."""
        opened = max((at for at, to in self.brackets if at < place < to), default=0)
        return max([opened, *(end for end in self._seen(self.ends, place) if end < place)])

    @property
    def end(self) -> int:
        """The end of the sentence."""
        return len(self.text)

    def _seen(self, ends: tuple[int, ...], place: int) -> Iterator[int]:
        """Without what stands in brackets that this place is outside of.

        A bracket that opens behind the place is an end, unless it belongs to a call.
        """
        for end in ends:
            opens = any(at == end for at, _ in self.brackets)
            if opens and (end < place or self.text[end - 1 : end].strip()):
                continue
            if all(at < place < to for at, to in self.brackets if at < end < to):
                yield end

    def listed(self, place: int) -> int:
        """As ``after``, but over the commas of a list that ends in "or" or "nor"."""
        end = self.after(place)
        while end < len(self.text) and self.text[end] == ",":
            beyond = self.after(end + 1)
            rest = self.text[end:beyond]
            further = self.text[end : self.after(beyond + 1)] if beyond < len(self.text) else rest
            if not re.search(r"\bn?or\b", rest + further) or len(rest.split()) > 7:
                break
            end = beyond
        return end
