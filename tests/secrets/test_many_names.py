"""Names of people, owners of folders and names of secrets are found in one pass, as if alone."""

import re

from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.secrets import named
from pytest_compaction.secrets.people import KnownNames, known_owners

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
    found = [match.span("name") for match in known_owners(OWNERS).finditer(text)]
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


def test_the_work_does_not_grow_with_the_number_of_names():
    """Counted by the lengths of names that are tried at a place, not by the clock."""
    for number in (10, 5_000):
        known = KnownNames(f"Ann L{each:04}" for each in range(number))
        assert max(map(len, known._by_first.values())) == 1
