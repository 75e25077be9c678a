"""A fact's own words with a negation more or less, or another number, do not state it."""

import pytest

from pytest_compaction.text import Statement, TextIndex

BATCHER = ("the batcher never holds more than 40 records", (("batcher",), ("40 records",)))
FITS = ("R507: frame 4 does not fit into the spool", (("R507",), ("frame 4",)))
PUSH = ("never push, the user does that", (("push", "user pushes"),))
DUES = ("the dues of 1891 were 9,844 pounds", (("dues", "1891"), ("9,844",)))
POSIX = ("the row stays without UTF8=1 for now", (("UTF8=1", "row"), ("stays", "left out")))
MOP = ("the steam mop is refused with L20 nothing free", (("L20",), ("steam mop",)))
LAMP = ("the lamp on the quay is red at night", (("lamp",), ("red",)))
RULE = ("generic practices of a trade must be left out", (("no generic", "left out"), ("trade",)))
TRAILER = (
    "the trailer is the stable link; metadata does not point back",
    (("trailer",), ("stable link",)),
)
STATED = [
    (BATCHER, "The batcher never holds more than 40 records."),
    (BATCHER, "The batcher holds at most 40 records."),
    (FITS, "R507, since frame 4 doesn't fit into the spool"),
    (PUSH, "Rule: the user pushes."),
    (DUES, "In 1891 the dues came to 9,844 pounds, in 1898 to 9,000."),
    (POSIX, "The row stays without UTF8=1."),
    (MOP, "The steam mop gets L20 as no mop is free."),
    (LAMP, "At night the lamp on the quay is red, not green."),
    (RULE, "No generic practices of a trade."),
    (LAMP, "No, the lamp on the quay is red at night."),
    (TRAILER, "The trailer is the stable link, and metadata has no way back."),
]
NOT_STATED = [
    (BATCHER, "The batcher holds more than 40 records."),
    (FITS, "R507: frame 4 fits into the spool"),
    (PUSH, "Push, the user does that."),
    (DUES, "The dues of 1891 were not 9,844 pounds."),
    (DUES, "The dues of 1898 were 9,844 pounds."),
    (POSIX, "The row stays with UTF8=1 for now."),
    (POSIX, "The row stays without UTF8=8 for now."),
    (MOP, "The steam mop is refused with L20 everything free"),
    (LAMP, "The lamp on the quay is not red at night."),
    (TRAILER, "The trailer is the stable link; metadata does point back."),
]


def outcome(fact, text):
    said, keys = fact
    return TextIndex(text).read(Statement(said, keys=keys)).outcome


@pytest.mark.parametrize(("fact", "text"), STATED)
def test_other_words_state_it(fact, text):
    assert outcome(fact, text) == "stated"


@pytest.mark.parametrize(("fact", "text"), NOT_STATED)
def test_its_own_words_with_one_change_do_not(fact, text):
    assert outcome(fact, text) in {"uncertain", "contradicted"}
