import pytest

from tallybook.errors import LedgerError
from tallybook.pager import chunks, screens


def test_chunks():
    assert [list(chunk) for chunk in chunks("abcde", 2)] == [["a", "b"], ["c", "d"], ["e"]]
    assert list(chunks([], 3)) == []


def test_chunk_size():
    with pytest.raises(LedgerError, match="at least one line, not 0"):
        list(chunks("abc", 0))


def test_screens():
    assert screens("1\n2\n3\n4\n5", 3) == ["1\n2\n-- more --", "3\n4\n-- more --", "5"]
