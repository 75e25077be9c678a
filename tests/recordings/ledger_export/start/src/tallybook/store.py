"""The journal file: one JSON object a line, read once and kept in memory.

Three kinds of line::

    {"type": "account", "number": "1200", "name": "…", "kind": "asset", "currency": "EUR"}
    {"type": "rate", "currency": "DKK", "value": "0.1345"}
    {"type": "entry", "voucher": "B-0412", "date": "2025-03-04", "payee": "…",
     "postings": [["1200", "-120.00", "EUR"], ["5300", "120.00", "EUR"]]}

A rate holds for the whole file and says what one unit is worth in the base
currency. Vouchers are unique. Lines that start with ``#`` are comments.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from tallybook.errors import LedgerError
from tallybook.models import Account, Entry, Month, Posting
from tallybook.money import format_amount, parse_amount


class LedgerStore:
    """Accounts, rates and entries of one journal."""

    def __init__(self, base_currency: str = "EUR") -> None:
        self.base_currency = base_currency
        self.accounts: dict[str, Account] = {}
        self.rates: dict[str, Decimal] = {}
        self._entries: list[Entry] = []
        self._vouchers: set[str] = set()

    @classmethod
    def load(cls, path: Path, base_currency: str = "EUR") -> LedgerStore:
        """Read a journal file; the first bad line stops the load."""
        store = cls(base_currency)
        if not path.exists():
            raise LedgerError("TB-401", f"no journal at {path}")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if not line.strip() or line.startswith("#"):
                continue
            try:
                store.add_record(json.loads(line))
            except (ValueError, KeyError, TypeError, InvalidOperation) as error:
                raise LedgerError("TB-204", f"line {number} is not a journal line: {error}") from None
            except LedgerError as error:
                raise LedgerError(error.code, f"line {number}: {error.message}") from None
        return store

    def add_record(self, record: dict[str, Any]) -> None:
        """Take over one decoded line."""
        kind = record["type"]
        if kind == "account":
            self.add_account(
                Account(record["number"], record["name"], record["kind"], record["currency"])
            )
        elif kind == "rate":
            self.rates[record["currency"]] = Decimal(record["value"])
        elif kind == "entry":
            postings = tuple(
                Posting(account, parse_amount(amount, currency))
                for account, amount, currency in record["postings"]
            )
            day = date.fromisoformat(record["date"])
            self.add_entry(Entry(record["voucher"], day, record["payee"], postings))
        else:
            raise ValueError(f"unknown type {kind!r}")

    def add_account(self, account: Account) -> None:
        """Add an account; its number must be new."""
        if account.number in self.accounts:
            raise LedgerError("TB-202", f"account {account.number} exists twice")
        self.accounts[account.number] = account

    def add_entry(self, entry: Entry) -> None:
        """Add an entry; its voucher must be new and its accounts known."""
        if entry.voucher in self._vouchers:
            raise LedgerError("TB-205", f"voucher {entry.voucher} exists twice")
        for posting in entry.postings:
            if posting.account not in self.accounts:
                raise LedgerError(
                    "TB-206", f"voucher {entry.voucher} posts to unknown account {posting.account}"
                )
        self._vouchers.add(entry.voucher)
        self._entries.append(entry)

    def account(self, number: str) -> Account:
        """The account with this number."""
        try:
            return self.accounts[number]
        except KeyError:
            raise LedgerError("TB-404", f"unknown account {number}") from None

    def entries(self) -> list[Entry]:
        """All entries by day, entries of one day in journal order."""
        return sorted(self._entries, key=lambda entry: entry.day)

    def postings(self, account: str, month: Month) -> Iterator[tuple[Entry, Posting]]:
        """What moved on an account in a month."""
        self.account(account)
        for entry in self.entries():
            if entry.day in month:
                for posting in entry.on(account):
                    yield entry, posting

    def postings_before(self, account: str, day: date) -> Iterator[tuple[Entry, Posting]]:
        """What moved on an account before a day."""
        self.account(account)
        for entry in self.entries():
            if entry.day < day:
                for posting in entry.on(account):
                    yield entry, posting


def dump_entry(entry: Entry) -> str:
    """An entry as a journal line."""
    return json.dumps(
        {
            "type": "entry",
            "voucher": entry.voucher,
            "date": entry.day.isoformat(),
            "payee": entry.payee,
            "postings": [
                [p.account, format_amount(p.amount, grouping=False), p.amount.currency]
                for p in entry.postings
            ],
        },
        ensure_ascii=False,
    )


def append_entries(path: Path, entries: Iterable[Entry]) -> int:
    """Add entries to the end of a journal file. Returns how many were written."""
    lines = [dump_entry(entry) for entry in entries]
    with path.open("a", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)
    return len(lines)
