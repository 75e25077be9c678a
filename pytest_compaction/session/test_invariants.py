"""Every invariant of every compactor under check as a test item."""

from __future__ import annotations

from typing import Any

from pytest_compaction.session.check import parametrize


def pytest_generate_tests(metafunc: Any) -> None:
    parametrize(metafunc)


def test_invariant(held: Any) -> None:
    held.decide()
