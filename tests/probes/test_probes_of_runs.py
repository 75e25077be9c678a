"""Probes for runs without a user: repeated commands, and the line of the last edit."""

from __future__ import annotations

import json

import pytest

from pytest_compaction.conversation.messages import (
    Message,
    Text,
    ToolCall,
    ToolResult,
    text_message,
)
from pytest_compaction.probes.log import ProbeLog
from pytest_compaction.probes.sources.checks import check_drafts
from pytest_compaction.probes.sources.last_edits import last_edit_drafts
from pytest_compaction.probes.sources.reruns import printed_line, rerun_drafts

BEFORE = "Traceback (most recent call last):\n  File x\nKeyError: 'upload-limit'"
AFTER = "upload finished, limit 48\n[The command completed with exit code 0.]"


def log_of(*calls: tuple[str, dict[str, object], str]) -> ProbeLog:
    messages: list[Message] = [text_message("m0", "user", "make the upload work")]
    for number, (name, given, output) in enumerate(calls):
        call = ToolCall(f"c{number}", name, json.dumps(given))
        messages.append(Message(f"a{number}", "assistant", (Text("Going on."), call)))
        messages.append(Message(f"t{number}", "tool", (ToolResult(f"c{number}", output),)))
    messages += [text_message(f"e{n}", "assistant", "waiting for review") for n in range(6)]
    return ProbeLog(messages, [len(messages) - 1])


def run(command: str, output: str) -> tuple[str, dict[str, object], str]:
    return ("bash", {"command": command}, output)


def test_a_command_that_was_run_again_is_asked_for_both_outputs() -> None:
    log = log_of(run("python up.py", BEFORE), run("ls", "a.py"), run("python  up.py", AFTER))
    (draft,) = rerun_drafts(log)
    assert draft.question == (
        "The command `python up.py` was run more than once. What did it print the first time, "
        "and what the last time?"
    )
    assert [found.fact.text for found in draft.found] == [
        "KeyError: 'upload-limit'",
        "upload finished, limit 48",
    ]
    assert [found.fact.evidence for found in draft.found] == [("t0",), ("t2",)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (run("python up.py", AFTER), run("python up.py", AFTER)),
        (run("python up.py", BEFORE), run("python down.py", AFTER)),
        (run("ls src", "a.py"), run("ls src", "a.py\nb.py")),
        (run("python up.py", BEFORE), run("python up.py", "")),
    ],
)
def test_nothing_is_asked_where_nothing_changed_or_files_were_listed(
    first: tuple[str, dict[str, object], str], second: tuple[str, dict[str, object], str]
) -> None:
    assert list(rerun_drafts(log_of(first, second))) == []


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("344\n(Open file: /x)\n(Current directory: /repo)\nbash-$", "344"),
        ("one\ntwo\nthree\nfour", ""),
        ("one\ntwo\nthree\nfour\nValueError: bad\nsee the docs", "ValueError: bad"),
        ("x" * 200, ""),
        ("[The command completed with exit code 1.]", ""),
    ],
)
def test_the_line_that_tells_how_a_run_ended(output: str, line: str) -> None:
    assert printed_line(output) == line


def edit(path: str, text: str, output: str = "File updated.") -> tuple[str, dict[str, object], str]:
    return ("edit", {"path": path, "start_line": 1, "replacement_text": text}, output)


def test_the_last_edit_is_asked_for_by_its_line_without_its_comment() -> None:
    log = log_of(
        edit("src/up.py", "limit = min(size, 32)"),
        edit("src/up.py", "limit = min(size, 48)  # as measured"),
        edit("src/gone.py", "retries = retries_left(3)"),
        run("rm src/gone.py", ""),
    )
    (draft,) = last_edit_drafts(log)
    assert "`src/up.py`" in draft.question
    assert [found.fact.text for found in draft.found] == ["limit = min(size, 48)"]
    assert draft.found[0].fact.evidence == ("a1",)


def test_the_commands_that_try_out_changes_are_asked_for_without_options_and_paths() -> None:
    log = log_of(
        run("npm run check", "3 errors"),
        run("cd web && npm run check -- --quiet", "ok"),
        run("python -m pytest tests/a -q", "1 passed in 1s"),
        run("python -m pytest -x", "9 passed in 1s"),
        run("go test ./...", "ok"),
        run("pytest -q", "9 passed in 1s"),
        run("pytest", "9 passed in 1s"),
    )
    (draft,) = check_drafts(log)
    assert [found.fact.text for found in draft.found] == ["npm run check", "python -m pytest"]
    assert {found.fact.type for found in draft.found} == {"command"}
