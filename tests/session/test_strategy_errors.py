"""What is shown of the errors that the code of a strategy raises."""

import pytest
from support.scenarios import failure, flat, records, run, set_up
from support.worker_counts import BOTH

OWN = """
import json


def deep(messages, budget):
    return inner(messages)


def inner(messages):
    return json.loads("{")
"""
DECIDED = "of_mine:deep-first-decided"


@pytest.fixture
def broken(pytester):
    """Runs a strategy whose error is raised in a library that it calls."""
    set_up(pytester)
    pytester.makepyfile(of_mine=OWN)
    return lambda *more: run(pytester, "--compactor=of_mine:deep", *more, compactor=None)


@BOTH
def test_one_item_of_a_case_names_the_line_of_the_user_and_the_others_that_item(
    pytester, broken, workers
):
    result = broken(workers)
    said = flat(failure(result, DECIDED))
    assert said.startswith("of_mine:deep: compact raised JSONDecodeError: ")
    assert said.endswith("[of_mine.py:9 in inner] (case first, compaction point early)")
    for probe in ("files", "limit", "next"):
        assert flat(failure(result, f"of_mine:deep-first-{probe}")) == f"see test_probe[{DECIDED}]"
    assert "[of_mine.py:9 in inner] (case second" in flat(
        failure(result, "of_mine:deep-second-decided")
    )
    reasons = {record["reason"] for record in records(pytester).records}
    assert len(reasons) == 2
    assert all("JSONDecodeError" in reason for reason in reasons)


@pytest.mark.parametrize("style", ["--tb=long", "--tb=native", "--full-trace"])
def test_the_traceback_of_the_user_is_there_for_who_asks(broken, style):
    result = broken("-n0", style)
    shown = "\n".join(failure(result, DECIDED))
    assert 'return json.loads("{")' in shown
    assert "decoder.py" in shown
    assert ("strategy_thread.py" in shown) == (style == "--full-trace")
    assert "of_mine:deep: compact raised JSONDecodeError" in flat(shown.splitlines())


def test_no_mean_is_shown_where_less_than_half_has_a_score(pytester):
    set_up(pytester)
    pytester.makepyfile(
        of_mine="from strategies import asked_about\n\n\n"
        "def half(messages, budget):\n"
        "    assert 'second' not in messages[-1]['content']\n"
        "    return asked_about(messages)\n\n\n"
        "def less(messages, budget):\n"
        "    assert len(messages) < 6\n"
        "    return asked_about(messages)\n"
    )
    result = run(pytester, "--compactor=of_mine:less", compactor=None)
    assert "2 of 8 items have a score: less than half" in flat(result.outlines)
    assert [line for line in result.outlines if line.startswith("overall ")] == [
        "overall          -"
    ]
    table = run(pytester, "--compactor=of_mine:less,of_mine:half", compactor=None)
    (less,) = [line for line in table.outlines if line.startswith("of_mine:less  ")]
    assert set(less.split()[1:7]) == {"-"}
    (half,) = [line for line in table.outlines if line.startswith("of_mine:half  ")]
    assert "5.00" in half
