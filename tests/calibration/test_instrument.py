"""Can the shipped benchmark tell a full log from an empty one, and measure between them?"""

import asyncio
import itertools
from statistics import correlation

import pytest
from support.measuring import measured, offline_settings, records_of, records_of_session
from support.paths import CASES
from support.shipped import CHECKED_CASES, marks, shipped

from pytest_compaction.metrics import aggregate
from pytest_compaction.models import AnswerRequest, OfflineModel
from pytest_compaction.rubric import DIMENSIONS

ENOUGH = 30
"""Items that have both of two dimensions; a correlation over fewer is chance."""


@pytest.fixture(scope="module")
def anchored():
    return measured("anchored")


@pytest.mark.parametrize(
    "cases",
    [
        pytest.param(("release_matrix", "orphaned_sessions"), id="two cases"),
        pytest.param((), id="all cases", marks=pytest.mark.exhaustive),
    ],
)
def test_without_compaction_nearly_everything_is_known(cases):
    paths = tuple(str(path) for path in CASES.rglob("*.json") if path.stem in cases)
    assert len(paths) == len(cases)
    settings = offline_settings(compactors=("none",), cases=paths)
    records = (
        records_of_session(settings, use_shipped=False, compares_nulls=False)
        if paths
        else records_of("none")
    )
    figures = aggregate("none", records)
    assert figures.overall.value >= 4.5
    assert figures.tokens.removed == 0
    assert figures.losses.dropped == 0


@pytest.mark.exhaustive
def test_from_an_empty_view_nothing_is_known():
    figures = measured("measuring:empty_view")
    assert figures.overall.value == 0.0
    assert figures.losses.dropped == figures.losses.facts


@pytest.mark.exhaustive
def test_anchored_removes_most_of_the_tokens(anchored):
    assert anchored.tokens.removed >= 0.85
    assert anchored.over_budget == 0


@pytest.mark.exhaustive
def test_anchored_lies_between_the_two(anchored):
    assert 0.5 < anchored.overall.value < 4.9
    assert anchored.losses.dropped > 0


@pytest.mark.exhaustive
def test_no_two_dimensions_say_the_same():
    records = [r for n in ("anchored", "truncate") for r in records_of(n)]
    rows = [record["dimensions"] for record in records]
    measured_often = {}
    for pair in itertools.combinations(DIMENSIONS, 2):
        both = [tuple(map(row.get, pair)) for row in rows]
        known = [each for each in both if None not in each]
        if len(known) >= ENOUGH:
            sides = list(zip(*known, strict=True))
            varies = all(len(set(side)) > 1 for side in sides)
            measured_often[pair] = correlation(*sides) if varies else 0.0
    assert set(itertools.chain(*measured_often)) == set(DIMENSIONS), "one was hardly measured"
    same = {pair: value for pair, value in measured_often.items() if value > 0.85}
    assert not same


@pytest.mark.parametrize("every", [6, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_the_cases_marked_as_checked_are_the_shipped_ones_and_stand_the_check(every):
    marked = CHECKED_CASES.read_text("utf-8")
    digests = marked.split()
    known = {*digests} - {*digests[::every]}
    assert marked == marks(known), "PYTHONPATH=tests python -m support.shipped"


def test_a_model_answers_the_same_twice():
    case = shipped()[0]
    probe = case.probes[0]
    request = AnswerRequest(case.log_until(0), probe.question, probe.answer)
    first = asyncio.run(OfflineModel().answer(request))
    assert first == asyncio.run(OfflineModel().answer(request))
