"""Probes for runs without a user: checks, verdicts of tests, and described commands."""

from __future__ import annotations

import json

from pytest_compaction.case_making import ProbeLog
from pytest_compaction.case_making.run_probes import verdict_drafts
from pytest_compaction.conversation import Message, Text, ToolCall, ToolResult, text_message


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


def test_a_test_that_failed_and_passed_later_is_asked_for_with_the_old_verdict_as_a_trap() -> None:
    log = log_of(
        run("go test ./up -run TestUpload -v", "--- FAIL: TestUpload (0.50s)\nFAIL"),
        run("go test ./up -run TestUpload -v", "--- PASS: TestUpload (0.02s)\nPASS"),
        run("go test ./up -run TestSteady -v", "--- PASS: TestSteady (0.02s)\nPASS"),
        run("go test ./up -run TestSteady -v", "--- PASS: TestSteady (0.02s)\nPASS"),
    )
    (draft,) = verdict_drafts(log)
    assert "`TestUpload`" in draft.question and "TestSteady" not in draft.question
    assert [found.fact.text for found in draft.found] == ["TestUpload passed"]
    assert [(trap.text, trap.of) for trap in draft.traps] == [
        ("TestUpload failed", "TestUpload passed")
    ]


def test_a_verdict_in_an_old_log_that_was_printed_does_not_count() -> None:
    log = log_of(
        run("go test ./up -v", "--- FAIL: TestUpload (0.50s)\nFAIL"),
        run("cat old.log; go test ./up -v", "--- PASS: TestUpload (0.02s)\nPASS"),
    )
    assert list(verdict_drafts(log)) == []
