"""Tokens per task: an estimate in every outlet but the first screen, and no gate decides on it."""

import json

import pytest
from support.finished import finished
from support.loss_records import event, fact, lossy

from pytest_compaction.gate import parse_threshold
from pytest_compaction.metrics import Pricing, Ratios, known, means
from pytest_compaction.records import Run
from pytest_compaction.reports.finished_run import suite_properties
from pytest_compaction.reports.json_report import report_json
from pytest_compaction.reports.markdown_report import markdown_report
from pytest_compaction.reports.page.page import page_of
from pytest_compaction.reports.page.runs import PageRun
from pytest_compaction.reports.summary import run_summary
from pytest_compaction.reports.table import csv_tables, json_table, plain_table
from pytest_compaction.reports.tables import run_tables

WHY = {"how": "used", "message": "m9", "why": "needed by m9: edit of a.py"}
NAMES = ("task_estimate", *(f"task_estimate.{n}" for n in ("requests", "read_again", "summaries")))
HOSTILE = "x\x1b[2J<script>"


FACTS = [
    fact("kept", needed=WHY),
    fact("back", (False,), needed=WHY, recoverable=True),
    fact("lost", (False,), needed=WHY),
]


def arm(compactor, after, cases="abcdef", calls=0, requests=3, facts=FACTS, **changes):
    """Sessions of three requests, a needed fact to read again, and another that is gone."""
    later = {"requests": requests, "added": 2_000 * requests, "sent": 3_000 * requests}
    used = {"calls": 1, "input_tokens": calls, "output_tokens": calls // 10} if calls else {}
    return [
        lossy(case, facts, [event(after=after, **later, **used)], compactor=compactor, **changes)
        for case in cases
    ]


RECORDS = [*arm("anchored", 5_000, calls=40_000), *arm("truncate", 4_000)]


def task_table(records, pricing=None):
    return next(table for table in run_tables(records, pricing) if table.name == "task")


def shown(records, pricing=None):
    return " ".join(" ".join(plain_table(task_table(records, pricing))).split())


def test_the_table_has_the_parts_says_that_it_is_an_estimate_and_can_be_read_by_programs(snapshot):
    assert "\n".join(plain_table(task_table(RECORDS))) == snapshot
    assert "estimate" in task_table(RECORDS).title
    first, second = json_table(task_table(RECORDS))["rows"]
    parts = [first[name]["value"] for name in ("requests", "read_again", "summaries")]
    assert first["total"]["value"] == pytest.approx(sum(parts))
    assert parts[1:] == [125, 60_000]
    assert (second["needed"], second["gone"]) == (18, 6)
    assert f"anchored,total,{first['total']['value']}," in csv_tables([task_table(RECORDS)])


def observed(*points, case="a"):
    """Items of ``recorded``: at its compactions, by id and tokens, and at a point of the case.

    Beside the tokens may stand those at far points, and the number of these.
    """
    made = []
    for number, (id, *tokens) in enumerate(points, start=1):
        after, elsewhere, far = (*tokens, None, None, 0)[:3]
        known = {"after": {"tokens_again": after}, "elsewhere": {"tokens_again": elsewhere}}
        told = {"10": {}, "40": {} if after is None else known | {"points": far}}
        point = {"id": id, "recorded": True, "fetched_again": told}
        events = [event(requests=3, added=6_000, sent=9_000)] * number
        made += 2 * [lossy(case, FACTS, events, compactor="recorded", point=point)]
    own = {"id": "own", "recorded": False}
    return [*made, lossy(case, compactor="recorded", point=own, overall=None)]


def test_what_the_view_on_record_made_the_agent_fetch_again_is_observed():
    found = observed(("p1", 400), ("p2", 40))
    row, *_ = json_table(task_table([*found, *RECORDS]))["rows"]
    assert row["compactor"] == "recorded, observed"
    assert (row["sessions"], row["read_again"]["value"]) == (1, 440 * 1.25)
    text = shown([*found, *RECORDS])
    assert "Observed: read again is what the agent fetched again in the next 40 calls" in text
    assert set(task_table(RECORDS).notes) < set(task_table([*found, *RECORDS]).notes)
    assert "bserved" not in shown(RECORDS)


@pytest.mark.parametrize(
    ("points", "read", "net"),
    [
        ([("p1", 400, 900, 3), ("p2", 40, 600, 30)], 100 + 20, "2 of 2"),
        ([("p1", 400, 900, 3), ("p2", 40, 0, 0)], 100 + 40, "1 of 2"),
        ([("p1", 400)], 400, "0 of 1"),
        ([("p1", 10, 900, 3)], -290, "1 of 1"),
    ],
)
def test_what_is_fetched_again_elsewhere_is_taken_off_where_it_is_known(points, read, net):
    row, *_ = json_table(task_table([*observed(*points), *RECORDS]))["rows"]
    assert row["read_again"]["value"] == read * 1.25
    assert f"could be taken off after {net};" in shown([*observed(*points), *RECORDS])


@pytest.mark.parametrize(
    ("records", "why"),
    [
        (observed(("p1", None)), "the tokens of a view or of later requests are not known"),
        (observed(), "no compaction is on record"),
    ],
)
def test_a_session_whose_observation_is_not_known_is_left_out(records, why):
    assert f"Left out, because {why}: a (recorded)." in shown([*records, *RECORDS])


def test_dollars_stand_where_a_price_is_known():
    assert "US dollars" not in shown(RECORDS)
    priced = Pricing("a model, prices of today", Ratios(0.1, 1.25, 5), 3.0)
    (anchored, _) = json_table(task_table(RECORDS, priced))["rows"]
    assert anchored["usd"] == pytest.approx(anchored["total"]["value"] * 3 / 1e6)
    assert "input price of 3 US dollars" in shown(RECORDS, priced)


def test_the_cheapest_is_recommended_only_where_intervals_part():
    assert "truncate costs least" in shown(RECORDS)
    assert "Of its 18 needed facts 6 are gone." in shown(RECORDS)
    kept = arm("wordy", 50_000, facts=[fact("kept", needed=WHY)])
    rows = {
        r["compactor"]: r["total"]["value"]
        for r in json_table(task_table([*RECORDS, *kept]))["rows"]
    }
    more = rows["wordy"] - rows["truncate"]
    assert f"each of them costs more than {more:,.0f}, another" in shown([*RECORDS, *kept])
    few = [record for record in RECORDS if record["case"] < "e"]
    assert "costs least" not in shown(few)
    assert "No recommendation: truncate has the lowest total" in shown(few)
    assert "recommend" not in shown(RECORDS[:6])


def test_budgets_of_one_strategy_are_compared_too():
    rows = [
        record
        for name, more in (("anchored", 0), ("light", 1))
        for budget in (2_000, 4_000)
        for record in arm(name, budget + more * (budget == 2_000), budget=budget)
    ]
    found = shown(rows)
    assert found.count("costs least") == 3
    assert all(f"{name}-b2000 costs least" in found for name in ("anchored", "light"))
    assert [row["compactor"] for row in json_table(task_table(rows))["rows"]] == [
        *("anchored-b2000", "anchored-b4000", "light-b2000", "light-b4000"),
    ]


def test_cases_that_tell_too_little_are_named():
    ends = [
        *arm("anchored", 5_000, HOSTILE, requests=0),
        *arm("truncate", 5_000, HOSTILE, requests=0),
    ]
    found = shown([*RECORDS, *ends, *arm("truncate", 5_000, "z", overall=None, status="unscored")])
    assert "Left out, because no request follows a compaction:" in found
    assert "Left out, because an item has no score: z (truncate)." in found
    assert "\x1b" not in found
    over = arm("wide", 100, tokens={"log": 90_000, "view": 7_000, "summary": 0})
    assert "Not compared, because views are over the budget: wide." in shown([*RECORDS, *over])
    assert "truncate costs least" in shown([*RECORDS, *over])
    assert not [t for t in run_tables(ends) if t.name == "task"]


def test_every_outlet_but_the_first_screen_has_the_estimate():
    run = finished(*RECORDS)
    data = json.loads(report_json(run))
    table = json_table(task_table(RECORDS))["rows"]
    for strategy, row in zip(data["strategies"], table, strict=True):
        assert strategy["figures"]["task_estimate"]["value"] == pytest.approx(row["total"]["value"])
    assert {f"compaction.anchored.{name}" for name in NAMES} <= set(dict(suite_properties(run)))
    page = page_of([PageRun("r", Run({}, {r["item"]: r for r in RECORDS}, name="r"))])
    assert all("Tokens per task, an estimate" in text for text in (markdown_report(run), page))
    for records in (RECORDS, RECORDS[:6]):
        lines = run_summary(records, ["anchored", "truncate"], control=False)
        assert not [line for line in lines if "estimate" in line.text or "per task" in line.text]


def test_a_run_without_needed_facts_has_none():
    plain = [lossy(case, [fact()], [event(requests=3, added=9, sent=9)]) for case in "abcdef"]
    assert not set(NAMES) & set(means(plain))
    assert not [table for table in run_tables(plain) if table.name == "task"]


@pytest.mark.parametrize("rule", [*(f"{name}<=1000" for name in NAMES), "real.task_estimate<=9"])
def test_a_threshold_on_the_estimate_is_refused(rule):
    assert set(NAMES) <= set(known())
    with pytest.raises(ValueError, match="is on a figure of the recorded session") as refused:
        parse_threshold(rule)
    assert "needed.survival>=0.8" in str(refused.value)
    with pytest.raises(ValueError, match="write METRIC") as unread:
        parse_threshold("overal>=3")
    assert "task_estimate" not in str(unread.value)
