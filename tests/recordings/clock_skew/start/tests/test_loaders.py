"""Raw files."""

from datetime import date, datetime

import pytest

from hourfold.config import load_config
from hourfold.errors import BadLineError
from hourfold.loaders import load_around, load_csv, load_jsonl


def test_csv_in_the_order_of_the_file(put_csv):
    path = put_csv("kelm-weir", "2024-03-01", [("2024-03-01T00:20Z", 91.5), ("2024-03-01T00:05Z", 91.0)])
    assert [reading.level_cm for reading in load_csv(path)] == [91.5, 91.0]


def test_comments_and_other_states_are_left_out(root):
    path = root / "a.csv"
    path.write_text(
        "# logger T7 fw 3.1\nstamp;level_cm;status\n"
        "2024-03-01 00:00;91.0;ok\n2024-03-01 00:15;0.0;ice\n"
    )
    assert len(list(load_csv(path))) == 1


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("2024-03-01 00:00;91.0", "a.csv:2: 2 cells, expected 3"),
        ("2024-03-01 00:00;high;ok", "could not convert"),
        ("2024-03-01 00:00;4000;ok", "level 4000.0 cm is not within -50.0 to 1200.0"),
        ("yesterday;91.0;ok", "not a stamp: 'yesterday'"),
    ],
)
def test_bad_lines(root, line, problem):
    path = root / "a.csv"
    path.write_text(f"stamp;level_cm;status\n{line}\n")
    with pytest.raises(BadLineError, match=problem):
        list(load_csv(path))


def test_unexpected_columns(root):
    path = root / "a.csv"
    path.write_text("time,level\n")
    with pytest.raises(BadLineError, match="unexpected columns 'time,level'"):
        list(load_csv(path))


def test_jsonl(root):
    path = root / "a.jsonl"
    path.write_text(
        '{"t": 1709197500, "level_cm": 64.2, "sensor": "a", "status": "ok"}\n'
        '{"t": 1709197500, "level_cm": 64.4, "sensor": "b", "status": "ok"}\n'
    )
    readings = list(load_jsonl(path))
    assert [reading.sensor for reading in readings] == ["a", "b"]
    assert {reading.time for reading in readings} == {datetime(2024, 2, 29, 9, 5)}


def test_bad_json(root):
    path = root / "a.jsonl"
    path.write_text('{"t": 1709197500}\n')
    with pytest.raises(BadLineError, match="HF-04 a.jsonl:1: 'status'"):
        list(load_jsonl(path))


def test_around_a_day_takes_the_neighbours(root, put_csv):
    for day in ("2024-02-29", "2024-03-01", "2024-03-03"):
        put_csv("kelm-weir", day, [(f"{day}T12:05Z", 90.0)])
    config = load_config(root)
    found = load_around(config, config.station("K1"), date(2024, 3, 1))
    assert [reading.time.day for reading in found] == [29, 1]
