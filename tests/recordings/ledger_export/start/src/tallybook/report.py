"""Plain text reports for the terminal."""

from __future__ import annotations

from tallybook.balance import TrialRow, difference
from tallybook.config import Config
from tallybook.models import Account
from tallybook.money import Money, format_amount, total
from tallybook.pager import screens
from tallybook.statement import Statement, StatementLine
from tallybook.templating import render

HEADING = """\
{{ title|upper }}
Statement {{ number }} {{ name }}, {{ month }} ({{ currency }})
"""
FOOTER = """\
Debits {{ debits|amount }}   Credits {{ credits|amount }}   Lines {{ count }}
"""


def clip(text: str, width: int) -> str:
    """Shorten to ``width`` characters, the last one an ellipsis."""
    return text if len(text) <= width else text[: width - 1] + "…"


def _row(day: str, voucher: str, text: str, amount: str, balance: str, width: int) -> str:
    room = width - 10 - 1 - 8 - 1 - 12 - 1 - 12 - 1
    line = f"{day:<10} {voucher:<8} {clip(text, room):<{room}} {amount:>12} {balance:>12}"
    return line.rstrip()


def statement_row(line: StatementLine, width: int) -> str:
    """One line of a statement."""
    text = line.payee
    if line.original is not None:
        text = f"{text} ({line.original.currency} {format_amount(line.original)})"
    return _row(
        line.day.isoformat(),
        line.voucher,
        text,
        format_amount(line.amount),
        format_amount(line.balance),
        width,
    )


def render_text(statement: Statement, config: Config) -> str:
    """A statement as text: heading, opening balance, lines, closing balance, footer."""
    width = config.width
    values = {
        "title": config.title,
        "number": statement.account.number,
        "name": statement.account.name,
        "month": statement.month,
        "currency": statement.opening.currency,
        "debits": statement.debits,
        "credits": statement.credits,
        "count": len(statement.lines),
    }
    rows = [_row("", "", "Opening balance", "", format_amount(statement.opening), width)]
    rows += [statement_row(line, width) for line in statement.lines]
    rows += [_row("", "", "Closing balance", "", format_amount(statement.closing), width)]
    body = "\n".join(["-" * width, *rows, "-" * width])
    return f"{render(HEADING, values)}{body}\n{render(FOOTER, values)}"


def render_trial(rows: list[TrialRow], currency: str, config: Config) -> str:
    """The trial balance as text, with a last row for what does not add up."""
    room = config.width - 6 - 14 - 14 - 3
    lines = [f"{'No.':<6} {'Account':<{room}} {'Debit':>14} {'Credit':>14}"]
    for row in rows:
        name = clip(row.account.name, room)
        debit = format_amount(row.debit) if row.debit else ""
        credit = format_amount(row.credit) if row.credit else ""
        lines.append(f"{row.account.number:<6} {name:<{room}} {debit:>14} {credit:>14}".rstrip())
    debits = total((row.debit for row in rows), currency)
    credits = total((row.credit for row in rows), currency)
    lines.append("-" * config.width)
    lines.append(
        f"{'':<6} {'Total':<{room}} {format_amount(debits):>14} {format_amount(credits):>14}"
    )
    rest: Money = difference(rows, currency)
    if rest:
        lines.append(f"Out of balance by {format_amount(rest)} {currency}")
    return "\n".join(lines) + "\n"


def render_accounts(accounts: list[Account]) -> str:
    """The chart of accounts."""
    return "".join(f"{a.number:<6} {a.kind:<10} {a.currency} {a.name}\n" for a in accounts)


def paged(text: str, config: Config) -> str:
    """A report cut into screens for a terminal without scrolling."""
    return "\n".join(screens(text, config.screen_lines)) + "\n"
