"""Views that are held ready for more questions, bounded by their characters."""

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


def test_a_view_is_prepared_once_for_all_its_questions():
    views = ReadViews()
    assert views.index(view(1)) is views.index(view(1))
    assert views.characters == size(view(1))


def test_a_text_that_several_views_hold_counts_once():
    views = ReadViews()
    views.index(view(1))
    views.index(view(1)[:1])
    assert views.characters == size(view(1))


def test_views_are_dropped_when_their_texts_have_come_to_more_than_the_bound():
    views = ReadViews(most=2 * size(view(1)))
    for number in range(10):
        assert views.index(view(number)).read(RULE).outcome == "stated"
        assert views.characters <= 3 * size(view(1))


def test_two_long_views_that_are_asked_in_turn_stay_held():
    views = ReadViews(most=10)
    first, second = views.index(view(1)), views.index(view(2))
    assert first.read(RULE).outcome == second.read(RULE).outcome == "stated"
    assert (views.index(view(1)), views.index(view(2))) == (first, second)


def test_long_views_are_dropped_when_they_have_come_to_more_than_twice_the_longest():
    views = ReadViews(most=10)
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
