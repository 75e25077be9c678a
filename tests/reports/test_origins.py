"""Real and scripted cases apart: in the summary, in the header of a run, and in the gate."""

import pytest
from support.builders import record
from support.finished import fact

from pytest_compaction.gate import ThresholdError, decide, parse_threshold
from pytest_compaction.metrics import of_origin
from pytest_compaction.reports.lines import WIDTH
from pytest_compaction.reports.summary import run_summary


def items(compactor, origin, **scores):
    """An item of each case with this overall score; it states facts from a score of 3 on."""
    return [
        record(
            name,
            "limit",
            compactor,
            origin=origin,
            overall=score,
            status="passed" if score >= 3.5 else "failed",
            facts=[fact(None if score >= 3 else "dropped", used=False), fact("dropped")],
            tokens={"log": 1000, "view": 100 if origin == "real" else 300, "summary": 0},
        )
        for name, score in scores.items()
    ]


def both(compactor="anchored"):
    real = items(compactor, "real", r1=1.0, r2=2.0)
    return [*real, *items(compactor, "scripted", s1=3.0, s2=4.0, s3=5.0)]


def text(found, *order, control=False):
    return [line.text for line in run_summary(found, list(order), control, verbose=True)]


def test_the_summary_has_a_row_for_each_origin_and_strategy():
    lines = text(both(), "anchored")
    start = lines.index("Real and scripted cases apart")
    assert [line.split() for line in lines[start + 2 : start + 4]] == [
        "anchored real 2 2 1.50 0% 90% 10.00 0%".split(),
        "anchored scripted 3 3 4.00 67% 70% 3.33 50%".split(),
    ]
    assert all(len(line) <= WIDTH for line in lines)
    assert any(line.startswith("overall       3.00") for line in lines)
    lines = text([*both("a_rather_long_strategy_name"), *both("window"), *both("none")], "window")
    start = lines.index("Real and scripted cases apart") + 2
    assert [row.split()[0] for row in lines[start : start + 6]][:2] == ["window", "window"]
    assert all(len(line) <= WIDTH for line in lines)


@pytest.mark.parametrize("origin", ["real", "scripted", None])
def test_a_run_over_one_origin_has_no_such_table(origin):
    found = items("anchored", origin, r1=1.0, r2=4.0)
    if origin is None:
        for made in found:
            del made["origin"]
        assert of_origin(found, "scripted") == found
    assert "Real and scripted cases apart" not in text(found, "anchored")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("overall>=3", "overall 3.00 >= 3.00"),
        ("real.overall>=2", "real.overall 1.50 < 2.00 on 2 items"),
        ("scripted.overall>=2", "scripted.overall 4.00 >= 2.00 on 3 items"),
        ("real.pass^1<=0", "real.pass^1 0.00 <= 0.00"),
        ("real.removed@anchored>=80%", "real.removed@anchored 0.90 >= 0.80"),
        ("real.accuracy>3.9", "real.accuracy 4.00 > 3.90 on 2 items"),
        ("real.recall.overall>=1", "real.recall.overall 1.50 >= 1.00 on 2 items"),
        ("real.file.overall>=1", "real.file.overall: nothing was measured"),
    ],
)
def test_a_threshold_may_name_real_or_scripted_cases(expression, text):
    (check,) = decide(both(), [parse_threshold(expression)], 0).checks
    assert check.text == text


def test_kept_compares_with_the_control_on_the_same_cases():
    found = [*both(), *items("none", "real", r1=4.0, r2=4.0)]
    found += items("none", "scripted", s1=5.0, s2=5.0, s3=5.0)
    thresholds = [parse_threshold("real.kept@anchored>=0.3"), parse_threshold("kept@anchored>=0")]
    real, whole = decide(found, thresholds, 0).checks
    assert real.text == "real.kept@anchored 0.38 >= 0.30"  # 1.5 of 4
    assert whole.text.startswith("kept@anchored 0.65 ")  # 15 of 23


@pytest.mark.parametrize(
    "expression",
    [
        "real>=1",
        "real.>=1",
        "real.scripted.overall>=1",
        "real.quiz.overall>=1",
        "real.consistency>=1",
    ],
)
def test_a_threshold_on_an_origin_must_name_a_metric_of_probes(expression):
    with pytest.raises(ThresholdError, match=r"real\.overall"):
        parse_threshold(expression)
