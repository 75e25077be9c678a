"""The tables of a dialogue evaluation: their content, their width, and what they leave out."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import groupby
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from pytest_compaction.dialogues import (
    BothArms,
    Evaluation,
    evaluations_of_records,
    figures_of,
    spending_of,
)
from pytest_compaction.dialogues.dialogue import Trial, TrialMatch, TurnReply
from pytest_compaction.dialogues.figures import evaluation_of
from pytest_compaction.reports.dialogues import (
    ENOUGH,
    dialogue_json,
    dialogue_markdown,
    dialogue_text,
    tables_of,
)
from pytest_compaction.reports.lines import cells
from pytest_compaction.reports.table import TABLE_WIDTH, Cell, written

HOSTILE = "\x1b[2J|`<b>*x*\u202e"
WIDE = "会话摘要有效性评测会话摘要有效性评测会话摘要有效性评测会话摘要有效性评测"


def compared(
    id: str,
    full: list[int],
    short: list[int],
    consistency: float | None = 0.9,
    state: bool = False,
    made: int = 0,
) -> BothArms:
    def trial(prompts: list[int], state: bool, made: int) -> tuple[Trial]:
        replies = tuple(TurnReply(f"answer {n}", n, 100, (), state) for n in prompts)
        return (Trial(replies, made, min(made, 1)),)

    match = TrialMatch(consistency, consistency)
    both = trial(full, False, 0), trial(short, state, made)
    return BothArms(id, id.partition("_")[0], len(full), *both, (match,))


def evaluation(title: str = "anchored", **changes: Any) -> Evaluation:
    items = [
        compared("CM_1", [300, 900, 1500, 2400], [300, 900, 700, 800], 0.8, True, 500),
        compared("CM_2", [300, 900, 1500, 2600], [300, 900, 700, 900], 0.65, True, 400),
        compared("SA_1", [50, 300], [50, 310], 0.95),
        compared("SA_2", [60, 200], [60, 200], 1.0),
        compared("IC_1", [40, 200, 500], [40, 200, 900], None, True, 300),
    ]
    return replace(evaluation_of(title, items), **changes)


def rows(evaluation: Evaluation, name: str) -> list[dict[str, Any]]:
    data = json.loads(dialogue_json([evaluation]))
    found: list[dict[str, Any]] = data["evaluations"][0]["tables"][name]["rows"]
    return found


def test_terminal_tables(snapshot: SnapshotAssertion) -> None:
    assert "\n".join(dialogue_text([evaluation(errors=1)])) == snapshot


def figures(evaluation: Evaluation) -> dict[str, Any]:
    return {row["figure"]: row["value"] for row in rows(evaluation, "overall")}


def test_markdown_tables(snapshot: SnapshotAssertion) -> None:
    assert dialogue_markdown([evaluation(), evaluation("truncate")]) == snapshot


def test_json_tables(snapshot: SnapshotAssertion) -> None:
    found = evaluation()
    assert dialogue_json([found]) == snapshot
    again = evaluation_of(found.title, reversed(found.comparisons))
    assert dialogue_json([found]) == dialogue_json([again]), "the order does not matter"


def test_dialogues_without_a_summary_in_force_stand_apart() -> None:
    found = {row["summary"]: row for row in rows(evaluation(), "in_force")}
    assert {name: row["dialogues"] for name, row in found.items()} == {
        "a summary in force": 3,
        "never in force": 2,
    }
    assert found["never in force"]["token_savings"] == pytest.approx(-10 / 1010)
    measured = {row["task"]: row["measured"] for row in rows(evaluation(), "suitability")}
    assert measured == {"CM": "too few", "IC": "too few", "SA": "never in force"}


@pytest.mark.parametrize(
    ("saved", "said"), [(300, "saves"), (-300, "costs"), (-4, "no difference")]
)
def test_a_task_saves_where_its_interval_says_so(saved: int, said: str) -> None:
    items = [
        compared(f"CM_{n}", [500, 900 + n], [500, 900 - saved], state=True) for n in range(ENOUGH)
    ]
    (row,) = rows(evaluation_of("x", items), "suitability")
    assert row["measured"] == said


def test_several_trials_show_the_first_and_the_last_pass_k() -> None:
    one = compared("CM_1", [10, 20], [10, 15])
    agreements = tuple(TrialMatch(consistency, 1.0) for consistency in (0.9, 0.9, 0.1))
    three = BothArms("CM_2", "CM", 2, one.baseline * 3, one.summary * 3, agreements)
    (row,) = rows(evaluation_of("x", [three]), "quality")
    assert (row["pass_1"], row["pass_3"]) == (pytest.approx(2 / 3), 0.0)
    assert "pass_2" not in row


def test_tokens_of_a_dialogue_are_the_mean_over_its_trials_each_arm_by_its_own() -> None:
    def arm(*tokens: tuple[int, int]) -> tuple[Trial, ...]:
        return tuple(Trial((TurnReply("a", p, c), TurnReply("b", 2 * p, c))) for p, c in tokens)

    two = BothArms(
        "CM_1",
        "CM",
        2,
        baseline=arm((100, 20), (200, 60)),
        summary=(
            *arm((50, 10), (70, 40)),
            Trial((TurnReply("a", 30, 11), TurnReply("b", 60, 11)), 9, 1),
        ),
        agreements=(TrialMatch(0.9, 0.9),) * 3,
    )
    spent = spending_of(two)
    assert (spent.baseline_prompt, spent.baseline_completion) == (450, 80)
    assert (spent.summary_prompt, spent.generation) == (150, 3)
    assert spent.summary_completion == pytest.approx((20 + 80 + 22) / 3)


def test_a_dialogue_with_a_trial_that_was_not_scored_is_not_scored_and_the_trial_is_shown() -> None:
    one = compared("CM_1", [10, 20], [10, 15])
    agreements = (
        TrialMatch(0.9, 1.0),
        TrialMatch(None, None, unscored="away"),
        TrialMatch(0.1, 1.0),
    )
    partly = replace(one, baseline=one.baseline * 3, summary=one.summary * 3, agreements=agreements)
    whole = replace(partly, dialogue_id="CM_2", agreements=(TrialMatch(0.8, 0.6),) * 3)
    found = figures(evaluation_of("x", [partly]))
    assert (found["not scored"], found["trials not scored"]) == (1, 1)
    assert (found["consistency"], found["retention"]) == (None, None)
    assert not any(name.startswith("Pass^") for name in found)
    found = figures(evaluation_of("x", [partly, whole]))
    assert (found["not scored"], found["trials not scored"]) == (1, 1)
    assert (found["consistency"], found["retention"]) == pytest.approx((0.8, 0.6))
    assert (found["Pass^1"], found["Pass^3"]) == (1.0, 1.0)


def test_summaries_that_were_paid_and_never_in_force_stand_apart_from_noise() -> None:
    items = [
        compared("CM_1", [10, 20, 30], [10, 20, 15], state=True, made=7),
        compared("CM_2", [10, 20, 30], [10, 20, 30], made=222),
        compared("CM_3", [10, 20], [10, 20]),
    ]
    found = {row["summary"]: row for row in rows(evaluation_of("x", items), "in_force")}
    assert {name: row["dialogues"] for name, row in found.items()} == {
        "a summary in force": 1,
        "paid, never in force": 1,
        "never in force": 1,
    }
    assert found["never in force"]["net_savings"] == 0
    assert found["paid, never in force"]["token_savings"] == 0
    assert found["paid, never in force"]["net_savings"] < 0
    whole = figures_of("all", items)
    assert (whole.in_force, whole.paid) == (1, 1)
    text = "\n".join(dialogue_text([evaluation_of("x", items)]))
    assert "Paid, never in force: summaries were requested but none could be used" in text
    assert "Paid, never in force" not in "\n".join(dialogue_text([evaluation_of("x", items[::2])]))
    (row,) = rows(evaluation_of("x", items[1:2]), "suitability")
    assert row["measured"] == "paid, never in force"


def test_a_strategy_whose_dialogues_all_ended_in_errors_has_no_savings() -> None:
    evaluations = [evaluation(), replace(evaluation_of("raises", []), errors=3)]
    _, row = json.loads(dialogue_json(evaluations))["strategies"]["rows"]
    assert row["dialogues"] == 0
    assert {name for name, value in row.items() if value is None} == {
        *("prompt_savings", "token_savings", "net_savings"),
        *("consistency", "pass_1", "retention"),
    }
    (line,) = [line for line in dialogue_text(evaluations) if line.startswith("  raises")]
    assert "0.00%" not in line


def test_nothing_compared_is_a_table_of_nothing() -> None:
    empty = replace(evaluation_of("nothing", []), errors=3)
    (overall,) = tables_of(empty)
    values = {row[0].value: row[1].value for row in overall.rows}
    assert (values["dialogues"], values["errors, in no figure"]) == (0, 3)
    assert values["token savings"] is None and values["consistency"] is None
    assert "token savings                    " in "\n".join(dialogue_text([empty]))


@pytest.mark.parametrize("title", [HOSTILE, WIDE, "x" * 300, ""])
def test_no_line_is_too_wide_or_writes_on_the_terminal(title: str) -> None:
    huge = 40_000_000
    items = [
        compared(f"{title}_1", [huge, huge * 2], [1, 2], state=True, made=huge),
        compared("CC_619", [1, 2], [8_000, 9_000], 0.1),
        compared("CC_620", [1] * 12, [1] * 12),
    ]
    evaluations = [evaluation_of(title, items), evaluation("anchored")]
    lines = list(dialogue_text(evaluations))
    assert max(map(cells, lines)) <= TABLE_WIDTH
    for text in ("\n".join(lines), dialogue_markdown(evaluations), dialogue_json(evaluations)):
        assert "\x1b" not in text and "\u202e" not in text
    assert "<b>" not in dialogue_markdown(evaluations)
    assert json.loads(dialogue_json(evaluations))["strategies"]["rows"][0]["strategy"] == title


def test_a_text_takes_the_cells_of_its_characters() -> None:
    texts = ["", "abc", "e\u0301a", "日本", "é日", "\u1112\u1161\u11ab", "a\tb"]
    assert [cells(text) for text in texts] == [0, 3, 2, 4, 3, 2, 3]


def test_markdown_cells_cannot_end_a_cell() -> None:
    text = dialogue_markdown([evaluation_of("x", [compared("A|B_1", [10, 20], [10, 15])])])
    assert "A\\|B" in text
    lines = [line.replace("\\|", "") for line in text.splitlines()]
    blocks = [list(block) for bar, block in groupby(lines, lambda line: "|" in line) if bar]
    assert blocks
    for block in blocks:
        assert len({line.count("|") for line in block}) == 1


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (Cell(None), "-"),
        (Cell(None, "count", "not recorded"), "not recorded"),
        (Cell(-0.00001, "percent"), "0.00%"),
        (Cell(0.00001, "change"), "0.00%"),
        (Cell(-41.1423, "percent"), "-4,114%"),
        (Cell(-9.5, "percent"), "-950.00%"),
        (Cell(-5e6, "percent"), "-5.0e+08%"),
        (Cell(0.0367, "change"), "+3.67%"),
        (Cell(3_515_728, "count"), "3,515,728"),
        (Cell(2.5e12, "count"), "2.50e+12"),
        (Cell(0.8527, "score"), "0.853"),
        (Cell(3.9875, "number"), "3.99"),
    ],
)
def test_values_are_written_for_people(cell: Cell, text: str) -> None:
    assert written(cell) == text


def test_records_of_other_kinds_are_passed_over_and_errors_counted() -> None:
    good = compared("CM_1", [10, 20], [10, 15], 0.75).as_json()
    records = [
        {"compactor": "anchored", "overall": 4.0},
        {"type": "dialogue", "compactor": "anchored", "comparison": good, "pass_at": 0.8},
        {"type": "dialogue", "compactor": "anchored", "comparison": None, "pass_at": 0.8},
        {"type": "dialogue", "compactor": "truncate", "comparison": None},
    ]
    first, second = evaluations_of_records(records)
    assert (first.title, first.whole.dialogues, first.errors) == ("anchored", 1, 1)
    assert first.whole.passes == {1: 0.0}, "the run's own consistency decides"
    assert (second.title, second.whole.dialogues, second.errors) == ("truncate", 0, 1)
    assert evaluations_of_records(records, 0.7)[0].whole.passes == {1: 1.0}
