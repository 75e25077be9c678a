"""Reading texts."""

import pytest
from quaylm.corpus import characters, read_lines, word_counts
from quaylm.errors import CorpusError, SealedError


def test_white_space_is_normalised(tmp_path):
    (tmp_path / "dev.txt").write_text("the  tug\n\n left \n")
    assert read_lines(tmp_path / "dev.txt") == ["the tug", "left"]


def test_a_missing_text(tmp_path):
    with pytest.raises(CorpusError, match="QL22 no such text"):
        read_lines(tmp_path / "dev.txt")


def test_an_empty_text(tmp_path):
    (tmp_path / "dev.txt").write_text("\n")
    with pytest.raises(CorpusError, match="QL22 nothing to read"):
        read_lines(tmp_path / "dev.txt")


def test_heldout_is_sealed(tmp_path):
    (tmp_path / "heldout.txt").write_text("a tug\n")
    with pytest.raises(SealedError, match="QL44 .* is sealed: give --final"):
        read_lines(tmp_path / "heldout.txt")
    assert read_lines(tmp_path / "heldout.txt", final=True) == ["a tug"]


def test_characters_and_words():
    assert characters(["ab", "c"]) == 5
    assert word_counts(["a b", "a"]) == {"a": 2, "b": 1}
