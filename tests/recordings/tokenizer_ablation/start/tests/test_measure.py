"""Bits and bits per character."""

from math import log2

import pytest
from quaylm.bpe import Tokenizer
from quaylm.measure import Score, evaluate, score
from quaylm.ngram import Model


@pytest.fixture
def model():
    return Model(0, prior=1.0).train([["a·"], ["b·"], ["a·"]])


def test_score_sums_the_bits(model):
    expected = -log2(model.probability(["a·"], 0)) - log2(model.probability(["<s>"], 0))
    assert score(model, ["a·"]) == pytest.approx(expected)


def test_bpc_counts_line_ends():
    assert Score(bits=12.0, characters=6, pieces=3, unknown=0).bpc == 2.0


def test_evaluate_counts_pieces_and_unknown_ones(model):
    found = evaluate(model, Tokenizer([], {"a·", "b·"}), ["a b", "z"])
    assert (found.characters, found.pieces, found.unknown) == (6, 3, 1)


def test_share_of_nothing():
    assert Score(0.0, 1, 0, 0).unknown_share == 0.0
