from decimal import Decimal

import pytest

from tallybook.errors import LedgerError
from tallybook.money import Money, convert, format_amount, parse_amount, split, total

RATES = {"DKK": Decimal("0.1345"), "JPY": Decimal("0.0062")}


@pytest.mark.parametrize(
    ("text", "minor"),
    [("0", 0), ("12", 1200), ("12.3", 1230), ("-1,234.56", -123456), (" 7.05 ", 705)],
)
def test_parse(text, minor):
    assert parse_amount(text, "EUR") == Money(minor, "EUR")


@pytest.mark.parametrize(
    ("text", "code"), [("", "TB-101"), ("1,23.4", "TB-101"), ("1e3", "TB-101"), ("0.001", "TB-102")]
)
def test_parse_refuses(text, code):
    with pytest.raises(LedgerError) as caught:
        parse_amount(text, "EUR")
    assert caught.value.code == code


def test_format():
    assert format_amount(Money(-123456, "EUR")) == "-1,234.56"
    assert format_amount(Money(123456, "EUR"), grouping=False) == "1234.56"
    assert format_amount(Money(1200, "JPY")) == "1,200"


def test_convert_rounds_half_to_even():
    assert convert(Money(1000, "DKK"), "EUR", RATES) == Money(134, "EUR")
    assert convert(Money(3000, "DKK"), "EUR", RATES) == Money(404, "EUR")


def test_convert_is_symmetric():
    for minor in range(0, 9000, 7):
        there = convert(Money(minor, "DKK"), "EUR", RATES)
        assert convert(Money(-minor, "DKK"), "EUR", RATES) == -there


def test_convert_without_rate():
    with pytest.raises(LedgerError, match="no rate for SEK in EUR"):
        convert(Money(1, "SEK"), "EUR", RATES)


def test_split_gives_the_rest_to_the_first():
    assert [share.minor for share in split(Money(1000, "EUR"), 3)] == [334, 333, 333]
    assert total(split(Money(-1001, "EUR"), 4), "EUR") == Money(-1001, "EUR")


def test_currencies_do_not_mix():
    with pytest.raises(ValueError, match="cannot mix EUR and DKK"):
        Money(1, "EUR") + Money(1, "DKK")
