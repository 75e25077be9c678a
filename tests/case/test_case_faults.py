"""Faults of a case: each names its pointer, what was found and what was expected."""

import json
from types import SimpleNamespace

import pytest
from support.builders import assistant, case_data, tool, user, write_case
from support.case_errors import items_of, only_error
from support.long_conversations import replace_at

from pytest_compaction.case import Case
from pytest_compaction.case import files as case_files
from pytest_compaction.case.validation import _schema_fault


def faults_of(tmp_path, **changes):
    path = write_case(tmp_path / "case.json", **changes)
    error = only_error(path, tmp_path)
    assert error.source == "case.json"
    for fault in error.faults[: case_files.MAX_SHOWN_FAULTS]:
        assert str(fault) in str(error)
    return [(fault.pointer, fault.found, fault.expected) for fault in error.faults]


def changed(pointer, value):
    """The case data with the value at a pointer replaced; ``...`` removes it."""
    data = case_data()
    replace_at(data, pointer[1:], value)
    return data


@pytest.mark.parametrize(
    ("pointer", "value", "at", "found", "expected"),
    [
        ("/id", ..., "", "no 'id'", "these keys"),
        ("/probes", ..., "", "no 'probes'", "these keys"),
        ("/windo", 3, "", "the unknown key 'windo'", "window"),
        ("/id", "a b", "/id", 'str "a b"', "text that matches"),
        ("/id", 3, "/id", "int 3", "the type string"),
        ("/task", "Debug!", "/task", "Debug!", "text that matches"),
        ("/window", "big", "/window", 'str "big"', "the type integer"),
        ("/window", 0, "/window", "int 0", "at least 1"),
        ("/window", True, "/window", "bool true", "the type integer"),
        ("/window", 10**12, "/window", "int 1000000000000", "at most 1000000000"),
        ("/budget", 1.5, "/budget", "float 1.5", "the type integer"),
        ("/messages", [], "/messages", "list []", "at least 1 item"),
        ("/messages/1", "hi", "/messages/1", 'str "hi"', "the type object"),
        ("/messages/1/role", "robot", "/messages/1/role", "robot", "one of system, developer"),
        ("/messages/1/content", 3, "/messages/1/content", "int 3", "string, array, null"),
        ("/messages/2/tool_calls/0/id", ..., "/messages/2/tool_calls/0", "no 'id'", "these keys"),
        ("/compaction_points", [], "/compaction_points", "list []", "at least 1 item"),
        ("/compaction_points/0/at", 1, "/compaction_points/0", "the unknown key 'at'", "after"),
        ("/probes/0/kind", "quiz", "/probes/0/kind", "quiz", "one of recall, file"),
        ("/probes/0/question", "", "/probes/0/question", 'str ""', "text that is not empty"),
        ("/probes/0/facts", [], "/probes/0/facts", "list []", "at least 1 item"),
        ("/probes/0/facts/0/evidence", [], "/probes/0/facts/0/evidence", "list", "at least 1 item"),
        ("/probes/0/facts/0/type", "x", "/probes/0/facts/0/type", "x", "one of value"),
        ("/probes/0/facts/0/text", "x" * 2001, "/probes/0/facts/0/text", "xxx", "at most 2000"),
        ("/probes/1/answer/format", "xml", "/probes/1/answer/format", "xml", "one of text"),
        ("/probes/1/answer/max_tokens", 0, "/probes/1/answer/max_tokens", "int 0", "at least 1"),
    ],
)
def test_a_departure_from_the_schema_names_its_place(tmp_path, pointer, value, at, found, expected):
    (tmp_path / "case.json").write_text(json.dumps(changed(pointer, value)))
    (fault, *more) = only_error(tmp_path / "case.json").faults
    assert not more
    assert fault.pointer == at
    assert found in fault.found
    assert expected in fault.expected


def test_all_departures_are_listed_and_many_are_counted(tmp_path):
    data = changed("/window", 0) | {"budget": "x"}
    (tmp_path / "case.json").write_text(json.dumps(data))
    assert [f.pointer for f in only_error(tmp_path / "case.json").faults] == ["/budget", "/window"]
    found = faults_of(tmp_path, messages=[{"role": "x"}] * 30)
    assert [pointer for pointer, _, _ in found] == [f"/messages/{i}/role" for i in range(30)]
    assert "… and 10 more" in str(only_error(tmp_path / "case.json"))


def test_a_pointer_escapes_slash_and_tilde():
    error = SimpleNamespace(
        absolute_path=["a/b~c", 0],
        instance=0,
        validator="minimum",
        validator_value=1,
        message="",
    )
    assert _schema_fault(error).pointer == "/a~1b~0c/0"


def added(*messages):
    return {"messages": [*case_data()["messages"], *messages]}


ORDER = "points in the order of the log"
DISAGREE = [
    (changed("/messages/1/content", [{"type": "text"}]), "/messages",
     "message 1, content part 0 has type 'text' but no text", "OpenAI chat messages"),
    (added({"id": "m1", **user("again")}), "/messages/7/id",
     "the id 'm1', which /messages/1 has too", "an id of its own"),
    (added(user("unnamed"), {"id": "m7", **user("named")}), "/messages/8/id",
     "the id 'm7', which /messages/7 has too", "an id of its own"),
    (changed("/compaction_points/1/id", "early"), "/compaction_points/1/id", "'early'", "own"),
    (changed("/probes/1/id", "timeout"), "/probes/1/id", "'timeout'", "an id of its own"),
    (changed("/compaction_points/0/after", "m99"), "/compaction_points/0/after", "'m99'",
     "the id of a message"),
    (changed("/compaction_points/1/after", "m4"), "/compaction_points/1/after", "m4", ORDER),
    (changed("/compaction_points/1/after", "m2"), "/compaction_points/1/after", "m2", ORDER),
    (changed("/probes/1/point", "middle"), "/probes/1/point", "'middle'",
     "the id of a compaction point: early, late"),
    (changed("/probes/1/facts/0/evidence", ["m2", "m40"]), "/probes/1/facts/0/evidence/1", "'m40'",
     "the id of a message"),
    (changed("/probes/0/facts/0", {"text": "46 seconds", "evidence": ["m1"]}),
     "/probes/0/facts/0/evidence/0", "message 'm1', which does not state '46 seconds'",
     "a message that states the fact"),
    (changed("/probes/1/facts/0", {"text": "12 tests", "evidence": ["m6"]}),
     "/probes/1/facts/0/evidence/0", "message 'm6', which comes after the probe is asked",
     "a message before that point"),
    (added(tool("c9", "late")), "/messages/7", "'c9' does not follow", "results-follow-calls"),
    (added(user("")), "/messages/7", "", "no-empty-message to hold"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "at", "found", "expected"), DISAGREE)
def test_parts_of_a_case_that_disagree_are_named(tmp_path, data, at, found, expected):
    ((pointer, what, wanted),) = faults_of(tmp_path, **data)
    assert pointer == at
    assert found in what
    assert expected in wanted


def test_an_alias_in_the_evidence_is_enough(tmp_path):
    data = case_data()
    data["probes"][0]["facts"][0] |= {"text": "three quarters of a minute", "aliases": ["45"]}
    (item,) = items_of(write_case(tmp_path / "case.json", **data))
    assert isinstance(item, Case)


@pytest.mark.parametrize(
    ("change", "command"),
    [("deleted", "rm -rf src"), ("deleted", "git rm -r src"), ("renamed", "git mv src lib")],
)
def test_a_command_on_the_folder_is_evidence_for_its_file(tmp_path, change, command):
    data = case_data()
    data["messages"][2] |= assistant(None, ("c1", "bash", {"command": command}))
    data["probes"][1]["facts"] = [
        {
            "text": f"src/a.py was {change}",
            "evidence": ["m2"],
            "type": "path",
            "keys": [["src/a.py"]],
            "change": change,
        }
    ]
    (item,) = items_of(write_case(tmp_path / "case.json", **data))
    assert isinstance(item, Case)


def test_an_unanswered_call_is_an_error_but_not_at_the_end(tmp_path):
    pending = assistant("look", ("c9", "bash", {}))
    messages = [*case_data()["messages"], pending]
    (item,) = items_of(write_case(tmp_path / "case.json", messages=messages))
    assert isinstance(item, Case)
    ((pointer, found, expected),) = faults_of(tmp_path, messages=[*messages, user("and?")])
    assert pointer == "/messages/7"
    assert "'c9' has no result" in found
    assert "calls-answered" in expected


@pytest.mark.parametrize("end", ["\n", "\n\n", "\r", "\x0b", "\u2028", " "])
@pytest.mark.parametrize(
    ("pointer", "value"),
    [
        ("/id", "small"),
        ("/task", "debugging"),
        ("/probes/0/id", "timeout"),
        ("/compaction_points/0/id", "p1"),
    ],
)
def test_an_id_with_a_line_break_at_its_end_is_no_id(tmp_path, pointer, value, end):
    faults = faults_of(tmp_path, **changed(pointer, value + end))
    assert [at for at, _, _ in faults] == [pointer]
    assert "text that matches" in faults[0][2]


PROPOSED = {
    "id": "limit-again",
    "kind": "recall",
    "question": "What is the limit?",
    "facts": [{"text": "45 seconds", "evidence": ["m1"], "needed": {"how": "chosen"}}],
}


@pytest.mark.parametrize(
    ("change", "at", "found", "expected"),
    [
        ({"id": "timeout"}, "/id", "the id 'timeout', which /probes/0 has too", "of its own"),
        ({"point": "middle"}, "/point", "'middle'", "the id of a compaction point: early"),
        ({"kind": "compliance"}, "", "without 'options'", "complying and other"),
        ({"facts": [{"text": "x", "evidence": ["m99"]}]}, "/facts/0/evidence/0", "m99", "message"),
        ({"facts": [{"text": "x", "evidence": ["m1"]}]}, "/facts/0/evidence/0", "not state", "m"),
    ],
)
def test_a_proposed_question_is_checked_as_a_probe_is(tmp_path, change, at, found, expected):
    ((pointer, said, wanted),) = faults_of(tmp_path, proposed=[PROPOSED | change])
    assert pointer == f"/proposed/0{at}"
    assert found in said and expected in wanted


def test_more_proposed_questions_than_a_person_reads_are_refused(tmp_path):
    many = [PROPOSED | {"id": f"p-{number}"} for number in range(1001)]
    ((pointer, _, expected),) = faults_of(tmp_path, proposed=many)
    assert (pointer, expected) == ("/proposed", "at most 1000 items")


@pytest.mark.parametrize(
    ("needed", "at", "expected"),
    [
        ({}, "", "these keys"),
        ({"how": "guessed"}, "/how", "one of used, fetched, said"),
        ({"how": "used", "why": "x"}, "", "one of act, confirmed, distance, how, message"),
        ({"how": "used", "message": "m" * 201}, "/message", "at most 200 characters"),
        ({"how": "used", "act": "a" * 201}, "/act", "at most 200 characters"),
        ({"how": "used", "distance": -1}, "/distance", "at least 0"),
        ({"how": "used", "distance": 10**9}, "/distance", "at most 1000000"),
        ({"how": "used", "confirmed": "yes"}, "/confirmed", "the type boolean"),
        ("used", "", "the type object"),
    ],
)
def test_why_a_fact_is_needed_is_checked(tmp_path, needed, at, expected):
    data = changed("/probes/0/facts/0/needed", needed)
    ((pointer, _, wanted),) = faults_of(tmp_path, probes=data["probes"])
    assert pointer == f"/probes/0/facts/0/needed{at}"
    assert expected in wanted
