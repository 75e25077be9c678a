"""Names of a view that its log never said."""

from pytest_compaction.conversation.messages import readable, text_message
from pytest_compaction.records.foreign_names import foreign_names
from pytest_compaction.text.words import normalize


def user(text):
    return text_message("said", "user", text)


def assistant(text):
    return text_message("answered", "assistant", text)


LOG = (user("Look at src/queue.py and open_queue()."), assistant("RetryLimit is in LIB/Broker.py."))


def foreign(*view):
    return foreign_names(view, [normalize(readable(message)) for message in LOG])


def test_names_of_the_log_are_its_own_however_they_are_spelt():
    text = "[Summary] `/home/me/src/queue.py`, lib/broker.py, open_queue and RetryLimit"
    assert foreign(user(text)) == ((), 4)


def test_names_from_elsewhere_are_foreign_and_words_and_numbers_are_not():
    text = "[Summary] src/billing.py calls close_book; 1,203 tokens were left out, see the note"
    assert foreign(user(text)) == (("src/billing.py", "close_book"), 2)


def test_messages_of_the_log_count_for_neither():
    assert foreign(*LOG) == ((), 0)
    assert foreign() == ((), 0)
