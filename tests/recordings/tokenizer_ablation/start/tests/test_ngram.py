"""The model is a probability distribution."""

import pytest
from quaylm.bpe import STOP, UNKNOWN
from quaylm.ngram import Model

ENTRIES = [["a", "b"], ["a", "c"], ["a", "b", "b"]]


@pytest.mark.parametrize("context", [0, 1, 2, 3])
@pytest.mark.parametrize("before", [[], ["a"], ["b", "b"], ["c", "a", "b"]])
def test_probabilities_sum_to_one(context, before):
    model = Model(context, prior=0.7).train(ENTRIES)
    total = sum(model.probability([*before, piece], len(before)) for piece in model.vocabulary)
    assert total == pytest.approx(1)


def test_an_untrained_model_is_uniform():
    model = Model(1, prior=1.0)
    assert model.probability([STOP], 0) == pytest.approx(1 / 2)


def test_a_frequent_follower_is_likely():
    model = Model(1, prior=0.1).train(ENTRIES)
    assert model.probability(["a", "b"], 1) > 0.6 > model.probability(["a", "c"], 1)


def test_unknown_has_a_probability():
    model = Model(1, prior=1.0).train(ENTRIES)
    assert 0 < model.probability([UNKNOWN], 0) < 0.1


def test_contexts_are_padded_with_stops():
    assert Model(2, 1.0).contexts(["a", "b"], 1) == [(), ("a",), (STOP, "a")]
