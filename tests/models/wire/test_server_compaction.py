"""``anthropic:mode=server``: the endpoint compacts, and only what it reports counts."""

import pytest
from support import scenarios
from support.builders import COUNTER
from support.compacting import messages_of
from support.endpoint_builders import answer_request, connected, servers_in_environment, through
from support.endpoint_replies import Answer, completion, error, is_check, sensible
from support.server_edits import CLEARED, EDITS, SENT, uses
from support.talks import talk, write

from pytest_compaction.models import ModelError, UnsupportedError

WORKERS = pytest.mark.parametrize(
    "workers", ["-n0", pytest.param("-n2", marks=pytest.mark.exhaustive)]
)
CLEAR = "anthropic:mode=server:clear=2"
WHOLE = "anthropic:mode=server:threshold=1000"


def a_case(chat, window=4000, id="served"):
    """A case that asks for the results of the first and the last tool use."""
    messages = [{"id": f"m{n}", **message} for n, message in enumerate(chat)]
    results = [m["id"] for m in messages if m["role"] == "tool"]

    def probe(id, text, evidence):
        fact = {"text": text, "evidence": [evidence]}
        question = f"What is the limit of the {id} part?"
        return {"id": id, "kind": "recall", "question": question, "facts": [fact]}

    return scenarios.case(
        id,
        window=window,
        messages=messages,
        compaction_points=[{"id": "end", "after": messages[-1]["id"]}],
        probes=[
            probe("first", "7000", results[0]),
            probe("last", str(7000 + len(results) - 1), results[-1]),
        ],
    )


def project(pytester, *cases):
    scenarios.set_up(pytester, "first")
    (pytester.path / "cases/first.json").unlink()
    scenarios.write_cases(pytester, *(cases or [a_case(uses())]))


def run(pytester, *arguments, compactor=CLEAR):
    arguments = (f"--compactor={compactor}", "--compaction-model=test-model", *arguments)
    return scenarios.run(pytester, "--compaction-over-budget=report", *arguments, compactor=None)


def records(pytester):
    return {
        (record["compactor"], record["probe"]): record
        for record in scenarios.records(pytester).records
    }


@pytest.fixture
def served(monkeypatch):
    """Starts a server that answers requests with parameters as given, and others sensibly."""
    with servers_in_environment(monkeypatch) as serve:
        yield lambda decide: serve(lambda asked: _decided(asked, decide))


def _decided(asked, decide):
    return (decide if "context_management" in asked.body else sensible)(asked)


def clears(asked):
    fields = {"context_management": CLEARED, "citations": None}
    return Answer(completion("It is 7004.", provider_specific_fields=fields))


def with_parameters(server):
    return [body for body in server.bodies if "context_management" in body]


def asked(server):
    """How many requests there were that did not check the endpoint."""
    return sum(not is_check(body) for body in server.bodies)


@WORKERS
def test_the_edits_are_sent_and_what_was_cleared_is_not_in_the_view(pytester, served, workers):
    server = served(clears)
    project(pytester)
    run(pytester, workers).assert_outcomes(passed=2)
    sent = with_parameters(server)
    assert [body["context_management"] for body in sent] == [SENT, SENT]
    assert asked(server) == 4, "two answers, two judgements, and no summary"
    log = COUNTER.messages(messages_of(uses()))
    found = records(pytester)
    for record in found.values():
        assert record["tokens"]["log"] == log
        assert record["tokens"]["view"] == log - 1700
        assert record["compaction"]["steps"] == {"compacted": 1}
    survived = [found[CLEAR, probe]["facts"][0]["survived"] for probe in ("first", "last")]
    assert survived == [False, True], "the first result was cleared, the last was kept"
    replayed = run(pytester, workers, "--compaction-replay")
    replayed.assert_outcomes(passed=2)
    assert asked(server) == 4
    again = records(pytester)
    assert {k: {**r, "latency_s": {}} for k, r in again.items()} == {
        k: {**r, "latency_s": {}} for k, r in found.items()
    }


@WORKERS
def test_a_refusal_of_the_parameter_is_said_once_and_touches_no_other_strategy(
    pytester, served, workers
):
    server = served(lambda asked: error("Unknown parameter: 'context_management'."))
    project(pytester, *(a_case(uses(), id=id) for id in ("one", "two")))
    both = f"{CLEAR},{scenarios.own('keep')}"
    result = run(pytester, workers, compactor=both)
    assert result.parseoutcomes() == {"passed": 4, "unscored": 4, "failed": 2}
    assert len(with_parameters(server)) <= max(int(workers[2:]), 1)
    assert all(body["context_management"] == SENT for body in with_parameters(server))
    reasons = {r["reason"] for (name, _), r in records(pytester).items() if name == CLEAR}
    assert len(reasons) == 1
    assert "does not take context_management as it was sent" in reasons.pop()
    said = scenarios.flat(result.outlines)
    assert said.count("does not take context_management as it was sent") == 1
    assert "not scored (4): model test-model at 127.0.0.1" in said


@WORKERS
def test_an_endpoint_that_ignores_the_parameter_gives_no_score(pytester, served, workers):
    server = served(lambda asked: Answer(completion("It is 7004.")))
    project(pytester)
    result = run(pytester, workers)
    assert result.parseoutcomes() == {"unscored": 2, "failed": 1}
    assert asked(server) == 2, "nothing was judged"
    for record in records(pytester).values():
        assert record["status"] == "unscored"
        assert record["overall"] is None
        assert "took context_management and reports no edit" in record["reason"]
        assert "clear_tool_uses_20250919 from 2,000 input tokens on" in record["reason"]
        assert record["usage"]["responder"]["calls"] == 1, "it was paid for"


def test_a_compaction_is_read_from_its_block_and_its_iterations(pytester, served):
    def compacts(asked):
        block = {"type": "compaction", "content": "Part 4 has the limit 7004.", "signature": "x"}
        body = completion(
            "It is 7004.",
            usage=(2300, 100),
            provider_specific_fields={"compaction_blocks": [block]},
        )
        body["usage"]["iterations"] = [
            {"type": "compaction", "input_tokens": 52_000, "output_tokens": 350},
            {"type": "message", "input_tokens": 300, "cache_read_input_tokens": 2000},
        ]
        return Answer(body)

    server = served(compacts)
    project(pytester, a_case(uses(words=5000), window=100_000))
    run(pytester, compactor=WHOLE).assert_outcomes(passed=2)
    [edit] = with_parameters(server)[0]["context_management"]["edits"]
    assert edit == SENT["edits"][1], "the provider takes no trigger below its least"
    found = records(pytester)
    survived = [found[WHOLE, probe]["facts"][0]["survived"] for probe in ("first", "last")]
    assert survived == [False, True], "only the last is in the summary"
    for record in found.values():
        assert record["tokens"]["view"] == 2300
        assert record["usage"]["responder"] == {
            "calls": 1,
            "input_tokens": 54_300,
            "cached_tokens": 0,
            "output_tokens": 450,
        }


def test_a_log_that_reaches_no_trigger_is_not_asked_about(pytester, served):
    server = served(clears)
    project(pytester)
    result = run(pytester, compactor="anthropic:mode=server")
    assert result.parseoutcomes() == {"unscored": 2, "failed": 1}
    assert server.asked == []
    [reason] = {record["reason"] for record in records(pytester).values()}
    assert "compact_20260112 from 50,000 tokens on" in reason
    assert "clear=3, or mode=client" in reason


def test_the_offline_model_says_that_it_takes_no_parameters(pytester):
    project(pytester)
    result = scenarios.run(pytester, f"--compactor={CLEAR}", compactor=None)
    assert result.parseoutcomes() == {"unscored": 2, "failed": 1}
    [reason] = {record["reason"] for record in records(pytester).values()}
    assert reason.startswith("the model offline takes no request parameters (context_management)")
    assert "use mode=client" in reason


def test_an_offline_summariser_is_no_hindrance_where_another_model_answers(pytester, served):
    served(clears)
    project(pytester)
    named = ("--compaction-responder=test-model", f"--compactor={CLEAR}")
    result = scenarios.run(pytester, *named, "--compaction-over-budget=report", compactor=None)
    assert result.parseoutcomes() == {"passed": 1, "failed": 1}, "judged by rules: one is wrong"
    other = ("--compaction-model=test-model", "--compaction-responder=offline")
    result = scenarios.run(pytester, *other, f"--compactor={CLEAR}", compactor=None)
    assert result.parseoutcomes() == {"unscored": 2, "failed": 1}


def test_as_many_calls_are_estimated_as_are_made(pytester, served):
    server = served(clears)
    project(pytester)
    estimated = run(pytester, "--compaction-estimate")
    assert server.asked == []
    assert "6 calls" in scenarios.flat(estimated.outlines)
    run(pytester)
    assert len(server.asked) == asked(server) + 2 == 6


def test_the_check_skips_what_only_a_server_does(pytester):
    result = pytester.runpytest_inprocess(
        *scenarios.lean(),
        "--compactor=anthropic:mode=server",
        "--compaction-check",
        "--compaction-examples=2",
        "-rs",
    )
    outcomes = result.parseoutcomes()
    assert set(outcomes) <= {"skipped", "warnings"}
    assert "there is no view to check before" in scenarios.flat(result.outlines)


def test_dialogues_refuse_a_strategy_whose_parameters_they_do_not_send(pytester):
    path = write(pytester.path, talk(turns=3))
    named = (f"--compaction-cases={path}", f"--compactor={CLEAR}")
    result = scenarios.run(pytester, *named, compactor=None)
    assert result.ret == 1
    said = scenarios.flat(result.outlines)
    assert "which is only sent with the probes of a case; use mode=client here" in said


@pytest.mark.parametrize(
    "refusal",
    [
        error("test does not support parameters: ['context_management'], set drop_params"),
        error("Extra inputs are not permitted"),
        error("temperature and context_management cannot be used together", 422),
        error("bad", 400, param="context_management.edits.0.trigger.value"),
    ],
)
def test_a_refused_parameter_is_never_left_out_and_asked_for_once(served, refusal):
    server = served(lambda asked: refusal)

    async def attempt(model):
        with pytest.raises(UnsupportedError) as found:
            await model.answer(answer_request(parameters=EDITS))
        return str(found.value)

    async def without(model):
        return (await model.answer(answer_request())).text

    first, second, plain = through(connected(retries=0), attempt, attempt, without)
    assert first == second
    assert "take an endpoint that does, or mode=client" in first
    assert plain == "The limit is 45."
    assert ["context_management" in body for body in server.bodies] == [True, False]


def test_a_key_that_is_refused_closes_everything(served, monkeypatch):
    server = served(lambda asked: error("no", 401))

    async def attempt(model):
        with pytest.raises(ModelError):
            await model.answer(answer_request(parameters=EDITS))

    async def plain(model):
        with pytest.raises(UnsupportedError):
            await model.answer(answer_request())

    through(connected(retries=0), attempt, plain)
    assert len(server.asked) == 1
