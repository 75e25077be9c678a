import pytest

from porterq.backoff import delay_for, schedule


def test_doubles_up_to_the_cap():
    assert schedule(8) == [4, 8, 16, 32, 64, 128, 256, 300]


def test_large_attempts_do_not_overflow():
    assert delay_for(5000) == 300


def test_attempts_count_from_one():
    with pytest.raises(ValueError, match="got 0"):
        delay_for(0)
