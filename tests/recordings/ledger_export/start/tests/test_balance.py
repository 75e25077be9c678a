from books import MARCH, post, small_books

from tallybook.balance import closing, difference, opening, trial_balance, turnover
from tallybook.models import Month
from tallybook.money import Money


def test_edges_of_a_month():
    store = small_books()
    post(store, "A-1", "2025-02-28", 500)
    post(store, "B-1", "2025-03-01", 70)
    post(store, "B-2", "2025-03-31", 7)
    post(store, "C-1", "2025-04-01", 1)
    assert opening(store, "1200", MARCH) == Money(500, "EUR")
    assert closing(store, "1200", MARCH) == Money(577, "EUR")
    assert turnover(store, "1200", MARCH) == Money(77, "EUR")


def test_closing_is_the_next_opening():
    store = small_books()
    post(store, "B-1", "2025-03-05", 1234, "DKK")
    post(store, "B-2", "2025-03-06", 4321, "DKK")
    assert closing(store, "1200", MARCH) == opening(store, "1200", Month(2025, 4))


def test_foreign_postings_are_summed_before_conversion():
    store = small_books()
    for number in range(3):
        post(store, f"B-{number}", "2025-03-05", 1000, "DKK")
    assert closing(store, "1200", MARCH) == Money(404, "EUR")


def test_trial_balance():
    store = small_books()
    post(store, "B-1", "2025-03-05", 900)
    post(store, "B-2", "2025-03-06", -400, "DKK")
    rows = trial_balance(store, MARCH)
    assert [row.account.number for row in rows] == ["1200", "4000", "5100"]
    assert difference(rows, "EUR") == Money(0, "EUR")
