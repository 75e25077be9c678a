"""SWE-agent trajectories: function calls, and commands that the model wrote as text."""

import json

import pytest
from support.paths import public_data

from pytest_compaction.artifacts import file_operations, file_states
from pytest_compaction.conversation import Image, Thinking, structure_faults
from pytest_compaction.importers.formats.swe_agent import IMPORTER, command_call

STATE = "\n(Open file: {})\n(Current directory: /repo)\nbash-$"


def said(role, content, **more):
    return {"role": role, "content": content, "agent": "main", **more}


def acted(thought, action):
    content = f"{thought}\n\n```\n{action}\n```"
    return said("assistant", content, thought=f"{thought}\n\n", action=f"{action}\n")


START = [
    said("system", "You are a programmer.", message_type="system_prompt"),
    said("user", "Fix the issue.", message_type="observation"),
]


def written(tmp_path, *history, **more):
    path = tmp_path / "run.traj"
    data = {"environment": "main", "trajectory": [], "history": [*START, *history], **more}
    path.write_text(json.dumps(data), "utf-8")
    return path


def imported(tmp_path, *history, **more):
    (transcript,) = IMPORTER.read(written(tmp_path, *history, **more))
    assert structure_faults(transcript.messages) == []
    return transcript


def test_a_command_in_a_fence_is_a_call_with_its_observation(tmp_path):
    transcript = imported(
        tmp_path,
        acted("Let me see.", "ls -F"),
        said("user", "a.py\n" + STATE.format("n/a")),
        acted("Open it.", "open src/a.py 10"),
        said(
            "user", "[File: /repo/src/a.py (2 lines total)]\n1:x" + STATE.format("/repo/src/a.py")
        ),
        acted("Change it.", "edit 1:1\nx = limit()\nend_of_edit"),
        said(
            "user",
            "Your proposed edit has introduced new syntax error(s)."
            + STATE.format("/repo/src/a.py"),
        ),
        acted("Again.", "edit 1:1\nx = limit\nend_of_edit"),
        said("user", "File updated." + STATE.format("/repo/src/a.py")),
    )
    calls = [call for m in transcript.messages for call in m.calls]
    assert [(c.name, c.parsed()) for c in calls] == [
        ("bash", {"command": "ls -F"}),
        ("open", {"path": "src/a.py", "line_number": "10"}),
        (
            "edit",
            {"path": "src/a.py", "start_line": 1, "end_line": 1, "replacement_text": "x = limit()"},
        ),
        (
            "edit",
            {"path": "src/a.py", "start_line": 1, "end_line": 1, "replacement_text": "x = limit"},
        ),
    ]
    assert [m.text for m in transcript.messages if m.calls] == [
        "Let me see.",
        "Open it.",
        "Change it.",
        "Again.",
    ]
    operations = file_operations(transcript.messages)
    assert [(o.path, o.operation, o.succeeded) for o in operations] == [
        ("src/a.py", "read", True),
        ("src/a.py", "modified", False),
        ("src/a.py", "modified", True),
    ]
    repaired = "command written as text, given as a tool call"
    assert transcript.tally.repaired == {repaired: 4}


def test_function_calls_stay_as_they_are_and_edits_get_the_open_file(tmp_path):
    def called(id, name, **given):
        function = {"name": name, "arguments": json.dumps(given)}
        thinking = [{"type": "thinking", "thinking": "hm", "signature": "s"}]
        return said(
            "assistant",
            "Going on.",
            thought="Going on.",
            action="x",
            tool_calls=[{"id": id, "type": "function", "function": function}],
            thinking_blocks=thinking,
        )

    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * 400}}
    transcript = imported(
        tmp_path,
        called("c1", "create", filename="new.py"),
        said(
            "tool",
            [
                {
                    "type": "text",
                    "text": "[File: new.py (1 lines total)]" + STATE.format("/repo/new.py"),
                },
                image,
            ],
            tool_call_ids=["c1"],
        ),
        called("c1", "edit", replacement_text="y = 2", start_line=1, end_line=1),
        said("tool", "File updated." + STATE.format("/repo/new.py"), tool_call_ids=["c1"]),
        called("c2", "bash", command="rm new.py"),
        said("tool", "", tool_call_ids=["c2"]),
    )
    edit = transcript.messages[4].calls[0]
    assert edit.parsed() == {
        "path": "new.py",
        "replacement_text": "y = 2",
        "start_line": 1,
        "end_line": 1,
    }
    assert isinstance(transcript.messages[2].parts[0], Thinking)
    assert isinstance(transcript.messages[3].parts[1], Image)
    (state,) = file_states(file_operations(transcript.messages))
    assert (state.path, state.created, state.modified, state.deleted) == (
        "new.py",
        True,
        True,
        True,
    )
    assert transcript.tally.repaired == {
        "edit of the open file, given its path": 1,
        "image replaced by a placeholder with its size": 1,
    }


def test_what_the_history_lacks_is_taken_from_the_steps(tmp_path):
    steps = [{"action": "submit\n", "observation": "diff --git a/x b/x", "thought": ""}]
    transcript = imported(
        tmp_path,
        said("user", "Here is a demonstration.", is_demo=True),
        said("assistant", "Calling.", agent="other"),
        acted("Submit.", "submit"),
        trajectory=steps,
        info={"exit_status": "submitted", "submission": "diff"},
        replay_config=json.dumps({"agent": {"model": {"name": "some-model"}}}),
    )
    assert transcript.messages[-1].results[0].text == "diff --git a/x b/x"
    assert transcript.model == "some-model"
    assert transcript.tally.records == 7
    assert transcript.tally.left_out == {
        "demonstration of another task, shown before this one": 1,
        "message from another agent": 1,
        "statistics and patch of a run that ended with: submitted": 1,
        "trajectory step, repeated in the history": 1,
    }


@pytest.mark.parametrize(
    ("command", "name", "arguments"),
    [
        ("create x.py", "create", {"path": "x.py"}),
        ("search_dir 'a b' src", "search_dir", {"search_term": "a b", "dir": "src"}),
        ("open x.py 3 extra", "bash", {"command": "open x.py 3 extra"}),
        ("echo 'unclosed", "bash", {"command": "echo 'unclosed"}),
        ("cat > y <<'E'\nhi\nE", "bash", {"command": "cat > y <<'E'\nhi\nE"}),
        ("insert 4\nline", "insert", {"path": "o.py", "line_number": 4, "text": "line"}),
        (
            "str_replace_editor str_replace /x.py --old_str 'a' --new_str 'b c'",
            "str_replace_editor",
            {"command": "str_replace", "path": "/x.py", "old_str": "a", "new_str": "b c"},
        ),
    ],
)
def test_commands_of_its_tools_are_told_from_the_shell(command, name, arguments):
    assert command_call(command, "o.py") == (name, arguments)


@pytest.mark.parametrize(
    ("name", "messages", "edited"),
    [
        ("marshmallow-1867", 24, "src/marshmallow/fields.py"),
        ("pydicom-1458", 26, "pydicom/pixel_data_handlers/numpy_handler.py"),
    ],
)
def test_the_public_runs_are_read_whole(name, messages, edited):
    (transcript,) = IMPORTER.read(public_data(f"swe-agent/{name}.traj"))
    assert transcript.tally.messages == messages
    assert structure_faults(transcript.messages) == []
    states = {state.path: state for state in file_states(file_operations(transcript.messages))}
    assert states[edited].modified
