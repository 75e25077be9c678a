"""What stands before a place in a text is looked up near it, however long the text is."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.text.minimal_clauses import SpanIndex, things, word_before

SPANS = st.tuples(st.integers(0, 40), st.integers(1, 9)).map(lambda one: (one[0], sum(one)))


@given(st.lists(SPANS), SPANS)
def test_a_span_meets_those_that_share_a_character_with_it(spans, span):
    alone = any(start < span[1] and span[0] < end for start, end in spans)
    assert SpanIndex(spans).meets(span) == alone


@given(st.text("ab1 =#", max_size=12))
def test_the_word_before_a_place_is_the_one_that_a_pattern_finds_there(text):
    found = re.search(r"(?<![a-z])([a-z]+)[ =]#?$", text)
    assert word_before(text, len(text), " =") == (found[1] if found else "")


@pytest.mark.exhaustive
@pytest.mark.parametrize("line", ["step 7 took 12 ms, ", "see src/a_b.py at 5m3 and row 4 of 9 "])
def test_the_things_of_a_text_eight_times_as_long_take_about_eight_times_as_long(line):
    def seconds(number):
        text = "".join(f"{line}{count} " for count in range(number)).strip()
        things.cache_clear()
        start = time.process_time()
        things(text)
        return time.process_time() - start

    assert min(seconds(8_000) for _ in range(3)) < 20 * min(seconds(1_000) for _ in range(3))
