"""Views that are held ready for more questions, bounded by their characters."""

import pytest

from pytest_compaction.conversation import readable, text_message
from pytest_compaction.metrics import ReadViews
from pytest_compaction.text import Statement

RULE = Statement("the gauge is 45 seconds", keys=(("gauge",), ("45 seconds",)))


def view(number, length=100):
    rule = text_message("rule", "user", "The gauge is 45 seconds.", "log")
    rest = text_message(f"m{number}", "assistant", f"number {number} " + "word " * length, "log")
    return (rule, rest)


def size(messages):
    return sum(len(readable(message)) for message in messages)


@pytest.mark.parametrize("most", [10_000, 10])
def test_a_view_is_prepared_once_for_all_its_questions_however_long_it_is(most):
    views = ReadViews(most=most)
    assert views.index(view(1)) is views.index(view(1))
    assert views.characters == size(view(1))
    second = views.index(view(2))
    assert views.index(view(1)).read(RULE).outcome == second.read(RULE).outcome == "stated"
    assert views.index(view(2)) is second
    views.index(view(1)[:1])
    assert views.characters == size(view(1)) + size(view(2)[1:]), "each text counts once"


@pytest.mark.parametrize("most", [2 * size(view(1)), 10])
def test_views_are_dropped_beyond_the_bound_or_twice_the_longest(most):
    views = ReadViews(most=most)
    for number in range(10):
        assert views.index(view(number)).read(RULE).outcome == "stated"
        assert views.characters <= 3 * size(view(1))


def test_what_is_forgotten_is_read_anew_with_the_same_outcome():
    views = ReadViews()
    before = views.index(view(1)).read(RULE)
    views.forget()
    again = views.index(view(1))
    assert again.read(RULE) == before
    assert again.touched == 1
