"""Turns an invoice into a document: text, html or csv."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from docketry.errors import DocketryError
from docketry.invoice import Invoice, Party, Position

__all__ = [
    "MAX_NOTE",
    "MAX_POSITIONS",
    "PAGE_ROWS",
    "PAGE_WIDTH",
    "Column",
    "RenderError",
    "TaxLine",
    "amount_due",
    "check_invoice",
    "current_locale",
    "document_name",
    "due_date",
    "format_amount",
    "format_date",
    "format_quantity",
    "format_rate",
    "label",
    "paginate",
    "register_format",
    "render_csv",
    "render_html",
    "render_invoice",
    "render_many",
    "render_text",
    "round_half_up",
    "set_locale",
    "table",
    "tax_lines",
    "total_net",
    "wrap",
]

PAGE_WIDTH = 72
PAGE_ROWS = 40  # positions on a printed page
MAX_POSITIONS = 250
MAX_NOTE = 400
DEFAULT_LOCALE = "en"

LABELS = {
    "en": {
        "invoice": "Invoice",
        "credit_note": "Credit note",
        "number": "Number",
        "issued": "Issued",
        "due": "Payable by",
        "text": "Description",
        "quantity": "Qty",
        "price": "Price",
        "net": "Net",
        "tax": "Tax {rate} on {net}",
        "prepaid": "Already paid",
        "total": "Amount due",
        "page": "Page {page} of {pages}",
        "carried": "Carried forward",
    },
    "nl": {
        "invoice": "Factuur",
        "credit_note": "Creditnota",
        "number": "Nummer",
        "issued": "Datum",
        "due": "Te betalen voor",
        "text": "Omschrijving",
        "quantity": "Aantal",
        "price": "Prijs",
        "net": "Netto",
        "tax": "Btw {rate} over {net}",
        "prepaid": "Reeds betaald",
        "total": "Te betalen",
        "page": "Pagina {page} van {pages}",
        "carried": "Transport",
    },
    "da": {
        "invoice": "Faktura",
        "credit_note": "Kreditnota",
        "number": "Nummer",
        "issued": "Dato",
        "due": "Betales senest",
        "text": "Beskrivelse",
        "quantity": "Antal",
        "price": "Pris",
        "net": "Netto",
        "tax": "Moms {rate} af {net}",
        "prepaid": "Allerede betalt",
        "total": "Til betaling",
        "page": "Side {page} af {pages}",
        "carried": "Overført",
    },
}

# Thousands separator and decimal mark.
MARKS = {"en": (",", "."), "nl": (".", ","), "da": (".", ",")}
DATE_FORMATS = {"en": "{d} {name} {y}", "nl": "{d:02}-{m:02}-{y}", "da": "{d}. {m}. {y}"}
MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()


class RenderError(DocketryError):
    """An invoice that cannot become a document."""


# -- locales ---------------------------------------------------------------

_locale = DEFAULT_LOCALE


def set_locale(name: str) -> None:
    """Choose the locale of everything that names none."""
    global _locale
    if name not in LABELS:
        raise RenderError("DK-12", f"unknown locale {name!r}")
    _locale = name


def current_locale() -> str:
    """The locale of everything that names none."""
    return _locale


def _known(locale: str | None) -> str:
    name = locale or _locale
    if name not in LABELS:
        raise RenderError("DK-12", f"unknown locale {name!r}")
    return name


def label(key: str, locale: str | None = None, **values: object) -> str:
    """A word of the document in a locale."""
    return LABELS[_known(locale)][key].format(**values)


# -- amounts and dates -----------------------------------------------------


def round_half_up(numerator: int, denominator: int) -> int:
    """The quotient, rounded half up, without floats."""
    return (2 * numerator + denominator) // (2 * denominator)


def _grouped(digits: str, mark: str) -> str:
    parts = []
    while len(digits) > 3:
        parts.append(digits[-3:])
        digits = digits[:-3]
    return mark.join([digits, *reversed(parts)])


def format_amount(cents: int, locale: str | None = None, currency: str = "") -> str:
    """Cents as an amount: ``1,234.50``; the currency stands before it."""
    if not isinstance(cents, int) or isinstance(cents, bool):
        raise RenderError("DK-14", f"not an amount in cents: {cents!r}")
    thousands, decimal = MARKS[_known(locale)]
    whole, rest = divmod(abs(cents), 100)
    sign = "-" if cents < 0 else ""
    text = f"{sign}{_grouped(str(whole), thousands)}{decimal}{rest:02}"
    return f"{currency} {text}" if currency else text


def format_quantity(quantity: Decimal, unit: str, locale: str | None = None) -> str:
    """A quantity without trailing zeros, with its unit."""
    decimal = MARKS[_known(locale)][1]
    text = f"{quantity:f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".").replace(".", decimal)
    return f"{text} {unit}" if unit else text


def format_rate(rate: int, locale: str | None = None) -> str:
    """Basis points as a percentage: 1900 is ``19%``, 550 is ``5.5%``."""
    decimal = MARKS[_known(locale)][1]
    whole, rest = divmod(rate, 100)
    if not rest:
        return f"{whole}%"
    fraction = f"{rest:02}".rstrip("0")
    return f"{whole}{decimal}{fraction}%"


def format_date(day: date, locale: str | None = None) -> str:
    """A date as it is written in a locale."""
    pattern = DATE_FORMATS[_known(locale)]
    return pattern.format(d=day.day, m=day.month, y=day.year, name=MONTHS[day.month - 1])


def due_date(invoice: Invoice) -> date:
    """The last day of payment."""
    return invoice.issued + timedelta(days=invoice.terms)


# -- columns and tables ----------------------------------------------------


@dataclass(frozen=True)
class Column:
    """A column of the table of positions."""

    key: str
    width: int
    align: str = "left"


def _pad(text: str, width: int, align: str = "left") -> str:
    if len(text) > width:
        raise RenderError("DK-35", f"{text!r} does not fit into {width} characters")
    if align == "right":
        return text.rjust(width)
    if align == "centre":
        return text.center(width)
    return text.ljust(width)


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most ``width`` characters, broken at blanks; long words are cut."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        while len(word) > width:
            if line:
                lines.append(line)
                line = ""
            lines.append(word[: width - 1] + "-")
            word = word[width - 1 :]
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return [*lines, line] if line else lines


def _rule(width: int, sign: str = "-") -> str:
    return sign * width


def _cells(values: Sequence[str], columns: Sequence[Column]) -> Iterator[str]:
    """The lines of one row; only the first column may take more than one line."""
    first, *others = columns
    lines = wrap(values[0], first.width) or [""]
    rest = [_pad(text, column.width, column.align) for text, column in zip(values[1:], others)]
    yield "  ".join([_pad(lines[0], first.width, first.align), *rest]).rstrip()
    for line in lines[1:]:
        yield _pad(line, first.width, first.align).rstrip()


def table(rows: Iterable[Sequence[str]], columns: Sequence[Column], locale: str) -> list[str]:
    """A table with a head, as lines of text."""
    head = [label(column.key, locale) for column in columns]
    width = sum(column.width for column in columns) + 2 * (len(columns) - 1)
    lines = [*_cells(head, columns), _rule(width)]
    for row in rows:
        lines.extend(_cells(row, columns))
    return lines


# -- totals ----------------------------------------------------------------


@dataclass(frozen=True)
class TaxLine:
    """The tax of one rate: basis points, net and tax in cents."""

    rate: int
    net: int
    tax: int


def position_net(position: Position) -> int:
    """Quantity times price, in cents."""
    numerator = int(position.quantity.scaleb(3)) * position.price
    return round_half_up(numerator, 1000)


def total_net(invoice: Invoice) -> int:
    """The sum of all positions, in cents."""
    return sum(position_net(position) for position in invoice.positions)


def tax_lines(invoice: Invoice) -> list[TaxLine]:
    """One line a rate, the highest first; tax is computed on the sum of the rate."""
    nets: dict[int, int] = {}
    for position in invoice.positions:
        nets[position.rate] = nets.get(position.rate, 0) + position_net(position)
    return [
        TaxLine(rate, net, round_half_up(net * rate, 10_000))
        for rate, net in sorted(nets.items(), reverse=True)
    ]


def amount_due(invoice: Invoice) -> int:
    """Net and taxes, less what has been paid."""
    return total_net(invoice) + sum(line.tax for line in tax_lines(invoice)) - invoice.prepaid


# -- checks ----------------------------------------------------------------


def check_positions(invoice: Invoice) -> None:
    """There is a position, and there are not too many."""
    if not invoice.positions:
        raise RenderError("DK-21", f"invoice {invoice.number} has no positions")
    if len(invoice.positions) > MAX_POSITIONS:
        count = len(invoice.positions)
        raise RenderError("DK-31", f"{count} positions, the limit is {MAX_POSITIONS}")


def check_tax(invoice: Invoice) -> None:
    """What the customer's order states as tax is what we compute."""
    if invoice.stated_tax is None:
        return
    computed = sum(line.tax for line in tax_lines(invoice))
    if computed != invoice.stated_tax:
        stated, ours = format_amount(invoice.stated_tax, "en"), format_amount(computed, "en")
        raise RenderError("DK-27", f"stated tax {stated}, computed {ours}")


def check_note(invoice: Invoice) -> None:
    """The note fits below the totals."""
    if len(invoice.note) > MAX_NOTE:
        raise RenderError("DK-33", f"note of {len(invoice.note)} characters, at most {MAX_NOTE}")


def check_invoice(invoice: Invoice) -> None:
    """Everything that must hold before a document is made."""
    check_positions(invoice)
    check_tax(invoice)
    check_note(invoice)


# -- text ------------------------------------------------------------------


def document_title(invoice: Invoice, locale: str) -> str:
    """What stands at the top."""
    return f"{label('invoice', locale)} {invoice.number}"


def _theme(name: str):
    from docketry.themes import theme_for  # not at the top: themes needs Column

    return theme_for(name)


def _address(party: Party) -> list[str]:
    lines = [party.name, party.street, party.town]
    if party.tax_id:
        lines.append(party.tax_id)
    return lines


def _text_head(invoice: Invoice, locale: str) -> list[str]:
    left, right = _address(invoice.seller), _address(invoice.customer)
    half = PAGE_WIDTH // 2
    lines = [document_title(invoice, locale).center(PAGE_WIDTH).rstrip(), ""]
    for number in range(max(len(left), len(right))):
        mine = left[number] if number < len(left) else ""
        theirs = right[number] if number < len(right) else ""
        lines.append((_pad(mine, half) + theirs).rstrip())
    lines += [
        "",
        f"{label('issued', locale)}: {format_date(invoice.issued, locale)}",
        f"{label('due', locale)}: {format_date(due_date(invoice), locale)}",
        "",
    ]
    return lines


def _position_row(position: Position, locale: str) -> tuple[str, str, str, str]:
    return (
        position.text,
        format_quantity(position.quantity, position.unit, locale),
        format_amount(position.price, locale),
        format_amount(position_net(position), locale),
    )


def _text_totals(invoice: Invoice, locale: str, sign: str) -> list[str]:
    entries = [(label("net", locale), total_net(invoice))]
    for line in tax_lines(invoice):
        rate, net = format_rate(line.rate, locale), format_amount(line.net, locale)
        entries.append((label("tax", locale, rate=rate, net=net), line.tax))
    if invoice.prepaid:
        entries.append((label("prepaid", locale), -invoice.prepaid))
    lines = [_rule(PAGE_WIDTH, sign)]
    for title, cents in entries:
        lines.append(_pad(title, PAGE_WIDTH - 14) + format_amount(cents, locale).rjust(14))
    due = format_amount(amount_due(invoice), locale, invoice.currency)
    lines += [_rule(PAGE_WIDTH, sign), _pad(label("total", locale), PAGE_WIDTH - 20) + due.rjust(20)]
    if invoice.note:
        lines += ["", *wrap(invoice.note, PAGE_WIDTH)]
    return lines


def paginate(positions: Sequence[Position], rows: int = PAGE_ROWS) -> list[Sequence[Position]]:
    """The positions of each page."""
    return [positions[start : start + rows] for start in range(0, len(positions), rows)]


def render_text(invoice: Invoice, locale: str, theme: str = "plain") -> str:
    """The document for the line printer."""
    style = _theme(theme)
    pages = paginate(invoice.positions)
    lines = _text_head(invoice, locale)
    carried = 0
    for number, positions in enumerate(pages, start=1):
        if number > 1:
            lines.append("\f" + label("page", locale, page=number, pages=len(pages)))
            text = label("carried", locale)
            lines += [_pad(text, PAGE_WIDTH - 14) + format_amount(carried, locale).rjust(14), ""]
        rows = [_position_row(position, locale) for position in positions]
        lines += table(rows, style.columns, locale)
        carried += sum(position_net(position) for position in positions)
    lines += _text_totals(invoice, locale, style.rule)
    return "\n".join(lines) + "\n"


# -- html ------------------------------------------------------------------

STYLE = "td.n{text-align:right} table{border-collapse:collapse} tfoot td{border-top:1px solid}"


def _tag(name: str, content: str, css: str = "") -> str:
    attribute = f' class="{css}"' if css else ""
    return f"<{name}{attribute}>{content}</{name}>"


def _html_row(values: Sequence[str], cell: str = "td") -> str:
    first, *others = values
    cells = [_tag(cell, html.escape(first)), *(_tag(cell, html.escape(v), "n") for v in others)]
    return _tag("tr", "".join(cells))


def _html_party(party: Party) -> str:
    return _tag("address", "<br>".join(html.escape(line) for line in _address(party)))


def _html_positions(invoice: Invoice, locale: str) -> list[str]:
    keys = ("text", "quantity", "price", "net")
    head = _html_row([label(key, locale) for key in keys], "th")
    rows = [_html_row(_position_row(position, locale)) for position in invoice.positions]
    return [_tag("thead", head), "<tbody>", *rows, "</tbody>"]


def _html_totals(invoice: Invoice, locale: str) -> list[str]:
    rows = [_html_row([label("net", locale), "", "", format_amount(total_net(invoice), locale)])]
    for line in tax_lines(invoice):
        rate, net = format_rate(line.rate, locale), format_amount(line.net, locale)
        title = label("tax", locale, rate=rate, net=net)
        rows.append(_html_row([title, "", "", format_amount(line.tax, locale)]))
    if invoice.prepaid:
        paid = format_amount(-invoice.prepaid, locale)
        rows.append(_html_row([label("prepaid", locale), "", "", paid]))
    due = format_amount(amount_due(invoice), locale, invoice.currency)
    rows.append(_html_row([label("total", locale), "", "", due]))
    return ["<tfoot>", *rows, "</tfoot>"]


def render_html(invoice: Invoice, locale: str, theme: str = "plain") -> str:
    """The document for the customer's browser; the theme does not matter here."""
    title = html.escape(document_title(invoice, locale))
    issued = f"{label('issued', locale)}: {format_date(invoice.issued, locale)}"
    due = f"{label('due', locale)}: {format_date(due_date(invoice), locale)}"
    lines = [
        "<!doctype html>",
        f'<html lang="{locale}"><head><meta charset="utf-8">',
        f"{_tag('title', title)}{_tag('style', STYLE)}</head><body>",
        _tag("h1", title),
        _html_party(invoice.seller),
        _html_party(invoice.customer),
        _tag("p", f"{html.escape(issued)}<br>{html.escape(due)}"),
        "<table>",
        *_html_positions(invoice, locale),
        *_html_totals(invoice, locale),
        "</table>",
    ]
    if invoice.note:
        lines.append(_tag("p", html.escape(invoice.note), "note"))
    return "\n".join([*lines, "</body></html>"]) + "\n"


# -- csv -------------------------------------------------------------------

CSV_FIELDS = ("number", "issued", "line", "text", "quantity", "unit", "price", "rate", "net")


def _csv_row(values: Iterable[object]) -> str:
    return ";".join(str(value) for value in values)


def render_csv(invoice: Invoice, locale: str, theme: str = "plain") -> str:
    """The document for the tax adviser: one row a position, cents and basis points."""
    rows = [_csv_row(CSV_FIELDS)]
    for number, position in enumerate(invoice.positions, start=1):
        rows.append(
            _csv_row(
                [
                    invoice.number,
                    invoice.issued.isoformat(),
                    number,
                    position.text,
                    f"{position.quantity:f}",
                    position.unit,
                    position.price,
                    position.rate,
                    position_net(position),
                ]
            )
        )
    return "\n".join(rows) + "\n"


# -- formats ---------------------------------------------------------------

Renderer = Callable[[Invoice, str, str], str]
FORMATS: dict[str, tuple[str, Renderer]] = {
    "text": (".txt", render_text),
    "html": (".html", render_html),
    "csv": (".csv", render_csv),
}


def register_format(name: str, suffix: str, renderer: Renderer) -> None:
    """Add a format; a name that exists is replaced."""
    FORMATS[name] = (suffix, renderer)


def _format(name: str) -> tuple[str, Renderer]:
    if name not in FORMATS:
        known = ", ".join(sorted(FORMATS))
        raise RenderError("DK-11", f"unknown format {name!r}, known are {known}")
    return FORMATS[name]


def document_name(invoice: Invoice, fmt: str = "text") -> str:
    """The file name of a document."""
    return f"{invoice.number.lower()}{_format(fmt)[0]}"


def render_invoice(
    invoice: Invoice, fmt: str = "text", *, locale: str | None = None, theme: str = "plain"
) -> str:
    """The document of an invoice. Raises RenderError."""
    renderer = _format(fmt)[1]
    check_invoice(invoice)
    return renderer(invoice, _known(locale), theme)


def render_many(
    invoices: Iterable[Invoice], fmt: str = "text", *, locale: str | None = None
) -> Iterator[tuple[str, str]]:
    """File name and document of each invoice; stops at the first that cannot be made."""
    for invoice in invoices:
        yield document_name(invoice, fmt), render_invoice(invoice, fmt, locale=locale)
