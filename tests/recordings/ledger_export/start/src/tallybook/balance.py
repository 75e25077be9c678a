"""Balances of accounts at the edges of a month, in the base currency of the journal."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from tallybook.models import Account, Entry, Month, Posting
from tallybook.money import Money, convert, total, zero
from tallybook.store import LedgerStore


@dataclass(frozen=True, slots=True)
class TrialRow:
    """One row of the trial balance."""

    account: Account
    debit: Money
    credit: Money


def _in_base(store: LedgerStore, moves: Iterable[tuple[Entry, Posting]]) -> Money:
    """Add up per currency, then convert every sum."""
    sums: dict[str, int] = {}
    for _, posting in moves:
        currency = posting.amount.currency
        sums[currency] = sums.get(currency, 0) + posting.amount.minor
    return total(
        (
            convert(Money(minor, currency), store.base_currency, store.rates)
            for currency, minor in sorted(sums.items())
        ),
        store.base_currency,
    )


def opening(store: LedgerStore, account: str, month: Month) -> Money:
    """The balance before the first day of the month."""
    return _in_base(store, store.postings_before(account, month.first))


def closing(store: LedgerStore, account: str, month: Month) -> Money:
    """The balance after the last day of the month."""
    return _in_base(store, store.postings_before(account, month.next().first))


def turnover(store: LedgerStore, account: str, month: Month) -> Money:
    """What the month moved."""
    return closing(store, account, month) - opening(store, account, month)


def trial_balance(store: LedgerStore, month: Month) -> list[TrialRow]:
    """Closing balances of all accounts that are not zero, by number."""
    rows: list[TrialRow] = []
    none = zero(store.base_currency)
    for number in sorted(store.accounts):
        balance = closing(store, number, month)
        if not balance:
            continue
        if balance.minor > 0:
            rows.append(TrialRow(store.accounts[number], balance, none))
        else:
            rows.append(TrialRow(store.accounts[number], none, -balance))
    return rows


def difference(rows: Iterable[TrialRow], currency: str) -> Money:
    """Debit less credit of a trial balance; zero when the books are in order."""
    result = zero(currency)
    for row in rows:
        result += row.debit - row.credit
    return result
