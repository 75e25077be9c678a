"""Amounts and their units."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

# Units that can be added up are given in terms of the first one of their family.
FAMILIES: dict[str, dict[str, float]] = {
    "g": {"g": 1, "kg": 1000},
    "ml": {"ml": 1, "l": 1000, "tsp": 5, "tbsp": 15},
}
PLAIN = ("bunch", "clove", "cloves", "leaf", "pinch", "sprig", "sprigs", "stick")
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?(?:/\d+)?)\s+(.+)")


@dataclass(frozen=True)
class Amount:
    """A number of units; ``unit`` is empty for things that are counted."""

    value: float
    unit: str = ""

    def scaled(self, factor: float) -> Amount:
        """The amount times a factor."""
        return replace(self, value=self.value * factor)

    def base(self) -> Amount:
        """The amount in the base unit of its family; others come back unchanged."""
        for base, members in FAMILIES.items():
            if self.unit in members:
                return Amount(self.value * members[self.unit], base)
        return self

    def __str__(self) -> str:
        return f"{number_text(self.value)} {self.unit}".strip()


def number_text(value: float) -> str:
    """A number as a cook writes it: two decimals at most, none where not needed.

    >>> number_text(2.0), number_text(0.5), number_text(1 / 3)
    ('2', '0.5', '0.33')
    """
    return f"{value:.2f}".rstrip("0").rstrip(".")


def parse_number(text: str) -> float:
    """``3``, ``1.5`` or ``1/2``."""
    whole, slash, divisor = text.partition("/")
    return float(whole) / float(divisor) if slash else float(whole)


def parse_amount(text: str) -> tuple[Amount | None, str]:
    """Amount and the rest of an ingredient's text.

    >>> parse_amount("600 g leeks")
    (Amount(value=600.0, unit='g'), 'leeks')
    >>> parse_amount("2 trout")
    (Amount(value=2.0, unit=''), 'trout')
    >>> parse_amount("salt")
    (None, 'salt')
    """
    match = _AMOUNT.fullmatch(text)
    if not match:
        return None, text
    value, rest = parse_number(match[1]), match[2]
    unit, _, name = rest.partition(" ")
    if name and (unit in PLAIN or any(unit in members for members in FAMILIES.values())):
        return Amount(value, unit), name
    return Amount(value), rest


def add(left: Amount, right: Amount) -> Amount | None:
    """The sum, or None when the units do not go together."""
    left, right = left.base(), right.base()
    if left.unit != right.unit:
        return None
    return Amount(left.value + right.value, left.unit)


def rounded(amount: Amount, grams: int) -> Amount:
    """Weights rounded up to a multiple of ``grams``; everything else as it is."""
    base = amount.base()
    if base.unit != "g" or grams <= 1:
        return amount
    steps = -(-base.value // grams)
    return Amount(steps * grams, "g")
