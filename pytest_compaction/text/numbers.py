"""Numbers that users write, and numbers as text that show whether they differ."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

_LEAST_DIGITS: Final = 2
_MOST_DIGITS: Final = 17
"""Enough digits after the point to tell apart any two scores that differ."""


class NumberError(ValueError):
    """The text is no number in the range; the message gives both."""


@dataclass(frozen=True, slots=True)
class Range:
    """The numbers from ``low`` to ``high``, both among them; ``whole`` admits no other."""

    low: float
    high: float
    whole: bool = False

    def __contains__(self, value: Any) -> bool:
        kinds = int if self.whole else int | float
        is_number = isinstance(value, kinds) and not isinstance(value, bool)
        return is_number and self.low <= value <= self.high

    def __str__(self) -> str:
        what = "a whole number" if self.whole else "a number"
        return f"{what} from {self.low:.15g} to {self.high:.15g}"

    def read(self, given: Any) -> Any:
        """The number that a text or a number gives: an ``int`` if it has to be whole.

        Raises :class:`NumberError` for any other, for NaN and for what is no number.
        """
        try:
            value = int(given) if self.whole else float(given)
        except (TypeError, ValueError):
            value = None
        if value not in self:
            raise NumberError(f"{given} is not {self}")
        return value


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
