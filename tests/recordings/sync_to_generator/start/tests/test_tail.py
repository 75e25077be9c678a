import pytest

from raftline.errors import ShipError
from raftline.offsets import Position
from raftline.tail import Tail


def tail(path, start=Position()):
    seen = []
    end = Tail(path, start, seen.append, lambda: seen.append("end")).run()
    return seen, end


def test_all_lines(tmp_path):
    path = tmp_path / "gate.log"
    path.write_text("one\ntwo\n")
    seen, end = tail(path)
    assert [item if item == "end" else item.text for item in seen] == ["one", "two", "end"]
    assert end == Position(8, 2)


def test_from_a_position(tmp_path):
    path = tmp_path / "gate.log"
    path.write_text("one\ntwo\n")
    seen, _ = tail(path, Position(4, 1))
    assert [(item.number, item.text) for item in seen[:-1]] == [(2, "two")]


def test_an_unfinished_line_is_left(tmp_path):
    path = tmp_path / "gate.log"
    path.write_text("one\ntw")
    assert tail(path)[1] == Position(4, 1)


def test_a_missing_file(tmp_path):
    with pytest.raises(ShipError, match="R101 gate.log: no such spool file"):
        tail(tmp_path / "gate.log")
