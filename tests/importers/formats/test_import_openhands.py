"""OpenHands event streams: both generations, several instances, condensations, step limits."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.paths import public_data

from pytest_compaction.artifacts import INTERRUPTED, commands, file_operations
from pytest_compaction.conversation import Image, Thinking, canonical_json, structure_faults
from pytest_compaction.importers import importer_for, load_importers
from pytest_compaction.importers.formats.openhands import IMPORTER


def action(id, kind, source="agent", **args):
    return {"id": id, "source": source, "timestamp": "t", "action": kind, "args": args}


def observation(id, kind, content, cause=None, **more):
    given = {"id": id, "source": "agent", "observation": kind, "content": content, **more}
    return given if cause is None else {**given, "cause": cause}


def metadata(response, call, *calls, content="", **more):
    message = {"role": "assistant", "content": content, "tool_calls": list(calls), **more}
    answer = {"id": response, "model": "some/model", "choices": [{"message": message}]}
    return {"tool_call_id": call, "model_response": answer}


def call(id, name="execute_bash", **given):
    return {
        "id": id,
        "type": "function",
        "function": {"name": name, "arguments": json.dumps(given)},
    }


USER = action(1, "message", "user", content="fix the bug")


def imported(tmp_path, *events):
    path = tmp_path / "events.json"
    path.write_text(json.dumps(list(events)), "utf-8")
    (transcript,) = IMPORTER.read(path)
    assert structure_faults(transcript.messages) == []
    return transcript


def shape(transcript):
    return [(m.role, m.results[0].text if m.results else m.text) for m in transcript.messages]


def test_actions_of_one_response_are_one_message_with_its_calls(tmp_path):
    thinking = {"type": "thinking", "thinking": "hm", "signature": "abc=="}
    both = call("c1", command="ls"), call("c2", command="pwd")
    said = {"content": "Looking around.", "thinking_blocks": [thinking]}
    first = metadata("r1", "c1", *both, **said)
    second = metadata("r1", "c2", *both, **said)
    suffix = {"metadata": {"suffix": "\n[The command completed with exit code 1.]"}}
    transcript = imported(
        tmp_path,
        action(0, "system", content="You are an agent.", tools=[{}, {}]),
        USER,
        action(2, "run", command="ls", thought="Looking around.") | {"tool_call_metadata": first},
        observation(3, "run", "a.py", 2, tool_call_metadata=first, extras=suffix),
        action(4, "run", command="pwd") | {"tool_call_metadata": second},
        observation(5, "run", "/work", 4, tool_call_metadata=second),
    )
    assert [m.role for m in transcript.messages] == ["system", "user", "assistant", "tool", "tool"]
    answer = transcript.messages[2]
    assert answer.parts[0] == Thinking(canonical_json(thinking))
    assert answer.text == "Looking around."
    assert [c.parsed() for c in answer.calls] == [{"command": "ls"}, {"command": "pwd"}]
    assert transcript.messages[3].results[0].text.endswith("exit code 1.]")
    assert [command.failed for command in commands(transcript.messages)] == [True, False]
    assert transcript.model == "some/model"
    assert transcript.tally.left_out == {
        "tool definition": 2,
        "further action of a response; its calls are kept together": 1,
    }


def test_actions_without_the_response_are_calls_by_their_arguments(tmp_path):
    transcript = imported(
        tmp_path,
        USER,
        action(2, "write", path="b.py", content="x = 1", thought="Writing it.", hidden=False),
        observation(3, "write", "", 2, message="I wrote to the file b.py."),
        action(4, "run", command="pytest"),
    )
    assert shape(transcript)[1:] == [
        ("assistant", "Writing it."),
        ("tool", "I wrote to the file b.py."),
        ("assistant", ""),
        ("tool", INTERRUPTED),
    ]
    (operation,) = file_operations(transcript.messages)
    assert (operation.path, operation.operation) == ("b.py", "created")


def test_a_call_without_the_response_keeps_its_id_and_name(tmp_path):
    known = {"tool_call_id": "toolu_1", "function_name": "execute_bash"}
    transcript = imported(
        tmp_path,
        USER,
        action(2, "run", command="ls") | {"tool_call_metadata": known},
        observation(3, "run", "a.py", 2, tool_call_metadata=known),
    )
    (call,) = transcript.messages[1].calls
    assert (call.id, call.name) == ("toolu_1", "execute_bash")
    assert transcript.messages[2].results[0].text == "a.py"


def test_what_the_program_does_for_itself_is_left_out_by_reason(tmp_path):
    knowledge = {"microagent_knowledge": [{"name": "git", "content": "Use git."}]}
    instructions = {"repo_instructions": "Always run make lint.", **knowledge}
    transcript = imported(
        tmp_path,
        USER,
        action(2, "recall", "user", query="fix"),
        observation(3, "recall", "Added", 2, extras=instructions),
        action(4, "change_agent_state", "environment", agent_state="running"),
        observation(5, "agent_state_changed", "", extras={"agent_state": "running"}),
        action(6, "delegate", agent="Browsing", inputs={"task": "look it up"}),
        action(7, "message", content="I am the delegate"),
        observation(8, "delegate", "", 6, extras={"outputs": {"answer": "42"}}),
        observation(9, "error", "Parameter 'command' is missing."),
        "not an event",
        action(10, "finish", final_thought="Done.", thought=""),
    )
    assert shape(transcript) == [
        ("user", "fix the bug"),
        ("user", "Always run make lint."),
        ("assistant", ""),
        ("tool", '{"answer": "42"}'),
        ("system", "Parameter 'command' is missing."),
        ("assistant", "Done."),
    ]
    assert transcript.tally.records == 11
    assert transcript.tally.left_out == {
        "program action: change_agent_state": 1,
        "sub-agent event; its result is in the call that started it": 1,
        "knowledge added by the program": 1,
        "program observation: agent_state_changed": 1,
        "knowledge search by the program": 1,
        "value that is not an event": 1,
    }
    assert transcript.tally.repaired == {
        "call that ends the run, given as text": 1,
        "program notice without a call, given as a system message": 1,
    }


def test_images_and_errors_of_tools_survive(tmp_path):
    shot = "data:image/png;base64," + "A" * 400
    transcript = imported(
        tmp_path,
        action(1, "message", "user", content="see", image_urls=[shot]),
        action(2, "browse", url="http://x"),
        observation(3, "browse", "a page", 2, extras={"screenshot": shot}),
        action(4, "read", path="gone.py"),
        observation(5, "error", "File not found: gone.py", 4),
    )
    placeholder = Image('{"bytes":300,"media_type":"image/png","type":"image"}')
    assert transcript.messages[0].parts[1] == placeholder
    assert transcript.messages[2].parts[1] == placeholder
    assert transcript.messages[4].results[0].is_error


def steps(first, *outputs):
    found: list[dict[str, Any]] = []
    for number, text in enumerate(outputs):
        id = first + 2 * number
        found += [action(id, "run", command=f"cat {text}"), observation(id + 1, "run", text, id)]
    return found


def test_condensations_are_boundaries_with_the_view_that_was_shown(tmp_path):
    transcript = imported(
        tmp_path,
        USER,
        *steps(2, "one", "two", "three"),
        action(8, "condensation", forgotten_events_start_id=2, forgotten_events_end_id=5)
        | {
            "args": {
                "forgotten_events_start_id": 2,
                "forgotten_events_end_id": 5,
                "summary": "read one and two",
                "summary_offset": 1,
            }
        },
        *steps(9, "four"),
        action(
            11, "condensation", forgotten_event_ids=[6, 7, 8], summary="and three", summary_offset=1
        ),
        *steps(12, "five"),
    )
    first, second = transcript.boundaries
    names = {
        m.id: text for m, (_, text) in zip(transcript.messages, shape(transcript), strict=True)
    }
    assert names[first.after] == "three"
    assert [m.text or m.results[0].text for m in first.messages if not m.calls] == [
        "fix the bug",
        "read one and two",
        "three",
    ]
    assert names[second.after] == "four"
    assert [m.text or m.results[0].text for m in second.messages if not m.calls] == [
        "fix the bug",
        "and three",
        "four",
    ]
    assert {m.origin for m in second.messages} == {"log", "synthetic"}
    assert all("read one" not in text for _, text in shape(transcript))


def sdk(kind, id, source="agent", **more):
    return {"kind": kind, "id": id, "source": source, "timestamp": "t", **more}


def text(words):
    return {"type": "text", "text": words}


def sdk_call(id, call_id, response, **given):
    made = {"id": call_id, "name": "terminal", "arguments": json.dumps(given)}
    return sdk(
        "ActionEvent",
        id,
        thought=[text("Going on.")] if call_id == "c1" else [],
        tool_name="terminal",
        tool_call_id=call_id,
        tool_call=made,
        llm_response_id=response,
    )


def sdk_result(id, call_id, words, **more):
    return sdk(
        "ObservationEvent",
        id,
        "environment",
        tool_name="terminal",
        tool_call_id=call_id,
        action_id="x",
        observation={"kind": "T", "content": [text(words)], **more},
    )


SDK_EVENTS = [
    sdk("SystemPromptEvent", "e0", system_prompt=text("You are an agent."), tools=[{}]),
    sdk("MessageEvent", "e1", "user", llm_message={"role": "user", "content": [text("fix it")]}),
    sdk_call("e2", "c1", "r1", command="ls"),
    sdk_call("e3", "c2", "r1", command="pwd"),
    sdk_result("e4", "c1", "a.py", metadata={"suffix": "\n[exit code 0]"}),
    sdk("AgentErrorEvent", "e5", tool_name="terminal", tool_call_id="c2", error="timed out"),
    sdk("ConversationStateUpdateEvent", "e6", "environment", key="x", value=1),
    sdk(
        "Condensation",
        "e7",
        "environment",
        forgotten_event_ids=["e2", "e3", "e4", "e5"],
        summary="listed the files",
        summary_offset=2,
    ),
    sdk("MessageEvent", "e8", llm_message={"role": "assistant", "content": [text("Done.")]}),
]


def test_events_of_the_sdk_are_read_from_a_folder_in_their_order(tmp_path):
    folder = tmp_path / "events"
    folder.mkdir()
    for number, event in reversed(list(enumerate(SDK_EVENTS))):
        name = f"event-{number:05d}-{event['id']}.json"
        (folder / name).write_text(json.dumps(event), "utf-8")
    (transcript,) = IMPORTER.read(folder)
    importers = load_importers().importers
    for named in (folder, tmp_path):
        assert importer_for(named, importers).name == "openhands"
        (again,) = IMPORTER.read(named)
        assert (again.messages, again.source) == (transcript.messages, tmp_path.as_posix())
    assert shape(transcript) == [
        ("system", "You are an agent."),
        ("user", "fix it"),
        ("assistant", "Going on."),
        ("tool", "a.py\n[exit code 0]"),
        ("tool", "timed out"),
        ("assistant", "Done."),
    ]
    assert transcript.messages[4].results[0].is_error
    (boundary,) = transcript.boundaries
    assert boundary.after == "m0004"
    assert [m.text for m in boundary.messages] == [
        "You are an agent.",
        "fix it",
        "listed the files",
    ]


@pytest.mark.parametrize(
    "content",
    [
        json.dumps(SDK_EVENTS),
        "\n".join(json.dumps(event) for event in SDK_EVENTS),
        json.dumps({"events": SDK_EVENTS}),
        json.dumps([USER, *steps(2, "one")]),
        json.dumps({"instance_id": "i", "history": [USER, *steps(2, "one")]}),
        json.dumps({"instance_id": "i", "history": [[USER, *steps(2, "one")]]}),
        json.dumps({"instance_id": "i", "metadata": {"agent_class": "A"}, "history": [USER]}),
    ],
)
def test_the_format_is_detected_from_content(tmp_path, content):
    path = tmp_path / "renamed.bin"
    path.write_text(content + "\n", "utf-8")
    assert importer_for(path, load_importers().importers).name == "openhands"
    (transcript,) = IMPORTER.read(path)
    assert transcript.name == ""


def test_instances_of_one_file_are_conversations_named_after_them(tmp_path):
    limit = "RuntimeError: Agent reached maximum iteration"
    lines = [
        {"instance_id": "one", "history": [USER, *steps(2, "one")]},
        {"instance_id": "two", "history": [USER], "error": limit},
        {"unrelated": True},
    ]
    path = tmp_path / "output.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    one, two = IMPORTER.read(path)
    assert (one.name, two.name) == ("one", "two")
    assert two.tally.left_out == {
        f"end of the run: {limit}": 1,
        "value without an event": 1,
    }


def test_the_public_streams_are_read_whole():
    path = public_data("openhands/multi_swe_bench_example_output.jsonl")
    found = list(IMPORTER.read(path))
    assert [(t.name, t.tally.records, t.tally.messages) for t in found] == [
        ("ponylang__ponyc-4595", 49, 47),
        ("ponylang__ponyc-4593", 70, 68),
        ("ponylang__ponyc-4588", 103, 101),
    ]
    assert all(structure_faults(t.messages) == [] for t in found)
    assert any("maximum iteration" in reason for reason in found[2].tally.left_out)
