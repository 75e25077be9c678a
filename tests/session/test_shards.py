"""Shards: a part of the cases in a run of its own, which measures and leaves the gate to merge."""

import pytest
from support.dialogue_project import TALKS, project
from support.scenarios import (
    case,
    failure,
    flat,
    last_line,
    node_ids,
    records,
    run,
    run_files,
    set_up,
    write_cases,
)
from support.sharded import IDS, run_shards
from support.talks import talk
from support.worker_counts import BOTH

from pytest_compaction.records import load_run

OK, FAILED = pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED
GATE = "--compaction-threshold=overall>=3"
MEASURED = "SHARD 1/2 MEASURED 4 items, 2 items below 3.5"
LEFT = "overall>=3: pytest-compaction merge decides on all shards"


def records_of(file):
    return load_run(file).records


@BOTH
def test_a_shard_runs_the_items_of_its_cases_as_one_run_names_them(pytester, workers):
    set_up(pytester, *IDS)
    everything = node_ids(run(pytester, "--collect-only", "-q"))
    shards = run_shards(pytester, 2, workers, compactor="keep")
    found = [[record["item"] for record in records_of(file)] for file in run_files(pytester)]
    assert [len(items) for items in found] == [4, 8]
    assert sorted(found[0] + found[1]) == sorted(everything)
    shards[1].assert_outcomes(passed=4)
    shards[2].assert_outcomes(passed=8)


def test_the_header_tells_all_cases_and_those_of_the_shard(pytester):
    set_up(pytester, *IDS)
    result = run(pytester)
    whole, all_records = records(pytester).header, records(pytester).records
    assert "shard" not in whole
    assert "shard" not in whole["settings"]
    result = run(pytester, "--compaction-shard=1/2")
    result.stdout.fnmatch_lines(["*| shard 1/2 | 1 of 3 cases, 4 probes |*"])
    header = records(pytester).header
    assert header["cases"] == whole["cases"]
    assert header["settings"] == whole["settings"] | {"shard": "1/2"}
    assert header["shard"] == {
        "index": 1,
        "count": 2,
        "cases": ["tenth"],
        "dialogues": [],
        "selected": [],
        "end": {"items": {"tenth": 4}, "failures": [], "excused": [], "snapshots": 0},
    }
    assert run_files(pytester)[-1].name == "0002-strategies_keep-shard1of2.jsonl"
    of_shard = records(pytester).records
    assert of_shard == [record for record in all_records if record["case"] == "tenth"]
    write_cases(pytester, case("third"))
    run(pytester, "--compaction-shard=1/2")
    assert records(pytester).records == of_shard, "the case third is in the other one"


def test_ids_that_are_joined_to_the_same_text_stay_apart_over_shards(pytester):
    """The cases ``first`` and ``first-decided`` are in two of eight shards."""
    probes = [dict(probe, id=f"decided-{probe['id']}") for probe in case()["probes"]]
    set_up(pytester, "first-decided")
    write_cases(pytester, case("first", probes=[*case()["probes"], *probes]))
    everything = node_ids(run(pytester, "--collect-only", "-q"))
    assert len(set(everything)) == len(everything) == 12
    run_shards(pytester, 8, compactor="keep")
    found = [record["item"] for file in run_files(pytester) for record in records_of(file)]
    assert sorted(found) == sorted(everything)


@BOTH
def test_an_item_below_the_pass_score_is_a_measurement_and_thresholds_are_left_to_merge(
    pytester, workers
):
    set_up(pytester, *IDS)
    result = run(pytester, "--compaction-shard=1/2", GATE, workers, "-v", compactor="forget_limit")
    assert result.ret == OK
    assert "2 passed, 2 below 3.5 in " in str(result.stdout)
    assert "BELOW 0.0/5" in str(result.stdout)
    assert last_line(result) == f"{MEASURED} · {LEFT}"
    assert sorted(record["status"] for record in records(pytester).records) == (
        ["failed"] * 2 + ["passed"] * 2
    )


def test_a_dialogue_below_its_consistency_is_a_measurement_too(pytester):
    project(pytester, talk(1))
    given = (TALKS, "--compaction-shard=1/1", "--compaction-consistency=0.99", "-v")
    result = run(pytester, *given, compactor="forget")
    assert result.ret == OK
    assert "1 below 0.99 in " in str(result.stdout)
    assert "BELOW 0." in str(result.stdout)
    assert last_line(result).startswith("SHARD 1/1 MEASURED 1 items, 1 dialogues below 0.99 · ")


@BOTH
def test_a_shard_without_a_case_says_so_writes_its_file_and_does_not_fail(pytester, workers):
    set_up(pytester, "first")
    result = run(pytester, "--compaction-shard=1/2", GATE, workers)
    result.assert_outcomes(passed=1)
    assert result.ret == OK
    assert last_line(result) == (
        "SHARD 1/2 EMPTY no case of this run is in it; nothing was measured, and "
        "pytest-compaction merge needs its file all the same"
    )
    found = records(pytester)
    assert not found.records
    assert found.header["shard"]["end"]["items"] == {}
    assert found.header["cases"].keys() == {"first"}


def test_a_shard_with_cases_of_which_no_test_is_collected_is_not_green_and_has_no_file(pytester):
    set_up(pytester, "first")
    place = pytester.path / "none"
    place.mkdir()
    place.joinpath("test_nothing.py").write_text("")
    result = run(pytester, "--compaction-shard=2/2", "none")
    assert result.ret == pytest.ExitCode.NO_TESTS_COLLECTED
    assert last_line(result) == "SHARD 2/2 UNFINISHED no test of its cases was collected"
    assert not run_files(pytester)


def test_a_broken_file_fails_every_shard_as_it_may_hold_any_case(pytester):
    set_up(pytester, *IDS)
    write_cases(pytester, "{}")
    for index, result in run_shards(pytester, 2, GATE).items():
        assert result.ret == FAILED
        assert last_line(result) == (
            f"SHARD {index}/2 FAILED 1 failed for another reason than the score"
        )
    assert "cannot be used" in flat(failure(result, "broken-text_0.json"))


def test_more_unscored_items_than_are_tolerated_fail_a_shard(pytester):
    set_up(pytester, *IDS)
    dead = ("--compaction-shard=1/2", "--compaction-judge=dead")
    assert last_line(run(pytester, *dead)) == "SHARD 1/2 FAILED unscored 4 > 0"
    tolerated = run(pytester, *dead, "--compaction-max-unscored=4")
    assert tolerated.ret == OK
    assert last_line(tolerated).startswith("SHARD 1/2 MEASURED 4 items, 0 items below 3.5")
