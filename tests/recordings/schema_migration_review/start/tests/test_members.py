import sqlite3

import pytest

from tinshelf.errors import RuleError
from tinshelf.members import add_member, annotate, member


def test_member(store):
    assert member(store, "4017").name == "Runa Feld"
    with pytest.raises(RuleError, match="L10 unknown card: 4099"):
        member(store, "4099")


def test_a_card_is_given_out_once(store):
    with pytest.raises(sqlite3.IntegrityError):
        add_member(store, "4017", "Somebody Else", "2025-01-01")


def test_notes(store):
    assert annotate(store, "4017", "pays in coins").note == "pays in coins"
    assert annotate(store, "4017", None).note is None
