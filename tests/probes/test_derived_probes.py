"""Derived probes ask for what a log states, with older values and options as traps."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from support.paths import public_data
from support.probe_logs import Log, facts, filler, named, plan

from pytest_compaction.case.case import Fact
from pytest_compaction.case_making.case_maker import compaction_points
from pytest_compaction.conversation.messages import Message, ToolCall, readable
from pytest_compaction.importers.formats.pi.importer import PiImporter
from pytest_compaction.probes.derive import derive_probes
from pytest_compaction.probes.keys import given_away
from pytest_compaction.probes.sources.plans import plan_entries
from pytest_compaction.text.matching import Statement, TextIndex


def test_created_deleted_renamed_and_modified_files_are_asked_for() -> None:
    log = Log()
    for name in ("alpha", "beta"):
        log.call("write", path=f"src/{name}.py", content="x")
        log.call("write", path=f"old/{name}.txt", content="x")
        log.call("bash", command=f"rm old/{name}.txt")
        log.call("bash", command=f"git mv lib/{name}_a.py lib/{name}_b.py")
        log.call("edit", path=f"lib/{name}_c.py", oldText="a", newText="b")
    probes = log.chatter().probes()
    (created,) = named(probes, "created")
    assert facts(created) == ["src/alpha.py was created", "src/beta.py was created"]
    assert {fact["type"] for fact in created["facts"]} == {"path"}
    assert {fact["change"] for fact in created["facts"]} == {"created"}
    assert [fact["keys"] for fact in created["facts"]] == [[["src/alpha.py"]], [["src/beta.py"]]]
    assert created["answer"] == {"format": "list"}
    gone = named(probes, "deleted")[0]["facts"]
    assert [fact["keys"] for fact in gone] == [[["old/alpha.txt"]], [["old/beta.txt"]]]
    assert facts(named(probes, "renamed")[0]) == [
        "lib/alpha_a.py was renamed to lib/alpha_b.py",
        "lib/beta_a.py was renamed to lib/beta_b.py",
    ]
    (modified,) = named(probes, "modified")
    assert facts(modified) == ["lib/alpha_c.py was modified", "lib/beta_c.py was modified"]
    assert {fact["change"] for fact in modified["facts"]} == {"modified"}


def test_names_that_edits_introduced_are_asked_for_by_file() -> None:
    log = Log().call("read", path="net.py", output="def send(): pass")
    log.call("edit", path="net.py", oldText="a", newText="def backoff_delay(attempt):\n    pass")
    log.call("edit", path="net.py", oldText="b", newText="retry_limit = 5")
    (changes,) = named(log.chatter().probes(), "changes")
    assert "`net.py`" in changes["question"]
    assert sorted(facts(changes)) == ["backoff_delay", "retry_limit"]


def test_errors_are_asked_for_by_their_command() -> None:
    output = "ValueError: port 6390 is taken\nerror TS2345: Argument 'x' is not assignable"
    log = Log().say("user", "please start the server on its port")
    log.call("bash", command="npm run serve", output=output, is_error=True)
    (error,) = named(log.chatter().probes(), "error")
    assert "`npm run serve`" in error["question"]
    assert "please start the server on its port" in error["question"]
    assert facts(error) == [
        "ValueError: port 6390 is taken",
        "TS2345: Argument 'x' is not assignable",
    ]


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


def test_numbers_in_a_users_sentence_are_asked_for_by_its_subject() -> None:
    log = Log().say("user", "the disk usage is a warning above 70% and an error above 90% please")
    (numbers,) = named(log.chatter().probes(), "numbers")
    assert "70" not in numbers["question"]
    assert any("70%" in fact for fact in facts(numbers))
    assert any("90%" in fact for fact in facts(numbers))


def test_alternatives_reasons_and_corrections_are_asked_for() -> None:
    log = Log().say("user", "make the upload handler faster for everybody")
    log.say("assistant", "The handler uses a bounded queue instead of one thread each.")
    log.say("user", "the bounded queue blocks every worker for the whole upload")
    log.say("assistant", "The upload lock was removed because it blocks every worker thread.")
    log.say("assistant", "The retry loop stays small since the bounded queue blocks uploads.")
    log.say("assistant", "The handler reads files rather than network sockets.")
    log.say("assistant", "I renamed the whole upload handler module now.")
    log.say("user", "no, keep the upload handler name, only rename the worker thread")
    decisions = [probe for probe in log.chatter().probes() if probe["kind"] == "decision"]
    asked = " ".join(probe["question"] for probe in decisions)
    stated = [fact for probe in decisions for fact in facts(probe)]
    assert "“one thread each" in asked
    assert "The handler uses a bounded queue" in stated
    assert {fact["type"] for probe in decisions for fact in probe["facts"]} >= {
        "decision",
        "reason",
    }
    assert "it blocks every worker thread" in stated


def test_the_last_request_and_check_before_a_point_are_asked_for() -> None:
    log = Log().say("assistant", "The upload handler has a log, no retry and no timeout to add.")
    log.say("user", "add a timeout for the upload handler and log every retry")
    log.call("edit", path="src/upload.py", oldText="a", newText="timeout_s = 5")
    log.call(
        "bash", command="pytest -q", output="2 failed, 31 passed in 0.5s\nerror: port is taken"
    )
    probes = log.chatter().probes()
    (request,) = named(probes, "last-request")
    assert "src/upload.py was modified" in facts(request)
    (check,) = named(probes, "last-check")
    assert "2 failed, 31 passed" in facts(check)


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
def test_the_real_session_gives_probes_of_every_kind() -> None:
    messages = PiImporter().read(public_data("pi-agent/large-session.jsonl")).messages
    points = compaction_points(messages, [len(readable(message)) for message in messages])
    probes = derive_probes(messages, points)
    kinds = Counter(probe["kind"] for probe in probes)
    assert 12 <= len(probes) <= 16
    assert kinds["file"] >= 3 and kinds["recall"] >= 4
    assert kinds["continuation"] >= 2 and kinds["decision"] >= 2
    assert all(len(probe["facts"]) >= 2 for probe in probes)
    assert any("point" in probe for probe in probes)
    assert any("traps" in probe for probe in probes)
    check_sound(messages, probes)
    assert derive_probes(messages, points) == probes
    assert len(derive_probes(messages, points, 5)) == 5


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


def test_versions_are_asked_for_by_name_with_older_ones_as_traps() -> None:
    log = Log().call("bash", command="pip list", output="httpx==0.26.1\nruff 0.4.10")
    log.call("bash", command="pip install -U httpx", output="installed httpx 0.27.2").chatter()
    (versions,) = named(log.probes(), "versions")
    assert sorted(facts(versions)) == ["httpx 0.27.2", "ruff 0.4.10"]
    keys = [["0.26.1"], ["httpx"]]
    assert versions["traps"] == [{"text": "httpx 0.26.1", "keys": keys, "of": "httpx 0.27.2"}]


def test_counts_addresses_commits_and_exit_codes_are_asked_for() -> None:
    log = Log().say("user", "please start the server on its port")
    log.call("bash", command="npm audit", output="added 212 packages\n7 vulnerabilities found")
    log.call("bash", command="serve", output="on localhost:5173\nproxy at 127.0.0.1:9000")
    log.call("bash", command="git commit -am x", output="[main 4f2a9c8] Bound the upload queue")
    log.call("bash", command="git commit -am y", output="[main 9d01b7e] Keep the old name of it")
    log.call("bash", command="zzz run", output="bash: zzz: command not found\nexit code 127")
    log.chatter(60)
    end = len(log.messages) - 1
    found = derive_probes(log.messages, [end // 3, end * 2 // 3, end], 30, verified=False)
    asked = [fact for probe in found for fact in facts(probe)]
    assert {"212 packages", "7 vulnerabilities", "localhost:5173", "4f2a9c8", "9d01b7e"} <= {*asked}
    assert {"bash: zzz: command not found", "exit code 127"} <= {*asked}


def test_what_an_edit_replaced_is_asked_for() -> None:
    log = Log()
    old = "<Icon class='size-4 px-2' />\nretries = MAX_TRIES\n"
    new = "<Icon class='size-3 pl-0' />\nretries = retry_budget\n"
    log.call("edit", path="ui/bar.tsx", old_string=old, new_string=new)
    (replaced,) = named(log.chatter().probes(), "replaced")
    assert "`ui/bar.tsx`" in replaced["question"]
    assert "`MAX_TRIES`" in replaced["question"]
    assert sorted(facts(replaced)) == ["retry_budget", "size-3 pl-0"]


def test_the_option_that_the_user_took_is_asked_for_and_the_others_are_traps() -> None:
    log = Log().say("user", "please make the upload handler faster somehow")
    offer = (
        "We could do this:\n1. **Use a bounded queue** - simple\n2. **Spawn more workers** - not"
    )
    log.say("assistant", f"{offer}\nWhich one?").say("user", "let's go with 2 please").chatter()
    (option,) = named(log.probes(), "option")
    assert facts(option) == ["Spawn more workers"]
    assert option["traps"][0]["text"] == "Use a bounded queue"


def test_the_answer_to_a_question_of_a_tool_is_asked_for() -> None:
    question = "Which storage should sessions use?"
    options = [{"label": "Plain files"}, {"label": "SQLite database"}]
    given = [{"question": question, "options": options}]
    output = f'User has answered: "{question}"="SQLite database".'
    log = Log().call("AskUserQuestion", output, questions=given).chatter()
    (option,) = named(log.probes(), "option")
    assert question in option["question"]
    assert facts(option) == ["SQLite database"]


def test_identifiers_of_the_user_and_places_found_by_the_agent_are_asked_for() -> None:
    log = Log().say("user", "I want to change the flight with reservation M05KNL.")
    log.say("user", "Also look at the related customer ticket BILL-2207 for it.")
    log.say("assistant", "The `pattern` rule is declared on line 29.")
    log.say("assistant", "The `atom` rule is defined on line 666.").chatter()
    probes = log.probes()
    assert facts(named(probes, "identifier")[0]) == ["M05KNL", "BILL-2207"]
    assert facts(named(probes, "finding")[0]) == [
        "The `pattern` rule is declared on line 29",
        "The `atom` rule is defined on line 666",
    ]


def test_a_short_session_is_asked_for_single_facts() -> None:
    log = Log().say("user", "thread 4\nqueue limit 64\nretry delay 1.5")
    log.say("assistant", "I use a bounded queue instead of one thread each.").chatter(10)
    probes = log.probes()
    assert [len(probe["facts"]) for probe in named(probes, "instead")] == [1]


def test_one_value_that_changed_often_is_asked_for_with_all_older_ones_as_traps() -> None:
    log = Log()
    for old, new in pairwise((3, 5, 8, 13)):
        log.call("edit", path="conf.toml", oldText=f"retries = {old}", newText=f"retries = {new}")
        filler(log, new)
    (changed,) = named(log.chatter().probes(), "changed-values")
    assert facts(changed) == ["retries: 13"]
    assert [trap["text"] for trap in changed["traps"]] == ["retries: 3", "retries: 5", "retries: 8"]
