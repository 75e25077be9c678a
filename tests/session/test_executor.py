"""``--compaction-executor``: the same run elsewhere, and a sentence where that cannot be."""

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
import support.remote  # noqa: F401 - for good, because it imports distributed
from support.endpoint_server import refusing_port
from support.scenarios import PROBES, flat, own, records, run, set_up, write_cases
from support.stub_endpoint import long_case, reply_to, serving
from support.talks import talk, write

from pytest_compaction.run import executor

MODEL = "gpt-4o-mini"
HERE = "--compaction-executor=pools:two"
CALLS = 2 * (1 + 2 * len(PROBES))


@pytest.fixture(autouse=True)
def pools(monkeypatch):
    """The pools that a module of the user, ``pools``, has made by now: of threads."""
    opened = []

    def two():
        opened.append(ThreadPoolExecutor(2))
        return opened[-1]

    made = SimpleNamespace(two=two, nothing=lambda: 7)
    monkeypatch.setitem(sys.modules, "pools", made)
    yield opened
    for pool in opened:
        pool.shutdown(cancel_futures=True)


@pytest.fixture
def stub(monkeypatch):
    with serving() as stub:
        monkeypatch.setenv("OPENAI_BASE_URL", stub.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-for-this-test-0123456789")
        yield stub


def timeless(run_file):
    return [{**record, "latency_s": None} for record in run_file.records]


def refused(result):
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    return flat(result.errlines)


def test_an_executor_of_another_kind_writes_the_same_records(pytester, pools):
    set_up(pytester)
    options = [f"--compactor=anchored,{own('raises')}", "--compaction-trials=2", "-v"]
    run(pytester, *options, "-n0", compactor=None)
    local = records(pytester)
    result = run(pytester, *options, HERE, "-n2", compactor=None)
    assert records(pytester).records == local.records
    assert len(pools) == 1
    result.stdout.fnmatch_lines(["compaction: cases run at pools:two, without workers*"])
    assert "[gw0]" not in str(result.stdout)


def test_a_shipped_case_is_measured_with_words_here_and_by_rules_elsewhere(
    pytester, no_model_named
):
    shipped = ("--compactor=anchored,truncate", "--compaction-cases=shipped", "-k", "float_pixels-")
    run(pytester, *shipped, compactor=None)
    assert {record.get("words") for record in records(pytester).records} == {"recorded", None}
    write_cases(pytester, long_case("first"))
    for given in (shipped, shipped[:1]):
        result = run(pytester, *given, HERE, compactor=None)
        why = "anchored: words: rules, because recorded words are read on this machine alone"
        assert why in flat(result.outlines)
        assert any(re.fullmatch("anchored .* r", line) for line in result.outlines)
        found = records(pytester)
        assert found.header["words"]["strategies"] == {"anchored": "rules"}
        assert {record.get("words") for record in found.records} == {"rules", None}


def test_calls_are_paid_once_and_are_in_the_store_of_the_run(pytester, stub):
    write_cases(pytester, long_case("first"), long_case("second"))
    options = ["--compactor=anchored", f"--compaction-model={MODEL}"]
    result = run(pytester, *options, HERE, compactor=None)
    result.assert_outcomes(passed=2 * len(PROBES))
    remote = records(pytester)
    assert len(stub.calls) == CALLS
    assert f"this run: {CALLS} calls made, no price" in flat(result.outlines)
    assert "; 0 came from the store" in flat(result.outlines)
    run(pytester, *options, "--compaction-replay", "-n0", compactor=None)
    assert timeless(records(pytester)) == timeless(remote)
    assert records(pytester).header["versions"] == remote.header["versions"]
    assert len(stub.calls) == CALLS


def test_what_the_store_has_is_not_paid_again(pytester, stub, pools):
    write_cases(pytester, long_case("first"))
    options = ["--compactor=anchored", f"--compaction-model={MODEL}", HERE]
    run(pytester, *options, "-k", "limit", compactor=None)
    assert len(stub.calls) == 3, "a summary, an answer and a judgment"
    write_cases(pytester, long_case("second"))
    result = run(pytester, *options, compactor=None)
    assert len(stub.calls) == CALLS
    assert len(set(stub.calls)) == CALLS
    assert f"this run: {CALLS - 3} calls made" in flat(result.outlines)
    assert "; 3 came from the store" in flat(result.outlines)
    opened = len(pools)
    result = run(pytester, *options, compactor=None)
    assert f"this run: 0 calls made; {CALLS} came from the store" in flat(result.outlines)
    assert len(stub.calls) == CALLS
    assert len(pools) == opened + 1
    assert not pools[-1]._threads, "nothing was handed out"


def test_scores_are_those_of_the_replies_in_the_store_if_an_endpoint_says_different_things(
    pytester, stub, monkeypatch
):
    """Two strategies make the same calls at the same time, and get different answers."""
    spoken = []

    def changing(body):
        reply = reply_to(body)
        if "response_format" not in body:
            spoken.append(body)
            reply["choices"][0]["message"]["content"] += f" ({len(spoken)})"
        return reply

    monkeypatch.setattr("support.stub_endpoint.reply_to", changing)
    set_up(pytester, "first", "second")
    options = [f"--compactor={own('keep')},{own('noted', note='x')}", f"--compaction-model={MODEL}"]
    run(pytester, *options, HERE, compactor=None)
    remote = records(pytester)
    run(pytester, *options, "--compaction-replay", "-n0", compactor=None)
    assert timeless(remote) == timeless(records(pytester))
    assert len({record["response"] for record in remote.records}) > len(PROBES)


@pytest.mark.exhaustive
def test_a_dead_endpoint_leaves_items_unscored_as_here(pytester, stub):
    stub.status = 404
    write_cases(pytester, long_case("first"))
    options = ["--compactor=truncate", f"--compaction-model={MODEL}"]
    run(pytester, *options, "-n0", compactor=None)
    local = records(pytester)
    run(pytester, *options, HERE, compactor=None)
    assert [r["status"] for r in records(pytester).records] == ["unscored"] * len(PROBES)
    assert records(pytester).records == local.records


def test_the_first_failure_ends_the_run_and_what_tasks_paid_for_by_then_is_kept(pytester, stub):
    write_cases(pytester, *(long_case(f"c{number}") for number in range(7)))
    options = ["--compactor=anchored", f"--compaction-model={MODEL}"]
    strict = ["--compaction-pass-score=5", "-x"]
    result = run(pytester, *options, *strict, HERE, compactor=None)
    result.assert_outcomes(failed=1)
    stored = list((pytester.path / ".pytest_compaction" / "store").rglob("*.json"))
    assert len(stored) == len(set(stub.calls)) == len(stub.calls)
    assert f"this run: {len(stored)} calls made" in flat(result.outlines)
    of_a_case = 1 + 2 * len(PROBES)
    assert len(stored) <= 5 * of_a_case, "two cases under way, and at most twice as many ahead"


def test_collecting_connects_to_nobody(pytester, pools):
    set_up(pytester)
    result = run(pytester, HERE, "--collect-only", "-q")
    assert result.ret == 0
    assert not pools


def test_an_estimate_is_made_here(pytester, stub, pools):
    write_cases(pytester, long_case("first"))
    options = ["--compactor=anchored", f"--compaction-model={MODEL}", "--compaction-estimate"]
    result = run(pytester, *options, HERE, compactor=None)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*total*9*"])
    assert not pools
    assert not stub.calls


def test_a_replay_runs_here_and_says_so(pytester, stub, pools):
    write_cases(pytester, long_case("first"))
    options = ["--compactor=truncate", f"--compaction-model={MODEL}", "--compaction-replay"]
    result = run(pytester, *options, HERE, compactor=None)
    result.stdout.fnmatch_lines(["compaction: replies come from the store alone, so cases run*"])
    assert {r["status"] for r in records(pytester).records} == {"error"}
    assert not pools


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--compaction-executor=ray://host:1"],
            "ray://host:1 names no executor",
        ),
        ([HERE, "--compaction-judge=mute"], "the model 'mute' is added by a plugin"),
    ],
)
def test_what_cannot_be_is_refused_before_the_run(pytester, pools, arguments, said):
    set_up(pytester)
    assert said in refused(run(pytester, *arguments))
    assert not pools


def test_a_strategy_of_a_conftest_is_refused(pytester):
    set_up(pytester)
    pytester.makeconftest(
        "def pytest_compaction_compactors(config):\n"
        "    return {'mine': lambda messages, budget: messages}\n"
    )
    said = refused(run(pytester, HERE, "--compactor=truncate+mine", compactor=None))
    assert "the strategy 'mine' is added by a plugin or conftest.py" in said
    assert "name it as module:function" in said


def test_dialogues_are_refused(pytester):
    set_up(pytester)
    write(pytester.path, talk())
    said = refused(run(pytester, HERE, "--compaction-cases=talks.jsonl"))
    assert "--compaction-executor=pools:two runs cases, and dialogues are named" in said


def test_a_scheduler_that_does_not_answer_ends_the_run(pytester, monkeypatch):
    pytest.importorskip("distributed", reason="the extra dask is not installed")
    monkeypatch.setattr(executor, "CONNECT_SECONDS", 0.2)
    set_up(pytester)
    with refusing_port() as port:
        result = run(pytester, f"--compaction-executor=dask://127.0.0.1:{port}")
    said = refused(result)
    assert f"--compaction-executor=dask://127.0.0.1:{port}: no Dask scheduler answered" in said
    assert "Traceback" not in f"{result.stdout} {result.stderr}"


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("pools:nothing", "returned int, which is no concurrent.futures.Executor"),
        ("pools:four", "could not be called (AttributeError"),
        ("no_such_module:f", "could not be called (ModuleNotFoundError"),
    ],
)
def test_a_function_that_gives_no_executor_ends_the_run(pytester, named, said):
    set_up(pytester)
    assert said in refused(run(pytester, f"--compaction-executor={named}"))


def test_a_missing_extra_is_named(pytester, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    set_up(pytester)
    said = refused(run(pytester, "--compaction-executor=dask://127.0.0.1:1"))
    assert "python -m pip install 'pytest-compaction[dask]'" in said
