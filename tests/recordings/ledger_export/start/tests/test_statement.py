import inspect

from books import MARCH, march_books, post, small_books

from tallybook.money import Money
from tallybook.statement import build_statement


def test_lines_and_running_balance():
    statement = build_statement(march_books(3), "1200", MARCH)
    assert [line.balance.minor for line in statement.lines] == [10100, 10200, 10300]
    assert statement.opening == Money(10000, "EUR")
    assert statement.closing == Money(10300, "EUR")
    assert not statement.drift


def test_original_amount_is_kept():
    store = small_books()
    post(store, "B-1", "2025-03-05", -20000, "DKK")
    (line,) = build_statement(store, "1200", MARCH).lines
    assert line.amount == Money(-2690, "EUR")
    assert line.original == Money(-20000, "DKK")


def test_empty_month():
    statement = build_statement(march_books(0), "1200", MARCH)
    assert statement.lines == ()
    assert statement.opening == statement.closing


def test_signature_is_what_nightly_close_calls():
    assert list(inspect.signature(build_statement).parameters) == ["store", "account", "month"]
