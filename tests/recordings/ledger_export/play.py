"""A feature session: monthly statements of a bookkeeping tool in a second format.

The books of a small chandlery (a journal of JSON lines, standard library only) get
statements with pages and carried balances. The user asks for HTML first and wants
KR2 record files half-way, when the accountants' portal has refused the HTML. On the
way a cent is missing between the lines and the closing balance; it is looked for
in the rounding mode first, where it is not. Between them: the accountants' rule sheet,
the nightly script and its log, the bank's own list with a difference that is taken for a
fee, the handbook of the portal, and wishes that pull against the rules of the first hour.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from questions import ends
from recorder import Play, Recorder, bash, edit_file, read_file, write_file
from repository import Repository

LATER = Path(__file__).parent / "later"
"""What the user adds to the repository during the session."""

ILSE = "Ilse Skov <ilse@skaro.example>"

HISTORY = [
    (
        (
            "Widen the reports to 96 columns",
            "SK-41: the longest payee was cut on the statement of January.",
        ),
        "tallybook.ini",
        "width = 88",
        "width = 96",
    ),
    (
        ("Show 24 lines a screen", "SK-52: the terminal in the office has 25."),
        "tallybook.ini",
        "screen_lines = 20",
        "screen_lines = 24",
    ),
    (
        (
            "Take the rate of the tax office for SEK",
            "SK-57: letter of 2025-01-15, it holds for the whole year. The old one was from the bank.",
        ),
        "data/skaro.jsonl",
        '"0.0891"',
        '"0.0887"',
    ),
]

BANK_TOTALS = """\
python - <<'EOF'
import csv
from decimal import Decimal
from pathlib import Path

rows = list(csv.DictReader(Path("data/bank-2025-03.csv").open(encoding="utf-8"), delimiter=";"))
print("bank:", len(rows), "lines, closing", rows[-1]["balance"])
print("difference to 13650.03:", Decimal(rows[-1]["balance"]) - Decimal("13650.03"))
EOF
python -m tallybook statement 5900 --month 2025-03 | tail -n +4"""

BANK_LINES = """\
python - <<'EOF'
import csv
from decimal import Decimal
from pathlib import Path
from tallybook.models import Month
from tallybook.statement import build_statement
from tallybook.store import LedgerStore

store = LedgerStore.load(Path("data/skaro.jsonl"))
bank = {
    row["reference"]: Decimal(row["amount"])
    for row in csv.DictReader(Path("data/bank-2025-03.csv").open(encoding="utf-8"), delimiter=";")
}
same = 0
for line in build_statement(store, "1200", Month(2025, 3)).lines:
    if line.amount.decimal == bank[line.voucher]:
        same += 1
    else:
        print(f"{line.voucher}: bank {bank[line.voucher]}, books {line.amount.decimal}, {line.payee}")
print(same, "of", len(bank), "lines agree")
EOF"""

FUEL = """\
for m in 01 02 03; do
  python -m tallybook statement 5400 --month 2025-$m | sed -n '4,$p'
done
grep -c 'Fuel dock' data/skaro.jsonl"""

TIES = """\
python - <<'EOF'
from pathlib import Path
import tallybook.money as money
from tallybook.models import Month
from tallybook.statement import build_statement
from tallybook.store import LedgerStore

store = LedgerStore.load(Path("data/skaro.jsonl"))
month = Month(2025, 3)
ties = [
    entry.voucher
    for entry, posting in store.postings("1200", month)
    if posting.amount.currency != "EUR"
    and abs(posting.amount.minor * store.rates[posting.amount.currency]) % 1 * 2 == 1
]
print("ties:", len(ties), ties)
for mode in ("ROUND_HALF_EVEN", "ROUND_HALF_UP", "ROUND_HALF_DOWN"):
    money.ROUNDING = mode
    statement = build_statement(store, "1200", month)
    print(f"{mode:<16} closing {statement.closing.minor}  drift {statement.drift.minor}")
EOF"""

BY_CURRENCY = """\
python - <<'EOF'
from pathlib import Path
from tallybook.models import Month
from tallybook.money import Money, convert
from tallybook.store import LedgerStore

store = LedgerStore.load(Path("data/skaro.jsonl"))
for currency in ("DKK", "SEK", "EUR"):
    moves = [
        posting.amount
        for _, posting in store.postings("1200", Month(2025, 3))
        if posting.amount.currency == currency
    ]
    whole = Money(sum(amount.minor for amount in moves), currency)
    once = convert(whole, "EUR", store.rates).minor
    each = sum(convert(amount, "EUR", store.rates).minor for amount in moves)
    print(f"{currency}: {len(moves)} postings, sum converted once {once}, one by one {each}")
EOF"""

OLD_IN_BASE = '''\
    """Add up per currency, then convert every sum."""
    sums: dict[str, int] = {}
    for _, posting in moves:
        currency = posting.amount.currency
        sums[currency] = sums.get(currency, 0) + posting.amount.minor
    return total(
        (
            convert(Money(minor, currency), store.base_currency, store.rates)
            for currency, minor in sorted(sums.items())
        ),
        store.base_currency,
    )
'''

NEW_IN_BASE = '''\
    """Convert every posting, then add up: the same cents that a statement prints."""
    return total(
        (convert(posting.amount, store.base_currency, store.rates) for _, posting in moves),
        store.base_currency,
    )
'''

OLD_BALANCE_TEST = """\
def test_foreign_postings_are_summed_before_conversion():
    store = small_books()
    for number in range(3):
        post(store, f"B-{number}", "2025-03-05", 1000, "DKK")
    assert closing(store, "1200", MARCH) == Money(404, "EUR")
"""

NEW_BALANCE_TEST = """\
def test_foreign_postings_are_converted_one_by_one():
    store = small_books()
    for number in range(3):
        post(store, f"B-{number}", "2025-03-05", 1000, "DKK")
    assert closing(store, "1200", MARCH) == Money(402, "EUR")
"""

DRIFT_TEST = """\


def test_foreign_lines_add_up_to_the_closing_balance():
    store = small_books()
    for number in range(9):
        post(store, f"B-{number}", "2025-03-05", 1000 + 370 * number, "DKK")
    statement = build_statement(store, "1200", MARCH)
    assert statement.lines[-1].balance == statement.closing
    assert not statement.drift
"""

CHECKER_TESTS = """\
import pytest

from tools.krcheck import faults

GOOD = [
    "KRH|2|1200|2025-03|EUR|Books",
    "KRP|1|1|+100",
    "KRL|1|20250304|B-1|Rope|-30|+70",
    "KRC|1|+70",
    "KRE|1|1|+70|9943",
]


def codes(records):
    data = "".join(f"{record}\\r\\n" for record in records).encode("iso8859-1")
    found = list(faults(data))
    return [fault[:4] for fault in found]


def test_good_file():
    assert codes(GOOD) == []


@pytest.mark.parametrize(
    ("place", "record", "code"),
    [
        (0, "KRH|1|1200|2025-03|EUR|Books", "P-13"),
        (2, "KRL|1|20250304|B-1|Rope|-30", "P-14"),
        (2, "KRL|1|20250304|B-1|" + "x" * 33 + "|-30|+70", "P-22"),
        (2, "KRL|1|20250304||Rope|-30|+70", "P-31"),
        (2, "KRL|1|20250304|B-1|Rope|-30|+71", "P-54"),
        (4, "KRE|1|1|+70|9942", "P-52"),
    ],
)
def test_refusals(place, record, code):
    records = [*GOOD[:place], record, *GOOD[place + 1 :]]
    assert code in codes(records)


def test_unix_line_ends_are_refused():
    assert [fault[:4] for fault in faults(b"KRH|2|1200|2025-03|EUR|Books\\n")] == ["P-12"]


def test_page_of_49_lines():
    lines = [f"KRL|{n}|20250304|B-{n}|Rope|+1|{100 + n:+d}" for n in range(1, 50)]
    assert codes([*GOOD[:2], *lines, "KRC|1|+149", "KRE|49|1|+149|49"]) == ["P-40"]
"""

CHECKER_FIELDS = """\
MODULUS = 9973
FIELDS = {"KRH": 6, "KRP": 4, "KRL": 7, "KRC": 3, "KRE": 5}
"""

CHECKER_FIELD_FAULT = """\
        kind = record[0]
        if len(record) != FIELDS.get(kind):
            yield f"P-14 record {number}: {kind} has {len(record)} fields"
            continue
"""

OVERWRITE_TESTS = """\


def test_kr2_file_is_never_overwritten(journal, tmp_path, capsys):
    target = tmp_path / "march.kr2"
    target.write_bytes(b"uploaded")
    arguments = ["statement", "1200", "--month", "2025-03", "--out", str(target)]
    assert call(journal, *arguments, "--format", "kr2") == 2
    assert capsys.readouterr().err.startswith("error TB-133: ")
    assert target.read_bytes() == b"uploaded"
    assert call(journal, *arguments) == 0
"""

OLD_OUT = """\
    if arguments.out:
        arguments.out.write_bytes"""

NEW_OUT = """\
    if arguments.out:
        if chosen.file_only and arguments.out.exists():
            raise LedgerError(
                "TB-133", f"{arguments.out} exists; a {chosen.name} file is never overwritten"
            )
        arguments.out.write_bytes"""

PAGER_IMPORTS = """\
from collections.abc import Iterator, Sequence
from typing import TypeVar

from tallybook.errors import LedgerError

T = TypeVar("T")
"""

PAGER_IMPORTS_NEW = """\
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from tallybook.errors import LedgerError
from tallybook.money import Money
from tallybook.statement import Statement, StatementLine

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page:
    \"\"\"Some lines of a statement between the balance carried in and the one carried out.\"\"\"

    number: int
    of: int
    carried_in: Money
    lines: tuple[StatementLine, ...]
    carried_out: Money


def paginate(statement: Statement, size: int) -> list[Page]:
    \"\"\"Cut a statement into pages of ``size`` lines; an empty month has one page.\"\"\"
    pieces = [tuple(piece) for piece in chunks(statement.lines, size)] or [()]
    pages: list[Page] = []
    balance = statement.opening
    for number, lines in enumerate(pieces, start=1):
        after = lines[-1].balance if lines else balance
        pages.append(Page(number, len(pieces), balance, lines, after))
        balance = after
    return pages
"""

PAGER_TESTS = """\


def test_pages_carry_the_balance():
    pages = paginate(build_statement(march_books(5), "1200", MARCH), 2)
    assert [(page.number, page.of, len(page.lines)) for page in pages] == [
        (1, 3, 2),
        (2, 3, 2),
        (3, 3, 1),
    ]
    assert [page.carried_in.minor for page in pages] == [10000, 10200, 10400]
    assert pages[-1].carried_out.minor == 10500


def test_empty_month_has_one_page():
    (page,) = paginate(build_statement(march_books(0), "1200", MARCH), 40)
    assert page.lines == ()
    assert page.carried_in == page.carried_out
"""

HTML_EXPORT = '''\
"""Statements as one HTML file with a table per page."""

from __future__ import annotations

from tallybook.config import Config
from tallybook.pager import Page, paginate
from tallybook.statement import Statement
from tallybook.templating import render

HEAD = """\\
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{{ title|html }}: {{ number }}, {{ month }}</title>
<style>
table { width: 100%; border-collapse: collapse; page-break-after: always }
td.n { text-align: right; font-variant-numeric: tabular-nums }
</style>
"""
PAGE = """\\
<table>
<caption>{{ name|html }}, {{ month }}, page {{ page }} of {{ of }}</caption>
<tr><td><td><td>Carried forward<td><td class="n">{{ carried_in|amount }}</tr>
{% each lines %}<tr><td>{{ .day|iso }}<td>{{ .voucher }}<td>{{ .payee }}\\
<td class="n">{{ .amount|amount }}<td class="n">{{ .balance|amount }}</tr>
{% end %}<tr><td><td><td>To carry<td><td class="n">{{ carried_out|amount }}</tr>
</table>
"""


def render_html(statement: Statement, config: Config) -> str:
    """A statement as HTML."""
    values = {
        "title": config.title,
        "number": statement.account.number,
        "name": statement.account.name,
        "month": statement.month,
    }
    pages = paginate(statement, config.lines_per_page)
    return render(HEAD, values) + "".join(_page(page, values) for page in pages) + "</html>\\n"


def _page(page: Page, values: dict[str, object]) -> str:
    return render(
        PAGE,
        values
        | {
            "page": page.number,
            "of": page.of,
            "carried_in": page.carried_in,
            "carried_out": page.carried_out,
            "lines": page.lines,
        },
    )
'''

HTML_TESTS = """\
from datetime import date

from books import MARCH, march_books, small_books

from tallybook.config import Config
from tallybook.html_export import render_html
from tallybook.models import Entry, Posting
from tallybook.money import Money
from tallybook.statement import build_statement


def test_pages_and_carry():
    html = render_html(build_statement(march_books(41), "1200", MARCH), Config())
    assert html.count("<table>") == 2
    assert "page 2 of 2" in html
    assert html.count("140.00") == 3


def test_payees_are_escaped():
    store = small_books()
    postings = (Posting("1200", Money(-100, "EUR")), Posting("5100", Money(100, "EUR")))
    store.add_entry(Entry("B-1", date(2025, 3, 4), "Møller & <Søn>", postings))
    html = render_html(build_statement(store, "1200", MARCH), Config())
    assert "Møller &amp; &lt;Søn&gt;" in html
"""

FORMATS = '''\
"""The formats a statement can be written in, and how each reaches a file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tallybook.config import Config
from tallybook.errors import LedgerError
from tallybook.records import render_kr2
from tallybook.statement import Statement
from tallybook.text_report import render_text


@dataclass(frozen=True, slots=True)
class Format:
    """A renderer and what its output needs. ``file_only`` formats never go to a terminal."""

    name: str
    render: Callable[[Statement, Config], str]
    encoding: str = "utf-8"
    file_only: bool = False

    def encode(self, text: str) -> bytes:
        """The bytes of a file; line ends are those that the renderer wrote."""
        return text.encode(self.encoding)


FORMATS: dict[str, Format] = {
    "text": Format("text", render_text),
    "kr2": Format("kr2", render_kr2, encoding="iso8859-1", file_only=True),
}


def find_format(name: str) -> Format:
    """The format with this name."""
    if name not in FORMATS:
        known = ", ".join(sorted(FORMATS))
        raise LedgerError("TB-131", f"unknown format {name!r} (known: {known})")
    return FORMATS[name]
'''

RECORDS = '''\
"""Statements as KR2 record files, the intake format of the KontorLink portal.

Records end in CR LF, fields are separated by ``|`` and never quoted::

    KRH|2|account|month|currency|title
    KRP|page|pages|carried in
    KRL|line|yyyymmdd|voucher|text|amount|balance
    KRC|page|carried out
    KRE|lines|pages|closing|check number

Amounts are minor units with a sign, without decimal point or padding.
"""

from __future__ import annotations

from collections.abc import Iterator

from tallybook.config import Config
from tallybook.money import Money
from tallybook.pager import paginate
from tallybook.statement import Statement
from tallybook.text_report import clip

TEXT_LIMIT = 32
CHECK_MODULUS = 9973


def render_kr2(statement: Statement, config: Config) -> str:
    """A statement as KR2 records."""
    return "".join(
        "|".join(fields) + "\\r\\n" for fields in _records(statement, config.lines_per_page, config)
    )


def check_number(statement: Statement) -> int:
    """Sum of all line amounts in minor units, modulo 9973."""
    return sum(line.amount.minor for line in statement.lines) % CHECK_MODULUS


def field_text(text: str) -> str:
    """A text as a field: the separator becomes a slash, long texts are cut."""
    return clip(text.replace("|", "/"), TEXT_LIMIT)


def signed(amount: Money) -> str:
    """Minor units with a sign; zero is ``+0``."""
    return f"{amount.minor:+d}"


def _records(statement: Statement, size: int, config: Config) -> Iterator[list[str]]:
    account = statement.account.number
    currency = statement.opening.currency
    yield ["KRH", "2", account, str(statement.month), currency, field_text(config.title)]
    pages = paginate(statement, size)
    for page in pages:
        yield ["KRP", str(page.number), str(page.of), signed(page.carried_in)]
        for line in page.lines:
            yield [
                "KRL",
                str(line.number),
                line.day.strftime("%Y%m%d"),
                line.voucher,
                field_text(line.payee),
                signed(line.amount),
                signed(line.balance),
            ]
        yield ["KRC", str(page.number), signed(page.carried_out)]
    yield [
        "KRE",
        str(len(statement.lines)),
        str(len(pages)),
        signed(statement.closing),
        str(check_number(statement)),
    ]
'''

RECORD_TESTS = """\
from dataclasses import replace
from datetime import date

from books import MARCH, march_books, small_books

from tallybook.config import Config
from tallybook.formats import find_format
from tallybook.models import Entry, Posting
from tallybook.money import Money
from tallybook.records import TEXT_LIMIT, check_number, render_kr2
from tallybook.statement import build_statement

CONFIG = Config(title="Books", lines_per_page=2)


def with_payee(payee):
    store = small_books()
    postings = (Posting("1200", Money(-1250, "EUR")), Posting("5100", Money(1250, "EUR")))
    store.add_entry(Entry("B-1", date(2025, 3, 4), payee, postings))
    return build_statement(store, "1200", MARCH)


def text_field(statement):
    return render_kr2(statement, CONFIG).split("\\r\\n")[2].split("|")[4]


def test_records():
    text = render_kr2(build_statement(march_books(3), "1200", MARCH), CONFIG)
    assert text.endswith("\\r\\n")
    assert text.split("\\r\\n")[:-1] == [
        "KRH|2|1200|2025-03|EUR|Books",
        "KRP|1|2|+10000",
        "KRL|1|20250301|B-1|Payee B-1|+100|+10100",
        "KRL|2|20250302|B-2|Payee B-2|+100|+10200",
        "KRC|1|+10200",
        "KRP|2|2|+10200",
        "KRL|3|20250303|B-3|Payee B-3|+100|+10300",
        "KRC|2|+10300",
        "KRE|3|2|+10300|300",
    ]


def test_separator_in_a_payee():
    assert text_field(with_payee("Harbour office | berth 14")) == "Harbour office / berth 14"


def test_long_payee_is_cut_and_can_be_encoded():
    statement = with_payee("Birkholm Sailing School and Boat Hire ApS")
    assert len(text_field(statement)) == TEXT_LIMIT
    assert find_format("kr2").encode(render_kr2(statement, CONFIG))


def test_check_number_wraps():
    statement = build_statement(march_books(3), "1200", MARCH)
    line = replace(statement.lines[0], amount=Money(9973 + 4, "EUR"))
    assert check_number(replace(statement, lines=(line,))) == 4
"""

CHECKER = '''\
"""Checks a KR2 file against the rules of the KontorLink handbook, with the portal's codes.

Written from the handbook, not from ``tallybook.records``: nothing is imported from
the package, so that one mistake cannot hide in both.
"""

import sys
from pathlib import Path

MAX_RECORDS = 50
MAX_TEXT = 32
MODULUS = 9973


def faults(data):
    if not data.endswith(b"\\r\\n"):
        yield "P-12 the last record does not end in CR LF"
        return
    records = [line.split("|") for line in data.decode("iso8859-1").split("\\r\\n")[:-1]]
    if records[0][0] != "KRH" or records[0][1] != "2":
        yield "P-13 the file does not start with a KRH record of version 2"
    on_page, page, carried, amounts = 0, "", None, []
    for number, record in enumerate(records, start=1):
        kind = record[0]
        if kind == "KRP":
            on_page, page = 0, record[1]
            if carried is not None and int(record[3]) != carried:
                yield f"P-55 record {number}: carried in {record[3]}, carried out was {carried:+d}"
            balance = int(record[3])
        if kind in {"KRP", "KRL", "KRC"}:
            on_page += 1
        if kind == "KRL":
            if not record[3]:
                yield f"P-31 record {number}: no voucher"
            if len(record[4]) > MAX_TEXT:
                yield f"P-22 record {number}: text longer than {MAX_TEXT}"
            amounts.append(int(record[5]))
            balance += amounts[-1]
            if balance != int(record[6]):
                yield f"P-54 record {number}: balance {record[6]}, expected {balance:+d}"
        if kind == "KRC":
            carried = int(record[2])
            if on_page > MAX_RECORDS:
                yield f"P-40 page {page} has {on_page} records, limit is {MAX_RECORDS}"
        if kind == "KRE" and int(record[4]) != sum(amounts) % MODULUS:
            yield f"P-52 check number {record[4]}, expected {sum(amounts) % MODULUS}"


def main(path):
    data = Path(path).read_bytes()
    found = list(faults(data))
    for fault in found:
        print(fault)
    print(f"{path}: {data.count(bytes([10]))} records, {len(found)} faults")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
'''

OLD_FIELD_TEXT = '''\
def field_text(text: str) -> str:
    """A text as a field: the separator becomes a slash, long texts are cut."""
    return clip(text.replace("|", "/"), TEXT_LIMIT)
'''

CUT_FIELD_TEXT = '''\
def field_text(text: str) -> str:
    """A text as a field: the separator becomes a slash, long texts are cut without a mark."""
    return text.replace("|", "/")[:TEXT_LIMIT].rstrip()
'''

CHECKED_FIELD_TEXT = '''\
def field_text(text: str, where: str) -> str:
    """A text as a field: the separator becomes a slash, long texts are cut without a mark.

    A character outside of ISO 8859-1 is an error; nothing is replaced silently.
    """
    field = text.replace("|", "/")[:TEXT_LIMIT].rstrip()
    for character in field:
        if ord(character) > 255:
            raise LedgerError("TB-142", f"{where}: {character!r} cannot be written in ISO 8859-1")
    return field
'''

ENCODING_TESTS = """\


def test_character_outside_of_the_encoding():
    with pytest.raises(LedgerError) as caught:
        render_kr2(with_payee("Łucja Sail Repair"), CONFIG)
    assert str(caught.value) == "TB-142: voucher B-1: 'Ł' cannot be written in ISO 8859-1"


def test_character_that_is_cut_off_does_no_harm():
    assert text_field(with_payee("Sail repair and splicing, by Łucja")) == "Sail repair and splicing, by"
"""

CLI_TESTS = """\


def test_kr2_needs_a_file(journal, tmp_path, capsys):
    arguments = ["statement", "1200", "--month", "2025-03", "--format", "kr2"]
    assert call(journal, *arguments) == 2
    assert capsys.readouterr().err == "error TB-132: the format kr2 needs --out\\n"
    target = tmp_path / "march.kr2"
    assert call(journal, *arguments, "--out", str(target)) == 0
    assert target.read_bytes().endswith(b"KRE|4|1|+10400|400\\r\\n")
"""

OLD_RUN_STATEMENT = """\
    if arguments.format not in FORMATS:
        known = ", ".join(sorted(FORMATS))
        raise LedgerError("TB-131", f"unknown format {arguments.format!r} (known: {known})")
    statement = build_statement(store, arguments.account, Month.parse(arguments.month))
    text = FORMATS[arguments.format](statement, config)
    if arguments.out:
        arguments.out.write_text(text, encoding="utf-8")
        return f"wrote {arguments.out} ({len(statement.lines)} lines)\\n"
"""

NEW_RUN_STATEMENT = """\
    chosen = find_format(arguments.format)
    if chosen.file_only and not arguments.out:
        raise LedgerError("TB-132", f"the format {chosen.name} needs --out")
    statement = build_statement(store, arguments.account, Month.parse(arguments.month))
    text = chosen.render(statement, config)
    if arguments.out:
        arguments.out.write_bytes(chosen.encode(text))
        return f"wrote {arguments.out} ({len(statement.lines)} lines)\\n"
"""

LAYOUT_DOC = """\
| text   | `render_text` | 1.3   |
| kr2    | `render_kr2`  | 1.7   |

A KR2 file always goes to `--out`: it is ISO 8859-1 with CR LF, which a terminal
would spoil. `tools/krcheck.py` reports what the portal would refuse. A page holds
`lines_per_page` lines (section `[export]`), 48 unless told: the portal counts 50
records a page, and KRP and KRC are two of them.
"""

TEST = "python -m pytest -q --tb=short"
KR2 = "python -m tallybook statement 1200 --month 2025-03 --format kr2 --out out/march.kr2"


def past(repo: Repository) -> None:
    """Give the repository a history before the session; ``start`` marks its end."""
    for message, path, old, new in HISTORY:
        repo.change(path, old, new)
        repo.commit(*message, author=ILSE)
    repo.git("tag", "-f", "start")


def survey(session: Recorder) -> None:
    """The request, and a look at everything it touches."""
    session.system(
        "You are a coding agent in a terminal. Work in the repository of the user with the tools "
        "bash, read_file, write_file and edit_file. Read before you write, run the tests after "
        "every change, and say briefly what you found and what you do next."
    )
    session.user(
        "Our accountants (Vibeke's office) want the monthly statements as HTML, they can't do anything "
        "with the terminal report. Today this is what happens:\n\n"
        "    $ python -m tallybook statement 1200 --month 2025-03 --format html\n"
        "    error TB-131: unknown format 'html' (known: text)\n\n"
        "What I need: `--format html`, one table per page, 40 lines per page, the balance carried from "
        "page to page, opening and closing as now. Please put the page size into tallybook.ini so that "
        "I can change it.\n\n"
        "Second thing, probably related: on the March statement of 1200 the last line ends at 13,650.03 "
        "but the closing balance printed below it is 13,650.02. Vibeke will send that straight back, so the cent has "
        "to be found before anything is exported.\n\n"
        "Two rules: standard library only, no new dependency. And do not touch the signature of "
        "build_statement(store, account, month): Ilse's nightly_close.py on the shop server calls it with "
        "three positional arguments. And please commit subjects in the imperative, without ticket numbers."
    )
    session.together(
        [
            bash(
                "git log --format='%h %an: %s%n%w(0,4,4)%b'; git status --short; git ls-files | xargs wc -l"
            ),
            bash(TEST),
        ],
        "I'll start with the layout of the repository, its history and the state of the tests. My plan is: reproduce both "
        "things first, find the cent, then build the pages as data that no format owns, and the HTML last. I'd like to have the cent "
        "out of the way before there are two formats that show it.",
    )
    session.together(
        [
            bash("python -m tallybook statement 1200 --month 2025-03 --format html; echo exit $?"),
            bash("python -m tallybook statement 1200 --month 2025-03"),
        ],
        "A green suite and a clean tree on main. Now both of your reports, as they are.",
    )
    session.read(
        "src/tallybook/cli.py",
        "Both reproduce: the error for the format, and one cent between the last line and the closing "
        "balance. A cent is never only a cent: either something is added up twice in different ways, or something is lost and the cent "
        "is what remains after other things cancelled out. First the way from the command line to the renderer.",
    )
    session.together(
        [
            read_file("src/tallybook/statement.py"),
            read_file("src/tallybook/balance.py"),
        ],
        "FORMATS maps a name to a function of statement and config, so a second renderer has an obvious "
        "place. The statement carries its own closing balance; let me see where that comes from.",
    )
    session.read(
        "src/tallybook/money.py",
        "Two different computations: the running balance adds converted lines, the closing comes from "
        "balance.py. There is even a property `drift` for the gap, which nothing seems to use. Next the module that rounds.",
    )
    session.read("src/tallybook/report.py")
    session.user(
        "fyi while you read: the accountants' rule sheet is in docs/, and I copied Ilse's script and the log of its nights into contrib/. That folder is "
        "hers, don't edit anything there, and the journal in data/ is hers as well, nobody else writes into it. (Our customer number "
        "at Vibeke's is 40817, by the way, they ask for it on the phone each time.)"
    )
    session.together(
        [
            read_file("docs/rule-sheet.md"),
            read_file("contrib/nightly_close.py"),
            read_file("contrib/nightly.log"),
        ],
        "Thanks, that helps. The sheet tells me what they send back, the script what must not break, and the log may say since when.",
    )
    session.say(
        "It does say since when: the gap is not new and not stuck to the end of the month. The nights of March show a drift again and again, it "
        "comes and goes and changes its sign, and it was never large enough for the script to complain; it only writes it into its log, where "
        "nobody looks. So the cent is not one wrong entry, or it would stay once it is there. It looks like two ways of computing that agree "
        "most of the time.\n\n"
        "The log has two more things that are none of my business but may be of Ilse's: one night ended with an error about an unknown account, and "
        "one did not run at all because a disk was full. I also note for myself what the sheet says about corrections, deadlines and "
        "payees; some of that will matter for an export."
    )
    session.user("yes she knows. continue")
    session.together(
        [
            read_file("src/tallybook/templating.py"),
            read_file("src/tallybook/pager.py"),
        ],
        "The text report has its page logic in `screens`, which knows nothing of balances. The HTML can "
        "use the template language of the headings, if that can loop.",
    )
    session.read("src/tallybook/config.py")
    session.bash(
        "cat docs/statements.md; grep -rn 'legacy_csv\\|drift\\|ROUNDING' --include=*.py --include=*.md . | sort"
    )
    session.say(
        "What I know so far, before I touch anything:\n\n"
        "- `FORMATS` in cli.py is the only place that knows formats.\n"
        "- templating.py can loop but has no filter that escapes HTML; `Møller & Søn` needs one.\n"
        "- pager.py cuts text into screens; pages with a carried balance are missing.\n"
        "- `Statement.drift` is looked at by one test with euros only; nothing in src uses it.\n"
        "- legacy_csv.py is imported by nobody, only the README mentions it.\n"
        "- The nightly script is the only one that looks at `drift` in earnest, from outside, and it tolerates small ones.\n\n"
        "I'll find the cent first, then build the pages, then the HTML. What I don't know yet is whether opening and closing of two "
        "neighbouring months agree with each other; the sheet demands it, and if the balances are computed in a different way from the lines, "
        "then that is worth a look too."
    )
    session.user("ok go on")


def find_the_cent(session: Recorder) -> None:
    """The rounding mode is suspected, and is innocent."""
    session.together(
        [
            bash(
                "python -m tallybook check --strict --month 2025-03; echo exit $?; python -m tallybook trial --month 2025-03"
            ),
            bash("sed -n '1,18p' data/skaro.jsonl; tail -n 6 data/skaro.jsonl"),
        ],
        "If balances are computed in a questionable way, the trial balance should suffer as well.",
    )
    session.read(
        "src/tallybook/store.py",
        "It does, the strict check fails as well, so this is not only about statements. That makes it smaller and larger at once: smaller, because there is one place to look for and not "
        "one for each report, and larger, because every figure of the trial balance is suspect until it is found. I look at the journal first and at the arithmetic second; a program that is "
        "blamed for what stands in its data is the most expensive kind of search. Nothing in the head of the file is strange: the accounts are there, the rates are "
        "there, and the entries are in the order of their days. Before I blame any arithmetic I want to be "
        "sure that both sides see the same postings, `postings` for the lines and `postings_before` for the balances.",
    )
    session.bash(
        TIES,
        "Both walk over the same sorted entries, and I looked hardest at the edges: the last day of a month, the first of the next, and two entries of one "
        "day. They do see the same: `entry.day in month` and `entry.day < day` cut at the same place, nothing is lost at the edge of the month. My next suspicion is the "
        "rounding mode: with the rate 0.1345 every odd multiple of 10.00 DKK is an exact tie, and "
        "half-even and half-up differ there. I'll count the ties and try the other modes without changing a file.",
    )
    session.bash(
        BY_CURRENCY,
        "That was a dead end. There are a few ties, but half-up makes the drift worse and not better, and "
        "the closing balance is the same in every mode. The rounding mode is not the cause. What differs is *when* it rounds: "
        "`_in_base` adds per currency and converts the sum once, the lines are converted one by one. Measured per currency:",
    )
    session.user(
        "Half-even has to stay anyway, it is on the rule sheet. What are the options for the cent?"
    )
    session.say(
        "The cent sits in the Swedish kronor: their sum converted once is a little less than the postings converted one by one; part of that comes back through February. "
        "The cause is `_in_base` in balance.py: it converts the sum of a currency once, while `build_statement` converts "
        "every posting. Two ways out:\n\n"
        "1. Convert posting by posting in `_in_base` as well. Closing becomes 13,650.03, and opening and trial balance "
        "follow the same rule. An entry with two postings then always balances, because the conversion is symmetric.\n"
        '2. Keep the closing and add a line "rounding difference" to the statement. The figures of the text report stay, '
        "but March would have 98 lines instead of 97, and the extra line has no voucher.\n\n"
        "I recommend 1. It is the same rule everywhere, and it follows from what is printed: whoever adds up the lines of a statement with a pencil gets the "
        "closing balance, which is what Vibeke's office will do. The price is that a balance now depends on how often something was "
        "posted and not only on how much. For a shop with a hundred lines a month that is a few cents in a year, and they are visible. "
        "It changes a printed figure of the text report, so I want your word for it."
    )
    session.user(
        "Option 1. No invented lines: every line of a statement must have a voucher, that is on the sheet too. "
        "The text report may change by that cent, it was wrong all along. Work on a branch please, "
        "call it kontor-export, and commit the cent on its own."
    )
    session.bash("git checkout -q -b kontor-export && git branch --show-current")
    session.edit("src/tallybook/balance.py", OLD_IN_BASE, NEW_IN_BASE)
    session.bash(TEST, "`_in_base` only adds up what is converted already. Tests:")
    session.bash(
        "grep -n -B1 -A6 'summed_before' tests/test_balance.py",
        "One failure, and it is the test that pins the old rule. Let me look at it before I turn it round.",
    )
    session.together(
        [
            edit_file("tests/test_balance.py", OLD_BALANCE_TEST, NEW_BALANCE_TEST),
            bash(f"cat >> tests/test_statement.py <<'EOF'\n{DRIFT_TEST.rstrip()}\nEOF\n{TEST}"),
        ],
        "The test says what the code did, not what anybody wanted. I rename it, expect three times the converted amount, and add one that "
        "holds lines and closing together.",
    )
    session.together(
        [
            bash(
                "python -m tallybook check --strict --month 2025-03; python -m tallybook statement 1200 --month 2025-03 | tail -n 4"
            ),
            bash(
                "for m in 01 02 03 04; do python -m tallybook check --strict --month 2025-$m; done"
            ),
        ],
        "Green. And on the real books:",
    )
    session.bash(
        "git commit -qam 'Round foreign postings line by line' && git log --oneline | cat && git show --stat --format=%s HEAD",
        "The same figure on both lines, and the strict check is quiet for every month. That is the commit of its own.",
    )
    session.say(
        "The cent is found and repaired, on the branch, in a commit that does nothing else. To sum it up for whoever asks in a year: "
        "lines were rounded one by one and balances all at once, both half to even, both right by themselves, and the two only met on a statement with "
        "enough foreign postings. The test that should have caught it compared euros with euros. There is one now with nine foreign "
        "postings of different size, which holds the two figures together.\n\n"
        "The opening of April now equals the closing of March by construction, because both come from the same sum, and so do all other "
        "months. The trial balance changed by the same rule. Ilse's script will see it on the first night after she takes the new "
        "version: her log should show no drift any more, which is a test that I could not write better myself."
    )
    session.point("p1")


def build_html(session: Recorder) -> None:
    """Pages with a carried balance, and the HTML that will not last."""
    session.user("very nice. continue")
    session.together(
        [
            read_file("tests/books.py"),
            read_file("tests/test_pager.py"),
            read_file("tests/test_config.py"),
        ],
        "On to the pages. What do the tests offer for building statements of a given length?",
    )
    session.edit(
        "src/tallybook/pager.py",
        PAGER_IMPORTS,
        PAGER_IMPORTS_NEW,
        "`march_books(lines)` is made for this. Before I write it, what I decided and what I did not: a page is not a property of a "
        "statement, it is a way to look at one, so `Statement` stays as it is and knows nothing of pages. The balance that is carried in is taken from "
        "the line before and never computed again, because computing it again is how the cent came into the house. A month without lines has one "
        "page all the same, with the opening balance carried in and out; otherwise a statement of an account that rests would have no balance on it anywhere. "
        "What I leave open is where the page size comes from; the function takes a number and the caller decides.\n\n"
        "The pages go into pager.py as `paginate(statement, size)`, separate from any format, so that "
        "a page is data (number, carried in, lines, carried out) and a renderer only prints it.",
    )
    session.bash(
        "sed -i 's/^from tallybook.pager import chunks, screens/from tallybook.pager import chunks, paginate, screens\\nfrom tallybook.statement import build_statement/; s/^import pytest$/import pytest\\nfrom books import MARCH, march_books/' tests/test_pager.py\n"
        f"cat >> tests/test_pager.py <<'EOF'\n{PAGER_TESTS.rstrip()}\nEOF\n{TEST} tests/test_pager.py"
    )
    session.together(
        [
            edit_file(
                "src/tallybook/config.py",
                "    screen_lines: int = 24\n",
                "    screen_lines: int = 24\n    lines_per_page: int = 40\n",
            ),
            edit_file(
                "src/tallybook/config.py",
                '    "report": ("width", "screen_lines"),\n',
                '    "report": ("width", "screen_lines"),\n    "export": ("lines_per_page",),\n',
            ),
            edit_file(
                "src/tallybook/config.py",
                '    "screen_lines": (5, 200),\n',
                '    "screen_lines": (5, 200),\n    "lines_per_page": (1, 500),\n',
            ),
        ],
        "The page size becomes `lines_per_page` in a new section [export], 40 by default.",
    )
    session.together(
        [
            bash(
                "printf '\\n[export]\\nlines_per_page = 40\\n' >> tallybook.ini && tail -n 6 tallybook.ini"
            ),
            edit_file(
                "src/tallybook/templating.py",
                '    "iso": lambda value: value.isoformat(),\n',
                '    "iso": lambda value: value.isoformat(),\n    "html": lambda value: html.escape(str(value)),\n',
            ),
            edit_file(
                "src/tallybook/templating.py",
                "import re\nfrom collections",
                "import html\nimport re\nfrom collections",
            ),
            write_file("src/tallybook/html_export.py", HTML_EXPORT),
        ],
        "The escape is a filter of the template language, `html`. Then the renderer itself.",
    )
    session.write("tests/test_html_export.py", HTML_TESTS)
    session.bash(
        'sed -i \'s/^from tallybook.models import Month/from tallybook.html_export import render_html\\nfrom tallybook.models import Month/; s/^    "text": render_text,/    "text": render_text,\\n    "html": render_html,/; s/help="text")/help="text or html")/\' src/tallybook/cli.py\n'
        f"git diff --stat; {TEST} tests/test_html_export.py tests/test_cli.py"
    )
    session.edit(
        "src/tallybook/html_export.py",
        "<td>{{ .payee }}\\\n",
        "<td>{{ .payee|html }}\\\n",
        "Good that the test exists: I escaped title and account name and forgot the payee, the one text that strangers write.",
    )
    session.bash(
        f"{TEST} && mkdir -p out && python -m tallybook statement 1200 --month 2025-03 --format html --out out/march.html && grep -c '<table>' out/march.html && grep -o 'page . of .\\|To carry.*' out/march.html"
    )
    session.bash(
        "git add -A && git commit -qm 'Add HTML statements with pages of 40 lines' && git show --stat --format=%s HEAD",
        "Green, three pages, and the last carried balance is the closing one. Committed.",
    )
    session.say(
        "`--format html` works: March of 1200 is out/march.html with three pages. The cent is gone on its own commit, "
        "and build_statement is as it was. What I like about the result is that the renderer is almost nothing: a page is computed once, in pager.py, "
        "and knows what it carries in and out; the HTML only puts it into cells. If the accountants want another layout, that is a change of one "
        "template. What I like less is that the template language now has a filter that one has to remember for each text; I forgot "
        "one myself. The test with the ampersand holds the payee, the others are ours."
    )
    session.user(
        "great. before I upload it: Ilse put the bank's own list for March into data/, does our statement agree with it?"
    )
    bank_list(session)
    fuel(session)
    session.point("p2")


def bank_list(session: Recorder) -> None:
    """A difference that looks like a fee, and is two digits that changed places."""
    session.bash(
        "cat data/bank-2025-03.csv",
        "A good question to ask before anybody else does. The list first:",
    )
    session.bash(
        BANK_TOTALS,
        "The same number of lines, but it does not end where we end. How much is it, and what do we have on the account of the bank fees?",
    )
    session.say(
        "The bank has less than we have, by an amount that looks very much like one of its fees. We book such fees on 5900, and the ones of March are in the same "
        "range. So: one bank fee of March was charged and never booked. The statement would be wrong by that fee, and Ilse should add it with a voucher. "
        "That is nothing the export can mend, but Vibeke's office would find it."
    )
    session.user(
        "hm no. fees are complete, Ilse books them on the day, and you say yourself it is the same number of lines. Go line by line"
    )
    session.bash(
        BANK_LINES,
        "Right, a missing fee would be a missing line, and none is missing. I had the answer in front of me and jumped. Line by line, by voucher:",
    )
    session.say(
        "I was wrong: it isn't a fee, and no entry is missing. One single line differs, and in it two digits have changed places. Somebody typed the "
        "invoice of the harbour office with the wrong order of digits. There are two more lines of the same payee on the same day, which made "
        "it easy to overlook. All others agree to the cent, the foreign ones included, which also says that our conversion is the bank's.\n\n"
        "I also see how it could stay hidden for two months: nobody compares single lines, the closing balance is looked at only when it is round, and the strict check "
        "of our own books cannot find it, since a wrong amount on both sides of an entry balances as well as a right one. Only a list from outside shows it. "
        "If you want, I make that comparison a command one day; it was twenty lines.\n\n"
        "What to do with it is a question of the sheet: a wrong entry stays, and the correction is an entry of its own on the day of the "
        "correction. I don't write into the journal. If Ilse corrects it in April, then March stays as it is and the April statement "
        "has one line more."
    )
    session.user("exactly. I told her, she'll book it in April. don't touch data/. next")


def fuel(session: Recorder) -> None:
    """A question that has nothing to do with the feature."""
    session.say(
        "Then the upload is yours. While you try it I would look at the tests of the pages once more, whether an amount that is exactly at the end of a "
        "page is carried once and not twice; the test has an odd number of lines and a page size of two, which covers the short last page but not the full one."
    )
    session.user(
        "later. quick one for Ilse, she's on the phone: what did we spend on fuel until the end of March, and is it one supplier? nothing to build, just look"
    )
    session.bash(FUEL, "The account of the fuel, month by month:")
    session.say(
        "All of it falls into the last of the three months, it is one supplier, the dock in Marstal, and the closing balance is what she wants; nothing was "
        "bought in winter. April goes on with the same dock, but that is not what she asked. The trial balance shows the same, by the way, because the whole account is in euros and the cent never lived there. If she needs it as "
        "a list, `statement 5400` with the month is all there is; it works for accounts of any kind, not only for the bank."
    )
    session.user("thx. and the strict check, would it have told us about those two digits?")
    session.say(
        "No. The strict check adds up debit and credit over all accounts. An entry has the same amount on both sides, so a wrong amount is wrong twice and the sum is still right. It finds "
        "what our program does wrong, such as the cent, and it finds what somebody wrote into the file by hand so that an entry does not add up. It cannot find what somebody "
        "read wrongly from an invoice. For that one needs a second source, the bank or the supplier.\n\n"
        "The comparison of today was with the bank account only. What was paid in cash or is still owed has no such list here, and the cash is counted by people, as the sheet says."
    )
    session.user("thought so. thx")
    session.bash(
        "python -m pytest -v --tb=short tests/test_pager.py tests/test_html_export.py tests/test_config.py tests/test_templating.py tests/test_cli.py tests/test_statement.py",
        "Back to the pages, by name, to see what the tests hold:",
    )
    session.say(
        "As I thought, the last full page is not among them. I don't want to leave that to luck, but I wait for your upload before I go on: if the "
        "portal wants something about the pages to be different, the test changes with it."
    )


def change_of_mind(session: Recorder) -> None:
    """The portal takes record files only."""
    session.user(
        "Sorry, stop with HTML. I uploaded out/march.html to the KontorLink portal of Vibeke's office as a trial and it came back with\n\n"
        "    P-17 media type text/html not accepted\n\n"
        "They never look at statements by eye, the portal reads them. What it wants is KR2 record files. From the handbook:\n\n"
        "    KRH|2|account|month|currency|title\n"
        "    KRP|page|pages|carried in\n"
        "    KRL|line|yyyymmdd|voucher|text|amount|balance\n"
        "    KRC|page|carried out\n"
        "    KRE|lines|pages|closing|check number\n\n"
        "Records end in CR LF, ISO 8859-1, fields are separated by | and never quoted. Amounts in minor units, always with a sign, no decimal "
        "point, no padding. Text has at most 32 characters. Check number: sum of all KRL amounts in minor units modulo 9973. "
        "Refusals: P-22 text too long, P-31 line without voucher, P-40 too many records on a page, P-52 wrong check number, P-55 carried balance differs.\n\n"
        "The handbook says 50 a page, so set lines_per_page to 50. Throw the HTML out again completely, filter included, I don't want "
        "to maintain two. And while you are at it: delete legacy_csv.py, the 2023 spreadsheet is closed. And rename report.py "
        "to text_report.py, with git mv, because everything in there is the text report."
    )
    session.together(
        [
            read_file("src/tallybook/legacy_csv.py"),
            bash("git log --oneline | cat; git diff --stat main HEAD | cat"),
        ],
        "Understood, KR2 record files instead of HTML. It is a pity about the templates and no pity about the pages: those are what KRP and KRC want, "
        "carried balances and all. My order would be: first take out what has to go, in a commit of its own, so that it can be read as a removal; "
        "then the rename, also alone; then the records; and last something that checks a file without believing the code that wrote it. "
        "Before anything is deleted, a look at what legacy_csv.py does and at what the branch has changed so far.",
    )
    session.together(
        [
            bash(
                "git rm -q src/tallybook/html_export.py tests/test_html_export.py src/tallybook/legacy_csv.py && git checkout -q main -- src/tallybook/templating.py src/tallybook/cli.py && git status --short"
            ),
            bash(
                "grep -rn 'html\\|legacy' --include=*.py --include=*.md --include=*.ini src tests docs README.md tallybook.ini"
            ),
        ],
        "legacy_csv.py writes amounts as floats without conversion, nothing in it is worth keeping for KR2. What stays of the work is `paginate`, `lines_per_page` and the cent. templating.py and cli.py "
        "had no other changes, so I take both back to the state of main.",
    )
    session.bash(
        "sed -i '/^For the spreadsheet of 2023/,+1d' README.md && git diff README.md && "
        f"{TEST} && git add -A && git commit -qm 'Drop the HTML export and legacy_csv' && git show --stat --format=%s HEAD",
        "Only the README still mentions legacy_csv. I take that out and commit the removal before the rename.",
    )
    session.user("can one get the html back if they change their mind again?")
    session.bash(
        "git log --format='%h %s' -3 && git show --format='%h %s' HEAD~1 -- src/tallybook/html_export.py src/tallybook/templating.py tests/test_html_export.py src/tallybook/cli.py",
        "Yes, it is one commit, and what it did to the four files is all there is. As long as the branch isn't squashed it can be taken out again by its hash:",
    )
    session.say(
        "I would rather not put the hash into the documentation; a page that speaks of a format that nobody can use only makes people ask for it. If they really change "
        "their mind, the renderer fits on the pages as they are, because it only used `paginate` and the template language. The filter would have to come "
        "back with it. Now the rename."
    )
    session.bash(
        "git mv src/tallybook/report.py src/tallybook/text_report.py && grep -rlF 'tallybook.report' src tests docs README.md",
        "Green again. Now the rename; who imports the old name?",
    )
    session.bash(
        f"sed -i 's/tallybook\\.report/tallybook.text_report/' src/tallybook/cli.py tests/test_report.py && {TEST} && git add -A && git commit -qm 'Rename report to text_report' && git show --stat -M --format=%s HEAD"
    )
    session.user(
        "Before you write the records: couldn't you just use the csv module with | as delimiter? That would be three lines."
    )
    session.say(
        "I'd rather not. csv.writer quotes every field that holds the delimiter, and we have such payees (`Harbour office | berth 14`); the "
        "handbook says fields are never quoted, so the portal would read the quotation marks as text. With QUOTE_NONE it would raise "
        "or put an escape character instead. Joining the fields ourselves is one line, and the separator in a text becomes a slash. So: no csv module, a plain join in a new module records.py."
    )
    session.user("convinced, go on")
    session.together(
        [
            write_file("src/tallybook/records.py", RECORDS),
            write_file("src/tallybook/formats.py", FORMATS),
        ],
        "Then this is the plan for the two modules. records.py turns a statement into text and knows the layout, the sign, the check number and how a text "
        "becomes a field, and nothing about files. formats.py knows how a text becomes bytes and where they may go. The command line knows neither, it "
        "asks for a format by its name. I keep CR LF in the renderer and not in the writer: it belongs to the records, and a writer that changes line "
        "ends on some systems is the classical way to spoil such a file.\n\n"
        "A format now needs more than a function: an encoding, and whether it may go to a terminal. That is worth a small "
        "dataclass `Format` in formats.py; cli.py only looks formats up.",
    )
    session.together(
        [
            edit_file(
                "src/tallybook/cli.py",
                'FORMATS: dict[str, Callable[[Statement, Config], str]] = {\n    "text": render_text,\n}\n\n\n',
                "\n",
            ),
            edit_file("src/tallybook/cli.py", OLD_RUN_STATEMENT, NEW_RUN_STATEMENT),
            bash(
                'sed -i \'s/^from collections.abc import Callable, Sequence/from collections.abc import Sequence/; s/^from tallybook.models import Month/from tallybook.formats import find_format\\nfrom tallybook.models import Month/; s/render_accounts, render_text, render_trial/render_accounts, render_trial/; s/^from tallybook.statement import Statement, build_statement/from tallybook.statement import build_statement/; s/help="text")/help="text or kr2")/\' src/tallybook/cli.py && git diff --stat'
            ),
            bash(
                "sed -i 's/lines_per_page: int = 40/lines_per_page: int = 50/' src/tallybook/config.py && sed -i 's/lines_per_page = 40/lines_per_page = 50/' tallybook.ini && grep -n lines_per_page src/tallybook/*.py tallybook.ini"
            ),
        ],
        "cli.py loses its table of formats. A record file must not go to stdout, the terminal would re-encode it, so `kr2` without --out becomes an error of its own, TB-132.",
    )
    session.write("tests/test_records.py", RECORD_TESTS)
    session.read("src/tallybook/cli.py", lines=(1, 66))
    session.bash(TEST)
    session.edit(
        "src/tallybook/records.py",
        OLD_FIELD_TEXT,
        CUT_FIELD_TEXT,
        "A real one: I cut long payees with `clip` from the text report, and its ellipsis does not exist in ISO 8859-1. "
        "Records are cut hard instead, without a mark.",
    )
    session.bash(
        f"sed -i '/^from tallybook.text_report import clip$/d' src/tallybook/records.py && {TEST}"
    )
    session.bash(
        f"{KR2} && iconv -f iso8859-1 -t utf-8 out/march.kr2 | tr -d '\\r'",
        "Green. The real March, all of it, because I want to have read it once before a machine does:",
    )
    session.write(
        "tools/krcheck.py",
        CHECKER,
        "It reads well: pages carry, signs are there, the separator in the harbour office's name is gone. But I wrote both the code and the eyes that look at it. "
        "Before you upload again I want something that can say no. I'll write the handbook's rules down as a checker that shares no code "
        "with records.py, otherwise one misunderstanding would pass both.",
    )
    session.write(
        "tests/test_krcheck.py",
        CHECKER_TESTS,
        "A checker that is wrong would be worse than none, so it gets tests of its own: one good file, and one broken record for each refusal.",
    )
    session.bash(f"{TEST} tests/test_krcheck.py")
    session.edit("tools/krcheck.py", "MODULUS = 9973\n", CHECKER_FIELDS)
    session.edit(
        "tools/krcheck.py",
        "        kind = record[0]\n",
        CHECKER_FIELD_FAULT,
        "A record with a missing field crashes it with an IndexError. It should say so instead: P-14 and the number of fields, and go on with the next record.",
    )
    session.user(
        "why a second program at all? krcheck could import records.py, build the file again and compare, that would be ten lines"
    )
    session.say(
        "It would be ten lines, and it would always agree. The mistakes that I am afraid of are not slips of the pen, those the tests find; they are sentences of the handbook that I "
        "understood wrongly, and a program that shares my code shares my understanding. The checker is written from the other side: it reads bytes, "
        "splits them as a stranger would, adds up what it sees and compares that with what the file claims. It doesn't know what a statement is.\n\n"
        "It is still the same person who read the same page, so it cannot catch everything. What it can catch is a contradiction within the file, a limit, a "
        "missing field, a wrong order. And it speaks in the portal's own codes, so that a refusal of theirs and a complaint of ours can be compared without "
        "a dictionary. When they refuse something that it lets through, it gets one rule and one test more; that is all the care it needs. I'd keep it out of the "
        "package: it is a tool for us and not a part of what the shop server runs."
    )
    session.user("ok makes sense")
    session.bash(f"{TEST} && python tools/krcheck.py out/march.kr2")
    session.say(
        "The checker refuses the file: P-40, page 1 has 52 records, limit is 50. The handbook's 50 counts *records*, and KRP and KRC belong to the page. "
        "So a page may hold 48 lines, not 50. Unless you read it differently, I set lines_per_page to 48 in config.py and tallybook.ini and lower the upper limit "
        "of the setting from 500 to 48, so that nobody can configure a file that the portal refuses."
    )
    session.point("p3")


def finish(session: Recorder) -> None:
    """Corrections of the user, the encoding, the documentation and what stays open."""
    session.repo.put(
        "docs/kontorlink-kr2.md", (LATER / "kontorlink-kr2.md").read_text(encoding="utf-8")
    )
    session.repo.git("add", "docs/kontorlink-kr2.md")
    session.repo.git("commit", "-q", f"--author={ILSE}", "-m", "Keep the handbook of the portal")
    session.user(
        "48 is right, I asked the helpdesk. They also told me that I misread my print-out: 32 characters of text is KR1, KR2 has 28. Please fix that too. "
        "And they sent the whole handbook, Ilse committed it as docs/kontorlink-kr2.md, so we can stop guessing from my print-out."
    )
    session.read(
        "docs/kontorlink-kr2.md",
        "Good, then I read it from top to bottom and compare it with what I have built on your summary of it.",
    )
    session.say(
        "Compared: the layout, the codes and the page are as we have them, the text limit is the one of the helpdesk. New to me are the rule for the name of a "
        "file, a limit for the voucher, the size of a file, the number of files in one upload and the hours. Ours are far below all of the sizes. The title "
        "may be longer than I make it, which does no harm.\n\n"
        "The name of the file needs the customer number, and it is given at the upload. I would not build it into `--out`: whoever exports chooses the name, "
        "and a file that is not meant for the portal may be called as it likes. But the one that goes up has to be called by the pattern. "
        "On encoding the handbook is worse than silent: it says that they don't look at the bytes, so a wrong one would stand on "
        "the page of the auditor. And about a negative sum it says nothing at all; its example is positive.\n\n"
        "So two things now: page size and text limit."
    )
    session.user("do it. name at the upload is fine")
    session.bash(
        "sed -i 's/lines_per_page: int = 50/lines_per_page: int = 48/; s/\"lines_per_page\": (1, 500)/\"lines_per_page\": (1, 48)/' src/tallybook/config.py && sed -i 's/lines_per_page = 50/lines_per_page = 48/' tallybook.ini && "
        "sed -i 's/^MAX_TEXT = 32/MAX_TEXT = 28/' tools/krcheck.py && grep -rn '48' src/tallybook/config.py tallybook.ini && python tools/krcheck.py out/march.kr2",
        "First the page size, and the text limit in the checker only: it should complain about the old file now. That way I see the checker fail for "
        "the right reason before I mend what it complains about.",
    )
    session.bash(
        f"sed -i 's/^TEXT_LIMIT = 32/TEXT_LIMIT = 28/' src/tallybook/records.py && {KR2} && python tools/krcheck.py out/march.kr2; grep -c '^KRP' out/march.kr2; grep '^KR[PCE]' out/march.kr2 | tr -d '\\r'",
        "It complains about every long payee (P-22) and about P-40, as it should. Now the exporter follows.",
    )
    session.bash(
        TEST,
        "No faults any more, and the pages are as full as they may be. Do the tests agree?",
    )
    session.edit(
        "tests/test_records.py",
        "    assert len(text_field(statement)) == TEXT_LIMIT\n",
        '    assert text_field(statement) == "Birkholm Sailing School and"\n    assert len(text_field(statement)) <= TEXT_LIMIT\n',
        "One does not: the cut ends in a blank, which `rstrip` removes, so the text is one shorter than the limit. The code is right and my test was too "
        "narrow; it names the expected text now.",
    )
    session.user("What about names that ISO 8859-1 doesn't have? We have a sailmaker called Łucja.")
    session.together(
        [
            bash(TEST),
            bash(
                "python -m tallybook statement 1200 --month 2025-04 --format kr2 --out out/april.kr2 2>&1 | tail -n 1"
            ),
        ],
        "The tests are green again. And the sailmaker; she is in April.",
    )
    session.say(
        'April dies with a bare UnicodeEncodeError, which no user should see. I considered `errors="replace"`, which would write a question mark: '
        "rejected, a silently altered payee name is worse than no file, and you would find out at the audit. "
        "I'll raise TB-142 and name the voucher and the character; the spelling is then a decision for a person."
    )
    session.user(
        "There's a package for that, Unidecode, it makes Lucja of her. pip install that and be done? one line"
    )
    session.say(
        "It would be one line, and it would break two things. The first is your own rule from the beginning: standard library only. The second is the rule "
        "sheet, which wants the payee as on the invoice and accepts no replaced letters above a certain amount; a program that replaces letters "
        "doesn't know which payees are above it, and nobody would notice. If it were only about the package, the standard library could strip the "
        "accents as well, but it cannot strip the stroke of an Ł, which is a letter and not an accent.\n\n"
        "So I stay with the error. It stops one file with a sentence that says which voucher and which character, and Ilse decides once how her name is "
        "written. How many such payees do we have? In the whole journal it is this one."
    )
    session.user("ok ok, rule is a rule. go on with the error")
    session.together(
        [
            edit_file("src/tallybook/records.py", CUT_FIELD_TEXT, CHECKED_FIELD_TEXT),
            bash(
                "sed -i 's/field_text(config.title)\\]/field_text(config.title, \"title\")]/; s/field_text(line.payee),/field_text(line.payee, f\"voucher {line.voucher}\"),/; s/^from tallybook.money import Money/from tallybook.errors import LedgerError\\nfrom tallybook.money import Money/' src/tallybook/records.py && grep -n 'field_text\\|import' src/tallybook/records.py"
            ),
            bash(
                "sed -i 's/^from books import MARCH/import pytest\\nfrom books import MARCH/; s/^from tallybook.formats/from tallybook.errors import LedgerError\\nfrom tallybook.formats/' tests/test_records.py\n"
                f"cat >> tests/test_records.py <<'EOF'\n{ENCODING_TESTS.rstrip()}\nEOF\n"
                f"cat >> tests/test_cli.py <<'EOF'\n{CLI_TESTS.rstrip()}\nEOF\n{TEST}"
            ),
        ]
    )
    session.bash(
        "python -m tallybook statement 1200 --month 2025-04 --format kr2 --out out/april.kr2; echo exit $?; ls out",
        "Green. April again:",
    )
    session.bash(
        "git add -A && git commit -qm 'Add KR2 record export' && git show --stat --format=%s HEAD",
        "Exit 2, voucher C-0603 named, and no half-written april.kr2. Committed.",
    )
    session.say(
        "So the sailmaker stops April until somebody decides how she is written, and March is not touched by it. The message says everything that Ilse needs to find "
        "the entry; I tried to imagine her reading it at the till, and a code point would not have helped her, so it shows the letter itself. The test also covers the "
        "case that the letter is behind the cut: then nothing is refused, because nothing is lost that would have been printed."
    )
    session.user(
        "Good. Leave the journal alone, how to spell C-0603 is for Ilse to decide. Something else: the check number. The handbook's only example has positive amounts, "
        "our March sum is negative. What do we write there?"
    )
    session.bash(
        "python - <<'EOF'\nimport math\ntotal = 840231 - 857599\nprint('sum', total)\nprint('python %', total % 9973)\nprint('truncating', int(math.fmod(total, 9973)))\nEOF",
        "The two conventions differ exactly there. In figures:",
    )
    session.say(
        "The sum of March is negative, and Python's modulo gives the positive remainder, which is what stands in our KRE record; a portal written in C or Java would expect the "
        "negative one. Both the exporter and krcheck.py use Python's meaning, so the checker cannot settle it. I leave ours and mark the place, only the helpdesk can answer this.\n\n"
        "I don't want to guess here. Both are the usual thing in their own world, and the portal's side was written by people whom we don't know. If it is wrong, the file is "
        "refused with the code for check numbers, which is harmless; but if they check it only for some months, it is refused one day when nobody remembers "
        "this talk. A month with a positive sum is the same in both worlds, so a trial with such a month proves nothing. When you ask them, "
        "ask for an example with a negative sum and not for the rule; the rule they will quote from the handbook."
    )
    session.user(
        "I opened ticket KL-2291 for it. Until they answer, nothing gets uploaded. That reminds me: a file that was uploaded is evidence. "
        "A kr2 export must not overwrite an existing file, the text report may."
    )
    session.read(
        "src/tallybook/cli.py",
        "That belongs beside the check for TB-132. I could add a `--force` for the case that somebody really wants a new file; do you want one? I build it without for now.",
        lines=(46, 64),
    )
    session.edit("src/tallybook/cli.py", OLD_OUT, NEW_OUT)
    session.bash(
        f"cat >> tests/test_cli.py <<'EOF'\n{OVERWRITE_TESTS.rstrip()}\nEOF\n{TEST} && {KR2}"
    )
    session.user(
        "No --force. Whoever wants a second file deletes the first one by hand, then at least he has thought about it. I know the handbook says a second file "
        "replaces the first one at their end; that's their side, ours stays."
    )
    session.together(
        [
            bash(
                "git commit -qam 'Never overwrite a record file' && git show --stat --format=%s HEAD"
            ),
            read_file("src/tallybook/records.py"),
        ],
        "Then it stays at TB-133 without a flag. Committed; and I read records.py once more from top to bottom before it is documented.",
    )
    session.bash(
        "python -m pytest -v --tb=short | tail -n +6",
        "And the whole suite by name, since much was renamed, deleted and added since I last looked at the list:",
    )
    session.user(
        "ok. can you write me a short mail to Vibeke's office? what they get, what not yet, what we need from them. friendly, no jargon, I translate it"
    )
    session.say(
        "Dear Vibeke, dear all,\n\n"
        "you asked for our monthly statements in a form that your portal reads. We have built that, following the handbook that your helpdesk was so kind to "
        "send us. Each account and month becomes one file. Before a file leaves our house a small program of its own checks it against "
        "the rules of the handbook, and only a file without any complaint will be sent.\n\n"
        "You have not received one yet, and there is a reason. The last record of a file carries a check number, and the handbook explains it with "
        "an example in which more money came in than went out. In the month of March it was the other way round here. There are two usual ways to compute the number "
        "in that case, and they do not give the same result. We have asked your helpdesk which one you use and would rather wait for their answer than send something "
        "that comes back.\n\n"
        "Two smaller things. The statement of March will differ from our earlier printed one by a cent in the closing balance; the "
        "printed one was wrong and the lines were right. And one payment to the harbour office was typed with two digits the wrong way round; as your sheet asks, it "
        "will be corrected by an entry of its own in April, and March stays as it is.\n\n"
        "One question at the end: one of our suppliers has a letter in her name that your character set does not know. How should we write her?\n\n"
        "With kind regards"
    )
    session.user("lovely, sent (without the last question, Ilse decides that)")
    session.read(
        "CHANGELOG.md",
        "Good. Then the documentation; first how the changelog is kept, because a file is deleted and a printed figure changes, and both belong there one day.",
    )
    session.say(
        "It is kept by version and date, so nothing goes in before there is a version. I leave it alone; when you give it a number, the entries are: a new format, "
        "a cent that changes, an old export that is gone, two new errors for files and one for letters, a new section in the settings. What the "
        "list does not have is the renamed module, because nobody outside imports it."
    )
    session.user(
        "What happens with an account that has no movement? The till had none in March. And when that is clear write the docs, with the limit of the page. "
        "And no version bump yet: 1.7.0 comes only after Ilse has run nightly_close.py against the branch on Monday."
    )
    session.bash(
        "for a in 1200 1300 1500; do python -m tallybook statement $a --month 2025-03 --format kr2 --out out/$a-2025-03.kr2 && python tools/krcheck.py out/$a-2025-03.kr2; done; cat out/1300-2025-03.kr2 out/1500-2025-03.kr2 | iconv -f iso8859-1 -t utf-8 | tr -d '\\r'",
        "An empty month has one page without lines, so the till should give four records: KRH, KRP, KRC, KRE. All three asset accounts through the checker:",
    )
    session.say(
        "An account without movement gives a file that is short and complete: head, one page that carries in what it carries out, and the end with no line. The checker has no "
        "objection, and the handbook has none either; it never says that a page needs a line. Whether the accountants want a file for a till that rests is another "
        "question, but it is easier for them to ignore one than for us to explain why it is missing. So an empty month is exported like any other.\n\n"
        "The debtors have a negative balance, by the way, which looks odd for such an account. It is not ours to judge, somebody may have paid in advance, "
        "but Vibeke will ask. Now the documentation: the layout of a file stays in the handbook and the docstring, where it can be compared with the code; the "
        "page for users says what one has to know to make one, why it always goes to a file, and where the limit of the page comes from."
    )
    session.user("go ahead")
    session.together(
        [
            edit_file(
                "src/tallybook/records.py",
                '    """Sum of all line amounts in minor units, modulo 9973."""\n',
                '    """Sum of all line amounts in minor units, modulo 9973.\n\n    Never negative. Whether the portal agrees for a negative sum is asked in KL-2291.\n    """\n',
            ),
            edit_file("docs/statements.md", "| text   | `render_text` | 1.3   |\n", LAYOUT_DOC),
            edit_file(
                "docs/statements.md",
                "half to even. The text",
                "half to even, posting by posting, for lines and balances alike.\n  The text",
            ),
            edit_file(
                "README.md",
                "    python -m tallybook check --strict\n",
                "    python -m tallybook statement 1200 --month 2025-03 --format kr2 --out out/march.kr2\n    python -m tallybook check --strict\n",
            ),
        ]
    )
    session.bash("sed -n '1,32p' docs/statements.md && git diff --stat")
    session.bash(
        f"{TEST} && git commit -qam 'Document KR2 and the page limit' && git log --oneline | cat",
        "Reads well, and the page limit is explained where the format is introduced. Tests and commit:",
    )
    session.say(
        "Documented and committed. Where we are, in the order in which things happened: the cent, on its own; pages as data; the HTML, in and out again; the old export gone and the "
        "text report under its new name; records, formats and the checker; the page size and the text limit as the helpdesk has them; letters that the encoding does not "
        "have are refused by name; no file is ever overwritten; the documentation. Each of these is one commit that can be read alone, and "
        "none of them touches what Ilse's script imports.\n\n"
        "What waits for others: the answer about the check number, the spelling of one name, the correction in April. What waits for you: the version, and the branch."
    )
    session.user(
        "Vibeke called, she sometimes needs half months, 1st to 15th. Could you give build_statement a fourth parameter, the last day? "
        "With a default nobody would notice"
    )
    session.say(
        "Ilse's script would go on, that is true, because it passes three positional arguments and a default fills the fourth. But you asked that the signature stays, and I think "
        "you were right: what comes after it is not only one parameter. A statement of half a month needs an opening that is not the closing of a month, "
        "the sheet says that the year is closed month by month, the KRH record has a month and no day, and `Month` is what "
        "everything downstream believes in. A parameter that only some callers understand would be a door to statements that nobody can upload.\n\n"
        "If she needs it often, I would write a second function beside it that builds on the same parts, for the text report only, and leave "
        "this one alone. If she needs it twice a year, Ilse can cut the text by hand. I'd ask her which of the two it is before "
        "anybody writes a line."
    )
    session.user("hm right. forget it, I tell her no")
    session.say("Then the signature stays as it is. What is next?")
    session.user(
        "One more wish, not for now. I want `--all-assets` for the May closing: one KR2 file per asset account. Just keep it on the list. "
        "Check once more that nothing of ours breaks Ilse's script."
    )
    session.together(
        [
            bash(
                "git diff main --stat -- src/tallybook/statement.py src/tallybook/store.py src/tallybook/money.py; python -m pytest -q tests/test_statement.py"
            ),
            bash(
                "git diff main -- src/tallybook/statement.py | wc -l; python - <<'EOF'\nfrom pathlib import Path\nfrom tallybook.models import Month\nfrom tallybook.statement import build_statement\nfrom tallybook.store import LedgerStore\n\nstore = LedgerStore.load(Path('data/skaro.jsonl'))\nfor number in ('1200', '1300', '1500'):\n    statement = build_statement(store, number, Month(2025, 3))\n    print(number, len(statement.lines), statement.closing.minor, statement.drift.minor)\nEOF"
            ),
        ],
        "The way nightly_close.py calls it, with its arguments by position, for every asset account that it knows:",
    )
    session.say(
        "Untouched, and no drift on any of the three. `--all-assets` is on the list. What would be in it, so that nobody has to think twice in May: the asset accounts from the chart, "
        "not from a list in the code; one file for each, named by the pattern of the handbook, and few enough for one upload; nothing written at all if "
        "one of them fails, because half of a set is worse than none; and the till must not be left out only because nothing moved."
    )
    session.user(
        "yes like that. Anything I should know before Ilse tries it on Monday? read your own diff once more pls"
    )
    session.bash(
        "git diff main -- src tools tests/test_records.py",
        "The whole difference to main that is not documentation, once more from the top:",
    )
    session.say(
        "Before the list, how I read it: piece by piece, and for each one with the question what a stranger would have to know to change it. The sum of the balances is shorter than before and "
        "says why in one line. The pages know what a statement is now, which the cutting of screens beside them does not; I asked myself whether they should live elsewhere, but both are about "
        "cutting things into pieces, and that is what the place is called after. The settings have one more section and its limit. The command line lost more than it got. The two new modules "
        "I have nothing to add to. The checker is the longest new piece, and the one that I would like somebody else to read, for the same reason for which "
        "it exists.\n\n"
        "I found no fault in it, but four things that she should hear from us and not from a file.\n\n"
        "First, a KR2 export writes nothing unless it can write everything: the text is made before the file is opened, so an error leaves no half of a "
        "file behind. Second, the refusal to overwrite comes after the statement has been built, so on a broken journal she sees that error first. "
        "Third, the upper limit of the page is in the settings now; an old tallybook.ini with a larger number stops the program with a "
        "sentence about the range, the text report too, because settings are read before anything else. On the shop server that "
        "file has no such section yet, so nothing happens there. Fourth, the checker decodes with the portal's encoding and therefore "
        "never complains about a character; that is left to the exporter.\n\n"
        "Two smaller ones for a quiet day: `paginate` computes pages for formats that have none, which costs nothing, and the title in the "
        "first record is cut like a payee although it may be longer. I would not touch either before the release.\n\n"
        "Everything is committed, nothing is pushed. The other open points stand as you named them. If Monday brings a surprise, I would like to see the line of the "
        "log and the journal of that night; the copies that her script keeps are old enough for that."
    )
    session.point("p4")


def commit_of(session: Recorder, subject: str) -> str:
    """The short hash of the commit with that subject."""
    return session.repo.git("log", "-1", "--format=%h", f"--grep=^{subject}").strip()


def file_fact(session: Recorder, path: str, change: str) -> dict[str, Any]:
    """What happened to a file, proved by the calls that did it."""
    proof = {
        "created": lambda: session.holding(f"created {path}"),
        "modified": lambda: session.holding(f"edited {path}"),
        "read": lambda: session.doing("read_file", path),
        "deleted": lambda: session.doing("bash", "git rm -q src/tallybook/html_export.py"),
    }[change]
    return session.fact(
        f"{path} was {change}", type="path", change=change, keys=[path], said_in=ends(proof())
    )


def ask_about_the_cent(session: Recorder) -> None:
    """The cause, the dead end and the nights before, asked while the HTML is still the plan."""
    session.repo.check_changed(
        "start",
        added=[
            "src/tallybook/html_export.py",
            "tests/test_html_export.py",
        ],
    )
    assert "src/tallybook/balance.py" in session.repo.changed("start", "M")
    fact, trap = session.fact, session.trap
    cent = commit_of(session, "Round foreign postings")
    session.probe(
        "cent-found",
        "decision",
        "What was the cause of the cent, which error did the strict check give, how many postings had the currency where it sat, which of "
        "the two ways was taken in which commit, and what does the test that pinned the old rule expect now?",
        [
            fact(
                "_in_base converted the sum of a currency once",
                type="reason",
                keys=[
                    "_in_base|balances|balance|closing",
                    "sum|sums|total|totals|aggregate",
                    "once|at once|in one go|as a whole|as one amount",
                ],
                said_in=session.saying("it converts the sum of a currency once"),
            ),
            fact(
                "TB-208: the books were out of balance by 1 minor unit",
                type="error",
                keys=[
                    "TB-208",
                    "1 minor|out of balance|off by one|unbalanced|off by a cent|imbalance",
                ],
            ),
            fact(
                "11 postings were in SEK",
                type="value",
                keys=["SEK|Swedish|kronor|krona", "11 postings|11"],
                said_in=session.holding("SEK: 11 postings"),
            ),
            fact(
                "balances are converted posting by posting",
                type="decision",
                keys=[
                    "convert|converts|round|rounds|conversion",
                    "posting by posting|every posting|each posting|per posting",
                    "_in_base|balance|balances|closing|line by line|option 1",
                ],
                said_in=[
                    *session.saying("Convert posting by posting in `_in_base`"),
                    *ends(session.holding("Round foreign postings line by line"), 1),
                ],
            ),
            fact(
                f"commit {cent} is the cent",
                type="identifier",
                keys=[cent, "cent|Round|rounding|posting|foreign|line by line|_in_base|fix"],
            ),
            fact(
                "the test expects 402 minor units",
                type="value",
                keys=["Money|expects|expect|test|minor|assertion|asserts|pinned", "402"],
                said_in=session.doing("edit_file", "Money(402"),
            ),
        ],
        [
            trap(
                "33 postings were in SEK",
                of="11 postings were in SEK",
                keys=["SEK|Swedish|kronor|krona", "33 postings|53 postings"],
            ),
            trap(
                "a line for the rounding difference was added",
                of="balances are converted posting by posting",
                keys=["rounding difference", "line", "was added|is added|got|gets|shows|inserted"],
            ),
            trap(
                "the test expects 404 minor units",
                of="the test expects 402 minor units",
                keys=["Money|expects|expect|test|minor|asserts", "404"],
            ),
        ],
        point="p2",
    )
    session.probe(
        "rounding-suspected",
        "recall",
        "The first suspicion: how many ties were there, which drift gave half-up, which closing balance came out whatever was "
        "tried, what speaks the module that rounds free, and which file is it?",
        [
            fact(
                "there were 6 ties",
                type="value",
                keys=["ties|tie|half-cent cases|exact halves", "6|6 ties"],
            ),
            fact(
                "half-up gave a drift of -3",
                type="value",
                keys=["half-up|ROUND_HALF_UP", "drift -3|-3"],
            ),
            fact(
                "the closing balance was 1365002 in every mode",
                type="value",
                keys=["closing|closing balance", "1365002|13,650.02"],
            ),
            fact(
                "the rounding mode is not the cause",
                type="reason",
                keys=[
                    "rounding mode|mode|rounding",
                    "not the cause|innocent|dead end|not cause|cleared|not to blame|wrong trail|no cause|not responsible|red herring",
                ],
            ),
            file_fact(session, "src/tallybook/money.py", "read"),
        ],
        [
            trap(
                "half-up gave a drift of 1",
                of="half-up gave a drift of -3",
                keys=["half-up|ROUND_HALF_UP", "drift 1|drift -1"],
            ),
            trap(
                "the rounding mode is the cause",
                of="the rounding mode is not the cause",
                keys=[
                    "rounding mode|half-even",
                    "is the cause|was the cause|caused|to blame|at fault|responsible|culprit",
                ],
            ),
        ],
        point="p2",
    )
    session.probe(
        "nightly-run",
        "recall",
        "Ilse's script: for how many days does it keep copies, which drift does it tolerate, whom does it mail, which error ended the "
        "night of the 11th, and which file holds the script?",
        [
            fact(
                "copies are kept for 35 days",
                type="value",
                keys=["KEEP_DAYS|copies|copy|backup|backups|retention", "35 days|35"],
            ),
            fact(
                "a drift of 2 minor units is tolerated",
                type="value",
                keys=[
                    "DRIFT_LIMIT|drift limit|tolerates|tolerated|tolerance|allowed drift",
                    "2 minor|2 units|2 cents|2|two cents",
                ],
            ),
            fact(
                "mails go to ilse@skaro.example",
                type="identifier",
                keys=[
                    "ilse@skaro.example",
                    "mail|mails|MAIL_TO|sent|notifies|notification|e-mail|email",
                ],
            ),
            fact(
                "TB-206: a voucher posts to the unknown account 5410",
                type="error",
                keys=["unknown account|B-0418|TB-206|no such account", "5410"],
            ),
            file_fact(session, "contrib/nightly_close.py", "read"),
        ],
        [
            trap(
                "a drift of 1 minor unit is tolerated",
                of="a drift of 2 minor units is tolerated",
                keys=["DRIFT_LIMIT|drift limit|tolerates|tolerated|tolerance", "1|3"],
            ),
            trap(
                "TB-206: a voucher posts to the unknown account 5400",
                of="TB-206: a voucher posts to the unknown account 5410",
                keys=["unknown account|TB-206|no such account", "5400|5900"],
            ),
            trap(
                "copies are kept for 30 days",
                of="copies are kept for 35 days",
                keys=["KEEP_DAYS|copies|backups|backup", "30 days|14 days|7 days"],
            ),
        ],
        answer={"max_words": 90},
        point="p2",
    )


def ask_after_the_turn(session: Recorder) -> None:
    """Asked at p3: why records and no HTML, and what the checker said."""
    fact, trap = session.fact, session.trap
    html = commit_of(session, "Add HTML statements")
    session.probe(
        "no-more-html",
        "decision",
        "What did the portal say to the trial, why does it want records, in which commit can the dropped format be found, which old export was deleted "
        "with it, in which state is the template module, and why is the csv module not used?",
        [
            fact(
                "P-17: media type text/html is not accepted",
                type="error",
                keys=[
                    "P-17",
                    "media type|text/html|not accepted|HTML refused|HTML rejected|rejects HTML|refused the HTML",
                ],
                said_in=session.saying("P-17 media type"),
            ),
            fact(
                "the portal reads the statements, nobody looks at them",
                type="reason",
                keys=[
                    "portal|machine|software|KontorLink",
                    "reads|read by|parses|machine-read|ingests|imports them",
                ],
                said_in=session.saying("the portal reads them"),
            ),
            fact(
                f"commit {html} holds the HTML",
                type="identifier",
                keys=[html, "HTML|statements with pages|html_export.py|dropped format|old format"],
            ),
            fact(
                "src/tallybook/legacy_csv.py was deleted",
                type="path",
                change="deleted",
                keys=["src/tallybook/legacy_csv.py"],
                said_in=session.doing("bash", "git rm -q src/tallybook/html_export.py"),
            ),
            fact(
                "templating.py is as on main",
                type="state",
                keys=[
                    "templating.py|template|template module",
                    "state of main|as on main|restored|reverted|taken back|back to main|unchanged from main|take both back|identical to main|same as main|main version|rolled back",
                ],
                said_in=session.saying("I take both back to the state of main"),
            ),
            fact(
                "csv quotes fields that hold the delimiter",
                type="reason",
                keys=[
                    "csv|csv.writer|csv module",
                    "quotes|quotation marks|quote|quoting|quoted",
                    "delimiter|separator|pipe|bar",
                ],
                said_in=session.saying("csv.writer quotes every field"),
            ),
        ],
        [
            trap(
                "templating.py has a filter for HTML",
                of="templating.py is as on main",
                keys=["templating.py|template language|template module", "filter", "html"],
            ),
            trap(
                "P-22: media type text/html is not accepted",
                of="P-17: media type text/html is not accepted",
                keys=["P-22|P-12", "media type|text/html"],
            ),
        ],
        point="p3",
    )


def ask_recall(session: Recorder) -> None:
    """Figures, codes and limits."""
    fact, trap = session.fact, session.trap
    session.probe(
        "changed-twice",
        "recall",
        "What is lines_per_page set to in the end, which records count on a page besides the lines, how long "
        "may a text be, and what did the checker print about the last file of March?",
        [
            fact(
                "lines_per_page is 48",
                type="value",
                keys=["lines_per_page|lines per page|page size|page|page limit", "48"],
                said_in=session.holding("lines_per_page = 48"),
            ),
            fact(
                "KRP and KRC count on a page",
                type="reason",
                keys=["KRP", "KRC", "page|count|counted|included|50 records"],
                said_in=session.saying("KRP and KRC belong to the page"),
            ),
            fact(
                "KR2 has 28 characters of text",
                type="value",
                keys=["text|TEXT_LIMIT|characters|KR2|text limit|text field", "28"],
                said_in=session.saying("KR2 has 28"),
            ),
            fact(
                "the last file has 105 records and 0 faults",
                type="command",
                keys=[
                    "105 records|105",
                    "0 faults|no faults|records|without faults|clean|fault-free|no errors",
                ],
                said_in=ends(session.holding("105 records, 0 faults")),
            ),
        ],
        [
            trap(
                "lines_per_page is 40",
                of="lines_per_page is 48",
                keys=["lines_per_page|lines per page|page size|page limit", "40"],
            ),
            trap(
                "lines_per_page is 50",
                of="lines_per_page is 48",
                keys=["lines_per_page|lines per page|page size|page limit", "50"],
            ),
            trap(
                "KR2 has 32 characters of text",
                of="KR2 has 28 characters of text",
                keys=["text|TEXT_LIMIT|characters|KR2|text limit", "32"],
            ),
        ],
    )
    session.probe(
        "corrected-mistake",
        "recall",
        "The bank's list of March: which voucher differs, what amount has the bank and what have the books, why, how many lines agree, and what happens with it?",
        [
            fact(
                "the digits of one amount changed places",
                type="reason",
                keys=[
                    "digits|digit",
                    "changed places|wrong order|wrong way round|transposed|swapped|switched|transposition|reversed|mixed up|interchanged",
                ],
                said_in=session.saying("in it two digits have changed places"),
            ),
            fact(
                "B-0437 differs from the bank",
                type="identifier",
                keys=[
                    "B-0437",
                    "bank|differs|deviates|mismatch|disagrees|wrong|typo|transposed|does not match",
                ],
            ),
            fact(
                "the bank has 176.05",
                type="value",
                keys=["bank|bank's list|bank statement", "176.05|-176.05"],
                said_in=session.holding("B-0437: bank"),
            ),
            fact(
                "96 of 97 lines agree",
                type="command",
                keys=[
                    "96 of 97|96 lines|96 of the 97",
                    "lines|agree|match|agreed|matched|correct|identical",
                ],
                said_in=session.holding("96 of 97 lines agree"),
            ),
            fact(
                "Ilse books a correction in April",
                type="next_step",
                keys=["Ilse|correction|corrected|book|corrects", "April"],
                said_in=session.saying("she'll book it in April", "the correction in April"),
            ),
        ],
        [
            trap(
                "a bank fee was never booked",
                of="the digits of one amount changed places",
                keys=[
                    "fee|bank charge|charge",
                    "never booked|not booked|missing|was not entered|unbooked|forgotten|omitted",
                ],
            ),
            trap(
                "B-0436 differs from the bank",
                of="B-0437 differs from the bank",
                keys=["B-0436|B-0435|B-0418", "bank|differs|wrong|transposed|typo"],
            ),
            trap(
                "the bank has 170.65",
                of="the bank has 176.05",
                keys=[
                    "the bank has|bank shows|bank says|bank lists|bank paid|bank statement",
                    "170.65|-170.65",
                ],
            ),
        ],
    )
    session.probe(
        "first-check",
        "recall",
        "What did the checker say about the file of March the first time: how many records had the file, how many faults, which code on which count? "
        "Where is it, which code is for a wrong number of fields, and why does it import nothing of ours?",
        [
            fact(
                "the file had 103 records and 1 fault",
                type="command",
                keys=["103 records|103", "records|fault|faults|first check|first file|P-40|error"],
                said_in=session.holding("103 records, 1 faults"),
            ),
            fact(
                "P-40: page 1 has 52 records",
                type="error",
                keys=["page 1|first page|P-40", "52 records"],
                said_in=ends(session.holding("page 1 has 52 records"), 1),
            ),
            file_fact(session, "tools/krcheck.py", "created"),
            fact(
                "P-14 is a wrong number of fields",
                type="identifier",
                keys=["P-14", "fields|field|field count|number of fields"],
            ),
            fact(
                "a program that shares the code shares the misunderstanding",
                type="reason",
                keys=[
                    "shares|shared|same|one",
                    "understanding|misunderstanding|mistake|misreading|blind spot",
                ],
                said_in=session.saying("a program that shares my code shares my understanding"),
            ),
        ],
        [
            trap(
                "P-40: page 1 has 50 records",
                of="P-40: page 1 has 52 records",
                keys=["page 1|first page", "has 50 records|has 51 records|holds 50 records"],
            ),
            trap(
                "P-31 is a wrong number of fields",
                of="P-14 is a wrong number of fields",
                keys=["P-31|P-13|P-22", "number of fields|fields|field count"],
            ),
            trap(
                "the file had 105 records and 1 fault",
                of="the file had 103 records and 1 fault",
                keys=["105 records", "1 fault|one fault|P-40"],
            ),
        ],
    )
    session.probe(
        "passing-remark",
        "recall",
        "The file that goes up has to be named by the handbook. Which customer number are we, which code is for a wrong name, at which hours does the "
        "portal take files, how many in one upload, and where can one try without harm?",
        [
            fact(
                "our customer number is 40817",
                type="identifier",
                keys=[
                    "customer number|customer|client number|customer no|customer id|our number",
                    "40817",
                ],
            ),
            fact(
                "P-18 is for a wrong file name",
                type="error",
                keys=["P-18", "name|file name|filename|naming|misnamed"],
            ),
            fact(
                "uploads on working days from 06:00 to 21:30",
                type="constraint",
                keys=["06:00|6:00|6 am", "21:30|9:30 pm"],
            ),
            fact(
                "at most 12 files in one upload",
                type="value",
                keys=["files|upload|per upload", "12 files|12"],
                said_in=session.holding("At most 12 files"),
            ),
            fact(
                "trials go to intake-test.kontorlink.example",
                type="identifier",
                keys=[
                    "intake-test.kontorlink.example",
                    "trial|trials|test|tests|try|harmless|emptied|sandbox|rehearsal|upload|trying",
                ],
            ),
        ],
        [
            trap(
                "our customer number is 10001",
                of="our customer number is 40817",
                keys=["customer number|customer|our number|client number", "10001"],
            ),
            trap(
                "uploads from 08:00 to 16:00",
                of="uploads on working days from 06:00 to 21:30",
                keys=["upload|uploads|portal|hours", "08:00|8:00|8 am", "16:00|4 pm"],
            ),
        ],
    )
    session.probe(
        "asked-aside",
        "recall",
        "What was looked up besides the feature: the fuel account at the end of March and its number of lines, the rate of the Swedish krona with the ticket "
        "that brought it, and how many records has the file of the till?",
        [
            fact(
                "fuel was 1,598.25 at the end of March",
                type="value",
                keys=["Closing balance|fuel|debits|5400", "1,598.25"],
            ),
            fact(
                "the fuel account had 8 lines in March",
                type="value",
                keys=[
                    "fuel|1,598.25|5400",
                    "8 lines|8 entries|8 purchases|8 postings|8 bookings|8 refuellings",
                ],
            ),
            fact(
                "the rate of SEK is 0.0887",
                type="value",
                keys=["SEK|Swedish|krona|kronor", "0.0887"],
            ),
            fact(
                "SK-57 brought the rate",
                type="identifier",
                keys=["SK-57", "rate|SEK|krona|kronor|letter|exchange rate|Swedish|year"],
            ),
            fact(
                "the file of the till has 4 records",
                type="state",
                keys=[
                    "till|1300|empty month|cash account|account without movement",
                    "4 records|four records",
                ],
                said_in=session.saying("the till should give four records"),
            ),
        ],
        [
            trap(
                "fuel was 1,433.55 at the end of March",
                of="fuel was 1,598.25 at the end of March",
                keys=["Closing balance|fuel|5400", "1,433.55"],
            ),
            trap(
                "the rate of SEK is 0.1345",
                of="the rate of SEK is 0.0887",
                keys=["SEK|Swedish", "0.1345|0.0891"],
            ),
            trap(
                "SK-52 brought the rate",
                of="SK-57 brought the rate",
                keys=["SK-52|SK-41", "rate|SEK|krona"],
            ),
        ],
    )


def ask_files(session: Recorder) -> None:
    """What became of the files; the truth is git's."""
    session.repo.check_changed(
        "start",
        added=[
            "docs/kontorlink-kr2.md",
            "src/tallybook/formats.py",
            "src/tallybook/records.py",
            "tests/test_krcheck.py",
            "tests/test_records.py",
            "tools/krcheck.py",
        ],
        deleted=["src/tallybook/legacy_csv.py"],
        renamed=["src/tallybook/text_report.py"],
    )
    assert [path for path in session.repo.changed("start", "M") if path.startswith("src/")] == [
        "src/tallybook/balance.py",
        "src/tallybook/cli.py",
        "src/tallybook/config.py",
        "src/tallybook/pager.py",
    ]
    fact = session.fact
    export = commit_of(session, "Add KR2 record export")
    session.probe(
        "file-created",
        "file",
        "Which modules and tests of the branch did not exist on main, what is the text report called now, and which commit brought the "
        "export? Answer as a list.",
        [
            file_fact(session, "src/tallybook/formats.py", "created"),
            file_fact(session, "src/tallybook/records.py", "created"),
            file_fact(session, "tests/test_records.py", "created"),
            file_fact(session, "tests/test_krcheck.py", "created"),
            fact(
                "src/tallybook/report.py was renamed to src/tallybook/text_report.py",
                type="path",
                change="renamed",
                keys=["src/tallybook/text_report.py"],
                said_in=session.doing("bash", "git mv src/tallybook/report.py"),
            ),
            fact(
                f"commit {export} brought the export",
                type="identifier",
                keys=[export, "export|KR2|record export|records.py|record files"],
            ),
        ],
        answer={"format": "list"},
    )
    session.probe(
        "modified-and-read",
        "file",
        "Which existing modules below src/tallybook were modified and still are, which module with the journal and which page of the portal were only read? "
        "Do not mention test files.",
        [
            file_fact(session, "src/tallybook/balance.py", "modified"),
            file_fact(session, "src/tallybook/cli.py", "modified"),
            file_fact(session, "src/tallybook/config.py", "modified"),
            file_fact(session, "src/tallybook/pager.py", "modified"),
            file_fact(session, "src/tallybook/store.py", "read"),
            file_fact(session, "docs/kontorlink-kr2.md", "read"),
        ],
        answer={"forbid": ["test_balance.py"]},
    )


def ask_continuation(session: Recorder) -> None:
    """What holds, what is done and what is open."""
    fact, trap = session.fact, session.trap
    session.probe(
        "under-pressure",
        "continuation",
        "Half months, letters that the encoding lacks, a file that exists, the wrong amount in the books: which of my rules and of the accountants' stand "
        "against the quick way in each case, and how does the script call the function?",
        [
            fact(
                "the signature of build_statement does not change",
                type="constraint",
                keys=[
                    "build_statement|signature",
                    "do not touch|not touch|signature stays|stays as it is|must not change|unchanged|not change|untouched|not changed|fixed|frozen|must stay|never touched|not be changed|kept as is",
                ],
                said_in=session.saying("do not touch the signature of"),
            ),
            fact(
                "the script passes three positional arguments",
                type="reason",
                keys=[
                    "three positional arguments|three arguments by position|positional|positionally|three arguments|by position",
                    "script|nightly_close.py|nightly_close|Ilse|Ilse's script|build_statement|calls|passes",
                ],
                said_in=session.saying("three positional arguments"),
            ),
            fact(
                "standard library only",
                type="constraint",
                keys=[
                    "standard library|no new dependency|no dependency|stdlib|no new dependencies|no third-party package|no extra packages|without dependencies|no external packages|no external library"
                ],
                said_in=ends(session.saying("standard library only, no new dependency")),
            ),
            fact(
                "replaced letters are not accepted above 250 EUR",
                type="constraint",
                keys=[
                    "replaced letters|replaced|letters|abbreviations|translations|transliteration|altered payee|payee spelling|substituted letters",
                    "not accepted|not allowed|not replaced|no replaced|refused|rejected|forbidden|unacceptable|not permitted|as on the invoice|no transliteration",
                    "250 EUR",
                ],
                said_in=session.holding("amounts above 250 EUR"),
            ),
            fact(
                "a record file is never overwritten",
                type="constraint",
                keys=[
                    "kr2|record file|KR2|file|export",
                    "never overwritten|not overwrite|never overwrite|no overwriting|not overwritten|not be overwritten|refuses to overwrite|without overwriting|no overwrite",
                ],
                said_in=[
                    *session.saying("must not overwrite an existing file"),
                    *session.holding("a kr2 file is never overwritten"),
                ],
            ),
            fact(
                "nobody but Ilse writes into the journal",
                type="constraint",
                keys=[
                    "journal|data/",
                    "nobody else writes|not write|don't write|leave alone|not touch|don't touch|untouched|only Ilse writes|only Ilse edits|Ilse alone writes|not edit|never edited|never touched",
                ],
                said_in=session.saying("I don't write into the journal"),
            ),
        ],
        [
            trap(
                "build_statement takes the last day as a fourth parameter",
                of="the signature of build_statement does not change",
                keys=[
                    "build_statement",
                    "fourth parameter|fourth argument|last day|extra parameter",
                    "takes|has|got|gets|accepts",
                ],
            ),
            trap(
                "Unidecode replaces the letters",
                of="standard library only",
                keys=[
                    "Unidecode|unidecode package",
                    "replaces|installed|is used|added|transliterates",
                ],
            ),
            trap(
                "a kr2 export overwrites an existing file",
                of="a record file is never overwritten",
                keys=["kr2|export|KR2", "overwrites|replaces", "existing|exists"],
            ),
        ],
    )
    session.probe(
        "accountants-sheet",
        "continuation",
        "What does the rule sheet ask that the next months have to keep: how a correction is marked, the day on which statements are due and the price of being late, what a line needs, "
        "and for how long things are kept?",
        [
            fact(
                "the voucher of a correction starts with K",
                type="constraint",
                keys=[
                    "correction|corrections|correcting entry",
                    "starts with K|begins with K|K|K-voucher|prefix K|K number",
                ],
                said_in=session.holding(
                    "A correction is an entry of its own with a voucher that starts with K"
                ),
            ),
            fact(
                "statements are due on the 8th working day",
                type="constraint",
                keys=["8th working day|eighth working day"],
            ),
            fact(
                "each day late costs 35 EUR",
                type="value",
                keys=["35 EUR", "day|late|delay|daily|fee"],
            ),
            fact(
                "every line of a statement must have a voucher",
                type="constraint",
                keys=["every line|each line|all lines|no line", "voucher"],
                said_in=session.saying("every line of a statement must have a voucher"),
            ),
            fact(
                "the bank's own list is kept for 7 years",
                type="value",
                keys=[
                    "bank list|bank's list|bank's own list|bank statements|list from the bank",
                    "7|7 years",
                ],
                said_in=session.holding("the bank's own list for 7"),
            ),
        ],
        [
            trap(
                "the voucher of a correction starts with B",
                of="the voucher of a correction starts with K",
                keys=[
                    "correction|corrections",
                    "starts with B|starts with C|begins with B|begins with C",
                ],
            ),
            trap(
                "the bank's own list is kept for 10 years",
                of="the bank's own list is kept for 7 years",
                keys=["bank|bank's own list|bank's list", "10 years"],
            ),
        ],
    )
    session.probe(
        "open-work",
        "continuation",
        "What is left: the wish for the May closing, what has to happen on Monday and what comes only after it, who decides about the name of the sailmaker, how did "
        "the last run of the whole suite end, and what is pushed?",
        [
            fact(
                "--all-assets for the May closing",
                type="next_step",
                keys=[
                    "--all-assets",
                    "May|list|one KR2 file|later|wish|wanted|planned|requested|not yet|to do",
                ],
                said_in=session.saying("I want `--all-assets` for the May closing"),
            ),
            fact(
                "Ilse runs nightly_close.py against the branch on Monday",
                type="next_step",
                keys=["nightly_close.py|nightly_close|Ilse|nightly script|her script", "Monday"],
                said_in=session.saying("after Ilse has run nightly_close.py"),
            ),
            fact(
                "1.7.0 comes after that",
                type="constraint",
                keys=[
                    "1.7.0|version bump|next version|release",
                    "only after|after|no version bump|not bumped|waits|until|not yet|once Ilse|depends on",
                ],
                said_in=session.saying("1.7.0 comes only after Ilse"),
            ),
            fact(
                "Ilse decides how C-0603 is spelled",
                type="next_step",
                keys=[
                    "C-0603|Łucja|sailmaker|name|spelling",
                    "Ilse decides|for Ilse|Ilse|Ilse's decision|up to Ilse",
                ],
                said_in=session.saying("how to spell C-0603 is for Ilse"),
            ),
            fact(
                "80 tests passed in the last run",
                type="command",
                keys=["80 passed|80 tests", "passed|tests|pass|green|suite"],
                said_in=ends(session.holding("80 passed")),
            ),
            fact(
                "nothing is pushed",
                type="state",
                keys=[
                    "nothing is pushed|nothing pushed|not pushed|unpushed|no push|nothing has been pushed|without pushing|not yet pushed|local only|never pushed|only local"
                ],
            ),
        ],
        [
            trap(
                "79 tests passed in the last run",
                of="80 tests passed in the last run",
                keys=["79 passed|79 tests|76 passed|76 tests|79", "passed|tests"],
            ),
            trap(
                "the next version is 1.6.3",
                of="1.7.0 comes after that",
                keys=["1.6.3|1.8.0|2.0.0", "version|release|next"],
            ),
            trap(
                "1.7.0 is released",
                of="1.7.0 comes after that",
                keys=["1.7.0", "released|tagged|shipped|published"],
            ),
        ],
    )


def ask_decisions(session: Recorder) -> None:
    """Why things are as they are."""
    fact, trap = session.fact, session.trap
    session.probe(
        "check-number",
        "decision",
        "The check number of March: what is the sum, what stands in our record, what would the other convention give, why did we not simply try, which ticket "
        "asks, and what must not happen until the answer?",
        [
            fact(
                "the sum of March is -17368",
                type="value",
                keys=["sum|total|March|amounts", "-17368"],
            ),
            fact(
                "our record has 2578",
                type="value",
                keys=["2578", "KRE|record|our|check number|modulo|Python|we write|python"],
            ),
            fact(
                "truncating would give -7395",
                type="value",
                keys=[
                    "truncating|truncation|truncated|C|Java|fmod|other convention|toward zero",
                    "-7395",
                ],
            ),
            fact(
                "a month with a positive sum is the same in both and proves nothing",
                type="reason",
                keys=[
                    "positive",
                    "same|proves nothing|no proof|nothing|identical|no evidence|inconclusive|not distinguish|useless as a test|tells nothing|no difference",
                ],
                said_in=session.saying("A month with a positive sum is the same in both worlds"),
            ),
            fact(
                "ticket KL-2291 asks about the check number",
                type="identifier",
                keys=[
                    "KL-2291",
                    "ticket|check number|checksum|modulo|opened|helpdesk|asks|question|negative sum",
                ],
            ),
            fact(
                "nothing is uploaded until they answer",
                type="constraint",
                keys=[
                    "nothing gets uploaded|nothing is uploaded|no upload|not upload|not uploaded|no uploads|without uploading|uploads forbidden|nothing may be uploaded|uploads on hold|uploads wait|uploads are blocked|hold uploads|uploading waits"
                ],
                said_in=session.saying("nothing gets uploaded"),
            ),
        ],
        [
            trap(
                "our record has -7395",
                of="our record has 2578",
                keys=["our record|KRE|our file|we write", "-7395"],
            ),
            trap(
                "the sum of March is 17368",
                of="the sum of March is -17368",
                keys=["sum|total", "+17368|17367"],
            ),
            trap(
                "the helpdesk confirmed our check number",
                of="ticket KL-2291 asks about the check number",
                keys=["helpdesk|portal|KL-2291", "confirmed|answered|accepted our check number"],
            ),
        ],
    )
    session.probe(
        "errors-of-the-export",
        "decision",
        "Which errors does the export raise: without a file, for a file that exists, for a letter outside of the encoding and with which voucher? "
        "Why is the letter not replaced, and why no `--force`?",
        [
            fact(
                "TB-132: kr2 needs --out",
                type="error",
                keys=["TB-132", "--out|output file|output path|without a file|no file"],
            ),
            fact(
                "TB-133: the file exists",
                type="error",
                keys=[
                    "TB-133",
                    "exists|overwritten|overwrite|existing|already there|already present",
                ],
            ),
            fact(
                "TB-142 names voucher C-0603",
                type="error",
                keys=["TB-142", "C-0603"],
            ),
            fact(
                "an altered payee name is worse than no file",
                type="reason",
                keys=[
                    "altered|changed|replaced|falsified|garbled|modified|misspelled",
                    "payee|name",
                    "worse|audit|silently|unnoticed",
                ],
                said_in=session.saying("a silently altered payee name is worse than no file"),
            ),
            fact(
                "who wants a second file deletes the first by hand",
                type="decision",
                keys=[
                    "deletes|delete|deleted|removes|remove|deleting",
                    "by hand|manually|first one|first|old one|existing file",
                ],
                said_in=session.saying("Whoever wants a second file deletes the first one by hand"),
            ),
        ],
        [
            trap(
                "TB-131: kr2 needs --out",
                of="TB-132: kr2 needs --out",
                keys=["TB-131|TB-133|TB-142", "needs --out"],
            ),
            trap(
                "TB-142 names voucher C-0605",
                of="TB-142 names voucher C-0603",
                keys=["TB-142", "C-0605|C-0606|B-1"],
            ),
            trap(
                "an existing file is replaced with --force",
                of="who wants a second file deletes the first by hand",
                keys=["--force", "replaces|overwrites|is used|added|option for"],
            ),
        ],
    )


def record(session: Recorder) -> None:
    """The whole session and its probes."""
    past(session.repo)
    survey(session)
    find_the_cent(session)
    build_html(session)
    ask_about_the_cent(session)
    change_of_mind(session)
    ask_after_the_turn(session)
    finish(session)
    ask_recall(session)
    ask_files(session)
    ask_continuation(session)
    ask_decisions(session)


PLAY = Play(
    record,
    task="feature",
    title="Monthly statements in a second format: HTML first, record files in the end",
    repository="tallybook",
    window=64_000,
)
