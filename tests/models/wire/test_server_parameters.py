"""Request parameters: what ``anthropic:mode=server`` sends, and what no strategy may send."""

import json

import pytest
from support.builders import context_of
from support.compacting import compacted, messages_of
from support.endpoint_builders import Replies, answer_request, ask, chat, error_of
from support.endpoint_replies import completion
from support.server_edits import EDITS, uses

from pytest_compaction.compactors.base.history import HistoryCompactor
from pytest_compaction.compactors.products.anthropic import Anthropic
from pytest_compaction.compactors.protocol import CompactorError, Traits, View
from pytest_compaction.compactors.registry import Registry
from pytest_compaction.compactors.specs import UnknownCompactorError, parse_spec
from pytest_compaction.models import Call, misuse_of, refusal_of
from pytest_compaction.models.parameters import SET_BY_MODELS
from pytest_compaction.run.feeder import CheckedStrategy


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
    )
    context = context_of(window=200_000, model=Taking())
    [clearing, compaction] = compactor.render(compactor.start(), context).parameters[
        "context_management"
    ]["edits"]
    assert clearing == {
        "type": "clear_tool_uses_20250919",
        "trigger": {"type": "input_tokens", "value": 50_000},
        "keep": {"type": "tool_uses", "value": 1},
    }
    assert compaction["trigger"]["value"] == 150_000


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


def test_parameters_make_a_call_another_one():
    assert (
        Call("responses", {"input": []}).digest != Call("responses", {"input": [], **EDITS}).digest
    )
