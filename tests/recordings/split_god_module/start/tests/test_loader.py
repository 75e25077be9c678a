"""Reading invoices."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from docketry.errors import LoadError
from docketry.loader import load_invoice, parse_invoice

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture
def data():
    return json.loads((EXAMPLES / "heron.json").read_text())


def test_an_example():
    invoice = load_invoice(EXAMPLES / "heron.json")
    assert (invoice.number, invoice.prepaid, len(invoice.positions)) == ("H-2207", 5000, 3)
    assert invoice.positions[1].quantity == Decimal("2.5")
    assert not invoice.credit


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"number": " "}, "DK-04 no number"),
        ({"seller": None}, "DK-04 no seller"),
        ({"terms": "14"}, "DK-05 terms is not an integer: '14'"),
        ({"issued": "14.3.2025"}, "DK-05 issued is not a date"),
        ({"positions": [{"text": "x", "price": 1, "rate": 700}]}, "DK-06 unknown tax rate 700"),
        ({"positions": [{"text": "x", "quantity": "a", "price": 1}]}, "DK-05 quantity"),
        ({"positions": [{"text": "x", "quantity": "0.0001", "price": 1}]}, "DK-07 quantity"),
    ],
)
def test_faults(data, change, problem):
    with pytest.raises(LoadError, match=problem):
        parse_invoice(data | change)


def test_files_that_hold_no_invoice(tmp_path):
    path = tmp_path / "x.json"
    with pytest.raises(LoadError, match="DK-01 x.json: No such file"):
        load_invoice(path)
    path.write_text("{")
    with pytest.raises(LoadError, match="DK-02 x.json: not JSON"):
        load_invoice(path)
    path.write_text("[]")
    with pytest.raises(LoadError, match="DK-03 x.json: not an object"):
        load_invoice(path)
