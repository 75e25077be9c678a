"""Volumes and balance."""

from datetime import date, datetime, timedelta

import pytest

from hourfold.average import Hour
from hourfold.errors import BalanceError, ShortDayError
from hourfold.totals import balance_of, day_of

DAY = date(2024, 3, 31)


def hours(*flows):
    start = datetime(2024, 3, 31)
    return [Hour(start + timedelta(hours=n), flow, 4, "") for n, flow in enumerate(flows)]


def test_volume():
    day = day_of("torv-outlet", DAY, hours(*[2.0] * 24))
    assert (day.volume, day.complete) == (172800.0, True)


def test_short_day():
    day = day_of("torv-outlet", DAY, hours(None, *[2.0] * 23))
    with pytest.raises(ShortDayError, match="HF-12 short day: torv-outlet 2024-03-31 has 23 of 24 hours"):
        day.require_complete()


def test_balance():
    whole = day_of("a", DAY, hours(*[2.0] * 24))
    less = day_of("b", DAY, hours(None, *[2.0] * 23))
    balance = balance_of(DAY, [whole], [less])
    assert balance.percent == pytest.approx(-4.1667, abs=1e-4)
    with pytest.raises(BalanceError, match="differs by -4.17 percent, limit is 0.8"):
        balance.require_within(0.8)
    balance.require_within(5.0)
