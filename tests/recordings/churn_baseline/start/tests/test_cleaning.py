from datetime import date

import pytest

from boxleave.cleaning import clean
from builders import SNAPSHOT, customer, table


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("C01", {"customer_id": ""}),
        ("C02", {"joined": date(2025, 2, 1)}),
        ("C03", {"left_on": SNAPSHOT}),
        ("C04", {"price_eur": 0.0}),
        ("C04", {"price_eur": 1950.0}),
    ],
)
def test_rules(code, changes):
    found = clean(table(customer(1), customer(2, **changes)), SNAPSHOT)
    assert (len(found.table.customers), found.dropped) == (1, {code: 1})


def test_the_last_row_of_a_customer_stays():
    found = clean(table(customer(1, pauses=1), customer(2), customer(1, pauses=2)), SNAPSHOT)
    assert [item.pauses for item in found.table.customers] == [0, 2]
    assert found.dropped == {"C05": 1}


def test_the_first_rule_counts():
    found = clean(table(customer(1), customer(2, customer_id="", price_eur=0.0)), SNAPSHOT)
    assert found.dropped == {"C01": 1}
