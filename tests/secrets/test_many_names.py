"""Names of people, owners of folders and names of secrets are found in one pass, as if alone."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.secrets import named
from pytest_compaction.secrets.people import KnownNames, KnownOwners

PEOPLE = ("Ann Lee", "Ann Lee Roe", "Ann van Lee", "Zoë Ek", "Bo.N Ek", "J Ek")
OWNERS = ("ann", "ann.lee", "Ann Lee", "Ann Lee Roe", "bo-b", "home", "x", "Ann")
SLASH = r"\\{0,4}/"
ONE_BY_ONE = re.compile(
    rf"(?:{SLASH}(?:home|Users){SLASH}|[A-Za-z]:(?:\\{{1,4}}|/)Users(?:\\{{1,4}}|/)"
    rf"|(?<![\w-])-(?:home|Users)-|(?<![\w~])~)(?P<name>"
    + "|".join(
        re.escape(name).replace(r"\ ", r"(?:\\{0,2} |%20)")
        for name in sorted(OWNERS, key=lambda name: (-len(name), name))
    )
    + r")(?!\w)"
)
PIECES = ("/home/", "/Users/", "\\/home\\/", "C:\\\\Users\\\\", "-home-", "~", "/", " ", "\\ ")
PIECES += ("%20", ".", "s", *PEOPLE, *OWNERS, "Dr.", "Lee", "\n")


def texts(pieces):
    return st.lists(st.sampled_from(pieces), max_size=12).map("".join)


@given(texts(PIECES))
def test_people_are_found_as_one_pattern_of_all_names_finds_them(text):
    listed = "|".join(map(re.escape, sorted(PEOPLE, key=len, reverse=True)))
    alone = re.compile(rf"(?<!\w)(?:{listed})(?!\w)")
    found = list(KnownNames(PEOPLE).places(text))
    assert found == [match.span() for match in alone.finditer(text)]


@given(texts(PIECES))
def test_owners_are_found_as_one_pattern_of_all_names_finds_them(text):
    found = list(KnownOwners(OWNERS).places(text))
    assert found == [match.span("name") for match in ONE_BY_ONE.finditer(text)]


SIGNED = ("password", "_db_pass", "DBPASS", "PASSWD", "secret", "api_key", "SECRET.KEY", "token")
SIGNED += ("-u", "--user", " ", "=", ":", '"', "abc1def2ghi3", "_", "\n", "key", "hunter22", "İ")


@given(texts(SIGNED))
def test_values_are_named_wherever_a_pattern_on_the_whole_text_finds_them(text):
    lower = text.lower()
    starts = named._name_starts(text, lower)
    found = list(named._matches(named._ASSIGNED, text, starts))
    signed = any(sign in lower for sign in named._SIGNS)
    whole = list(named._ASSIGNED.finditer(text)) if signed else []
    assert [match.span() for match in found] == [match.span() for match in whole]


@pytest.mark.parametrize("finder", [KnownNames, KnownOwners])
def test_the_work_does_not_grow_with_the_number_of_names(finder):
    """Counted by the lengths of names that are tried at a place, not by the clock."""
    few = finder(f"Ann L{number:04}" for number in range(10))
    many = finder(f"Ann L{number:04}" for number in range(5_000))
    tried = [tried_at_a_place(one) for one in (few, many)]
    assert tried == [1, 1]


def tried_at_a_place(finder):
    if isinstance(finder, KnownNames):
        return max(len(by_length) for by_length in finder._by_first.values())
    return len(finder._lengths)
