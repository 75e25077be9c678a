"""Run files of sessions with dialogues, read as evaluations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pytest_compaction.case import MAX_SHOWN_FAULTS, CaseFault
from pytest_compaction.dialogues.dialogue import RECORD_TYPE
from pytest_compaction.dialogues.figures import Evaluation, evaluations_of_records
from pytest_compaction.dialogues.files import is_dialogue_file
from pytest_compaction.dialogues.format import shape_faults
from pytest_compaction.dialogues.measures import PASS_CONSISTENCY
from pytest_compaction.records import Run, RunFileError, load_run
from pytest_compaction.text import printable


@dataclass
class Results:
    threshold: float | None
    evaluations: list[Evaluation] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def complain(self, path: Path, faults: Sequence[CaseFault]) -> None:
        shown = [f"{path}: {fault}" for fault in faults[:MAX_SHOWN_FAULTS]]
        if len(faults) > MAX_SHOWN_FAULTS:
            shown.append(f"{path}: … and {len(faults) - MAX_SHOWN_FAULTS} more")
        self.problems += shown

    def read_run(self, path: Path) -> None:
        try:
            run = load_run(path)
        except RunFileError as error:
            self.problems.append(str(error))
            return
        self.problems.extend(run.problems)
        records = [record for record in run.records if record.get("type") == RECORD_TYPE]
        if not records:
            found = f"a run of {len(run.records)} items without dialogues"
            self.complain(path, [CaseFault("", found, "dialogue records")])
            return
        usable = []
        for record in records:
            place = f"item {printable(str(record['item']), 80)} "
            faults = shape_faults("share", record.get("pass_at", 0), at=f"{place}/pass_at")
            if (data := record.get("comparison")) is not None:
                faults += shape_faults("comparison", data, at=f"{place}/comparison")
            self.complain(path, faults)
            if not faults:
                usable.append(record)
        passing = self._pass_at(path, run, usable)
        for item in evaluations_of_records(usable, passing, _settings_pass_at(run)):
            self.evaluations.append(replace(item, title=f"{path.name}: {item.title}"))

    def _pass_at(self, path: Path, run: Run, records: Sequence[Mapping[str, Any]]) -> float | None:
        """The threshold of the user, or of the header if the records of a merged file differ."""
        named = {float(record["pass_at"]) for record in records if "pass_at" in record}
        if self.threshold is not None or len(named) < 2:
            return self.threshold
        passing = _settings_pass_at(run)
        found = f"dialogues that pass from {' and '.join(f'{n:g}' for n in sorted(named))} on"
        expected = f"one such consistency; {passing:g} was taken (--pass-consistency names another)"
        self.complain(path, [CaseFault("", found, expected)])
        return passing


def read_results(paths: Iterable[Path], threshold: float | None = None) -> Results:
    """One evaluation for each strategy of each run; a file that cannot be read hides no other."""
    results = Results(threshold)
    for path in paths:
        if is_dialogue_file(path):
            results.problems.append(
                f"{path}: dialogues to be replayed; run pytest --compactor=NAME "
                "--compaction-cases=FILE and name its run file here"
            )
        else:
            results.read_run(path)
    return results


def _settings_pass_at(run: Run) -> float:
    settings = run.header.get("settings")
    dialogues = settings.get("dialogues") if isinstance(settings, Mapping) else None
    found = dialogues.get("consistency") if isinstance(dialogues, Mapping) else None
    return PASS_CONSISTENCY if found is None or shape_faults("share", found) else float(found)
