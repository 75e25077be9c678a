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


@pytest.mark.parametrize("new", ["pass", ""])
def test_a_name_that_a_later_edit_removed(tmp_path: Path, new: str) -> None:
    question = "Which functions did the edits of `net.py` add?"
    told = {"type": "identifier", "evidence": "m1"}
    gone = edit("m3", "def backoff_delay(n):", new)
    back = edit("m4", "x", "def backoff_delay(n):")
    expected = ("removed-since", "warning")
    assert expected in found(tmp_path, question, "backoff_delay", *gone, **told)
    assert expected not in found(tmp_path, question, "backoff_delay", *gone, *back, **told)
    assert expected not in found(tmp_path, question, "backoff_delay", **told)


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


def test_a_list_that_lacks_a_file(tmp_path: Path) -> None:
    question = "Which files that existed before were modified in this session?"
    told = {"type": "path", "evidence": "m1"}
    other = call("m3", "edit", {"path": "lib/up.py", "oldText": "a", "newText": "b"}, "ok")
    expected = ("incomplete", "warning")
    assert expected in found(tmp_path, question, "net.py", *other, **told)
    assert expected not in found(tmp_path, question, "net.py", **told)
    inside = "Which files under `lib` that existed before were modified in this session?"
    told = {"type": "path", "evidence": "m3"}
    assert expected not in found(tmp_path, inside, "lib/up.py", *other, **told)


def test_a_part_of_the_next_request(tmp_path: Path) -> None:
    question = f"The user had asked: “{FAST}, and that should never happen again to the”. What did"
    question += " the user ask for next, after that?"
    said = "why is it slow, should be quicker, and look into the sources"
    later = {"id": "m3", "role": "user", "content": said}
    expected = ("half-held", "warning")
    told = {"evidence": "m3"}
    assert expected in found(tmp_path, question, "look into the sources", later, **told)
    assert expected not in found(tmp_path, question, said, later, **told)


def test_a_later_error_that_passes_for_the_first(tmp_path: Path) -> None:
    output = "error TS2345: Argument is wrong\nerror TS2304: Cannot find name 'lease'"
    later = call("m3", "bash", {"command": "npm run check"}, output)
    question = "Which error did the command `npm run check` report first?"
    told = {"type": "error", "evidence": "m3r"}
    expected = ("not-the-first", "warning")
    wrong = found(tmp_path, question, "TS2304", *later, keys=("TS2304",), **told)
    right = found(tmp_path, question, "TS2345", *later, keys=("TS2345",), **told)
    assert expected in wrong and expected not in right


@pytest.mark.parametrize(
    ("quote", "vague"), [("See what was in that commit", True), ("Run the upload tests", False)]
)
def test_a_purpose_that_points_at_earlier_messages(tmp_path: Path, quote: str, vague: bool) -> None:
    question = f"The agent ran a command to do this: “{quote}”. Which command was it?"
    told = {"type": "command", "evidence": "m2"}
    rules = found(tmp_path, question, "pytest -q", keys=("pytest",), **told)
    assert (("vague", "warning") in rules) is vague


def test_an_output_whose_exact_value_the_question_tells(tmp_path: Path) -> None:
    later = call("m3", "bash", {"command": "git log -1"}, "09ea3c1 feat sweep leases")
    told = {"type": "command", "evidence": "m3r", "keys": ("09ea3c1", "feat")}
    question = "The agent ran a command to do this: “Look at {}”. What did it print?"
    expected = ("half-told", "warning")
    for shown, is_told in (("09ea3c1", True), ("the last commit", False)):
        asked = question.format(shown)
        rules = found(tmp_path, asked, "09ea3c1 feat sweep leases", *later, **told)
        assert (expected in rules) is is_told


@pytest.mark.parametrize("gone", [True, False])
def test_code_that_does_not_stand_any_more_is_found(tmp_path: Path, gone: bool) -> None:
    question = "In which file is the function `backoff_delay` defined?"
    later = edit("m3", "def backoff_delay(n):", "pass" if gone else "def backoff_delay(n, m):")
    rules = found(
        tmp_path, question, "backoff_delay is in net.py", *later, evidence="m1", keys=("net.py",)
    )
    assert ("gone-since" in str(rules)) is gone


@pytest.mark.parametrize(("path", "second"), [("retry.py", True), ("./net.py", False)])
def test_a_name_that_another_file_declares_too_is_found(
    tmp_path: Path, path: str, second: bool
) -> None:
    question = "In which file is the function `backoff_delay` defined?"
    given = {"path": path, "oldText": "def wait(n):", "newText": "def backoff_delay(n):"}
    rules = found(
        tmp_path,
        question,
        "backoff_delay is in net.py",
        *call("m3", "edit", given, "ok"),
        evidence="m1",
        keys=("net.py",),
    )
    assert (("second-home", "warning") in rules) is second


@pytest.mark.parametrize(
    ("what", "later", "unsure"),
    [
        ("modified", call("m3", "bash", {"command": "npm run lint:fix"}, "ok"), True),
        ("modified", call("m3", "bash", {"command": "npm install left-pad"}, "ok"), True),
        ("created", call("m3", "bash", {"command": "npm install left-pad"}, "ok"), False),
        ("created", call("m3", "bash", {"command": "mix phx.gen.live Shop"}, "ok"), True),
        ("modified", call("m3", "Task", {"prompt": "mend the rest"}, "done"), True),
        ("modified", [{"id": "m3", "role": "user", "content": "I reverted net.py"}], True),
        ("only read", call("m3", "bash", {"command": "git show HEAD:net.py"}, "x"), True),
        ("only read", call("m3", "bash", {"command": "ls"}, "net.py"), False),
        ("modified", call("m3", "bash", {"command": "ls"}, "net.py"), False),
    ],
)
def test_a_list_of_files_that_the_log_may_not_show_whole_is_found(
    tmp_path: Path, what: str, later: list[dict[str, Any]], unsure: bool
) -> None:
    question = f"Which files were {what} in this session?"
    told = {"type": "path", "evidence": "m1", "keys": ("net.py",)}
    rules = found(tmp_path, question, "net.py was modified", *later, **told)
    assert (("list-unsure", "warning") in rules) is unsure


@pytest.mark.parametrize(("command", "gone"), [("git reset --hard HEAD~1", True), ("ls", False)])
def test_a_commit_that_was_undone_is_found(tmp_path: Path, command: str, gone: bool) -> None:
    made = call("m3", "bash", {"command": "git commit"}, "[main 3f2a9c1] Sweep stale leases")
    later = call("m4", "bash", {"command": command}, "ok")
    question = "Which short hash does the commit “Sweep stale leases” have?"
    given = {"type": "identifier", "evidence": "m3r", "keys": ("3f2a9c1",)}
    rules = found(tmp_path, question, "3f2a9c1", *made, *later, **given)
    assert ("gone-since" in str(rules)) is gone


@pytest.mark.parametrize(
    ("question", "rule"),
    [
        ("The agent announced: “Let me write the new file.” Which file was it?", "vague"),
        ("Of which function does the comment say: “… delays the next call”?", "half-told"),
    ],
)
def test_words_that_tell_nothing_or_all_are_found(tmp_path: Path, question: str, rule: str) -> None:
    rules = found(tmp_path, question, "backoff_delay", evidence="m1", type="identifier")
    assert rule in str(rules)
