"""No pattern of the package takes much longer than a text is long, whatever stands in the text.

Conversations, replies and files of others are read with them, and Python holds all threads while
a pattern runs: neither a time-out nor Ctrl-C ends it.
"""

import re
from dataclasses import replace
from functools import cache

import pytest
from support.adversarial_texts import texts_for
from support.package_patterns import Used, held_patterns, made_patterns
from support.pattern_exceptions import BOUNDED, ELSEWHERE, MATCHED
from support.pattern_time import SIZES, growth, runner, seconds

BOUNDED_S = 0.1
QUICK_TEXTS = 16
LONG_TEXTS = 120
PARTS = 16


@cache
def patterns():
    """All patterns of the package, in the order of their modules."""
    made, _ = made_patterns()
    held = {(used.pattern.pattern, used.pattern.flags): used for used in held_patterns()}
    for used in made:
        held.setdefault((used.pattern.pattern, used.pattern.flags), used)
    return [
        replace(used, methods=frozenset({"match"})) if _is_matched(used) else used
        for used in held.values()
    ]


def _is_matched(used):
    return used.name in MATCHED and used.pattern.pattern.startswith(MATCHED[used.name][0])


def too_slow(used, texts, sizes):
    """What is wrong with a pattern, or nothing."""
    run, bound = runner(used), BOUNDED.get(used.name)
    for text in texts:
        if bound is not None:
            took = (seconds(run, text.of_length(bound)) for _ in range(3))
            if all(each > BOUNDED_S for each in took):
                yield f"{used.name}: more than {BOUNDED_S} s for {bound} characters of {text}"
                return
        elif (found := growth(run, text, sizes)) is not None:
            size, times = found
            yield f"{used.name}: {times} times as long for twice {size} characters of {text}"
            return


def test_no_pattern_grows_faster_than_its_text():
    slow = []
    for used in patterns():
        texts = texts_for(used.pattern, QUICK_TEXTS)
        slow += too_slow(used, texts, SIZES[:4])
    assert slow == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(PARTS))
def test_no_pattern_grows_faster_than_a_long_text_of_any_unit(part):
    slow = []
    for used in patterns()[part::PARTS]:
        slow += too_slow(used, texts_for(used.pattern, LONG_TEXTS), SIZES)
    assert slow == []


@pytest.mark.parametrize(
    ("pattern", "unit"),
    [
        (r"```[A-Za-z]*\s*\n(.*?)\n?\s*```", "\n"),
        (r"\s+$", " "),
        (r"\w+\(", "a"),
        (r"a(?:[-/.]?\d+)+b", "1"),
        (r"(?:\*{1,2})*a", "*"),
    ],
    ids=["cubic", "a run at the end", "a run before a bracket", "exponential", "by one or two"],
)
def test_a_pattern_that_grows_faster_is_found(pattern, unit):
    used = Used("planted", re.compile(pattern, re.DOTALL), frozenset({"finditer"}))
    texts = [text for text in texts_for(used.pattern, QUICK_TEXTS) if text.unit == unit]
    # Other work beside it may hide a growth once.
    assert any(list(too_slow(used, texts, SIZES[:4])) for _ in range(3))


def test_the_time_of_a_linear_pattern_passes():
    used = Used("planted", re.compile(r"\w+ \d+"), frozenset({"match"}))
    assert list(too_slow(used, texts_for(used.pattern), SIZES)) == []


def test_every_call_whose_pattern_is_made_elsewhere_is_known():
    _, unknown = made_patterns()
    assert unknown == sorted(ELSEWHERE)
