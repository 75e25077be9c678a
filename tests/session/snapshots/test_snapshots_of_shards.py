"""Judge snapshots in shards: each compares those of its cases and leaves the others alone."""

import pytest
from support.scenarios import case, write_cases
from support.snapshot_runs import run, snapshots


@pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.exhaustive)])
def test_snapshots_of_another_shard_are_left_alone(project, workers):
    write_cases(project, case("tenth"))
    for index in (1, 2):
        shard = f"--compaction-shard={index}/2"
        assert run(project, shard, "--snapshot-update", workers=workers).ret == pytest.ExitCode.OK
    accepted = snapshots(project)
    assert len(accepted) == 12
    for index in (1, 2):
        result = run(project, f"--compaction-shard={index}/2", workers=workers)
        assert result.ret == pytest.ExitCode.OK
    assert snapshots(project) == accepted
