"""What a summariser may read: texts, results and arguments up to a number of characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.builders import agent_logs, assistant, tool, user
from support.compacting import messages_of

from pytest_compaction.compactors.base.summaries import (
    NO_LIMITS,
    ReadLimits,
    beginning,
    read_limits,
)
from pytest_compaction.conversation.formats.chat import from_chat
from pytest_compaction.conversation.messages import readable, structure_faults

WROTE = {"path": "src/lease.py", "content": "LEASE = 45\n" * 40}
CHAT = [
    user("Keep the lease. " * 40),
    assistant("I write it. " * 40, ("c", "write_file", WROTE)),
    tool("c", "written " * 100),
]


def read(**limits):
    return ReadLimits(**limits).applied(messages_of(CHAT))


def test_without_limits_everything_is_read():
    assert NO_LIMITS.applied(messages_of(CHAT)) == messages_of(CHAT)
    assert read_limits("all", "all", "all") == NO_LIMITS


def test_a_result_keeps_its_beginning_and_says_how_much_is_missing():
    asked, called, result = read(results=20)
    assert result.results[0].text == "written written writ [780 more characters]"
    assert (asked, called) == messages_of(CHAT)[:2]


def test_with_no_arguments_only_the_name_of_the_tool_is_read():
    _, called, _ = read(arguments=0)
    assert "write_file" in readable(called)
    assert "src/lease.py" not in readable(called)
    assert "LEASE" not in readable(called)


def test_short_arguments_are_read_and_long_ones_are_cut():
    _, called, _ = read(arguments=60)
    assert called.calls[0].parsed()["path"] == "src/lease.py"
    assert len(called.calls[0].parsed()["content"]) < 100


def test_the_texts_of_one_message_share_a_limit():
    said = [{"type": "text", "text": word * 30} for word in "ab"]
    (message,) = ReadLimits(texts=40).applied(messages_of([user(said)]))
    assert message.text.startswith("a" * 30 + "\n" + "b" * 10 + " [20 more")


def test_nothing_at_all_may_be_read_of_a_text():
    assert beginning("abc", 0) == "[not shown]"
    assert beginning("", 0) == ""
    assert beginning("abc", 3) == "abc"


limit = st.none() | st.integers(0, 200)


@given(agent_logs(), limit, limit, limit)
def test_limits_leave_every_message_at_its_place_and_the_structure_sound(
    chat, texts, results, arguments
):
    messages = from_chat(chat)
    limited = ReadLimits(texts, results, arguments).applied(messages)
    assert [m.id for m in limited] == [m.id for m in messages]
    assert structure_faults(limited) == structure_faults(messages)
    for message in limited:
        for result in message.results:
            assert results is None or len(result.text) <= results + len(" [ more characters]") + 9


@pytest.mark.parametrize("value", [-1, 2.5, True, "x", None])
def test_a_limit_is_a_number_of_characters_or_all(value):
    with pytest.raises(ValueError, match=f"read_results={value} must be a whole number of char"):
        read_limits("all", value, "all")
