from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.cache import SizedCache


def test_a_value_is_made_once():
    made = []
    cache = SizedCache(10, len)
    for _ in range(2):
        assert cache.get("k", lambda: made.append(1) or "value") == "value"
    assert made == [1]


def test_the_one_not_used_for_longest_goes_first():
    made = []
    cache = SizedCache(3, len)

    def get(key):
        return cache.get(key, lambda: made.append(key) or "x")

    for key in "abcadb":
        get(key)
    assert made == list("abcdb")


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 20))), st.integers(1, 30))
def test_no_more_is_held_than_allowed_but_for_a_single_value(gets, most):
    cache = SizedCache(most, lambda size: size)
    for key, size in gets:
        cache.get(key, lambda size=size: size)
        assert cache.size <= most or len(cache._values) == 1
        assert cache.size == sum(size for _, size in cache._values.values())
