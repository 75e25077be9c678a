"""What waits for workers, by case: whose turn it is."""

import pytest

from pytest_compaction.session.case_queue import CaseQueue, Unit


@pytest.fixture
def queue():
    """Two groups of each of three cases."""
    queue = CaseQueue()
    for number, case in enumerate(["a", "b", "c", "a", "b", "c"]):
        queue.add(Unit(case, [number]))
    return queue


def taken(queue, count, others=()):
    """The case and the items of so many units that are taken one after another."""
    units = [queue.take(others) for _ in range(count)]
    return [(unit.case, *unit.items) for unit in units]


def test_a_case_is_given_out_whole_before_the_next(queue):
    assert taken(queue, 6) == [("a", 0), ("a", 3), ("b", 1), ("b", 4), ("c", 2), ("c", 5)]
    assert not queue
    with pytest.raises(KeyError):
        queue.take(())


def test_a_case_at_which_another_worker_is_comes_last(queue):
    assert taken(queue, 4, {"a", "b"}) == [("c", 2), ("c", 5), ("a", 0), ("a", 3)]
    assert queue


def test_what_is_put_back_goes_first_in_its_order(queue):
    queue.take(())
    for number in (9, 8):
        queue.put_back(Unit("b", [number]))
    assert taken(queue, 6) == [("b", 8), ("b", 9), ("b", 1), ("b", 4), ("a", 3), ("c", 2)]
