"""The JSON report of a run: valid by its schema, every figure with an interval or a reason."""

import copy
import json
from importlib import resources

import pytest
from jsonschema import Draft202012Validator
from support.builders import record
from support.finished import HOSTILE, fact, finished, gated, several
from support.scenarios import own, run, set_up
from support.worker_counts import BOTH

from pytest_compaction.gate import BaselineDecision
from pytest_compaction.metrics import further
from pytest_compaction.records import TEXTS, columns
from pytest_compaction.reports.json_report import FORMAT, SCHEMA, VERSION, report_json

DEFINED = json.loads(
    resources.files("pytest_compaction.reports").joinpath(SCHEMA).read_text("utf-8")
)
VALIDATOR = Draft202012Validator(DEFINED)


def read(run):
    """A report as strict JSON, checked against the schema."""
    data = json.loads(report_json(run), parse_constant=pytest.fail)
    VALIDATOR.validate(data)
    return data


def closed(schema):
    """The schema with no other keys allowed than those that it names."""
    schema = copy.deepcopy(schema)
    for each in (schema, *schema["$defs"].values()):
        if "properties" in each:
            each.setdefault("additionalProperties", False)
    return schema


def test_the_schema_is_valid_and_says_what_it_is_of():
    Draft202012Validator.check_schema(DEFINED)
    assert DEFINED["$id"] == f"urn:pytest-compaction:report:{VERSION}"
    assert DEFINED["properties"]["format"]["const"] == FORMAT
    assert DEFINED["properties"]["version"]["const"] == VERSION


def test_the_schema_describes_every_key_of_an_item():
    described = DEFINED["$defs"]["item"]["properties"]
    in_rows = set(columns()) - set(TEXTS) - {one.name for one in further("csv")}
    assert set(described) == in_rows | {"needed"}


@BOTH
def test_the_report_of_a_real_run_is_valid_and_has_no_key_that_the_schema_lacks(pytester, workers):
    set_up(pytester)
    given = [f"--compactor={own('forget_limit')},none", "--compaction-report=out.json", workers]
    run(pytester, *given, "--compaction-threshold=overall>=4", compactor=None)
    data = json.loads((pytester.path / "out.json").read_text("utf-8"))
    Draft202012Validator(closed(DEFINED)).validate(data)
    assert [one["name"] for one in data["strategies"]] == [own("forget_limit"), "none"]
    assert (data["gate"]["outcome"], data["gate"]["rules"][0]["outcome"]) == ("failed", "failed")
    assert data["settings"]["thresholds"] == ["overall>=4"]
    assert len(data["items"]) == data["run"]["items"] == 16
    assert data["run"]["complete"] is True


def test_every_figure_has_its_interval_or_the_reason_why_not():
    (found,) = read(finished(*several("anchored", *[1.0, 2.0, 4.0, 4.0] * 3)))["strategies"]
    overall = found["figures"]["overall"]
    assert (overall["value"], overall["items"], overall["cases"]) == (2.75, 12, 6)
    low, high = overall["interval"]
    assert 0 <= low < 2.75 < high <= 5
    assert overall["reason"] is None
    (found,) = read(finished(*several("anchored", 1.0, 2.0)))["strategies"]
    overall, context = (found["figures"][name] for name in ("overall", "context"))
    assert (overall["value"], overall["interval"]) == (1.5, None)
    assert overall["reason"].startswith("an interval needs at least 6 cases; ")
    assert (context["value"], context["interval"]) == (None, None)
    assert context["reason"] == "nothing was scored"


def test_a_run_of_which_nothing_was_scored_has_no_figure_but_all_its_items():
    data = read(finished(*several("anchored", None, None, None)))
    (found,) = data["strategies"]
    removed, ratio = (found["figures"].pop(name) for name in ("removed", "ratio"))
    assert (removed["value"], ratio["value"]) == (0.9, 10.0)
    assert {figure["value"] for figure in found["figures"].values()} == {None}
    assert {figure["reason"] for figure in found["figures"].values()} == {"nothing was scored"}
    assert found["statuses"] == {"unscored": 3}
    assert len(data["items"]) == 3
    data = read(finished(name="", header={}))
    assert (data["strategies"], data["items"], data["run"]["records"]) == ([], [], None)


def test_a_nan_is_no_score():
    data = read(
        finished(
            *several("anchored", 1.0, 3.0, 4.0, 4.0),
            record(case="c9", overall=float("nan"), tokens={"log": float("inf"), "view": 3}),
            header={"figures": {"x": float("nan")}},
        )
    )
    assert data["strategies"][0]["figures"]["overall"]["value"] == 3.0
    assert data["figures"] == {"x": None}


def test_a_report_holds_no_text_of_a_case_or_model_and_a_hostile_name_is_a_json_string():
    secret = "the broker restarts slowly"
    low = record(reason=secret, response=secret, question=secret, facts=[fact(text=secret)])
    assert secret not in report_json(finished(low))
    hostile = gated(record(compactor=HOSTILE, status="failed"), text=HOSTILE)
    assert read(hostile)["strategies"][0]["name"] == HOSTILE
    assert report_json(hostile).isascii()


def test_a_rule_against_a_baseline_that_was_not_applied_says_why():
    against = BaselineDecision(not_applied=(("overall vs main: drop<=0.1", "no probe was asked"),))
    (rule,) = read(finished(*several("anchored", 1.0), against=against))["gate"]["rules"]
    assert (rule["outcome"], rule["reason"]) == ("error", "no probe was asked")


def test_every_two_strategies_are_compared():
    records = [*several("anchored", *[4.0] * 12), *several("truncate", *[1.0, 2.0] * 6)]
    data = read(finished(*records, *several("none", *[5.0] * 12)))
    (pair,) = data["comparisons"]
    assert (pair["first"], pair["second"]) == ("anchored", "truncate")
    assert pair["difference"]["value"] == -2.5
    assert pair["items"] == {"better": 0, "same": 0, "worse": 12}
    assert pair["differ"] is True
    assert read(finished(*several("anchored", 1.0)))["comparisons"] == []


def test_the_best_null_is_told_for_real_and_scripted_cases_apart():
    made = several("anchored", *[3.0] * 14)
    for number, made_of in enumerate(made):
        made_of["origin"] = "real" if number % 2 else "scripted"
        made_of["view"] = {"overall": 3.0}
        score = (3.0 if number % 2 else 2.0) + 0.1 * (number % 3 - 1)
        made_of["nulls"] = {"window": {"overall": score, "stated": 0.5, "tokens": 9}}
    data = read(finished(*made))
    told = data["strategies"][0]["nulls"]
    results = {name: (each["null"], each["result"]) for name, each in told.items()}
    assert results == {
        "all": ("window", "beats"),
        "real": ("window", "does not beat"),
        "scripted": ("window", "beats"),
    }
    assert told["scripted"]["difference"]["cases"] == 7
    assert read(finished(*several("anchored", 1.0)))["strategies"][0]["nulls"] == {}
