"""Reads an export of the shop; ``docs/data.md`` describes the columns."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TypeVar

from boxleave.errors import CellError, HeaderError, MissingFileError

CUSTOMER_COLUMNS = (
    "customer_id",
    "joined",
    "zone",
    "plan",
    "price_eur",
    "pauses",
    "deliveries",
    "skipped",
    "complaints",
    "rating",
    "mail_hash",
    "left_on",
)
BOOKING_COLUMNS = ("customer_id", "booked_on", "valued_on", "kind", "amount_eur")
ZONES = ("inner", "outer")
PLANS = ("solo", "duo", "family")

Value = TypeVar("Value")


@dataclass(frozen=True)
class Customer:
    """One row of customers.csv."""

    customer_id: str
    joined: date
    zone: str
    plan: str
    price_eur: float
    pauses: int
    deliveries: int
    skipped: int
    complaints: int
    rating: int
    mail_hash: str
    left_on: date | None = None


@dataclass(frozen=True)
class Booking:
    """One row of bookings.csv."""

    customer_id: str
    booked_on: date
    valued_on: date
    kind: str
    amount_eur: float


@dataclass(frozen=True)
class Table:
    """An export: customers in the order of the file, bookings by customer id."""

    customers: tuple[Customer, ...]
    bookings: Mapping[str, tuple[Booking, ...]] = field(default_factory=dict)

    def bookings_of(self, customer: Customer) -> tuple[Booking, ...]:
        """The bookings of a customer, in the order of the file."""
        return self.bookings.get(customer.customer_id, ())


def read_table(folder: Path) -> Table:
    """Read both files of an export."""
    customers = tuple(_customer(row) for row in _rows(folder / "customers.csv", CUSTOMER_COLUMNS))
    bookings: dict[str, list[Booking]] = defaultdict(list)
    for row in _rows(folder / "bookings.csv", BOOKING_COLUMNS):
        booking = _booking(row)
        bookings[booking.customer_id].append(booking)
    return Table(customers, {id: tuple(found) for id, found in bookings.items()})


@dataclass(frozen=True)
class Row:
    """The cells of one line, and where they stand."""

    cells: Mapping[str, str]
    place: str

    def get(self, column: str, convert: Callable[[str], Value]) -> Value:
        """A converted cell."""
        text = (self.cells[column] or "").strip()
        try:
            return convert(text)
        except ValueError:
            raise CellError(f"{self.place}: cannot read {column} {text!r}") from None


def _rows(path: Path, columns: tuple[str, ...]) -> Iterator[Row]:
    if not path.is_file():
        raise MissingFileError(f"no {path.parent.name}/{path.name}")
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file, delimiter=";")
        if tuple(reader.fieldnames or ()) != columns:
            raise HeaderError(f"{path.name}: unexpected columns {reader.fieldnames}")
        for number, cells in enumerate(reader, start=2):
            yield Row(cells, f"{path.name} line {number}")


def _customer(row: Row) -> Customer:
    return Customer(
        customer_id=row.get("customer_id", str),
        joined=row.get("joined", _date),
        zone=row.get("zone", _one_of(ZONES)),
        plan=row.get("plan", _one_of(PLANS)),
        price_eur=row.get("price_eur", float),
        pauses=row.get("pauses", int),
        deliveries=row.get("deliveries", int),
        skipped=row.get("skipped", int),
        complaints=row.get("complaints", int),
        rating=row.get("rating", _rating),
        mail_hash=row.get("mail_hash", str),
        left_on=row.get("left_on", _date_or_none),
    )


def _booking(row: Row) -> Booking:
    return Booking(
        customer_id=row.get("customer_id", str),
        booked_on=row.get("booked_on", _date),
        valued_on=row.get("valued_on", _date),
        kind=row.get("kind", str),
        amount_eur=row.get("amount_eur", float),
    )


def _date(text: str) -> date:
    return date.fromisoformat(text)


def _date_or_none(text: str) -> date | None:
    return _date(text) if text else None


def _rating(text: str) -> int:
    return int(text or 0)


def _one_of(known: tuple[str, ...]) -> Callable[[str], str]:
    def convert(text: str) -> str:
        if text not in known:
            raise ValueError(text)
        return text

    return convert
