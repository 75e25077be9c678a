import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tinshelf.errors import FileError
from tinshelf.migrate import known, migrate
from tinshelf.schema import LATEST
from tinshelf.store import Store

SAMPLES = Path(__file__).parents[1] / "samples"


@pytest.fixture
def eastgate(tmp_path):
    """The file of a real branch, names changed."""
    path = tmp_path / "eastgate.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript((SAMPLES / "eastgate.sql").read_text())
    return path


def test_versions_have_no_gap():
    assert [step.version for step in known()] == list(range(1, LATEST + 1))


def test_an_empty_file_goes_through_all_steps(tmp_path):
    path = tmp_path / "new.db"
    assert migrate(path, say=lambda text: None) == LATEST


def test_every_row_is_still_there(eastgate):
    migrate(eastgate)
    store = Store.open(eastgate)
    assert [store.count(table) for table in ("members", "items", "loans", "reservations")] == [
        12,
        13,
        58,
        7,
    ]
    store.close()


def test_a_newer_file_is_left_alone(tmp_path):
    path = tmp_path / "newer.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    with pytest.raises(FileError, match="M10 file is newer than the program: schema 99"):
        migrate(path)


def test_nothing_to_do(eastgate):
    migrate(eastgate)
    said = []
    assert migrate(eastgate, said.append) == LATEST
    assert said == []
