"""Real cases of one project are one unit of intervals and tests; scripted ones are their own."""

import pytest
from support.builders import record

from pytest_compaction.metrics import (
    aggregate,
    compare_strategies,
    interval_method,
    means,
    paired_difference,
    strategy_losses,
)
from pytest_compaction.reports.summary import run_summary

FACTS = [
    {"text": "a", "type": "value", "class": "value", "survived": n % 2 == 0, "used": True}
    for n in range(2)
]


def real(projects, scores, **more):
    """A record for each project and score: cases of their own."""
    return [
        record(
            case=f"c{number}",
            compactor=more.get("compactor", "anchored"),
            overall=score,
            reading="view",
            facts=FACTS,
            origin="real" if project else "scripted",
            **({"project": project} if project else {}),
        )
        for number, (project, score) in enumerate(zip(projects, scores, strict=True))
    ]


SCORES = [1.0, 1.2, 1.1, 4.0, 3.0, 2.0, 4.5, 3.5]
FIVE_OF_ONE = ["one", "one", "one", "b", "c", "d", "e", "f"]
ALONE = [f"p{n}" for n in range(8)]


def test_cases_of_one_project_make_the_interval_wider_and_leave_the_mean():
    together = aggregate("anchored", real(FIVE_OF_ONE, SCORES)).overall
    apart = aggregate("anchored", real(ALONE, SCORES)).overall
    scripted = aggregate("anchored", real([""] * 8, SCORES)).overall
    assert together.value == apart.value == scripted.value
    assert (together.cases, together.units) == (8, 6)
    assert (apart.units, scripted.units) == (8, 8)
    width = [high - low for low, high in (together.interval, apart.interval)]
    assert width[0] > width[1]
    assert scripted.interval == apart.interval


@pytest.mark.parametrize("projects", [["one"] * 4 + ["two"] * 4, ["one"] * 8])
def test_with_few_projects_no_figure_has_an_interval(projects):
    records = real(projects, SCORES)
    found = means(records)
    assert {
        name: mean.interval for name, mean in found.items() if name != "pass^1"
    } == dict.fromkeys(set(found) - {"pass^1"})
    assert strategy_losses(records).whole.survival.interval is None
    assert paired_difference(records, real(projects, SCORES[::-1])).p is None
    others = real(projects, [0.5] * 8, compactor="random")
    letters = compare_strategies({"anchored": records, "random": others}).letters
    assert set(letters.values()) == {""}


def test_strategies_are_compared_over_projects():
    groups = {
        name: real(FIVE_OF_ONE, scores, compactor=name)
        for name, scores in (("anchored", SCORES), ("random", [s - 0.5 for s in SCORES]))
    }
    (pair,) = compare_strategies(groups).pairs
    assert (pair.paired.difference.cases, pair.paired.difference.units) == (8, 6)
    alone = paired_difference(groups["anchored"], groups["random"])
    assert pair.paired.difference == alone.difference
    old, new = real([""] * 8, SCORES), real(FIVE_OF_ONE, SCORES[::-1])
    assert paired_difference(old, new).difference.units == 6, "an older run knows no projects"


def test_the_words_for_few_cases_stand_for_few_projects_too():
    assert interval_method(24, 20) == (
        "studentised bootstrap of 24 cases, those of one project as one (20)"
    )
    assert interval_method(8, 2) == "none with fewer than 6 projects"
    assert interval_method(2, 2) == "none with fewer than 6 cases"
    records = real(["one", "two"] * 4, SCORES)
    lines = [line.text for line in run_summary(records, ["anchored"], control=False)]
    assert "intervals: none with fewer than 6 projects" in lines
    both = [*records, *real(["one", "two"] * 4, SCORES, compactor="random")]
    text = " ".join(line.text for line in run_summary(both, ["anchored", "random"], control=False))
    assert "that of these 8 cases of 2 projects alone" in text
