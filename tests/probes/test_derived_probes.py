"""Derived probes are sensible, verified and at risk, and never leak their facts."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from support.paths import public_data

from pytest_compaction.case_making.case_maker import compaction_points, make_case
from pytest_compaction.conversation.messages import Message, Text, ToolCall, ToolResult, readable
from pytest_compaction.importers.formats.pi.importer import PiImporter
from pytest_compaction.importers.protocol import ImportTally, Transcript
from pytest_compaction.probes.derive import derive_probes
from pytest_compaction.probes.lint import inspect
from pytest_compaction.probes.log import ProbeLog
from pytest_compaction.probes.phrases import clauses, whole_text
from pytest_compaction.probes.sources.plans import plan_entries
from pytest_compaction.text.matching import TextIndex


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
        """Add turns that state nothing, so that earlier messages are no longer the tail."""
        for _ in range(turns):
            self.say("assistant", "Understood.").say("user", "go on")
        return self

    def probes(self) -> list[dict[str, Any]]:
        """All probes that the rules give, even those the offline control cannot answer."""
        end = len(self.messages) - 1
        return derive_probes(self.messages, [end // 3, end * 2 // 3, end], verified=False)


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
    texts = [f"timeout_s = {t}\nretry_limit = {n}" for t, n in [(30, 5), (45, 8), (20, 13)]]
    for old, new in pairwise(texts):
        log.call("edit", path="conf.py", oldText=old, newText=new)
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
        "fix the tui test sources",
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


def plan(*states: str) -> dict[str, Any]:
    steps = ["Write the upload queue", "Move the retry loop", "Document both of them"]
    return {"todos": [{"content": s, "status": t} for s, t in zip(steps, states, strict=True)]}


def test_open_steps_of_a_plan_are_asked_for() -> None:
    log = Log().call("TodoWrite", **plan("in_progress", "pending", "pending"))
    log.call("TodoWrite", **plan("completed", "in_progress", "pending")).chatter()
    (steps,) = named(log.probes(), "open-steps")
    assert facts(steps) == ["Move the retry loop", "Document both of them"]
    assert {fact["about"] for fact in steps["facts"]} == {"pending"}


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
    assert first["traps"] == [{"text": "38 passed", "current": ["7 failed, 31 passed"]}]


def test_versions_are_asked_for_by_name_with_older_ones_as_traps() -> None:
    log = Log().call("bash", command="pip list", output="httpx==0.26.1\nruff 0.4.10")
    log.call("bash", command="pip install -U httpx", output="installed httpx 0.27.2").chatter()
    (versions,) = named(log.probes(), "versions")
    assert sorted(facts(versions)) == ["httpx 0.27.2", "ruff 0.4.10"]
    assert versions["traps"] == [{"text": "httpx 0.26.1", "current": ["0.27.2"]}]


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
    assert facts(named(probes, "finding")[0]) == ["line 29", "line 666"]


def test_lead_ins_listings_and_fragments_are_no_facts() -> None:
    assert clauses("We are solving the following issue in the repository:") == []
    assert clauses('"is not supported by the numpy pixel handler"') == []
    assert clauses("it lines up with the New Session button in the old bar and Search field") == []
    log = Log().say("user", "357: # PS3.3 needs to be resampled first\nplease fix the reader now")
    assert ProbeLog(log.messages, [0]).turns("user") == [(0, "please fix the reader now")]
    assert not whole_text("28 (find_package):") and not whole_text("one of these:")


def test_a_short_session_is_asked_for_single_facts() -> None:
    log = Log().say("user", "thread 4\nqueue limit 64\nretry delay 1.5")
    log.say("assistant", "I use a bounded queue instead of one thread each.").chatter(10)
    probes = log.probes()
    assert [len(probe["facts"]) for probe in named(probes, "instead")] == [1]


def test_what_was_redacted_is_no_fact() -> None:
    log = Log().say("assistant", "the key is REDACTED_SECRET_1 in the vault").chatter()
    found = ProbeLog(log.messages, [len(log.messages) - 1])
    assert found.find("REDACTED_SECRET_1", found.points[0], "detail") is None


def filler(log: Log, number: int) -> Log:
    row = " ".join(f"The scheduler keeps item {number * 9 + n} in its table." for n in range(9))
    return log.say("assistant", row)


def test_of_rules_about_one_thing_the_last_is_asked_for_and_the_others_are_traps() -> None:
    log = Log().say("user", "The lease timeout must be 30 seconds for every worker.")
    again = "the lease timeout must be {} seconds for every worker."
    filler(log, 1).say("user", f"Change of plan: {again.format(45)}")
    filler(log, 2).say("user", f"Final word: {again.format(60)}")
    probes = log.chatter().probes()
    (rule,) = named(probes, "constraint")
    assert facts(rule) == ["must be 60 seconds for every worker"]
    assert [trap["text"] for trap in rule["traps"]] == [
        "must be 30 seconds for every worker",
        "must be 45 seconds for every worker",
    ]
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
    assert facts(created) == ["src/a.py", "src/b.py"]
    (deleted,) = named(probes, "deleted")
    assert facts(deleted) == ["docs/manual.md", "build/gen.py"]


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
    assert facts(created) == ["src/c.py", "src/d.py"]


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
    output = "ls: cannot access 'src/lib': No such file or directory\nexit code 2"
    log = Log().say("user", "please look at the library of it")
    log.call("bash", command="ls src/lib", output=output)
    (error,) = named(log.chatter().probes(), "error")
    assert facts(error)[-1] == "exit code 2"


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


def test_one_value_that_changed_often_is_asked_for_with_all_older_ones_as_traps() -> None:
    log = Log()
    for old, new in pairwise((3, 5, 8, 13)):
        log.call("edit", path="conf.toml", oldText=f"retries = {old}", newText=f"retries = {new}")
        filler(log, new)
    (changed,) = named(log.chatter().probes(), "changed-values")
    assert facts(changed) == ["retries: 13"]
    assert [trap["text"] for trap in changed["traps"]] == ["retries: 3", "retries: 5", "retries: 8"]


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
    found = ProbeLog(log.messages, [len(log.messages) - 1])
    entry = found.find("Variable reference not found: dimGray", found.points[0], "detail")
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
