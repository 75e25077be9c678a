"""Sessions of the pi agent become sound messages; the tally names whatever is left out."""

import json

import pytest
from support.imports import roles, write
from support.paths import public_data

from pytest_compaction.artifacts import INTERRUPTED
from pytest_compaction.conversation import Image, Thinking, structure_faults
from pytest_compaction.conversation.formats.chat import from_chat, to_chat
from pytest_compaction.importers import (
    ImportFormatError,
    importer_for,
    importer_named,
    load_importers,
)
from pytest_compaction.importers.formats.pi import IMPORTER
from pytest_compaction.importers.protocol import KEPT_AS_RECORD

HEADER = {"type": "session", "id": "s", "timestamp": "2025-01-01T00:00:00Z", "cwd": "/work"}


def message(role, *parts, **more):
    content = [{"type": "text", "text": part} if isinstance(part, str) else part for part in parts]
    return {"type": "message", "message": {"role": role, "content": content, **more}}


def tool_call(id, name="read", **arguments):
    return {"type": "toolCall", "id": id, "name": name, "arguments": arguments}


def result(id, *parts, is_error=False):
    return message("toolResult", *parts, toolCallId=id, toolName="read", isError=is_error)


def imported(tmp_path, *records):
    return IMPORTER.read(write(tmp_path, *records))


def test_messages_are_numbered_in_order(tmp_path):
    transcript = imported(
        tmp_path,
        HEADER,
        message("user", "look at a.py"),
        message("assistant", "Reading it.", tool_call("c1", path="a.py"), model="some-model"),
        result("c1", "x = 1"),
        message("assistant", "It sets x."),
    )
    assert roles(transcript) == "user assistant tool assistant"
    assert [m.id for m in transcript.messages] == [f"m000{number}" for number in range(4)]
    assert transcript.model == "some-model"
    assert transcript.tally.records == 5
    assert transcript.tally.messages == 4
    assert transcript.tally.left_out == {"session header": 1}
    assert transcript.tally.repaired == {}


def test_results_of_parallel_calls_come_right_after_their_call(tmp_path):
    transcript = imported(
        tmp_path,
        HEADER,
        message("assistant", tool_call("c1"), tool_call("c2")),
        result("c2", "second"),
        message("user", "hurry up"),
        result("c1", "first"),
        message("assistant", "done"),
    )
    texts = [m.results[0].text if m.results else m.text for m in transcript.messages[1:]]
    assert texts == ["first", "second", "hurry up", "done"]
    assert structure_faults(transcript.messages) == []


def test_interrupted_calls_get_a_result_that_says_so(tmp_path):
    transcript = imported(
        tmp_path,
        HEADER,
        message("assistant", "Editing.", tool_call("c1", "edit"), stopReason="aborted"),
        message("user", "stop"),
    )
    assert transcript.messages[1].results[0].text == INTERRUPTED
    assert transcript.messages[2].text == "stop"
    assert structure_faults(transcript.messages) == []
    assert transcript.tally.repaired == {"interrupted tool call given a result that says so": 1}


def test_a_call_that_is_still_open_at_the_end_is_interrupted(tmp_path):
    transcript = imported(tmp_path, HEADER, message("assistant", tool_call("c1")))
    assert transcript.messages[-1].results[0].text == INTERRUPTED


def test_what_is_left_out_is_listed_by_reason(tmp_path):
    transcript = imported(
        tmp_path,
        HEADER,
        {"type": "model_change", "modelId": "x"},
        {"type": "brand_new"},
        message("user", "hello there"),
        message("assistant", stopReason="aborted"),
        message("user", "  "),
        message("narrator", "once upon a time"),
        message("assistant", "Hi.", {"type": "hologram"}, tool_call("c1"), tool_call("c1")),
        result("c1", "one"),
        result("c1", "two"),
        result("nobody", "three"),
    )
    assert dict(transcript.tally.left_out) == {
        "empty aborted assistant message": 1,
        "empty user message": 1,
        "unknown message role 'narrator'": 1,
        "unknown content block 'hologram'": 1,
        "model change": 1,
        "unknown record type 'brand_new'": 1,
        "second result of the same tool call": 1,
        "session header": 1,
        "tool call whose id is used twice in one message": 1,
        "tool result whose call is not in the transcript": 1,
    }
    assert list(transcript.tally.left_out) == sorted(transcript.tally.left_out)
    assert structure_faults(transcript.messages) == []


def test_thinking_images_and_errors_survive(tmp_path):
    thinking = {"type": "thinking", "thinking": "hm", "thinkingSignature": "abc"}
    image = {"type": "image", "data": "A" * 400, "mimeType": "image/png"}
    transcript = imported(
        tmp_path,
        HEADER,
        message("user", "see", image),
        message("assistant", thinking, tool_call("c1")),
        result("c1", "no such file", is_error=True),
    )
    user, assistant, tool = transcript.messages
    assert user.parts[1] == Image('{"bytes":300,"media_type":"image/png","type":"image"}')
    assert isinstance(assistant.parts[0], Thinking)
    assert json.loads(assistant.parts[0].payload) == thinking
    assert tool.results[0].is_error
    again = from_chat(to_chat(transcript.messages, ids=True))
    assert again == transcript.messages


@pytest.mark.parametrize("named", [{"firstKeptEntryIndex": 3}, {"firstKeptEntryId": "e3"}])
def test_a_recorded_compaction_is_a_boundary_with_what_it_kept(tmp_path, named):
    compaction = {"type": "compaction", "id": "e6", "summary": "we began", "tokensBefore": 900}
    records = [
        message("user", "one"),
        message("assistant", "a1"),
        message("user", "two"),
        message("assistant", tool_call("c1")),
        result("c1", "ok"),
        compaction | named,
        message("user", "three"),
    ]
    for number, record in enumerate(records, start=1):
        record["id"] = f"e{number}"
    transcript = imported(tmp_path, HEADER, *records)
    (boundary,) = transcript.boundaries
    assert (boundary.after, boundary.summary, boundary.tokens_before) == ("m0004", "we began", 900)
    assert boundary.kept == ("m0002", "m0003", "m0004")
    assert [m.text for m in transcript.messages if m.role == "user"] == ["one", "two", "three"]


def test_a_recorded_compaction_that_does_not_say_what_it_kept_is_no_record(tmp_path):
    compaction = {"type": "compaction", "summary": "we began", "firstKeptEntryId": "lost"}
    transcript = imported(tmp_path, HEADER, message("user", "one"), compaction)
    (boundary,) = transcript.boundaries
    assert not boundary.recorded
    assert boundary.missing == "its record does not say which messages it kept"


def test_lone_surrogates_are_replaced(tmp_path):
    path = tmp_path / "session.jsonl"
    path.write_text(json.dumps(message("user", "bad \ud800 text")) + "\n", "ascii")
    assert IMPORTER.read(path).messages[0].text == "bad \ufffd text"


def test_what_is_of_no_format_is_refused(tmp_path):
    importers = load_importers().importers
    path = tmp_path / "renamed.txt"
    for other in ('{"type": "user", "message": {}}', "# a text", '{"role": "user"}'):
        path.write_text(other + "\n", "utf-8")
        with pytest.raises(ImportFormatError, match="no known transcript format"):
            importer_for(path, importers)
    path.write_text(" \n", "utf-8")
    with pytest.raises(ImportFormatError, match="the file is empty"):
        importer_for(path, importers)


def test_an_unknown_format_is_answered_with_the_nearest():
    with pytest.raises(ImportFormatError, match=r"unknown transcript format 'pie'.*mean 'pi'"):
        importer_named("pie", load_importers().importers)


def test_the_real_session_is_read_whole():
    transcript = IMPORTER.read(public_data("pi-agent/large-session.jsonl"))
    tally = transcript.tally
    roles = [message.role for message in transcript.messages]
    assert tally.records == 1019
    assert roles.count("user") == 88
    assert sum(len(message.calls) for message in transcript.messages) == 391
    assert sum(result.is_error for m in transcript.messages for result in m.results) == 19
    assert dict(tally.left_out) == {
        "empty aborted assistant message": 14,
        "model change": 1,
        "session header": 1,
        "thinking level change": 103,
    }
    interrupted = tally.repaired["interrupted tool call given a result that says so"]
    assert tally.messages == tally.records - sum(tally.left_out.values()) + interrupted
    assert structure_faults(transcript.messages) == []


def tree(*lines):
    return [{**record, "id": id, "parentId": parent} for id, parent, record in lines]


BRANCHES = tree(
    ("e1", None, message("user", "pick a store")),
    ("e2", "e1", message("assistant", "Reading on.")),
    ("e3", "e2", message("user", "use Postgres 15.2")),
    ("e4", "e3", message("assistant", tool_call("w1"))),
    ("e5", "e4", result("w1", "ok")),
    ("c1", "e5", {"type": "compaction", "summary": "Postgres", "firstKeptEntryId": "e4"}),
    ("bs", "e2", {"type": "branch_summary", "fromId": "e5", "summary": "Postgres was too slow"}),
    ("l1", "bs", {"type": "label", "label": "here"}),
    ("x1", "l1", {"type": "custom_message", "customType": "x", "content": "the disk is full"}),
    ("e6", "x1", message("user", "use DuckDB 0.9.2")),
)


def test_a_branch_that_the_user_left_is_not_in_the_log_and_its_summary_is(tmp_path):
    transcript = imported(tmp_path, HEADER, *BRANCHES)
    *texts, summary, told, last = [m.text for m in transcript.messages]
    assert (texts, told, last) == (
        ["pick a store", "Reading on."],
        "the disk is full",
        "use DuckDB 0.9.2",
    )
    assert summary.endswith("Postgres was too slow")
    assert transcript.boundaries == ()
    assert transcript.tally.left_out == {
        "compaction on a branch that the user left": 1,
        "label": 1,
        "message on a branch that the user left": 3,
        "session header": 1,
    }
    assert transcript.tally.records == 5 + 6


def test_a_compaction_on_the_branch_that_was_kept_is_on_record(tmp_path):
    transcript = imported(tmp_path, HEADER, *BRANCHES[:6])
    (boundary,) = transcript.boundaries
    assert (boundary.after, boundary.kept) == ("m0004", ("m0003", "m0004"))
    assert transcript.tally.left_out[KEPT_AS_RECORD] == 1


def test_parents_that_are_missing_or_run_in_a_circle_are_put_right(tmp_path):
    lines = tree(
        ("a", "z", message("user", "one")),
        ("b", "nowhere", message("assistant", "two")),
        ("z", "b", message("user", "three")),
    )
    transcript = imported(tmp_path, HEADER, *lines)
    assert [m.text for m in transcript.messages] == ["one", "two", "three"]
    assert transcript.tally.repaired == {
        "line that is its own ancestor, taken as the first": 1,
        "line whose parent is not in the file, put after the line before it": 1,
    }


def test_a_command_that_the_user_kept_from_the_model_is_left_out(tmp_path):
    shell = {"command": "env", "output": "A=1"}
    transcript = imported(
        tmp_path,
        HEADER,
        message("user", "hello"),
        message("bashExecution", **shell, excludeFromContext=True),
        message("bashExecution", **shell),
    )
    assert [m.text for m in transcript.messages] == ["hello", "Ran `env`\nA=1"]
    assert transcript.tally.left_out["command that the user kept from the model"] == 1
