import pytest

from tinshelf.catalogue import add_item, item, search
from tinshelf.errors import RuleError


def test_search_needs_all_words(store):
    add_item(store, "tent for two", "A1")
    assert [thing.title for thing in search(store, "TENT for")] == ["tent for four", "tent for two"]
    assert [thing.title for thing in search(store, "two tent")] == ["tent for two"]
    assert search(store, "yurt") == []


def test_item(store):
    assert (item(store, "tent for four").copies, item(store, "tent for four").shelf) == (2, "A1")
    with pytest.raises(RuleError, match="L11 unknown item: yurt"):
        item(store, "yurt")
