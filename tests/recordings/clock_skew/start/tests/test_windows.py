"""Which readings belong to an hour."""

from datetime import date, datetime

from hourfold.windows import hourly_windows, longest_silence, window


def test_readings_between_the_hours(make_series):
    series = make_series("2024-03-01T10:04", 8)
    found = window(series, datetime(2024, 3, 1, 11), datetime(2024, 3, 1, 12))
    assert [reading.time.minute for reading in found] == [4, 19, 34, 49]


def test_the_opening_reading_belongs_to_the_hour(make_series):
    series = make_series("2024-03-01T10:00", 3)
    found = window(series, datetime(2024, 3, 1, 10), datetime(2024, 3, 1, 11))
    assert found[0].time.minute == 0


def test_an_empty_window(make_series):
    assert window(make_series("2024-03-01T10:04", 2), datetime(2024, 3, 1, 8), datetime(2024, 3, 1, 9)) == []


def test_all_hours_of_a_day(make_series):
    series = make_series("2024-03-01T00:04", 96)
    counts = [len(readings) for _, readings in hourly_windows(series, date(2024, 3, 1))]
    assert counts == [4] * 24


def test_longest_silence(make_series):
    series = make_series("2024-03-01T00:04", 96, step=20)
    assert longest_silence(series, date(2024, 3, 1)) == 20
