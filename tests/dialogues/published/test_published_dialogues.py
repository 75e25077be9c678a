"""The published data gives the published figures of dialogue summarization again."""

from __future__ import annotations

from typing import Any

import pytest
from support.published_data import EXACT, PUBLISHED_TASKS, RAW_TASKS

from pytest_compaction.dialogues import BothArms, TaskFigures, figures_of
from pytest_compaction.dialogues.figures import combined, outcome_of
from pytest_compaction.dialogues.measures import Spread, retention_by_judge


def published_row(figures: TaskFigures) -> dict[str, float]:
    """Our figures under the names and in the units of the published summary."""
    spending = figures.spending
    assert figures.consistency is not None and figures.retention is not None
    row: dict[str, float] = {
        "numCases": figures.dialogues,
        "avgConsistency": figures.consistency,
        "avgRetention": figures.retention,
        "passHat1Rate": figures.passes[1],
        "baselineTokensTotal": spending.baseline,
        "summaryTokensTotal": spending.summary,
        "baselinePromptTokensTotal": spending.baseline_prompt,
        "summaryPromptTokensTotal": spending.summary_prompt,
        "aggregateTokenSavingsPct": 100 * spending.savings,
        "aggregatePromptSavingsPct": 100 * spending.prompt_savings,
    }
    for kind, part in (("Token", figures.tokens), ("Prompt", figures.prompt)):
        row |= {f"{name}{kind}SavingsPct": 100 * value for name, value in spread_of(part).items()}
        row[f"negative{kind}SavingsCases"] = part.negative
    return row


def spread_of(part: Spread) -> dict[str, float]:
    found = {name: getattr(part, name) for name in ("mean", "std", "p25", "p50", "p75")}
    assert None not in found.values()
    return found


@pytest.mark.parametrize("task", RAW_TASKS)
def test_raw_results_give_every_field_of_the_published_summary(
    task: str, compared: dict[str, list[BothArms]], summary: dict[str, Any]
) -> None:
    expected = summary["summary"][task]
    ours = published_row(figures_of(task, compared[task]))
    assert ours.keys() == expected.keys()
    for name, value in expected.items():
        assert ours[name] == pytest.approx(value, abs=EXACT, rel=0), name


@pytest.mark.parametrize("task", RAW_TASKS)
def test_raw_results_give_the_published_means_and_overall_score(
    task: str, compared: dict[str, list[BothArms]], raw: dict[str, Any]
) -> None:
    figures, data = figures_of(task, compared[task]), raw[task]
    assert figures.tokens.mean is not None and figures.prompt.mean is not None
    assert 100 * figures.tokens.mean == pytest.approx(data["avgTokenSavings"], abs=EXACT)
    assert 100 * figures.prompt.mean == pytest.approx(data["avgPromptSavings"], abs=EXACT)
    assert figures.effectiveness == pytest.approx(data["overallScore"], abs=EXACT)


@pytest.mark.parametrize("task", RAW_TASKS)
def test_every_dialogue_has_its_published_figures(
    task: str, compared: dict[str, list[BothArms]], raw: dict[str, Any]
) -> None:
    for item, case in zip(compared[task], raw[task]["caseResults"], strict=True):
        alone = figures_of(task, [item])
        tokens = case["tokenEfficiency"]
        assert 100 * alone.spending.savings == pytest.approx(tokens["savingsPercentage"])
        assert 100 * alone.spending.prompt_savings == pytest.approx(
            tokens["promptSavingsPercentage"]
        )
        assert outcome_of(item) == (1, case["consistency"]["passHat1"])
        rates = case["retention"]["perTurn"]
        assert alone.retention == pytest.approx(retention_by_judge(rates, item.turns))


def test_the_nine_rows_give_the_totals_of_the_report(
    rows: list[TaskFigures], summary: dict[str, Any]
) -> None:
    whole, total = combined("all", rows), summary["total"]
    assert [row.name for row in rows] == sorted(PUBLISHED_TASKS)
    spending = whole.spending
    assert whole.dialogues == 917
    assert (spending.baseline, spending.summary) == (3_515_728, 3_062_518)
    assert (spending.baseline_prompt, spending.summary_prompt) == (1_891_399, 1_428_606)
    assert f"{spending.savings:.2%} {spending.prompt_savings:.2%}" == "12.89% 24.47%"
    assert f"{whole.consistency:.3f} {whole.retention:.3f}" == "0.853 0.836"
    assert round(whole.passes[1] * whole.scored, 6) == 846
    assert f"{whole.passes[1]:.1%}" == "92.3%"
    assert whole.tokens.negative == 329
    assert f"{whole.tokens.negative_rate:.1%}" == "35.9%"
    assert whole.tokens.mean is not None and whole.prompt.mean is not None
    for ours, name in (
        (100 * spending.savings, "aggregateTokenSavingsPct"),
        (100 * spending.prompt_savings, "aggregatePromptSavingsPct"),
        (whole.consistency, "weightedAvgConsistency"),
        (whole.retention, "weightedAvgRetention"),
        (whole.passes[1], "weightedPassHat1Rate"),
        (100 * whole.tokens.mean, "weightedMeanTokenSavingsPct"),
        (100 * whole.prompt.mean, "weightedMeanPromptSavingsPct"),
        (whole.tokens.negative_rate, "negativeTokenSavingsRate"),
        (whole.prompt.negative_rate, "negativePromptSavingsRate"),
    ):
        assert ours == pytest.approx(total[name], abs=EXACT, rel=0), name


def test_what_the_published_data_does_not_record_is_not_zero(
    rows: list[TaskFigures], compared: dict[str, list[BothArms]]
) -> None:
    whole = combined("all", rows)
    assert whole.spending.generation is None and whole.spending.net_savings is None
    assert whole.net is None and whole.in_force is None and whole.turns is None
    figures = figures_of("GR", compared["GR"])
    assert figures.spending.net_savings is None and figures.net is None
    assert figures.in_force is not None
    assert (figures.in_force.some, figures.in_force.none, figures.in_force.unknown) == (0, 0, 71)


def test_an_empty_answer_is_an_answer(compared: dict[str, list[BothArms]]) -> None:
    (item,) = [item for item in compared["GR"] if item.dialogue_id == "GR_30"]
    (failed,) = [reply for reply in item.summary[0].replies if not reply.text]
    assert (failed.prompt_tokens, failed.completion_tokens) == (0, 0)
    assert not item.shrank, "a failed call is no summary"
    assert figures_of("GR", [item]).dialogues == 1
