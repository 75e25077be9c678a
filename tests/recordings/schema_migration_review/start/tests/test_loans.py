import sqlite3

import pytest

from tinshelf.catalogue import add_item, item
from tinshelf.errors import RuleError
from tinshelf.loans import MOST, give_back, lend, open_loans, owes, pay


def test_a_loan_is_due_after_three_weeks(store):
    assert lend(store, "4017", "hedge trimmer", "2025-05-02").due_on == "2025-05-23"


def test_what_is_out_is_not_free(store):
    lend(store, "4017", "tent for four", "2025-05-02")
    assert item(store, "tent for four").free == 1
    lend(store, "4018", "tent for four", "2025-05-02")
    with pytest.raises(RuleError, match="L20 nothing free: tent for four"):
        lend(store, "4018", "tent for four", "2025-05-02")


def test_a_thing_that_is_back_can_be_lent_again(store):
    lend(store, "4017", "hedge trimmer", "2025-05-02")
    give_back(store, "4017", "hedge trimmer", "2025-05-05")
    assert open_loans(store, "4017") == []
    assert lend(store, "4018", "hedge trimmer", "2025-05-05").card == "4018"


def test_giving_back_what_one_does_not_have(store):
    with pytest.raises(RuleError, match="L21 not on loan: hedge trimmer, card 4017"):
        give_back(store, "4017", "hedge trimmer", "2025-05-05")


@pytest.mark.parametrize(("card", "title", "code"), [("9", "hedge trimmer", "L10"), ("4017", "yak", "L11")])
def test_unknown(store, card, title, code):
    with pytest.raises(RuleError) as caught:
        lend(store, card, title, "2025-05-02")
    assert caught.value.code == code


def test_too_many_loans(store):
    add_item(store, "folding chair", "D1", copies=20)
    for _ in range(MOST):
        lend(store, "4017", "folding chair", "2025-05-02")
    with pytest.raises(RuleError, match="L31"):
        lend(store, "4017", "folding chair", "2025-05-02")


def late(store, times):
    for _ in range(times):
        lend(store, "4017", "hedge trimmer", "2024-01-01")
        give_back(store, "4017", "hedge trimmer", "2024-12-01")


def test_fees_keep_a_member_from_borrowing(store):
    late(store, 2)
    with pytest.raises(RuleError, match="L30 fees to pay: card 4017 owes 29.00"):
        lend(store, "4017", "hedge trimmer", "2025-05-02")


def test_paying(store):
    late(store, 1)
    assert owes(store, "4017") == 14.5
    assert pay(store, "4017") == 14.5
    assert owes(store, "4017") == 0


def test_a_closed_loan_stays_as_it_is(store):
    late(store, 1)
    with pytest.raises(sqlite3.IntegrityError, match="a closed loan stays as it is"):
        store.connection.execute("UPDATE loans SET due_on = '2030-01-01'")
