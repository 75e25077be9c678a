"""Hourly means and their flags."""

from datetime import date, datetime

import pytest

from hourfold.average import fold, hourly
from hourfold.config import load_config
from hourfold.ratings import Ratings
from hourfold.readings import Reading

START = datetime(2024, 3, 1, 10)


@pytest.fixture
def ratings(root):
    return Ratings.load(root / "data" / "ratings.csv")


@pytest.fixture
def station(root):
    return load_config(root).station("T7")


def readings(*levels, bridged=False):
    return [Reading(START.replace(minute=4 + 15 * n), level, bridged=bridged) for n, level in enumerate(levels)]


def test_mean_of_the_flows(station, ratings):
    hour = fold(START, readings(90.0, 90.0, 150.0, 150.0), station, ratings, 3)
    assert (hour.flow, hour.count, hour.flag) == (2.85, 4, "")


def test_no_readings(station, ratings):
    assert fold(START, [], station, ratings, 3).flow is None


@pytest.mark.parametrize(("count", "flag"), [(3, "p"), (4, ""), (8, "o")])
def test_flags_of_the_count(station, ratings, count, flag):
    many = [Reading(START, 100.0)] * count
    assert fold(START, many, station, ratings, 3).flag == flag


def test_bridged_hours_are_flagged(station, ratings):
    assert fold(START, readings(90.0, 90.0, 90.0, bridged=True), station, ratings, 3).flag == "pg"


def test_a_whole_day(root, station, ratings, make_series):
    hours = hourly(load_config(root), station, make_series("2024-03-01T00:04", 96), date(2024, 3, 1), ratings)
    assert len(hours) == 24
    assert {hour.count for hour in hours} == {4}
