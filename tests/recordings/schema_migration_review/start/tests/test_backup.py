import pytest

from tinshelf.backup import back_up, restore
from tinshelf.errors import FileError
from tinshelf.members import add_member, member
from tinshelf.store import Store


def test_there_and_back(tmp_path):
    path = tmp_path / "branch.db"
    store = Store.open(path)
    add_member(store, "1", "One", "2025-01-01")
    assert back_up(path, 3).name == "branch.db.keep-3"
    add_member(store, "2", "Two", "2025-01-01")
    store.close()
    restore(path, 3)
    store = Store.open(path)
    assert member(store, "1").name == "One"
    assert store.count("members") == 1
    store.close()


def test_no_backup(tmp_path):
    with pytest.raises(FileError, match="B50 no backup: branch.db.keep-2 does not exist"):
        restore(tmp_path / "branch.db", 2)
