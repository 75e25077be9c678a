"""What costs much is done once: for a sentence, for a fact, for a text that was decided."""

from itertools import islice, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.text import (
    Statement,
    TextIndex,
    groups,
    parsed,
    sentence_index,
    vocabulary,
)
from pytest_compaction.text.alternatives import alternative
from pytest_compaction.text.groups import MAX_CHOICES, RANK, KeyMatch, weigh
from pytest_compaction.text.parsed import joined, parse

LIMIT = Statement("the gauge is 45 seconds", keys=(("gauge",), ("45 seconds",)))
WORDS = st.lists(
    st.sampled_from(
        "gauge limit 45 seconds 30 not no longer is was the , ; because rejected instead of".split()
    ),
    min_size=3,
    max_size=24,
).map(" ".join)


@pytest.fixture
def counted(monkeypatch):
    """Counts the calls of a function of a module."""

    def count(module, name):
        calls = []
        function = getattr(module, name)

        def counting(*args, **kwargs):
            calls.append(args)
            return function(*args, **kwargs)

        monkeypatch.setattr(module, name, counting)
        return calls

    return count


def test_a_sentence_that_several_texts_quote_is_prepared_once(counted):
    senses = counted(parsed, "sense_of")
    sentence = "The gauge of the quarry stays at 45 seconds until the prompt quotation."
    for before in ("", "Nothing else stands here.\n\n", "A heading:\n\n"):
        assert TextIndex(before + sentence).read(LIMIT).outcome == "stated"
    assert len([args for args in senses if args[0].startswith("the gauge of the quarry")]) == 1


def test_a_sentence_of_enormous_words_is_read_and_not_kept():
    held = parsed._parse.cache_info().currsize
    text = f"The gauge is 45 seconds {'y' * 10_000}."
    assert TextIndex(text).read(LIMIT).outcome == "stated"
    assert parsed._parse.cache_info().currsize == held


def test_groups_are_looked_up_until_one_is_nowhere(counted):
    index = TextIndex("Only the limit stands here, and 45 seconds.")
    asked = counted(sentence_index.SentenceIndex, "holders_of_group")
    nowhere = Statement("the zebra has a limit", keys=(("zebra",), ("limit",), ("stands",)))
    assert index.read(nowhere).outcome == "absent"
    assert len(asked) == 1


def test_expressions_are_found_in_a_line():
    lines = ["the gauge", "it blew up", "", "turned down"]
    assert [bool(vocabulary.phrases_in(line)) for line in lines] == [False, True, False, True]


@given(WORDS, WORDS)
def test_the_narrowest_choice_that_states_decides_as_if_all_were_weighed(text, above):
    sentence, heading = parse(text, {}), parse(above, {})
    wanted = [alternative("gauge"), alternative("45"), alternative("limit")]
    found = [
        [KeyMatch(match) for match in sentence.matches(one)]
        or [KeyMatch(match, own=False) for match in heading.matches(one)]
        for one in wanted
    ]
    if not all(found) or not any(one.own for group in found for one in group):
        return
    if any(cue.whole for cue in sentence.sense.cues):
        return
    all_choices = [
        groups._weigh_choice(sentence, choice, (), groups.PLAIN, False)
        for choice in islice(product(*found), MAX_CHOICES)
    ]
    best = max(all_choices, key=lambda one: (RANK[one.outcome], -one.width))
    assert weigh(sentence, found, ()) == best


def test_no_wider_choice_is_weighed_than_the_first_that_states(counted):
    weighed = counted(groups, "_weigh_choice")
    sentence = parse("gauge 45 seconds, gauge and gauge and gauge 45 seconds", {})
    found = [
        [KeyMatch(match) for match in sentence.matches(alternative(one))]
        for one in ("gauge", "45 seconds")
    ]
    assert weigh(sentence, found, ()).outcome == "stated"
    assert len(weighed) == 1


@given(st.lists(WORDS, min_size=1, max_size=3))
def test_a_passage_has_the_places_of_its_sentences_moved(texts):
    alone = [parse(text, {}) for text in texts]
    passage = joined(alone)
    keys = dict.fromkeys(key for one in alone for key in one.places)
    assert list(passage.places) == list(keys)
    for key in keys:
        offset, expected = 0, []
        for one in alone:
            expected += [(start + offset, end + offset) for start, end in one.places.of(key)]
            offset += len(one.normal) + len(" ; ")
        assert passage.places.of(key) == expected
        assert passage.places.among(frozenset({key, "nowhere"})) == set(expected)
        assert key in passage.places
