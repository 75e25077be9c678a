"""``lint`` finds what readers of derived probes found weak or wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support.builders import case_data

from pytest_compaction.case_making import inspect

ASKED_LAST = "What did the user ask for last, and which files have been changed for it so far?"
FAST = "make the upload handler faster for everybody"


def call(id: str, name: str, arguments: dict[str, str], output: str) -> list[dict[str, Any]]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return [
        {
            "id": id,
            "role": "assistant",
            "content": "Now.",
            "tool_calls": [{"id": f"c{id}", "type": "function", "function": function}],
        },
        {"id": f"{id}r", "role": "tool", "tool_call_id": f"c{id}", "content": output},
    ]


def edit(id: str, old: str, new: str) -> list[dict[str, Any]]:
    return call(id, "edit", {"path": "net.py", "oldText": old, "newText": new}, "ok")


def found(
    folder: Path,
    question: str,
    text: str,
    *later: dict[str, Any],
    type: str = "state",
    evidence: str = "m0",
    keys: tuple[str, ...] = (),
) -> list[tuple[str, str]]:
    messages = [
        {
            "id": "m0",
            "role": "user",
            "content": f"{FAST}, and that should never happen again to the",
        },
        *edit("m1", "a", "def backoff_delay(n):"),
        *call("m2", "bash", {"command": "pytest -q"}, "2 failed, 31 passed in 0.5s"),
        *later,
        {"id": "m9", "role": "assistant", "content": "Understood. " * 200},
    ]
    fact = {"text": text, "type": type, "evidence": [evidence]}
    fact |= {"keys": [[key] for key in keys]} if keys else {}
    fact |= {"change": "modified"} if type == "path" else {}
    probes = [{"id": "p", "kind": "recall", "question": question, "facts": [fact]}]
    data = case_data(
        messages=messages,
        budget=200,
        compaction_points=[{"id": "end", "after": "m9"}],
        probes=probes,
    )
    path = folder / "case.json"
    path.write_text(json.dumps(data), "utf-8")
    findings = inspect([path], answer=False).findings
    assert not [f for f in findings if f.rule == "unusable"], findings
    return [(f.rule, f.level) for f in findings]


def test_an_older_request_that_passes_for_the_last_one(tmp_path: Path) -> None:
    later = {"id": "m3", "role": "user", "content": "commit this"}
    expected = ("not-the-last", "warning")
    assert expected in found(tmp_path, ASKED_LAST, FAST, later)
    assert expected not in found(tmp_path, ASKED_LAST, FAST)


def test_an_older_check_that_passes_for_the_last_one(tmp_path: Path) -> None:
    question = "How did the last test, build or check end, the command `pytest -q`?"
    told = {"evidence": "m2r", "keys": ("2 failed",)}
    later = call("m3", "bash", {"command": "cat x && pytest -x"}, "33 passed in 1s")
    expected = ("not-the-last", "warning")
    assert expected in found(tmp_path, question, "2 failed, 31 passed", *later, **told)
    assert expected not in found(tmp_path, question, "2 failed, 31 passed", **told)


def test_a_fact_that_is_the_middle_of_a_sentence(tmp_path: Path) -> None:
    told = found(tmp_path, "What was wrong?", "that should never happen", keys=("never happen",))
    assert ("fragment", "warning") in told
    assert ("fragment", "warning") not in found(tmp_path, "What was wanted?", FAST)


def test_a_question_for_one_of_many_lines(tmp_path: Path) -> None:
    question = "Which line of code or text did the last edit of `net.py` put in?"
    told = {"type": "identifier", "evidence": "m1"}
    assert ("one-of-many", "warning") in found(tmp_path, question, "backoff_delay", **told)


def test_a_question_for_a_request_that_no_fact_holds(tmp_path: Path) -> None:
    told = {"type": "path", "evidence": "m1"}
    assert ("half-held", "warning") in found(tmp_path, ASKED_LAST, "net.py", **told)
    assert ("half-held", "warning") not in found(tmp_path, ASKED_LAST, FAST)


@pytest.mark.parametrize(
    "quote", ["+314 - Tips for themes", "<task-notification> done", "[Request interrupted by user]"]
)
def test_a_text_of_the_program_that_is_quoted_as_the_user(tmp_path: Path, quote: str) -> None:
    question = "The user had asked: “{}”. What did the user ask for next, after that?"
    assert ("not-the-user", "warning") in found(tmp_path, question.format(quote), FAST)
    assert ("not-the-user", "warning") not in found(tmp_path, question.format("go faster"), FAST)


def test_a_single_ordinary_word_as_the_only_key(tmp_path: Path) -> None:
    assert ("one-group", "info") in found(tmp_path, "What was wanted?", FAST, keys=("faster",))
    keys = ("faster", "upload")
    assert ("one-group", "info") not in found(tmp_path, "What was wanted?", FAST, keys=keys)
