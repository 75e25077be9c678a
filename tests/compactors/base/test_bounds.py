"""What a summariser reads fits its window, and what it writes fits its budget."""

from hypothesis import given
from hypothesis import strategies as st
from support.builders import COUNTER, agent_logs

from pytest_compaction.compactors.base.summaries import (
    fitting_input,
    fitting_summary,
    without_middle,
)
from pytest_compaction.conversation.formats.chat import from_chat
from pytest_compaction.conversation.messages import structure_faults, text_message
from pytest_compaction.models.structured_summary import Section, Summary

SECTIONS = (
    Section("one", "One", "The first.", ("values",)),
    Section("two", "Two", "The second.", ("values",)),
)
entries = st.lists(st.sampled_from(["short", "a longer entry of several words", "x " * 60]))


@given(agent_logs(), st.integers(0, 3000))
def test_the_input_fits_and_is_left_alone_where_it_did(chat, limit):
    messages = from_chat(chat)
    kept = fitting_input(messages, limit, COUNTER)
    assert COUNTER.messages(kept) <= limit or not kept
    if COUNTER.messages(messages) <= limit:
        assert kept == messages
    assert structure_faults(kept) == []
    assert [m.id for m in kept] == [m.id for m in messages if m.id in {k.id for k in kept}]


def test_a_giant_message_loses_its_middle_and_the_others_stay():
    giant = "begin " + "middle " * 5000 + "end"
    messages = (text_message("a", "user", "The question."), text_message("b", "user", giant))
    kept = fitting_input(messages, 500, COUNTER)
    assert kept[0] == messages[0]
    assert kept[1].text.startswith("begin")
    assert kept[1].text.endswith("end")
    assert "characters left out" in kept[1].text


@given(st.text(max_size=400), st.integers(60, 300))
def test_a_text_without_its_middle_says_how_much_is_missing(text, length):
    short = without_middle(text, length)
    assert len(short) <= length + 20
    if len(text) > length:
        left_out = int(short.split(" [")[-1].split(" characters")[0]) if " [" in short else 0
        assert left_out > 0
    else:
        assert short == text


@given(entries, entries, st.integers(0, 400))
def test_a_summary_that_is_too_long_gives_up_its_last_entries(one, two, budget):
    summary = Summary((("one", tuple(one)), ("two", tuple(two))))
    fitted = fitting_summary(summary, SECTIONS, budget, COUNTER)
    if COUNTER.text(summary.render(SECTIONS)) <= budget:
        assert fitted == summary
    assert fitted.empty or COUNTER.text(fitted.render(SECTIONS)) <= budget
    for section in ("one", "two"):
        assert summary.of(section)[: len(fitted.of(section))] == fitted.of(section)
