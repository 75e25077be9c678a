"""Gemini CLI: recorded chats of both formats, rewritten histories, and checkpoints."""

import json

import pytest

from pytest_compaction.artifacts import INTERRUPTED, file_operations
from pytest_compaction.conversation import Image, Thinking, canonical_json, structure_faults
from pytest_compaction.importers import importer_for, load_importers
from pytest_compaction.importers.formats.gemini_cli import IMPORTER

HEADER = {"sessionId": "s", "projectHash": "p", "startTime": "t", "lastUpdated": "t"}
THOUGHTS = [{"subject": "Plan", "description": "read first", "timestamp": "t"}]


def typed(id, words):
    return {"id": id, "timestamp": "t", "type": "user", "content": [{"text": words}]}


def told(id, words="", *calls, **more):
    message = {
        "id": id,
        "timestamp": "t",
        "type": "gemini",
        "content": words,
        "model": "some-model",
    }
    return {**message, **({"toolCalls": list(calls)} if calls else {}), **more}


def call(id, name, status="success", output=None, **args):
    response = {"functionResponse": {"id": id, "name": name, "response": {"output": output}}}
    made = {"id": id, "name": name, "args": args, "status": status, "timestamp": "t"}
    return {**made, "result": [response]} if output is not None else made


CHAT = [
    typed("u1", "rename it"),
    told(
        "g1",
        "Reading.",
        call("c1", "read_file", output="x = 1", file_path="a.py"),
        call("c2", "replace", file_path="a.py", old_string="x", new_string="y", output="done"),
        thoughts=THOUGHTS,
    ),
    typed("u2", "now test it"),
    told(
        "g2",
        "Testing.",
        call("c3", "run_shell_command", "cancelled", command="pytest"),
        call("c4", "run_shell_command", "executing", command="ls"),
    ),
    typed("u3", "stop"),
]


def lines(tmp_path, *records):
    path = tmp_path / "session-x.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def imported(path):
    transcript = IMPORTER.read(path)
    assert structure_faults(transcript.messages) == []
    return transcript


def shape(transcript):
    return [(m.role, m.results[0].text if m.results else m.text) for m in transcript.messages]


SHAPE = [
    ("user", "rename it"),
    ("assistant", "Reading."),
    ("tool", "x = 1"),
    ("tool", "done"),
    ("user", "now test it"),
    ("assistant", "Testing."),
    ("tool", "[cancelled: the call was not run]"),
    ("tool", INTERRUPTED),
    ("user", "stop"),
]


def test_thoughts_and_calls_stand_with_their_results(tmp_path):
    transcript = imported(lines(tmp_path, HEADER, *CHAT))
    assert shape(transcript) == SHAPE
    thinking = canonical_json({"type": "reasoning", "thoughts": THOUGHTS})
    assert transcript.messages[1].parts[0] == Thinking(thinking)
    operations = file_operations(transcript.messages)
    assert [(o.path, o.operation) for o in operations] == [("a.py", "read"), ("a.py", "modified")]
    assert transcript.model == "some-model"
    assert transcript.boundaries == ()
    assert transcript.tally.left_out == {"chat header": 1}


def test_the_older_form_is_one_document(tmp_path):
    path = tmp_path / "renamed.txt"
    info = {"id": "i", "type": "info", "content": "Update available"}
    path.write_text(json.dumps({**HEADER, "messages": [*CHAT, info]}, indent=2), "utf-8")
    assert importer_for(path, load_importers().importers).name == "gemini-cli"
    transcript = imported(path)
    assert shape(transcript) == SHAPE
    assert transcript.tally.records == 7
    assert transcript.tally.left_out["notice shown only to the user: info"] == 1


def test_a_message_that_is_recorded_again_stands_once_and_rewinds_take_back(tmp_path):
    transcript = imported(
        lines(
            tmp_path,
            HEADER,
            typed("u1", "one"),
            told("g1", "", call("c1", "read_file", "executing", file_path="a")),
            told("g1", "", call("c1", "read_file", output="text", file_path="a")),
            {"$set": {"lastUpdated": "t"}},
            typed("u2", "two"),
            told("g2", "wrong"),
            {"$rewindTo": "u2"},
            typed("u3", "three"),
        )
    )
    assert [text for _, text in shape(transcript)] == ["one", "", "text", "three"]
    assert transcript.tally.left_out == {
        "header change": 1,
        "earlier version of a message": 1,
        "chat header": 1,
        "message removed by a rewind": 2,
        "rewind record": 1,
    }


SNAPSHOT = typed("s1", "<state_snapshot>we renamed it</state_snapshot>")
READY = told("s2", "Got it.")


@pytest.mark.parametrize("recorded", [(), (SNAPSHOT, READY)])
def test_a_history_written_anew_is_a_recorded_compaction(tmp_path, recorded):
    anew = [SNAPSHOT, READY, CHAT[2], CHAT[3]]
    path = lines(tmp_path, HEADER, *CHAT[:4], *recorded, {"$set": {"messages": anew}}, CHAT[4])
    transcript = imported(path)
    assert shape(transcript) == SHAPE
    (boundary,) = transcript.boundaries
    assert boundary.after == "m0007"
    assert [(m.id, m.origin) for m in boundary.messages] == [
        ("recorded-1-0", "synthetic"),
        ("recorded-1-1", "synthetic"),
        ("m0004", "log"),
        ("m0005", "log"),
        ("m0006", "log"),
        ("m0007", "log"),
    ]
    lost = transcript.tally.left_out.get("summary of a compression, kept in its record", 0)
    assert lost == len(recorded)


def test_an_output_that_was_masked_later_stays_in_the_log(tmp_path):
    masked = told("g1", "Reading.", call("c1", "read_file", output="[masked]", file_path="a.py"))
    path = lines(
        tmp_path,
        HEADER,
        CHAT[0],
        told("g1", "Reading.", call("c1", "read_file", output="x = 1", file_path="a.py")),
        {"$set": {"messages": [CHAT[0], masked]}},
        masked,
        typed("u9", "go on"),
    )
    transcript = imported(path)
    assert [text for _, text in shape(transcript)] == ["rename it", "Reading.", "x = 1", "go on"]
    (boundary,) = transcript.boundaries
    assert [m.results[0].text for m in boundary.messages if m.results] == ["[masked]"]


CONTENTS = [
    {"role": "user", "parts": [{"text": "This is the Gemini CLI. We are setting up the context"}]},
    {"role": "model", "parts": [{"text": "Got it."}]},
    {
        "role": "user",
        "parts": [{"text": "see"}, {"inlineData": {"mimeType": "image/png", "data": "A" * 400}}],
    },
    {
        "role": "model",
        "parts": [
            {"text": "hm", "thought": True, "thoughtSignature": "abc=="},
            {
                "functionCall": {"name": "read_file", "args": {"path": "a.py"}},
                "thoughtSignature": "d",
            },
            {"functionCall": {"name": "read_file", "args": {"path": "b.py"}}},
        ],
    },
    {
        "role": "user",
        "parts": [
            {"functionResponse": {"name": "read_file", "response": {"output": "x = 1"}}},
            {"functionResponse": {"name": "read_file", "response": {"error": "no such file"}}},
        ],
    },
    {"role": "model", "parts": [{"text": "Read."}, {"hologram": 1}]},
]


@pytest.mark.parametrize(
    "document",
    [CONTENTS, {"history": CONTENTS}, {"clientHistory": CONTENTS, "history": [], "toolCall": {}}],
)
def test_checkpoints_are_read_in_the_shape_of_the_interface(tmp_path, document):
    path = tmp_path / "checkpoint.json"
    path.write_text(json.dumps(document), "utf-8")
    assert importer_for(path, load_importers().importers).name == "gemini-cli"
    transcript = imported(path)
    assert shape(transcript) == [
        ("system", "This is the Gemini CLI. We are setting up the context"),
        ("assistant", "Got it."),
        ("user", "see"),
        ("assistant", ""),
        ("tool", "x = 1"),
        ("tool", "no such file"),
        ("assistant", "Read."),
    ]
    assert isinstance(transcript.messages[2].parts[1], Image)
    assert transcript.messages[5].results[0].is_error
    thought = transcript.messages[3].parts[0]
    assert isinstance(thought, Thinking)
    assert json.loads(thought.payload)["part"] == CONTENTS[3]["parts"][0]
    assert transcript.tally.left_out["unknown part 'hologram'"] == 1
