"""A line for each item, and what is forgotten by kind."""

from hypothesis import given
from hypothesis import strategies as st
from support import builders, finished

from pytest_compaction.reports.items import item_lines, what_was_dropped
from pytest_compaction.reports.one_strategy import kind_lines


def fact(text, loss=None):
    return finished.fact(loss, text=text)


def record(probe, overall, facts=(), kind="recall", **more):
    item = f"test_probe[keep-case-{probe}]"
    given = {"item": item, "kind": kind, "status": "failed", "reading": "view", **more}
    given = {"compactor": "keep", **given}
    return builders.record("case", probe, overall=overall, facts=list(facts), **given)


def texts(lines):
    return [line.text for line in lines]


def test_the_lowest_item_comes_first_and_says_which_facts_were_dropped():
    lost = [fact("the port is 8080", "dropped"), fact("the file is a.py"), fact("x", "unused")]
    found = texts(item_lines([record("b", 3.0), record("a", 1.0, lost)]))
    assert found == [
        "  1.00  case-a  1 of 3 dropped: the port is 8080",
        "  3.00  case-b",
    ]


def test_an_answer_also_lacks_what_it_did_not_use_and_a_stale_value_is_said():
    lost = [fact("one", "dropped"), fact("two", "unused")]
    said = what_was_dropped(record("a", 1.0, lost, reading="answer"))
    assert said == "1 of 2 dropped: one; 1 of 2 unused: two"
    stale = {"text": "the limit is 30", "hit": True}
    assert what_was_dropped(record("a", 1.0, traps=[stale])) == "stale: the limit is 30"


def test_strategies_and_trials_are_named_where_there_are_several():
    found = texts(item_lines([record("a", 1.0), record("a", 2.0, compactor="none", trial=2)]))
    assert [line.split()[1] for line in found] == ["keep-case-a-t1", "none-case-a-t2"]


@given(
    st.lists(st.tuples(st.text(max_size=90), st.floats(0, 5), st.text(max_size=90)), max_size=6),
    st.integers(40, 160),
)
def test_no_line_is_wider_than_the_terminal_whatever_the_texts(items, width):
    records = [record(probe, score, [fact(text, "dropped")]) for probe, score, text in items]
    for line in texts(item_lines(records, width)):
        assert len(line) <= width
        assert line.isprintable()


def test_kinds_are_ranked_and_the_weakest_is_marked():
    records = [
        record("a", 4.0, [fact("x"), fact("y", "unused")], "file"),
        record("b", 1.0, [fact("z", "dropped")], "recall"),
    ]
    assert texts(kind_lines(records)) == [
        "asked about  facts  kept dropped unused score",
        "file             2  100%       0      1  4.00",
        "recall           1    0%       1      0  1.00",
    ]
    assert texts(kind_lines(records[:1])) == [], "one kind needs no table"
    assert texts(kind_lines([record("a", None), record("b", None, kind="file")])) == []
