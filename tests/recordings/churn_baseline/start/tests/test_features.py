from datetime import date

import pytest

from boxleave.features import NAMES, Scaler, labels, vector
from builders import SNAPSHOT, customer, table


def feature(name, item, *others):
    return vector(item, table(item, *others), SNAPSHOT)[NAMES.index(name)]


def test_one_value_for_each_name():
    assert len(vector(customer(), table(), SNAPSHOT)) == len(NAMES)


def test_tenure():
    assert feature("tenure_months", customer(joined=date(2024, 1, 31))) == pytest.approx(12.02, abs=0.01)


def test_share_of_skipped_boxes():
    assert feature("skipped_share", customer(deliveries=40, skipped=10)) == 0.25


def test_no_deliveries():
    assert feature("skipped_share", customer(deliveries=0, skipped=0)) == 0.0


@pytest.mark.parametrize(("plan", "expected"), [("solo", (0, 0)), ("duo", (1, 0)), ("family", (0, 1))])
def test_plans(plan, expected):
    item = customer(plan=plan)
    assert (feature("plan_duo", item), feature("plan_family", item)) == expected


@pytest.mark.parametrize(
    ("left_on", "expected"),
    [(None, 0), (date(2025, 2, 1), 1), (date(2025, 3, 17), 1), (date(2025, 3, 18), 0)],
)
def test_labels(left_on, expected):
    assert labels(table(customer(left_on=left_on)), SNAPSHOT, 45) == [expected]


def test_scaler():
    scaled = Scaler.fit([[1.0, 5.0], [3.0, 5.0]]).apply([[1.0, 5.0], [5.0, 6.0]])
    assert scaled == [[-1.0, 0.0], [3.0, 1.0]]
