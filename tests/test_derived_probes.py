"""Probes derived from a log: sensible, verified, at risk, and never leaking their facts."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pytest_compaction.conversation import Message, Text, ToolCall, ToolResult, readable
from pytest_compaction.importers.case_maker import compaction_points
from pytest_compaction.importers.pi import PiImporter
from pytest_compaction.importers.probe_log import ProbeLog, clauses
from pytest_compaction.importers.probes import derive_probes
from pytest_compaction.matching import TextIndex

REAL = Path(__file__).parents[2] / "shared/data/pi-agent/large-session.jsonl"


class Log:
    """A log under construction."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def say(self, role: str, text: str) -> Log:
        self.messages.append(Message(f"m{len(self.messages)}", role, (Text(text),)))
        return self

    def call(self, name: str, output: str = "ok", is_error: bool = False, **arguments: Any) -> Log:
        id = f"c{len(self.messages)}"
        parts = (ToolCall(id, name, json.dumps(arguments)),)
        self.messages.append(Message(f"m{len(self.messages)}", "assistant", parts))
        answer = (ToolResult(id, output, is_error),)
        self.messages.append(Message(f"m{len(self.messages)}", "tool", answer))
        return self

    def chatter(self, turns: int = 30) -> Log:
        """Turns that state nothing, so that what came before is not the tail."""
        for _ in range(turns):
            self.say("assistant", "Understood.").say("user", "go on")
        return self

    def probes(self) -> list[dict[str, Any]]:
        end = len(self.messages) - 1
        return derive_probes(self.messages, [end // 3, end * 2 // 3, end])


def named(probes: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [probe for probe in probes if probe["id"].endswith(f"-{name}")]


def facts(probe: dict[str, Any]) -> list[str]:
    return [fact["text"] for fact in probe["facts"]]


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
    assert facts(created) == ["src/alpha.py", "src/beta.py"]
    assert {fact["about"] for fact in created["facts"]} == {"created"}
    assert created["answer"] == {"format": "list"}
    assert facts(named(probes, "deleted")[0]) == ["old/alpha.txt", "old/beta.txt"]
    assert len(facts(named(probes, "renamed")[0])) == 4
    (modified,) = named(probes, "modified")
    assert facts(modified) == ["lib/alpha_c.py", "lib/beta_c.py"]
    assert {fact["about"] for fact in modified["facts"]} == {"modified"}


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


def test_a_command_that_ran_often_is_not_asked_for() -> None:
    log = Log().say("user", "please start the server on its port")
    for number in range(2):
        output = f"ValueError: port {number} is taken\nTypeError: number {number} is bad"
        log.call("bash", command="npm run serve", output=output, is_error=True)
    assert named(log.chatter().probes(), "error") == []


def test_values_that_the_user_lists_are_asked_for_by_name() -> None:
    log = Log().say("user", "error colour #cc6666\ntool background #282832\nborder width 3")
    (given,) = named(log.chatter().probes(), "given-values")
    assert "“error colour”" in given["question"]
    assert facts(given) == ["error colour #cc6666", "tool background #282832", "border width 3"]


def test_a_value_that_changed_makes_the_old_one_a_trap() -> None:
    log = Log()
    for number, (timeout, limit) in enumerate([(30, 5), (45, 8), (20, 13)]):
        text = f"timeout_s = {timeout}\nretry_limit = {limit}"
        log.call("edit", path="conf.py", oldText=f"x{number}", newText=text)
    (changed,) = named(log.chatter().probes(), "changed-values")
    assert sorted(facts(changed)) == ["retry_limit: 13", "timeout_s: 20"]
    assert {"text": "timeout_s: 45", "current": ["timeout_s: 20"]} in changed["traps"]


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
    assert "src/upload.py" in facts(request)
    (check,) = named(probes, "last-check")
    assert "2 failed, 31 passed" in facts(check)


def test_what_the_tail_or_everybody_states_is_not_at_risk() -> None:
    log = Log().call("write", path="src/early.py", content="x")
    log.call("write", path="src/late.py", content="x").chatter()
    log.say("assistant", "I come back to src/late.py now.")
    found = ProbeLog(log.messages, [len(log.messages) - 1])
    end = len(log.messages) - 1
    assert found.find("src/early.py", end, "created") is not None
    assert found.find("src/late.py", end, "created") is None
    assert found.find("go on", end, "detail") is None


def test_a_slip_of_the_pen_is_no_fact() -> None:
    log = Log().say("user", "the theme selector must work in every terminal window")
    log.say("assistant", "the theme selector must work in every terminal window")
    log.say("user", "teh theme selctor must werk in evry terminal")
    found = ProbeLog(log.messages, [2])
    assert not found.familiar("teh theme selctor must werk in evry terminal")
    assert found.familiar("the theme selector must work in terminal")


def test_clauses_are_short_and_whole() -> None:
    text = "please fix the tui test sources. create default themes, but keep the old names - ok?"
    assert clauses(text) == [
        "please fix the tui test sources",
        "create default themes",
        "keep the old names",
    ]


def test_logs_without_support_give_no_probes() -> None:
    assert derive_probes([], [], 10) == []
    assert Log().chatter(3).probes() == []


def check_sound(
    messages: tuple[Message, ...] | list[Message], probes: list[dict[str, Any]]
) -> None:
    by_id = {message.id: message for message in messages}
    for probe in probes:
        question = TextIndex(probe["question"])
        assert 1 <= len(probe["facts"]) <= 6
        for fact in probe["facts"]:
            forms = (fact["text"], *fact.get("aliases", ()))
            assert not question.states(forms), (probe["id"], fact["text"])
            for id in fact["evidence"]:
                assert TextIndex(readable(by_id[id])).states(forms)
    assert len({probe["id"] for probe in probes}) == len(probes)


@pytest.mark.skipif(not REAL.exists(), reason=f"the public session {REAL} is not there")
def test_the_real_session_gives_probes_of_every_kind() -> None:
    messages = PiImporter().read(REAL).messages
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
