import pytest

from larder.units import Amount, add, number_text, parse_amount, parse_number, rounded


@pytest.mark.parametrize(
    ("text", "value"), [("3", 3), ("1.5", 1.5), ("1/2", 0.5), ("3/4", 0.75)]
)
def test_numbers(text, value):
    assert parse_number(text) == value


@pytest.mark.parametrize(("value", "text"), [(2.0, "2"), (0.5, "0.5"), (1 / 3, "0.33"), (100, "100")])
def test_number_text(value, text):
    assert number_text(value) == text


def test_add():
    assert add(Amount(1, "kg"), Amount(250, "g")) == Amount(1250, "g")
    assert add(Amount(2, "tbsp"), Amount(1, "tsp")) == Amount(35, "ml")
    assert add(Amount(2), Amount(3)) == Amount(5)
    assert add(Amount(2), Amount(300, "g")) is None


def test_units_need_a_name():
    assert parse_amount("2 cloves") == (Amount(2), "cloves")
    assert parse_amount("2 cloves garlic") == (Amount(2, "cloves"), "garlic")


@pytest.mark.parametrize(
    ("amount", "expected"),
    [
        (Amount(131, "g"), Amount(135, "g")),
        (Amount(1.2, "kg"), Amount(1200, "g")),
        (Amount(131, "ml"), Amount(131, "ml")),
        (Amount(3), Amount(3)),
    ],
)
def test_rounded(amount, expected):
    assert rounded(amount, 5) == expected
