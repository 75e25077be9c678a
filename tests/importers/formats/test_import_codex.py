"""Codex rollouts: each message once, and the compactions that can be read."""

import json
from functools import partial

import pytest
from support.imports import import_with, roles, write

from pytest_compaction.artifacts import INTERRUPTED, file_operations
from pytest_compaction.conversation import Image, Thinking, canonical_json
from pytest_compaction.importers import importer_for, load_importers
from pytest_compaction.importers.formats.codex import IMPORTER
from pytest_compaction.importers.protocol import JOINED, KEPT_AS_RECORD, NOTICE


def line(type, /, **payload):
    return {"timestamp": "2025-12-08T00:37:46.102Z", "type": type, "payload": payload}


def item(type, /, **fields):
    return line("response_item", **{"type": type, **fields})


def spoke(role, *texts):
    kind = "output_text" if role == "assistant" else "input_text"
    return item("message", role=role, content=[{"type": kind, "text": text} for text in texts])


def shell(id, command):
    arguments = json.dumps({"command": ["bash", "-lc", command]})
    return item("function_call", name="shell", arguments=arguments, call_id=id)


def output(id, text):
    return item("function_call_output", call_id=id, output=text)


META = line("session_meta", id="s", cwd="/w", cli_version="0.65.0", instructions="be brief")


imported = partial(import_with, IMPORTER.read)


def test_a_turn_is_read_once_and_its_repetition_left_out_by_reason(tmp_path):
    reasoning = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "plan"}]}
    reasoning["encrypted_content"] = "gAAA"
    transcript = imported(
        tmp_path,
        META,
        spoke("user", "<environment_context>\n<cwd>/w</cwd>\n</environment_context>"),
        line("turn_context", model="gpt-5-codex", cwd="/w"),
        spoke("user", "list the files", "in src"),
        line("event_msg", type="user_message", message="list the files"),
        line("response_item", **reasoning),
        line("event_msg", type="agent_reasoning", text="plan"),
        shell("c1", "ls src"),
        shell("c2", "cat a.py"),
        output("c2", "Exit code: 1\nno such file"),
        output("c1", '{"output":"a.py\\nb.py","metadata":{"exit_code":0}}'),
        item("web_search_call", id="w1", status="completed", action={"query": "x"}),
        spoke("assistant", "Two files."),
        line("event_msg", type="agent_message", message="Two files."),
    )
    assert roles(transcript) == "system user assistant tool tool assistant tool"
    first, second = transcript.messages[3:5]
    assert (first.results[0].text, first.results[0].is_error) == ("a.py\nb.py", False)
    assert second.results[0].is_error
    thought = transcript.messages[2].parts[0]
    assert thought == Thinking(canonical_json(reasoning))
    assert transcript.messages[1].text == "list the files\nin src"
    assert transcript.model == "gpt-5-codex"
    assert transcript.tally.left_out == {
        "screen event: agent_message": 1,
        "screen event: agent_reasoning": 1,
        "screen event: user_message": 1,
        "session header with the program's instructions": 1,
        "turn settings": 1,
    }
    assert transcript.tally.repaired == {
        "command output, unwrapped from its JSON": 1,
        JOINED: 3,
        NOTICE: 1,
    }
    added = len(transcript.messages) + sum(transcript.tally.left_out.values())
    hosted = 1
    assert transcript.tally.records == added + transcript.tally.repaired[JOINED] - hosted


def test_patches_custom_tools_and_local_shells_are_calls(tmp_path):
    patch = "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x = 1\n+x = 2\n*** End Patch"
    transcript = imported(
        tmp_path,
        META,
        spoke("user", "change it"),
        item("custom_tool_call", name="apply_patch", input=patch, call_id="c1"),
        item("custom_tool_call_output", call_id="c1", output="Success"),
        item("local_shell_call", call_id="c2", action={"type": "exec", "command": ["rm", "b.py"]}),
        output("c2", ""),
        shell("c3", "pytest"),
    )
    operations = [(op.path, op.operation) for op in file_operations(transcript.messages)]
    assert ("src/a.py", "modified") in operations
    assert transcript.messages[-1].results[0].text == INTERRUPTED


def test_a_file_that_codex_added_is_created(tmp_path):
    patch = "*** Begin Patch\n*** Add File: src/new.ts\n+export const a = 1\n*** End Patch"
    said = "Success. Updated the following files:\nA src/new.ts\n"
    transcript = imported(
        tmp_path,
        META,
        spoke("user", "add it"),
        item("custom_tool_call", name="apply_patch", input=patch, call_id="c1"),
        item("custom_tool_call_output", call_id="c1", output=said),
    )
    (made,) = file_operations(transcript.messages)
    assert (made.path, made.operation) == ("src/new.ts", "created")


def test_images_in_messages_and_outputs_become_placeholders(tmp_path):
    picture = {"type": "input_image", "image_url": "data:image/png;base64," + "A" * 400}
    transcript = imported(
        tmp_path,
        META,
        item("message", role="user", content=[{"type": "input_text", "text": "see"}, picture]),
        item("function_call", name="view_image", arguments="{}", call_id="c1"),
        output("c1", [{"type": "input_text", "text": "shown"}, picture]),
    )
    shown = Image('{"bytes":300,"media_type":"image/png","type":"image"}')
    assert transcript.messages[0].parts[1] == shown
    assert transcript.messages[2].parts[1] == shown
    assert transcript.messages[2].results[0].text == "shown"


def test_the_new_history_of_a_compaction_is_its_record(tmp_path):
    usage = {"last_token_usage": {"total_tokens": 244_000}}
    history = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "begin"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "SUM"}]},
    ]
    transcript = imported(
        tmp_path,
        META,
        spoke("user", "begin"),
        spoke("assistant", "Begun."),
        line("event_msg", type="token_count", info=usage),
        line("compacted", message="SUM", replacement_history=history),
        spoke("user", "go on"),
    )
    (boundary,) = transcript.boundaries
    assert (boundary.after, boundary.tokens_before) == ("m0001", 244_000)
    assert [(m.id, m.text, m.origin) for m in boundary.messages] == [
        ("m0000", "begin", "log"),
        ("recorded-1-1", "SUM", "synthetic"),
    ]
    assert [m.text for m in transcript.messages] == ["begin", "Begun.", "go on"]


def test_without_a_new_history_it_is_rebuilt_as_codex_does(tmp_path):
    summary = "The parser is done; the printer is next."
    transcript = imported(
        tmp_path,
        META,
        spoke("user", "<environment_context>x</environment_context>"),
        spoke("user", "old " * 25_000),
        spoke("user", "the newest wish"),
        spoke("assistant", "Working."),
        spoke("assistant", summary),
        line("compacted", message=f"Another model wrote:\n{summary}"),
    )
    (boundary,) = transcript.boundaries
    assert [m.text for m in boundary.messages] == [
        "the newest wish",
        f"Another model wrote:\n{summary}",
    ]
    assert transcript.messages[-1].text == "Working."
    assert transcript.tally.left_out["summary of a compaction, kept in its record"] == 1


def test_what_the_agent_said_last_is_not_taken_for_the_summary(tmp_path):
    transcript = imported(
        tmp_path,
        META,
        spoke("user", "begin"),
        spoke("assistant", "done."),
        line("compacted", message="A long summary of all that was asked, which is done."),
    )
    assert transcript.messages[-1].text == "done."


def test_encrypted_summaries_are_dropped_and_counted(tmp_path):
    encrypted = {"type": "compaction", "encrypted_content": "gAAAA"}
    transcript = imported(
        tmp_path,
        META,
        spoke("user", "begin"),
        line("compacted", message="", replacement_history=[encrypted]),
        spoke("user", "more"),
        item("compaction_summary", encrypted_content="gBBBB"),
    )
    assert [(b.after, b.recorded) for b in transcript.boundaries] == [
        ("m0001", False),
        ("m0000", False),
    ]
    assert {b.missing for b in transcript.boundaries} == {
        "its summary is encrypted: only its provider can read it"
    }
    assert transcript.tally.left_out["encrypted content of a compaction"] == 2
    assert not any("gAAAA" in str(m) or "gBBBB" in str(m) for m in transcript.messages)


def test_old_rollouts_without_envelopes_are_read(tmp_path):
    path = write(
        tmp_path,
        {"id": "s", "timestamp": "2025-05-01T00:00:00Z", "instructions": None},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c1"},
        {"type": "function_call_output", "call_id": "c1", "output": "ok"},
    )
    assert importer_for(path, load_importers().importers).name == "codex"
    transcript = IMPORTER.read(path)
    assert roles(transcript) == "user assistant tool"
    assert transcript.tally.left_out["unknown record type 'state'"] == 1


def rolled_back(turns):
    return line("event_msg", type="thread_rolled_back", num_turns=turns)


TWO_TURNS = [
    META,
    spoke("user", "<environment_context>/w</environment_context>"),
    spoke("user", "fix the test"),
    spoke("assistant", "It passes."),
    spoke("user", "use Postgres 15.2"),
    shell("c1", "ls"),
    output("c1", "a.py"),
]


@pytest.mark.parametrize(
    ("turns", "kept", "undone"),
    [(1, 3, 3), (2, 1, 5), (9, 1, 5), (0, 6, 0), ("1", 6, 0)],
)
def test_turns_that_the_user_undid_are_not_in_the_log(tmp_path, turns, kept, undone):
    after = [spoke("user", "use DuckDB 0.9.2"), spoke("assistant", "It is DuckDB.")]
    transcript = imported(tmp_path, *TWO_TURNS, rolled_back(turns), *after)
    assert [m.text for m in transcript.messages[kept:]] == ["use DuckDB 0.9.2", "It is DuckDB."]
    assert [m.id for m in transcript.messages] == [f"m{n:04d}" for n in range(kept + 2)]
    left_out = transcript.tally.left_out
    assert left_out.get("message in a turn that the user undid", 0) == undone
    assert left_out["record that the last turns were undone"] == 1
    assert transcript.tally.records == kept + 2 + sum(left_out.values())


def test_a_compaction_in_a_turn_that_was_undone_is_no_point(tmp_path):
    transcript = imported(
        tmp_path,
        *TWO_TURNS[:4],
        line("compacted", message="first"),
        *TWO_TURNS[4:],
        line("compacted", message="second"),
        rolled_back(1),
        spoke("user", "on"),
    )
    (boundary,) = transcript.boundaries
    assert boundary.messages[-1].text == "first"
    assert transcript.tally.left_out["recorded compaction in a turn that the user undid"] == 1
    assert transcript.tally.left_out[KEPT_AS_RECORD] == 1


def test_a_search_that_the_provider_ran_needs_no_id(tmp_path):
    transcript = imported(
        tmp_path,
        META,
        spoke("user", "search the web"),
        item("web_search_call", status="completed", action={"type": "search", "query": "leases"}),
        item("web_search_call", status="completed", action={"type": "search", "query": "queues"}),
        spoke("assistant", "Nothing was found."),
    )
    calls = [call for message in transcript.messages for call in message.calls]
    assert [call.name for call in calls] == ["web_search", "web_search"]
    assert [call.parsed()["query"] for call in calls] == ["leases", "queues"]
    assert len({call.id for call in calls}) == 2


@pytest.mark.parametrize(
    ("tools", "text"),
    [
        (
            [{"type": "namespace", "name": "github", "tools": [{"name": "get"}, {"name": "put"}]}],
            "github.get\ngithub.put",
        ),
        ([{"type": "function", "name": "run"}], "run"),
        ([], ""),
        ("none", ""),
    ],
)
def test_a_search_for_tools_gives_their_names(tmp_path, tools, text):
    transcript = imported(
        tmp_path,
        META,
        spoke("user", "look"),
        item("tool_search_call", call_id="t1", arguments={"query": "pull request"}),
        item("tool_search_output", call_id="t1", tools=tools),
        spoke("assistant", "There is one."),
    )
    (result,) = [result for message in transcript.messages for result in message.results]
    assert result.text == text
