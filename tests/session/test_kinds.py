"""The kinds of benchmark items: one table, and what each class in it promises."""

from contextlib import closing
from types import SimpleNamespace

import pytest
from support.measuring import offline_settings
from support.paths import CASES
from support.talks import talk, write

from pytest_compaction.session.items.collection import groups_of, item_of, items_of
from pytest_compaction.session.items.kinds import ARM, KINDS, Kind
from pytest_compaction.session.resolve import resolve_session


@pytest.fixture
def session(tmp_path):
    """A session with shipped cases, two dialogues, and a broken file of each kind."""
    write(tmp_path, talk(1), talk(2, 3, "GR"), {"history": [], "task": "GR"})
    (tmp_path / "broken.json").write_text("{}")
    named = (str(CASES / "debugging"), "talks.jsonl", "broken.json")
    settings = offline_settings(compactors=("anchored", "truncate"), cases=named, trials=2)
    with closing(resolve_session(settings, tmp_path, tmp_path, False, {}, {})) as session:
        yield session


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("with_arms", [True, False])
def test_an_item_is_found_again_from_the_parameters_of_its_pytest_item(session, name, with_arms):
    kind = KINDS[name]
    items = items_of(kind, session, with_arms)
    assert len(items) > 2
    for item in items.values():
        params = dict(zip(kind.fixtures, item.parameters, strict=True)) | {ARM: item.arm}
        assert item_of(SimpleNamespace(callspec=SimpleNamespace(params=params))) == item


@pytest.mark.parametrize("name", KINDS)
def test_a_broken_file_is_one_item_without_a_strategy_and_without_a_record(session, name):
    broken = [item for item in items_of(KINDS[name], session).values() if item.error]
    assert [item.arm for item in broken] == [None]
    assert broken[0].record_without_result("x", "error", "broken", session.settings) is None


@pytest.mark.parametrize("name", KINDS)
def test_every_other_item_has_a_record_whatever_happens_to_it(session, name):
    for item in items_of(KINDS[name], session).values():
        if not item.error:
            record = item.record_without_result("x", "error", "out of order", session.settings)
            assert (record["status"], record["reason"]) == ("error", "out of order")
            assert (record["case"], record["compactor"]) == (
                item.mark["case"],
                item.arm.compactor,
            )
            assert (item.score(record), dict(item.figures(record))) == (None, {})


def test_every_item_id_has_a_group(session):
    ids = [id for kind in KINDS.values() for id in items_of(kind, session)]
    assert set(ids) <= groups_of(session).keys()


def test_ids_differ_even_where_the_names_of_items_are_the_same(session):
    class Twins:
        """Items that all have the same name."""

        @classmethod
        def planned(cls, session, with_arms):
            return [("a", 1), ("a.2", 2), ("a", 3)]

    class TwinKind(Kind):
        def load(self):
            return Twins

    assert items_of(TwinKind(("twin",), ""), session) == {"a": 1, "a.2": 2, "a.3": 3}


def test_another_test_is_no_benchmark_item():
    assert item_of(SimpleNamespace()) is None
    params = {"case": "a text", "probe": "another", "dialogue": 3}
    assert item_of(SimpleNamespace(callspec=SimpleNamespace(params=params))) is None
