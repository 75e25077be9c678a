"""The published schema of a record: every line of a run keeps to it, of an older one too."""

import copy
import json

import pytest
from jsonschema import Draft202012Validator
from support.dialogue_project import TALKS, project
from support.paths import ROOT
from support.scenarios import case as small_case
from support.scenarios import own, run, run_files, set_up, write_cases
from support.talks import talk
from support.worker_counts import BOTH

from pytest_compaction.records import load_run

RECORD_SCHEMA = json.loads(
    (ROOT / "pytest_compaction/records/record.schema.json").read_text("utf-8")
)


def schema_of(shape):
    """The schema of one definition, such as ``probe`` or ``view_file``."""
    return {"$defs": RECORD_SCHEMA["$defs"], "$ref": f"#/$defs/{shape}"}


NEW_OF_FACTS = {"class", "evidence", "stated_after", "source", "recoverable"}
NEW_OF_COMPACTION = {"window", "messages", "events"}


def lines_of(file):
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def faults(line, schema=RECORD_SCHEMA):
    return [error.message for error in Draft202012Validator(schema).iter_errors(line)]


def test_the_schema_is_one():
    Draft202012Validator.check_schema(RECORD_SCHEMA)


@BOTH
def test_every_line_of_a_run_and_every_file_beside_it_keep_to_it(pytester, workers):
    """Strategies that keep, sum up, lose and fail, with unscored items among them."""
    set_up(pytester)
    given = [f"--compactor={own('keep')},{own('raises')},{own('forget')},anchored,rag"]
    given += ["--compaction-control", "--compaction-judge=refuses_files", "--compaction-budget=90"]
    run(pytester, workers, *given, compactor=None)
    (file,) = run_files(pytester)
    lines = lines_of(file)
    assert {line.get("status") for line in lines} == {None, "passed", "failed", "unscored", "error"}
    assert [faults(line) for line in lines] == [[]] * len(lines)
    for folder, shape in (("views", "view_file"), ("logs", "log_file")):
        beside = [json.loads(path.read_text()) for path in (file.parent / folder).iterdir()]
        assert beside
        assert [faults(each, schema_of(shape)) for each in beside] == [[]] * len(beside)


def test_a_fact_says_why_it_is_asked_and_proposed_questions_are_not(pytester):
    data = small_case()
    use = {"how": "used", "message": "m99", "distance": 2, "act": "edit of a.py"}
    data["probes"][0]["facts"][0]["needed"] = use
    data["proposed"] = [{**data["probes"][1], "id": "waits"}]
    set_up(pytester, "first")
    write_cases(pytester, data)
    run(pytester, "--compaction-threshold=needed.survival>=0.8")
    (file,) = run_files(pytester)
    header, *lines = lines_of(file)
    assert [faults(line) for line in (header, *lines)] == [[]] * (1 + len(lines))
    assert {line["probe"] for line in lines} == {probe["id"] for probe in data["probes"]}
    facts = {line["probe"]: line["facts"] for line in lines}
    found = facts[data["probes"][0]["id"]][0]["needed"]
    assert found == {**use, "confirmed": False, "why": "needed by m99: edit of a.py"}
    assert "needed" not in facts[data["probes"][1]["id"]][0]


def test_the_record_of_a_dialogue_keeps_to_it(pytester):
    project(pytester, talk(1))
    write_cases(pytester, small_case())
    run(pytester, TALKS, "--compaction-cases=cases")
    (file,) = run_files(pytester)
    lines = lines_of(file)
    assert {line.get("type") for line in lines} == {None, "dialogue"}
    assert [faults(line) for line in lines] == [[]] * len(lines)


@pytest.fixture
def record(pytester):
    """The record of an item that failed."""
    set_up(pytester, "first")
    run(pytester, compactor="forget")
    return lines_of(run_files(pytester)[0])[1]


def without_new_keys(record):
    """The record as an older version wrote it."""
    old = copy.deepcopy(record)
    del old["question"], old["hashes"]["view"]
    for fact in old["facts"]:
        for key in NEW_OF_FACTS:
            del fact[key]
    for key in NEW_OF_COMPACTION:
        del old["compaction"][key]
    return old


def test_records_of_older_runs_keep_to_it_and_are_read(pytester, record):
    old = without_new_keys(record)
    assert faults(old) == []
    (file,) = run_files(pytester)
    header = file.read_text().splitlines()[0]
    file.write_text(f"{header}\n{json.dumps(old)}\n")
    assert load_run(file).records == [old]


def test_a_key_that_nobody_knows_is_passed_over_and_what_is_no_record_breaks_it(record):
    record["facts"][0]["shade"] = "blue"
    assert faults({**record, "later": [1]}, schema_of("probe")) == []
    for key, value in {
        "status": "fine",
        "overall": 5.5,
        "trial": 0,
        "facts": [{"text": "x"}],
        "compaction": {"events": [{"point": "p1"}]},
        "hashes": {"case": 3, "settings": ""},
    }.items():
        assert faults({**record, key: value}, schema_of("probe")), key
