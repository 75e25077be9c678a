import pytest
from books import march_books

from tallybook.cli import main
from tallybook.store import append_entries

CHART = """\
{"type": "account", "number": "1200", "name": "Bank", "kind": "asset", "currency": "EUR"}
{"type": "account", "number": "4000", "name": "Sales", "kind": "income", "currency": "EUR"}
{"type": "account", "number": "5100", "name": "Rope", "kind": "expense", "currency": "EUR"}
"""


@pytest.fixture
def journal(tmp_path):
    path = tmp_path / "books.jsonl"
    path.write_text(CHART, encoding="utf-8")
    append_entries(path, march_books(4).entries())
    return path


def call(journal, *arguments):
    return main(["--config", "none.ini", "--journal", str(journal), *arguments])


def test_statement(journal, capsys):
    assert call(journal, "statement", "1200", "--month", "2025-03") == 0
    assert "Closing balance" in capsys.readouterr().out


def test_statement_to_file(journal, tmp_path, capsys):
    target = tmp_path / "march.txt"
    arguments = ["statement", "1200", "--month", "2025-03", "--out", str(target)]
    assert call(journal, *arguments) == 0
    assert "(4 lines)" in capsys.readouterr().out
    assert target.read_text(encoding="utf-8").endswith("Lines 4\n")


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["statement", "1200", "--month", "March"], "TB-118", 2),
        (["statement", "9999", "--month", "2025-03"], "TB-404", 4),
        (["statement", "1200", "--month", "2025-03", "--format", "pdf"], "TB-131", 2),
    ],
)
def test_mistakes(journal, capsys, arguments, code, exit_code):
    assert call(journal, *arguments) == exit_code
    assert capsys.readouterr().err.startswith(f"error {code}: ")


def test_accounts_and_check(journal, capsys):
    assert call(journal, "accounts") == 0
    assert call(journal, "check", "--strict") == 0
    assert capsys.readouterr().out.endswith("3 accounts, 5 entries\n")
