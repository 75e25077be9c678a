"""The tables of long conversations from records: means, intervals, and where the evidence is."""

from pytest_compaction.metrics.long_memory import ability_mean, tenth_mean
from pytest_compaction.reports.tables.long_memory_tables import long_memory_tables


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


def test_a_score_counts_in_each_tenth_of_its_evidence():
    records = [
        record("a", "abstention-1", 1, tenths=[2, 3]),
        record("a", "abstention-2", 0, tenths=[3]),
    ]
    assert [
        tenth_mean(records, tenth) and tenth_mean(records, tenth).value for tenth in (1, 2, 3)
    ] == [
        None,
        1,
        0.5,
    ]


def test_an_unscored_question_is_in_no_mean():
    records = [record("a", "abstention-1", 1), record("a", "abstention-2", None)]
    assert ability_mean(records, "100K", "abstention").value == 1
    assert ability_mean(records, "100K", "all").count == 1


def test_the_note_on_intervals_tells_sizes_apart():
    records = [
        record(case, "abstention-1", score) for case, score in (("a", 1), ("b", 0), ("c", 1))
    ]
    (note,) = tables(one=records)["abilities"].notes[1:]
    assert note == "95 % intervals over conversations: studentised bootstrap of 3 cases."
    records.append(record("d", "abstention-1", 1, size="10M"))
    (note,) = tables(one=records)["abilities"].notes[1:]
    assert note == (
        "95 % intervals over conversations: 100K: studentised bootstrap of 3 cases; "
        "10M: none, of one conversation."
    )
