"""Numbers as text, with enough digits to show that they differ."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

_LEAST_DIGITS: Final = 2
_MOST_DIGITS: Final = 17
"""Enough digits after the point to tell apart any two scores that differ."""


def told_apart(value: float, bound: float) -> tuple[str, str]:
    """Two numbers with the fewest digits, at least two, that show whether they differ.

    The bound is never rounded, because somebody chose it. Both have the same number of digits after
    the point, so that 3.49996 and 3.5 read "3.49996" and "3.50000".
    """
    exponent = Decimal(repr(bound)).normalize().as_tuple().exponent
    digits = max(_LEAST_DIGITS, -exponent if isinstance(exponent, int) else 0)
    digits = min(digits, _MOST_DIGITS)
    while value != bound and digits < _MOST_DIGITS and round(value, digits) == round(bound, digits):
        digits += 1
    return f"{value:.{digits}f}", f"{bound:.{digits}f}"
