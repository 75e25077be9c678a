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


def added(config: pytest.Config, hook: str) -> dict[str, Any]:
    """Everything that plugins add through one of these hooks, by name."""
    mappings: list[Mapping[str, Any]] = getattr(config.hook, hook)(config=config)
    return {name: value for mapping in mappings for name, value in mapping.items()}
