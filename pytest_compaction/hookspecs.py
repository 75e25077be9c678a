"""Hooks by which other plugins and conftest files add to the benchmark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest


@pytest.hookspec
def pytest_compaction_compactors(config: pytest.Config) -> Mapping[str, Any]:
    """Add strategies: a mapping from name to a compactor class or a function over messages."""
    raise NotImplementedError


@pytest.hookspec
def pytest_compaction_models(config: pytest.Config) -> Mapping[str, Any]:
    """Add models for any role: a mapping from name to an object with the ``Model`` protocol."""
    raise NotImplementedError
