from datetime import date
from pathlib import Path

import pytest

from tidebook.almanac import render_sheets
from tidebook.errors import TideError
from tidebook.export import index, parcel, table
from tidebook.spool import Spool
from tidebook.station import load_station

STATIONS = Path("stations")
DAY = date(2031, 4, 2)


@pytest.fixture
def stations():
    return [load_station(STATIONS / f"{name}.tide") for name in ("brekness", "ostrey")]


def test_table(stations):
    lines = table(stations, DAY).splitlines()
    assert lines[0] == "station,day,time,kind,height"
    assert {line.split(",")[0] for line in lines[1:]} == {"Brekness", "Ostrey"}


def test_nothing_to_send(tmp_path):
    with Spool(tmp_path) as spool, pytest.raises(TideError, match="T260 there is no sheet"):
        index(spool)


def test_index_counts_the_sheets(stations):
    with Spool() as spool:
        render_sheets(stations, DAY, spool)
        assert index(spool).splitlines()[0] == "sheets: 2"


def test_parcel_names(stations):
    with Spool() as spool:
        render_sheets(stations, DAY, spool)
        assert sorted(parcel(stations, DAY, spool)) == [
            "brekness-2031-04-02.sheet",
            "index.txt",
            "ostrey-2031-04-02.sheet",
            "turns.csv",
        ]
