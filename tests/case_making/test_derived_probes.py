"""Derived probes ask for what a log states, with older values and options as traps."""

from __future__ import annotations

import gc
import json
import weakref
from collections import Counter, defaultdict
from itertools import pairwise
from typing import Any

import pytest
from support.paths import public_data
from support.probe_logs import Log, facts, filler, named, plan

from pytest_compaction.case import Fact
from pytest_compaction.case_making import derive
from pytest_compaction.case_making import log as probe_log
from pytest_compaction.case_making import selection as control
from pytest_compaction.case_making.agent_probes import plan_entries
from pytest_compaction.case_making.case_maker import compaction_points
from pytest_compaction.case_making.derive import DEFAULT_COUNT, derive_probes, probe_count
from pytest_compaction.case_making.file_probes import request_drafts
from pytest_compaction.case_making.keys import given_away
from pytest_compaction.case_making.log import Draft, ProbeLog
from pytest_compaction.case_making.selection import FullLogControl
from pytest_compaction.conversation import Message, ToolCall, readable
from pytest_compaction.importers.formats.pi import IMPORTER
from pytest_compaction.text import LogIndex, Statement, TextIndex


def test_functions_and_types_that_edits_added_are_asked_for_by_file() -> None:
    log = Log().call("read", path="net.py", output="def send_all(): pass")
    log.call("edit", path="net.py", oldText="a", newText="def backoff_delay(attempt):\n    x = 5")
    log.call("edit", path="net.py", oldText="b", newText="class RetryPlan:\n    pass")
    (added,) = named(log.chatter().probes(), "definitions")
    assert "`net.py`" in added["question"]
    assert sorted(facts(added)) == ["RetryPlan", "backoff_delay"]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("edit", {"path": "net.py", "oldText": "def backoff_delay(n):", "newText": "pass"}),
        ("edit", {"path": "net.py", "oldText": "def backoff_delay(n):", "newText": ""}),
        ("write", {"path": "net.py", "content": "pass"}),
        ("bash", {"command": "git checkout -- net.py"}),
        ("bash", {"command": "rm net.py"}),
    ],
)
def test_a_function_that_was_removed_again_is_not_asked_for(
    name: str, arguments: dict[str, str]
) -> None:
    log = Log().call("read", path="net.py", output="x")
    log.call("edit", path="net.py", oldText="a", newText="def backoff_delay(n):\n    pass")
    log.call(name, **arguments)
    assert named(log.chatter().probes(), "definitions") == []


def test_values_that_the_user_lists_are_asked_for_by_name() -> None:
    log = Log().say("user", "error colour #cc6666\ntool background #282832\nborder width 3")
    (given,) = named(log.chatter().probes(), "given-values")
    assert "“error colour”" in given["question"]
    assert facts(given) == ["error colour #cc6666", "tool background #282832", "border width 3"]


def test_a_value_that_changed_makes_the_old_one_a_trap() -> None:
    log = Log()
    texts = [f"timeout_s = {t}\nretry_limit = {n}" for t, n in [(30, 5), (45, 8), (20, 13)]]
    for old, new in pairwise(texts):
        log.call("edit", path="conf.py", oldText=old, newText=new)
    (changed,) = named(log.chatter().probes(), "changed-values")
    assert sorted(facts(changed)) == ["retry_limit: 13", "timeout_s: 20"]
    stale = {"text": "timeout_s: 45", "keys": [["timeout_s"], ["45"]], "of": "timeout_s: 20"}
    assert stale in changed["traps"]


def test_alternatives_and_reasons_in_passing_are_not_asked_for() -> None:
    log = Log().say("user", "make the upload handler faster for everybody")
    log.say("assistant", "The handler uses a bounded queue instead of one thread each.")
    log.say("assistant", "The upload lock was removed because it blocks every worker thread.")
    log.say("user", "the bounded queue blocks every worker for the whole upload lock")
    assert [p for p in log.chatter().probes() if p["kind"] == "decision"] == []


@pytest.mark.parametrize("lead", ["<issue_description>\n", "Please solve this.\nISSUE:\n"])
def test_the_title_of_a_report_is_asked_for_with_most_of_its_words(lead: str) -> None:
    title = "LeasePool ignores the parent limit when leases expire"
    log = Log().say("user", f"{lead}{title}\nThey stay for hours.\n")
    log.say("assistant", "I look at the limit of LeasePool, and at leases of the parent.")
    (asked,) = named(log.chatter().probes(), "issue")
    assert facts(asked) == [title]
    assert len(asked["facts"][0]["keys"]) == 4


def test_files_of_a_request_are_asked_for_by_its_words() -> None:
    log = Log().say("user", "please make the upload handler faster for everybody")
    log.call("read", path="src/queue.py", output="x").call("read", path="src/lock.py", output="x")
    log.call("edit", path="src/pool.py", oldText="a", newText="timeout_s = 5")
    log.say("user", "now write down how the whole thing works")
    log.call("write", path="docs/upload.md", content="x")
    log.chatter()
    held = ProbeLog(log.messages, [len(log.messages) - 1])
    drafts = [draft for draft in request_drafts(held) if draft.found]
    told = [
        (draft.name, draft.question.split("“")[1].split("”")[0], texts(draft)) for draft in drafts
    ]
    first, second = "please make the upload handler faster for everybody", "now write down how"
    assert [(name, quote.startswith((first, second)), facts) for name, quote, facts in told] == [
        ("request-files", True, ["src/pool.py was modified"]),
        ("request-read", True, ["src/queue.py was read", "src/lock.py was read"]),
        ("request-files", True, ["docs/upload.md was created"]),
    ]


def texts(draft: Draft) -> list[str]:
    return [found.fact.text for found in draft.found]


def test_a_line_of_a_patch_and_a_text_of_the_harness_name_no_request() -> None:
    log = Log()
    for text in (
        "+314 - Tips for the upload handler of everybody",
        "Base directory for this skill: /home/x/skills/upload handler",
        "[Request interrupted by user for the upload handler]",
    ):
        log.say("user", text).call("edit", path="src/upload.py", oldText="a", newText="b")
    assert named(log.chatter().probes(), "request-files") == []


def stated_as(fact: dict[str, Any]) -> Statement:
    known = {name: fact[name] for name in ("text", "type")}
    keys = tuple(map(tuple, fact["keys"]))
    return Fact(**known, keys=keys, change=fact.get("change")).statement


def check_sound(
    messages: tuple[Message, ...] | list[Message], probes: list[dict[str, Any]]
) -> None:
    by_id = {message.id: message for message in messages}
    for probe in probes:
        assert 1 <= len(probe["facts"]) <= 6
        for fact in probe["facts"]:
            groups = tuple(map(tuple, fact["keys"]))
            assert not given_away(probe["question"], groups, fact["text"]), probe["id"]
            statement = stated_as(fact)
            for text in (fact["text"], *(readable(by_id[id]) for id in fact["evidence"])):
                assert TextIndex(text).read(statement).outcome == "stated"
    assert len({probe["id"] for probe in probes}) == len(probes)


@pytest.mark.exhaustive
def test_the_real_session_gives_probes_about_its_files_and_its_code() -> None:
    # What its users asked for and decided is not asked for: readers found such questions weak.
    messages = IMPORTER.read(public_data("pi-agent/large-session.jsonl")).messages
    points = compaction_points(messages, [len(readable(message)) for message in messages])
    probes = derive_probes(messages, points)
    kinds = Counter(probe["kind"] for probe in probes)
    assert 10 <= len(probes) <= probe_count(messages, DEFAULT_COUNT)
    assert kinds["file"] >= 2 and kinds["recall"] >= 4 and kinds["decision"] == 0
    lists = [p for name in ("created", "modified", "read", "deleted") for p in named(probes, name)]
    assert all(len(probe["facts"]) >= 2 for probe in lists if "point" not in probe)
    assert any("point" in probe for probe in probes)
    assert any("traps" in probe for probe in probes)
    check_sound(messages, probes)
    assert derive_probes(messages, points) == probes
    assert len(derive_probes(messages, points, 5)) == 5


@pytest.mark.exhaustive
def test_the_control_answers_so_many_drafts_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    messages = IMPORTER.read(public_data("pi-agent/large-session.jsonl")).messages
    answered: list[Draft] = []
    answers = FullLogControl.answers

    def counted(self: FullLogControl, draft: Draft) -> bool:
        answered.append(draft)
        return answers(self, draft)

    monkeypatch.setattr(FullLogControl, "answers", counted)
    derive_probes(messages, [len(messages) - 1])
    assert len(answered) > 3
    answered.clear()
    monkeypatch.setattr(control, "MOST_ANSWERS", 3)
    probes = derive_probes(messages, [len(messages) - 1])
    assert len(answered) == 3
    assert probes, "unanswered drafts fill up what would be few"


def test_the_index_of_the_log_is_gone_when_the_control_reads_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: dict[str, list[weakref.ref[Any]]] = defaultdict(list)
    held: list[list[str]] = []

    class Watched(ProbeLog):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            made["log"].append(weakref.ref(self))

    class WatchedIndex(LogIndex):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            made["index"].append(weakref.ref(self))

    class Control(FullLogControl):
        def __init__(self, *given: Any) -> None:
            held.append([name for name, refs in made.items() if any(ref() for ref in refs)])
            super().__init__(*given)

    monkeypatch.setattr(derive, "ProbeLog", Watched)
    monkeypatch.setattr(probe_log, "LogIndex", WatchedIndex)
    monkeypatch.setattr(derive, "FullLogControl", Control)
    log = Log().call("edit", path="net.py", oldText="a", newText="def backoff_delay(n):\n    x = 5")
    messages = log.call("TodoWrite", **plan("in_progress", "pending", "pending")).messages
    gc.disable()  # what refers to itself would be found in the end, and not by then
    try:
        derive_probes(messages, [len(messages) - 1])
    finally:
        gc.enable()
    assert held == [[]]
    assert made.keys() == {"log", "index"}


def test_tasks_that_calls_create_and_update_by_number_are_a_plan() -> None:
    log = Log()
    for number, subject in enumerate(("Write the upload queue", "Move the retry loop"), 1):
        log.call("TaskCreate", subject=subject, output=f"Task #{number} created successfully")
    log.call("TaskUpdate", taskId="2", status="completed")
    log.call("TaskUpdate", taskId="7", status="completed", is_error=True).chatter()
    probes = log.probes()
    assert facts(named(probes, "done-steps")[0]) == ["Move the retry loop"]
    assert facts(named(probes, "open-steps")[0]) == ["Write the upload queue"]


def test_open_steps_of_a_plan_are_asked_for() -> None:
    log = Log().call("TodoWrite", **plan("in_progress", "pending", "pending"))
    log.call("TodoWrite", **plan("completed", "in_progress", "pending")).chatter()
    (steps,) = named(log.probes(), "open-steps")
    assert facts(steps) == ["Move the retry loop", "Document the retry limits"]
    assert {fact["type"] for fact in steps["facts"]} == {"next_step"}


@pytest.mark.parametrize(
    "arguments",
    [
        {"plan": [{"step": "Write the upload queue", "status": "pending"}]},
        {"explanation": "x", "items": [{"title": "Write the upload queue", "done": False}]},
        {"command": "plan", "task_list": [{"title": "Write the upload queue", "status": "todo"}]},
    ],
)
def test_plans_are_known_by_their_shape(arguments: dict[str, Any]) -> None:
    call = ToolCall("c", "update_plan", json.dumps(arguments))
    assert [text for text, _ in plan_entries(call)] == ["Write the upload queue"]
    assert plan_entries(ToolCall("c", "edit", '{"edits": [{"old": "a", "new": "b"}]}')) == []


def test_tests_that_still_fail_are_asked_for() -> None:
    output = "FAILED tests/test_a.py::test_one - x\nFAILED tests/test_a.py::test_two\n"
    log = Log().call("bash", command="pytest -q", output=output + "2 failed, 3 passed in 1.0s")
    (failing,) = named(log.chatter().probes(), "failing-tests")
    assert facts(failing) == ["tests/test_a.py::test_one", "tests/test_a.py::test_two"]


def test_the_first_test_run_is_asked_for_with_the_last_as_a_trap() -> None:
    log = Log().call("bash", command="pytest tests/a", output="7 failed, 31 passed in 1.0s")
    log.call("bash", command="pytest tests/b", output="38 passed in 1.0s").chatter()
    (first,) = named(log.probes(), "first-tests")
    assert facts(first) == ["7 failed, 31 passed"]
    assert [fact["type"] for fact in first["facts"]] == ["command"]
    assert first["facts"][0]["keys"] == [["7 failed", "7 failures", "7 failing"]]
    (stale,) = first["traps"]
    assert (stale["text"], stale["of"]) == ("38 passed", "7 failed, 31 passed")


def test_commits_that_the_session_made_are_asked_for_and_listed_ones_are_not() -> None:
    log = Log().call("bash", command="git log", output="1c7e2d9 Count the leases of a worker")
    log.say("user", "what is 1c7e2d9 good for?")
    log.call("bash", command="git commit -am x", output="[main 4f2a9c8] Bound the upload queue")
    log.call("bash", command="git commit -am y", output="[main 9d01b7e] Keep the old name of it")
    asked = named(log.chatter(60).probes(), "commit")
    assert sorted(text for probe in asked for text in facts(probe)) == ["4f2a9c8", "9d01b7e"]


def test_what_readers_found_vague_or_trivial_is_not_asked_for() -> None:
    log = Log().say("user", "please make the upload handler faster, a warning above 70% of it")
    offer = "1. **Use a bounded queue** - simple\n2. **Spawn more workers** - not"
    log.say("assistant", f"We could do this:\n{offer}\nWhich one?")
    log.say("user", "no, keep the upload handler name, let's go with 2 please")
    log.call("bash", command="uname", description="Find out the kernel", output="linux-6.8.0-gen")
    log.call("Read", file_path="queue.py", output="MAX_LEASES = 45")
    log.say("assistant", "MAX_LEASES is the limit.")
    log.say("assistant", "The `broker` service was found on port 6390.")
    names = {probe["id"].split("-", 2)[2] for probe in log.chatter().probes()}
    dropped = {"option", "correction", "numbers", "printed", "constant", "finding"}
    assert not names & dropped


def test_what_a_question_asks_of_an_edited_file_is_asked_for_whole_or_not_at_all() -> None:
    added = "def backoff_delay(n):\n    pass\ndef resend(n):\n    pass"
    log = Log().call("read", path="net.py", output="x")
    log.call("edit", path="net.py", oldText="a", newText=added)
    assert named(log.chatter().probes(), "definitions") == []


@pytest.mark.parametrize(
    "old", ["def send_all():", "def send_late(): pass\ndef backoff_delay(n): 0"]
)
def test_a_definition_that_an_edit_moved_or_renamed_was_not_added(old: str) -> None:
    log = Log().call("read", path="net.py", output="def send_all(): pass\ndef late_call(n): 1")
    log.call("edit", path="net.py", oldText=old, newText="def late_call(n):\n    pass")
    assert named(log.chatter().probes(), "definitions") == []


def test_a_file_that_the_session_made_is_not_one_that_edits_added_to() -> None:
    log = Log().call("write", path="net.py", content="def send_all(): pass")
    log.call("edit", path="net.py", oldText="a", newText="def backoff_delay(n):\n    pass")
    assert named(log.chatter().probes(), "definitions") == []


def test_identifiers_of_the_user_are_asked_for() -> None:
    log = Log().say("user", "I want to change the flight with reservation M05KNL.")
    log.say("user", "Also look at the related customer ticket BILL-2207 for it.")
    probes = log.chatter().probes()
    assert facts(named(probes, "identifier")[0]) == ["M05KNL", "BILL-2207"]


def test_a_short_session_is_asked_for_single_facts() -> None:
    log = Log().say("user", "thread 4\nqueue limit 64\nretry delay 1.5")
    log.call("edit", path="net.py", oldText="a", newText="def backoff_delay(n):\n    pass")
    probes = log.chatter(10).probes()
    assert [len(probe["facts"]) for probe in named(probes, "definitions")] == [1]


def test_one_value_that_changed_often_is_asked_for_with_all_older_ones_as_traps() -> None:
    log = Log()
    for old, new in pairwise((3, 5, 8, 13)):
        log.call("edit", path="conf.toml", oldText=f"retries = {old}", newText=f"retries = {new}")
        filler(log, new)
    (changed,) = named(log.chatter().probes(), "changed-values")
    assert facts(changed) == ["retries: 13"]
    assert [trap["text"] for trap in changed["traps"]] == ["retries: 3", "retries: 5", "retries: 8"]


def test_a_value_that_its_key_tells_and_a_record_that_was_printed_are_not_asked_for() -> None:
    log = Log().say("user", "please start the server on its port")
    log.call("edit", path="a.go", oldText="Title: it.Title", newText="Title: cp.Title")
    log.call("bash", command="pip list", output="\n".join(f"pack{n}==1.0.{n}" for n in range(20)))
    log.say("user", 'Look: Error: 400 {"type":"error","message":"bad"}')
    probes = log.chatter().probes()
    for name in ("changed-values", "versions", "reported-error"):
        assert named(probes, name) == []
