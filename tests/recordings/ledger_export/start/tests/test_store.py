import json

import pytest
from books import MARCH, post, small_books

from tallybook.errors import LedgerError
from tallybook.models import Month
from tallybook.store import LedgerStore, append_entries

ACCOUNT = {"type": "account", "number": "1200", "name": "Bank", "kind": "asset", "currency": "EUR"}


def test_load(tmp_path):
    path = tmp_path / "j.jsonl"
    path.write_text("# books\n\n" + json.dumps(ACCOUNT) + "\n", encoding="utf-8")
    assert LedgerStore.load(path).account("1200").name == "Bank"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{", "TB-204"),
        ('{"type": "budget"}', "TB-204"),
        (json.dumps(ACCOUNT | {"kind": "hobby"}), "TB-203"),
        (json.dumps({"type": "rate", "currency": "DKK", "value": "x"}), "TB-204"),
    ],
)
def test_bad_lines_are_named(tmp_path, line, code):
    path = tmp_path / "j.jsonl"
    path.write_text(f"# books\n{line}\n", encoding="utf-8")
    with pytest.raises(LedgerError, match="line 2") as caught:
        LedgerStore.load(path)
    assert caught.value.code == code


def test_missing_journal(tmp_path):
    with pytest.raises(LedgerError) as caught:
        LedgerStore.load(tmp_path / "none.jsonl")
    assert (caught.value.code, caught.value.exit_code) == ("TB-401", 4)


def test_vouchers_are_unique():
    store = small_books()
    post(store, "B-1", "2025-03-01", 100)
    with pytest.raises(LedgerError, match="voucher B-1 exists twice"):
        post(store, "B-1", "2025-03-02", 100)


def test_postings_of_a_month():
    store = small_books()
    post(store, "B-1", "2025-02-28", 1)
    post(store, "B-2", "2025-03-31", 2)
    post(store, "B-3", "2025-03-01", 3)
    post(store, "B-4", "2025-04-01", 4)
    assert [entry.voucher for entry, _ in store.postings("1200", MARCH)] == ["B-3", "B-2"]


def test_month_form():
    with pytest.raises(LedgerError) as caught:
        Month.parse("2025-13")
    assert str(caught.value) == "TB-118: a month looks like YYYY-MM, not '2025-13'"


def test_append_can_be_loaded_again(tmp_path):
    store = small_books()
    post(store, "B-1", "2025-03-01", -4250, "DKK")
    path = tmp_path / "j.jsonl"
    accounts = [ACCOUNT, ACCOUNT | {"number": "5100", "kind": "expense"}]
    path.write_text("".join(json.dumps(a) + "\n" for a in accounts), encoding="utf-8")
    assert append_entries(path, store.entries()) == 1
    assert LedgerStore.load(path).entries() == store.entries()
