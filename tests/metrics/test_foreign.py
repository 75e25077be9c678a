"""Names of a view that its log never said, and facts that it words as the case file does."""

import random

import pytest

from pytest_compaction.case import Fact
from pytest_compaction.conversation import readable, text_message
from pytest_compaction.metrics import ForeignNames, foreign_names, foreign_wordings
from pytest_compaction.metrics.foreign import LEAST_WORDINGS
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


SAID = ("we hold each lease for 45 seconds now", "i will look at the broker tomorrow morning")
FACTS = tuple(
    Fact(
        f"the {name} waits {number} seconds before it retries",
        keys=((f"the {name} worker",), (f"{number} seconds of waiting", f"{number} s")),
    )
    for number, name in enumerate(("queue", "broker", "reaper", "shipper", "clock"), start=40)
)


def wordings(*view, facts=FACTS, log=SAID):
    return foreign_wordings(view, facts, log)


def shuffled(text):
    words = text.split()
    random.Random(1).shuffle(words)
    return " ".join(words)


COPIES = {
    "text": lambda fact: fact.text,
    "in a sentence": lambda fact: f"- It is known that {fact.text}.",
    "words shuffled": lambda fact: shuffled(fact.text),
    "first keys": lambda fact: ", ".join(group[0] for group in fact.keys),
    "keys the other way round": lambda fact: " ".join(group[0] for group in reversed(fact.keys)),
    "all keys": lambda fact: " / ".join(key for group in fact.keys for key in group),
}


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_texts_and_keys_of_facts_are_recognised_in_any_order(copied):
    view = [copied(fact) for fact in random.Random(2).sample(FACTS, len(FACTS))]
    worded = wordings("\n".join(view))
    assert worded.come_from_the_case
    assert (worded.count, worded.of) == (5, 5)
    assert set(worded.texts) == {fact.text for fact in FACTS}


def test_what_the_log_words_so_is_its_own():
    said = (*SAID, *(fact.text for fact in FACTS))
    assert wordings("\n".join(said[2:]), log=said).count == 0


def test_a_log_that_says_it_in_another_order_may_be_quoted():
    log = tuple(" ".join(reversed(fact.text.split())) for fact in FACTS)
    assert wordings("quoted: " + "\n".join(log), log=log).count == 0
    assert wordings("quoted: " + "\n".join(log)).come_from_the_case


def test_a_few_wordings_by_chance_mark_no_view():
    few = "\n".join(fact.text for fact in FACTS[: LEAST_WORDINGS - 1])
    assert not wordings(few).come_from_the_case
    more = [Fact(f"the {n}th of many facts is worded thus", keys=()) for n in range(LEAST_WORDINGS)]
    half = "\n".join(fact.text for fact in FACTS[:LEAST_WORDINGS])
    assert wordings(half).come_from_the_case
    assert not wordings(half, facts=(*FACTS, *more)).come_from_the_case


def test_a_list_of_files_is_worded_as_anyone_words_it():
    facts = [Fact(f"src/porter/module_{n}.py was modified", type="path") for n in range(9)]
    assert wordings("\n".join(fact.text for fact in facts), facts=facts).count == 0


def test_short_wordings_are_passed_over():
    facts = [Fact(f"lease {n} is 45") for n in range(9)]
    assert wordings("\n".join(fact.text for fact in facts), facts=facts).count == 0
