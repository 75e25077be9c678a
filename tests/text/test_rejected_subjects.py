"""Where the subject ends whose rejection a passage tells of."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.text.denials import subject_of_rejection

WORDS = [*"is are was and or then loft given quickly kept , ; - and-then".split(), "  ", "\n"]
DEFINITION = re.compile(
    r" (?:is|are|was|were) (?!(?:\w+ly )?\w+(?:ed|en|t|n)\b)[^,;]*\b(?:and|but|or|then)\b"
    r"(?: \w+){0,2} $"
)
"""The same in one pattern, whose time is the square of the length of a text."""


@pytest.mark.parametrize(
    ("before", "subject"),
    [
        ("the loft is the store and was ", "the loft"),
        ("the loft for tea is the store and so then was ", "the loft for tea"),
        ("the loft was kept as a store and was ", "the loft was kept as a store and was "),
        ("the loft is dry, it holds tea and was ", "the loft is dry, it holds tea and was "),
        ("the loft is dry; it holds tea and was ", "the loft is dry; it holds tea and was "),
        ("the loft is the store and soon was ", "the loft"),
        ("the loft is the store and it soon was ", "the loft is the store and it soon was "),
        ("the loft is the store ", "the loft is the store "),
    ],
    ids=[
        "what it is",
        "words between",
        "what was done with it",
        "a comma",
        "a semicolon",
        "two words",
        "three words",
        "no and",
    ],
)
def test_a_subject_ends_where_it_is_said_what_it_is(before, subject):
    text = f"{before}given up"
    start, end = subject_of_rejection(text, 0, len(before))
    assert text[start:end] == subject


@given(
    st.lists(st.sampled_from(WORDS), max_size=9),
    st.sampled_from(["", "and ", "or was ", "but so it ", "and it soon was "]),
    st.integers(0, 9),
    st.integers(0, 3),
)
def test_the_subject_is_the_one_of_the_definition(words, end_of_text, left_out, cut):
    text = f" {' '.join(words)} {end_of_text}"
    start, end = min(left_out, len(text)), max(min(left_out, len(text)), len(text) - cut)
    found = DEFINITION.search(text, start, end)
    expected = (start, found.start() if found else end)
    assert subject_of_rejection(text, start, end) == expected
