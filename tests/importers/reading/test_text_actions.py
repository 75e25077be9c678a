"""Agents without function calls: commands in fences, outputs with the role of the user."""

import json
import time

from pytest_compaction.artifacts import commands, file_operations
from pytest_compaction.conversation import structure_faults
from pytest_compaction.importers import conversations, importer_for, load_importers
from pytest_compaction.importers.protocol import Tally
from pytest_compaction.importers.text_actions import with_calls


def said(role, content):
    return {"role": role, "content": content}


def fenced(command, kind="bash"):
    return f"THOUGHT: I try it.\n\n```{kind}\n{command}\n```"


def output(text, code=0):
    return f"<returncode>{code}</returncode>\n<output>\n{text}</output>"


FORMAT_ERROR = "Please always provide EXACTLY ONE action in triple backticks, found 2 actions."
RUN = [
    said("system", "Your response must contain exactly ONE bash code block."),
    said("user", "Please solve this issue: the parser drops the last line"),
    said("assistant", fenced("cat > src/new.py <<'EOF'\nlimit = 3\nEOF", "mswea_bash_command")),
    said("user", [{"type": "text", "text": output("")}]),
    said("assistant", fenced("ls") + "\n" + fenced("pwd")),
    said("user", FORMAT_ERROR),
    said("assistant", fenced("pytest -q")),
    said("user", output("1 failed in 0.1s\n", 1)),
    said("assistant", "look\n<mswea_bash_command>sleep 99</mswea_bash_command>"),
    said("user", "The last command <command>sleep 99</command> timed out and has been killed."),
    said("assistant", fenced("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT")),
    said("user", "diff --git a/src/new.py b/src/new.py\n"),
]


def read(tmp_path, value):
    path = tmp_path / "run.traj.json"
    path.write_text(json.dumps(value), "utf-8")
    (transcript,) = conversations(importer_for(path, load_importers().importers), path)
    assert structure_faults(transcript.messages) == []
    return transcript


def test_commands_in_a_text_are_calls_and_their_outputs_results(tmp_path):
    for value in (RUN, {"info": {}, "messages": RUN, "trajectory_format": "mini-swe-agent-1.1"}):
        transcript = read(tmp_path, value)
        assert [m.role for m in transcript.messages] == [
            *("system", "user"),
            *("assistant", "tool"),
            *("assistant", "system"),
            *("assistant", "tool"),
            *("assistant", "tool"),
            *("assistant", "tool"),
        ]
        assert [m.text for m in transcript.messages if m.role == "user"] == [RUN[1]["content"]]
        assert transcript.messages[2].text == "THOUGHT: I try it."
        assert [(c.text, c.failed) for c in commands(transcript.messages)][1:] == [
            ("pytest -q", True),
            ("sleep 99", True),
            ("echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT", False),
        ]
        (operation,) = file_operations(transcript.messages)
        assert (operation.path, operation.operation) == ("src/new.py", "created")
        assert transcript.tally.repaired["command written as text, given as a tool call"] == 4


def test_a_fence_that_no_output_answers_is_only_a_text():
    chat = [
        said("user", "how do I list files?"),
        said("assistant", fenced("ls -la")),
        said("user", "and the hidden ones?"),
        said("assistant", "See above."),
        said("user", ""),
    ]
    assert list(with_calls(chat, Tally())) == chat


def test_native_outputs_with_an_exit_code_are_errors():
    failed = {"role": "tool", "tool_call_id": "c", "content": output("no", 2)}
    passed = {"role": "tool", "tool_call_id": "c", "content": output("yes")}
    assert list(with_calls([failed, passed], Tally())) == [{"is_error": True, **failed}, passed]


def test_values_that_are_no_messages_pass_through():
    values = [7, None, {"role": "user"}, []]
    assert list(with_calls(values, Tally())) == values


def test_hostile_fences_are_read_in_linear_time():
    begin = time.perf_counter()
    for text in ("```bash\n" * 200_000, "<mswea_bash_command>" * 100_000):
        list(with_calls([said("assistant", text), said("user", output("x"))], Tally()))
    assert time.perf_counter() - begin < 3
