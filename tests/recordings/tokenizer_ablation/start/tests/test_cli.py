"""The command line from end to end, on a text of six words."""

import pytest
from quaylm.cli import main

CONFIG = """[corpus]
train = train.txt
split = {split}
[tokenizer]
vocab_size = 20
min_piece = 1
[model]
context = 1
prior = 1
[sweep]
key = context
values = 0 1
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.txt").write_text("the tug left\nthe tug came\n")
    (tmp_path / "dev.txt").write_text("the tug came\n")
    (tmp_path / "heldout.txt").write_text("the tug left\n")
    for split in ("dev", "heldout"):
        (tmp_path / f"{split}.ini").write_text(CONFIG.format(split=split))
    return tmp_path


def test_score(folder, capsys):
    assert main(["score", "dev.ini"]) == 0
    assert capsys.readouterr().out.startswith("dev: 13 characters")


def test_sweep_writes_a_table(folder, capsys):
    assert main(["sweep", "dev.ini", "--out", "rows.tsv"]) == 0
    assert (folder / "rows.tsv").read_text().startswith("value\tpieces\tunknown\tbpc\n0\t")
    assert "*" in capsys.readouterr().out


def test_heldout_needs_final(folder, capsys):
    assert main(["sweep", "heldout.ini"]) == 3
    assert "QL44" in capsys.readouterr().err
    assert main(["score", "heldout.ini", "--final"]) == 0


def test_pieces(folder, capsys):
    assert main(["pieces", "dev.ini", "the tug"]) == 0
    assert capsys.readouterr().out == "the· tug·\n"
