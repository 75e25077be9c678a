"""The tables of what was lost and what it costs, in the forms of a report."""

import csv
import io
import json

import pytest
from support.builders import record
from support.loss_records import event, fact, lossy

from pytest_compaction.metrics import Pricing, Ratios
from pytest_compaction.records import run_pricing
from pytest_compaction.reports.table import csv_tables, json_table, plain_table
from pytest_compaction.reports.tables import run_tables

KEPT, LATE, GONE = (True, True), (True, False), (False, False)
HOSTILE = "<script>alert(1)</script> \x1b[2J =cmd|' /C calc'!A0"
LOSSES = ("losses", "survival", "runway", "cycles", "lost_by", "most_lost", "cost")


def arm(compactor, first, usage=(50_000, 0, 1_000)):
    events = [event(50_000, 5_000, 1_000), event(45_000, 6_000, 2_000, "p2", until_next=None)]
    return [
        lossy(
            case,
            [
                fact("kept", KEPT, **{"class": "path"}),
                fact(HOSTILE, first, evidence=["m4", "m9"]),
                fact("late", LATE, recoverable=True, **{"class": "path"}),
            ],
            events,
            usage,
            compactor=compactor,
        )
        for case in "abc"
    ]


RECORDS = [*arm("anchored", KEPT), *arm("truncate", GONE, (0, 0, 0))]


def tables(records=RECORDS, pricing=None):
    return {item.name: item for item in run_tables(records, pricing)}


def test_the_tables_read_well(snapshot):
    found = tables()
    shown = "\n\n".join("\n".join(plain_table(found[name])) for name in LOSSES)
    assert shown == snapshot
    assert max(map(len, shown.splitlines())) <= 100


def test_every_table_can_be_written_in_every_form_with_its_figures_for_programs():
    as_json = {name: json_table(item)["rows"] for name, item in tables().items()}
    found = json.loads(json.dumps({name: as_json[name] for name in LOSSES}, allow_nan=False))
    assert [len(rows) for rows in found.values()] == [6, 6, 2, 2, 3, 6, 2]
    all_of_it = {row["facts_of"]: row for row in found["losses"]}
    assert all_of_it["anchored all"]["dropped"] == 3
    assert all_of_it["truncate all"]["dropped"] == 6
    assert all_of_it["anchored number"]["half_life"] is None
    assert [row["facts"] for row in found["lost_by"]] == [3, 0, 3]
    assert found["most_lost"][0]["fact"] == "late"
    assert found["most_lost"][3]["evidence"] == "m4, m9"
    assert found["cost"][1]["calls_input"] == 0
    rows = list(csv.reader(io.StringIO(csv_tables([tables()[name] for name in LOSSES]))))
    assert {len(row) for row in rows} == {6}
    assert {row[0] for row in rows[1:]} == set(LOSSES)


def test_a_model_with_a_price_is_named_in_the_cost_table_with_dollars():
    pricing = Pricing("x-1, prices of 2026-11-22", Ratios(0.1, 1.25, 5), 2.0)
    found = tables(pricing=pricing)["cost"]
    assert "x-1, prices of 2026-11-22; read 0.1, write 1.25, output 5 times" in found.notes[0]
    assert json_table(found)["rows"][0]["cost_usd"] > 0


def test_old_records_and_runs_of_the_control_alone_have_no_such_tables():
    assert not tables([record("a"), record("b")]).keys() & set(LOSSES)
    noop = [event(status="noop"), event(status="noop", point="p2")]
    control = [lossy(case, [fact("x", KEPT)], noop, compactor="none") for case in "ab"]
    assert not tables(control).keys() & set(LOSSES)
    assert tables([*control, *RECORDS])["losses"] == tables()["losses"]


@pytest.mark.parametrize(
    ("responder", "usd", "named"),
    [
        ("claude-opus-5-5", 0.01, "claude-opus-5-5"),
        ("claude-opus-5-5", None, "assumed"),
        ("my-model", 0.01, "assumed"),
        ("offline", None, "assumed"),
    ],
)
def test_dollars_are_those_of_the_model_that_answered_where_its_host_has_prices(
    responder, usd, named
):
    made = [record(usd={} if usd is None else {"responder": usd})]
    assert run_pricing(responder, made).name.startswith(named)
