"""The compact letter display: two share a letter if and only if they do not differ."""

import re
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.metrics import letters


@st.composite
def differing(draw, most=9):
    names = [f"s{number}" for number in range(draw(st.integers(0, most)))]
    pairs = list(combinations(names, 2))
    apart = draw(st.sets(st.sampled_from(pairs))) if pairs else set()
    return names, apart


@given(differing())
def test_two_share_a_letter_if_and_only_if_they_do_not_differ_and_no_letter_is_too_many(drawn):
    names, apart = drawn
    shown = letters(names, lambda first, second: (first, second) in apart)
    found = {name: set(re.findall(r"[a-zA-Z]\d*", text)) for name, text in shown.items()}
    pairs = list(combinations(names, 2))
    for pair in pairs:
        assert (not found[pair[0]] & found[pair[1]]) == (pair in apart)
    assert all(found.values())
    for letter in set().union(*found.values()):
        rest = {name: own - {letter} for name, own in found.items()}
        together = [pair for pair in pairs if pair not in apart]
        assert not all(rest.values()) or any(not rest[a] & rest[b] for a, b in together)
    assert not names or "a" in shown[names[0]]
    first_seen = [letter for name in names for letter in shown[name]]
    assert list(dict.fromkeys(first_seen)) == sorted(set(first_seen))


def test_a_middle_one_that_cannot_be_told_from_either_side_has_both_letters():
    found = letters(["best", "middle", "worst"], lambda a, b: (a, b) == ("best", "worst"))
    assert found == {"best": "a", "middle": "ab", "worst": "b"}


@pytest.mark.parametrize(("number", "letter"), [(51, "Z"), (52, "a2"), (104, "a3")])
def test_beyond_the_alphabet_letters_have_a_number(number, letter):
    names = [f"s{place:03}" for place in range(105)]
    assert letters(names, lambda *_: True)[names[number]] == letter
