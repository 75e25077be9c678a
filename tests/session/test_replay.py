"""Runs with an endpoint: paid once, then answered from the store, and replayed without it."""

import json

import pytest
from support.scenarios import PROBES, own, records, refused, run, run_files, set_up, write_cases
from support.stub_endpoint import PRICED, long_case, serving
from support.worker_counts import BOTH

MODEL = "gpt-4o-mini"
TWO = f"--compactor={own('keep')},anchored"


def project(pytester, *ids):
    """A project with cases that ``anchored`` compacts, and prices for the local server."""
    ids = ids or ("first", "second")
    set_up(pytester, *ids)
    write_cases(pytester, *map(long_case, ids))
    pytester.makeconftest(PRICED)


def real(pytester, *arguments, model=MODEL, **how):
    how.setdefault("compactor", None)
    given = [TWO] if how["compactor"] is None else []
    given = [*given, f"--compaction-model={model}", "--compaction-over-budget=report"]
    return run(pytester, *given, *arguments, **how)


def store_files(pytester):
    return sorted((pytester.path / ".pytest_compaction/store").glob("??/*.json"))


def without_times(pytester):
    return [{**record, "latency_s": None} for record in records(pytester).records]


@BOTH
def test_a_run_is_paid_once_and_then_comes_from_the_store(pytester, endpoint, workers):
    project(pytester)
    result = real(pytester, workers)
    result.assert_outcomes(passed=16)
    made = len(endpoint.calls)
    assert made == len(set(endpoint.calls)) == len(store_files(pytester))
    result.stdout.fnmatch_lines([f"this run: {made} calls made for 0.* US dollars (prices of *"])
    first = without_times(pytester)
    again = real(pytester, workers)
    assert len(endpoint.calls) == made, "nothing was asked twice"
    again.stdout.fnmatch_lines(["this run: 0 calls made; 34 came from the store"])
    assert without_times(pytester) == first


def test_a_replay_needs_no_endpoint_and_gives_the_same_bytes_with_any_number_of_workers(
    pytester, monkeypatch
):
    project(pytester)
    with serving() as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        real(pytester, "--compaction-store=calls").assert_outcomes(passed=16)
        recorded = without_times(pytester)
    for workers in ("-n0", "-n2"):
        result = real(pytester, workers, "--compaction-store=calls", "--compaction-replay")
        result.assert_outcomes(passed=16)
        assert without_times(pytester) == recorded
    serial, parallel = (path.read_bytes() for path in run_files(pytester)[-2:])
    assert serial == parallel


def test_a_replay_fails_the_items_whose_calls_were_never_recorded(pytester, endpoint):
    project(pytester, "first")
    real(pytester, compactor="keep")
    gone = json.loads((pytester.path / "cases/first.json").read_text())
    gone["probes"][0]["question"] = "What may the retry limit be?"
    write_cases(pytester, gone)
    made = len(endpoint.calls)
    result = real(pytester, "--compaction-replay", "-rN", compactor="keep")
    result.assert_outcomes(passed=3, failed=1)
    assert len(endpoint.calls) == made
    failed = next(r for r in records(pytester).records if r["probe"] == "limit")
    assert failed["status"] == "error"
    for words in (
        "not in the store .pytest_compaction/store: ",
        f"(responder, chat.completions of {MODEL}, trial 1)",
        "run once without --compaction-replay to record it",
    ):
        assert words in failed["reason"]
    shown = " ".join(str(result.stdout).split())
    assert failed["reason"] in shown
    real(pytester, compactor="keep")
    assert len(endpoint.calls) == made + 2, "only the answer and its judgement are paid for"


def test_a_replay_fails_a_strategy_whose_summary_was_never_recorded(pytester, endpoint):
    project(pytester, "first")
    result = real(pytester, "--compaction-replay", "-rN", compactor=None)
    result.assert_outcomes(failed=8)
    assert endpoint.calls == []
    reasons = {r["reason"] for r in records(pytester).records if r["compactor"] == "anchored"}
    assert any("(compaction, chat.completions" in reason for reason in reasons)
    assert {r["status"] for r in records(pytester).records} == {"error"}


def test_another_trial_is_paid_for_and_a_refresh_pays_for_everything_again(pytester, endpoint):
    project(pytester, "first")
    real(pytester, compactor="keep")
    made = len(endpoint.calls)
    real(pytester, "--compaction-trials=2", compactor="keep").assert_outcomes(passed=8)
    assert len(endpoint.calls) == len(store_files(pytester)) == 2 * made
    assert {body["seed"] for body in endpoint.bodies.values()} == {1, 2}
    real(pytester, "--compaction-refresh", compactor="keep")
    assert len(endpoint.calls) == 3 * made
    assert len(store_files(pytester)) == 2 * made


def test_an_endpoint_that_refuses_is_said_once_and_leaves_items_unscored(pytester, endpoint):
    project(pytester)
    endpoint.status = 401
    result = real(pytester)
    assert result.parseoutcomes() == {"unscored": 16, "failed": 1}
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    shown = " ".join(str(result.stdout).split())
    assert shown.count("answered 401") == 1, "once for both strategies"
    assert shown.count("not scored (16): model gpt-4o-mini at 127.0.0.1:") == 1
    assert "check OPENAI_API_KEY" in shown
    assert store_files(pytester) == []
    endpoint.status = 200
    real(pytester).assert_outcomes(passed=16)


def test_usage_is_shown_by_role_and_a_shared_compaction_counts_once(pytester, endpoint):
    project(pytester)
    result = real(pytester, "--compactor=anchored", compactor="")
    roles = endpoint.roles()
    assert roles == {"compaction": 2, "responder": 8, "judge": 8}
    found = {
        line.split()[0]: line.split()[1:]
        for line in result.outlines
        if line.split()[:1] in (["compaction"], ["responder"], ["judge"], ["total"])
    }
    assert {name: int(found[name][0]) for name in roles} == roles
    assert int(found["total"][0]) == len(endpoint.calls) == 18
    for column, kind in ((1, "input"), (2, "cached"), (3, "output")):
        parts = [int(found[name][column].replace(",", "")) for name in roles]
        assert sum(parts) == int(found["total"][column].replace(",", "")), kind
        assert all(parts), kind
    dollars = float(found["total"][4])
    assert dollars == pytest.approx(sum(float(found[name][4]) for name in roles), abs=2e-4)
    result.stdout.fnmatch_lines([f"this run: 18 calls made for {dollars:.4f} US dollars *"])
    record = records(pytester).records[0]
    assert record["usage"]["compaction"]["calls"] == 1
    assert set(record["usd"]) == {"compaction", "responder", "judge"}
    assert records(pytester).header["prices"]["source"].startswith("genai-prices 0.")


def test_the_offline_model_shows_no_usage_and_needs_no_store(pytester, monkeypatch):
    set_up(pytester, "first")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    result = run(pytester)
    result.assert_outcomes(passed=4)
    assert "model use" not in str(result.stdout)
    header = "compaction: strategies:keep"
    assert not [x for x in result.outlines if "calls" in x and not x.startswith(header)]
    assert store_files(pytester) == []
    assert records(pytester).records[0]["usd"] == {}
    assert "prices" not in records(pytester).header


def test_roles_can_have_different_models_and_what_is_offline_costs_nothing(pytester, endpoint):
    project(pytester, "first")
    judge = f"--compaction-judge={MODEL}"
    real(pytester, judge, model="offline", compactor="keep").assert_outcomes(passed=4)
    assert endpoint.roles() == {"compaction": 0, "responder": 0, "judge": len(PROBES)}
    usd = records(pytester).records[0]["usd"]
    assert (usd["compaction"], usd["responder"]) == (0.0, 0.0)
    assert usd["judge"] > 0


def test_a_torn_file_of_the_store_is_named_and_paid_for_again(pytester, endpoint):
    project(pytester, "first")
    real(pytester, compactor="keep")
    made = len(endpoint.calls)
    victim = store_files(pytester)[0]
    victim.write_bytes(victim.read_bytes()[:100])
    result = real(pytester, compactor="keep")
    result.assert_outcomes(passed=4)
    assert len(endpoint.calls) == made + 1
    shown = "".join(str(result.stdout).split())
    assert f"note:passedover.pytest_compaction/store/{victim.parent.name}/{victim.name}" in shown


@BOTH
def test_a_limit_stops_the_run_and_keeps_what_was_paid_for(pytester, endpoint, workers):
    project(pytester)
    limit = "--compaction-max-cost=0.002"
    result = real(pytester, workers, limit, "--compactor=anchored", compactor="")
    counts = result.parseoutcomes()
    assert counts["unscored"] + counts.get("passed", 0) == 8
    assert counts["unscored"] > 0
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert 0 < len(endpoint.calls) == len(store_files(pytester)) < 18
    shown = " ".join(str(result.stdout).split())
    assert "stopped: --compaction-max-cost=0.002 left no room for another call" in shown
    assert f"{counts['unscored']} items were not paid for" in shown
    spent = float(shown.partition("calls made for ")[2].split()[0])
    assert 0 < spent <= 0.002
    unpaid = [r for r in records(pytester).records if r["status"] == "unscored"]
    assert all(r["reason"].startswith("not paid for: ") for r in unpaid)
    assert all(r.get("unpaid", False) == (r in unpaid) for r in records(pytester).records)
    real(pytester, workers, "--compactor=anchored", compactor="").assert_outcomes(passed=8)
    assert len(endpoint.calls) == len(set(endpoint.calls)) == 18, "nothing was paid for twice"


def test_a_limit_that_cannot_be_kept_is_refused_before_anything_is_spent(pytester, endpoint):
    project(pytester, "first")
    result = real(pytester, "--compaction-max-cost=1", model="my-own-model")
    said = refused(result)
    assert "--compaction-max-cost=1 cannot be kept: there is no price for the model" in said
    assert "'my-own-model' at 127.0.0.1" in said
    assert endpoint.calls == []


def test_a_prompt_of_ones_own_for_the_judge_is_used_hashed_and_refused_if_it_lacks_a_field(
    pytester, endpoint
):
    from pytest_compaction.models.chat.prompts import FIELDS

    project(pytester, "first")
    fields = "\n".join(f"${name}" for name in sorted(FIELDS["judge"]))
    given = "--compaction-judge-prompt=judge.md"
    found = []
    for opening in (None, "Be kind.", "Be strict.", "Be strict."):
        before = {*endpoint.bodies}
        pytester.path.joinpath("judge.md").write_text(f"{opening}\n{fields}")
        real(pytester, *([given] if opening else []), compactor="keep")
        found.append({record["hashes"]["settings"] for record in records(pytester).records})
        asked = [body for key, body in endpoint.bodies.items() if key not in before]
        judged = [body for body in asked if "response_format" in body]
        assert all((opening or "") in str(body["messages"]) for body in judged)
        assert bool(judged) == (len(found) < 4)
    shipped, kind, strict, again = found
    assert len(shipped | kind | strict) == 3
    assert strict == again
    pytester.path.joinpath("judge.md").write_text("Score it: $response")
    assert "judge.md lacks" in refused(real(pytester, given, compactor="keep"))
