"""Any transcript gives a clear error, or messages that an endpoint would accept."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from support.mutations import mutated

from pytest_compaction.conversation import structure_faults
from pytest_compaction.importers import (
    ImportFormatError,
    Transcript,
    conversations,
    importer_named,
    load_importers,
    read_by_best,
)

IMPORTERS = load_importers().importers
FILES = {
    path.name: path.read_text("utf-8")
    for path in sorted((Path(__file__).parent / "files").iterdir())
    if path.name not in {"README.md", "gemini-cli.0-61-stream.jsonl"}
}
CALL = {"id": "c1", "type": "function", "function": {"name": "bash", "arguments": "{}"}}
RESPONSE = {"id": "r", "choices": [{"message": {"content": "x", "tool_calls": [CALL, CALL]}}]}
METADATA = {"tool_call_id": "c1", "model_response": RESPONSE}
RECORDS: dict[str, list[Any]] = {
    "aider": ["# aider chat started at 2025-01-02 03:04:05", "#### go  ", "#### /undo  ", "",
              "Sure.", "```", "> Applied edit to a.py  ", "> Commit abc1234 x  ",
              "> Removed: abc1234 x  ", ">  ", ">>>>>>> REPLACE", "> Tokens: 1k sent.  "],
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
    if name == "aider":
        return "\n".join(records)
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


def shuffled(name, rng):
    """A document of some of the records, in any order."""
    return document(name, rng.choices(RECORDS[name], k=rng.randint(1, 10)))


def read(importer, path):
    """The conversations of a file, and why it is refused."""
    found: list[Transcript] = []
    try:
        found.extend(conversations(importer, path))
        read_by_best(path, IMPORTERS)
    except ImportFormatError as error:
        return found, str(error)
    return found, ""


@pytest.mark.parametrize("name", [*FILES, *RECORDS])
def test_a_damaged_file_is_refused_with_a_reason_or_read_as_a_sound_conversation(tmp_path, name):
    rng = random.Random(name)
    path = tmp_path / (name if name in FILES else "transcript")
    importer = importer_named(name.partition(".")[0], IMPORTERS)
    for number in range(40):
        text = FILES[name] if name in FILES else shuffled(name, rng)
        damaged = name in FILES or number % 4
        path.write_bytes(mutated(text, rng) if damaged else text.encode())
        found, refused = read(importer, path)
        assert found or str(path) in refused
        assert "fault of the importer" not in refused
        for transcript in found:
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
