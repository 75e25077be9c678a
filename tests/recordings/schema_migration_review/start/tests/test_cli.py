import pytest

from tinshelf.catalogue import add_item
from tinshelf.cli import main
from tinshelf.members import add_member
from tinshelf.store import Store


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "branch.db"
    store = Store.open(path)
    add_member(store, "4017", "Runa Feld", "2021-03-04")
    add_item(store, "cider press", "B3")
    store.close()
    return str(path)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["lend", "4017", "cider press", "--on", "2025-05-02"], 0, "cider press is due on 2025-05-23\n"),
        (["lend", "4017", "yurt", "--on", "2025-05-02"], 2, "tinshelf: L11 unknown item: yurt\n"),
        (["reserve", "4017", "cider press", "--on", "2025-05-02"], 0, "place 1 for cider press\n"),
        (["find", "press"], 0, "cider press, shelf B3: 1 free\n"),
        (["restore", "--version", "1"], 3, "tinshelf: B50 no backup: branch.db.keep-1 does not exist\n"),
    ],
)
def test_commands(file, capsys, arguments, code, said):
    assert main(["--file", file, *arguments]) == code
    printed = capsys.readouterr()
    assert printed.out + printed.err == said
