"""What derived probes leave out: what is doubtful, not at risk, or not a fact."""

import json

from support.probe_logs import Log, filler, named, plan

from pytest_compaction.case_making import DerivedProbes, derive_probes, inspect, make_case
from pytest_compaction.case_making.log import Candidate, ProbeLog, path_candidate
from pytest_compaction.case_making.phrases import finished, whole_text
from pytest_compaction.importers import ImportTally, Transcript


def test_what_the_tail_or_everybody_states_is_not_at_risk():
    log = Log().call("write", path="src/early.py", content="x")
    log.call("write", path="src/late.py", content="x").chatter()
    log.say("assistant", "I come back to src/late.py now.")
    found = ProbeLog(log.messages, [len(log.messages) - 1])
    end = len(log.messages) - 1
    assert found.find(path_candidate("src/early.py", "created"), end) is not None
    assert found.find(Candidate("src/late.py", "path", (("src/late.py",),)), end) is None
    assert found.find(Candidate("go on", "state", (("go on",),)), end) is None


def test_logs_without_support_give_no_probes():
    assert derive_probes([], [], 10) == DerivedProbes()
    assert Log().chatter(3).probes() == []
    assert Log().say("assistant", "Understood.").probes() == []


def test_lead_ins_listings_and_fragments_are_no_facts():
    log = Log().say("user", "357: # PS3.3 needs to be resampled first\nplease fix the reader now")
    assert ProbeLog(log.messages, [0]).turns("user") == [(0, "please fix the reader now")]
    assert not whole_text("28 (find_package):") and not whole_text("one of these:")
    assert not whole_text("-- Could NOT find ZLIB")
    assert finished('no package "GTest" with any of') == 'no package "GTest"'


def test_what_was_redacted_is_no_fact():
    log = Log().say("assistant", "the key is REDACTED_SECRET_1 in the vault").chatter()
    found = ProbeLog(log.messages, [len(log.messages) - 1])
    secret = Candidate("REDACTED_SECRET_1", "value", (("REDACTED_SECRET_1",),))
    assert found.find(secret, found.points[0]) is None


def test_the_last_test_run_is_one_of_tests_and_not_a_log_of_old_ones():
    old = "FAILED tests/test_old.py::test_z\n7 failed, 2 passed in 3s"
    for command in ("cat old_log.txt", "grep -rn FAILED ci_logs/", "cat x.log; pytest -q"):
        log = Log().call("bash", command="pytest -q", output="FAILED t.py::test_a\n1 failed in 1s")
        log.call("bash", command="pytest -q", output="4 passed in 1s")
        log.call("bash", command=command, output=old)
        stated = str(log.chatter().probes())
        assert "test_z" not in stated and "7 failed" not in stated


def test_evidence_holds_all_words_of_its_fact():
    log = Log().say("assistant", "It prints: Variable reference not found: ${value}")
    log.say("assistant", "It prints: Variable reference not found: dimGray").chatter()
    end = len(log.messages) - 1
    found = ProbeLog(log.messages, [end])
    entry = found.find(Candidate("Variable reference not found: dimGray", "error"), end)
    assert entry is not None and entry.fact.evidence == ("m1",)


def test_a_plan_that_was_cleared_has_no_open_steps():
    log = Log().call("TodoWrite", **plan("in_progress", "pending", "pending"))
    log.call("TodoWrite", todos=[]).chatter()
    assert all("point" in probe for probe in named(log.probes(), "open-steps"))


def test_no_derived_fact_is_one_that_lint_calls_kept_or_unanswerable(tmp_path):
    log = Log().say("user", "The lease timeout must be 30 seconds for every worker.")
    for number in range(40):
        filler(log, number)
        log.call(
            "edit",
            path=f"src/part_{number}.py",
            oldText="a",
            newText=f"def resize_part{number}(): 4",
        )
    made = make_case(Transcript(tuple(log.messages), "log.json", ImportTally(1, len(log.messages))))
    path = tmp_path / "case.json"
    path.write_text(json.dumps(made.data), "utf-8")
    rules = {(entry.level, entry.rule) for entry in inspect([path]).findings}
    assert not rules & {("error", "unanswerable"), ("error", "kept-by-tail")}
    assert ("warning", "kept-by-tail") not in rules
