"""A file that changes the rubric: what it may hold, what it does to scores, and its faults."""

import json

import pytest
from support.scenarios import flat, records, run, set_up

from pytest_compaction.cli import main
from pytest_compaction.judges import read_rubric, rubric_text
from pytest_compaction.records import differences
from pytest_compaction.rubric import (
    CRITERIA,
    DIMENSIONS,
    asked_of_models,
    changes_of,
    dimension_scores,
    rubric_with,
)
from pytest_compaction.settings import OptionError


def read(tmp_path, content):
    path = tmp_path / "mine.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    return read_rubric(path, "mine.json")


def test_the_command_prints_the_default_with_what_rules_read(tmp_path, capsys):
    assert main(["rubric"]) == 0
    printed = capsys.readouterr().out
    assert printed == rubric_text()
    assert read(tmp_path, printed) == CRITERIA
    shown = json.loads(printed)
    assert list(shown) == [criterion.id for criterion in CRITERIA]
    assert shown["accuracy_technical"]["by_rules"] == "the facts of type error"
    assert shown["context_artifact_state"]["by_rules"] == "the facts of type path that were read"
    assert all(each["by_rules"] for each in shown.values())


def test_rules_read_something_for_a_criterion_of_each_dimension_and_models_are_asked_one():
    for kind in ("recall", "file", "continuation", "decision"):
        assert {each.dimension for each in asked_of_models(kind)} == set(DIMENSIONS)
    with_types = {each.dimension for each in CRITERIA if each.types}
    assert with_types == set(DIMENSIONS) - {"completeness"}


def test_a_dimension_is_the_weighted_mean_of_its_criteria(tmp_path):
    rubric = read(tmp_path, {"accuracy_factual": {"weight": 3}, "accuracy_technical": {}})
    scores = {"accuracy_factual": 5.0, "accuracy_technical": 1.0, "completeness_depth": 2.0}
    assert dimension_scores(scores) == {"accuracy": 3.0, "completeness": 2.0}
    assert dimension_scores(scores, rubric) == {"accuracy": 4.0, "completeness": 2.0}
    assert changes_of(rubric) == {"accuracy_factual": {"weight": 3}}
    assert rubric_with(changes_of(rubric)) == rubric


def test_words_of_ones_own_are_kept(tmp_path):
    changes = {"completeness_depth": {"question": "Deep?", "anchors": ["no", "some", "yes"]}}
    rubric = read(tmp_path, changes)
    assert changes_of(rubric) == changes
    assert {c.id for c, usual in zip(rubric, CRITERIA, strict=True) if c != usual} == set(changes)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is not valid JSON"),
        ('{"accuracy_factual": {"weight": NaN}}', "is not valid JSON: the number NaN"),
        ([], "/: found"),
        (
            {"accuracy_factual": {"weight": -1}},
            "/accuracy_factual/weight: found int -1; expected at",
        ),
        ({"accuracy_factual": {"wait": 1}}, "/accuracy_factual: found"),
        ({"accuracy_facts": {"weight": 1}}, "expected a criterion: accuracy_factual"),
        ({"accuracy_factual": {"anchors": ["a", "b"]}}, "/accuracy_factual/anchors: found"),
        ({"accuracy_factual": {"question": " "}}, "/accuracy_factual/question: found"),
        ({"accuracy_factual": {"dimension": "context"}}, "expected accuracy"),
        (
            {"accuracy_factual": {"weight": 0}, "accuracy_technical": {"weight": 0}},
            "found weight 0 for all of accuracy; expected a weight above 0 for one",
        ),
    ],
)
def test_a_fault_is_a_sentence_with_its_place(tmp_path, content, said):
    with pytest.raises(OptionError) as caught:
        read(tmp_path, content)
    text = str(caught.value)
    assert text.startswith("--compaction-rubric=mine.json ")
    assert said in text
    assert text.endswith("pytest-compaction rubric prints a file to begin with")


def test_a_file_that_is_not_there_ends_the_run_with_a_sentence(pytester):
    set_up(pytester, "first")
    shown = run(pytester, "--compaction-rubric=mine.json")
    assert shown.ret == pytest.ExitCode.USAGE_ERROR
    assert "--compaction-rubric=mine.json cannot be read: No such file" in flat(shown.errlines)


def test_a_run_scores_by_the_file_and_says_so_in_its_header(pytester):
    set_up(pytester, "first")
    run(pytester)
    usual = records(pytester)
    changes = {"completeness_coverage": {"weight": 4}, "accuracy_factual": {"weight": 2.5}}
    (pytester.path / "mine.json").write_text(json.dumps(changes), "utf-8")
    run(pytester, "--compaction-rubric=mine.json")
    mine = records(pytester)
    assert mine.header["settings"]["rubric"] == changes
    assert "rubric" not in usual.header["settings"]
    weighed = rubric_with(changes)
    for record in mine.records:
        scores = {each["id"]: each["score"] for each in record["criteria"]}
        made = dimension_scores(scores, weighed)
        assert {n: s for n, s in record["dimensions"].items() if s is not None} == pytest.approx(
            made, abs=2e-4
        )
    [said] = differences(usual.header, mine.header, ("a", "b"))
    assert said == (
        "the rubric differs: the default in a, "
        "changed in accuracy_factual, completeness_coverage in b"
    )
    hashes = [found.records[0]["hashes"]["settings"] for found in (usual, mine)]
    assert hashes[0] != hashes[1]
