"""Learning merges and cutting words."""

import pytest
from quaylm.bpe import UNKNOWN, Tokenizer, alphabet, join, learn, spell
from quaylm.errors import VocabularyError

WORDS = {"barge": 5, "large": 3, "bar": 2}


def test_the_last_sign_carries_the_end():
    assert spell("tug") == ("t", "u", "g·")


def test_a_word_of_one_letter():
    assert spell("a") == ("a·",)


def test_alphabet():
    assert alphabet({"aba": 1}) == {"a", "b", "a·"}


def test_join_works_from_the_left():
    assert join(("a", "a", "a"), ("a", "a")) == ("aa", "a")


def test_the_most_frequent_pair_is_merged_first():
    assert learn(WORDS, len(alphabet(WORDS)) + 1) == [("a", "r")]


def test_equally_frequent_pairs_in_alphabetical_order():
    merges = learn(WORDS, len(alphabet(WORDS)) + 3)
    assert merges[1:] == [("ar", "g"), ("arg", "e·")]


def test_merges_of_a_smaller_size_are_a_prefix():
    size = len(alphabet(WORDS))
    assert learn(WORDS, size + 4)[:2] == learn(WORDS, size + 2)


def test_learning_stops_when_nothing_occurs_twice():
    assert learn({"ab": 1}, 99) == []


def test_a_size_below_the_alphabet():
    with pytest.raises(VocabularyError, match="QL52 vocab_size 3 is below the alphabet"):
        learn(WORDS, 3)


def test_cut_applies_merges_in_their_order():
    assert Tokenizer([("a", "r"), ("ar", "g")]).cut("barge") == ("b", "arg", "e·")


def test_rare_pieces_are_unknown():
    merges = [("a", "r"), ("ar", "g"), ("arg", "e·")]
    tokenizer = Tokenizer.fit(["barge large bar", "barge"], merges, min_piece=2)
    assert tokenizer.encode("large") == [UNKNOWN, "arge·"]


def test_decode():
    tokenizer = Tokenizer([("a", "r")])
    assert tokenizer.decode(tokenizer.encode("the barge left")) == "the barge left"
