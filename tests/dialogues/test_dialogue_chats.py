"""Conversations in chat shape: their turns, and tool calls with their results."""

import json

import pytest
from support.paths import public_data
from support.talks import chat, loaded, talk, write

from pytest_compaction.dialogues import load_dialogues
from pytest_compaction.dialogues.dialogue import CHAT, RecordedCall, UserTurn


@pytest.mark.parametrize("name", ["one.json", "one.jsonl"])
def test_a_conversation_in_chat_shape_has_the_same_turns(tmp_path, name):
    (dialogue,) = loaded(write(tmp_path, chat(), name=name))
    (recorded,) = loaded(write(tmp_path, talk()))
    assert dialogue.turns == recorded.turns
    assert dialogue.task == CHAT


def test_a_list_of_conversations_is_several_dialogues(tmp_path):
    path = write(
        tmp_path, [chat(), chat(id="second", task="travel"), chat()["messages"]], name="a.json"
    )
    dialogues = loaded(path)
    assert [(dialogue.id, dialogue.task) for dialogue in dialogues] == [
        ("a_0", CHAT),
        ("second", "travel"),
        ("a_2", CHAT),
    ]
    assert dialogues[0].turns == dialogues[2].turns


def call(id, name, arguments="{}"):
    return {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}


def test_tool_calls_are_kept_with_their_arguments_and_results_in_order(tmp_path):
    messages = [
        {"role": "system", "content": "You book flights."},
        {"role": "assistant", "content": "Hello!"},
        {"role": "user", "content": "Find a flight."},
        {"role": "user", "content": "To Perth."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [call("1", "search", '{"to": "PER"}'), call("2", "rank")],
        },
        {"role": "tool", "tool_call_id": "2", "content": "ranked"},
        {"role": "tool", "tool_call_id": "1", "content": "three", "is_error": True},
        {"role": "assistant", "content": "Flight 7?", "tool_calls": [call("3", "hold")]},
        {"role": "tool", "tool_call_id": "3", "content": "held"},
        {"role": "user", "content": "Yes, book it."},
    ]
    (dialogue,) = loaded(write(tmp_path, {"messages": messages}, name="a.json"))
    assert dialogue.system == "You book flights."
    assert dialogue.turns == (
        UserTurn(
            "Find a flight.\nTo Perth.",
            "Flight 7?",
            (
                (
                    RecordedCall("search", '{"to": "PER"}', "three", True),
                    RecordedCall("rank", "{}", "ranked"),
                ),
                (RecordedCall("hold", "{}", "held"),),
            ),
        ),
        UserTurn("Yes, book it.", ""),
    )


def with_tools(*messages):
    """A chat of two user turns with ``messages`` after the first one."""
    asked = [{"role": "user", "content": text} for text in ("Find a flight.", "Book it.")]
    return {"messages": [asked[0], *messages, asked[1], {"role": "assistant", "content": "Done."}]}


def test_a_call_that_was_broken_off_has_an_empty_result(tmp_path):
    calls = {"role": "assistant", "content": None, "tool_calls": [call("1", "search")]}
    (dialogue,) = loaded(write(tmp_path, with_tools(calls), name="a.json"))
    assert dialogue.turns[0].calls == ((RecordedCall("search"),),)


@pytest.mark.parametrize(
    ("messages", "said"),
    [
        (
            [{"role": "tool", "tool_call_id": "9", "content": "lost"}],
            "in user turn 1 that the tool result for '9' does not follow",
        ),
        (
            [
                {"role": "assistant", "content": None, "tool_calls": [call("1", "search")]},
                {"role": "tool", "tool_call_id": "1", "content": "one"},
                {"role": "tool", "tool_call_id": "1", "content": "two"},
            ],
            "the tool call '1' is answered twice (message 'm3')",
        ),
        (
            [{"role": "assistant", "tool_calls": [call("1", "a"), call("1", "b")]}],
            "uses a tool-call id twice",
        ),
    ],
)
def test_results_that_answer_no_one_call_are_a_fault_of_the_file(tmp_path, messages, said):
    found = load_dialogues([write(tmp_path, with_tools(*messages), name="a.json")], tmp_path)
    (error,) = found.errors
    assert said in str(error)
    assert "expected each result after its one call" in str(error)


def test_a_fault_in_a_trial_of_tau_bench_is_pointed_to_where_the_file_has_it(tmp_path):
    trials = [{"traj": chat()["messages"]}, {"traj": []}, {"traj": [{"role": "wizard"}]}]
    found = load_dialogues([write(tmp_path, trials, name="a.json")], tmp_path)
    assert len(found.dialogues) == 1
    assert [error.faults[0].pointer for error in found.errors] == ["/traj", "/traj/0/role"]


def test_real_conversations_with_tool_calls_are_read():
    path = public_data("tau-bench/gpt-4o-airline-tasks-0-9.json")
    data = json.loads(path.read_text("utf-8"))
    dialogues = loaded(path)
    assert len(dialogues) == 40
    assert all(dialogue.system for dialogue in dialogues)
    calls = [c for d in dialogues for turn in d.turns for step in turn.calls for c in step]
    assert {"get_user_details", "get_reservation_details"} <= {call.name for call in calls}
    recorded = [m for item in data for m in item["traj"]]
    results = [m["content"] for m in recorded if m["role"] == "tool"]
    arguments = [c["function"]["arguments"] for m in recorded for c in m.get("tool_calls") or ()]
    assert [call.result for call in calls] == results
    assert [call.arguments for call in calls] == arguments
