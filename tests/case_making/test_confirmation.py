"""New probes ask for what the whole log bears out, not for what one message says alone."""

import pytest

from pytest_compaction.case import Fact, Trap
from pytest_compaction.case_making.selection import (
    is_sound,
    keys_agree,
    keys_too_loose,
)
from pytest_compaction.conversation import Message, Text
from pytest_compaction.metrics import view_index

LIMIT = Fact("The retry limit is 5.", keys=(("retry limit",), ("5",)), type="value")


def log(*texts):
    return view_index(
        tuple(Message(f"m{i}", "user", (Text(text),)) for i, text in enumerate(texts))
    )


def test_a_fact_that_the_log_states_is_sound():
    assert is_sound(LIMIT, log("The retry limit is 5."))


@pytest.mark.parametrize(
    "texts",
    [["The retry limit is 7."], ["Rejected, none of it is done:\n- The retry limit is 5"]],
)
def test_a_fact_that_the_log_as_a_whole_does_not_state_is_not(texts):
    assert not is_sound(LIMIT, log(*texts))


def test_a_fact_whose_text_lacks_its_keys_is_not():
    wrong = Fact("The retry limit is 5.", keys=(("burst limit",), ("5",)), type="value")
    assert not keys_agree(wrong)
    assert not is_sound(wrong, log("The burst limit is 5."))


def test_keys_that_match_a_trap_are_too_loose_unless_it_is_of_another_fact():
    loose = Fact("Retries go to the queue.", keys=(("retries",),), type="decision")
    trap = Trap("Retries go to the cache.", keys=(("retries",), ("cache",)), of=loose.text)
    assert keys_too_loose(loose, trap)
    assert not keys_too_loose(loose, Trap(trap.text, keys=trap.keys, of="The batch size is 20."))
