from datetime import date

import pytest

from tidebook.constituents import Constituent, semidiurnal
from tidebook.errors import TideError
from tidebook.predict import EPOCH, day_from_text, height, step_from_environment, turns
from tidebook.station import Station

ONE = Station("One", "Here", 2.0, 0, (Constituent("S2", 1.0, 0.0),))


def test_height_of_one_wave():
    assert height(ONE, EPOCH, 0) == pytest.approx(3.0)
    assert height(ONE, EPOCH, 360) == pytest.approx(1.0)


def test_turns_of_one_wave():
    assert [(turn.kind, turn.clock) for turn in turns(ONE, EPOCH, 5)] == [
        ("high", "00:00"),
        ("low", "06:00"),
        ("high", "12:00"),
        ("low", "18:00"),
    ]


@pytest.mark.parametrize("step", [1, 5, 15, 30])
def test_the_step_does_not_move_the_turns(step):
    day = date(2031, 4, 2)
    assert turns(ONE, day, step) == turns(ONE, day, 5)


def test_step(monkeypatch):
    monkeypatch.delenv("TIDEBOOK_STEP", raising=False)
    assert step_from_environment() == 5
    monkeypatch.setenv("TIDEBOOK_STEP", "15")
    assert step_from_environment() == 15


@pytest.mark.parametrize("text", ["0", "31", "five"])
def test_step_out_of_range(monkeypatch, text):
    monkeypatch.setenv("TIDEBOOK_STEP", text)
    with pytest.raises(TideError, match=f"T231 TIDEBOOK_STEP: {text}"):
        step_from_environment()


def test_day():
    assert day_from_text("2031-04-02") == date(2031, 4, 2)
    with pytest.raises(TideError, match="T230 2031-13-02 is no day"):
        day_from_text("2031-13-02")


def test_semidiurnal():
    assert semidiurnal(["M2", "K1", "S2", "M4"]) == ["S2", "M2"]
