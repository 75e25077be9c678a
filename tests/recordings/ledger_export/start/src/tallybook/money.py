"""Money as whole minor units of a currency, and the one place where amounts are rounded.

No float ever touches an amount. ``Money`` holds an integer number of minor units
(cents, øre); rates are decimals as written in the journal. Conversion rounds
half to even, once, to the minor unit of the target currency.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Decimal

from tallybook.errors import LedgerError

EXPONENTS = {"EUR": 2, "DKK": 2, "SEK": 2, "NOK": 2, "GBP": 2, "JPY": 0}
ROUNDING = ROUND_HALF_EVEN
_AMOUNT = re.compile(r"(?P<sign>-?)(?P<whole>\d{1,3}(?:,\d{3})*|\d+)(?:\.(?P<fraction>\d+))?")


@dataclass(frozen=True, slots=True, order=True)
class Money:
    """An amount: ``minor`` units of ``currency``."""

    minor: int
    currency: str

    def __add__(self, other: Money) -> Money:
        self._same(other)
        return Money(self.minor + other.minor, self.currency)

    def __sub__(self, other: Money) -> Money:
        self._same(other)
        return Money(self.minor - other.minor, self.currency)

    def __neg__(self) -> Money:
        return Money(-self.minor, self.currency)

    def __bool__(self) -> bool:
        return self.minor != 0

    def _same(self, other: Money) -> None:
        if self.currency != other.currency:
            raise ValueError(f"cannot mix {self.currency} and {other.currency}")

    @property
    def decimal(self) -> Decimal:
        """The amount in major units."""
        return Decimal(self.minor).scaleb(-exponent(self.currency))


def exponent(currency: str) -> int:
    """Number of decimals of a currency."""
    try:
        return EXPONENTS[currency]
    except KeyError:
        raise LedgerError("TB-103", f"unknown currency {currency!r}") from None


def zero(currency: str) -> Money:
    """No money at all."""
    exponent(currency)
    return Money(0, currency)


def total(amounts: Iterable[Money], currency: str) -> Money:
    """The sum of amounts that are all in ``currency``."""
    result = zero(currency)
    for amount in amounts:
        result += amount
    return result


def parse_amount(text: str, currency: str) -> Money:
    """Read ``1,234.56``; more decimals than the currency has are refused."""
    match = _AMOUNT.fullmatch(text.strip())
    if not match:
        raise LedgerError("TB-101", f"not an amount: {text!r}")
    places = exponent(currency)
    fraction = match["fraction"] or ""
    if len(fraction) > places:
        raise LedgerError("TB-102", f"{text!r} has more than {places} decimals for {currency}")
    minor = int(match["whole"].replace(",", "") + fraction.ljust(places, "0"))
    return Money(-minor if match["sign"] else minor, currency)


def format_amount(amount: Money, grouping: bool = True) -> str:
    """``-1,234.56``; without the currency."""
    return f"{amount.decimal:{',' if grouping else ''}.{exponent(amount.currency)}f}"


def convert(amount: Money, currency: str, rates: Mapping[str, Decimal]) -> Money:
    """Convert into ``currency``. ``rates`` holds what one unit of a currency is worth in it."""
    if amount.currency == currency:
        return amount
    if amount.currency not in rates:
        raise LedgerError("TB-110", f"no rate for {amount.currency} in {currency}")
    unit = Decimal(1).scaleb(-exponent(currency))
    value = (amount.decimal * rates[amount.currency]).quantize(unit, rounding=ROUNDING)
    return Money(int(value.scaleb(exponent(currency))), currency)


def split(amount: Money, shares: int) -> list[Money]:
    """Split into equal shares; the first ones take the cents that are left over."""
    if shares < 1:
        raise LedgerError("TB-104", f"cannot split into {shares} shares")
    each, rest = divmod(abs(amount.minor), shares)
    sign = -1 if amount.minor < 0 else 1
    return [
        Money(sign * (each + (1 if number < rest else 0)), amount.currency)
        for number in range(shares)
    ]
