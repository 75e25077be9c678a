from tinshelf.loans import give_back, lend
from tinshelf.report import overdue, statement, status


def test_status(store):
    lend(store, "4017", "tent for four", "2025-05-02")
    assert status(store)[1:] == [
        "members 2",
        "items 2, copies 3",
        "loans 1, open 1",
        "reservations 0",
        "fees 0.00",
    ]


def test_overdue(store):
    lend(store, "4017", "hedge trimmer", "2025-05-02")
    assert overdue(store, "2025-05-23") == []
    assert overdue(store, "2025-05-24") == ["2025-05-23  4017  Runa Feld  hedge trimmer"]


def test_statement(store):
    lend(store, "4017", "hedge trimmer", "2024-12-30")
    give_back(store, "4017", "hedge trimmer", "2025-01-24")
    lend(store, "4017", "hedge trimmer", "2025-02-01")
    assert statement(store, "4017", 2024) == ["2024-12-30  2025-01-24  hedge trimmer  1.16"]
    assert statement(store, "4017", 2025) == ["2025-02-01  at home     hedge trimmer  0.00"]
