import pytest

from boxleave.errors import OneClassError
from boxleave.scores import auc, brier, confusion


def test_confusion():
    found = confusion([0.9, 0.6, 0.4, 0.1], [1, 0, 1, 0], 0.5)
    assert (found.hits, found.false_alarms, found.misses, found.correct_rejections) == (1, 1, 1, 1)
    assert (found.accuracy, found.precision, found.recall) == (0.5, 0.5, 0.5)


def test_a_score_at_the_threshold_is_called():
    assert confusion([0.5], [1], 0.5).hits == 1


def test_nobody_called():
    assert confusion([0.1], [1], 0.5).precision == 0.0


@pytest.mark.parametrize(
    ("scores", "truth", "expected"),
    [([0.1, 0.9], [0, 1], 1.0), ([0.9, 0.1], [0, 1], 0.0), ([0.1, 0.2, 0.3], [0, 1, 0], 0.5)],
)
def test_auc(scores, truth, expected):
    assert auc(scores, truth) == expected


def test_auc_of_one_class():
    with pytest.raises(OneClassError, match="D410"):
        auc([0.1, 0.2], [0, 0])


def test_brier():
    assert brier([1.0, 0.5], [1, 0]) == 0.125
