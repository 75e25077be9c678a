"""What a journal holds: accounts, entries and their postings; and the months they fall in."""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import date

from tallybook.errors import LedgerError
from tallybook.money import Money

KINDS = ("asset", "liability", "equity", "income", "expense")
_MONTH = re.compile(r"(\d{4})-(\d{2})")


@dataclass(frozen=True, slots=True)
class Account:
    """One account of the chart. ``number`` is text: leading zeros matter."""

    number: str
    name: str
    kind: str
    currency: str

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise LedgerError("TB-203", f"account {self.number}: unknown kind {self.kind!r}")

    @property
    def debit_normal(self) -> bool:
        """Whether the balance normally stands on the debit side."""
        return self.kind in {"asset", "expense"}


@dataclass(frozen=True, slots=True)
class Posting:
    """An amount that an entry moves on an account; positive is debit."""

    account: str
    amount: Money


@dataclass(frozen=True, slots=True)
class Entry:
    """A voucher: postings that add up to nothing in every currency."""

    voucher: str
    day: date
    payee: str
    postings: tuple[Posting, ...]

    def __post_init__(self) -> None:
        sums: dict[str, int] = {}
        for posting in self.postings:
            currency = posting.amount.currency
            sums[currency] = sums.get(currency, 0) + posting.amount.minor
        for currency, rest in sorted(sums.items()):
            if rest:
                raise LedgerError(
                    "TB-207", f"voucher {self.voucher} is off by {rest} minor units of {currency}"
                )

    def on(self, account: str) -> list[Posting]:
        """The postings on one account."""
        return [posting for posting in self.postings if posting.account == account]


@dataclass(frozen=True, slots=True, order=True)
class Month:
    """A calendar month, the period of a statement."""

    year: int
    number: int

    @classmethod
    def parse(cls, text: str) -> Month:
        """Read ``2025-03``."""
        match = _MONTH.fullmatch(text)
        if not match or not 1 <= int(match[2]) <= 12:
            raise LedgerError("TB-118", f"a month looks like YYYY-MM, not {text!r}")
        return cls(int(match[1]), int(match[2]))

    @property
    def first(self) -> date:
        """The first day."""
        return date(self.year, self.number, 1)

    @property
    def last(self) -> date:
        """The last day."""
        return date(self.year, self.number, calendar.monthrange(self.year, self.number)[1])

    def __contains__(self, day: date) -> bool:
        return self.first <= day <= self.last

    def __str__(self) -> str:
        return f"{self.year:04d}-{self.number:02d}"

    def next(self) -> Month:
        """The month after this one."""
        return Month(self.year + 1, 1) if self.number == 12 else Month(self.year, self.number + 1)
