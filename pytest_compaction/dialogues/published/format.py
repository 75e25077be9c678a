"""The published raw results of a dialogue evaluation, and their summary, as our own data.

The format is that of the benchmark behind "Evaluating Session Summarization
Effectiveness": one ``results.json`` a task with every answer and its usage, and one
``result_summary.json`` with a row of figures a task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pytest_compaction.case.validation import CaseFault
from pytest_compaction.dialogues.dialogue import TASKS, Agreement, Comparison, Reply, Trial
from pytest_compaction.dialogues.figures import Figures
from pytest_compaction.dialogues.schema import shape_faults
from pytest_compaction.metrics.dialogues.token_efficiency import Spending
from pytest_compaction.metrics.distribution import Spread
from pytest_compaction.text import printable

METHOD = "published"


def comparisons_in(data: Any) -> Iterator[Comparison | CaseFault]:
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


def _comparison(case: Mapping[str, Any]) -> Comparison:
    scores = _scores(case)
    retention = case["retention"]
    by_turn = tuple(retention.get("perTurn") or ()) if len(scores) == 1 else ()
    return Comparison(
        dialogue_id=case["caseId"],
        task=_task(case),
        turns=len(case["baselineRuns"][0]["invocations"]),
        baseline=tuple(_trial(run) for run in case["baselineRuns"]),
        summary=tuple(_trial(run) for run in case["summaryRuns"]),
        agreements=tuple(
            Agreement(value, retention["retentionRate"], retained=by_turn) for value in scores
        ),
        method=METHOD,
    )


def _trial(run: Mapping[str, Any]) -> Trial:
    return Trial(
        tuple(
            Reply(
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


def figures_in(data: Any) -> Iterator[Figures | CaseFault]:
    """The figures of each task of a ``result_summary.json``, or why it cannot be used.

    The file has savings as percentages; they become shares. Turns, summaries in force and
    the cost of summaries are not recorded.
    """
    faults = shape_faults("summary", data)
    if faults:
        yield from faults
        return
    for task, row in data["summary"].items():
        faults = list(_contradictions(row))
        pointer = f"/summary/{printable(task, 40)}"
        yield from (CaseFault(f"{pointer}/{f.pointer}", f.found, f.expected) for f in faults)
        if not faults:
            yield _figures(task, row)


def _contradictions(row: Mapping[str, Any]) -> Iterator[CaseFault]:
    """Figures of a row that contradict each other, by the name of the field."""
    for arm in ("baseline", "summary"):
        name, whole = f"{arm}PromptTokensTotal", row[f"{arm}TokensTotal"]
        if row[name] > whole:
            found, expected = f"{row[name]} prompt tokens", f"at most the {whole} tokens of all"
            yield CaseFault(name, found, expected)
    for kind in ("Token", "Prompt"):
        name, dialogues = f"negative{kind}SavingsCases", row["numCases"]
        if row[name] > dialogues:
            yield CaseFault(
                name, f"{row[name]} dialogues", f"at most {dialogues}, as numCases says"
            )
        quartiles = [row[f"{share}{kind}SavingsPct"] for share in ("p25", "p50", "p75")]
        if quartiles != sorted(quartiles):
            found = ", ".join(f"{value:g}" for value in quartiles)
            yield CaseFault(f"p25{kind}SavingsPct", f"quartiles {found}", "rising ones")
        if max(quartiles[-1], row[f"mean{kind}SavingsPct"]) > 100:
            yield CaseFault(f"mean{kind}SavingsPct", "savings above 100", "at most 100 per cent")


def _figures(task: str, row: Mapping[str, Any]) -> Figures:
    baseline, baseline_prompt = row["baselineTokensTotal"], row["baselinePromptTokensTotal"]
    summary, summary_prompt = row["summaryTokensTotal"], row["summaryPromptTokensTotal"]
    return Figures(
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
