"""Claude Code sessions: one thread from a tree of lines; every line is used or counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.claude_code_lines import (
    START,
    answer,
    imported,
    said,
    shape,
    text,
    use,
)
from support.imports import roles
from support.paths import public_data

from pytest_compaction.artifacts import INTERRUPTED
from pytest_compaction.conversation import Image, Thinking, canonical_json, structure_faults
from pytest_compaction.importers import Transcript, importer_for, load_importers
from pytest_compaction.importers.formats.claude_code import IMPORTER
from pytest_compaction.importers.protocol import JOINED, KEPT_AS_RECORD, NOTICE


def test_lines_of_one_assistant_message_are_one_message(tmp_path: Path) -> None:
    thinking = {"type": "thinking", "thinking": "hm", "signature": "abc=="}
    transcript = imported(
        tmp_path,
        START,
        said("assistant", "a1", "u1", [thinking], "msg1"),
        said("assistant", "a2", "a1", [text("Reading both.")], "msg1"),
        said("assistant", "a3", "a2", [use("c1")], "msg1"),
        said("user", "r1", "a3", [answer("c1", "one")]),
        said("assistant", "a4", "a3", [use("c2")], "msg1"),
        said("user", "r2", "a4", [answer("c2", "two")]),
        said("assistant", "a5", "r2", [text("Both read.")], "msg2"),
    )
    assert roles(transcript) == "user assistant tool tool assistant"
    first = transcript.messages[1]
    assert first.parts[0] == Thinking(canonical_json(thinking))
    assert first.text == "Reading both."
    assert [call.id for call in first.calls] == ["c1", "c2"]
    assert [m.results[0].text for m in transcript.messages[2:4]] == ["one", "two"]
    assert transcript.tally.records == 8
    assert not transcript.tally.left_out


def test_what_the_user_took_back_is_left_out_and_counted(tmp_path: Path) -> None:
    transcript = imported(
        tmp_path,
        START,
        said("assistant", "a1", "u1", [text("Shall I delete it?")], "m1"),
        said("user", "u2", "a1", "yes"),
        said("assistant", "a2", "u2", [text("Deleted.")], "m2"),
        said("user", "u3", "a1", "no, keep it"),
        said("assistant", "a3", "u3", [text("Kept.")], "m3"),
    )
    assert [m.text for m in transcript.messages] == [
        "look at both files",
        "Shall I delete it?",
        "no, keep it",
        "Kept.",
    ]
    assert transcript.tally.left_out == {
        "assistant on a branch that the user left": 1,
        "user on a branch that the user left": 1,
    }


def test_lines_that_all_hang_from_the_line_of_the_user_are_one_turn(tmp_path: Path) -> None:
    """As iFlow writes them: each line repeats the call before, and results are wrapped."""
    found = {"functionResponse": {"id": "c2", "name": "Read", "response": {"output": "two"}}}
    transcript = imported(
        tmp_path,
        START,
        said("assistant", "a1", "u1", [text("Reading both."), use("c1")], "msg1"),
        said("assistant", "a2", "u1", [use("c1"), use("c2")], "msg2"),
        said("user", "r1", "a1", [answer("c1", {"callId": "c1", "responseParts": "one"})]),
        said("user", "r2", "a2", [answer("c2", {"callId": "c2", "responseParts": found})]),
        said("assistant", "a3", "u1", [text("Both read.")], "msg3"),
    )
    assert shape(transcript) == [
        ("user", "look at both files"),
        ("assistant", "Reading both."),
        ("tool", "one"),
        ("assistant", "c2"),
        ("tool", "two"),
        ("assistant", "Both read."),
    ]
    assert transcript.tally.left_out == {"tool call repeated in a later line": 1}


def test_the_export_of_a_session_from_the_web_is_read(tmp_path: Path) -> None:
    lines = [
        {"type": "user", "timestamp": "t", "message": {"role": "user", "content": "go on"}},
        said("assistant", "a1", None, [text("Looked."), use("c1")], "m1"),
        said("user", "r1", None, [answer("c1", "ok")]),
    ]
    path = tmp_path / "session.json"
    path.write_text(json.dumps({"loglines": lines}, indent=1), "utf-8")
    assert importer_for(path, load_importers().importers).name == "claude-code"
    transcript = IMPORTER.read(path)
    assert isinstance(transcript, Transcript)
    assert shape(transcript) == [("user", "go on"), ("assistant", "Looked."), ("tool", "ok")]


def test_what_is_not_the_conversation_is_left_out_by_reason(tmp_path: Path) -> None:
    side = said("assistant", "s1", None, [text("sub")], "m9", isSidechain=True)
    error = said("assistant", "e1", "u1", [text("API Error: 529")], "m8", isApiErrorMessage=True)
    transcript = imported(
        tmp_path,
        {"type": "summary", "summary": "a title", "leafUuid": "x"},
        {"type": "file-history-snapshot", "messageId": "x", "snapshot": {}},
        START,
        said("assistant", "a1", "u1", [use("c1", "Task", prompt="search")], "m1"),
        side,
        {"type": "progress", "uuid": "p1", "parentUuid": "a1", "data": {}},
        said("user", "r1", "p1", [answer("c1", [text("found it")])]),
        {"type": "system", "subtype": "api_error", "uuid": "y", "parentUuid": "r1", "error": {}},
        error,
        {"type": "attachment", "uuid": "t1", "parentUuid": "r1", "attachment": {"type": "todo"}},
        said("assistant", "a2", "t1", [text("Found.")], "m2"),
        said("assistant", "a2", "t1", [text("Found.")], "m2"),
        {"type": "brand-new", "sessionId": "s"},
    )
    assert shape(transcript) == [
        ("user", "look at both files"),
        ("assistant", "c1"),
        ("tool", "found it"),
        ("assistant", "Found."),
    ]
    assert transcript.tally.left_out == {
        "program attachment: todo": 1,
        "repeated line with the same uuid": 1,
        "sub-agent message; its result is in the call that started it": 1,
        "notice of a failed request, which the model never saw": 1,
        "notice of the program: api error": 1,
        "progress of a tool or sub-agent": 1,
        "unknown record type 'brand-new'": 1,
        "file snapshot for undo": 1,
        "session title": 1,
    }
    made = transcript.tally.records - sum(transcript.tally.left_out.values())
    assert made == len(transcript.messages)


def test_a_file_of_a_sub_agent_is_its_conversation(tmp_path: Path) -> None:
    transcript = imported(
        tmp_path,
        said("user", "u1", None, "search for it", isSidechain=True, agentId="a"),
        said("assistant", "a1", "u1", [text("Here.")], "m1", isSidechain=True),
    )
    assert [m.text for m in transcript.messages] == ["search for it", "Here."]


def test_messages_typed_while_the_agent_worked_survive(tmp_path: Path) -> None:
    queued = {"type": "queued_command", "prompt": "and the tests too"}
    transcript = imported(
        tmp_path,
        START,
        said("assistant", "a1", "u1", [use("c1")], "m1"),
        said("user", "r1", "a1", [answer("c1")]),
        {"type": "attachment", "uuid": "q1", "parentUuid": "r1", "attachment": queued},
        said("assistant", "a2", "q1", [text("Tests as well.")], "m2"),
    )
    assert shape(transcript)[3] == ("user", "and the tests too")


def queue(operation: str, content: str = "") -> dict[str, Any]:
    return {"type": "queue-operation", "operation": operation, "content": content}


def test_a_text_that_was_read_within_a_turn_is_a_message_of_the_user(tmp_path: Path) -> None:
    transcript = imported(
        tmp_path,
        START,
        said("assistant", "a1", "u1", [use("c1")], "msg1"),
        queue("enqueue", "using your skill?"),
        queue("enqueue", "and then the docs"),
        queue("remove"),
        said("user", "r1", "a1", [answer("c1", "one")]),
        said("assistant", "a2", "r1", [text("Good point.")], "msg2"),
        queue("dequeue"),
        said("user", "u2", "a2", [text("and then the docs")]),
    )
    assert [(m.role, m.text) for m in transcript.messages[2:]] == [
        ("tool", ""),
        ("user", "using your skill?"),
        ("assistant", "Good point."),
        ("user", "and then the docs"),
    ]


def test_a_note_of_a_task_in_the_queue_is_no_word_of_the_user(tmp_path: Path) -> None:
    note = {"task_id": "a1b2c3", "tool_use_id": "toolu_1", "task_type": "local_agent"}
    transcript = imported(
        tmp_path,
        START,
        said("assistant", "a1", "u1", [use("c1")], "msg1"),
        queue("enqueue", json.dumps(note, separators=(",", ":"))),
        queue("remove"),
        said("user", "r1", "a1", [answer("c1", "one")]),
        said("assistant", "a2", "r1", [text("Done.")], "msg2"),
    )
    roles = [m.role for m in transcript.messages if "task_id" in m.text]
    assert roles == ["system"]


def test_a_text_of_the_queue_is_no_message_twice(tmp_path: Path) -> None:
    queued = {"type": "queued_command", "prompt": "and the tests too"}
    transcript = imported(
        tmp_path,
        START,
        said("assistant", "a1", "u1", [use("c1")], "msg1"),
        queue("enqueue", "and the tests too"),
        queue("enqueue", "never mind"),
        queue("popAll"),
        queue("enqueue", "and the tests too"),
        queue("remove"),
        said("user", "r1", "a1", [answer("c1", "one")]),
        {"type": "attachment", "uuid": "q1", "parentUuid": "r1", "attachment": queued},
        said("assistant", "a2", "q1", [text("Both.")], "msg2"),
    )
    assert [m.text for m in transcript.messages if m.role == "user"][1:] == ["and the tests too"]


def test_interruptions_and_images_survive(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png"}}
    image["source"]["data"] = "A" * 4000  # type: ignore[index]
    transcript = imported(
        tmp_path,
        START,
        said("assistant", "a1", "u1", [use("c1"), use("c2")], "m1"),
        said("user", "r1", "a1", [answer("c1", [text("a picture"), image])]),
        said("user", "u2", "r1", [text("[Request interrupted by user for tool use]")]),
        said("assistant", "a2", "u2", [text("Stopped.")], "m2"),
    )
    tool = transcript.messages[2]
    assert tool.parts[1] == Image('{"bytes":3000,"media_type":"image/png","type":"image"}')
    assert shape(transcript)[3:5] == [
        ("tool", INTERRUPTED),
        ("system", "[Request interrupted by user for tool use]"),
    ]
    assert transcript.tally.repaired == {
        "image replaced by a placeholder with its size": 1,
        "interrupted tool call given a result that says so": 1,
        NOTICE: 1,
    }


def test_the_body_of_a_skill_belongs_to_the_call_that_loaded_it(tmp_path: Path) -> None:
    body = "Base directory for this skill: /s\n\n# Debugging\nFind the root cause first."
    transcript = imported(
        tmp_path,
        START,
        said("assistant", "a1", "u1", [use("c1")], "m1"),
        said("user", "r1", "a1", [answer("c1", "Launching skill: debugging")]),
        said("user", "u2", "r1", [text(body)], isMeta=True, sourceToolUseID="c1"),
        said("assistant", "a2", "u2", [text("I look.")], "m2"),
        said("user", "u3", "a2", [text("Continue from where you left off.")], isMeta=True),
    )
    assert shape(transcript)[2:] == [
        ("tool", f"Launching skill: debugging\n{body}"),
        ("assistant", "I look."),
        ("system", "Continue from where you left off."),
    ]


def test_a_command_is_what_was_typed_and_its_prompt_is_the_request(tmp_path: Path) -> None:
    skill = "Base directory for this skill: /s\n\n# Debugging"
    transcript = imported(
        tmp_path,
        said("user", "u1", None, "<command-name>/review</command-name>"),
        said("user", "u2", "u1", [text("Review the diff for races.")], isMeta=True),
        said("assistant", "a1", "u2", [text("None found.")], "m1"),
        said("user", "u3", "a1", "<command-name>/debug</command-name>"),
        said("user", "u4", "u3", [text(skill)], isMeta=True),
    )
    assert shape(transcript) == [
        ("user", "/review"),
        ("user", "Review the diff for races."),
        ("assistant", "None found."),
        ("user", "/debug"),
        ("system", skill),
    ]


def test_lines_that_are_their_own_ancestors_do_not_hang(tmp_path: Path) -> None:
    transcript = imported(
        tmp_path,
        said("user", "u1", "a1", "round"),
        said("assistant", "a1", "u1", [text("and round")], "m1"),
    )
    assert [m.text for m in transcript.messages] == ["round", "and round"]
    assert transcript.tally.repaired == {"line that is its own ancestor, taken as the first": 1}


def test_a_parent_that_is_not_in_the_file_is_replaced_by_the_line_before(tmp_path: Path) -> None:
    transcript = imported(tmp_path, START, said("assistant", "a1", "lost", [text("Here.")], "m1"))
    assert len(transcript.messages) == 2
    assert sum(transcript.tally.repaired.values()) == 1


def test_streamed_output_without_parents_is_read_in_order(tmp_path: Path) -> None:
    def line(type: str, content: Any, **more: Any) -> dict[str, Any]:
        return {
            "type": type,
            "message": {"role": type, "content": content},
            "session_id": "s",
        } | more

    transcript = imported(
        tmp_path,
        {"type": "system", "subtype": "init", "session_id": "s", "parent_tool_use_id": None},
        line("assistant", [use("c1", "Task")], parent_tool_use_id=None),
        line("assistant", [text("inner")], parent_tool_use_id="c1"),
        line("user", [answer("c1", "outer")], parent_tool_use_id=None),
        {"type": "result", "subtype": "success", "result": "outer"},
    )
    assert shape(transcript) == [("assistant", "c1"), ("tool", "outer")]


def test_the_real_session_is_read_whole() -> None:
    path = public_data("claude-code/session.jsonl")
    importer = importer_for(path, load_importers().importers)
    assert importer.name == "claude-code"
    transcript = importer.read(path)
    assert isinstance(transcript, Transcript)
    assert (transcript.tally.records, transcript.tally.messages) == (59, 43)
    assert transcript.tally.left_out == {"session title": 1}
    command = "command of the user, given as it was typed"
    assert transcript.tally.repaired == {JOINED: 59 - 43 - 1, command: 1}
    assert shape(transcript)[0] == ("user", "/init")
    assert transcript.messages[1].role == "user"
    assert structure_faults(transcript.messages) == []


def test_every_line_is_a_message_or_in_the_ledger(tmp_path: Path) -> None:
    summary = said("user", "s1", "b1", "we began", isCompactSummary=True)
    boundary = {"type": "system", "subtype": "compact_boundary", "uuid": "b1"}
    transcript = imported(
        tmp_path,
        START,
        said("assistant", "a1", "u1", [text("Reading.")], "msg1"),
        said("assistant", "a2", "a1", [use("c1"), use("c2")], "msg1"),
        said("user", "r1", "a2", [answer("c1"), answer("c2")]),
        {**boundary, "parentUuid": None, "logicalParentUuid": "r1"},
        summary,
        said("user", "u2", "s1", "on"),
    )
    assert len(transcript.messages) == 5
    tally = transcript.tally
    assert tally.left_out == {KEPT_AS_RECORD: 1, "summary of a compaction, kept in its record": 1}
    assert tally.repaired == {JOINED: 1, "record split into several messages": 1}
    assert tally.records == 5 + 2 + 1 - 1
