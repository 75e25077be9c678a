"""Where what can be asked for stands in a sentence, by its keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from pytest_compaction.text.keys.alternatives import Key

Span = tuple[int, int]


class Places(Protocol):
    """Where what can be asked for stands in a text, in order; by its keys."""

    def of(self, key: Key) -> Sequence[Span]:
        """The places of one key."""
        ...

    def items(self) -> Iterable[tuple[Key, Sequence[Span]]]:
        """All keys with their places."""
        ...

    def among(self, keys: frozenset[Key]) -> set[Span]:
        """The places of any of the keys."""
        ...

    def has_any(self, keys: frozenset[Key]) -> bool:
        """Whether any of the keys stands there."""
        ...

    def __contains__(self, key: object, /) -> bool: ...

    def __iter__(self) -> Iterator[Key]: ...


class SentencePlaces(dict[Key, list[Span]]):
    """The places in one sentence."""

    def of(self, key: Key) -> Sequence[Span]:
        """The places of one key."""
        return self.get(key, ())

    def among(self, keys: frozenset[Key]) -> set[Span]:
        """The places of any of the keys."""
        if self.keys().isdisjoint(keys):
            return set()
        return {span for key in self.keys() & keys for span in self[key]}

    def has_any(self, keys: frozenset[Key]) -> bool:
        """Whether any of the keys stands there."""
        return not self.keys().isdisjoint(keys)

    def add(self, key: Key, span: Span) -> None:
        """Note one place more."""
        if key in self:
            self[key].append(span)
        else:
            self[key] = [span]
