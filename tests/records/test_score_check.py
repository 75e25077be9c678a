"""Scores that no run writes are a problem of the file, and the line is not used."""

import json

import pytest
from support.builders import record

from pytest_compaction.records import load_run
from pytest_compaction.rubric import DIMENSIONS

PASS_SCORE = 3.5
CRITERION = {"id": "accuracy_factual", "score": 4.0, "reasoning": "all"}
HEADER = {"format": 1, "settings": {"pass_score": PASS_SCORE, "over_budget": "fail"}}


def problems(tmp_path, **changes):
    path = tmp_path / "run.jsonl"
    lines = [HEADER, record(probe="sound"), record(**changes)]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    run = load_run(path)
    assert len(run.problems) == 2 - len(run.records)
    return run.problems


def alike(score):
    return {"overall": score, "dimensions": dict.fromkeys(DIMENSIONS, score)}


WRONG = {
    "overall above 5": (alike(99), "overall 99 is not a number from 0 to 5"),
    "overall below 0": (alike(-1), "overall -1 is not a number from 0 to 5"),
    "overall without parts": (
        {"overall": 5.0, "dimensions": dict.fromkeys(DIMENSIONS, 0.0)},
        "overall 5 is not what its dimensions make, 0",
    ),
    "overall of no dimension": (
        {"overall": 5.0, "dimensions": {}},
        "overall 5 is not what its dimensions make, None",
    ),
    "a dimension above 5": (
        {"dimensions": {"accuracy": 7.0, "context": 1.0}},
        "accuracy 7 is not a number from 0 to 5",
    ),
    "a dimension that is text": ({"dimensions": {"accuracy": "4"}}, "accuracy 4 is not a number"),
    "dimensions without overall": (
        {"overall": None, "status": "unscored"},
        "overall None is not what its dimensions make, 4",
    ),
    "criteria below their dimension": (
        {"criteria": [CRITERION | {"score": 1.0}]},
        "accuracy 4 is not what its criteria make, 1",
    ),
    "a criterion above 5": (
        {"criteria": [CRITERION | {"score": 50}]},
        "accuracy_factual 50 is not a number from 0 to 5",
    ),
    "passed below the pass score": (
        alike(1.0) | {"status": "passed"},
        "status passed does not fit the overall 1 and the run's pass score 3.5",
    ),
    "failed above the pass score": (
        alike(4.0) | {"status": "failed"},
        "status failed does not fit the overall 4 and the run's pass score 3.5",
    ),
    "unscored with a score": ({"status": "unscored"}, "status unscored does not fit the overall 4"),
    "passed without a score": (
        {"overall": None, "dimensions": {}},
        "status passed does not fit the overall None",
    ),
    "the other figure": (
        {"answer": {"overall": 9.0, "dimensions": {}}},
        "answer overall 9 is not a number from 0 to 5",
    ),
    "a judge": ({"judges": [{"name": "a", "overall": 6}]}, "judges' overall 6 is not a number"),
    "a null": (
        {"nulls": {"window": {"overall": 1.0, "stated": 3, "tokens": 1}}},
        "window stated 3 is not a number from 0 to 1",
    ),
    "nuggets": (
        {"dimensions": {}, "nuggets": [], "score": 0.2},
        "overall 4 is not what its nuggets make, 1",
    ),
    "a dialogue": (
        {"type": "dialogue", "consistency": 1.5},
        "consistency 1.5 is not a number from 0 to 1",
    ),
}


@pytest.mark.parametrize(("changes", "said"), WRONG.values(), ids=WRONG)
def test_a_score_that_no_run_writes_is_named_with_its_file_line_and_item(tmp_path, changes, said):
    changes = {"item": "test_probe[x-a-p]", **changes}
    (problem,) = problems(tmp_path, **changes)
    assert problem.startswith(f"{tmp_path}/run.jsonl:3 is the record of test_probe[x-a-p], whose ")
    assert said in problem
    assert problem.endswith("; it is left out")


SOUND = {
    "as rounded": {"overall": 3.3333, "dimensions": {"accuracy": 3.3334}, "status": "failed"},
    "at the pass score": alike(PASS_SCORE),
    "a hair below it": alike(PASS_SCORE) | {"status": "failed"},
    "criteria": {"criteria": [CRITERION]},
    "unscored": {"status": "unscored", "overall": None, "dimensions": {}},
    "over budget": {
        "status": "failed",
        "tokens": {"log": 9000, "view": 2000, "summary": 50},
        "compaction": {"steps": {"compacted": 1}, "errors": [], "budget": 1000},
    },
    "nuggets": {"dimensions": dict.fromkeys(DIMENSIONS), "nuggets": [], "score": 0.8},
    "the other figure": {"answer": {"overall": 2.0, "dimensions": {"accuracy": 2.0}}},
    "share of facts": {"view": {"overall": 2.0, "dimensions": dict.fromkeys(DIMENSIONS)}},
}


@pytest.mark.parametrize("changes", SOUND.values(), ids=SOUND)
def test_what_a_run_writes_is_read(tmp_path, changes):
    assert problems(tmp_path, **changes) == ()


def test_an_infinity_written_as_a_number_is_none(tmp_path):
    path = tmp_path / "run.jsonl"
    line = json.dumps(record(**alike(4.0))).replace("4.0", "1e999")
    path.write_text(f"{json.dumps(HEADER)}\n{line}\n")
    assert "overall inf is not a number from 0 to 5" in load_run(path).problems[0]
