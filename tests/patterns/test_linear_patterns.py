"""No pattern of the package takes much longer than a text is long, whatever stands in the text.

Conversations, replies and files of others are read with them, and Python holds all threads while
a pattern runs: neither a time-out nor Ctrl-C ends it.
"""

import re

import pytest
from support.adversarial_texts import texts_for
from support.package_patterns import Used, patterns
from support.pattern_time import SIZES, growth, runner

HARDEST = slice(10)
LONG = slice(8)
NEXT_HARDEST = slice(10, 24)
PARTS = 2
CALLERS = re.compile(
    r"artifacts\.shell_evidence|case_making\.(lint_facts|lint_log|user_probes:_VALUE_LINE)"
    r"|secrets\.(formatted:(_HEADS|_LINE_BEFORE)|named:_HEAD|people:_NOBODY|search:_OTHER_KEYS"
    r"|shapes:SHAPES)"
)
"""Patterns whose callers bound the text or match at one place; see ``test_linear_readers``."""


def too_slow(used, texts, sizes):
    """What is wrong with a pattern, or nothing."""
    for text in texts:
        if (found := growth(runner(used), text, sizes)) is not None:
            return [f"{used.name}: {found[1]} times as long for twice {found[0]} of {text}"]
    return []


def slow_patterns(texts, sizes, part=0, parts=1):
    checked = [used for used in patterns() if not CALLERS.match(used.name)]
    assert len(checked) > 300
    found = (too_slow(used, texts_for(used.pattern)[texts], sizes) for used in checked[part::parts])
    return [fault for faults in found for fault in faults]


def test_no_pattern_grows_faster_than_its_text():
    assert slow_patterns(HARDEST, SIZES[:4]) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(PARTS))
def test_no_pattern_grows_faster_than_a_long_text_or_a_less_hard_one(part):
    assert slow_patterns(LONG, SIZES[2:], part, PARTS) == []
    assert slow_patterns(NEXT_HARDEST, SIZES[:4], part, PARTS) == []


@pytest.mark.parametrize(
    ("pattern", "unit"),
    [(r"\s+$", " "), (r"a(?:[-/.]?\d+)+b", "1")],
    ids=["a run at the end", "exponential"],
)
def test_a_pattern_that_grows_faster_is_found(pattern, unit):
    used = Used("planted", re.compile(pattern), frozenset({"finditer"}))
    texts = [text for text in texts_for(used.pattern)[HARDEST] if text.unit == unit]
    # Other work beside it may hide a growth once.
    assert any(too_slow(used, texts[:1], SIZES[:4]) for _ in range(3))


def test_the_time_of_a_linear_pattern_passes():
    used = Used("planted", re.compile(r"\w+ \d+"), frozenset({"match"}))
    assert too_slow(used, texts_for(used.pattern), SIZES) == []
