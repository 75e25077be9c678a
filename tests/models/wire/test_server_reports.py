"""What an endpoint reports of its compaction, and what the model saw according to it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import COUNTER, system
from support.compacting import messages_of
from support.server_edits import CLEARED, EDITS, SENT, uses

from pytest_compaction.compactors.protocol import View
from pytest_compaction.models import Applied, Usage, due_edits
from pytest_compaction.models.wire.reply import usage_of
from pytest_compaction.models.wire.server_edits import read_applied
from pytest_compaction.run.responder import seen

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
