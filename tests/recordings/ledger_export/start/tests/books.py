"""Small books that the tests share."""

from datetime import date
from decimal import Decimal

from tallybook.models import Account, Entry, Month, Posting
from tallybook.money import Money
from tallybook.store import LedgerStore

MARCH = Month(2025, 3)


def small_books() -> LedgerStore:
    """Three accounts, a Danish rate, no entries."""
    store = LedgerStore("EUR")
    store.add_account(Account("1200", "Bank", "asset", "EUR"))
    store.add_account(Account("4000", "Sales", "income", "EUR"))
    store.add_account(Account("5100", "Rope", "expense", "EUR"))
    store.rates["DKK"] = Decimal("0.1345")
    return store


def post(store: LedgerStore, voucher: str, day: str, minor: int, currency: str = "EUR") -> None:
    """Bank against sales (or rope, when money goes out)."""
    other = "4000" if minor > 0 else "5100"
    postings = (Posting("1200", Money(minor, currency)), Posting(other, Money(-minor, currency)))
    store.add_entry(Entry(voucher, date.fromisoformat(day), f"Payee {voucher}", postings))


def march_books(lines: int) -> LedgerStore:
    """An opening balance of 100.00 and some lines of 1.00 in March."""
    store = small_books()
    post(store, "A-1", "2025-02-01", 10000)
    for number in range(1, lines + 1):
        post(store, f"B-{number}", f"2025-03-{min(number, 31):02d}", 100)
    return store
