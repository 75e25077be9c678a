"""Rising numbers come back as they were put in."""

from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.text.rising_numbers import RisingNumbers


@given(st.lists(st.integers(0, 2**33), min_size=1).map(sorted))
def test_numbers_come_back_in_order(numbers):
    packed = RisingNumbers(numbers[0])
    for number in numbers[1:]:
        packed.add(number)
    assert list(packed) == numbers
