import pytest

from boxleave.errors import OneClassError
from boxleave.evaluate import evaluate
from boxleave.features import NAMES
from boxleave.settings import Settings
from builders import SNAPSHOT, customer, mixed_table, table

SETTINGS = Settings(SNAPSHOT, iterations=60)


def test_sizes():
    found = evaluate(mixed_table(), SETTINGS)
    assert (found.train_rows, found.test_rows, found.leavers) == (42, 18, 4)


def test_it_learns():
    assert evaluate(mixed_table(), SETTINGS).auc > 0.9


def test_the_same_seed_gives_the_same_numbers():
    assert evaluate(mixed_table(), SETTINGS) == evaluate(mixed_table(), SETTINGS)


def test_weights_have_names():
    assert tuple(evaluate(mixed_table(), SETTINGS).weights) == NAMES


def test_nobody_leaves():
    with pytest.raises(OneClassError, match="D410 cannot split 0 rows of class 1"):
        evaluate(table(*(customer(number) for number in range(1, 9))), SETTINGS)
