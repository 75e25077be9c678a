"""Rules that drop rows of an export before anything is computed from it.

A rule looks at one customer and says whether the row may stay. The rules run in the
order of their codes, and a row is counted under the first rule that drops it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date

from boxleave.table import Customer, Table

LOWEST_PRICE = 5.0
HIGHEST_PRICE = 120.0


@dataclass(frozen=True)
class Rule:
    """A code and a predicate that is true for rows to drop."""

    code: str
    text: str
    drops: Callable[[Customer, date], bool]


RULES = (
    Rule("C01", "no customer id", lambda customer, _: not customer.customer_id),
    Rule("C02", "joined after the snapshot", lambda customer, day: customer.joined > day),
    Rule(
        "C03",
        "left on or before the snapshot",
        lambda customer, day: customer.left_on is not None and customer.left_on <= day,
    ),
    Rule(
        "C04",
        "price out of range",
        lambda customer, _: not LOWEST_PRICE <= customer.price_eur <= HIGHEST_PRICE,
    ),
)
REPEATED = Rule("C05", "customer id again further down", lambda _customer, _day: False)


@dataclass(frozen=True)
class Cleaned:
    """What is left of a table, and how many rows each rule dropped."""

    table: Table
    dropped: Mapping[str, int]

    @property
    def total(self) -> int:
        """All dropped rows."""
        return sum(self.dropped.values())


def clean(table: Table, snapshot: date) -> Cleaned:
    """Apply all rules to a table."""
    dropped: Counter[str] = Counter()
    kept: dict[str, Customer] = {}
    for customer in table.customers:
        code = _first_rule(customer, snapshot)
        if code is not None:
            dropped[code] += 1
            continue
        if customer.customer_id in kept:
            dropped[REPEATED.code] += 1
            del kept[customer.customer_id]
        kept[customer.customer_id] = customer
    return Cleaned(replace(table, customers=tuple(kept.values())), dict(sorted(dropped.items())))


def _first_rule(customer: Customer, snapshot: date) -> str | None:
    for rule in RULES:
        if rule.drops(customer, snapshot):
            return rule.code
    return None
