import pytest

from tinshelf.errors import RuleError
from tinshelf.reservations import cancel, queue, reserve


def test_the_queue_is_by_day(store):
    assert reserve(store, "4018", "hedge trimmer", "2025-05-02") == 1
    assert reserve(store, "4017", "hedge trimmer", "2025-05-01") == 1
    assert queue(store, "hedge trimmer") == ["4017", "4018"]


def test_once_is_enough(store):
    reserve(store, "4018", "hedge trimmer", "2025-05-02")
    with pytest.raises(RuleError, match="L40 reserved already: hedge trimmer, card 4018"):
        reserve(store, "4018", "hedge trimmer", "2025-05-03")


def test_cancel(store):
    reserve(store, "4018", "hedge trimmer", "2025-05-02")
    assert cancel(store, "4018", "hedge trimmer")
    assert not cancel(store, "4018", "hedge trimmer")
