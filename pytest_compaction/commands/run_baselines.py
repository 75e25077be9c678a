"""The baselines of a run that has been measured, and its records by another pass score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_compaction.metrics.aggregate import by_compactor
from pytest_compaction.metrics.budgets import is_over_budget
from pytest_compaction.records.baselines.baseline import (
    Baseline,
    load_baseline,
    measured_there,
    parse_source,
)
from pytest_compaction.records.baselines.baseline_file import BaselineError
from pytest_compaction.records.baselines.comparability import differences, version_note
from pytest_compaction.records.record import Record, type_of
from pytest_compaction.records.runs.run_file import Run
from pytest_compaction.settings import CONTROL, OverBudget


def judged_again(
    records: Sequence[Record], pass_score: float | None, over_budget: OverBudget
) -> Iterator[Record]:
    """The records with the status that another pass score gives them.

    A view over its budget passes at none, unless such views were only reported.
    """
    for record in records:
        scored = type_of(record) == "probe" and record["overall"] is not None
        if pass_score is not None and scored and record["status"] in {"passed", "failed"}:
            fails = over_budget == "fail" and is_over_budget(record)
            status = "passed" if record["overall"] >= pass_score and not fails else "failed"
            yield record | {"status": status}
        else:
            yield record


def over_budget_of(header: Mapping[str, Any]) -> OverBudget:
    """What became of views over their budget in a run, by its header."""
    given = header.get("settings")
    return "report" if isinstance(given, dict) and given.get("over_budget") == "report" else "fail"


def baselines_of(
    named: str, path: Path, found: Run, pass_score: float | None
) -> tuple[dict[str, Baseline], list[str]]:
    """The baseline of each strategy of the run, and what is to be said about them.

    ``named`` is what a user wrote, ``path`` the file of the run. Raises
    :class:`~pytest_compaction.records.baselines.baseline_file.BaselineError` if there is none, or
    none that can be compared.
    """
    source = parse_source(named, Path())
    groups = by_compactor(record for record in found.records if type_of(record) == "probe")
    strategies = [name for name in groups if name != CONTROL] or list(groups)
    wanted = strategies if source.strategy else measured_there(source, strategies)
    baselines = {name: load_baseline(source, name) for name in wanted or strategies[:1]}
    notes: list[str] = []
    for each in baselines.values():
        names = (each.title, path.name)
        problems = [
            problem
            for problem in differences(each.header, found.header, names)
            if pass_score is None or not problem.startswith("the pass score")
        ]
        if problems:
            listed = "".join(f"\n  {problem}" for problem in problems)
            raise BaselineError(f"{path.name} cannot be compared with {each.title}:{listed}")
        note = version_note(each.header, found.header, names)
        notes += [note] if note and note not in notes else []
    judged = {
        name: Baseline(
            each.strategy,
            each.name,
            each.title,
            tuple(judged_again(each.records, pass_score, over_budget_of(each.header))),
            each.header,
            each.problems,
        )
        for name, each in baselines.items()
    }
    return judged, notes
