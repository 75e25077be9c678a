"""Customers, bookings and tables for tests."""

from datetime import date, timedelta

from boxleave.table import Booking, Customer, Table

SNAPSHOT = date(2025, 1, 31)


def customer(number=1, **changes):
    values = {
        "customer_id": f"B{number:05d}",
        "joined": date(2023, 5, 1),
        "zone": "inner",
        "plan": "solo",
        "price_eur": 19.5,
        "pauses": 0,
        "deliveries": 40,
        "skipped": 4,
        "complaints": 0,
        "rating": 4,
        "mail_hash": f"h{number}",
        "left_on": None,
    }
    return Customer(**(values | changes))


def booking(number=1, day=date(2025, 1, 10), **changes):
    values = {
        "customer_id": f"B{number:05d}",
        "booked_on": day,
        "valued_on": day,
        "kind": "K2",
        "amount_eur": 4.0,
    }
    return Booking(**(values | changes))


def table(*customers, bookings=()):
    found = {}
    for item in bookings:
        found[item.customer_id] = (*found.get(item.customer_id, ()), item)
    return Table(customers, found)


def mixed_table(count=60):
    """Every fourth customer leaves; leavers pause more often."""
    return table(
        *(
            customer(
                number,
                pauses=(number * 7) % 3 + (3 if number % 4 == 0 else 0),
                price_eur=15.0 + number % 9,
                skipped=number % 11,
                left_on=SNAPSHOT + timedelta(days=5) if number % 4 == 0 else None,
            )
            for number in range(1, count + 1)
        )
    )
