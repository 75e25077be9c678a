from datetime import date

import pytest

from boxleave.errors import SettingsError
from boxleave.scoring import bands, score, write_scores
from boxleave.settings import Settings
from builders import SNAPSHOT, customer, mixed_table, table

SETTINGS = Settings(SNAPSHOT, iterations=60)
LATER = date(2025, 3, 31)


def scored(*customers):
    return score(mixed_table(), table(*customers), SETTINGS, LATER)


def test_highest_first():
    found = scored(customer(1), customer(2, pauses=5), customer(3, pauses=2))
    assert [item.customer_id for item in found] == ["B00002", "B00003", "B00001"]


def test_the_later_snapshot_counts():
    found = scored(customer(1, joined=date(2025, 3, 1)), customer(2, joined=date(2025, 4, 1)))
    assert [item.customer_id for item in found] == ["B00001"]


def test_file_for_the_desk(tmp_path):
    write_scores(scored(customer(1), customer(2, pauses=5)), tmp_path / "out" / "scores.csv")
    lines = (tmp_path / "out" / "scores.csv").read_text().splitlines()
    assert lines[0] == "customer_id;score;band"
    assert lines[1].startswith("B00002;0.") and lines[1].endswith(";call")


def test_bands():
    assert bands(scored(customer(1), customer(2, pauses=5)))["call"] == 1


@pytest.mark.parametrize(
    ("value", "expected"), [(0.50, "call"), (0.49, "watch"), (0.25, "watch"), (0.24, "calm")]
)
def test_bounds(value, expected):
    assert SETTINGS.band(value) == expected


def test_watch_must_be_below_call():
    with pytest.raises(SettingsError, match="D305 watch 0.50 is not below call 0.50"):
        Settings(SNAPSHOT, watch=0.5)
