"""What derived probes leave out: what is doubtful, not at risk, or not a fact."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from support.probe_logs import Log, facts, filler, named, plan

from pytest_compaction.case_making.case_maker import make_case
from pytest_compaction.importers.protocol import ImportTally, Transcript
from pytest_compaction.probes.derive import derive_probes
from pytest_compaction.probes.lint import inspect
from pytest_compaction.probes.log import Candidate, ProbeLog, path_candidate
from pytest_compaction.probes.phrases import clauses, whole_text


def test_a_command_that_ran_often_is_not_asked_for() -> None:
    log = Log().say("user", "please start the server on its port")
    for number in range(2):
        output = f"ValueError: port {number} is taken\nTypeError: number {number} is bad"
        log.call("bash", command="npm run serve", output=output, is_error=True)
    assert named(log.chatter().probes(), "error") == []


def test_what_the_tail_or_everybody_states_is_not_at_risk() -> None:
    log = Log().call("write", path="src/early.py", content="x")
    log.call("write", path="src/late.py", content="x").chatter()
    log.say("assistant", "I come back to src/late.py now.")
    found = ProbeLog(log.messages, [len(log.messages) - 1])
    end = len(log.messages) - 1
    assert found.find(path_candidate("src/early.py", "created"), end) is not None
    assert found.find(Candidate("src/late.py", "path", (("src/late.py",),)), end) is None
    assert found.find(Candidate("go on", "state", (("go on",),)), end) is None


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
        "fix the tui test sources",
        "create default themes",
        "keep the old names",
    ]


def test_logs_without_support_give_no_probes() -> None:
    assert derive_probes([], [], 10) == []
    assert Log().chatter(3).probes() == []


def test_lead_ins_listings_and_fragments_are_no_facts() -> None:
    assert clauses("We are solving the following issue in the repository:") == []
    assert clauses('"is not supported by the numpy pixel handler"') == []
    assert clauses("it lines up with the New Session button in the old bar and Search field") == []
    log = Log().say("user", "357: # PS3.3 needs to be resampled first\nplease fix the reader now")
    assert ProbeLog(log.messages, [0]).turns("user") == [(0, "please fix the reader now")]
    assert not whole_text("28 (find_package):") and not whole_text("one of these:")


def test_what_was_redacted_is_no_fact() -> None:
    log = Log().say("assistant", "the key is REDACTED_SECRET_1 in the vault").chatter()
    found = ProbeLog(log.messages, [len(log.messages) - 1])
    secret = Candidate("REDACTED_SECRET_1", "value", (("REDACTED_SECRET_1",),))
    assert found.find(secret, found.points[0]) is None


def test_of_rules_about_one_thing_the_last_is_asked_for_and_the_others_are_traps() -> None:
    log = Log().say("user", "The lease timeout must be 30 seconds for every worker.")
    again = "the lease timeout must be {} seconds for every worker."
    filler(log, 1).say("user", f"Change of plan: {again.format(45)}")
    filler(log, 2).say("user", f"Final word: {again.format(60)}")
    probes = log.chatter().probes()
    (rule,) = named(probes, "constraint")
    said = "lease timeout must be {} seconds for every worker"
    assert facts(rule) == [f"the {said.format(60)}"]
    assert [trap["text"] for trap in rule["traps"]] == [
        f"The {said.format(30)}",
        f"the {said.format(45)}",
    ]
    assert {trap["of"] for trap in rule["traps"]} == set(facts(rule))
    recalled = [fact for probe in probes if probe["kind"] == "recall" for fact in facts(probe)]
    assert not any("30" in fact or "45" in fact for fact in recalled)


@pytest.mark.parametrize(
    "later",
    ["The lease timeout may grow to 90 then.", "The lease timeout must not be 30 seconds at all."],
)
def test_a_rule_that_was_taken_up_in_other_words_is_not_asked_for(later: str) -> None:
    log = Log().say("user", "The lease timeout must be 30 seconds for every worker.")
    probes = filler(log, 1).say("user", later).chatter().probes()
    assert named(probes, "constraint") == [] and named(probes, "numbers") == []


def test_files_of_a_deleted_renamed_or_cleaned_folder_are_not_there_any_more() -> None:
    log = Log()
    for path in ("docs/manual.md", "old/notes.md", "build/gen.py", "src/a.py", "src/b.py"):
        log.call("write", path=path, content="x")
    log.call("bash", command="rm -rf docs", output="")
    log.call("bash", command="git mv old handbook", output="")
    log.call("bash", command="git clean -fdx", output="Removing build/")
    probes = log.chatter().probes()
    (created,) = named(probes, "created")
    assert facts(created) == ["src/a.py was created", "src/b.py was created"]
    # No message says by name that one of them is gone, so nobody can be asked to know it.
    assert named(probes, "deleted") == []


@pytest.mark.parametrize(
    "command",
    [
        "git stash",
        "git reset --hard HEAD~1",
        "git clean -fdxq",
        "rm -f src/*.py",
        'rm "$file"',
        "cd /elsewhere/src && rm a.py b.py",
        "git ls-files -o | xargs rm",
        "find . -name '*.py' -delete",
    ],
)
def test_what_may_be_gone_is_not_said_to_be_there(command: str) -> None:
    log = Log()
    for name in ("a", "b"):
        log.call("write", path=f"src/{name}.py", content="x")
    if command.startswith("cd /elsewhere"):
        log.call("bash", command="cat /elsewhere/src/a.py", output="x")
    probes = log.call("bash", command=command, output="").chatter().probes()
    for probe in named(probes, "created"):
        assert probe["point"] == "p1"


def test_a_file_that_an_output_named_before_was_not_created() -> None:
    log = Log().call("bash", command="ls src", output="src/a.py\nsrc/b.py")
    for name in "abcd":
        log.call("bash", command=f"echo x_{name} > src/{name}.py", output="")
    (created,) = named(log.chatter().probes(), "created")
    assert facts(created) == ["src/c.py was created", "src/d.py was created"]


def test_the_last_test_run_is_one_of_tests_and_not_a_log_of_old_ones() -> None:
    old = "FAILED tests/test_old.py::test_z\n7 failed, 2 passed in 3s"
    for command in ("cat old_log.txt", "grep -rn FAILED ci_logs/", "cat x.log; pytest -q"):
        log = Log().call("bash", command="pytest -q", output="FAILED t.py::test_a\n1 failed in 1s")
        log.call("bash", command="pytest -q", output="4 passed in 1s")
        log.call("bash", command=command, output=old)
        stated = str(log.chatter().probes())
        assert "test_z" not in stated and "7 failed" not in stated


def test_what_a_file_says_is_no_error_of_the_call_that_read_it() -> None:
    text = "Yesterday: ERROR: TypeError: bad operand 4711\nValueError: port 6390 is taken"
    log = Log().say("user", "please look at the notes of yesterday")
    log.call("Read", file_path="notes.md", output=text)
    log.call("bash", command="cat other.md", output=text)
    assert named(log.chatter().probes(), "error") == []


def test_an_error_of_a_program_that_shows_files_is_its_own() -> None:
    output = "ls: cannot access 'src/lib': No such file or directory\nexit code 127"
    log = Log().say("user", "please look at the library of it")
    log.call("bash", command="ls src/lib", output=output)
    (error,) = named(log.chatter().probes(), "error")
    assert facts(error)[-1] == "exit code 127"


@pytest.mark.parametrize(
    "command",
    [
        "sed -i 's/MAX_RETRIES = 3/MAX_RETRIES = 7/' app.py",
        "perl -pi -e 's/LIMIT=1/LIMIT=22/' app.py",
    ],
)
def test_a_script_of_sed_or_perl_is_no_line_of_the_file(command: str) -> None:
    log = Log().call("edit", path="app.py", oldText="a", newText="retry_budget = plan.retries")
    assert len(named(Log().chatter().probes(), "last-edit")) == 0
    probes = log.call("bash", command=command, output="").chatter().probes()
    assert [probe for probe in named(probes, "last-edit") if "point" not in probe] == []


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("bash", {"command": "sed -i 's/retries = 8/retries = 9/' conf.toml"}),
        ("write", {"path": "conf.toml", "content": "retries = 9"}),
        ("edit", {"path": "/repo/conf.toml", "oldText": "retries = 8", "newText": "retries = 9"}),
        ("edit", {"path": "conf.toml", "oldText": "retries = 2", "newText": "retries = 4"}),
        ("bash", {"command": "git checkout -- conf.toml"}),
    ],
)
def test_a_value_that_something_else_may_have_set_is_not_asked_for(
    name: str, arguments: dict[str, str]
) -> None:
    log = Log()
    for old, new in pairwise((3, 5, 8)):
        log.call("edit", path="conf.toml", oldText=f"retries = {old}", newText=f"retries = {new}")
    probes = log.call(name, **arguments).chatter().probes()
    asked = [fact for probe in named(probes, "changed-values") for fact in facts(probe)]
    assert asked == (["retries: 9"] if "/repo/conf.toml" in str(arguments) else [])


def test_evidence_holds_all_words_of_its_fact() -> None:
    log = Log().say("assistant", "It prints: Variable reference not found: ${value}")
    log.say("assistant", "It prints: Variable reference not found: dimGray").chatter()
    end = len(log.messages) - 1
    found = ProbeLog(log.messages, [end])
    entry = found.find(Candidate("Variable reference not found: dimGray", "error"), end)
    assert entry is not None and entry.fact.evidence == ("m1",)


def test_a_first_and_a_last_run_are_those_of_the_log() -> None:
    log = Log().call("bash", command="python go.py", output="\n".join("abcdefgh"))
    log.call("bash", command="python go.py", output="result is 41")
    log.call("bash", command="python go.py", output="result is 42")
    assert named(log.chatter().probes(), "rerun") == []


def test_a_plan_that_was_cleared_has_no_open_steps() -> None:
    log = Log().call("TodoWrite", **plan("in_progress", "pending", "pending"))
    log.call("TodoWrite", todos=[]).chatter()
    assert all("point" in probe for probe in named(log.probes(), "open-steps"))


def test_no_derived_fact_is_one_that_lint_calls_kept_or_unanswerable(tmp_path: Path) -> None:
    log = Log().say("user", "The lease timeout must be 30 seconds for every worker.")
    for number in range(40):
        filler(log, number)
        log.call("edit", path=f"src/part_{number}.py", oldText="a", newText=f"size_{number} = 4")
    made = make_case(Transcript(tuple(log.messages), "log.json", ImportTally(1, len(log.messages))))
    path = tmp_path / "case.json"
    path.write_text(json.dumps(made.data), "utf-8")
    rules = {(entry.level, entry.rule) for entry in inspect([path]).findings}
    assert not rules & {("error", "unanswerable"), ("error", "kept-by-tail")}
    assert ("warning", "kept-by-tail") not in rules
