"""Result files of dialogue evaluations: recognised by their content, read as evaluations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case.files import MAX_SHOWN_FAULTS, read_json, read_text
from pytest_compaction.case.validation import CaseFault
from pytest_compaction.dialogues.dialogue import Comparison
from pytest_compaction.dialogues.evaluation import (
    RECORD_TYPE,
    Evaluation,
    evaluation_of,
    evaluation_of_figures,
    evaluations_of_records,
)
from pytest_compaction.dialogues.figures import Figures, with_turns
from pytest_compaction.dialogues.files import is_dialogue_file, load_dialogues
from pytest_compaction.dialogues.published.format import comparisons_in, figures_in
from pytest_compaction.dialogues.schema import shape_faults
from pytest_compaction.metrics.consistency import PASS_CONSISTENCY
from pytest_compaction.records.run_file import Run, RunFileError, load_run
from pytest_compaction.text.words import printable

EXPECTED: Final = (
    "the results.json or result_summary.json of the published evaluation, or the run file of a "
    "session with dialogues"
)
_FIRST_LINE: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Results:
    """The evaluations in some files, and a sentence for everything that cannot be used."""

    evaluations: tuple[Evaluation, ...]
    problems: tuple[str, ...]


@dataclass
class _Reading:
    """The state while files are read; the raw results of all files make one evaluation."""

    threshold: float | None
    evaluations: list[Evaluation] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    raw: dict[str, Comparison] = field(default_factory=dict)
    raw_source: dict[str, Path] = field(default_factory=dict)
    models: set[str] = field(default_factory=set)
    turns: dict[str, list[int]] = field(default_factory=dict)

    def complain(self, path: Path, faults: Sequence[CaseFault]) -> None:
        """Add a sentence for each fault of a file, up to a limit."""
        shown = [f"{path}: {fault}" for fault in faults[:MAX_SHOWN_FAULTS]]
        if len(faults) > MAX_SHOWN_FAULTS:
            shown.append(f"{path}: … and {len(faults) - MAX_SHOWN_FAULTS} more")
        self.problems += shown


def read_results(paths: Iterable[Path], threshold: float | None = None) -> Results:
    """Read result files; a dialogue that cannot be read hides no other.

    All published raw results make one evaluation, a published summary makes its own, and
    a run file makes one for each strategy. A dialogue file adds the numbers of turns,
    which a published summary does not have. A trial passes if it reaches ``threshold``;
    the default is that of the run, or 0.7 for published results.
    """
    reading = _Reading(threshold)
    for path in sorted(dict.fromkeys(paths), key=is_dialogue_file, reverse=True):
        if is_dialogue_file(path):
            _read_turns(path, reading)
        elif _is_run_file(path):
            _read_run(path, reading)
        else:
            _read_published(path, reading)
    evaluations = reading.evaluations
    passing = PASS_CONSISTENCY if threshold is None else threshold
    if reading.raw:
        title = f"Published results ({', '.join(sorted(reading.models)) or 'model not named'})"
        evaluations = [evaluation_of(title, reading.raw.values(), passing), *evaluations]
    if reading.turns and not evaluations and not reading.problems:
        reading.problems.append(
            "only dialogues to be replayed were named; run pytest --compactor=NAME "
            "--compaction-cases=FILE and name its run file here"
        )
    return Results(tuple(evaluations), tuple(reading.problems))


def _is_run_file(path: Path) -> bool:
    """Whether the first line is the header of a run."""
    try:
        with path.open("rb") as file:
            first = json.loads(file.readline(_FIRST_LINE))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and "format" in first


def _read_published(path: Path, reading: _Reading) -> None:
    text = read_text(path)
    data = text if isinstance(text, CaseFault) else read_json(text, "a result file")
    if isinstance(data, CaseFault):
        reading.complain(path, [data])
    elif isinstance(data, dict) and "caseResults" in data:
        _read_raw(path, data, reading)
    elif isinstance(data, dict) and "summary" in data:
        _read_summary(path, data, reading)
    else:
        found = f"a JSON {_kind(data)}"
        if isinstance(data, dict):
            keys = ", ".join(repr(printable(key, 30)) for key in sorted(data)[:6])
            found += f" with the keys {keys}" if keys else " without keys"
        reading.complain(path, [CaseFault("", found, EXPECTED)])


def _read_turns(path: Path, reading: _Reading) -> None:
    found = load_dialogues([path])
    reading.problems += [str(error) for error in found.errors]
    for dialogue in found.dialogues:
        reading.turns.setdefault(dialogue.task, []).append(len(dialogue.turns))


def _kind(data: Any) -> str:
    kinds = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}
    return kinds.get(type(data), "number")


def _read_raw(path: Path, data: Mapping[str, Any], reading: _Reading) -> None:
    faults: list[CaseFault] = []
    for item in comparisons_in(data):
        if isinstance(item, CaseFault):
            faults.append(item)
        elif item.dialogue_id in reading.raw:
            there = reading.raw_source[item.dialogue_id]
            found = f"the dialogue {printable(item.dialogue_id, 60)!r}, which {there} has too"
            faults.append(CaseFault("/caseResults", found, "each dialogue once"))
        else:
            reading.raw[item.dialogue_id] = item
            reading.raw_source[item.dialogue_id] = path
    if isinstance(data.get("model"), str):
        reading.models.add(data["model"])
    reading.complain(path, faults)


def _read_summary(path: Path, data: Mapping[str, Any], reading: _Reading) -> None:
    found = list(figures_in(data))
    faults = [item for item in found if isinstance(item, CaseFault)]
    reading.complain(path, faults)
    if not faults:
        figures = [_turned(path, item, reading) for item in found if isinstance(item, Figures)]
        models = ", ".join(data.get("total", {}).get("modelSet", ())) or "model not named"
        title = f"{path.name}: published figures ({models})"
        reading.evaluations.append(evaluation_of_figures(title, figures))


def _turned(path: Path, figures: Figures, reading: _Reading) -> Figures:
    """The figures, with the turns of their task if a dialogue file has them."""
    turns = reading.turns.get(figures.name)
    if turns is None:
        return figures
    try:
        return with_turns(figures, turns)
    except ValueError as error:
        found = f"the task {printable(figures.name, 40)!r} has {error}"
        reading.complain(path, [CaseFault("/summary", found, "the dialogues it was made of")])
        return figures


def _read_run(path: Path, reading: _Reading) -> None:
    try:
        run = load_run(path)
    except RunFileError as error:
        reading.problems.append(str(error))
        return
    records = [record for record in run.records if record.get("type") == RECORD_TYPE]
    if not records:
        found = f"a run of {len(run.records)} items without dialogues"
        reading.complain(path, [CaseFault("", found, "dialogue records")])
        return
    usable = []
    for record in records:
        faults = list(_record_faults(record))
        place = f"item {printable(str(record['item']), 80)} "
        reading.complain(path, [CaseFault(place + f.pointer, f.found, f.expected) for f in faults])
        if not faults:
            usable.append(record)
    passing = _pass_at(path, run, usable, reading)
    for item in evaluations_of_records(usable, passing, _settings_pass_at(run)):
        reading.evaluations.append(replace(item, title=f"{path.name}: {item.title}"))


def _record_faults(record: Mapping[str, Any]) -> Iterator[CaseFault]:
    """The faults of a dialogue's record, each with its place."""
    if "pass_at" in record:
        for fault in shape_faults("share", record["pass_at"]):
            yield replace(fault, pointer="/pass_at")
    data = record.get("comparison")
    for fault in shape_faults("comparison", data) if data is not None else ():
        yield replace(fault, pointer=f"/comparison{fault.pointer}")


def _settings_pass_at(run: Run) -> float:
    """The least consistency of a dialogue that passes, from the header of a run."""
    settings = run.header.get("settings")
    dialogues = settings.get("dialogues") if isinstance(settings, Mapping) else None
    found = dialogues.get("consistency") if isinstance(dialogues, Mapping) else None
    return PASS_CONSISTENCY if found is None or shape_faults("share", found) else float(found)


def _pass_at(
    path: Path, run: Run, records: Sequence[Mapping[str, Any]], reading: _Reading
) -> float | None:
    """The threshold of the user; ``None`` leaves it to the records if they agree.

    If they do not, because the file was merged from several runs, that of the header
    is taken, with a sentence for the user.
    """
    named = {float(record["pass_at"]) for record in records if "pass_at" in record}
    if reading.threshold is not None or len(named) < 2:
        return reading.threshold
    passing = _settings_pass_at(run)
    found = f"dialogues that pass from {' and '.join(f'{n:g}' for n in sorted(named))} on"
    expected = f"one such consistency; {passing:g} was taken (--pass-consistency names another)"
    reading.complain(path, [CaseFault("", found, expected)])
    return passing
