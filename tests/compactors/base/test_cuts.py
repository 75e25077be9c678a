"""Which results of tools belong to a view."""

from hypothesis import given, settings
from hypothesis import strategies as st
from support.builders import agent_logs, assistant, tool, user
from support.compacting import ids, messages_of

from pytest_compaction.compactors.base.cuts import without_orphans

CALLS = assistant(None, ("a", "bash", {}), ("b", "bash", {}))


def test_results_of_waiting_calls_are_taken_in():
    view = messages_of([user("go"), CALLS, tool("a")])
    new = messages_of([tool("b"), assistant("done")], 3)
    assert without_orphans(view, new) == new


def test_results_whose_call_is_gone_are_left_out():
    view = messages_of([user("a summary")])
    new = messages_of([tool("a"), tool("b"), assistant("done")], 3)
    assert ids(without_orphans(view, new)) == ["m5"]
    assert without_orphans((), new[:2]) == ()


@settings(max_examples=30)
@given(agent_logs(), st.integers(0, 30))
def test_a_log_fed_in_two_parts_loses_nothing_while_the_view_is_the_log(chat, place):
    messages = messages_of(chat)
    place = min(place, len(messages))
    assert without_orphans(messages[:place], messages[place:]) == messages[place:]
