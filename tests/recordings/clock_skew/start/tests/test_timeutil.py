"""Stamps, zones and hours."""

from datetime import date, datetime, timedelta

import pytest

from hourfold.errors import ZoneError
from hourfold.timeutil import (
    ZoneTable,
    days_around,
    from_epoch,
    hours_of,
    parse_stamp,
    to_local,
    to_utc,
)

TABLE = ZoneTable(
    [
        ("inland", datetime(2023, 10, 29, 1), timedelta(hours=1)),
        ("inland", datetime(2024, 3, 31, 1), timedelta(hours=2)),
        ("coast", datetime(2000, 1, 1), timedelta(hours=1)),
    ]
)


@pytest.mark.parametrize("text", ["2024-02-29 09:15", "2024-02-29T09:15Z"])
def test_stamps(text):
    assert parse_stamp(text) == datetime(2024, 2, 29, 9, 15)


@pytest.mark.parametrize("text", ["2023-02-29 09:15", "29.02.2024 09:15", ""])
def test_what_is_no_stamp(text):
    with pytest.raises(ValueError, match="not a stamp"):
        parse_stamp(text)


def test_epoch():
    assert from_epoch(1709197500) == datetime(2024, 2, 29, 9, 5)


def test_a_day_has_24_hours():
    hours = list(hours_of(date(2024, 2, 29)))
    assert (len(hours), hours[-1]) == (24, datetime(2024, 2, 29, 23))


def test_neighbours_of_the_leap_day():
    assert list(days_around(date(2024, 2, 29)))[2] == date(2024, 3, 1)


@pytest.mark.parametrize(
    ("stamp", "utc"),
    [
        (datetime(2024, 1, 10, 12), datetime(2024, 1, 10, 11)),
        (datetime(2024, 7, 10, 12), datetime(2024, 7, 10, 10)),
        (datetime(2024, 3, 31, 0, 30), datetime(2024, 3, 30, 23, 30)),
        (datetime(2024, 3, 31, 3, 0), datetime(2024, 3, 31, 1, 0)),
    ],
)
def test_local_to_utc(stamp, utc):
    assert to_utc(stamp, "inland", TABLE) == utc


def test_utc_to_local():
    assert to_local(datetime(2024, 3, 31, 1), "inland", TABLE) == datetime(2024, 3, 31, 3)


def test_a_zone_without_summer_time():
    assert to_utc(datetime(2024, 3, 31, 1, 30), "coast", TABLE) == datetime(2024, 3, 31, 0, 30)


def test_unknown_zone():
    with pytest.raises(ZoneError, match="HF-16 no zone 'hills'"):
        TABLE.offset_at("hills", datetime(2024, 1, 1))


def test_before_the_table():
    with pytest.raises(ZoneError, match="HF-16 zone inland has no offset at 2020-01-01"):
        TABLE.offset_at("inland", datetime(2020, 1, 1))
