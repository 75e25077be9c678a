import pytest

from boxleave.logistic import Logistic, fit, log_loss, sigmoid


@pytest.mark.parametrize(("value", "expected"), [(0, 0.5), (800, 1.0), (-800, 0.0)])
def test_sigmoid(value, expected):
    assert sigmoid(value) == expected


def test_probability():
    assert Logistic((1.0, -1.0), 0.5).probability([1.0, 1.5]) == 0.5


def test_fit_separates():
    model = fit([[-1.0], [-0.5], [0.5], [1.0]], [0, 0, 1, 1])
    assert model.probability([-1.0]) < 0.2 < 0.8 < model.probability([1.0])


def test_a_useless_feature_gets_no_weight():
    model = fit([[-1.0, 0.0], [1.0, 0.0]], [0, 1])
    assert model.weights[1] == 0.0


def test_penalty_shrinks():
    rows, truth = [[-1.0], [1.0]], [0, 1]
    assert fit(rows, truth, penalty=1.0).weights < fit(rows, truth, penalty=0.01).weights


def test_no_rows():
    with pytest.raises(ValueError, match="no rows"):
        fit([], [])


def test_log_loss():
    assert log_loss([0.5, 0.5], [0, 1]) == pytest.approx(0.6931, abs=1e-4)
