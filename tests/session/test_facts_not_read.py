"""Facts that a view may state in a language for which they have no keys, in a run."""

from metrics.test_readings_by_language import ENGLISH, data
from support.scenarios import flat, lean, records, write_cases

STRATEGY = f"""
def english(messages, budget):
    return [{{"role": "user", "content": {ENGLISH!r}}}]
"""


def test_they_count_neither_way_and_the_summary_says_so(pytester):
    pytester.makepyfile(told=STRATEGY)
    write_cases(pytester, data())
    result = pytester.runpytest_inprocess(*lean(), "--compactor=told:english")
    [record] = records(pytester).records
    assert [fact["survived"] for fact in record["facts"]] == [True]
    assert len(record["unread"]) == 3 and record["overall"] == 5.0
    assert (
        "not read: 3 facts count neither as kept nor as lost, because most of the text is in "
        "English, for which the fact has no keys"
    ) in flat(result.outlines)
