"""Lending, giving back, paying."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta

from tinshelf.catalogue import item
from tinshelf.errors import RuleError
from tinshelf.fees import LIMIT, late_fee, shown
from tinshelf.members import member
from tinshelf.store import Store

PERIOD = timedelta(days=21)
MOST = 6
"""Loans that a member may have at a time."""


@dataclass(frozen=True)
class Loan:
    """A thing that a member has, or had."""

    id: int
    title: str
    card: str
    out_on: str
    due_on: str
    back_on: str | None
    fee: float


_LOANS = """
SELECT loans.id, items.title, members.card, loans.out_on, loans.due_on, loans.back_on, loans.fee
FROM loans
JOIN items ON items.id = loans.item_id
JOIN members ON members.id = loans.member_id
"""


def lend(store: Store, card: str, title: str, on: str) -> Loan:
    """Lend one of a thing to a member for ``PERIOD``.

    Raises RuleError with L10, L11, L20 (nothing free), L30 (fees to pay) or L31 (too
    many loans).
    """
    borrower = member(store, card)
    thing = item(store, title)
    owed = owes(store, card)
    if owed > LIMIT:
        raise RuleError("L30", f"card {card} owes {shown(owed)}")
    if len(open_loans(store, card)) >= MOST:
        raise RuleError("L31", f"card {card} has {MOST}")
    if thing.free < 1:
        raise RuleError("L20", title)
    due_on = (date.fromisoformat(on) + PERIOD).isoformat()
    with store.change() as connection:
        connection.execute(
            "INSERT INTO loans (item_id, member_id, out_on, due_on) VALUES (?, ?, ?, ?)",
            (thing.id, borrower.id, on, due_on),
        )
    return open_loans(store, card)[-1]


def give_back(store: Store, card: str, title: str, on: str) -> Loan:
    """Take a thing back; a late one costs a fee. Raises RuleError with L10 or L21."""
    member(store, card)
    found = [loan for loan in open_loans(store, card) if loan.title == title]
    if not found:
        raise RuleError("L21", f"{title}, card {card}")
    loan = found[0]
    with store.change() as connection:
        connection.execute(
            "UPDATE loans SET back_on = ?, fee = ? WHERE id = ?",
            (on, late_fee(loan.due_on, on), loan.id),
        )
    return _loans(store, "loans.id = ?", loan.id)[0]


def open_loans(store: Store, card: str) -> list[Loan]:
    """What a member has at home, oldest first."""
    return _loans(store, "members.card = ? AND loans.back_on IS NULL", card)


def owes(store: Store, card: str) -> float:
    """What a member has to pay."""
    return sum(loan.fee for loan in _loans(store, "members.card = ?", card))


def pay(store: Store, card: str) -> float:
    """Take everything that a member has to pay. Returns the amount."""
    amount = owes(store, card)
    with store.change() as connection:
        connection.execute(
            "UPDATE loans SET fee = 0 WHERE member_id = ?", (member(store, card).id,)
        )
    return amount


def _loans(store: Store, where: str, *values: object) -> list[Loan]:
    rows = store.rows(f"{_LOANS} WHERE {where} ORDER BY loans.out_on, loans.id", *values)
    return [Loan(**dict(row)) for row in rows]
