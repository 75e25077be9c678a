"""What the nulls state in the shipped cases is data, and exactly what their views state."""

import json
import random
from dataclasses import replace

import pytest
from support import shipped_nulls as making
from support.builders import build_case
from support.scenarios import own, records, run, set_up
from support.shipped import shipped

from pytest_compaction.metrics import reader_version
from pytest_compaction.run.figures import null_views as reading
from pytest_compaction.run.figures.null_views import NULLS
from pytest_compaction.run.figures.shipped_nulls import FILE, CaseNulls, shipped_nulls

CASES = {case.id: case for case in shipped()}
RENEW = "run PYTHONPATH=tests python -m support.shipped_nulls renew"


def paths(case, chance, count):
    """Tokens at the points of a case as strategies spend them, and some that none would spend."""
    for number in range(count):
        low, high = (0.7, 1.0) if number % 2 else (0.03, 2.5)
        yield tuple(int(chance.uniform(low, high) * case.budget) for _ in case.points)


def readings(case, tokens, known):
    views = making.null_views()
    return [views.readings(case, probe, tokens[: probe.point + 1], known) for probe in case.probes]


def test_the_file_is_about_the_cases_and_the_reader_as_they_are():
    content = json.loads(FILE.read_bytes())
    assert content["reader"] == reader_version(), RENEW
    assert {id: each["digest"] for id, each in content["cases"].items()} == {
        case.id: case.digest for case in shipped()
    }
    names = {null.name for null in NULLS}
    for case in shipped():
        runs = content["cases"][case.id]["runs"]
        assert {id: set(nulls) for id, nulls in runs.items()} == {
            probe.id: names for probe in case.probes
        }


@pytest.mark.parametrize("id", ["sidebar_spacing", "checkpoint_dedup", "float_pixels"])
def test_what_is_looked_up_is_what_the_views_state(id):
    case, chance = CASES[id], random.Random(id)
    known = shipped_nulls(case)
    assert known is not None, RENEW
    for tokens in paths(case, chance, 4):
        assert readings(case, tokens, known) == readings(case, tokens, None)


@pytest.mark.exhaustive
@pytest.mark.parametrize("id", sorted(CASES))
def test_what_is_looked_up_is_what_the_views_of_every_case_state(id):
    case, chance = CASES[id], random.Random(f"{id} beside the quick ones")
    known = shipped_nulls(case)
    assert known is not None, RENEW
    for tokens in paths(case, chance, 3):
        assert readings(case, tokens, known) == readings(case, tokens, None), tokens


def test_hardly_any_view_of_an_ordinary_run_is_read(monkeypatch):
    read = []
    monkeypatch.setattr(reading, "read_view", lambda *given: read.append(given) or (0.0, 0.0))
    cases = [CASES[id] for id in ("clock_skew", "stale_checkpoint", "line_attribution")]
    for case in cases:
        tokens = tuple(int(0.9 * case.budget) + 10 * number for number in range(len(case.points)))
        readings(case, tokens, shipped_nulls(case))
    assert len(read) < 0.1 * len(NULLS) * sum(len(case.probes) for case in cases)


def test_nothing_is_looked_up_for_another_case_or_another_reader(monkeypatch):
    case = CASES["sidebar_spacing"]
    assert shipped_nulls(case) is not None
    assert shipped_nulls(replace(case, digest="other")) is None
    assert shipped_nulls(build_case()) is None
    module = "pytest_compaction.run.figures.shipped_nulls"
    monkeypatch.setattr(f"{module}.reader_version", lambda: "other")
    assert shipped_nulls(case) is None


def test_a_view_that_is_not_known_is_read():
    case = CASES["sidebar_spacing"]
    nothing = {null.name: {str(point): "" for point in range(len(case.points))} for null in NULLS}
    empty = CaseNulls(case.digest, nothing, {})
    assert readings(case, (900,), empty) == readings(case, (900,), None)


def test_a_changed_reading_is_found_before_the_version_is_renewed(monkeypatch):
    case = CASES["sidebar_spacing"]
    content = {"cases": {case.id: json.loads(FILE.read_bytes())["cases"][case.id]}}
    chance = random.Random(1)
    assert not list(making.differing([case], content, chance))
    monkeypatch.setattr(making, "read_view", lambda probe, view: (5.0, 1.0))
    assert list(making.differing([case], content, chance))


@pytest.mark.parametrize(
    ("options", "compared"), [([], False), (["--compaction-report=report.json"], True)]
)
def test_own_cases_are_compared_with_the_nulls_for_a_report_or_v(pytester, options, compared):
    set_up(pytester, "first")
    result = run(pytester, f"--compactor={own('keep')}", *options, compactor=None)
    found = [set(record["nulls"]) for record in records(pytester).records]
    assert found == [{null.name for null in NULLS} if compared else set()] * 4
    how = [line for line in result.outlines if line.startswith("nulls ")]
    assert how == [] if compared else "-v or --compaction-report=PATH" in how[0]
