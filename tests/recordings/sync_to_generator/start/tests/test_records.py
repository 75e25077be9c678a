import pytest

from raftline.errors import MalformedLine
from raftline.records import Line, parse


def line(text):
    return Line("gate.log", 3, 90, text)


def test_parse():
    record = parse(line("2031-03-04T00:00:01Z WARN gate2 barrier slow, try 2"))
    assert (record.level, record.device, record.message) == ("WARN", "gate2", "barrier slow, try 2")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no time stamp in ''"),
        ("yesterday WARN gate2 slow", "no time stamp in 'yesterday WARN gate2 slo"),
        ("2031-03-04T00:00:01Z WARN gate2", "3 of 4 fields"),
        ("2031-03-04T00:00:01Z LOUD gate2 horn", "unknown level 'LOUD'"),
    ],
)
def test_malformed(text, problem):
    with pytest.raises(MalformedLine, match=problem):
        parse(line(text))
