"""The table of strategies: letters, the budget, and its width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.finished import several

from pytest_compaction.metrics import aggregate
from pytest_compaction.reports.strategies import short_letters, strategy_table
from pytest_compaction.reports.summary import run_summary


def texts(letters):
    """The table of strategies with these letters and no record."""
    figures = [aggregate(name, []) for name in letters]
    groups = {name: [] for name in letters}
    return [line.text for line in strategy_table(figures, groups, letters)]


def test_a_long_run_of_letters_is_written_as_its_ends():
    assert short_letters("abc") == "abc"
    assert short_letters("abcd") == "a-d"
    assert short_letters("abcdgh") == "a-dgh"
    assert short_letters("") == ""


def test_letters_are_explained_where_there_are_any():
    note = "strategies that share a letter do not differ at 5 % (paired, Holm)"
    assert note in texts({"one": "a", "two": "ab"})
    assert note not in texts({"one": "", "two": ""})


def with_seconds(name, *took):
    """Records of two probes that share the compactions of each case, which took so long."""
    return [
        {
            **each,
            "latency_s": {} if seconds is None else {"compaction p1": seconds, "responder": 9.0},
            "compaction": {
                "steps": {},
                "events": [{"point": "p1", "status": "compacted", "calls": 2}],
            },
        }
        for seconds, each in zip(
            [each for each in took for _ in range(2)],
            several(name, *[4.0] * 2 * len(took)),
            strict=True,
        )
    ]


def test_a_column_has_the_seconds_of_a_compaction_where_a_model_was_waited_for():
    groups = {
        "anchored": with_seconds("anchored", 2.0, 4.5),
        "truncate": with_seconds("truncate", None, None),
    }
    records = [each for group in groups.values() for each in group]
    said = [line.text for line in run_summary(records, list(groups), control=False)]
    head = next(line for line in said if line.startswith("compactor"))
    assert head.split()[-3:] == ["ratio", "sec", "used"]
    place = head.index("sec") + 3
    table = said[said.index(head) :]
    rows = {name: next(line for line in table if line.startswith(name)) for name in groups}
    assert [row[:place].split()[-1] for row in rows.values()] == ["3.2", "-"]
    assert said.count("  a compaction took models 3.2 s, 2.0 calls") == 1
    assert all(len(line) <= 80 for line in said)
    records = with_seconds("anchored", None) + with_seconds("truncate", None)
    said = [line.text for line in run_summary(records, list(groups), control=False)]
    head = next(line for line in said if line.startswith("compactor"))
    assert head.split()[-2:] == ["ratio", "used"]
    assert not any("took models" in line for line in said)
    assert all(len(line) <= 80 for line in said)


@pytest.mark.parametrize("name", ["anchored", "codex:mode=local", "a" * 40])
def test_the_ratio_stands_beside_who_wrote(name):
    records = with_seconds(name, None) + with_seconds("truncate", None)
    said = run_summary(records, [name, "truncate"], control=False, words=True)
    lines = [line.text for line in said]
    head = next(line for line in lines if line.startswith("compactor"))
    assert head.split()[-3:] == ["ratio", "used", "by"]
    assert all(len(line) <= 80 for line in lines)


@given(
    st.lists(
        st.tuples(st.text(min_size=1, max_size=40), st.text("abcdefgh", max_size=8)),
        min_size=1,
        max_size=5,
        unique_by=lambda pair: pair[0],
    )
)
def test_no_row_is_wider_than_80_columns(named):
    for line in texts(dict(named)):
        assert len(line) <= 80
