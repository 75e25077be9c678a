"""Files in the published format: faults are named by their place and hide nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_compaction.case import CaseFault
from pytest_compaction.dialogues import BothArms, TaskFigures, figures_of
from pytest_compaction.dialogues.published import comparisons_in, figures_in


def test_a_loss_of_forty_times_and_silence_are_read_and_counted() -> None:
    """As in the published CC_619: the baseline gave no answer, the other arm a long one."""
    run = {"invocations": [{"invocationId": "1"}, {"finalResponse": None}]}
    small = {"promptTokens": 20, "completionTokens": 0}
    large = {"promptTokens": 20, "completionTokens": 823}
    case = {
        "caseId": "CC_619",
        "consistency": {"score": 0.4},
        "retention": {"retentionRate": 1.0, "perTurn": [1, 1]},
        "baselineRuns": [{**run, "tokenUsagePerTurn": [small, small]}],
        "summaryRuns": [{**run, "tokenUsagePerTurn": [large, large]}],
    }
    (item,) = comparisons_in({"caseResults": [case]})
    assert isinstance(item, BothArms)
    figures = figures_of("CC", [item])
    assert figures.spending.savings == pytest.approx(-41.15)
    assert (figures.tokens.negative, figures.passes) == (1, {1: 0.0})


def broken(change: dict[str, Any]) -> str:
    reply = {"invocations": [{}], "tokenUsagePerTurn": [{"promptTokens": 1, "completionTokens": 1}]}
    case: dict[str, Any] = {
        "caseId": "GR_1",
        "consistency": {"score": 1},
        "retention": {"retentionRate": 1},
        "baselineRuns": [reply],
        "summaryRuns": [reply],
    }
    good, bad = {**case, "caseId": "GR_2"}, {**case, **change}
    found = list(comparisons_in({"caseResults": [bad, good]}))
    assert [item.dialogue_id for item in found if isinstance(item, BothArms)] == ["GR_2"]
    (fault,) = [item for item in found if isinstance(item, CaseFault)]
    return str(fault)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"caseId": "XX_1"}, "/caseResults/0/caseId: found the task 'XX'; expected one of AR, CC"),
        ({"caseId": "1"}, '/caseResults/0/caseId: found str "1"'),
        ({"consistency": {"score": 1.2}}, "/caseResults/0/consistency/score: found float 1.2"),
        ({"summaryRuns": []}, "/caseResults/0/summaryRuns: found list []; expected at least 1"),
        (
            {"baselineRuns": [{"invocations": [{}], "tokenUsagePerTurn": []}]},
            "/caseResults/0/baselineRuns/0/tokenUsagePerTurn: found 0 entries; expected one for",
        ),
        (
            {"consistency": {"score": 1, "details": {"consistency_scores": [1, 1]}}},
            "/caseResults/0/consistency/details/consistency_scores: found 2 scores; expected one",
        ),
    ],
)
def test_a_broken_dialogue_is_named_by_its_place_and_hides_no_other(
    change: dict[str, Any], said: str
) -> None:
    assert said in broken(change)


def a_row(**changes: float) -> dict[str, float]:
    """A consistent row of a published summary, with ``changes`` applied."""
    row = dict.fromkeys(("avgConsistency", "avgRetention", "passHat1Rate"), 0.9)
    for kind in ("Token", "Prompt"):
        shares = zip(("mean", "std", "p25", "p50", "p75"), (10, 5, -5, 10, 20), strict=True)
        row |= {f"{name}{kind}SavingsPct": value for name, value in shares}
        row[f"negative{kind}SavingsCases"] = 20
    totals = {"baselineTokensTotal": 900, "baselinePromptTokensTotal": 500}
    totals |= {"summaryTokensTotal": 800, "summaryPromptTokensTotal": 400}
    return {**row, **totals, "numCases": 71, **changes}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"baselineTokensTotal": 1},
            "/summary/GR/baselinePromptTokensTotal: found 500 prompt tokens; "
            "expected at most the 1 tokens of all",
        ),
        (
            {"summaryPromptTokensTotal": 801},
            "/summary/GR/summaryPromptTokensTotal: found 801 prompt tokens; "
            "expected at most the 800 tokens of all",
        ),
        (
            {"negativeTokenSavingsCases": 100},
            "/summary/GR/negativeTokenSavingsCases: found 100 dialogues; "
            "expected at most 71, as numCases says",
        ),
        ({"negativePromptSavingsCases": 72}, "/summary/GR/negativePromptSavingsCases: found 72"),
        (
            {"p50TokenSavingsPct": 21},
            "/summary/GR/p25TokenSavingsPct: found quartiles -5, 21, 20; expected rising ones",
        ),
        ({"meanPromptSavingsPct": 100.1}, "/summary/GR/meanPromptSavingsPct: found savings above"),
        ({"p75PromptSavingsPct": 101}, "/summary/GR/meanPromptSavingsPct: found savings above"),
    ],
)
def test_figures_that_cannot_be_true_beside_one_another_are_refused(
    changes: dict[str, float], said: str
) -> None:
    (good,) = figures_in({"summary": {"GR": a_row()}})
    assert isinstance(good, TaskFigures) and good.mean_completion == pytest.approx(400 / 71)
    refused, other = figures_in({"summary": {"GR": a_row(**changes), "SA": a_row()}})
    assert isinstance(other, TaskFigures)
    assert isinstance(refused, CaseFault) and str(refused).startswith(said)


def test_a_summary_without_its_fields_is_refused_by_name() -> None:
    (fault,) = figures_in({"summary": {"GR": {"numCases": 3}}})
    assert isinstance(fault, CaseFault)
    assert fault.pointer == "/summary/GR" and "'avgConsistency'" in fault.found
