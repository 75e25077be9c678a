"""The command line."""

from pathlib import Path

from docketry.cli import main

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_standard_output(capsys):
    assert main(["render", str(EXAMPLES / "heron.json"), "--locale", "nl"]) == 0
    assert "Factuur H-2207" in capsys.readouterr().out


def test_a_folder(tmp_path, capsys):
    files = [str(EXAMPLES / name) for name in ("heron.json", "plover.json")]
    assert main(["render", *files, "--format", "csv", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out.split() == ["h-2207.csv", "p-0058.csv"]
    assert (tmp_path / "p-0058.csv").exists()


def test_themes(capsys):
    assert main(["themes"]) == 0
    assert "double" in capsys.readouterr().out


def test_a_missing_file(capsys):
    assert main(["render", "nothing.json"]) == 2
    assert "DK-01 nothing.json" in capsys.readouterr().err


def test_an_unknown_theme(capsys):
    assert main(["render", str(EXAMPLES / "heron.json"), "--theme", "neon"]) == 3
    assert "DK-13 unknown theme 'neon'" in capsys.readouterr().err
