import pytest

from tidebook.errors import TideError
from tidebook.station import load_station, load_stations, parse_station, zone_minutes

TEXT = """
# a comment
station: Brekness
region: North Sound
datum: 2.10
zone: +01:00
M2 1.42 118.0
S2 0.48 512.5
"""


def test_fields():
    station = parse_station(TEXT, "x.tide")
    assert (station.name, station.region, station.datum) == ("Brekness", "North Sound", 2.1)
    assert station.zone_minutes == 60
    assert [each.phase for each in station.constituents] == [118.0, 152.5]


def test_slug_and_greatest():
    station = parse_station(TEXT.replace("Brekness", "Upper Brek-Ness 2"), "x.tide")
    assert station.slug == "upperbrekness2"
    assert station.greatest == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("region: North Sound", "region:", "T210 x.tide:4: region has no value"),
        ("M2 1.42 118.0", "M2 1.42", "T210 x.tide:7: expected a name"),
        ("zone: +01:00", "", "T211 x.tide: zone is missing"),
        ("M2 1.42", "M9 1.42", "T212 x.tide:7: unknown constituent M9"),
        ("1.42", "high", "T213 x.tide:7: high 118.0 are no numbers"),
        ("2.10", "two", "T213 x.tide: two is no datum"),
    ],
)
def test_faults(old, new, problem):
    with pytest.raises(TideError, match=problem):
        parse_station(TEXT.replace(old, new), "x.tide")


@pytest.mark.parametrize(("text", "minutes"), [("+01:00", 60), ("-03:30", -210), ("+00:00", 0)])
def test_zone(text, minutes):
    assert zone_minutes(text, "x") == minutes


def test_load(tmp_path):
    (tmp_path / "b.tide").write_text(TEXT)
    (tmp_path / "a.tide").write_text(TEXT.replace("Brekness", "Lonvik"))
    assert load_station(tmp_path / "b.tide").name == "Brekness"
    assert [station.name for station in load_stations(tmp_path)] == ["Lonvik", "Brekness"]
