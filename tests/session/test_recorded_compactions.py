"""An agent's own compactions are judged like any strategy, at their own points."""

import json
import math
from typing import Any

import pytest
from support.builders import COUNTER, assistant, tool, user
from support.case_errors import items_of
from support.compacting import with_records
from support.imports import at_length
from support.scenarios import case, flat, records, run, set_up, write_cases

from pytest_compaction import cli
from pytest_compaction.case import CaseFileError, find_cases
from pytest_compaction.case_making import make_case
from pytest_compaction.conversation import text_message
from pytest_compaction.importers import Boundary, ImportTally, Transcript
from pytest_compaction.metrics import OBSERVED


@pytest.mark.parametrize(
    ("record", "pointer", "words"),
    [
        ({"summary": "s", "kept": ["m9"]}, "/kept/0", "the id of a message up to the point"),
        ({"summary": "s", "kept": ["m5"]}, "/kept/0", "the id of a message up to the point"),
        ({"summary": "s", "kept": ["m1", "m1"]}, "/kept/1", "each message once"),
        ({"messages": [{"log": "m6"}]}, "/messages/0/log", "a message up to the point"),
        ({"summary": "s", "kept": ["m3"]}, "", "results-follow-calls to hold"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "", "no tool_call_id"),
        ({"summary": ""}, "/summary", "text that is not empty"),
        ({"messages": []}, "/messages", "at least 1 item"),
        ({"summary": "s", "messages": [{"log": "m1"}]}, "", "valid under"),
        ({"summary": "s", "more": 1}, "", "the unknown key 'more'"),
        ({"messages": [{"role": "poet", "content": "x"}]}, "/messages/0", "not valid"),
    ],
)
def test_a_broken_record_is_named_with_its_place(tmp_path, record, pointer, words):
    path = tmp_path / "case.json"
    path.write_text(json.dumps(with_records(record)), "utf-8")
    (error,) = items_of(path)
    assert isinstance(error, CaseFileError)
    assert f"/compaction_points/0/recorded{pointer}: " in str(error)
    assert words in str(error)


# --- in a session --------------------------------------------------------------------


LOSSY = "We edited src/queue.py and set the retry limit to 30. Next: docs/retries.md."
FULL = (
    "The retry limit is 45 because the broker restarts slowly. "
    "Next step: update docs/retries.md with the new limit."
)


def recorded_case(early, late):
    data = case("first")
    for point, text in zip(data["compaction_points"], (early, late), strict=True):
        if text is not None:
            point["recorded"] = {"summary": text}
    return data


def test_a_summary_that_drops_a_fact_is_seen_to_drop_it(pytester):
    set_up(pytester, "first")
    write_cases(pytester, recorded_case("edited src/queue.py", LOSSY))
    result = run(pytester, "--compactor=recorded,anchored", compactor=None)
    by_item = {(r["compactor"], r["probe"]): r for r in records(pytester).records}
    assert len(by_item) == 8
    dropped = by_item["recorded", "decided"]
    assert dropped["status"] == "failed"
    (fact,) = dropped["facts"]
    assert (fact["text"], fact["type"]) == ("the broker restarts slowly", "reason")
    assert (fact["view"], fact["loss"]) == ("absent", "dropped")
    assert by_item["recorded", "limit"]["facts"][0]["survived"] is False
    assert by_item["recorded", "limit"]["traps"][0]["hit"] is True
    assert by_item["recorded", "next"]["facts"][0]["survived"] is True
    assert by_item["recorded", "files"]["status"] == "passed"
    assert by_item["anchored", "decided"]["facts"][0]["survived"] is True
    assert "dropped (not in the view), reason: the broker restarts slowly" in flat(result.outlines)


def reads(numbers, first):
    """Reads of files, each with a result of its own; ``first`` numbers the first call."""
    for call, number in enumerate(numbers, start=first):
        arguments = {"path": f"src/part{number}.py"}
        yield {"id": f"call{call}", **assistant("I read.", (f"r{call}", "read_file", arguments))}
        text = f"part {number} of the queue: " + "words " * 20
        yield {"id": f"result{call}", **tool(f"r{call}", text)}


def test_what_the_agent_looked_up_again_after_its_compaction_is_held_against_elsewhere(pytester):
    data = case("first")
    start = [{"id": "m0", **user("The retry limit is 45.")}]
    before, after = range(30), [0, 1, *range(30, 88)]
    data["messages"] = [*start, *reads(before, 0), {"id": "on", **user("Go on.")}]
    data["messages"] += [*reads(after, 30), {"id": "end", **user("Done?")}]
    data["compaction_points"] = [
        {"id": "p1", "after": "on", "recorded": {"summary": "The retry limit is 45."}}
    ]
    fact = {"text": "45", "evidence": ["m0"]}
    data["probes"] = [
        {"id": "limit", "kind": "recall", "question": "Which retry limit?", "point": "p1"}
        | {"facts": [fact]}
    ]
    set_up(pytester, "first")
    write_cases(pytester, {**data, "budget": 300, "window": 8000})
    result = run(
        pytester,
        "--compactor=recorded,truncate",
        compactor=None,
    )
    shown = (
        "looked up again in the next 10 calls after a compaction on record 20.0%, elsewhere 0.0%, "
        "difference +20.0 points"
    )
    assert shown in flat(result.outlines)
    (record, _) = records(pytester).records
    assert record["point"]["fetched_again"]["10"] == {
        "after": {"calls": 10, "again": 2, "tokens": 270, "tokens_again": 54},
        "elsewhere": {"calls": 300, "again": 0, "tokens": 8100, "tokens_again": 0},
        "points": 30,
    }
    assert record["point"]["calls_before_new_work"] == {"after": 40, "elsewhere": 40}


@pytest.fixture
def observed_run(pytester):
    """A run over a session with two compactions on record that tell every figure."""
    rule = "The retry limit is 45. Never run `make release` on the host."
    runs = [
        {"id": "work", **assistant("I run.", ("r900", "bash", {"command": "make release"}))},
        {"id": "worked", **tool("r900", "released")},
    ]
    data = case("first") | {"budget": 300, "window": 8000}
    data["messages"] = [{"id": "m0", **user(rule)}, *reads(range(30), 0)]
    data["messages"] += [{"id": "on", **user("Go on.")}]
    data["messages"] += [{"id": "typed", **user("/compact name every reviewer and deadline")}]
    data["messages"] += [*reads([0, 1], 30), *runs, *reads(range(30, 110), 32)]
    data["messages"] += [{"id": "more", **user("Go on.")}, *reads(range(110, 115), 112)]
    data["messages"] += [{"id": "end", **user("Done?")}]
    first = {"summary": "The retry limit is 45.", "tokens_before": 7000, "tokens_after": 2000}
    first |= {"window": 8000, "trigger": "manual", "seconds": 61.5, "usd": 0.25}
    second = {"summary": "Nothing new.", "tokens_before": 7900, "tokens_after": 7800}
    data["compaction_points"] = [
        {"id": "p1", "after": "on", "recorded": first},
        {"id": "p2", "after": "more", "recorded": {**second, "window": 8000, "trigger": "auto"}},
    ]
    data["probes"] = [
        {"id": "limit", "kind": "recall", "question": "Which retry limit?", "point": "p2"}
        | {"facts": [{"text": "45", "evidence": ["m0"]}]}
    ]
    data["probes"].append(data["probes"][0] | {"id": "early", "point": "p1"})
    set_up(pytester, "first")
    write_cases(pytester, data)
    reports = [f"--compaction-report={name}" for name in ("page.html", "report.json")]
    return run(pytester, "--compactor=recorded", *reports, compactor=None)


VALUES = {
    "no_op": 0,
    "bloated": 0.5,
    "doubled": 0,
    "ignored_instruction": 1,
    "said_again": 0,
    "corrections": 0,
    "rules_broken": 1,
    "recorded_freed": (5 / 7 + 1 / 79) / 2,
    "recorded_stuck": 1,
    "recorded_until_stuck": 2,
    "recorded_seconds": 61.5,
    "recorded_usd": 0.25,
}


def test_every_figure_of_compactions_on_record_is_in_gate_table_json_and_page(
    pytester, observed_run, capsys
):
    page = (pytester.path / "page.html").read_text("utf-8").replace("<wbr>", "")
    data = json.loads((pytester.path / "report.json").read_text("utf-8"))
    figures = data["strategies"][0]["figures"]
    rows = {row["figure"] for row in data["tables"]["fetched_again"]["rows"]}
    for figure in OBSERVED:
        value = figures[figure.name]["value"]
        assert value == pytest.approx(VALUES.get(figure.name, value), abs=1e-4), figure.name
        assert figure.label in rows
        assert figure.label in page
        capsys.readouterr()
        bound = math.floor(value * 1000) / 1000
        for sign, code in ((">=", 0), ("<", 1)):
            rule = f"{figure.name}@recorded{sign}{bound:.3f}"
            assert cli.main(["gate", "last", f"--threshold={rule}"]) == code, rule
    assert set(VALUES) < set(figures)


def test_the_table_of_cycles_has_the_seconds_on_record(pytester, observed_run):
    data = json.loads((pytester.path / "report.json").read_text("utf-8"))
    (row,) = data["tables"]["cycles"]["rows"]
    assert (row["compactor"], row["seconds"]) == ("recorded", 61.5)


@pytest.mark.parametrize("number", [10**400, 1e300, 0])
def test_numbers_on_record_that_are_none_are_not_taken(pytester, number):
    data = recorded_case("edited src/queue.py", FULL)
    stated = {"tokens_before": number, "tokens_after": number, "window": number, "usd": number}
    for point in data["compaction_points"]:
        point["recorded"] |= stated | {"attached": [9]}
    set_up(pytester, "first")
    write_cases(pytester, data)
    run(pytester, "--compactor=recorded", compactor=None)
    assert cli.main(["report", "last"]) == 0


def test_the_page_has_each_compaction_on_record(pytester, observed_run):
    page = (pytester.path / "page.html").read_text("utf-8").replace("<wbr>", "")
    for words in (
        "Each compaction on record",
        "61.50",
        "ignored its instruction",
        "bloated, stuck",
    ):
        assert words in page
    assert "make release" in page[page.index("then forbidden") :]
    assert "What 2 compactions in 1 session cost" in page


def test_a_threshold_on_the_recorded_session_names_recorded(pytester, observed_run):
    for figure in ("fetched_again_40", "calls_before_new_work", "no_op"):
        refused = run(pytester, f"--compaction-threshold={figure}<=0.1")
        assert "is on a figure of the recorded session" in flat(refused.errlines)
        assert f"write {figure}@recorded" in flat(refused.errlines)
    refused = run(pytester, "--compaction-threshold=task_estimate@recorded<=0.1")
    assert "so that no gate can decide on it" in flat(refused.errlines)


@pytest.mark.parametrize(
    "workers", [[], pytest.param(["-n2"], marks=pytest.mark.exhaustive)], ids=["n0", "n2"]
)
def test_items_at_a_point_without_a_record_are_unscored_with_the_reason(pytester, workers):
    set_up(pytester, "first")
    write_cases(pytester, recorded_case(None, FULL))
    result = run(pytester, "--compactor=recorded", *workers, compactor=None)
    by_probe = {r["probe"]: r for r in records(pytester).records}
    assert by_probe["files"]["status"] == "unscored"
    assert "there is nothing to judge at early" in by_probe["files"]["reason"]
    assert [by_probe[name]["status"] for name in ("limit", "next", "decided")] == ["passed"] * 3
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_a_trigger_of_the_run_meets_no_record(pytester):
    set_up(pytester, "first")
    write_cases(pytester, recorded_case("edited src/queue.py", FULL))
    run(pytester, "--compactor=recorded", "--compaction-trigger=tokens:20", compactor=None)
    assert {r["status"] for r in records(pytester).records} == {"unscored"}


# --- from a transcript ---------------------------------------------------------------


STATED = (
    "the upload handler must answer within two seconds on every machine",
    "I use a bounded queue instead of a thread for each upload.",
    "thread 4\nqueue limit 64\nretry delay 1.5",
)


def transcript(*boundaries):
    """A talk of eight messages whose first three state what can be lost."""
    texts = [*STATED, *(at_length(f"we looked at part {number}", 600) for number in range(5))]
    messages = tuple(
        text_message(f"m{number}", "assistant" if number % 2 else "user", text)
        for number, text in enumerate(texts)
    )
    return Transcript(messages, "talk.jsonl", ImportTally(8, 8), "", boundaries)


def test_each_boundary_becomes_a_point_with_its_record():
    made = make_case(
        transcript(
            Boundary("m3", "first", 150_000, ("m3",)),
            Boundary("m6", "second", 160_000),
        )
    )
    assert made.data["compaction_points"] == [
        {
            "id": "p1",
            "after": "m3",
            "recorded": {"summary": "first", "kept": ["m3"], "tokens_before": 150_000},
        },
        {"id": "p2", "after": "m6", "recorded": {"summary": "second", "tokens_before": 160_000}},
    ]
    assert made.data["window"] == 200_000
    assert (made.recorded, made.unrecorded, made.after) == (2, (), 1)
    assert len(made.data["messages"]) == 8


LONG = "we looked at every part " * 400
LARGEST = COUNTER.message(text_message("s", "user", LONG))


@pytest.mark.parametrize(
    ("boundaries", "points", "budget"),
    [
        ([("m3", LONG), ("m6", "short")], [("m3", LONG), ("m6", "short")], LARGEST),
        ([("m3", "few words")], [("m3", "few words")], 500),
        ([("m6", "first"), ("m6", "second")], [("m6", "second")], 500),
        ([("m7", "all")], [("m7", "all")], 500),
    ],
    ids=["largest view", "room for a summary", "the last of several", "after the last message"],
)
def test_the_last_record_after_a_message_stands_and_the_largest_is_the_budget(
    boundaries, points, budget
):
    data = make_case(transcript(*(Boundary(*each) for each in boundaries))).data
    found = [(each["after"], each["recorded"]["summary"]) for each in data["compaction_points"]]
    assert (found, data["budget"]) == (points, budget)


def test_without_any_record_the_points_stay():
    made = make_case(transcript(Boundary("m3", missing="it is encrypted")))
    assert made.data["compaction_points"] == [{"id": "p1", "after": "m3"}]
    assert (made.recorded, made.unrecorded) == (0, ("it is encrypted",))


RULES = (
    "Invoices must never carry a negative tax.",
    "Passwords must never reach the audit trail.",
    "Every thumbnail must have a square frame.",
)


def claude_session():
    """A session of Claude Code in which the agent compacted twice."""
    lines: list[dict[str, Any]] = []
    parent: str | None = None

    def add(**line):
        nonlocal parent
        parent = f"u{len(lines)}"
        lines.append(
            {"uuid": parent, "sessionId": "s", "parentUuid": lines[-1]["uuid"] if lines else None}
            | line
        )

    def say(role, content, **more):
        add(type=role, message={"role": role, "content": content}, **more)

    for part in range(3):
        say("user", RULES[part])
        for step in range(6):
            call = {"type": "tool_use", "id": f"c{part}{step}", "name": "Write"}
            call["input"] = {"file_path": f"src/part{part}_{step}.py", "content": "x = 1\n"}
            if (part, step) == (2, 5):  # files of the last part are gone
                call |= {"name": "Bash", "input": {"command": "rm src/part2_0.py src/part2_1.py"}}
            say("assistant", [call])
            back = {"type": "tool_result", "tool_use_id": f"c{part}{step}", "content": "written"}
            say("user", [back])
        say("assistant", f"I chose a queue instead of a thread for service{part}. " * 3)
        if part < 2:
            before = parent
            add(
                type="system",
                subtype="compact_boundary",
                logicalParentUuid=before,
                compactMetadata={"trigger": "auto", "preTokens": 155_000},
            )
            lines[-1]["parentUuid"] = None
            say("user", f"Wrote src/part{part}_0.py; the queue stays.", isCompactSummary=True)
    return "".join(json.dumps(line) + "\n" for line in lines)


def test_a_transcript_with_two_boundaries_is_judged_at_both(pytester, capsys):
    session = pytester.path / "session.jsonl"
    session.write_text(claude_session(), "utf-8")
    code = cli.main(["import", str(session), "-o", str(pytester.path / "cases")])
    out = capsys.readouterr().out
    assert code == 0
    assert "recorded             2  compacted by the agent" in out
    loaded = find_cases([pytester.path / "cases"])
    assert loaded.errors == ()
    (made,) = loaded.cases
    assert [bool(point.recorded) for point in made.points] == [False, True] * 2 + [False]
    assert not any("the queue stays" in message.text for message in made.messages)
    result = run(pytester, "--compactor=recorded,anchored", compactor=None)
    found = records(pytester).records
    by_strategy = {r["compactor"] for r in found}
    assert by_strategy == {"recorded", "anchored"}, str(result.stdout)
    at_own = {probe.id for probe in made.probes if not made.points[probe.point].recorded}
    judged = {r["probe"] for r in found if r["compactor"] == "recorded"} - at_own
    assert judged, "what was needed at a recorded compaction is asked of it"
    lost = [f for r in found if r["probe"] in judged for f in r["facts"]]
    assert any(not fact["survived"] for fact in lost)
