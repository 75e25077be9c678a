"""Commands from end to end."""

import pytest

from hourfold.cli import main


@pytest.fixture
def kelm(put_csv):
    """A whole day of kelm-weir."""
    rows = [(f"2024-03-01T{hour:02}:{minute:02}Z", 100.0) for hour in range(24) for minute in (5, 20, 35, 50)]
    put_csv("kelm-weir", "2024-03-01", rows)


def run(root, capsys, *arguments):
    code = main(["--root", str(root), *arguments])
    shown = capsys.readouterr()
    return code, shown.out, shown.err


def test_hours(root, kelm, capsys):
    code, out, _ = run(root, capsys, "hours", "K1", "2024-03-01")
    assert code == 0
    assert out.splitlines()[1] == "2024-03-01T00:00Z;1.800;4;"


def test_day(root, kelm, capsys):
    code, out, _ = run(root, capsys, "day", "kelm-weir", "2024-03-01")
    assert (code, "155520.0 m3" in out) == (0, True)


def test_short_day(root, kelm, capsys):
    code, _, err = run(root, capsys, "day", "kelm-weir", "2024-03-02")
    assert (code, err) == (3, "hourfold: HF-12 short day: kelm-weir 2024-03-02 has 0 of 24 hours\n")


def test_unknown_station(root, capsys):
    code, _, err = run(root, capsys, "day", "nowhere", "2024-03-01")
    assert (code, err) == (2, "hourfold: HF-30 no station 'nowhere' in stations.ini\n")


def test_check(root, kelm, capsys):
    _, out, _ = run(root, capsys, "check", "2024-03-01")
    assert out.endswith("24 hours  p=0 o=0 g=0  silence 15 min\n")


def test_publish_once(root, kelm, capsys):
    assert run(root, capsys, "publish", "K1", "2024-03-01")[0] == 0
    assert run(root, capsys, "publish", "K1", "2024-03-01")[0] == 5


@pytest.mark.parametrize("limit", ["0", "9"])
def test_a_gap_setting_out_of_range(root, capsys, limit):
    path = root / "hourfold.ini"
    path.write_text(path.read_text().replace("max_gap_minutes = 30", f"max_gap_minutes = {limit}"))
    code, _, err = run(root, capsys, "check", "2024-03-01")
    assert (code, "fold.max_gap_minutes" in err) == (2, True)
