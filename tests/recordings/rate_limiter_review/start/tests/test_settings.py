"""Settings."""

from pathlib import Path

import pytest

from pontoon.settings import SettingsError, load_settings, parse_settings

GOOD = """[router]
name = test
callers = kiosk, desk
[replay]
keep_seconds = 60
[tides]
gauges = north
"""


def test_good():
    settings = parse_settings(GOOD)
    assert (settings.callers, settings.keep_seconds) == (("kiosk", "desk"), 60)


def test_this_repository():
    assert load_settings(Path(__file__).parents[1] / "pontoon.ini").name == "north quay"


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("[router]", "router", "S11"),
        ("name = test", "", "S12"),
        ("kiosk, desk", "kiosk, Desk", "S13"),
        ("kiosk, desk", "kiosk, kiosk", "S14"),
        ("= 60", "= soon", "S15"),
        ("= 60", "= 601", "S16"),
    ],
)
def test_faults(old, new, code):
    with pytest.raises(SettingsError) as caught:
        parse_settings(GOOD.replace(old, new))
    assert caught.value.code == code


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(SettingsError, match=r"S10 cannot read gone\.ini"):
        load_settings(tmp_path / "gone.ini")
