"""Rendering, from amounts to whole documents."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from docketry import render
from docketry.invoice import Invoice, Party, Position
from docketry.render import Column, RenderError, render_invoice

SELLER = Party("Heron Hire Yard", "Slip Lane 4", "Eastmere", "XE 40 118 226")
CUSTOMER = Party("Lund & Daughters", "Quay 11", "Norrvik")


def position(text="Dinghy", quantity="1", price=1000, rate=2100, unit="d"):
    return Position(text, Decimal(quantity), unit, price, rate)


@pytest.fixture
def invoice():
    positions = (position(), position("Tide tables", "2", 995, 900, ""))
    return Invoice("H-1", date(2025, 3, 14), 14, SELLER, CUSTOMER, positions)


@pytest.fixture(autouse=True)
def english():
    yield
    render.set_locale("en")


@pytest.mark.parametrize(
    ("cents", "locale", "text"),
    [
        (0, "en", "0.00"),
        (5, "en", "0.05"),
        (123450, "en", "1,234.50"),
        (123450, "nl", "1.234,50"),
        (-100, "da", "-1,00"),
        (123456789, "en", "1,234,567.89"),
    ],
)
def test_amounts(cents, locale, text):
    assert render.format_amount(cents, locale) == text


def test_the_currency_stands_before_the_amount():
    assert render.format_amount(100, "en", "EUR") == "EUR 1.00"


@pytest.mark.parametrize("wrong", [1.5, "100", True, None])
def test_amounts_are_cents(wrong):
    with pytest.raises(RenderError, match="DK-14 not an amount in cents"):
        render.format_amount(wrong)


@pytest.mark.parametrize(
    ("numerator", "denominator", "rounded"), [(5, 10, 1), (4, 10, 0), (15, 10, 2), (30, 10, 3)]
)
def test_rounding(numerator, denominator, rounded):
    assert render.round_half_up(numerator, denominator) == rounded


@pytest.mark.parametrize(
    ("rate", "locale", "text"), [(1900, "en", "19%"), (550, "en", "5.5%"), (550, "da", "5,5%")]
)
def test_rates(rate, locale, text):
    assert render.format_rate(rate, locale) == text


def test_quantities():
    assert render.format_quantity(Decimal("2.500"), "h", "en") == "2.5 h"
    assert render.format_quantity(Decimal("12.25"), "m", "da") == "12,25 m"
    assert render.format_quantity(Decimal("3"), "", "en") == "3"


def test_dates():
    day = date(2025, 3, 4)
    written = [render.format_date(day, locale) for locale in ("en", "nl", "da")]
    assert written == ["4 Mar 2025", "04-03-2025", "4. 3. 2025"]


def test_set_locale_changes_labels():
    render.set_locale("nl")
    assert render.label("total") == "Te betalen"
    assert render.current_locale() == "nl"


def test_set_locale_changes_amounts():
    render.set_locale("da")
    assert render.format_amount(123450) == "1.234,50"


def test_set_locale_changes_documents(invoice):
    render.set_locale("da")
    assert "Faktura H-1" in render_invoice(invoice)


@pytest.mark.parametrize("call", [render.set_locale, lambda name: render.label("net", name)])
def test_unknown_locale(call):
    with pytest.raises(RenderError, match="DK-12 unknown locale 'sv'"):
        call("sv")


def test_wrap():
    assert render.wrap("a bb ccc dddd", 4) == ["a bb", "ccc", "dddd"]
    assert render.wrap("abcdefgh", 4) == ["abc-", "def-", "gh"]


def test_table():
    columns = [Column("text", 8), Column("net", 6, "right")]
    lines = render.table([("long text", "1.00")], columns, "en")
    assert lines == ["Descrip-     Net", "tion", "-" * 16, "long        1.00", "text"]


def test_a_cell_that_does_not_fit():
    columns = [Column("text", 8), Column("net", 6, "right")]
    with pytest.raises(RenderError, match="DK-35 '1000000' does not fit into 6 characters"):
        render.table([("x", "1000000")], columns, "en")


def test_totals(invoice):
    assert render.total_net(invoice) == 2990
    assert [(line.rate, line.net, line.tax) for line in render.tax_lines(invoice)] == [
        (2100, 1000, 210),
        (900, 1990, 179),
    ]
    assert render.amount_due(replace(invoice, prepaid=379)) == 3000


def test_no_positions(invoice):
    with pytest.raises(RenderError, match="DK-21 invoice H-1 has no positions"):
        render_invoice(replace(invoice, positions=()))


def test_too_many_positions(invoice):
    with pytest.raises(RenderError, match="DK-31 251 positions, the limit is 250"):
        render_invoice(replace(invoice, positions=(position(),) * 251))


def test_note_too_long(invoice):
    with pytest.raises(RenderError, match="DK-33 note of 401 characters, at most 400"):
        render_invoice(replace(invoice, note="x" * 401))


def test_pages(invoice):
    text = render_invoice(replace(invoice, positions=(position(),) * 81))
    assert text.count("\f") == 2
    assert "\fPage 3 of 3\nCarried forward" + "800.00".rjust(57) in text


def test_html_escapes(invoice):
    text = render_invoice(replace(invoice, note="<b>"), "html")
    assert "Lund &amp; Daughters" in text
    assert "&lt;b&gt;" in text


def test_csv(invoice):
    rows = render_invoice(invoice, "csv").splitlines()
    assert rows[2] == "H-1;2025-03-14;2;Tide tables;2;;995;900;1990"


def test_a_registered_format(invoice):
    render.register_format("dots", ".dot", lambda invoice, locale, theme: "." * 3)
    try:
        assert list(render.render_many([invoice], "dots")) == [("h-1.dot", "...")]
    finally:
        del render.FORMATS["dots"]


def test_unknown_format(invoice):
    with pytest.raises(RenderError, match="DK-11 unknown format 'pdf', known are csv, html, text"):
        render_invoice(invoice, "pdf")
