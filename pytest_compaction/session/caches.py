"""Clears the caches of the package's modules after a run that has filled them."""

from __future__ import annotations

import sys
from typing import Any, Final

import pytest

LARGE: Final = 500_000
"""A run that leaves more blocks of memory behind clears the caches; later runs in the same process
fill them again."""


class CacheClearing:
    """Clears caches at the end of a run, since Python's garbage collection then reads them all."""

    def __init__(self) -> None:
        self._before = sys.getallocatedblocks()

    @pytest.hookimpl(tryfirst=True)
    def pytest_unconfigure(self) -> None:
        """Clear them before pytest and Python collect garbage, which they do five times."""
        if sys.getallocatedblocks() - self._before <= LARGE:
            return
        package = __name__.partition(".")[0]
        for name, module in list(sys.modules.items()):
            if name.partition(".")[0] != package:
                continue
            for value in list(vars(module).values()):
                clear: Any = getattr(value, "cache_clear", None) or getattr(value, "forget", None)
                if clear is not None and not isinstance(value, type):
                    clear()
