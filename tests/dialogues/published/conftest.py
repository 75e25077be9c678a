"""The published results, as they stand and as comparisons."""

from __future__ import annotations

from typing import Any

import pytest
from support.published_data import RAW_TASKS, read_json

from pytest_compaction.case import CaseFault
from pytest_compaction.dialogues import BothArms, TaskFigures
from pytest_compaction.dialogues.published import comparisons_in, figures_in


@pytest.fixture(scope="module")
def raw() -> dict[str, Any]:
    return {task: read_json(f"trpc-summary/results/{task}/results.json") for task in RAW_TASKS}


@pytest.fixture(scope="module")
def compared(raw: dict[str, Any]) -> dict[str, list[BothArms]]:
    found: dict[str, list[BothArms]] = {}
    for task, data in raw.items():
        items = list(comparisons_in(data))
        assert not [item for item in items if isinstance(item, CaseFault)]
        found[task] = [item for item in items if isinstance(item, BothArms)]
    return found


@pytest.fixture(scope="module")
def summary() -> dict[str, Any]:
    data: dict[str, Any] = read_json("trpc-summary/result_summary.json")
    return data


@pytest.fixture(scope="module")
def rows(summary: dict[str, Any]) -> list[TaskFigures]:
    return [item for item in figures_in(summary) if isinstance(item, TaskFigures)]
