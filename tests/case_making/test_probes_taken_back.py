"""Nothing is asked for that the session took back, or that was never a part of its work."""

from __future__ import annotations

import pytest
from support.probe_logs import Log, named, plan

REQUEST = "Add a lease table to the scheduler for me"


@pytest.mark.parametrize(("folder", "asked"), [("/tmp/try", 0), ("/srv/porterq", 1)])
def test_commits_in_a_temporary_folder_are_not_asked_for(folder: str, asked: int) -> None:
    log = Log().call(
        "bash",
        command=f"cd {folder} && git commit -am x",
        output="[main 4f2a9c8] Bound the upload queue",
    )
    assert len(named(log.chatter().probes(), "commit")) == asked


def test_an_address_is_no_identifier_that_the_user_gave() -> None:
    for said, asked in (("mia_lopez_9065@example.com", 0), ("mia_lopez_9065", 1)):
        log = Log().say("user", f"My user account in the shop is {said} for this order.")
        assert len(named(log.chatter().probes(), "identifier")) == asked


def test_pasted_output_is_not_what_the_user_named() -> None:
    for said, asked in (
        ("level=warning (staticcheck) related information at SA5011", 0),
        ("Please look at the warning of the linter SA5011", 1),
    ):
        log = Log().say("user", said)
        assert len(named(log.chatter().probes(), "identifier")) == asked


@pytest.mark.parametrize("removed", [True, False])
def test_files_of_a_request_are_not_asked_for_if_one_is_gone_since(removed: bool) -> None:
    log = Log().say("user", REQUEST).call("write", path="src/sweep.py", content="x")
    log.say("user", "Now write the docs of the other part please")
    log.call("write", path="docs/pool.md", content="y")
    if removed:
        log.call("bash", command="rm src/sweep.py")
    questions = [probe["question"] for probe in named(log.chatter().probes(), "request-files")]
    assert any(REQUEST in question for question in questions) is not removed


def test_finished_steps_are_not_asked_for_where_another_plan_was_finished_before() -> None:
    done = plan("completed", "completed", "completed")
    other = {"todos": [{"content": "Rename the sweep table", "status": "completed"}]}
    log = Log().call("TodoWrite", **done)
    assert named(log.chatter().probes(), "done-steps")
    log = Log().call("TodoWrite", **other).call("TodoWrite", **done)
    assert named(log.chatter().probes(), "done-steps") == []
