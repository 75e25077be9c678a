"""Key groups by rule: exact tokens first, then the words of the subject; negations stay whole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.case_making.keys import (
    MAX_GROUPS,
    given_away,
    keys_of,
    small_number,
    task_keys,
    telling,
)
from pytest_compaction.text import Statement, TextIndex


def often(form):
    return 5


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("quickest one on May 27", [["May 27"], ["quickest"]]),
        ("want to fly before 11 AM", [["11 AM"], ["fly"]]),
        ("added 212 packages", [["212 packages"]]),
        ("Invalid hex color: #000cc", [["#000cc"], ["color"]]),
        ("TS2554: Expected 4-5 arguments, but got 1", [["TS2554"], ["4-5"], ["1"]]),
        ("the retry budget is 5 tries, not 3", [["5 tries"], ["retry"], ["budget"]]),
        ("create a CLAUDE.md file for the codebase", [["CLAUDE.md"], ["codebase"]]),
        ("the `pattern` rule is declared on line 29", [["pattern"], ["29"], ["rule"]]),
        ("the filter icon becomes smaller", [["filter"], ["icon"], ["smaller"]]),
    ],
)
def test_exact_tokens_come_with_the_words_of_their_subject(text, keys):
    assert [list(group) for group in keys_of(text, often)] == keys


@pytest.mark.parametrize(
    "text", ["go on with it", "make it better", "the same again", "64", "", "  "]
)
def test_a_text_without_words_that_tell_has_no_keys(text):
    assert keys_of(text, often) == ()


@pytest.mark.parametrize(
    ("text", "one"),
    [
        ("never restart the proxy", "never restart"),
        ("don't modify the theme", "not modify"),
        ("no need for linkGray", "no need"),
        ("Variable reference not found: dimGray", "missing"),
        ("the upload runs without retries", "no retries"),
    ],
)
def test_a_negation_stays_in_one_group_with_its_word(text, one):
    groups = keys_of(text, often)
    assert any(one in group for group in groups)
    affirmed = text.replace("never ", "").replace("don't ", "").replace("without", "with")
    if affirmed != text:
        assert TextIndex(affirmed).read(Statement(text, keys=groups)).outcome != "stated"


def test_words_that_several_messages_use_are_preferred():
    text = "the flaky scheduler drops leases of the depot"
    counts = {"schedul": 4, "leas": 9, "depot": 3}
    groups = keys_of(text, lambda form: counts.get(form, 1))
    assert groups == (("scheduler",), ("leases",), ("depot",))


def test_what_is_done_counts_less_than_what_it_is_done_to():
    assert keys_of("push the theme to the next tick", often) == (("theme",), ("tick",))


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("fix the tui test sources", [["fix"], ["tui"], ["test"], ["sources"]]),
        ("the theme selector needs to push the theme", [["push"], ["theme"], ["selector"]]),
        ("make the charts 20% less tall", [["20%"], ["charts"], ["tall"]]),
        ("setTheme should return an error", [["return"], ["setTheme"], ["error"]]),
        ("don't modify the theme colors", None),
    ],
)
def test_what_is_to_be_done_has_a_group_for_its_verb(text, keys):
    expected = keys_of(text, often) if keys is None else tuple(map(tuple, keys))
    assert task_keys(text, often) == expected


def test_what_identifies_something_alone():
    assert all(map(telling, ["src/a.py", "dimGray", "retry_limit", "4f2a9c8", "6390", "TS2554"]))
    assert not any(map(telling, ["64", "limit", "3.5", "cat"]))
    assert small_number("64") and small_number("$3.50") and not small_number("6390")


def test_a_question_gives_a_fact_away_however_it_asks():
    keys = (("6390", "port six"), ("broker",))
    assert given_away("Does the broker listen on 6390?", keys, "x")
    assert not given_away("Where does the broker listen?", keys, "x")
    assert not given_away("Is 6390 taken? What of the broker?", keys, "x")
    assert given_away("Was src/a.py changed?", (("/home/x/src/a.py",),), "x")


@given(st.text(max_size=300))
def test_any_text_has_few_sound_groups(text):
    groups = keys_of(text, often)
    assert len(groups) <= MAX_GROUPS
    assert all(group and all(key.strip() for key in group) for group in groups)
    assert groups == keys_of(text, often)


@given(st.lists(st.sampled_from("lease queue depot worker 45 port 6390 src/a.py dimGray".split())))
def test_a_plain_text_states_what_its_own_keys_ask_for(words):
    text = " ".join(dict.fromkeys(words))
    groups = keys_of(text, often)
    assert not groups or TextIndex(text).read(Statement(text, keys=groups)).outcome == "stated"
