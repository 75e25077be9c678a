"""Any transcript gives a clear error, or messages that an endpoint would accept."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_compaction.conversation import structure_faults
from pytest_compaction.importers import (
    Importer,
    ImportFormatError,
    Transcript,
    conversations,
    importer_named,
    load_importers,
)

IMPORTERS = load_importers().importers

CALL = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
RESPONSE = {"id": "r", "choices": [{"message": {"content": "x", "tool_calls": [CALL, CALL]}}]}
METADATA = {"tool_call_id": "c1", "model_response": RESPONSE}
RECORDS: dict[str, list[Any]] = {
    "openhands": [
        {"id": 1, "source": "user", "action": "message", "args": {"content": "go"}},
        {"id": 2, "source": "agent", "action": "run", "args": {}, "tool_call_metadata": METADATA},
        {"id": 3, "source": "agent", "observation": "run", "content": "x", "cause": 2,
         "tool_call_metadata": METADATA, "extras": {"metadata": {"suffix": "]"}}},
        {"id": 4, "source": "agent", "action": "condensation", "args":
         {"forgotten_event_ids": [2, 3], "summary": "s", "summary_offset": 1}},
        {"id": 5, "source": "agent", "action": "delegate", "args": {"agent": "a"}},
        {"id": "e", "kind": "ActionEvent", "source": "agent", "thought": [], "tool_call_id": "c",
         "tool_call": {"name": "x", "arguments": "{}"}, "llm_response_id": "r"},
        {"id": "f", "kind": "ObservationEvent", "source": "environment", "tool_call_id": "c",
         "observation": {"content": [{"type": "text", "text": "t"}]}},
        {"id": "g", "kind": "Condensation", "source": "environment",
         "forgotten_event_ids": ["e", "f"], "summary": "s", "summary_offset": 3},
    ],
    "swe-agent": [
        {"role": "system", "content": "be good", "agent": "main"},
        {"role": "assistant", "content": "x", "thought": "x", "action": "ls", "agent": "main"},
        {"role": "user", "content": "out", "agent": "main"},
        {"role": "assistant", "content": "x", "tool_calls": [CALL], "agent": "main"},
        {"role": "tool", "content": [{"type": "text", "text": "o"}], "tool_call_ids": ["c1"]},
    ],
    "mini-swe-agent": [
        {"role": "user", "content": "go"},
        {"role": "assistant", "content": "x\n```bash\nls\n```"},
        {"role": "user", "content": "<returncode>0</returncode>\n<output>\no\n</output>"},
        {"role": "assistant", "content": "x", "tool_calls": [CALL]},
        {"role": "tool", "content": "o", "tool_call_id": "c1"},
        {"role": "exit", "content": "diff", "extra": {"interrupt_type": "x"}},
    ],
    "cline": [
        {"id": "a", "role": "user", "content": [{"type": "text", "text": "<task>go</task>"}]},
        {"id": "b", "role": "assistant", "content": "<read_file><path>x</path></read_file>"},
        {"id": "c", "role": "user", "content": "[read_file for 'x'] Result:\ny"},
        {"id": "d", "role": "assistant", "content":
         [{"type": "tool_use", "id": "c1", "name": "editor", "input": {"path": "p"}}]},
        {"id": "e", "role": "user", "content":
         [{"type": "tool_result", "tool_use_id": "c1",
           "content": [{"query": "q", "result": "r"}]}]},
    ],
    "gemini-cli": [
        {"sessionId": "s", "projectHash": "p"},
        {"id": "u", "type": "user", "content": [{"text": "go"}]},
        {"id": "g", "type": "gemini", "content": "on", "toolCalls":
         [{"id": "c", "name": "x", "args": {}, "status": "success", "result":
           [{"functionResponse": {"id": "c", "name": "x", "response": {"output": "o"}}}]}]},
        {"$set": {"messages": [{"id": "s", "type": "user", "content": "<state_snapshot>"}]}},
        {"$rewindTo": "g"},
        {"id": "h", "type": "gemini", "content": {"functionCall": {"name": "y", "args": {}}}},
    ],
    "inspect": [
        {"id": "u", "role": "user", "content": "go"},
        {"id": "a", "role": "assistant", "content": "x", "tool_calls":
         [{"id": "c", "function": "f", "arguments": {}}]},
        {"id": "t", "role": "tool", "content": "o", "tool_call_id": "c", "error": {"message": "m"}},
    ],
}  # fmt: skip


def document(name, records):
    if name == "gemini-cli":
        return "".join(json.dumps(record) + "\n" for record in records)
    if name == "swe-agent":
        return json.dumps({"environment": "e", "trajectory": [], "history": records})
    if name == "inspect":
        output = {"choices": [{"message": record} for record in records[1:2]]}
        events = [{"event": "compaction"}, {"event": "model", "input": records, "output": output}]
        sample = {"id": 1, "epoch": 1, "messages": records, "events": events}
        return json.dumps({"version": 2, "eval": {"task": "t", "model": "m"}, "samples": [sample]})
    return json.dumps(records)


def mutated(records, place, value):
    """The records with the value at one place replaced."""
    changed = json.loads(json.dumps(records))
    here: Any = changed
    for step, number in enumerate(place):
        keys = list(here) if isinstance(here, dict) else list(range(len(here)))
        if not keys:
            break
        key = keys[number % len(keys)]
        if step == len(place) - 1 or not isinstance(here[key], dict | list):
            here[key] = value
            break
        here = here[key]
    return list(changed)


def hold_all(importer, path):
    refused = ""
    transcripts: list[Transcript] = []
    try:
        transcripts.extend(conversations(importer, path))
    except ImportFormatError as error:
        refused = str(error)
    assert transcripts or str(path) in refused
    for transcript in transcripts:
        hold(transcript)


def hold(transcript):
    ids = [message.id for message in transcript.messages]
    assert structure_faults(transcript.messages) == []
    assert len(set(ids)) == len(ids)
    assert transcript.tally.messages == len(ids) > 0
    for boundary in transcript.boundaries:
        assert boundary.after in ids
        assert boundary.recorded or boundary.missing
        seen = [message.id for message in boundary.messages]
        assert len(set(seen)) == len(seen)


VALUES = st.sampled_from(
    [
        None,
        True,
        -1,
        10**30,
        1.5,
        "",
        "text",
        "c1",
        [],
        [None],
        [[]],
        {},
        {"type": "x"},
        [{"id": 1}],
    ]
)


@pytest.mark.parametrize("name", RECORDS)
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    order=st.lists(st.integers(0, 7), min_size=1, max_size=10),
    places=st.lists(st.lists(st.integers(0, 7), min_size=1, max_size=6), max_size=3),
    value=VALUES,
)
def test_any_order_and_any_value_give_an_error_or_a_sound_conversation(
    tmp_path, name, order, places, value
):
    importer: Importer = importer_named(name, IMPORTERS)
    records = [RECORDS[name][number % len(RECORDS[name])] for number in order]
    for place in places:
        records = mutated(records, place, value)
    path = tmp_path / "transcript"
    path.write_text(document(name, records), "utf-8")
    hold_all(importer, path)


LINES = ["# aider chat started at 2025-01-02 03:04:05", "#### go  ", "#### /undo  ", "", "Sure.",
         "```", "> Applied edit to a.py  ", "> Commit abc1234 x  ", "> Removed: abc1234 x  ",
         ">  ", ">>>>>>> REPLACE", "> Tokens: 1k sent, 2 received.  "]  # fmt: skip


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(st.sampled_from(LINES), max_size=20))
def test_any_order_of_lines_gives_an_error_or_a_sound_conversation(tmp_path, lines):
    path = tmp_path / "history.md"
    path.write_text("\n".join(lines), "utf-8")
    hold_all(importer_named("aider", IMPORTERS), path)
