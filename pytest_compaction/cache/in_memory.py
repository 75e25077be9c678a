"""Values that were made before: the newest ones up to a size, or the last one alone."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

_T = TypeVar("_T")
_V = TypeVar("_V")


class SizedCache(Generic[_T, _V]):
    """Values by key; the ones not used for longest go when all sizes come to more than ``most``.

    ``size_of`` measures a value. The last value stays, whatever its size. Threads may share it.
    """

    def __init__(self, most: int, size_of: Callable[[_V], int]) -> None:
        self._most = most
        self._size_of = size_of
        self._values: OrderedDict[_T, tuple[_V, int]] = OrderedDict()
        self._lock = threading.RLock()
        self.size = 0

    def get(self, key: _T, make: Callable[[], _V]) -> _V:
        """The value of a key; made now if it is not there."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key][0]
            value = make()
            size = self._size_of(value)
            self._values[key] = value, size
            self.size += size
            while self.size > self._most and len(self._values) > 1:
                _, (_, gone) = self._values.popitem(last=False)
                self.size -= gone
            return value

    def forget(self) -> None:
        """Drop all values."""
        with self._lock:
            self._values.clear()
            self.size = 0


class Latest(Generic[_T, _V]):
    """The value of the last thing while an equal one comes again; threads may share it."""

    def __init__(self, make: Callable[[_T], _V]) -> None:
        self._make = make
        self._last: tuple[_T, _V] | None = None

    def of(self, thing: _T) -> _V:
        """The value of a thing."""
        last = self._last
        if last is None or last[0] != thing:
            last = self._last = thing, self._make(thing)
        return last[1]
