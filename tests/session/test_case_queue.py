"""What waits for workers, by case: whose turn it is."""

import pytest

from pytest_compaction.session.case_queue import CaseQueue


@pytest.fixture
def queue():
    """Two groups of each of three cases."""
    queue = CaseQueue()
    for number, case in enumerate(["a", "b", "c", "a", "b", "c"]):
        queue.add(case, [number])
    return queue


def test_a_case_is_given_out_whole_before_the_next(queue):
    assert [queue.take(()) for _ in range(6)] == [
        ("a", [0]), ("a", [3]), ("b", [1]), ("b", [4]), ("c", [2]), ("c", [5])
    ]  # fmt: skip
    assert not queue
    with pytest.raises(KeyError):
        queue.take(())


def test_a_case_at_which_another_worker_is_comes_last(queue):
    assert [queue.take({"a", "b"})[0] for _ in range(4)] == ["c", "c", "a", "a"]
    assert queue


def test_what_is_put_back_goes_first_in_its_order(queue):
    queue.take(())
    for unit in ([9], [8]):
        queue.put_back("b", unit)
    assert [queue.take(())[1] for _ in range(6)] == [[8], [9], [1], [4], [3], [2]]
