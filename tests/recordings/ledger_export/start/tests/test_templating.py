from datetime import date

import pytest

from tallybook.errors import LedgerError
from tallybook.money import Money
from tallybook.templating import render


def test_values_and_filters():
    values = {"name": "Bank", "sum": Money(123456, "EUR"), "day": date(2025, 3, 1)}
    template = "{{ name|upper }} {{ sum|amount }} {{ day|iso }}"
    assert render(template, values) == "BANK 1,234.56 2025-03-01"


def test_each():
    rows = [{"n": 1}, {"n": 2}]
    assert render("{% each rows %}<{{ .n }}>{% end %}", {"rows": rows}) == "<1><2>"


@pytest.mark.parametrize(
    ("template", "code"),
    [
        ("{{ gone }}", "TB-123"),
        ("{{ name|shout }}", "TB-124"),
        ("{{ name|amount }}", "TB-125"),
        ("{{ .field }}", "TB-126"),
    ],
)
def test_mistakes(template, code):
    with pytest.raises(LedgerError) as caught:
        render(template, {"name": "Bank"})
    assert caught.value.code == code
