"""BM25 as the formula gives it."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.text import BM25
from pytest_compaction.text.bm25 import K1, B

DOCUMENTS = st.lists(
    st.dictionaries(st.sampled_from("abc"), st.sampled_from([1, 2, 30, 31, 32, 500])),
    min_size=1,
    max_size=8,
)


def formula(counts, term, number):
    """The score of one document by the formula of the source."""
    lengths = [sum(one.values()) for one in counts]
    holders = sum(term in one for one in counts)
    count = counts[number].get(term, 0)
    if not count:
        return 0.0
    idf = math.log(1 + (len(counts) - holders + 0.5) / (holders + 0.5))
    share = lengths[number] / (sum(lengths) / len(lengths))
    return idf * count * (K1 + 1) / (count + K1 * (1 - B + B * share))


@given(DOCUMENTS, st.sampled_from("abcd"))
def test_a_term_scores_as_the_formula_says(counts, term):
    index = BM25([term for term, n in one.items() for _ in range(n)] for one in counts)
    wanted = [formula(counts, term, number) for number in range(len(counts))]
    assert list(index.scores([term])) == pytest.approx(wanted)
    assert index.term(term) == pytest.approx({n: s for n, s in enumerate(wanted) if s})
