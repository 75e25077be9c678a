"""The recorded summaries of a large language model answer the requests that strategies make now."""

import tarfile
from pathlib import Path

import pytest
from support.paths import ROOT

from pytest_compaction.records import load_run

STORE = Path(__file__).with_name("recorded") / "store.tar.xz"
STRATEGIES = ("anchored", "regenerate", "claude-code", "codex:mode=local")
CASES = ("float_pixels", "seat_downgrade", "sidebar_spacing")


@pytest.mark.exhaustive
def test_recorded_summaries_are_replayed_for_each_strategy(pytester):
    with tarfile.open(STORE) as archive:
        archive.extractall(pytester.path, filter="data")
    ran = pytester.runpytest_subprocess(
        f"--compactor={','.join(STRATEGIES)}",
        *(f"--compaction-cases={ROOT / 'cases' / 'real' / name}.json" for name in CASES),
        "--compaction-model=recorded-words",
        "--compaction-responder=offline",
        "--compaction-judge=offline",
        "--compaction-store=store",
        "--compaction-replay",
        "--compaction-threshold=overall@anchored>=0",
        "-n2",
        "-q",
    )
    assert ran.ret == 0
    ran.stdout.fnmatch_lines(["this run: 0 calls made; 36 came from the store"])
    run = load_run(next((pytester.path / ".pytest_compaction" / "runs").glob("*.jsonl")))
    assert {record["status"] for record in run.records} <= {"passed", "failed"}
    for strategy in STRATEGIES:
        stated = run.mean("stated", strategy)
        assert stated is not None
        assert stated.value > 0.5
