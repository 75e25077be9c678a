"""Rating curves."""

from datetime import date, datetime

import pytest

from hourfold.errors import RatingError
from hourfold.ratings import Curve, Ratings

CURVE = Curve((30.0, 90.0, 150.0), (0.0, 1.5, 4.2))
RATINGS = Ratings(
    [
        ("torv-outlet", date(2018, 4, 1), 30.0, 0.0),
        ("torv-outlet", date(2018, 4, 1), 90.0, 1.5),
        ("torv-outlet", date(2024, 3, 1), 30.0, 0.0),
        ("torv-outlet", date(2024, 3, 1), 90.0, 1.44),
    ]
)


@pytest.mark.parametrize(
    ("level", "flow"), [(10.0, 0.0), (30.0, 0.0), (60.0, 0.75), (90.0, 1.5), (150.0, 4.2)]
)
def test_flow(level, flow):
    assert CURVE.flow(level) == pytest.approx(flow)


def test_above_the_curve():
    with pytest.raises(RatingError, match=r"HF-18 level 151.0 cm is above the curve \(150.0 cm\)"):
        CURVE.flow(151.0)


@pytest.mark.parametrize(
    ("moment", "flow"),
    [
        (datetime(2024, 2, 29, 23, 59), 1.5),
        (datetime(2024, 3, 1, 0, 0), 1.44),
        (datetime(2024, 3, 1, 0, 4), 1.44),
    ],
)
def test_a_new_curve_holds_from_its_day_on(moment, flow):
    assert RATINGS.flow("torv-outlet", moment, 90.0) == pytest.approx(flow)


def test_no_curve():
    with pytest.raises(RatingError, match="no curve for kelm-weir"):
        RATINGS.curve("kelm-weir", datetime(2024, 1, 1))


def test_before_the_first_curve():
    with pytest.raises(RatingError, match="no curve for torv-outlet on 2017-01-01"):
        RATINGS.curve("torv-outlet", datetime(2017, 1, 1))
