"""The recorded summaries of the shipped cases answer the requests that strategies make now."""

import pytest
from support.paths import ROOT

from pytest_compaction.metrics import stale_summaries
from pytest_compaction.models import Archive
from pytest_compaction.records import load_run

WORDS = ROOT / "cases" / "words.zip"
STRATEGIES = ("anchored", "regenerate", "claude-code", "codex:mode=local")
CASES = ("float_pixels", "seat_downgrade", "sidebar_spacing")


@pytest.mark.exhaustive
def test_recorded_summaries_are_measured_for_each_strategy(pytester):
    ran = pytester.runpytest_subprocess(
        f"--compactor={','.join(STRATEGIES)}",
        *(f"--compaction-cases={ROOT / 'cases' / 'real' / name}.json" for name in CASES),
        "--compaction-model=recorded",
        "--compaction-threshold=overall>=2",
        "-n2",
        "-q",
    )
    assert ran.ret == 0
    run = load_run(next((pytester.path / ".pytest_compaction" / "runs").glob("*.jsonl")))
    assert {(record["status"], record["words"]) for record in run.records} == {
        ("passed", "recorded"),
        ("failed", "recorded"),
    }
    assert stale_summaries(run.records) == 0
    for strategy in STRATEGIES:
        stated = run.mean("stated", strategy)
        assert stated is not None
        assert stated.value > 0.5


def test_the_real_cases_have_words_of_four_strategies():
    archive = Archive(WORDS)
    assert {*STRATEGIES} <= archive.manifest.strategies.keys()
    names = {path.stem for path in (ROOT / "cases" / "real").glob("*.json")}
    for strategy in STRATEGIES:
        held = {row.case for row in archive.words if row.strategy == strategy}
        assert names <= held
