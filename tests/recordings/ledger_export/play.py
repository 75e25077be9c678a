"""A feature session: monthly statements of a bookkeeping tool in a second format.

The books of a small chandlery (a journal of JSON lines, standard library only) get
statements with pages and carried balances. The user asks for HTML first and wants
KR2 record files half-way, when the accountants' portal has refused the HTML. On the
way a cent is missing between the lines and the closing balance; it is looked for
in the rounding mode first, where it is not.
"""

from recorder import Play, Recorder, bash, edit_file, read_file, write_file

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
        "three positional arguments."
    )
    session.together(
        [
            bash("git log --oneline; git status --short; git ls-files | xargs wc -l"),
            bash(TEST),
        ],
        "I'll start with the layout of the repository and the state of the tests.",
    )
    session.together(
        [
            bash("python -m tallybook statement 1200 --month 2025-03 --format html; echo exit $?"),
            bash(
                "python -m tallybook statement 1200 --month 2025-03 | (sed -n 1,6p; echo ...); python -m tallybook statement 1200 --month 2025-03 | tail -n 5"
            ),
        ],
        "60 passed, a clean tree on main. Now both of your reports, as they are.",
    )
    session.read(
        "src/tallybook/cli.py",
        "Both reproduce: exit 2 for the format, and one cent between line 97 (B-0497) and the closing "
        "balance. First the way from the command line to the renderer.",
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
        "What I know so far:\n\n"
        "- `FORMATS` in cli.py is the only place that knows formats.\n"
        "- templating.py can loop but has no filter that escapes HTML; `Møller & Søn` needs one.\n"
        "- pager.py cuts text into screens; pages with a carried balance are missing.\n"
        "- `Statement.drift` is looked at by one test with euros only; nothing in src uses it.\n"
        "- legacy_csv.py is imported by nobody, only the README mentions it.\n\n"
        "I'll find the cent first, then build the pages, then the HTML."
    )
    session.point("p1")


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
        "It does: TB-208, out of balance by 1 minor unit, so this is not only about statements. Before I blame any arithmetic I want to be "
        "sure that both sides see the same postings, `postings` for the lines and `postings_before` for the balances.",
    )
    session.bash(
        TIES,
        "They do: `entry.day in month` and `entry.day < day` cut at the same place, nothing is lost at the edge of the month. My next suspicion is the "
        "rounding mode: with the rate 0.1345 every odd multiple of 10.00 DKK is an exact tie, and "
        "half-even and half-up differ there. I'll count the ties and try the other modes without changing a file.",
    )
    session.bash(
        BY_CURRENCY,
        "That was a dead end. There are 6 ties, but half-up makes the drift worse (-3 instead of -1), and "
        "the closing balance is 1365002 in every mode. The rounding mode is not the cause. What differs is *when* it rounds: "
        "`_in_base` adds per currency and converts the sum once, the lines are converted one by one. Measured per currency:",
    )
    session.user(
        "Half-even has to stay anyway, it is in § 4 of the accountants' rule sheet. What are the options for the cent?"
    )
    session.say(
        "The cent sits in the Swedish kronor: 11 SEK postings give 1,418.98 when their sum is converted and 1,419.00 one by one; part of that comes back through February. "
        "The cause is `_in_base` in balance.py: it converts the sum of a currency once, while `build_statement` converts "
        "every posting. Two ways out:\n\n"
        "1. Convert posting by posting in `_in_base` as well. Closing becomes 13,650.03, and opening and trial balance "
        "follow the same rule. An entry with two postings then always balances, because the conversion is symmetric.\n"
        '2. Keep the closing and add a line "rounding difference" to the statement. The figures of the text report stay, '
        "but March would have 98 lines instead of 97, and the extra line has no voucher.\n\n"
        "I recommend 1. It changes a printed figure of the text report, so I want your word for it."
    )
    session.user(
        "Option 1. No invented lines: every line of a statement must have a voucher, that is § 2 of the same sheet. "
        "The text report may change by that cent, it was wrong all along. Work on a branch please, "
        "call it kontor-export, and commit the cent on its own."
    )
    session.bash("git checkout -q -b kontor-export && git branch --show-current")
    session.edit("src/tallybook/balance.py", OLD_IN_BASE, NEW_IN_BASE)
    session.bash(TEST, "`_in_base` is four lines now. Tests:")
    session.bash(
        "grep -n -B1 -A6 'summed_before' tests/test_balance.py",
        "One failure, and it is the test that pins the old rule: 4.02 now, 4.04 before. Let me look at it before I turn it round.",
    )
    session.together(
        [
            edit_file("tests/test_balance.py", OLD_BALANCE_TEST, NEW_BALANCE_TEST),
            bash(f"cat >> tests/test_statement.py <<'EOF'\n{DRIFT_TEST.rstrip()}\nEOF\n{TEST}"),
        ],
        "The test says what the code did, not what anybody wanted. I rename it and expect 402 (three times 134), and add one that "
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
        "61 passed. And on the real books:",
    )
    session.bash(
        "git commit -qam 'Round foreign postings line by line' && git log --oneline | cat && git show --stat --format=%s HEAD",
        "13,650.03 on both lines, and the strict check is quiet for every month. That is the commit of its own.",
    )


def build_html(session: Recorder) -> None:
    """Pages with a carried balance, and the HTML that will not last."""
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
        "`march_books(lines)` is made for this. The pages go into pager.py as `paginate(statement, size)`, separate from any format, so that "
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
        "65 passed, three pages of 40, 40 and 17 lines, and the last carried balance is the closing one. Committed.",
    )
    session.say(
        "`--format html` works: March of 1200 is out/march.html with three pages. The cent is gone on its own commit, "
        "and build_statement is as it was."
    )
    session.point("p2")


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
        "Understood, KR2 record files instead of HTML. Before anything is deleted, a look at what legacy_csv.py does and at what the branch has changed so far.",
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
    session.bash(
        "git mv src/tallybook/report.py src/tallybook/text_report.py && grep -rlF 'tallybook.report' src tests docs README.md",
        "63 passed again. Now the rename; who imports the old name?",
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
    session.user("Convinced. Go on.")
    session.together(
        [
            write_file("src/tallybook/records.py", RECORDS),
            write_file("src/tallybook/formats.py", FORMATS),
        ],
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
        f"{KR2} && (head -n 4; echo ...; tail -n 2) < out/march.kr2 | iconv -f iso8859-1 -t utf-8 | tr -d '\\r'",
        "67 passed. The real March:",
    )
    session.write(
        "tools/krcheck.py",
        CHECKER,
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
    session.bash(f"{TEST} && python tools/krcheck.py out/march.kr2")
    session.say(
        "The checker refuses the file: P-40, page 1 has 52 records, limit is 50. The handbook's 50 counts *records*, and KRP and KRC belong to the page. "
        "So a page may hold 48 lines, not 50. Unless you read it differently, I set lines_per_page to 48 in config.py and tallybook.ini and lower the upper limit "
        "of the setting from 500 to 48, so that nobody can configure a file that the portal refuses."
    )
    session.point("p3")


def finish(session: Recorder) -> None:
    """Corrections of the user, the encoding, the documentation and what stays open."""
    session.user(
        "48 is right, I asked the helpdesk. They also told me that I misread my print-out: 32 characters of text is KR1, KR2 has 28. Please fix that too. "
        "What about names that ISO 8859-1 doesn't have? We have a sailmaker called Łucja."
    )
    session.bash(
        "sed -i 's/lines_per_page: int = 50/lines_per_page: int = 48/; s/\"lines_per_page\": (1, 500)/\"lines_per_page\": (1, 48)/' src/tallybook/config.py && sed -i 's/lines_per_page = 50/lines_per_page = 48/' tallybook.ini && "
        "sed -i 's/^MAX_TEXT = 32/MAX_TEXT = 28/' tools/krcheck.py && grep -rn '48' src/tallybook/config.py tallybook.ini && python tools/krcheck.py out/march.kr2",
        "First the page size, and the text limit in the checker only: it should complain about the old file now.",
    )
    session.bash(
        f"sed -i 's/^TEXT_LIMIT = 32/TEXT_LIMIT = 28/' src/tallybook/records.py && {KR2} && python tools/krcheck.py out/march.kr2; grep -c '^KRP' out/march.kr2; grep '^KR[PCE]' out/march.kr2 | tr -d '\\r'",
        "It complains about every long payee (P-22) and about P-40, as it should. Now the exporter follows.",
    )
    session.bash(
        TEST,
        "0 faults; three pages of 48, 48 and 1 lines. Do the tests agree with 28?",
    )
    session.edit(
        "tests/test_records.py",
        "    assert len(text_field(statement)) == TEXT_LIMIT\n",
        '    assert text_field(statement) == "Birkholm Sailing School and"\n    assert len(text_field(statement)) <= TEXT_LIMIT\n',
        "One does not: the cut after 28 characters ends in a blank, which `rstrip` removes, so 27 characters are left. The code is right and my test was too "
        "narrow; it names the expected text now.",
    )
    session.together(
        [
            bash(TEST),
            bash(
                "python -m tallybook statement 1200 --month 2025-04 --format kr2 --out out/april.kr2 2>&1 | tail -n 1"
            ),
        ],
        "And the sailmaker; she is in April.",
    )
    session.say(
        'April dies with a bare UnicodeEncodeError, which no user should see. I considered `errors="replace"`, which would write a question mark: '
        "rejected, a silently altered payee name is worse than no file, and you would find out at the audit. "
        "I'll raise TB-142 and name the voucher and the character; the spelling is then a decision for a person."
    )
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
        "79 passed. April again:",
    )
    session.bash(
        "git add -A && git commit -qm 'Add KR2 record export' && git show --stat --format=%s HEAD",
        "Exit 2, voucher C-0603 named, and no half-written april.kr2. Committed.",
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
        "The sum of March is -17368. Python's modulo gives 2578, which is what stands in our KRE record; a portal written in C or Java would expect -7395. "
        "Both the exporter and krcheck.py use Python's meaning, so the checker cannot settle it. I leave 2578 and mark the place, only the helpdesk can answer this."
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
        "No --force. Whoever wants a second file deletes the first one by hand, then at least he has thought about it."
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
    session.user(
        "What happens with an account that has no movement? The till had none in March. And when that is clear write the docs, with the limit of the page. "
        "And no version bump yet: 1.7.0 comes only after Ilse has run nightly_close.py against the branch on Monday."
    )
    session.bash(
        "for a in 1200 1300 1500; do python -m tallybook statement $a --month 2025-03 --format kr2 --out out/$a-2025-03.kr2 && python tools/krcheck.py out/$a-2025-03.kr2; done; cat out/1300-2025-03.kr2 out/1500-2025-03.kr2 | iconv -f iso8859-1 -t utf-8 | tr -d '\\r'",
        "An empty month has one page without lines, so the till should give four records: KRH, KRP, KRC, KRE. All three asset accounts through the checker:",
    )
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
    session.user(
        "One more wish, not for now: `--all-assets`, one KR2 file per asset account, for the May closing. Just keep it on the list. "
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
        "The way nightly_close.py calls it, three positional arguments for every asset account:",
    )
    session.say(
        "statement.py is untouched since the start and all three asset accounts come back without drift. Everything is committed, nothing is pushed. "
        "`--all-assets` is on the list for the May closing; the other open points stand as you named them."
    )
    session.point("p4")


def ask_about_the_cent(session: Recorder) -> None:
    """What the first commit changed, asked while the HTML is still the plan."""
    session.repo.check_changed(
        "start",
        added=[
            "src/tallybook/html_export.py",
            "tests/test_html_export.py",
        ],
    )
    assert "src/tallybook/balance.py" in session.repo.changed("start", "M")
    fact = session.fact
    session.probe(
        "file-balance",
        "file",
        "What was changed in src/tallybook/balance.py for the cent, which function there was the cause, and what did the test that pins the old rule "
        "expect before and now?",
        [
            fact("_in_base", about="detail"),
            fact(
                "converts posting by posting",
                "converts every posting",
                "convert every posting",
                "postings are converted one by one",
                "each posting is converted",
                about="detail",
                said_in=session.holding("Convert posting by posting"),
            ),
            fact("4.02 now", "expect 402", "402 instead of 404", "Money(402", about="detail"),
            fact("4.04 before", "402 instead of 404", "Money(404", about="detail"),
        ],
        traps=[
            {
                "text": "converts the sum of a currency once",
                "aliases": ["converts every sum", "add up per currency, then convert"],
                "current": [
                    "converts every posting",
                    "convert posting by posting",
                    "postings are converted one by one",
                    "converts each posting",
                ],
            }
        ],
        point="p2",
    )


def ask_recall(session: Recorder) -> None:
    """Figures, codes and limits."""
    fact = session.fact
    session.probe(
        "recall-cent",
        "recall",
        "Which two figures on the March statement of 1200 disagreed, that of the last line and the closing balance below it, "
        "and by how many minor units were the books out, with which TB code?",
        [
            fact("13,650.03", "13650.03"),
            fact("13,650.02", "13650.02"),
            fact("TB-208", said_in=session.holding("TB-208: the books", "TB-208, out of balance")),
            fact(
                "out of balance by 1 minor unit",
                "by one minor unit",
                "out of balance by 0.01",
                said_in=session.holding("TB-208: the books", "TB-208, out of balance"),
            ),
        ],
    )
    session.probe(
        "recall-modes",
        "recall",
        "The rounding mode was suspected first: which rate gives exact ties of DKK amounts, how many ties are there, what did half-up do to the drift, and "
        "what was the closing balance in every mode? Answer as a list.",
        [
            fact("rate 0.1345", "0.1345"),
            fact("6 ties", "ties: 6", "six ties"),
            fact(
                "half-up makes the drift worse",
                "half-up drift -3",
                "half-up: -3",
                "ROUND_HALF_UP drift -3",
            ),
            fact("1365002 in every mode", "1365002", "13,650.02 in every mode"),
            fact("rounding mode is not the cause", "rounding mode is innocent", "dead end"),
        ],
        answer={"format": "list"},
    )
    session.probe(
        "recall-layout",
        "recall",
        "How does the KontorLink handbook want KR2 records: what do records end in and in which encoding, what are fields separated by, in what unit and form are amounts, "
        "and what is the check number the sum of? Answer as a list of at most 12 items.",
        [
            fact("CR LF", "CRLF"),
            fact("ISO 8859-1", "ISO-8859-1", "iso8859-1", "latin-1"),
            fact(
                "amounts in minor units, always with a sign",
                "minor units with a sign",
                "signed minor units",
            ),
            fact("no decimal point, no padding", "without decimal point or padding"),
            fact("modulo 9973", "mod 9973"),
        ],
        answer={"format": "list", "max_items": 12},
    )
    session.probe(
        "recall-limits",
        "recall",
        "After the checker had refused the file and the helpdesk was asked: what is lines_per_page set to, which records belong to the page besides the lines, and how many "
        "characters of text does KR2 have?",
        [
            fact(
                "48 lines",
                "lines_per_page = 48",
                "lines_per_page to 48",
                "48 is right",
                said_in=session.holding("48 lines, not 50", "lines_per_page = 48"),
            ),
            fact(
                "KRP and KRC belong to the page", "KRP and KRC are two of them", "KRP and KRC count"
            ),
            fact("28 characters", "TEXT_LIMIT = 28", "text limit 28", "KR2 has 28"),
        ],
        traps=[
            {
                "text": "32 characters",
                "aliases": ["TEXT_LIMIT = 32"],
                "current": ["28 characters", "TEXT_LIMIT = 28", "28"],
            },
            {
                "text": "50 lines",
                "aliases": ["lines_per_page = 50", "lines per page: 50"],
                "current": ["48 lines", "lines_per_page = 48", "48"],
            },
            {
                "text": "40 lines",
                "aliases": ["lines_per_page = 40", "lines per page: 40"],
                "current": ["48 lines", "lines_per_page = 48", "48"],
            },
        ],
    )


def ask_files(session: Recorder) -> None:
    """What became of the files; the truth is git's."""
    session.repo.check_changed(
        "start",
        added=[
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
    session.probe(
        "file-created",
        "file",
        "Which files exist on the branch now that did not exist on main, tests and tools included? Answer as a list.",
        [
            fact("src/tallybook/formats.py", about="created"),
            fact("src/tallybook/records.py", about="created"),
            fact("tools/krcheck.py", about="created"),
            fact("tests/test_records.py", about="created"),
            fact("tests/test_krcheck.py", about="created"),
        ],
        traps=[
            {
                "text": "src/tallybook/html_export.py",
                "aliases": ["tests/test_html_export.py"],
                "current": [
                    "html_export.py was dropped",
                    "html_export.py was deleted",
                    "html_export.py was removed",
                    "html_export.py is gone",
                ],
            }
        ],
        answer={"format": "list"},
    )
    session.probe(
        "file-modified",
        "file",
        "Which existing modules below src/tallybook were modified on the branch (do not mention test files), and which two were taken back to the state of main "
        "when the HTML went?",
        [
            fact("src/tallybook/balance.py", about="modified"),
            fact("src/tallybook/cli.py", about="modified"),
            fact("src/tallybook/config.py", about="modified"),
            fact("src/tallybook/pager.py", about="modified"),
            fact(
                "templating.py back to the state of main",
                "templating.py taken back",
                "templating.py reverted",
                "templating.py restored",
                "templating.py as on main",
                about="detail",
            ),
        ],
        traps=[
            {
                "text": "src/tallybook/templating.py",
                "current": [
                    "templating.py back to the state of main",
                    "templating.py taken back",
                    "templating.py reverted",
                    "templating.py restored",
                    "templating.py unchanged",
                    "templating.py not changed",
                    "templating.py as on main",
                ],
            }
        ],
        answer={"forbid": ["test_balance.py"]},
    )
    session.probe(
        "file-removed",
        "file",
        "Which files were deleted or renamed when the HTML was thrown out, how does the module of the closed 2023 spreadsheet write amounts (nothing in "
        "it is worth keeping), and who still mentions it?",
        [
            fact("src/tallybook/legacy_csv.py", about="detail"),
            fact("src/tallybook/html_export.py", about="detail"),
            fact("src/tallybook/text_report.py", about="detail"),
            fact(
                "amounts as floats without conversion", "floats without conversion", about="detail"
            ),
            fact(
                "only the README mentions it",
                "only the README still mentions legacy_csv",
                about="detail",
            ),
        ],
    )


def ask_continuation(session: Recorder) -> None:
    """What holds, what is done and what is open."""
    fact = session.fact
    session.probe(
        "continuation-rules",
        "continuation",
        "Which two rules did the user set in the first request, on dependencies and on build_statement, and who on the shop server calls that function, how?",
        [
            fact("standard library only", "no new dependency", "stdlib only", about="state"),
            fact(
                "do not touch the signature of build_statement",
                "signature of build_statement must stay",
                "signature of build_statement must not change",
                "build_statement keeps its signature",
                about="state",
            ),
            fact("three positional arguments", about="reason"),
            fact("nightly_close.py on the shop server", "nightly_close.py", about="reason"),
        ],
    )
    session.probe(
        "continuation-sheet",
        "continuation",
        "What do § 4 and § 2 of the accountants' rule sheet demand, on rounding and on the lines of a statement, and may the text report change by the cent?",
        [
            fact(
                "half-even has to stay",
                "half-even must remain",
                "keep half-even",
                about="state",
            ),
            fact(
                "every line of a statement must have a voucher",
                "every line must have a voucher",
                "no line without a voucher",
                about="state",
            ),
            fact("it was wrong all along", about="reason"),
        ],
    )
    session.probe(
        "continuation-state",
        "continuation",
        "What state is the work in: on which branch, how many faults did krcheck find and how many lines have the three pages since the text limit is right, and is everything committed and pushed? "
        "Answer in one sentence of at most 90 words.",
        [
            fact("kontor-export", about="state"),
            fact("nothing is pushed", "not pushed", "nothing pushed", "unpushed", about="state"),
            fact(
                "0 faults",
                "no faults",
                "without faults",
                about="state",
                said_in=session.holding("0 faults; three pages of 48"),
            ),
            fact(
                "three pages of 48, 48 and 1 lines",
                "pages of 48, 48 and 1",
                about="state",
                said_in=session.holding("three pages of 48, 48 and 1 lines"),
            ),
        ],
        traps=[
            {
                "text": "three pages of 40, 40 and 17 lines",
                "aliases": ["pages of 40, 40 and 17"],
                "current": ["pages of 48, 48 and 1"],
            }
        ],
        answer={"format": "sentence", "max_words": 90},
    )
    session.probe(
        "continuation-open",
        "continuation",
        "What is on the list for the May closing, what has to happen on Monday before the version bump, which ticket was opened for the check number, and "
        "what must not happen until they answer?",
        [
            fact("KL-2291", about="pending"),
            fact(
                "nothing gets uploaded",
                "nothing is uploaded",
                "no upload",
                "nothing may be uploaded",
                "not upload",
                about="pending",
            ),
            fact("--all-assets", about="pending"),
            fact("1.7.0", about="pending"),
            fact(
                "Ilse has run nightly_close.py",
                "Ilse runs nightly_close.py",
                "Ilse's run of nightly_close.py",
                about="pending",
            ),
        ],
    )


def ask_decisions(session: Recorder) -> None:
    """Why things are as they are."""
    fact = session.fact
    session.probe(
        "decision-cent",
        "decision",
        "Two ways out for the cent: what would option 2, which keeps the closing, have added to the March statement and what spoke against it, and why does an entry "
        "with two postings always balance with option 1?",
        [
            fact(
                'a line "rounding difference"',
                "rounding difference line",
                "line for the rounding difference",
                about="detail",
                said_in=session.holding('Keep the closing and add a line "rounding difference"'),
            ),
            fact("98 lines instead of 97", "98 instead of 97 lines", about="reason"),
            fact(
                "the extra line has no voucher",
                "every line of a statement must have a voucher",
                "line without a voucher",
                about="reason",
            ),
            fact("the conversion is symmetric", about="reason"),
        ],
    )
    session.probe(
        "decision-csv",
        "decision",
        "Why are the record files not written with the csv module, and what happens with the separator in a payee instead?",
        [
            fact(
                "quotes every field that holds the delimiter",
                "quotes fields with the delimiter",
                about="reason",
            ),
            fact("fields are never quoted", "no quoting", about="reason"),
            fact(
                "would read the quotation marks as text",
                "takes the quotation marks as text",
                about="reason",
            ),
            fact("Harbour office | berth 14", "Harbour office / berth 14", about="detail"),
            fact(
                "the separator in a text becomes a slash",
                "the separator becomes a slash",
                "replaced by a slash",
                "| becomes /",
                about="detail",
            ),
        ],
    )
    session.probe(
        "decision-html",
        "decision",
        "Why stop with HTML: what did the KontorLink portal answer to the trial upload of out/march.html, how does Vibeke's office take statements in, what does it want "
        "instead, and what stays of the work?",
        [
            fact("P-17 media type text/html not accepted", about="detail"),
            fact(
                "never look at statements by eye",
                "the portal reads the statements",
                "nobody looks at the statements by eye",
                about="reason",
            ),
            fact("KR2 record files", "KR2 records", about="detail"),
            fact("paginate", about="detail"),
        ],
    )


def record(session: Recorder) -> None:
    """The whole session and its probes."""
    survey(session)
    find_the_cent(session)
    build_html(session)
    ask_about_the_cent(session)
    change_of_mind(session)
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
)
