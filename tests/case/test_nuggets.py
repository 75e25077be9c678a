"""What a nugget asks of an answer: its content, and whether a view can satisfy it."""

import pytest

from pytest_compaction.case import Nugget

STATED = "LLM response should state: "


def test_the_content_is_without_the_words_that_ask_for_it_and_without_a_number():
    assert Nugget("LLM response should mention: 2) Finding a dentist").content == (
        "Finding a dentist"
    )
    assert Nugget("7.5 hours").content == "7.5 hours"


@pytest.mark.parametrize(
    ("nugget", "forbids"),
    [
        ("LLM response should state: avoid nuts", False),
        ("LLM response should not only mention the rent", False),
        ("LLM response should not forget to mention the rent", False),
        ("LLM response should: avoids recommending ferns", True),
        ("LLM response should never suggest ferns", True),
    ],
)
def test_what_has_to_be_said_is_no_ban(nugget, forbids):
    assert Nugget(nugget).forbids is forbids


@pytest.mark.parametrize(
    "nugget",
    [
        "Based on the provided chat, there is no information related to the colour of curtains",
        f"{STATED}the rent is not mentioned in our conversation",
        f"{STATED}it cannot be determined from this chat",
        f"{STATED}there is contradictory information",
        "LLM response should mention: which statement is correct?",
        f"{STATED}a request to clarify the date",
        "LLM response should not mention ferns",
    ],
)
def test_a_remark_on_the_conversation_is_nothing_that_a_view_states(nugget):
    assert not Nugget(nugget).is_stated_in_log("contradiction_resolution")


@pytest.mark.parametrize(
    "nugget", [f"{STATED}1,200 euros", "LLM response should mention: you never owned a bicycle"]
)
def test_a_statement_is_something_that_a_view_can_state(nugget):
    assert Nugget(nugget).is_stated_in_log("contradiction_resolution")
