"""Runs of mini-swe-agent: commands as text or function calls, exit codes, refused replies."""

import json

import pytest
from support.paths import public_data
from support.transcript_samples import imported_as

from pytest_compaction.artifacts import file_operations, file_states
from pytest_compaction.conversation import structure_faults
from pytest_compaction.importers.formats.mini_swe_agent import IMPORTER

START = [{"role": "system", "content": "One command."}, {"role": "user", "content": "Fix it."}]
BASH = {"type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}


def acted(thought, command, fence="bash"):
    return {"role": "assistant", "content": f"{thought}\n\n```{fence}\n{command}\n```"}


def observed(output, code=0):
    text = f"<returncode>{code}</returncode>\n<output>\n{output}\n</output>"
    return {"role": "user", "content": text}


def run(tmp_path, *messages, **info):
    path = tmp_path / "run.traj.json"
    data = {"info": info, "messages": [*START, *messages]}
    path.write_text(json.dumps({**data, "trajectory_format": "mini-swe-agent-1"}), "utf-8")
    (transcript,) = imported_as("mini-swe-agent", path)
    assert structure_faults(transcript.messages) == []
    return transcript


def roles(transcript):
    return [message.role for message in transcript.messages]


@pytest.mark.parametrize("fence", ["bash", "mswea_bash_command"])
def test_a_command_in_a_fence_is_a_call_with_its_output(tmp_path, fence):
    transcript = run(tmp_path, acted("THOUGHT: I look.", "cat a.py\nls", fence), observed("x = 1"))
    assert roles(transcript) == ["system", "user", "assistant", "tool"]
    said, result = transcript.messages[2:]
    assert said.text == "THOUGHT: I look."
    (call,) = said.calls
    assert (call.name, call.parsed()) == ("bash", {"command": "cat a.py\nls"})
    assert [(part.text, part.is_error) for part in result.results] == [("x = 1", False)]


def test_a_failed_command_keeps_its_exit_code(tmp_path):
    done = run(tmp_path, acted("Go.", "pytest"), observed("1 failed", 1)).messages[-1].results
    assert [(part.text, part.is_error) for part in done] == [("1 failed\n[exit code 1]", True)]


def test_a_command_that_ran_too_long_failed(tmp_path):
    said = "The last command <command>sleep 99</command> timed out and has been killed.\nTry less."
    stopped = {"role": "user", "content": said}
    (result,) = run(tmp_path, acted("Go.", "sleep 99"), stopped).messages[-1].results
    assert (result.text, result.is_error) == (said, True)


def test_what_the_program_says_of_a_reply_is_not_the_users(tmp_path):
    refused = "Please always provide EXACTLY ONE action in triple backticks, found 2 actions."
    two = {"role": "assistant", "content": "```bash\nls\n```\nand\n```bash\npwd\n```"}
    named = {"role": "user", "content": "No.", "extra": {"interrupt_type": "FormatError"}}
    none = {"role": "assistant", "content": "I am done."}
    transcript = run(tmp_path, two, {"role": "user", "content": refused}, none, named)
    assert roles(transcript)[2:] == ["assistant", "system", "assistant", "system"]
    assert "given as a system message" in " ".join(transcript.tally.repaired)


def test_a_human_who_speaks_between_the_steps_is_the_user(tmp_path):
    more = {"role": "user", "content": "Please add a test as well."}
    again = acted("On.", "ls"), observed("a")
    transcript = run(tmp_path, acted("Go.", "ls"), observed("a"), more, *again)
    assert roles(transcript)[2:] == ["assistant", "tool", "user", "assistant", "tool"]


def test_function_calls_and_the_end_of_a_run_are_read(tmp_path):
    first, last = {**BASH, "id": "c1"}, {**BASH, "id": "c2"}
    output = observed("a.py", 0)["content"]
    transcript = run(
        tmp_path,
        {"role": "assistant", "content": "", "tool_calls": [first]},
        {"role": "tool", "content": output, "tool_call_id": "c1"},
        {"role": "assistant", "content": "Submit.", "tool_calls": [last]},
        {"role": "exit", "content": "diff --git a/a.py b/a.py"},
        exit_status="Submitted",
        config={"model": {"model_name": "some/model"}},
    )
    assert roles(transcript)[2:] == ["assistant", "tool", "assistant", "tool"]
    shown = [part.text for message in transcript.messages for part in message.results]
    assert shown == ["a.py", "diff --git a/a.py b/a.py"]
    assert transcript.model == "some/model"
    assert "statistics and patch of a run that ended with: Submitted" in transcript.tally.left_out


def test_the_public_run_is_read_whole():
    (transcript,) = IMPORTER.read(public_data("mini-swe-agent/github_issue.traj.json"))
    assert transcript.tally.messages == transcript.tally.records == 22
    assert roles(transcript) == ["system", "user", *["assistant", "tool"] * 10]
    failed = [part.is_error for message in transcript.messages for part in message.results]
    assert failed == [True, *[False] * 6, True, False, False]
    states = {one.path: one for one in file_states(file_operations(transcript.messages))}
    assert states["tests/missing_colon.py"].modified
