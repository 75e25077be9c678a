"""Every invariant of every compactor under check as a test item."""

from __future__ import annotations

from typing import Any

from pytest_compaction.session.check import parametrize


def pytest_generate_tests(metafunc: Any) -> None:
    """One item for each compactor and invariant."""
    parametrize(metafunc)


def test_invariant(held: Any) -> None:
    """Decide one invariant of one compactor on generated logs."""
    held.decide()
