"""Cline sessions: messages with files and queries, and compactions."""

import json

import pytest
from support.cline import answer, message, use
from support.imports import roles
from support.paths import public_data

from pytest_compaction.artifacts import commands, file_operations
from pytest_compaction.case_making.points import record_points
from pytest_compaction.conversation import structure_faults
from pytest_compaction.importers import importer_for, load_importers
from pytest_compaction.importers.formats.cline import IMPORTER

SESSION = [
    message(
        "a",
        "user",
        "<user_input mode='act'>make it smaller</user_input>",
        {"type": "file", "path": "/p/side.tsx", "content": "size-4"},
    ),
    message(
        "b",
        "assistant",
        "Editing.",
        use("c1", "editor", path="/p/side.tsx", old_text="size-4", new_text="size-3"),
        use("c2", "run_commands", commands=["npm test", "git status"]),
        modelInfo={"id": "some/model"},
    ),
    message(
        "c",
        "user",
        answer("c1", '{"query":"edit:/p/side.tsx","result":"Edited","success":true}'),
        answer("c2", [{"query": "npm test", "result": "2 failing", "success": False}]),
    ),
    message("d", "assistant", "Done."),
    message("e", "user", "thanks"),
]


def write(folder, messages=None, **sidecars):
    path = folder / "s1.messages.json"
    data = {"version": 1, "agent": "lead", "sessionId": "s1", "system_prompt": "You are Cline."}
    path.write_text(json.dumps({**data, "messages": messages or SESSION}), "utf-8")
    for name, data in sidecars.items():
        (folder / f"{name}.compaction.json").write_text(json.dumps(data), "utf-8")
    return path


def imported(folder, messages=None, **sidecars):
    transcripts = list(IMPORTER.read(write(folder, messages, **sidecars)))
    assert all(structure_faults(t.messages) == [] for t in transcripts)
    return transcripts


def test_files_queries_and_parallel_calls_survive(tmp_path):
    (transcript,) = imported(tmp_path)
    assert roles(transcript) == "system user assistant tool tool assistant user"
    assert transcript.messages[1].text == "make it smaller\n/p/side.tsx\nsize-4"
    edit, tests = (m.results[0] for m in transcript.messages[3:5])
    assert edit.text == "edit:/p/side.tsx\nEdited"
    assert (tests.text, tests.is_error) == ("npm test\n2 failing", True)
    (operation,) = file_operations(transcript.messages)
    assert (operation.path, operation.operation) == ("/p/side.tsx", "modified")
    assert [command.text for command in commands(transcript.messages)] == ["npm test\ngit status"]
    assert (transcript.model, transcript.name, transcript.boundaries) == ("some/model", "", ())
    assert transcript.tally.repaired == {
        "attached file, given as text under its path": 1,
        "tag around the user's text, removed": 1,
    }


@pytest.mark.parametrize(
    "part",
    [{"session_id": "s", "messages_path": "/x"}, {"source_message_count": 2, "messages": []}],
)
def test_parts_of_a_session_are_recognised(tmp_path, part):
    path = tmp_path / "x.json"
    path.write_text(json.dumps(part), "utf-8")
    assert importer_for(path, load_importers().importers).name == "cline"


SUMMARY = {"kind": "compaction_summary", "tokensBefore": 900}


def test_a_compaction_beside_the_session_is_its_record(tmp_path):
    state = {
        "version": 1,
        "conversation_id": "s1",
        "source_message_count": 4,
        "system_prompt": "You are Cline.",
        "messages": [message("n", "user", "we made it smaller", metadata=SUMMARY), SESSION[3]],
    }
    (transcript,) = imported(tmp_path, s1=state)
    (boundary,) = transcript.boundaries
    assert (boundary.after, boundary.tokens_before) == ("m0005", 900)
    assert [(m.id, m.origin) for m in boundary.messages] == [
        ("m0000", "log"),
        ("recorded-s1-1", "synthetic"),
        ("m0005", "log"),
    ]
    (point,) = record_points(transcript)
    assert point.data["messages"][0] == {"log": "m0000"}
    assert point.missing == ""


def test_several_compactions_of_one_session_are_a_case_each(tmp_path):
    whole = {"sessionId": "s1", "messages": [message("n", "user", "all of it", metadata=SUMMARY)]}
    other = {"sessionId": "s2", "messages": [message("n", "user", "not ours")]}
    transcripts = imported(tmp_path, basic=whole, agentic=whole, other=other)
    assert [(t.name, len(t.boundaries)) for t in transcripts] == [("agentic", 1), ("basic", 1)]
    assert transcripts[0].boundaries[0].after == transcripts[0].messages[-1].id


def test_the_public_session_has_what_both_modes_made_of_it():
    agentic, basic = IMPORTER.read(public_data("cline/session.messages.json"))
    assert (agentic.name, basic.name) == ("agentic", "basic")
    for transcript in (agentic, basic):
        assert (transcript.tally.records, transcript.tally.messages) == (32, 33)
        assert structure_faults(transcript.messages) == []
        own, point = record_points(transcript)
        assert point.data and not point.missing and not own.data
    assert agentic.boundaries[0].tokens_before == 21_919
    assert agentic.boundaries[0].messages[1].text.startswith("Context summary:")
    assert [m.text for m in agentic.boundaries[0].messages[2:]] == [
        "hello",
        "Hello! How can I assist you today?",
    ]
    assert "Earlier context was compacted" in basic.boundaries[0].messages[1].text


def test_a_compaction_block_is_named_in_the_ledger(tmp_path):
    block = {"type": "compaction", "content": "so far"}
    messages = [*SESSION, message("f", "assistant", block, "On."), message("g", "assistant", block)]
    (transcript,) = imported(tmp_path, messages=messages)
    assert transcript.messages[-1].text == "On."
    reason = "summary of a compaction by the provider, not recorded"
    assert transcript.tally.left_out[reason] == 2
