"""Splits rows into a training part and a test part."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

from boxleave.errors import OneClassError

Item = TypeVar("Item")


def split_rows(labels: Sequence[int], share: float, seed: int) -> tuple[list[int], list[int]]:
    """Indexes of the training rows and of the test rows.

    The split is stratified: both parts have the same share of leavers, up to one row.
    """
    generator = random.Random(seed)
    train: list[int] = []
    test: list[int] = []
    for label in (0, 1):
        indexes = [index for index, value in enumerate(labels) if value == label]
        generator.shuffle(indexes)
        count = round(len(indexes) * share)
        if not 0 < count < len(indexes):
            raise OneClassError(f"cannot split {len(indexes)} rows of class {label}")
        test.extend(indexes[:count])
        train.extend(indexes[count:])
    return sorted(train), sorted(test)


def pick(items: Sequence[Item], indexes: Sequence[int]) -> list[Item]:
    """The items at some indexes."""
    return [items[index] for index in indexes]
