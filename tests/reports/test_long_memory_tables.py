"""The tables of long conversations from records: means, intervals, and where the evidence is."""

from pytest_compaction.metrics import ability_mean, tenth_mean
from pytest_compaction.reports.table import csv_tables, markdown_table, plain_table
from pytest_compaction.reports.tables import ABILITY, long_memory_tables


def record(case, probe, score, **more):
    kind = probe.partition("-")[0]
    return {"case": case, "probe": probe, "kind": kind, "score": score, "size": "100K", **more}


def tables(**groups):
    return {table.name: table for table in long_memory_tables(groups)}


def shown(table):
    return [[cell.value for cell in row] for row in table.rows]


def test_a_question_counts_once_over_strategies_and_trials():
    twice = [
        record("a", "abstention-1", score, tenths=[1, 10], trial=t) for t, score in ((0, 1), (1, 0))
    ]
    late = [
        record("a", "abstention-1", 0.5, tenths=[1, 10]),
        record("b", "abstention-1", 1, tenths=[10]),
    ]
    rows = shown(tables(one=twice, two=late)["evidence_place"])
    assert [row[:2] for row in rows] == [["1 of 10", 1], ["10 of 10", 2]]


def test_a_score_counts_in_each_tenth_of_its_evidence_and_without_one_in_no_mean():
    records = [
        record("a", "abstention-1", 1, tenths=[2, 3]),
        record("a", "abstention-2", 0, tenths=[3]),
    ]
    found = [tenth_mean(records, tenth) for tenth in (1, 2, 3)]
    assert [each and each.value for each in found] == [None, 1, 0.5]
    records[1]["score"] = None
    assert ability_mean(records, "100K", "abstention").value == 1
    assert ability_mean(records, "100K", "all").count == 1


def test_the_note_on_intervals_tells_sizes_apart():
    records = [
        record(case, "abstention-1", score)
        for case, score in zip("abcefg", (1, 0) * 3, strict=True)
    ]
    (note,) = tables(one=records)["abilities"].notes[1:]
    assert note == "95 % intervals over conversations: studentised bootstrap of 6 cases."
    records.append(record("d", "abstention-1", 1, size="10M"))
    (note,) = tables(one=records)["abilities"].notes[1:]
    assert note == (
        "95 % intervals over conversations: 100K: studentised bootstrap of 6 cases; "
        "10M: none, of one conversation."
    )


def of_two_sizes(strategies):
    records = [
        record("a", "contradiction_resolution-1", 1, size="100K"),
        record("b", "contradiction_resolution-1", 0, size="1M"),
    ]
    return tables(**dict.fromkeys(strategies, records))["abilities"]


def test_columns_that_come_below_have_the_size_of_each_row_again():
    found = of_two_sizes(f"strategy_{number}" for number in range(12))
    lines = list(plain_table(found, 60, ABILITY))
    assert sum("strategy_" in line for line in lines) > 1
    rows = [line.split() for line in lines if line.startswith("  contradiction_resolution")]
    assert {row[1] for row in rows} == {"100K", "1M"}
    assert all(row[2:] == ["1.00" if row[1] == "100K" else "0.00"] * len(row[2:]) for row in rows)


def test_rows_of_a_list_of_values_are_told_apart_by_their_size():
    rows = csv_tables([of_two_sizes(["window"])]).splitlines()[1:]
    assert rows[0] == "abilities,contradiction_resolution 100K,window,1.0,,"
    assert rows[2] == "abilities,contradiction_resolution 1M,window,0.0,,"
    assert len(rows) == len({tuple(row.split(",")[1:3]) for row in rows}) == 4


def test_a_long_or_hostile_name_of_a_strategy_stays_in_its_line_and_whole_for_programs():
    names = [f"team.strategies:compact:keep={n}:{'x' * 90}" for n in (1, 2)] + ["\x1b[31mred"]
    found = of_two_sizes(names)
    lines = list(plain_table(found, 80, ABILITY))
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in "".join([*lines, *markdown_table(found)])
    assert [column.key for column in found.columns[2:]] == names
    assert len({column.head for column in found.columns}) == 5
