"""New probes ask for what the whole log bears out, not for what one message says alone."""

import pytest

from pytest_compaction.case import Fact, Trap
from pytest_compaction.case_making.selection import (
    confirmed,
    is_confirmed,
    keys_agree,
    keys_too_loose,
)
from pytest_compaction.conversation import Message, Text
from pytest_compaction.metrics import view_index

LIMIT = Fact("The retry limit is 5.", keys=(("retry limit",), ("5",)), type="value")
STALE = Trap("The retry limit is 3.", keys=(("retry limit",), ("3",)), of=LIMIT.text)


def log(*texts):
    return view_index(
        tuple(Message(f"m{i}", "user", (Text(text),)) for i, text in enumerate(texts))
    )


def test_a_fact_that_the_log_states_is_confirmed():
    assert confirmed([LIMIT], [STALE], log("The retry limit is 5.")) == ([LIMIT], [STALE])


@pytest.mark.parametrize(
    "texts",
    [["The retry limit is 7."], ["Rejected, none of it is done:\n- The retry limit is 5"]],
)
def test_a_fact_that_the_log_as_a_whole_does_not_state_is_dropped_with_its_trap(texts):
    assert confirmed([LIMIT], [STALE], log(*texts)) == ([], [])


def test_a_fact_whose_text_lacks_its_keys_is_dropped():
    wrong = Fact("The retry limit is 5.", keys=(("burst limit",), ("5",)), type="value")
    assert not keys_agree(wrong)
    assert not is_confirmed(wrong, (), log("The burst limit is 5."))


def test_a_fact_whose_keys_match_its_trap_is_dropped():
    loose = Fact("Retries go to the queue.", keys=(("retries",),), type="decision")
    trap = Trap("Retries go to the cache.", keys=(("retries",), ("cache",)), of=loose.text)
    assert keys_too_loose(loose, trap)
    assert confirmed([loose], [trap], log("Retries go to the queue.")) == ([], [])


def test_a_trap_of_another_fact_says_nothing_about_a_fact():
    other = Trap(STALE.text, keys=STALE.keys, of="The batch size is 20.")
    loose = Fact("The retry limit is 5.", keys=(("retry limit",),), type="value")
    assert not keys_too_loose(loose, other)


def test_a_trap_whose_text_lacks_its_keys_is_dropped():
    wrong = Trap("The retry limit is 3.", keys=(("burst limit",),), of=LIMIT.text)
    assert confirmed([LIMIT], [wrong], log("The retry limit is 5.")) == ([LIMIT], [])
