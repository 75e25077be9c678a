"""``anthropic:mode=server``: the endpoint compacts, and only what it reports counts."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import scenarios
from support.builders import COUNTER, assistant, context_of, system, tool, user
from support.compacting import compacted, messages_of
from support.endpoint_builders import (
    Replies,
    answer_request,
    ask,
    chat,
    connected,
    error_of,
    servers_in_environment,
    through,
)
from support.fault_server import Answer, completion, error, sensible
from support.talks import talk, write

from pytest_compaction.compactors.base.history import HistoryCompactor
from pytest_compaction.compactors.products.anthropic import Anthropic
from pytest_compaction.compactors.protocol import CompactorError, Traits, View
from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import UnknownCompactorError, parse_spec
from pytest_compaction.models.parameters import SET_BY_MODELS, misuse_of, refusal_of
from pytest_compaction.models.protocol import ModelError, UnsupportedError
from pytest_compaction.models.usage import Usage
from pytest_compaction.models.wire.call import Call
from pytest_compaction.models.wire.reply import usage_of
from pytest_compaction.models.wire.server_edits import Applied, due_edits, read_applied
from pytest_compaction.run.feeding import CheckedStrategy
from pytest_compaction.run.server_context import seen

WORKERS = pytest.mark.parametrize(
    "workers", ["-n0", pytest.param("-n2", marks=pytest.mark.exhaustive)]
)
CLEAR = "anthropic:mode=server:clear=2"
WHOLE = "anthropic:mode=server:threshold=1000"
SENT = {
    "edits": [
        {
            "type": "clear_tool_uses_20250919",
            "trigger": {"type": "input_tokens", "value": 2000},
            "keep": {"type": "tool_uses", "value": 2},
        },
        {
            "type": "compact_20260112",
            "trigger": {"type": "input_tokens", "value": 50_000},
        },
    ]
}
CLEARED = {
    "applied_edits": [
        {
            "type": "clear_tool_uses_20250919",
            "cleared_tool_uses": 3,
            "cleared_input_tokens": 1700,
        }
    ]
}
EDITS = {"context_management": SENT}


def uses(count=5, words=300):
    """Tool uses with long results, each with a number that occurs nowhere else."""
    chat = [user("Look at the queue, file by file."), assistant("I begin.")]
    for n in range(count):
        chat.append(assistant(None, (f"c{n}", "read_file", {"path": f"src/part{n}.py"})))
        chat.append(tool(f"c{n}", f"The limit of part {n} is {7000 + n}. " + f"filler{n} " * words))
    return [*chat, assistant("Next step: update docs/retries.md."), user("Go on.")]


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
    return scenarios.run(pytester, *arguments, compactor=None)


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


# --- whole runs ----------------------------------------------------------------------


@WORKERS
def test_the_edits_are_sent_and_what_was_cleared_is_not_in_the_view(pytester, served, workers):
    server = served(clears)
    project(pytester)
    run(pytester, workers).assert_outcomes(passed=2)
    sent = with_parameters(server)
    assert [body["context_management"] for body in sent] == [SENT, SENT]
    assert len(server.asked) == 4, "two answers, two judgements, and no summary"
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
    assert len(server.asked) == 4
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
    assert result.parseoutcomes() == {"passed": 4, "unscored": 4}
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
    assert result.parseoutcomes() == {"unscored": 2}
    assert len(server.asked) == 2, "nothing was judged"
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
    assert result.parseoutcomes() == {"unscored": 2}
    assert server.asked == []
    [reason] = {record["reason"] for record in records(pytester).values()}
    assert "compact_20260112 from 50,000 tokens on" in reason
    assert "clear=3, or mode=client" in reason


def test_the_offline_model_says_that_it_takes_no_parameters(pytester):
    project(pytester)
    result = scenarios.run(pytester, f"--compactor={CLEAR}", compactor=None)
    assert result.parseoutcomes() == {"unscored": 2}
    [reason] = {record["reason"] for record in records(pytester).values()}
    assert reason.startswith("the model offline takes no request parameters (context_management)")
    assert "use mode=client" in reason


def test_an_offline_summariser_is_no_hindrance_where_another_model_answers(pytester, served):
    served(clears)
    project(pytester)
    named = ("--compaction-responder=test-model", f"--compactor={CLEAR}")
    result = scenarios.run(pytester, *named, compactor=None)
    assert result.parseoutcomes() == {"passed": 1, "failed": 1}, "judged by rules: one is wrong"
    other = ("--compaction-model=test-model", "--compaction-responder=offline")
    result = scenarios.run(pytester, *other, f"--compactor={CLEAR}", compactor=None)
    assert result.parseoutcomes() == {"unscored": 2}


def test_as_many_calls_are_estimated_as_are_made(pytester, served):
    server = served(clears)
    project(pytester)
    estimated = run(pytester, "--compaction-estimate")
    assert server.asked == []
    assert "4 calls" in scenarios.flat(estimated.outlines)
    run(pytester)
    assert len(server.asked) == 4


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
    assert "shows only in answers, and the check asks for none" in scenarios.flat(result.outlines)


def test_dialogues_refuse_a_strategy_whose_parameters_they_do_not_send(pytester):
    path = write(pytester.path, talk(turns=3))
    named = (f"--compaction-cases={path}", f"--compactor={CLEAR}")
    result = scenarios.run(pytester, *named, compactor=None)
    assert result.ret == 1
    said = scenarios.flat(result.outlines)
    assert "which is only sent with the probes of a case; use mode=client here" in said


# --- the strategy --------------------------------------------------------------------


class Taking:
    """A model that takes request parameters."""

    name = "taking"

    def refuses(self, parameters):
        return None


def test_parameters_of_clearing_go_with_its_edit_as_the_provider_names_them():
    compactor = Anthropic(
        mode="server",
        clear=1,
        clear_trigger=50_000,
        clear_at_least=5_000,
        exclude_tools="web search|bash",
        clear_tool_inputs="read_file",
    )
    context = context_of(window=200_000, model=Taking())
    [clearing, compaction] = compactor.render(compactor.start(), context).parameters[
        "context_management"
    ]["edits"]
    assert clearing == {
        "type": "clear_tool_uses_20250919",
        "trigger": {"type": "input_tokens", "value": 50_000},
        "keep": {"type": "tool_uses", "value": 1},
        "clear_at_least": {"type": "input_tokens", "value": 5_000},
        "exclude_tools": ["bash", "web_search"],
        "clear_tool_inputs": ["read_file"],
    }
    assert compaction["trigger"]["value"] == 150_000
    every = Anthropic(mode="server", clear=1, clear_tool_inputs=True)
    [clearing, _] = every.render(every.start(), context).parameters["context_management"]["edits"]
    assert clearing["clear_tool_inputs"] is True


def test_the_view_stays_the_log_and_is_handed_over_once():
    context = context_of(budget=1000, window=4000, model=Taking())
    compactor = Anthropic(mode="server", clear=2)
    outcome, view = compacted(compactor, uses(), context)
    assert outcome.status == "compacted"
    assert view == messages_of(uses())
    assert [span.fate for span in outcome.spans] == ["kept"]
    assert json.loads(json.dumps(outcome.state)) == outcome.state
    state = {**outcome.state, "handed_over": False}
    assert "clear_tool_uses_20250919" in compactor.due(state, context)
    assert compactor.due(outcome.state, context) is None


def test_a_log_with_nothing_to_clear_fails_and_a_short_one_is_left_alone():
    compactor = Anthropic(mode="server", clear=5)
    outcome, _ = compacted(compactor, uses(), context_of(1000, 4000, Taking()))
    assert (outcome.status, "gives the server nothing to do" in outcome.error) == ("failed", True)
    outcome, _ = compacted(compactor, uses(), context_of(4000, 4000, Taking()))
    assert (outcome.status, outcome.error) == ("noop", None)


def test_it_is_no_part_of_a_composition():
    with pytest.raises(UnknownCompactorError, match="leaves the compaction to the endpoint"):
        Registry().create(parse_spec("anthropic:mode=server+truncate"))


# --- the seam ------------------------------------------------------------------------


class Adding(HistoryCompactor):
    """A user's own strategy with request parameters."""

    name = "adding"
    traits = Traits()

    def __init__(self, parameters):
        self.parameters = parameters

    def render(self, state, context, probe=None):
        return View((), self.parameters)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ({"model": "other"}, "the request parameter 'model' is set by the model"),
        ({3: 4}, "the name of a request parameter is a int"),
        ([1], "request parameters must be a mapping, not a list"),
        ({"x": {1, 2}}, "request parameters must be JSON, and these are not"),
    ],
)
def test_impossible_parameters_break_the_contract_and_are_never_sent(parameters, said):
    strategy = CheckedStrategy(Adding(parameters), 30)
    with pytest.raises(CompactorError, match=said):
        ask(strategy.rendered({}, context_of()))
    caller = Replies(completion("45"))
    assert said in error_of(chat(caller).answer(answer_request(parameters=parameters)))
    assert caller.calls == []


def test_whatever_the_model_sets_is_refused_as_a_parameter():
    plain, more = Replies(completion("45")), Replies(completion("45"))
    ask(chat(plain).answer(answer_request()))
    ask(chat(more).answer(answer_request(parameters={"x": 1})))
    [sent], [other] = plain.calls, more.calls
    assert set(sent.body) <= SET_BY_MODELS
    assert other.body == {**sent.body, "x": 1}
    assert sent.digest != other.digest
    assert all(misuse_of({name: 1}) for name in sent.body)


def test_a_model_without_a_word_on_parameters_takes_none():
    class Plain:
        name = "plain"

    assert "the model plain takes no request parameters (x)" in refusal_of(Plain(), {"x": 1})
    assert refusal_of(Plain(), {}) is None
    assert refusal_of(Taking(), {"x": 1}) is None


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


# --- what a reply says ---------------------------------------------------------------

ENTRY = {**CLEARED["applied_edits"][0]}
BLOCK = {"type": "compaction", "content": "notes"}
FIELDS = "provider_specific_fields"


@pytest.mark.parametrize(
    ("body", "applied"),
    [
        ({}, Applied()),
        ({"context_management": {"applied_edits": []}}, Applied()),
        (
            {"context_management": CLEARED},
            Applied(("clear_tool_uses_20250919",), 1700, 3),
        ),
        (
            {
                FIELDS: {"context_management": CLEARED},
                "choices": [{FIELDS: {"context_management": CLEARED}}],
            },
            Applied(("clear_tool_uses_20250919",), 1700, 3),
        ),
        (
            {"context_management": {"applied_edits": [{**ENTRY, "cleared_input_tokens": 0}]}},
            Applied(),
        ),
        (
            {
                "context_management": {
                    "applied_edits": [{"type": "compact_20260112", "error": "no summary model"}]
                }
            },
            Applied(problem="no summary model"),
        ),
        (
            {"choices": [{"message": {"content": [BLOCK]}}], "usage": {"prompt_tokens": 9}},
            Applied(("compact_20260112",), summary="notes", read_tokens=9),
        ),
        (
            {"choices": [{"message": {FIELDS: {"compaction_blocks": [BLOCK]}}}]},
            Applied(("compact_20260112",), summary="notes"),
        ),
        (
            {
                FIELDS: {"compaction_blocks": [{**BLOCK, "content": None}]},
                "usage": {"iterations": [{"type": "compaction", "output_tokens": 3}]},
            },
            Applied(problem="the compaction block is empty: its summary failed"),
        ),
        (
            {
                "usage": {
                    "iterations": [
                        {"type": "compaction", "input_tokens": 99, "output_tokens": 9},
                        {"type": "message", "input_tokens": 20, "output_tokens": 2},
                    ]
                }
            },
            Applied(("compact_20260112",), read_tokens=20),
        ),
    ],
)
def test_a_report_is_read_wherever_gateways_put_it(body, applied):
    assert read_applied(body) == applied


def test_a_compaction_is_paid_for_once():
    iterations = [
        {"type": "compaction", "input_tokens": 180, "output_tokens": 35},
        {"type": "message", "input_tokens": 23, "output_tokens": 10},
    ]
    beside = {"prompt_tokens": 23, "completion_tokens": 10, "iterations": iterations}
    summed = {"prompt_tokens": 203, "completion_tokens": 45, "iterations": iterations}
    assert usage_of({"usage": beside}) == usage_of({"usage": summed}) == Usage(1, 203, 0, 45)


NAMES = st.sampled_from(
    ["usage", "iterations", "type", "context_management", "applied_edits", "choices", "message",
     "content", "error", "cleared_input_tokens", FIELDS, "compaction_blocks", "compaction"]
)  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**6) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(NAMES, JSON, max_size=5))
def test_no_reply_makes_the_reading_raise(body):
    applied = read_applied(body)
    assert applied.cleared_tokens >= 0
    usage_of(body)


# --- what was seen -------------------------------------------------------------------


def view(chat=None, parameters=None):
    return View(messages_of(chat or uses()), EDITS if parameters is None else parameters)


def test_a_view_without_parameters_is_seen_as_it_is():
    found = seen(view(parameters={}), Applied(("x",), 5), COUNTER)
    assert found.messages == messages_of(uses())
    assert (found.tokens, found.problem) == (COUNTER.messages(found.messages), None)


def test_what_is_due_follows_from_the_triggers_and_what_there_is_to_clear():
    assert due_edits(EDITS, messages_of(uses()), COUNTER) == (
        "clear_tool_uses_20250919 from 2,000 input tokens on",
    )
    assert due_edits(EDITS, messages_of(uses(count=2, words=900)), COUNTER) == ()
    assert due_edits(EDITS, messages_of(uses(words=10)), COUNTER) == ()
    for_all = {"context_management": {"edits": [{**SENT["edits"][0], "exclude_tools": ["bash"]}]}}
    assert due_edits(for_all, messages_of(uses()), COUNTER)
    for_all["context_management"]["edits"][0]["exclude_tools"] = ["read_file"]
    assert due_edits(for_all, messages_of(uses()), COUNTER) == ()
    assert due_edits({"context_management": 3}, messages_of(uses()), COUNTER) == ()


def test_the_oldest_results_are_the_ones_that_are_gone():
    found = seen(view(), Applied(("clear_tool_uses_20250919",), 600, 1), COUNTER)
    texts = [result.text for message in found.messages for result in message.results]
    assert "7000" not in texts[0]
    assert all(str(7000 + n) in texts[n] for n in range(1, 5))
    assert found.tokens == COUNTER.messages(messages_of(uses())) - 600
    with_inputs = {"edits": [{**SENT["edits"][0], "clear_tool_inputs": True}]}
    given = view(parameters={"context_management": with_inputs})
    found = seen(given, Applied(("clear_tool_uses_20250919",), 600, 1), COUNTER)
    arguments = [call.arguments for message in found.messages for call in message.calls]
    assert [argument == "{}" for argument in arguments] == [True] + [False] * 4


def test_of_a_compaction_that_only_the_server_can_read_there_is_the_system_prompt():
    chat = [system(), *uses()]
    found = seen(view(chat), Applied(("compact_20260112",), read_tokens=700), COUNTER)
    assert found.messages == messages_of([system()])
    assert (found.tokens, found.problem) == (700, None)


def test_a_compaction_without_a_count_of_what_was_read_gives_no_score():
    found = seen(view(), Applied(("compact_20260112",), summary="notes"), COUNTER)
    assert "but not how many tokens were read after it" in found.problem


def test_what_went_wrong_at_the_server_is_passed_on():
    found = seen(view(), Applied(problem="no summary model"), COUNTER)
    assert "reports no edit (it says: no summary model)" in found.problem


def test_parameters_make_a_call_another_one():
    assert (
        Call("responses", {"input": []}).digest != Call("responses", {"input": [], **EDITS}).digest
    )
