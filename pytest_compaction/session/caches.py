"""What the modules of this package remember is let go at the end of a run, if it is much.

At the end pytest lets Python look for garbage twice, and Python itself three times more.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

_PACKAGE: Final = __name__.partition(".")[0]

MUCH: Final = 500_000
"""A run that has left more pieces of memory, objects and what they hold, forgets what its modules
remember; later runs of the same process make it again."""


class WhatIsRemembered:
    """Lets go at the end of a run what the modules of this package remember, if it is much."""

    def __init__(self) -> None:
        self._before = sys.getallocatedblocks()

    @pytest.hookimpl(tryfirst=True)
    def pytest_unconfigure(self) -> None:
        """Forget before pytest looks for garbage that has something to say."""
        if sys.getallocatedblocks() - self._before > MUCH:
            for forget in _remembering():
                forget()


def _remembering() -> Iterator[Callable[[], object]]:
    """What makes each cache in a module of this package forget."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == _PACKAGE:
            for value in list(vars(module).values()):
                forget: Any = getattr(value, "cache_clear", None) or getattr(value, "forget", None)
                if forget is not None and not isinstance(value, type):
                    yield forget
