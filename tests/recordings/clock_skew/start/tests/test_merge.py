"""The way to one series."""

from datetime import date, datetime, timedelta

from hourfold.config import load_config
from hourfold.merge import bridge, series_of
from hourfold.readings import Reading
from hourfold.timeutil import ZoneTable

STEP = timedelta(minutes=15)


def at(minute, level=100.0, sensor="a"):
    return Reading(datetime(2024, 3, 1) + timedelta(minutes=minute), level, sensor)


def test_local_clock_is_moved(root, put_csv):
    put_csv("torv-outlet", "2024-01-10", [("2024-01-10 12:04", 120.0)])
    config = load_config(root)
    zones = ZoneTable.load(root / "data" / "zones.csv")
    series = series_of(config, config.station("T7"), date(2024, 1, 10), zones)
    assert series.times == [datetime(2024, 1, 10, 11, 4)]


def test_a_gap_is_bridged():
    found = sorted(bridge([at(0, 100.0), at(30, 104.0)], STEP, timedelta(minutes=30)), key=lambda r: r.time)
    assert [(r.level_cm, r.bridged) for r in found] == [(100.0, False), (102.0, True), (104.0, False)]


def test_a_long_gap_stays_open():
    assert len(list(bridge([at(0), at(45)], STEP, timedelta(minutes=30)))) == 2


def test_sensors_are_bridged_on_their_own():
    found = list(bridge([at(0), at(0, sensor="b"), at(15, sensor="b"), at(30)], STEP, timedelta(minutes=30)))
    assert [r.sensor for r in found if r.bridged] == ["a"]
