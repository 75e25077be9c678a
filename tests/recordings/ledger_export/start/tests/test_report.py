from books import MARCH, march_books, post, small_books

from tallybook.balance import trial_balance
from tallybook.config import Config
from tallybook.report import clip, paged, render_text, render_trial
from tallybook.statement import build_statement

CONFIG = Config(title="Books", width=72, screen_lines=6)


def test_text_statement():
    text = render_text(build_statement(march_books(2), "1200", MARCH), CONFIG)
    assert text.splitlines() == [
        "BOOKS",
        "Statement 1200 Bank, 2025-03 (EUR)",
        "-" * 72,
        "                    Opening balance                               100.00",
        "2025-03-01 B-1      Payee B-1                          1.00       101.00",
        "2025-03-02 B-2      Payee B-2                          1.00       102.00",
        "                    Closing balance                               102.00",
        "-" * 72,
        "Debits 2.00   Credits 0.00   Lines 2",
    ]


def test_foreign_amount_in_brackets():
    store = small_books()
    post(store, "B-1", "2025-03-05", -20000, "DKK")
    assert "(DKK -200.00)" in render_text(build_statement(store, "1200", MARCH), CONFIG)


def test_clip():
    assert clip("Harbour", 7) == "Harbour"
    assert clip("Harbour office", 8) == "Harbour…"


def test_trial():
    text = render_trial(trial_balance(march_books(1), MARCH), "EUR", CONFIG)
    assert text.splitlines()[-1].split() == ["Total", "101.00", "101.00"]


def test_paged():
    text = paged("\n".join(str(n) for n in range(9)), CONFIG)
    assert text.count("-- more --") == 1
