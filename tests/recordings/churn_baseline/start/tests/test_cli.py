from pathlib import Path

import pytest

from boxleave.cli import main

REPOSITORY = Path(__file__).parents[1]
DATA = REPOSITORY / "data" / "march"


@pytest.fixture(autouse=True)
def settings(monkeypatch, tmp_path):
    text = (REPOSITORY / "experiment.ini").read_text()
    (tmp_path / "experiment.ini").write_text(text.replace("iterations = 250", "iterations = 20"))
    monkeypatch.chdir(tmp_path)


def test_describe(capsys):
    assert main(["describe", str(DATA)]) == 0
    assert capsys.readouterr().out.startswith("customers 748, kept ")


def test_train(capsys):
    assert main(["train", str(DATA)]) == 0
    assert "  brier 0." in capsys.readouterr().out


def test_weights(capsys):
    main(["train", str(DATA), "--weights"])
    assert "  skipped_share " in capsys.readouterr().out


def test_a_missing_export(capsys):
    assert main(["train", "nowhere"]) == 2
    assert capsys.readouterr().err == "boxleave: D104 no nowhere/customers.csv\n"


def test_missing_settings(capsys):
    assert main(["--settings", "other.ini", "describe", str(DATA)]) == 2
    assert "D104 no other.ini" in capsys.readouterr().err


def test_score(capsys, tmp_path):
    arguments = ["score", str(DATA), "--train", str(DATA), "--snapshot", "2025-01-31"]
    assert main([*arguments, "--out", str(tmp_path / "scores.csv")]) == 0
    assert capsys.readouterr().out.startswith("scored ")
