"""Probes ask for what the rest of a session needed: used, said again, ruled, chosen, open."""

import json

import pytest
from support.paths import public_data
from support.probe_logs import Log, facts, named, plan

from pytest_compaction.case import Fact
from pytest_compaction.case_making import Redactor, make_case
from pytest_compaction.case_making.keys import given_away
from pytest_compaction.case_making.open_probes import plan_entries
from pytest_compaction.conversation import ToolCall, readable
from pytest_compaction.importers import conversations, importer_for, load_importers
from pytest_compaction.text import TextIndex

ROLE = "The upload queue listens on port 48155 until a shutdown."
RULE = "Uploads must never block the scheduler thread of a worker."
CAUSE = "The build breaks because `leaseTable` is created after the worker pool."


def test_a_value_that_a_later_call_uses_is_asked_for_by_its_role():
    log = Log().say("assistant", ROLE).point()
    log.call("edit", path="src/stop.ts", oldText="a", newText="await drain(48155)")
    (asked,) = named(log.probes(), "values")
    assert "“The upload queue listens on port ____ until a shutdown”" in asked["question"]
    (fact,) = asked["facts"]
    assert fact["keys"][0] == ["48155"] and "upload" in fact["keys"][1]
    assert fact["needed"] == {
        "how": "used",
        "message": log.messages[-2].id,
        "distance": 1,
        "act": "edit of src/stop.ts",
    }


@pytest.mark.parametrize(
    ("shown", "used"),
    [
        (lambda log: log.say("system", "48155 is yours"), "drain(48155)"),
        (lambda log: log.call("grep", output="48155 in stop.ts"), "drain(48155)"),
        (lambda log: log.call("edit", path="a", oldText="48155", newText="x"), "stopAll()"),
    ],
    ids=["system prompt", "shown since", "only replaced"],
)
def test_a_name_that_is_shown_again_was_not_remembered(shown, used):
    log = Log().say("assistant", ROLE).point()
    shown(log)
    log.call("edit", path="src/stop.ts", oldText="a", newText=f"await {used}")
    assert named(log.probes(), "values") == []


@pytest.mark.parametrize(
    ("path", "shown", "guessed"),
    [
        ("src/lease_pool.py", "Now the tests in lease_pool_test.go pass.", True),
        ("src/test_lease_pool.py", "The lease pool is created by the worker.", True),
        ("src/lease.py", "The LeaseTest passes now.", True),
        ("src/lease.py", "Every lease ends after a minute.", False),
        ("src/lease_pool.py", "The lease ends. The pool is full.\nThe worker is done.", True),
        ("src/lease_pool.py", "The lease ends.\nThe pool is full.", False),
    ],
)
def test_a_name_that_follows_from_a_shown_one_is_not_asked_for(path, shown, guessed):
    log = Log().call("write", path=path, content="x").point().say("assistant", shown)
    log.points = [len(log.messages) - 1]
    log.call("read", path=path, output="y")
    needed = [probe for probe in log.probes() if "needed" in probe["facts"][0]]
    assert bool(needed) is not guessed


def test_a_request_of_which_the_newest_messages_tell_most_can_be_guessed():
    said = "rename the upload queue of the broker to intake"
    for shown, guessed in (("the upload queue", False), ("rename the broker queue", True)):
        log = Log().say("user", said).point().say("assistant", f"I look at {shown} for uploads.")
        log.points = [len(log.messages) - 1]
        log.call("edit", path="a", oldText="b", newText="the upload queue of the broker, intake")
        asked = named(log.probes(), "requests")
        assert ["needed" not in fact for probe in asked for fact in probe["facts"]] == [guessed]


def test_a_read_that_is_repeated_with_the_same_result_was_fetched_again_at_a_cost():
    log = Log().say("assistant", "The retry limits are kept in `limits.toml` for all workers.")
    log.call("read", path="conf/limits.toml", output="retries: 5").point()
    log.call("read", path="conf/limits.toml", output="retries: 5")
    (asked,) = named(log.probes(), "file-gaps")
    needed = asked["facts"][0]["needed"]
    assert needed["how"] == "fetched"
    assert needed["act"] == "read of conf/limits.toml again, 5 tokens"


def test_a_value_of_a_result_is_asked_for_by_its_call():
    output = '{"name": "Mia", "payment": {"card_id": "card_4421486"}}'
    log = Log().call("get_user", id="mia", output=output).point()
    log.call("refund", card="card_4421486")
    (asked,) = named(log.probes(), "values")
    assert "“card_id: ____” (result of `get_user mia`)" in asked["question"]


def test_files_that_were_changed_and_are_used_again_are_asked_for():
    log = Log().call("write", path="src/lease.py", content="x")
    log.call("edit", path="src/pool.py", oldText="a", newText="b").point()
    log.call("read", path="src/lease.py", output="y")
    (asked,) = named(log.probes(), "changed-files")
    assert facts(asked) == ["src/lease.py was created"]


def test_files_that_were_read_are_asked_for_where_nothing_else_is_as_stated_only():
    log = Log().call("read", path="src/lease.py", output="retries = 5")
    (asked,) = log.call("read", path="src/pool.py", output="size = 7").point().probes()
    assert asked["question"].startswith("Which files had been read by then?")
    assert facts(asked) == ["src/lease.py was read", "src/pool.py was read"]
    assert not any("needed" in fact for fact in asked["facts"])


def test_a_rule_of_the_user_is_asked_for_and_a_thought_is_not():
    log = Log().say("user", f"{RULE} I think the lease table should maybe hold the retries.")
    asked = log.say("user", "Please make sure the page looks good.").point().probes()
    assert [facts(probe) for probe in named(asked, "rules")] == [[RULE.rstrip(".")]]


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ("Do not rebuild the broker image on every run", "rebuild the broker image"),
        ("please dont push the broker image from this machine", "push the broker image"),
        ("the upload worker may take at most 512 MB of memory", "nothing of it"),
    ],
    ids=["do not", "dont", "exact limit"],
)
def test_what_the_user_forbids_or_limits_in_so_many_words_is_a_rule(said, text):
    log = Log().say("user", said).point().call("edit", path="a", oldText="b", newText=text)
    assert [facts(probe) for probe in named(log.probes(), "rules")] == [
        [said.removeprefix("please ")]
    ]


def test_turns_that_a_program_fills_in_set_no_rules():
    log = Log()
    for name in ("lease", "retry", "upload"):
        log.say("user", f"File checked: {name}.py must never miss its header. Run it once again.")
    assert named(log.point().probes(), "rules") == []


def test_a_requirement_is_sure_if_a_later_call_is_about_it_and_else_proposed():
    said = "the lease table should hold retries for ten minutes"
    for text, sure in (("lease table with retries", True), ("nothing of it", False)):
        log = Log().say("user", said).point().call("edit", path="a", oldText="b", newText=text)
        derived = log.derived()
        assert bool(named(derived.probes, "rules")) is sure
        assert bool(named(derived.unlikely, "rules")) is not sure


@pytest.mark.parametrize("text", ["the scheduler thread of a worker", "nothing of it"])
def test_rules_of_a_long_first_turn_are_proposals_if_a_later_call_is_about_them(text):
    log = Log().say("user", f"{RULE}\n\n{'You act as an agent. ' * 60}").point()
    derived = log.call("edit", path="a", oldText="b", newText=text).derived()
    assert named(derived.probes, "rules") == []
    assert bool(named(derived.unlikely, "rules")) is text.startswith("the scheduler")


def test_the_error_of_one_command_among_several_is_not_asked_for():
    several = "mkdir -p out && uv run worker.py"
    error = "ModuleNotFoundError: No module named 'broker'"
    log = Log().call("bash", command=several, output=error, is_error=True).point()
    assert named(log.call("bash", command=several).probes(), "failures") == []


def test_what_was_only_stated_is_asked_for_where_nothing_was_needed():
    log = Log().say("user", "rename the upload queue of the broker to intake")
    log.call("write", path="src/lease.py", content="x").chatter()
    asked = log.point().probes()
    assert [p["question"].partition(" by then")[0] for p in asked] == [
        "Which files had been created or changed",
        "What had the user asked for",
    ]
    assert not any("needed" in fact for probe in asked for fact in probe["facts"])


def test_an_answer_to_a_question_of_the_agent_is_proposed_by_that_question():
    log = Log().say("assistant", "Should the upload queue be a file or a table of Postgres?")
    log.say("user", "a plain file, the database is too slow for uploads").point()
    (asked,) = named(log.derived().proposed, "answer")
    assert "Should the upload queue be a file or a table of Postgres?" in asked["question"]
    assert asked["facts"][0]["needed"]["how"] == "chosen"


def test_an_option_that_the_user_chose_in_a_tool_is_proposed():
    question = "Which store should hold the leases?"
    options = [{"label": "Postgres table"}, {"label": "Plain file"}]
    given = {"questions": [{"question": question, "options": options}]}
    log = Log().call("AskUserQuestion", output=f'answered: "{question}"="Postgres table"', **given)
    (asked,) = named(log.point().derived().proposed, "answer")
    assert facts(asked) == ["Postgres table"]


def test_answers_by_the_ids_of_questions_are_read():
    questions = [
        {"id": id, "question": f"Which {id} should hold the leases?", "options": [{"label": "x"}]}
        for id in ("store", "broker")
    ]
    output = json.dumps({"answers": {"store": {"answers": ["Postgres table"]}}})
    log = Log().call("request_user_input", output=output, questions=questions)
    (asked,) = named(log.point().derived().proposed, "answer")
    assert "Which store" in asked["question"] and facts(asked) == ["Postgres table"]


def test_an_instruction_after_an_interruption_is_a_decision():
    log = Log().say("system", "[Request interrupted by user for tool use]")
    log.say("user", "don't create a pull request, just a commit").point()
    assert [facts(probe) for probe in named(log.probes(), "choices")] == [
        ["don't create a pull request, just a commit"]
    ]


@pytest.mark.parametrize(
    "again",
    [
        "no, not in a table, the leases go into a plain file",
        "we agreed that leases go into one plain file",
        "I already told you, leases are kept in a file",
        "the leases belong into that plain file",
    ],
)
def test_a_correction_or_reminder_repeats_a_sentence_in_other_words(again):
    log = Log().say("user", "the leases of all workers go into one plain file of the broker")
    log.point().call("bash", command="ls")
    if again.startswith("the leases"):
        log.say("system", "[Request interrupted by user]")
    log.say("user", again).call("bash", command="ls")
    assert named(log.probes(), "said-again")


def test_a_turn_about_the_same_thing_says_nothing_again():
    log = Log().say("user", "the leases of all workers go into one plain file of the broker")
    log.point().call("bash", command="ls")
    for said in ("how large may the file of the leases become?", "no, the colour should be red"):
        log.say("user", said).call("bash", command="ls")
    assert named(log.probes(), "said-again") == []


def test_what_the_user_says_again_after_the_point_is_asked_for():
    said = "keep the retry delay of the upload worker below two seconds"
    log = Log().say("user", said).point().call("bash", command="ls")
    log.say("user", f"as I said, {said}").call("bash", command="ls")
    fact = next(f for p in log.probes() for f in p["facts"] if f["needed"]["how"] == "said")
    assert fact["text"] == said and fact["needed"]["act"] == "the user says it again"


def test_a_cause_about_a_name_that_is_used_later_is_proposed():
    log = Log().say("assistant", CAUSE).point()
    log.call("grep", output="leaseTable", pattern="leaseTable")
    (asked,) = named(log.derived().unlikely, "findings")
    assert asked["question"] == "What had been found out or decided about `leaseTable`?"
    assert [fact["type"] for fact in asked["facts"]] == ["reason"]


def test_a_command_that_failed_and_runs_again_is_asked_for_with_its_error():
    error = "ModuleNotFoundError: No module named 'broker'"
    log = Log().call("bash", command="uv run worker.py", output=error, is_error=True).point()
    log.call("bash", command="uv run worker.py")
    (asked,) = named(log.probes(), "failures")
    assert asked["question"] == "With which error did this fail: `uv run worker.py`?"
    assert asked["facts"][0]["type"] == "error"


def test_a_refused_command_that_is_replaced_by_another_is_asked_for():
    error = "error: unrecognized subcommand 'bun' of the wrapper"
    log = Log().call("bash", command="wrap bun run check", output=error, is_error=True).point()
    log.call("bash", command="bun run check")
    (asked,) = named(log.probes(), "failures")
    assert facts(asked) == [error]


@pytest.mark.parametrize("lead", ["<issue_description>\n", "Please solve this.\nISSUE:\n"])
def test_the_title_of_a_report_is_the_request_under_way(lead):
    title = "LeasePool ignores the parent limit when leases expire"
    log = Log().say("user", f"{lead}{title}\nThey stay for hours.\n").point()
    (asked,) = named(log.call("bash", command="ls").probes(), "requests")
    assert facts(asked) == [title]


def test_after_a_recorded_compaction_only_what_needs_no_memory_of_names_is_asked():
    log = Log().say("assistant", ROLE).say("user", RULE).point()
    log.call("edit", path="src/stop.ts", oldText="a", newText="await drain(48155)")
    derived = log.derived(recorded=True)
    assert named(derived.probes, "values") == []
    assert named(derived.probes, "rules")


def test_what_a_point_lacks_and_what_was_looked_for_is_told():
    derived = Log().say("user", RULE).point().derived()
    assert derived.lacking == {"p1": ("recall", "file", "continuation")}
    assert derived.found["rules and decisions of the user"] == (1, 1)
    assert derived.found["failing tests"] == (0, 0)


def test_tasks_that_calls_create_and_update_by_number_are_a_plan():
    log = Log()
    for number, subject in enumerate(("Write src/upload.py", "Move the retry loop"), 1):
        log.call("TaskCreate", subject=subject, output=f"Task #{number} created successfully")
    log.call("TaskUpdate", taskId="2", status="completed")
    log.call("TaskUpdate", taskId="7", status="completed", is_error=True).point()
    derived = log.derived()
    assert facts(named(derived.proposed, "open-steps")[0]) == ["Write src/upload.py"]


def test_open_steps_of_a_plan_are_proposed_with_the_call_that_takes_them_up():
    log = Log().call("TodoWrite", **plan("in_progress", "pending", "pending"))
    log.call("TodoWrite", **plan("completed", "in_progress", "pending")).point()
    log.call("TodoWrite", **plan("completed", "completed", "pending"))
    (steps,) = named(log.derived().proposed, "open-steps")
    assert facts(steps) == ["Move the loop of retry.ts", "Document RETRY_LIMITS"]
    assert {fact["type"] for fact in steps["facts"]} == {"next_step"}
    assert [fact["needed"].get("act") for fact in steps["facts"]] == [
        "the step is taken up",
        None,
    ]


@pytest.mark.parametrize("said", ["", "now look at the docs of the broker instead"])
def test_a_plan_is_not_asked_for_once_the_user_has_asked_for_something_else(said):
    log = Log().call("TodoWrite", **plan("in_progress", "pending", "pending"))
    if said:
        log.say("user", said)
    assert bool(named(log.point().derived().proposed, "open-steps")) is not said


@pytest.mark.parametrize(
    "arguments",
    [
        {"plan": [{"step": "Write the upload queue", "status": "pending"}]},
        {"explanation": "x", "items": [{"title": "Write the upload queue", "done": False}]},
        {"command": "plan", "task_list": [{"title": "Write the upload queue", "status": "todo"}]},
    ],
)
def test_plans_are_known_by_their_shape(arguments):
    call = ToolCall("c", "update_plan", json.dumps(arguments))
    assert [text for text, _ in plan_entries(call)] == ["Write the upload queue"]
    assert plan_entries(ToolCall("c", "edit", '{"edits": [{"old": "a", "new": "b"}]}')) == []


def test_tests_that_still_fail_are_asked_for():
    output = "FAILED tests/test_a.py::test_one - x\nFAILED tests/test_a.py::test_two\n"
    log = Log().call("bash", command="pytest -q", output=output + "2 failed, 3 passed in 1.0s")
    (failing,) = named(log.point().call("bash", command="ls").probes(), "failing-tests")
    assert facts(failing) == ["tests/test_a.py::test_one", "tests/test_a.py::test_two"]


def test_the_probes_of_a_real_session_are_sound_and_at_most_two_of_a_shape():
    path = public_data("pi-agent/large-session.jsonl")
    (read,) = conversations(importer_for(path, load_importers().importers), path)
    transcript = Redactor().redact(read)
    data = make_case(transcript, all_proposals=True).data
    by_id = {message.id: message for message in transcript.messages}
    both = [*data["probes"], *data["proposed"]]
    assert len({probe["id"] for probe in both}) == len(both)
    assert {probe["kind"] for probe in both} == {"recall", "file", "continuation", "decision"}
    for probe in data["probes"]:
        assert len(named(data["probes"], probe["id"].split("-", 2)[2])) <= 2
        for fact in probe["facts"]:
            keys = tuple(map(tuple, fact["keys"]))
            assert not given_away(probe["question"], keys, fact["text"]), probe["id"]
            told = Fact(fact["text"], type=fact["type"], keys=keys, change=fact.get("change"))
            for text in (fact["text"], *(readable(by_id[id]) for id in fact["evidence"])):
                assert TextIndex(text).read(told.statement).outcome == "stated"
            assert by_id[fact["needed"]["message"]]
