"""Scores and parts that no run writes are a problem of the file, and the line is not used."""

import json

import pytest
from support.builders import record

from pytest_compaction.records import load_run


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"overall": 99}, "overall 99 is not a number from 0 to 5"),
        ({"overall": -1}, "overall -1 is not a number from 0 to 5"),
        ({"dimensions": {"accuracy": 7.0}}, "accuracy 7.0 is not a number from 0 to 5"),
        ({"dimensions": {"accuracy": "4"}}, "accuracy 4 is not a number"),
    ],
)
def test_a_score_beyond_the_scale_leaves_its_line_out(tmp_path, changes, said):
    path = tmp_path / "run.jsonl"
    lines = [{"format": 1}, record(probe="sound"), record(probe="wrong", **changes)]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    run = load_run(path)
    assert [each["probe"] for each in run.records] == ["sound"]
    (problem,) = run.problems
    assert said in problem


@pytest.mark.parametrize(
    "changes", [{"facts": ["a name"]}, {"traps": [3]}, {"usd": [0.1]}, {"point": "p1"}]
)
def test_a_part_of_another_type_leaves_its_line_out(tmp_path, changes):
    path = tmp_path / "run.jsonl"
    lines = [{"format": 1}, record(probe="sound"), record(probe="wrong", **changes)]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    run = load_run(path)
    assert [each["probe"] for each in run.records] == ["sound"]
    (problem,) = run.problems
    assert "cannot be read" in problem
