"""A sequence of what a function gives for each number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar, overload

T = TypeVar("T")


class ByNumber(Sequence[T], Generic[T]):
    """What a function gives for each number below a length."""

    def __init__(self, of: Callable[[int], T], length: int) -> None:
        self._of = of
        self._length = length

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[T]: ...
    def __getitem__(self, place: int | slice) -> T | Sequence[T]:
        numbers = range(self._length)[place]
        if isinstance(numbers, range):
            return [self._of(number) for number in numbers]
        return self._of(numbers)
