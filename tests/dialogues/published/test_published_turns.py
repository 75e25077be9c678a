"""The turns of the published data set, and where the published report departs from them."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import pytest
from support.paths import public_data
from support.published_data import MT_BENCH, RAW_TASKS

from pytest_compaction.dialogues import BothArms, TaskFigures, figures_of, load_dialogues
from pytest_compaction.dialogues.measures import TurnDistribution, turn_distribution


@pytest.fixture(scope="module")
def dataset() -> dict[str, TurnDistribution]:
    loaded = load_dialogues([public_data(MT_BENCH)])
    turns: dict[str, list[int]] = defaultdict(list)
    for dialogue in loaded.dialogues:
        turns[dialogue.task].append(len(dialogue.turns))
    return {task: turn_distribution(numbers) for task, numbers in turns.items()}


@pytest.mark.parametrize("task", RAW_TASKS)
def test_the_published_raw_results_have_the_turns_of_the_data_set(
    task: str, dataset: dict[str, TurnDistribution], compared: dict[str, list[BothArms]]
) -> None:
    assert figures_of(task, compared[task]).turns == dataset[task]


def test_the_published_rule_places_the_published_tasks(
    rows: list[TaskFigures], dataset: dict[str, TurnDistribution]
) -> None:
    """The report itself places CM, GR and TS one class off its own written rule."""
    classes = {row.name: replace(row, turns=dataset[row.name]).suitability for row in rows}
    assert classes == {
        "SI": "recommended",
        "PI": "recommended",
        "CM": "conditional",
        "IC": "conditional",
        "CC": "conditional",
        "TS": "conditional",
        "GR": "not recommended",
        "SA": "not recommended",
        "SC": "not recommended",
    }
