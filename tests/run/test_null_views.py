"""The nulls at equal tokens: run on the side of every strategy, with as many tokens as it takes."""

import pytest
from support.builders import COUNTER, build_case, case_of, session
from support.scenarios import own, records, run, set_up

from pytest_compaction.metrics import best_null
from pytest_compaction.models import OfflineModel
from pytest_compaction.run import Roles
from pytest_compaction.run.figures import null_views
from pytest_compaction.run.figures.null_views import NullViews

NAMES = {"random", "said-only", "window"}


def views():
    model = OfflineModel(COUNTER)
    return NullViews(Roles(model, model, (model,), COUNTER))


def readings(nulls, case, tokens, probe=0):
    return {reading.name: reading for reading in nulls.readings(case, case.probes[probe], tokens)}


@pytest.mark.parametrize("tokens", [200, 400, 800])
def test_each_null_takes_at_most_the_tokens_of_the_view_under_test(tokens):
    case = case_of(session(12), budget=5000)
    found = readings(views(), case, (tokens,))
    assert set(found) == NAMES
    assert all(0 < reading.tokens <= tokens for reading in found.values())


def test_a_log_that_fits_states_everything():
    case = build_case()
    found = readings(views(), case, (10_000, 10_000))
    assert [reading.stated for reading in found.values()] == [1.0] * len(NAMES)


def test_a_null_that_cannot_be_made_so_small_states_nothing():
    found = readings(views(), case_of(session(12)), (5,))
    assert {(reading.stated, reading.tokens) for reading in found.values()} == {(0.0, 0)}


def test_a_null_loses_more_at_each_point_as_the_view_under_test_does():
    case = case_of(session(12), points=[24, 48], budget=5000)
    nulls = views()
    log = COUNTER.messages(case.messages)
    lossy = readings(nulls, case, (400, 2 * log))
    lossless = readings(nulls, case, (log, 2 * log))
    for name in NAMES:
        assert lossy[name].tokens < lossless[name].tokens == log


def test_a_view_is_made_once_for_a_case_and_its_tokens(monkeypatch):
    made = []
    compact = null_views.Window.compact

    async def counted(self, state, context):
        made.append(context.budget)
        return await compact(self, state, context)

    monkeypatch.setattr(null_views.Window, "compact", counted)
    case, nulls = case_of(session(12), points=[24, 48]), views()
    for _ in range(3):
        readings(nulls, case, (300, 400))
    readings(nulls, case, (300, 500))
    assert made == [300, 400, 500]


def test_the_record_of_an_item_holds_the_nulls_but_not_for_a_null_or_the_control(pytester):
    set_up(pytester, "first")
    names = f"{own('keep')},window,none"
    run(pytester, f"--compactor={names}", "-v", compactor=None)
    found = {}
    for record in records(pytester).records:
        found.setdefault(record["compactor"], []).append(set(record["nulls"]))
    assert all(nulls == NAMES for nulls in found[own("keep")])
    assert found["window"] == found["none"] == [set()] * 4


def test_the_summary_of_one_strategy_has_the_comparison_with_the_best_null(pytester):
    set_up(pytester)
    result = run(pytester, "--compactor=truncate", "--compaction-budget=60", "-v", compactor=None)
    (line,) = [line for line in result.outlines if line.startswith("at equal tokens")]
    assert "the best null" in line
    assert best_null(records(pytester).records).null in line


@pytest.mark.parametrize(
    "compactor", ["claude-code:focus=tests", "anchored+claude-code:focus=tests"]
)
def test_the_header_names_parameters_that_the_offline_model_does_not_read(pytester, compactor):
    set_up(pytester, "first")
    names = f"{compactor},claude-code,anchored:summary=0.5"
    result = run(pytester, f"--compactor={names}", compactor=None)
    lines = [line for line in result.outlines if "has no effect offline" in line]
    assert [line.split()[1] for line in lines] == ["claude-code:focus"]
