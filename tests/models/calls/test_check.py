"""One tiny check of an endpoint before the first call that is paid for."""

import asyncio
import threading

import pytest
from support.builders import COUNTER
from support.endpoint_builders import answer_request, judge_request, servers_in_environment
from support.endpoint_quirks import quirky
from support.endpoint_replies import is_check, sensible

from pytest_compaction.models import connect
from pytest_compaction.models.calls.check import CHECK_TOKENS, check_calls
from pytest_compaction.models.calls.spending_limit import most_usage

NAME = "test-model"


@pytest.fixture
def served(monkeypatch):
    with servers_in_environment(monkeypatch) as serve:
        yield lambda mode=None, decide=sensible: serve(quirky(mode, decide) if mode else decide)


@pytest.fixture
def asking(tmp_path):
    """Answer and judge with the models of a run of a given mode, which begins with a check."""

    def ask(mode="normal", times=1):
        run = connect(tmp_path / "store", "store", mode, None, None, None, COUNTER)
        check = run.check_of([NAME], [NAME])
        if mode != "replay":
            run.caller.before_paid = check.before

        async def work():
            model = run.model(NAME)
            try:
                asked = [model.at_trial(trial) for trial in range(1, times + 1)]
                answering = (each.answer(answer_request()) for each in asked)
                judging = (each.judge(judge_request()) for each in asked)
                await asyncio.gather(*answering, *judging)
            finally:
                await run.caller.close()
            return run.accounts.checks, run.accounts.totals()

        try:
            return asyncio.run(work())
        finally:
            run.close()

    return ask


def checks_in(server):
    return sum(is_check(body) for body in server.bodies)


def test_all_checks_of_a_run_take_under_500_tokens():
    calls = check_calls(["writer", "answerer"], ["judge"])
    usage = [most_usage(call, COUNTER) for call in calls]
    assert len(calls) == 3
    assert {each.output_tokens for each in usage} == {CHECK_TOKENS}
    assert sum(each.input_tokens + each.output_tokens for each in usage) < 500 * len(usage) / 2


def test_a_model_is_checked_once_before_anything_else(served, asking):
    server = served()
    [table], totals = asking(times=3)
    assert [is_check(body) for body in server.bodies] == [True] * 2 + [False] * 6
    assert table.startswith(f"{NAME} at 127.0.0.1:")
    assert {total.role: total.paid.calls for total in totals}["check"] == 2


def test_both_calls_of_a_check_and_then_calls_of_a_checked_form_fly_at_once(served, asking):
    checks, judgements = (threading.Barrier(2, timeout=20) for _ in range(2))

    def decide(asked):
        if is_check(asked.body):
            checks.wait()
        elif "response_format" in asked.body:
            judgements.wait()
        return sensible(asked)

    server = served(decide=decide)
    asking(times=2)
    assert not checks.broken and not judgements.broken
    assert [is_check(body) for body in server.bodies] == [True] * 2 + [False] * 4


def test_the_check_is_kept_and_where_nothing_is_paid_for_there_is_none(served, asking):
    server = served()
    asking()
    asked = len(server.asked)
    tables, _ = asking()
    assert (tables, len(server.asked)) == ([], asked)
    asking("replay")
    tables, _ = asking(times=2)
    assert (tables, len(server.asked)) == ([], asked + 2)
    asking("refresh")
    assert checks_in(server) == 4


@pytest.mark.parametrize(
    ("mode", "row"),
    [
        ("roles-alternate", "  roles       not as usual                      alternating roles"),
        ("stream-only", "  stream      not as usual                      a stream"),
        ("no-temperature", "  parameters  not as usual                      without temperature"),
        ("think-closing-only", "  thinking    in the text of the reply          cut out"),
    ],
)
def test_what_the_check_found_is_adapted_in_later_runs_too(served, asking, mode, row, tmp_path):
    server = served(mode)
    [table], _ = asking()
    assert any(line.startswith(row) for line in table.splitlines()), table
    refused = len(server.asked) - 4
    assert sum(not is_check(body) for body in server.bodies) == 2
    tables, _ = asking(times=2)
    assert len(server.asked) == 4 + refused + 2
    assert bool(tables) == (mode != "think-closing-only")


def test_a_check_that_fails_says_why_and_the_run_goes_on_to_say_it_too(served, asking):
    served("quota-exhausted")
    with pytest.raises(Exception, match="the account has no credit left"):
        asking()
