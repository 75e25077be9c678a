import pytest

from tinshelf.fees import late_fee, shown


@pytest.mark.parametrize(
    ("back_on", "fee"),
    [
        ("2025-05-20", "0.00"),
        ("2025-05-23", "0.00"),
        ("2025-05-24", "0.29"),
        ("2025-05-27", "1.16"),
        ("2025-07-01", "11.31"),
        ("2025-12-31", "14.50"),
    ],
)
def test_late_fee(back_on, fee):
    assert shown(late_fee("2025-05-23", back_on)) == fee
