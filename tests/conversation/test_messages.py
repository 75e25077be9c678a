"""Messages: chat dictionaries in and out, groups, pending calls, structure faults."""

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import (
    agent_logs,
    assistant,
    call,
    image_parts,
    opaque_parts,
    system,
    thinking_parts,
    tool,
    user,
)

from pytest_compaction.compactors.base.history import dump, load
from pytest_compaction.conversation import (
    Image,
    Message,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    groups,
    pending_calls,
    readable,
    structure_faults,
    text_message,
)
from pytest_compaction.conversation.formats.chat import from_chat, to_chat
from pytest_compaction.conversation.formats.parts import MessageShapeError


@given(agent_logs(pending=True))
def test_messages_survive_the_way_out_to_chat_and_back(chat):
    messages = from_chat(chat)
    assert from_chat(to_chat(messages)) == messages
    assert from_chat(to_chat(messages, ids=True)) == messages


@given(agent_logs())
def test_the_chat_form_of_a_message_is_json_and_stable(chat):
    once = to_chat(from_chat(chat))
    assert json.loads(json.dumps(once)) == once
    assert to_chat(from_chat(once)) == once


@given(agent_logs())
def test_reading_chat_messages_leaves_them_as_they_were(chat):
    before = copy.deepcopy(chat)
    to_chat(from_chat(chat))
    assert chat == before


@given(agent_logs(pending=True))
def test_a_dumped_state_loads_unchanged_through_json(chat):
    messages = from_chat(chat)
    assert load(json.loads(json.dumps(dump(messages)))) == messages


@given(st.lists(thinking_parts | opaque_parts | image_parts, min_size=1, max_size=4))
def test_thinking_opaque_and_image_parts_travel_byte_identical(parts):
    messages = from_chat([{"role": "assistant", "content": parts}])
    (again,) = from_chat(to_chat(messages))
    assert [part.payload for part in again.parts] == [p.payload for p in messages[0].parts]
    assert [json.loads(part.payload) for part in again.parts] == parts


def test_each_content_type_becomes_its_part():
    chat = {
        "role": "assistant",
        "content": [
            "plain",
            {"type": "output_text", "text": "out"},
            {"type": "image_url", "image_url": {"url": "x"}},
            {"type": "redacted_thinking", "data": "x"},
            {"type": "something_new", "x": 1},
        ],
    }
    (message,) = from_chat([chat])
    assert [type(part) for part in message.parts] == [Text, Text, Image, Thinking, Opaque]


def test_parallel_calls_keep_their_order_and_argument_text():
    arguments = '{"b": 1,  "a": [1, 2]}'
    chat = assistant(None, ("c1", "read", arguments), ("c2", "bash", "not json"))
    (message,) = from_chat([chat])
    assert message.calls == (
        ToolCall("c1", "read", arguments),
        ToolCall("c2", "bash", "not json"),
    )
    assert message.calls[0].parsed() == {"b": 1, "a": [1, 2]}
    assert message.calls[1].parsed() == {}
    assert to_chat([message]) == [chat]


@pytest.mark.parametrize("arguments", ["", "[1]", "null", "[" * 100_000])
def test_arguments_that_are_no_object_parse_to_nothing(arguments):
    assert ToolCall("c", "f", arguments).parsed() == {}


def test_an_error_result_stays_an_error():
    (message,) = from_chat([tool("c1", "boom", is_error=True)])
    assert message.results == (ToolResult("c1", "boom", True),)
    assert to_chat([message])[0]["is_error"] is True


def test_messages_without_id_are_named_by_position_and_others_keep_theirs():
    messages = from_chat([user("a"), user("b", id="mine"), user("c")])
    assert [message.id for message in messages] == ["m0", "mine", "m2"]


def test_what_the_reader_sees_holds_decoded_arguments_and_results_but_no_payload():
    call_message, result = from_chat(
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "hello"},
                    {"type": "thinking", "thinking": "hidden"},
                ],
                "tool_calls": [call("c1", "write", {"content": "line 1\nline 2", "n": [1, None]})],
            },
            tool("c1", "written"),
        ]
    )
    assert readable(call_message).splitlines() == ["hello", "write", "line 1", "line 2", "1"]
    assert readable(result) == "written"


@pytest.mark.parametrize(
    ("chat", "said"),
    [
        ("hello", "message 0 is str; expected a chat message"),
        ({"role": "robot"}, "role 'robot'; expected one of system"),
        ({"content": "x"}, "role None"),
        ({"role": ["user"]}, "role ['user']"),
        ({"role": "tool", "content": "x"}, "no tool_call_id"),
        ({"role": "tool", "tool_call_id": 3, "content": "x"}, "no tool_call_id"),
        ({"role": "user", "content": 3}, "content is int"),
        ({"role": "user", "content": [3]}, "content part 0 is not a dictionary with a type"),
        ({"role": "user", "content": [{"type": "text"}]}, "type 'text' but no text"),
        ({"role": "assistant", "tool_calls": "c"}, "tool_calls that are not a list"),
        ({"role": "assistant", "tool_calls": [{"id": "c"}]}, "tool call 0 needs an id"),
        ({"role": "assistant", "tool_calls": [None]}, "tool call 0 needs an id"),
        ({"role": "assistant", "tool_calls": [{"function": {}}]}, "tool call 0 needs an id"),
    ],
)
def test_a_dictionary_that_is_no_message_is_refused_with_its_place(chat, said):
    with pytest.raises(MessageShapeError) as caught:
        from_chat([chat])
    assert str(caught.value).startswith("message 0")
    assert said in str(caught.value)


def test_a_group_is_a_call_with_its_results():
    messages = from_chat(
        [
            system(),
            user("a"),
            assistant(None, ("c1",), ("c2",)),
            tool("c1"),
            tool("c2"),
            assistant("b"),
            assistant(None, ("c3",)),
        ]
    )
    assert groups(messages) == [(0, 1), (1, 2), (2, 5), (5, 6), (6, 7)]
    assert groups([]) == []


@given(agent_logs(pending=True))
def test_groups_cover_the_log_without_gaps(chat):
    messages = from_chat(chat)
    ranges = groups(messages)
    assert [index for begin, end in ranges for index in range(begin, end)] == list(
        range(len(messages))
    )
    for begin, end in ranges:
        assert all(message.role == "tool" for message in messages[begin + 1 : end])


def test_calls_of_the_last_group_may_be_pending():
    messages = from_chat([user("a"), assistant(None, ("c1",), ("c2",)), tool("c1")])
    assert pending_calls(messages) == ("c2",)
    assert structure_faults(messages) == []
    assert pending_calls(messages[:1]) == ()
    assert pending_calls(()) == ()


@given(agent_logs())
def test_a_sound_log_has_no_fault_and_nothing_pending(chat):
    messages = from_chat(chat)
    assert structure_faults(messages) == []
    assert pending_calls(messages) == ()


@given(agent_logs(), st.data())
def test_taking_one_half_of_a_tool_pair_away_is_a_fault(chat, data):
    messages = from_chat([*chat, assistant(None, ("z",)), tool("z"), user("last")])
    halves = [i for i, message in enumerate(messages) if message.calls or message.results]
    index = data.draw(st.sampled_from(halves))
    broken = structure_faults(messages[:index] + messages[index + 1 :])
    expected = "results-follow-calls" if messages[index].calls else "calls-answered"
    assert {fault.invariant for fault in broken} == {expected}


CALL = assistant(None, ("c1",))
IMAGE = {"type": "image_url", "image_url": {"url": "x"}}


@pytest.mark.parametrize(
    ("chat", "faults"),
    [
        ([user("a"), tool("c1")], {"results-follow-calls": "m1"}),
        (
            [CALL, user("wait"), tool("c1"), user("b")],
            {"calls-answered": "m0", "results-follow-calls": "m2"},
        ),
        ([CALL, tool("c1"), assistant(None, ("c2",)), tool("c1")], {"results-follow-calls": "m3"}),
        ([CALL, user("b")], {"calls-answered": "m0"}),
        ([assistant(None, ("c1",), ("c1",)), tool("c1")], {"unique-call-ids": "m0"}),
        ([CALL, tool("c1"), tool("c1")], {"one-result-a-call": "m2"}),
        ([CALL, tool("c1"), CALL, tool("c1")], {}),
        ([user("a"), user(None)], {"no-empty-message": "m1"}),
        ([user("a"), user("  \n")], {"no-empty-message": "m1"}),
        ([user("a"), user([])], {"no-empty-message": "m1"}),
        ([user([IMAGE])], {}),
        ([CALL, tool("c1", "")], {}),
    ],
)
def test_each_fault_of_the_structure_names_its_messages(chat, faults):
    found = [(fault.invariant, fault.ids) for fault in structure_faults(from_chat(chat))]
    assert found == [(invariant, (id,)) for invariant, id in faults.items()]


def test_a_fault_says_the_invariant_the_sentence_and_the_messages():
    (fault,) = structure_faults((text_message("lonely", "user", ""),))
    assert str(fault) == "no-empty-message: a message has no content (messages lonely)"


def test_messages_cannot_be_changed():
    message = Message("m", "user", (Text("a"),))
    with pytest.raises(AttributeError):
        message.role = "tool"
