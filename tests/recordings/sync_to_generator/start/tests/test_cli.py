import pytest

from raftline.cli import main


def test_ship_and_list(ferry, capsys):
    ferry((60, 0))
    assert main(["ship", "--counters"]) == 0
    assert "lines=60 rejected=0 dropped=12 frames=2 sent=48" in capsys.readouterr().out
    assert main(["frames", "shore.out"]) == 0
    assert capsys.readouterr().out.startswith("frame 1: 40 records, ")


@pytest.mark.parametrize(
    ("options", "code", "text"),
    [
        ({"missing": ["none.log"]}, 66, "R101 none.log: no such spool file"),
        ({"quota": 500}, 73, "R507 shore.out: frame 1 does not fit (quota 500 bytes)"),
        ({"max_rejects": 3}, 65, "R205 deck1.log: more than 3 lines rejected, file not shipped"),
    ],
)
def test_exit_codes(ferry, capsys, options, code, text):
    ferry((60, 12), **options)
    assert main(["ship"]) == code
    assert f"raftline: {text}\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("level = INFO", "level = LOUD", "[filter] level is unknown: 'LOUD'"),
        ("records = 40", "records = many", "[batch] records is no number: 'many'"),
        ("route = K4", "", "[enrich] route is missing"),
    ],
)
def test_wrong_settings(ferry, capsys, old, new, problem):
    config = ferry((1, 0)) / "raftline.ini"
    config.write_text(config.read_text().replace(old, new))
    assert main(["ship"]) == 78
    assert f"R310 raftline.ini: {problem}" in capsys.readouterr().err
