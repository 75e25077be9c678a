"""Runs that list something, such as the tests or the fixtures, and measure nothing."""

from __future__ import annotations

from typing import Final

import pytest

_LISTING: Final = ("collectonly", "showfixtures", "show_fixtures_per_test", "cacheshow")
"""Options of pytest that list something instead of running tests."""


def lists_only(config: pytest.Config) -> bool:
    """Whether a run lists something instead of running tests."""
    return any(config.getoption(name, default=None) for name in _LISTING)
