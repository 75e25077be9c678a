"""Files in the published format: faults are named by their place and hide nothing else."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_compaction.case import CaseFault
from pytest_compaction.dialogues import BothArms, figures_of
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


def test_a_summary_without_its_fields_is_refused_by_name() -> None:
    (fault,) = figures_in({"summary": {"GR": {"numCases": 3}}})
    assert isinstance(fault, CaseFault)
    assert fault.pointer == "/summary/GR" and "'avgConsistency'" in fault.found
