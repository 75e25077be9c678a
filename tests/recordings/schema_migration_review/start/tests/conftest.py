import pytest

from tinshelf.catalogue import add_item
from tinshelf.members import add_member
from tinshelf.store import Store


@pytest.fixture
def store():
    store = Store.open(":memory:")
    add_member(store, "4017", "Runa Feld", "2021-03-04")
    add_member(store, "4018", "Osk Marten", "2022-07-19")
    add_item(store, "hedge trimmer", "C2")
    add_item(store, "tent for four", "A1", copies=2)
    yield store
    store.close()
