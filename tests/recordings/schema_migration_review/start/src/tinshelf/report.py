"""What the desks print."""

from __future__ import annotations

from tinshelf.fees import shown
from tinshelf.store import Store


def status(store: Store) -> list[str]:
    """The size of everything."""
    version = store.rows("PRAGMA user_version")[0][0]
    fees = store.rows("SELECT coalesce(sum(fee), 0) FROM loans")[0][0]
    return [
        f"schema {version}",
        f"members {store.count('members')}",
        f"items {store.count('items')}, copies {_copies(store)}",
        f"loans {store.count('loans')}, open {store.count('loans', 'back_on IS NULL')}",
        f"reservations {store.count('reservations')}",
        f"fees {shown(fees)}",
    ]


def _copies(store: Store) -> int:
    return int(store.rows("SELECT coalesce(sum(copies), 0) FROM items")[0][0])


def overdue(store: Store, on: str) -> list[str]:
    """Loans that should be back by now, the oldest first."""
    rows = store.rows(
        "SELECT loans.due_on, members.card, members.name, items.title"
        " FROM loans INDEXED BY ix_loans_due_on"
        " JOIN items ON items.id = loans.item_id"
        " JOIN members ON members.id = loans.member_id"
        " WHERE loans.back_on IS NULL AND loans.due_on < ?"
        " ORDER BY loans.due_on, loans.id",
        on,
    )
    return [f"{row['due_on']}  {row['card']}  {row['name']}  {row['title']}" for row in rows]


def statement(store: Store, card: str, year: int) -> list[str]:
    """Everything that a member has borrowed in a year, also what the library no longer has."""
    rows = store.rows(
        "SELECT loans.out_on, loans.back_on, items.title, loans.fee FROM loans"
        " JOIN items ON items.id = loans.item_id"
        " JOIN members ON members.id = loans.member_id"
        " WHERE members.card = ? AND substr(loans.out_on, 1, 4) = ?"
        " ORDER BY loans.out_on, loans.id",
        card,
        str(year),
    )
    return [
        f"{row['out_on']}  {row['back_on'] or 'at home':10}  {row['title']}  {shown(row['fee'])}"
        for row in rows
    ]
