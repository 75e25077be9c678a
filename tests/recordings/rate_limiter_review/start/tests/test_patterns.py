"""Patterns."""

from datetime import date

import pytest

from pontoon.patterns import Pattern, PatternError, split_path


@pytest.mark.parametrize(
    ("pattern", "path", "values"),
    [
        ("/berths", "/berths", {}),
        ("/berths", "/berths/", {}),
        ("/berths", "/berths/4", None),
        ("/berths/{number:int}", "/berths/4", {"number": 4}),
        ("/berths/{number:int}", "/berths/-4", None),
        ("/berths/{number:int}", "/berths/1234567", None),
        ("/berths/free/{day:day}", "/berths/free/2025-06-15", {"day": date(2025, 6, 15)}),
        ("/berths/free/{day:day}", "/berths/free/2025-06-31", None),
        ("/{gauge:word}/next", "/north/next", {"gauge": "north"}),
        ("/{gauge:word}/next", "/North/next", None),
        ("/", "/", {}),
    ],
)
def test_match(pattern, path, values):
    assert Pattern.parse(pattern).match(path) == values


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("berths", "starts with a slash"),
        ("/berths/{number}", "cannot read the slot"),
        ("/berths/{number:float}", "unknown converter float"),
        ("/{a:int}/{a:int}", "two slots named a"),
    ],
)
def test_faults(pattern, problem):
    with pytest.raises(PatternError, match=problem):
        Pattern.parse(pattern)


def test_literals_rank_before_slots_and_days_before_words():
    texts = ["/{a:word}", "/{a:int}", "/b", "/{a:day}"]
    ranked = sorted((Pattern.parse(text) for text in texts), key=lambda pattern: pattern.rank)
    assert [pattern.text for pattern in ranked] == ["/b", "/{a:day}", "/{a:int}", "/{a:word}"]


def test_under_a_prefix():
    assert Pattern.parse("/{gauge:word}/next").under("/tides").text == "/tides/{gauge:word}/next"
    assert Pattern.parse("/").under("/tides").text == "/tides"


def test_split_path():
    assert split_path("//berths/4/") == ["berths", "4"]
