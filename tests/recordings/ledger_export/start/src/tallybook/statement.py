"""The monthly statement of an account, independent of how it is printed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from tallybook.balance import closing, opening
from tallybook.models import Account, Month
from tallybook.money import Money, convert
from tallybook.store import LedgerStore


@dataclass(frozen=True, slots=True)
class StatementLine:
    """One movement, in the base currency, with the balance after it.

    ``original`` is the amount as it was posted when that is another currency.
    """

    number: int
    day: date
    voucher: str
    payee: str
    amount: Money
    balance: Money
    original: Money | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """What happened on an account in a month."""

    account: Account
    month: Month
    opening: Money
    lines: tuple[StatementLine, ...]
    closing: Money

    @property
    def debits(self) -> Money:
        """Sum of the positive lines."""
        return Money(
            sum(line.amount.minor for line in self.lines if line.amount.minor > 0),
            self.opening.currency,
        )

    @property
    def credits(self) -> Money:
        """Sum of the negative lines, as a positive amount."""
        return Money(
            -sum(line.amount.minor for line in self.lines if line.amount.minor < 0),
            self.opening.currency,
        )

    @property
    def drift(self) -> Money:
        """Closing balance less what the lines add up to."""
        return self.closing - (self.opening + self.debits - self.credits)


def build_statement(store: LedgerStore, account: str, month: Month) -> Statement:
    """Collect the statement of an account for a month."""
    base = store.base_currency
    start = opening(store, account, month)
    balance = start
    lines: list[StatementLine] = []
    for number, (entry, posting) in enumerate(store.postings(account, month), start=1):
        amount = convert(posting.amount, base, store.rates)
        balance += amount
        lines.append(
            StatementLine(
                number,
                entry.day,
                entry.voucher,
                entry.payee,
                amount,
                balance,
                posting.amount if posting.amount.currency != base else None,
            )
        )
    return Statement(
        store.account(account), month, start, tuple(lines), closing(store, account, month)
    )
