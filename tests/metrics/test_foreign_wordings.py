"""Facts that a view words as the case file does, where its log does not."""

import random

import pytest

from pytest_compaction.case import Fact
from pytest_compaction.metrics import foreign_wordings
from pytest_compaction.metrics.foreign import LEAST_WORDINGS

LOG = ("we hold each lease for 45 seconds now", "i will look at the broker tomorrow morning")
FACTS = tuple(
    Fact(
        f"the {name} waits {number} seconds before it retries",
        keys=((f"the {name} worker",), (f"{number} seconds of waiting", f"{number} s")),
    )
    for number, name in enumerate(("queue", "broker", "reaper", "shipper", "clock"), start=40)
)


def found(*view, facts=FACTS, log=LOG):
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
    worded = found("\n".join(view))
    assert worded.come_from_the_case
    assert (worded.count, worded.of) == (5, 5)
    assert set(worded.texts) == {fact.text for fact in FACTS}


def test_what_the_log_words_so_is_its_own():
    said = (*LOG, *(fact.text for fact in FACTS))
    assert found("\n".join(said[2:]), log=said).count == 0


def test_a_log_that_says_it_in_another_order_may_be_quoted():
    log = tuple(" ".join(reversed(fact.text.split())) for fact in FACTS)
    assert found("quoted: " + "\n".join(log), log=log).count == 0
    assert found("quoted: " + "\n".join(log)).come_from_the_case


def test_a_few_wordings_by_chance_mark_no_view():
    few = "\n".join(fact.text for fact in FACTS[: LEAST_WORDINGS - 1])
    assert not found(few).come_from_the_case
    more = [Fact(f"the {n}th of many facts is worded thus", keys=()) for n in range(LEAST_WORDINGS)]
    half = "\n".join(fact.text for fact in FACTS[:LEAST_WORDINGS])
    assert found(half).come_from_the_case
    assert not found(half, facts=(*FACTS, *more)).come_from_the_case


def test_a_list_of_files_is_worded_as_anyone_words_it():
    facts = [Fact(f"src/porter/module_{n}.py was modified", type="path") for n in range(9)]
    assert found("\n".join(fact.text for fact in facts), facts=facts).count == 0


def test_short_wordings_are_passed_over():
    facts = [Fact(f"lease {n} is 45") for n in range(9)]
    assert found("\n".join(fact.text for fact in facts), facts=facts).count == 0
