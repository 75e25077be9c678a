"""Probes about what the user asked for: whole requests in their own words, and nothing pasted."""

from __future__ import annotations

import pytest
from support.probe_logs import Log, facts, named

FIRST = "please make the upload queue bounded for every worker"


def test_the_evidence_of_a_file_holds_the_call_that_changed_it() -> None:
    log = Log().call("read", path="src/lease.py", output="x")
    for number in range(4):
        log.say("assistant", f"src/lease.py was modified {number} times in the last year.")
    log.say("user", FIRST).call("edit", path="src/lease.py", oldText="a", newText="b")
    (asked,) = named(log.chatter().probes(), "request-files")
    assert "m7" in asked["facts"][0]["evidence"]


def test_code_that_was_defined_for_a_request_is_asked_for_whole() -> None:
    log = Log().call("read", path="net.py", output="def send_late(n): 1")
    log.say("user", FIRST)
    added = "def backoff_delay(n):\n    pass\ndef resend_all(n):\n    pass"
    log.call("edit", path="net.py", oldText="a", newText=added)
    (asked,) = named(log.chatter().probes(), "request-code")
    assert FIRST in asked["question"]
    assert sorted(facts(asked)) == ["backoff_delay", "resend_all"]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("def send_late(n):\n    pass", []),
        ("def send(n):\n    pass", []),
    ],
)
def test_where_code_may_have_been_moved_or_has_a_plain_name_no_list_of_it_is_whole(
    more: str, expected: list[list[str]]
) -> None:
    log = Log().call("read", path="net.py", output="def send_late(n): 1")
    log.say("user", FIRST)
    added = f"def backoff_delay(n):\n    pass\n{more}"
    log.call("edit", path="net.py", oldText="a", newText=added)
    asked = named(log.chatter().probes(), "request-code")
    assert [facts(probe) for probe in asked] == expected


def test_code_that_a_request_names_with_a_typing_error_is_not_asked_for() -> None:
    for said, count in (("the delays of it", 1), ("a function bakoff_delay", 0)):
        log = Log().call("read", path="net.py", output="def send_late(n): 1")
        log.say("user", f"please add {said} to the upload handler for everybody")
        log.call("edit", path="net.py", oldText="a", newText="def backoff_delay(n):\n    pass")
        assert len(named(log.chatter().probes(), "request-code")) == count


def test_code_that_a_request_added_is_asked_for_after_it_and_not_if_it_was_shown_before() -> None:
    for shown, count in (("def send_late(n): 1", 1), ("x = backoff_delay(2)", 0)):
        log = Log().call("read", path="net.py", output=shown).chatter()
        log.say("user", FIRST)
        log.call("edit", path="net.py", oldText="a", newText="def backoff_delay(n):\n    pass")
        asked = named(log.chatter().probes(), "request-code")
        assert len(asked) == count
        assert all(probe["point"] != "p1" for probe in asked)


def test_code_of_a_document_or_that_is_gone_was_not_defined_for_a_request() -> None:
    for path, gone in (("PLAN.md", False), ("net.py", True)):
        log = Log().say("user", FIRST)
        log.call("write", path=path, content="def backoff_delay(n):\n    pass")
        if gone:
            log.call("edit", path=path, oldText="def backoff_delay(n):", newText="pass")
        assert named(log.chatter().probes(), "request-code") == []


def test_of_files_that_the_only_request_made_one_question_asks() -> None:
    log = Log().say("user", FIRST).call("write", path="src/lease.py", content="x")
    asked = [p for p in log.chatter().probes() if facts(p) == ["src/lease.py was created"]]
    assert len(asked) == 1


def test_a_list_of_created_files_is_not_asked_for_after_the_user_took_some_away() -> None:
    for said in ("I removed the draft again, go on with it", "please go on with the draft now"):
        log = Log().call("write", path="src/lease.py", content="x").say("user", said)
        asked = named(log.chatter().probes(), "created")
        assert bool(asked) is not said.startswith("I removed")


def test_the_last_request_is_not_said_to_have_a_message_after_it() -> None:
    log = Log().call("write", path="src/sweep.py", content="x")
    log.say("user", FIRST).call("write", path="src/lease.py", content="x")
    for _ in range(40):
        log.say("assistant", "Understood.")
    (asked,) = named(log.probes(), "request-files")
    assert "next message" not in asked["question"]
