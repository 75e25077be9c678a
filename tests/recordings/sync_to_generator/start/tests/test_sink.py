import pytest

from raftline.errors import ShipError
from raftline.offsets import Offsets, Position
from raftline.sink import FileSink


def test_append(tmp_path):
    sink = FileSink(tmp_path / "shore.out", 6)
    sink.send(1, b"abc")
    sink.send(2, b"def")
    assert (tmp_path / "shore.out").read_bytes() == b"abcdef"


def test_quota(tmp_path):
    sink = FileSink(tmp_path / "shore.out", 5)
    sink.send(1, b"abc")
    with pytest.raises(ShipError, match=r"R507 shore.out: frame 2 does not fit \(quota 5 bytes\)"):
        sink.send(2, b"def")
    assert (tmp_path / "shore.out").read_bytes() == b"abc"


def test_offsets_are_remembered(tmp_path):
    offsets = Offsets(tmp_path / "offsets.json")
    offsets.frame = 4
    offsets.advance("gate.log", Position(120, 3))
    offsets.save()
    again = Offsets(tmp_path / "offsets.json")
    assert (again.frame, again.position("gate.log")) == (4, Position(120, 3))
    assert again.position("engine.log") == Position()
