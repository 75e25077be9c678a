import pytest

from raftline import frames
from raftline.records import Line, parse

RECORD = parse(Line("gate.log", 1, 40, "2031-03-04T00:00:01Z INFO gate1 car 1 passed"))


def test_round_trip():
    data = frames.encode(1, [RECORD]) + frames.encode(2, [RECORD, RECORD])
    assert [(frame.number, frame.records) for frame in frames.decode(data)] == [(1, 1), (2, 2)]


def test_damage_is_noticed():
    data = frames.encode(7, [RECORD]).replace(b"car", b"cat")
    with pytest.raises(ValueError, match="frame 7 is damaged"):
        list(frames.decode(data))
