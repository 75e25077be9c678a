"""Result files of dialogue evaluations: recognised by their content, read as evaluations."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from pytest_compaction.case import MAX_SHOWN_FAULTS, CaseFault, read_json, read_text
from pytest_compaction.dialogues.dialogue import (
    RECORD_TYPE,
    TASKS,
    BothArms,
    Trial,
    TrialMatch,
    TurnReply,
)
from pytest_compaction.dialogues.figures import (
    Evaluation,
    TaskFigures,
    evaluation_of,
    evaluation_of_figures,
    evaluations_of_records,
    with_turns,
)
from pytest_compaction.dialogues.files import is_dialogue_file, load_dialogues
from pytest_compaction.dialogues.format import shape_faults
from pytest_compaction.dialogues.measures import PASS_CONSISTENCY, Spending, Spread
from pytest_compaction.records import Run, RunFileError, load_run
from pytest_compaction.text import printable

METHOD = "published"


def comparisons_in(data: Any) -> Iterator[BothArms | CaseFault]:
    """The dialogues of a ``results.json``, or why one of them (or the file) cannot be used.

    The task is the part of the case id before the first underscore. The format does not
    record the cost of summaries, nor whether a prompt had one: both are ``None``. An
    absent answer is empty. Consistency and retention are taken as published; with several
    runs, the published mean is the retention of each.
    """
    faults = shape_faults("raw", data)
    if faults:
        yield from faults
        return
    for number, case in enumerate(data["caseResults"]):
        pointer = f"/caseResults/{number}"
        faults = shape_faults("raw_case", case) or _count_faults(case)
        if faults:
            yield from (CaseFault(pointer + f.pointer, f.found, f.expected) for f in faults)
        else:
            yield _comparison(case)


def _count_faults(case: Mapping[str, Any]) -> list[CaseFault]:
    """Counts that do not agree, and a task that does not exist."""
    faults: list[CaseFault] = []
    task = _task(case)
    if task not in TASKS:
        found = f"the task {printable(task, 40)!r}"
        faults.append(CaseFault("/caseId", found, f"one of {', '.join(TASKS)}"))
    for arm in ("baselineRuns", "summaryRuns"):
        for number, run in enumerate(case[arm]):
            turns, usage = len(run["invocations"]), len(run["tokenUsagePerTurn"])
            if turns != usage:
                pointer = f"/{arm}/{number}/tokenUsagePerTurn"
                faults.append(CaseFault(pointer, f"{usage} entries", f"one for each of {turns}"))
    runs, scores = len(case["summaryRuns"]), len(_scores(case))
    if runs != scores:
        pointer = "/consistency/details/consistency_scores"
        faults.append(CaseFault(pointer, f"{scores} scores", f"one for each of {runs} runs"))
    return faults


def _task(case: Mapping[str, Any]) -> str:
    return str(case["caseId"]).partition("_")[0]


def _scores(case: Mapping[str, Any]) -> list[float]:
    scores = case["consistency"].get("details", {}).get("consistency_scores")
    return list(scores) if scores else [case["consistency"]["score"]]


def _comparison(case: Mapping[str, Any]) -> BothArms:
    scores = _scores(case)
    retention = case["retention"]
    by_turn = tuple(retention.get("perTurn") or ()) if len(scores) == 1 else ()
    return BothArms(
        dialogue_id=case["caseId"],
        task=_task(case),
        turns=len(case["baselineRuns"][0]["invocations"]),
        baseline=tuple(_trial(run) for run in case["baselineRuns"]),
        summary=tuple(_trial(run) for run in case["summaryRuns"]),
        agreements=tuple(
            TrialMatch(value, retention["retentionRate"], retained=by_turn) for value in scores
        ),
        method=METHOD,
    )


def _trial(run: Mapping[str, Any]) -> Trial:
    return Trial(
        tuple(
            TurnReply(
                text=(invocation.get("finalResponse") or {}).get("content") or "",
                prompt_tokens=usage["promptTokens"],
                completion_tokens=usage["completionTokens"],
                calls=tuple(tool["name"] for tool in invocation.get("tools") or ()),
                summarised=None,
            )
            for invocation, usage in zip(run["invocations"], run["tokenUsagePerTurn"], strict=True)
        ),
        generation_tokens=None,
        generation_calls=None,
    )


def figures_in(data: Any) -> Iterator[TaskFigures | CaseFault]:
    """The figures of each task of a ``result_summary.json``, or why it cannot be used."""
    faults = shape_faults("summary", data)
    if faults:
        yield from faults
        return
    yield from (_figures(task, row) for task, row in data["summary"].items())


def _figures(task: str, row: Mapping[str, Any]) -> TaskFigures:
    baseline, baseline_prompt = row["baselineTokensTotal"], row["baselinePromptTokensTotal"]
    summary, summary_prompt = row["summaryTokensTotal"], row["summaryPromptTokensTotal"]
    return TaskFigures(
        name=task,
        dialogues=row["numCases"],
        spending=Spending(
            baseline_prompt=baseline_prompt,
            baseline_completion=baseline - baseline_prompt,
            summary_prompt=summary_prompt,
            summary_completion=summary - summary_prompt,
            generation=None,
        ),
        tokens=_spread(row, "Token"),
        prompt=_spread(row, "Prompt"),
        net=None,
        consistency=row["avgConsistency"],
        retention=row["avgRetention"],
        passes={1: row["passHat1Rate"]},
        scored=row["numCases"],
    )


def _spread(row: Mapping[str, Any], kind: str) -> Spread:
    names = ("mean", "std", "p25", "p50", "p75")
    shares = {name: row[f"{name}{kind}SavingsPct"] / 100 for name in names}
    return Spread(row["numCases"], **shares, negative=row[f"negative{kind}SavingsCases"])


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
class _Reader:
    """The state while files are read; the raw results of all files make one evaluation."""

    threshold: float | None
    evaluations: list[Evaluation] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    raw: dict[str, tuple[BothArms, Path]] = field(default_factory=dict)
    models: set[str] = field(default_factory=set)
    turns: dict[str, list[int]] = field(default_factory=dict)

    def reader_of(self, path: Path) -> Callable[[Path], None]:
        """The method that reads a file, by its content."""
        if is_dialogue_file(path):
            return self.read_turns
        return self.read_run if _is_run_file(path) else self.read_published

    def complain(self, path: Path, faults: Sequence[CaseFault]) -> None:
        """Add a sentence for each fault of a file, up to a limit."""
        shown = [f"{path}: {fault}" for fault in faults[:MAX_SHOWN_FAULTS]]
        if len(faults) > MAX_SHOWN_FAULTS:
            shown.append(f"{path}: … and {len(faults) - MAX_SHOWN_FAULTS} more")
        self.problems += shown

    def read_published(self, path: Path) -> None:
        """Read a ``results.json`` or ``result_summary.json``."""
        text = read_text(path)
        data = text if isinstance(text, CaseFault) else read_json(text, "a result file")
        if isinstance(data, CaseFault):
            self.complain(path, [data])
        elif isinstance(data, dict) and "caseResults" in data:
            self._read_raw(path, data)
        elif isinstance(data, dict) and "summary" in data:
            self._read_summary(path, data)
        else:
            self.complain(path, [CaseFault("", f"a JSON {_described(data)}", EXPECTED)])

    def read_turns(self, path: Path) -> None:
        """Read a dialogue file, for its numbers of turns alone."""
        found = load_dialogues([path])
        self.problems += [str(error) for error in found.errors]
        for dialogue in found.dialogues:
            self.turns.setdefault(dialogue.task, []).append(len(dialogue.turns))

    def _read_raw(self, path: Path, data: Mapping[str, Any]) -> None:
        faults: list[CaseFault] = []
        for item in comparisons_in(data):
            if isinstance(item, CaseFault):
                faults.append(item)
            elif item.dialogue_id in self.raw:
                there = self.raw[item.dialogue_id][1]
                found = f"the dialogue {printable(item.dialogue_id, 60)!r}, which {there} has too"
                faults.append(CaseFault("/caseResults", found, "each dialogue once"))
            else:
                self.raw[item.dialogue_id] = (item, path)
        if isinstance(data.get("model"), str):
            self.models.add(data["model"])
        self.complain(path, faults)

    def _read_summary(self, path: Path, data: Mapping[str, Any]) -> None:
        found = list(figures_in(data))
        faults = [item for item in found if isinstance(item, CaseFault)]
        self.complain(path, faults)
        if not faults:
            figures = [
                self._with_turns(path, item) for item in found if isinstance(item, TaskFigures)
            ]
            models = ", ".join(data.get("total", {}).get("modelSet", ())) or "model not named"
            title = f"{path.name}: published figures ({models})"
            self.evaluations.append(evaluation_of_figures(title, figures))

    def _with_turns(self, path: Path, figures: TaskFigures) -> TaskFigures:
        """The figures, with the turns of their task if a dialogue file has them."""
        try:
            if figures.name in self.turns:
                return with_turns(figures, self.turns[figures.name])
        except ValueError as error:
            found = f"the task {printable(figures.name, 40)!r} has {error}"
            self.complain(path, [CaseFault("/summary", found, "the dialogues it was made of")])
        return figures

    def read_run(self, path: Path) -> None:
        """Read a run file."""
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
    """Read result files; a dialogue that cannot be read hides no other.

    All published raw results make one evaluation, a published summary its own, and a run file one
    for each strategy. A dialogue file adds numbers of turns to a summary.
    """
    reader = _Reader(threshold)
    readers = {path: reader.reader_of(path) for path in paths}
    # Dialogue files first, wherever they are named: the summaries need their turns.
    for path, read in sorted(readers.items(), key=lambda item: item[1] != reader.read_turns):
        read(path)
    evaluations = reader.evaluations
    if reader.raw:
        title = f"Published results ({', '.join(sorted(reader.models)) or 'model not named'})"
        passing = PASS_CONSISTENCY if threshold is None else threshold
        published = evaluation_of(title, [item for item, _ in reader.raw.values()], passing)
        evaluations.insert(0, published)
    if reader.turns and not evaluations and not reader.problems:
        reader.problems.append(
            "only dialogues to be replayed were named; run pytest --compactor=NAME "
            "--compaction-cases=FILE and name its run file here"
        )
    return Results(tuple(evaluations), tuple(reader.problems))


def _is_run_file(path: Path) -> bool:
    """Whether the first line is the header of a run."""
    try:
        with path.open("rb") as file:
            first = json.loads(file.readline(_FIRST_LINE))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(first, dict) and "format" in first


def _described(data: Any) -> str:
    """The type of a JSON value; of an object, the first keys as well."""
    if isinstance(data, dict):
        keys = ", ".join(repr(printable(key, 30)) for key in sorted(data)[:6])
        return f"object with the keys {keys}" if keys else "object without keys"
    kinds = {list: "array", str: "string", bool: "boolean", type(None): "null"}
    return kinds.get(type(data), "number")


def _settings_pass_at(run: Run) -> float:
    """The least consistency of a dialogue that passes, from the header of a run."""
    settings = run.header.get("settings")
    dialogues = settings.get("dialogues") if isinstance(settings, Mapping) else None
    found = dialogues.get("consistency") if isinstance(dialogues, Mapping) else None
    return PASS_CONSISTENCY if found is None or shape_faults("share", found) else float(found)
