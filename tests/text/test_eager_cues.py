"""Wordings that look like a doubt, a denial or a rival and are none, and their real relatives."""

import pytest

from pytest_compaction.text import Statement, TextIndex


def fact(text, *groups, against=()):
    keys = tuple(tuple(group.split("|")) for group in groups)
    return Statement(text, keys=keys, counterparts=tuple(against))


def outcome(asked, said):
    return TextIndex(said).read(asked).outcome


SALT = fact("the dough may hold at most 20 g of salt", "dough", "salt", "20 g")
LEMON = fact("the guest prefers lemon to vinegar", "guest", "lemon")
BASTE = fact("the roast is basted at most every 30 minutes", "roast", "basted", "30 minutes")
BAIL = fact("the judge set no bail", "judge", "no bail|without bail")
ORBIT = fact(
    "the relay went from the low orbit to the high orbit", "relay", "low orbit", "high orbit"
)
RETURNED = fact(
    "the relay went from the high orbit to the low orbit",
    "relay",
    "from the high orbit to the low orbit",
)


@pytest.mark.parametrize(
    ("asked", "said", "is_stated"),
    [
        (SALT, "Salt in the dough may be 20 g at most.", True),
        (SALT, "The dough may be short of salt; perhaps 20 g.", False),
        (LEMON, "The guest would rather have lemon on the fish.", True),
        (LEMON, "As for the guest, perhaps he would take lemon.", False),
        (BASTE, "The roast is basted, not more often than every 30 minutes.", True),
        (BASTE, "The roast is not basted every 30 minutes.", False),
        (BAIL, "The clerk talked the judge out of setting bail.", True),
        (BAIL, "The clerk talked the judge into setting bail.", False),
    ],
)
def test_limits_wishes_and_dissuasion(asked, said, is_stated):
    assert (outcome(asked, said) == "stated") is is_stated


@pytest.mark.parametrize(
    ("asked", "rival"),
    [(ORBIT, RETURNED), (RETURNED, ORBIT)],
)
def test_a_move_is_read_in_its_direction_whatever_the_length_of_its_ends(asked, rival):
    pair = Statement(asked.text, keys=asked.keys, counterparts=(rival,))
    up = "The relay now flies in the high orbit, where it had used the low orbit before."
    assert (outcome(pair, up) == "stated") is (asked is ORBIT)
