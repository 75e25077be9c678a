"""Flags of commands that take a number, checked as the options of pytest are."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from pytest_compaction.text import NumberError, Range


def number_type(numbers: Range) -> Callable[[str], Any]:
    """The ``type`` of a flag: it takes the numbers of a range and no other."""

    def read(text: str) -> Any:
        try:
            return numbers.read(text)
        except NumberError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return read
