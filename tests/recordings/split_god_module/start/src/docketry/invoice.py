"""Invoices as data. Amounts are integers in cents, tax rates integers in basis points."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal


@dataclass(frozen=True)
class Party:
    """Who sells or buys."""

    name: str
    street: str
    town: str
    tax_id: str = ""


@dataclass(frozen=True)
class Position:
    """A line of an invoice; the price is that of one unit."""

    text: str
    quantity: Decimal
    unit: str
    price: int
    rate: int


@dataclass(frozen=True)
class Invoice:
    """An invoice, or a credit note with negative prices."""

    number: str
    issued: date
    terms: int
    seller: Party
    customer: Party
    positions: tuple[Position, ...]
    currency: str = "EUR"
    prepaid: int = 0
    stated_tax: int | None = None
    note: str = ""
    credit: bool = False

    def merged(self, other: Invoice) -> Invoice:
        """This invoice with the positions of another one behind its own."""
        if (self.customer, self.currency) != (other.customer, other.currency):
            raise ValueError(f"{self.number} and {other.number} go to different customers")
        return Invoice(
            number=self.number,
            issued=max(self.issued, other.issued),
            terms=self.terms,
            seller=self.seller,
            customer=self.customer,
            positions=self.positions + other.positions,
            currency=self.currency,
            prepaid=self.prepaid + other.prepaid,
            note=self.note,
            credit=self.credit,
        )
