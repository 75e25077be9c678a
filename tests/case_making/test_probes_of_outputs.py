"""Probes about what commands and tools gave back, about commits, and about announced work."""

from __future__ import annotations

import json
from typing import Any

import pytest
from support.probe_logs import Log, facts, named, plan

from pytest_compaction.case_making import ProbeLog
from pytest_compaction.case_making.file_probes import request_drafts
from pytest_compaction.case_making.run_probes import commit_drafts
from pytest_compaction.conversation import Message, Text, ToolCall, ToolResult


def test_the_subject_of_a_commit_is_asked_for_by_its_hash_where_another_is_alike() -> None:
    log = Log()
    for hash, what in (("3f2a9c1", "medium"), ("7c80da7", "low")):
        output = f"[sweep-2 {hash}] Address {what} severity feedback"
        log.call("bash", command="git commit", output=output)
    asked = named(log.chatter().probes(), "commit-subject")
    assert sorted(probe["question"].split("`")[1] for probe in asked) == ["3f2a9c1", "7c80da7"]
    assert ["Address low severity feedback"] in [facts(probe) for probe in asked]


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ("gh pr diff 181", ["pull request #181"]),
        ("gh pr view 9", []),
        ("gh api graphql -f query='{ pullRequest(number: 9) { id } }'", []),
    ],
)
def test_the_one_pull_request_of_a_session_is_asked_for(second: str, expected: list[str]) -> None:
    log = Log().call("bash", command="gh pr view 181").call("bash", command=second)
    asked = named(log.chatter().probes(), "pull-request")
    assert all("181" in probe["facts"][0]["keys"][0] for probe in asked)
    assert [text for probe in asked for text in facts(probe)] == expected


def test_commits_and_their_branch_are_asked_for_by_subject() -> None:
    log = Log().call(
        "bash", command="git commit", output="[fix/sweep-2 3f2a9c1] Sweep stale leases"
    )
    log.say("system", "Commit 7c80da7 feat: Start slow after a crash")
    log.call("bash", command="git log", output="aaa1111 Older work nobody named\nbbb2222 x y z")
    probes = log.chatter().probes()
    hashes = [facts(probe) for probe in named(probes, "commit")]
    assert hashes == [["3f2a9c1"], ["7c80da7"]]
    (branch,) = named(probes, "branch")
    assert "“Sweep stale leases”" in branch["question"] and facts(branch) == ["fix/sweep-2"]


def test_a_subject_with_two_hashes_is_not_asked_for() -> None:
    log = Log().say("system", "Commit 7c80da7 feat: Start slow after a crash")
    log.say("system", "Commit 8d91eb8 feat: Start slow after a crash")
    assert named(log.chatter().probes(), "commit") == []


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("git reset --hard HEAD~1", "HEAD is now at 1234567 x"),
        ("git commit --amend -m y", "[main 8d91eb8] Sweep them early"),
        ("git revert 3f2a9c1", "[main 8d91eb8] Revert"),
        ("true", "Removed: 3f2a9c1 Sweep stale leases"),
    ],
)
def test_a_commit_that_was_undone_is_not_asked_for(command: str, output: str) -> None:
    log = Log().call("bash", command="git commit", output="[main 3f2a9c1] Sweep stale leases")
    log.call("bash", command=command, output=output).chatter()
    assert "3f2a9c1" not in str([p["facts"] for p in named(log.probes(), "commit")])


def test_of_commits_with_nearly_the_same_subject_none_is_asked_for() -> None:
    log = Log().call("bash", command="git commit", output="[main 3f2a9c1] Sweep stale leases")
    log.call("bash", command="git commit", output="[main 8d91eb8] Sweep the stale leases again")
    assert named(log.chatter().probes(), "commit") == []


def announce(log: Log, text: str, name: str, **given: Any) -> Log:
    log.call(name, **given)
    call = log.messages[-2]
    log.messages[-2:-1] = [type(call)(call.id, "assistant", (*_text(text), *call.parts))]
    return log


def _text(text: str) -> tuple[Any, ...]:
    return Log().say("assistant", text).messages[0].parts


def changes(log: Log) -> Log:
    """Add changes of two more files, without which an announcement asks for nothing."""
    for path in ("lib/worker.py", "lib/pool.py"):
        log.call("edit", path=path, oldText="a", newText="b")
    return log


CHANGE = {"path": "lib/queue.py", "oldText": "a", "newText": "b"}


def test_a_file_is_asked_for_by_the_announcement_of_its_change() -> None:
    log = changes(Log().call("read", path="lib/queue.py", output="x"))
    announce(log, "Now let me fix the order in which `end_lease` runs:", "edit", **CHANGE)
    (asked,) = named(log.chatter().probes(), "modified-announced")
    assert "“Now let me fix the order in which `end_lease` runs.”" in asked["question"]
    assert facts(asked) == ["lib/queue.py was modified"]


@pytest.mark.parametrize(
    ("said", "again", "user", "more"),
    [
        ("Now let me fix the order in which leases end:", "", "", True),
        ("Now let me fix the order in which `end_lease` runs:", "", "", False),
        ("Now let me fix the order in which `end_lease` runs:", "", "see lib/queue.py", True),
        (
            "Now let me fix the order in which `end_lease` runs:",
            "I'll fix the order in which `end_lease` runs now:",
            "",
            True,
        ),
    ],
)
def test_an_announcement_names_code_once_in_a_session_of_several_files_that_no_user_named(
    said: str, again: str, user: str, more: bool
) -> None:
    log = Log().call("read", path="lib/queue.py", output="x")
    log = changes(log) if more else log
    if user:
        log.say("user", f"the leases never end, please {user} about it")
    announce(log, said, "edit", **CHANGE)
    if again:
        announce(log, again, "edit", **{**CHANGE, "path": "lib/pool.py"})
    assert named(log.chatter().probes(), "modified-announced") == []


@pytest.mark.parametrize(
    "said",
    [
        "Let me fix this by passing it along again:",
        "Let me read more of the code around the sweep:",
        "Let me fix the queue so that leases end:",
        "Let me fix the test by passing a lease on:",
        "The order in which leases end is wrong.",
        "Let me now write the new file for everything:",
        "Let me fix the usages of the new constant:",
    ],
)
def test_vague_or_telling_or_unkept_announcements_are_not_asked_for(said: str) -> None:
    log = changes(Log().call("read", path="lib/queue.py", output="x"))
    announce(log, said, "edit", path="lib/queue.py", oldText="a", newText="b")
    assert named(log.chatter().probes(), "modified-announced") == []


def test_an_announcement_that_more_files_follow_is_not_asked_for() -> None:
    log = changes(Log().call("read", path="lib/queue.py", output="x"))
    announce(log, "Now let me fix the order in which `end_lease` runs:", "edit", **CHANGE)
    log.call("edit", path="lib/lease.py", oldText="a", newText="b")
    assert named(log.chatter().probes(), "modified-announced") == []


def test_an_announcement_that_another_call_may_keep_is_not_asked_for() -> None:
    for other, count in (("true", 1), ("explore", 0)):
        log = changes(Log().call("read", path="lib/queue.py", output="x"))
        calls = [ToolCall("k1", "edit", json.dumps(CHANGE))]
        if other == "explore":
            calls.append(ToolCall("k2", "Task", json.dumps({"prompt": "look at all leases"})))
        said = Text("Now let me fix the order in which `end_lease` runs:")
        log.messages.append(Message(f"m{len(log.messages)}", "assistant", (said, *calls)))
        results = tuple(ToolResult(call.id, "ok") for call in calls)
        log.messages.append(Message(f"m{len(log.messages)}", "tool", results))
        assert len(named(log.chatter().probes(), "modified-announced")) == count


def test_an_error_that_quotes_only_a_sign_is_not_asked_for() -> None:
    log = Log().say("user", "please look at the library of it").say("assistant", "I did.")
    log.say("user", "SyntaxError: Unexpected token '||'")
    assert named(log.chatter().probes(), "reported-error") == []
    log = Log().say("user", "please look at the library of it").say("assistant", "I did.")
    log.say("user", "SyntaxError: Unexpected number '182'. Expected a ')' in the list.")
    (asked,) = named(log.chatter().probes(), "reported-error")
    assert facts(asked) == ["SyntaxError: Unexpected number '182'"]


def test_a_subject_that_repeats_what_the_user_said_names_no_commit() -> None:
    log = Log().say("system", "Commit 7c80da7 Yeah let's do it")
    log.say("system", "Commit 8d91eb8 Start slow after a crash")
    (asked,) = named(log.chatter().probes(), "commit")
    assert facts(asked) == ["8d91eb8"]


def test_where_commands_showed_texts_nobody_is_asked_which_files_were_read() -> None:
    for shown, count in (("true", 1), ("cat conf/*.json", 0)):
        log = Log().say("user", "please find out why the upload queue is slow")
        for path in ("src/queue.py", "src/lock.py"):
            log.call("read", path=path, output="x")
        log.call("bash", command=shown, output="y").say("user", "and then write a plan for it")
        asked = named(log.chatter().probes(), "request-read")
        assert len(asked) == count


def test_where_git_showed_a_file_of_a_commit_nobody_is_asked_which_files_were_read() -> None:
    for command, count in (("git show main", 1), ("git show main:src/old.py | head", 0)):
        log = Log().call("bash", command=command, output="x")
        for path in ("src/queue.py", "src/lock.py"):
            log.call("read", path=path, output="x")
        assert len(named(log.chatter().probes(), "read")) == count


@pytest.mark.parametrize(
    ("name", "arguments", "count"),
    [
        ("bash", {"command": "npm run build"}, 1),
        ("bash", {"command": "cd web && npm install esbuild"}, 0),
        ("Task", {"prompt": "find all readers of the queue"}, 0),
        ("TaskCreate", {"subject": "find all readers of the queue"}, 1),
    ],
)
def test_what_was_only_read_is_not_asked_for_where_others_may_have_read_or_written(
    name: str, arguments: dict[str, str], count: int
) -> None:
    log = Log()
    for path in ("web/package.json", "web/queue.js"):
        log.call("read", path=path, output="x")
    log.call(name, output="done", **arguments)
    assert len(named(log.chatter().probes(), "read")) == count


def test_a_list_of_files_that_would_lack_one_asks_for_a_folder_that_lacks_none() -> None:
    log = Log()
    for path in ("src/a.py", "src/b.py", "doc/c.md"):
        log.call("write", path=path, content="x")
    log.chatter()
    log.call("write", path="doc/d.md", content="x")
    created = [probe for probe in named(log.probes(), "created") if "point" not in probe]
    assert [facts(probe) for probe in created] == [["src/a.py was created", "src/b.py was created"]]
    assert "under `src`" in created[0]["question"]


def test_finished_steps_of_a_plan_are_asked_for_whole() -> None:
    log = Log().call("TodoWrite", **plan("completed", "completed", "in_progress"))
    done = named(log.chatter().probes(), "done-steps")
    assert facts(done[0]) == ["Write the upload queue", "Move the retry loop"]


@pytest.mark.parametrize(
    ("command", "output", "count"),
    [
        ("pytest tests", "7 failed, 31 passed in 1.0s", 1),
        ("pytest tests | tail -3", "7 failed, 31 passed in 1.0s", 0),
        ("go test ./...", "ok  \texample.com/a\t0.1s\nFAIL\texample.com/b [build failed]", 0),
    ],
)
def test_counts_of_a_cut_output_or_of_packages_are_no_result_of_tests(
    command: str, output: str, count: int
) -> None:
    log = Log().call("bash", command=command, output=output)
    log.call("bash", command="pytest tests", output="38 passed in 1.0s")
    assert len(named(log.chatter().probes(), "first-tests")) == count


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("Let me fix the `reapStale` batch limit of the queue sweeper worker.", 1),
        ("Let me change the relevant code sections and all of the issues.", 0),
        ("Let me implement all four fixes.", 0),
        ("Now let me fix the upload queue `dropStale` before the retry limit of the workers.", 0),
    ],
)
def test_only_an_announcement_that_tells_its_work_and_no_other_code_asks_for_a_file(
    said: str, count: int
) -> None:
    log = changes(Log().call("write", path="src/other.go", content="func dropStale(n int) {"))
    given = json.dumps({"path": "src/lease.go", "oldText": "a", "newText": "b"})
    log.call("read", path="src/lease.go", output="package lease")
    log.messages.append(Message("a", "assistant", (Text(said), ToolCall("c", "edit", given))))
    log.messages.append(Message("b", "tool", (ToolResult("c", "ok", False),)))
    log.say("assistant", "That is clear now.")
    assert len(named(log.chatter().probes(), "modified-announced")) == count


def test_a_commit_of_which_another_subject_states_the_words_is_not_asked_for() -> None:
    for other, names in (
        ("Bound the queue of uploads", ["commit"]),
        ("Keep all leases of the pool open", []),
    ):
        log = Log().call("bash", command="git log", output=f"1c7e2d9 {other}")
        made = "[main 4f2a9c8] Keep leases of the pool"
        log.call("bash", command="git commit -am x", output=made).chatter()
        held = ProbeLog(log.messages, [len(log.messages) - 1])
        assert [draft.name for draft in commit_drafts(held) if draft.found] == names


def test_the_first_commit_of_a_repository_is_not_asked_for() -> None:
    for subject, count in (("Initial commit", 0), ("Bound the upload queue", 1)):
        log = Log().call("bash", command="git commit -m x", output=f"[main 4f2a9c8] {subject}")
        assert len(named(log.chatter().probes(), "commit")) == count


@pytest.mark.parametrize(("kind", "count"), [("Explore", 1), ("general-purpose", 0)])
def test_where_a_subagent_may_have_written_nobody_is_asked_for_files(kind: str, count: int) -> None:
    log = Log().say("user", "please make the upload queue bounded for every worker")
    log.call("write", path="src/pool.ts", content="x")
    log.call("Task", subagent_type=kind, prompt="do it").say("user", "and go on with the others")
    probes = log.chatter().probes()
    assert len([*named(probes, "created"), *named(probes, "request-files")]) == count


def test_a_file_that_the_request_tells_is_not_asked_for_alone() -> None:
    for more, count in (((), 0), (("src/lock.py",), 1)):
        log = Log().say("user", "please look at the pool sources and make them faster")
        for path in ("src/pool.py", *more):
            log.call("read", path=path, output="x")
            log.call("edit", path=path, oldText="a", newText="b")
        log.say("user", "and go on with all the others").chatter()
        held = ProbeLog(log.messages, [len(log.messages) - 1])
        drafts = [each for each in request_drafts(held) if each.name == "request-files"]
        assert len(drafts) == count
