from datetime import date
from pathlib import Path

import pytest

from tidebook.almanac import render_sheets, row, sheet, title
from tidebook.predict import Turn
from tidebook.spool import Spool
from tidebook.station import load_station, load_stations

STATIONS = Path("stations")
DAY = date(2031, 4, 2)


def test_row():
    assert row(Turn("high", 125, 3.456)) == "  02:05  ^ high   3.46 m"


def test_title():
    first = title(load_station(STATIONS / "ostrey.tide"), DAY)
    assert first.startswith("Ostrey ") and first.endswith(" 2031-04-02") and len(first) == 40


@pytest.mark.parametrize("name", ["brekness", "lonvik", "ostrey"])
def test_four_turns_a_day(name):
    lines = sheet(load_station(STATIONS / f"{name}.tide"), DAY).splitlines()
    assert sum(" m" in line and ("^" in line or " v " in line) for line in lines) in (3, 4)


def test_every_station_has_a_sheet():
    stations = load_stations(STATIONS)
    with Spool() as spool:
        paths = render_sheets(stations, DAY, spool)
        assert [path.stem for path in paths] == [f"{each.slug}-2031-04-02" for each in stations]
        assert all(path.exists() for path in paths)


def test_a_sheet_can_be_written_twice():
    station = load_station(STATIONS / "lonvik.tide")
    with Spool() as spool:
        assert render_sheets([station], DAY, spool) == render_sheets([station], DAY, spool)
