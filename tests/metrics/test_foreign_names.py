"""Names of a view that its log never said."""

from pytest_compaction.conversation import readable, text_message
from pytest_compaction.metrics import ForeignNames, foreign_names
from pytest_compaction.text import normalize


def user(text):
    return text_message("said", "user", text)


def assistant(text):
    return text_message("answered", "assistant", text)


LOG = (user("Look at src/queue.py and open_queue()."), assistant("RetryLimit is in LIB/Broker.py."))


def foreign(*view):
    return foreign_names(view, [normalize(readable(message)) for message in LOG])


def test_names_of_the_log_are_its_own_however_they_are_spelt():
    text = "[Summary] `/home/me/src/queue.py`, lib/broker.py, open_queue and RetryLimit"
    assert foreign(user(text)) == ForeignNames(of=4)


def test_names_from_elsewhere_are_foreign_and_words_and_numbers_are_not():
    text = "[Summary] src/billing.py calls close_book; 1,203 tokens were left out, see the note"
    assert foreign(user(text)) == ForeignNames(("src/billing.py", "close_book"), 2, 2)


def test_messages_of_the_log_count_for_neither():
    assert foreign(*LOG) == ForeignNames()
    assert foreign() == ForeignNames()


def test_only_a_view_most_of_whose_names_come_from_elsewhere_is_foreign():
    names = " ".join(f"`src/other_{n}.py`" for n in range(7))
    found = foreign(user(f"{names} lib/broker.py"))
    assert (len(found.names), found.count, found.of) == (5, 7, 8)
    assert found.make_it_foreign
    assert not ForeignNames(("a",) * 4, 4, 4).make_it_foreign
    assert not ForeignNames(("a",) * 5, 5, 10).make_it_foreign
