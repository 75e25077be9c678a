from pytest_compaction.cache import Latest


def test_a_value_is_made_once_while_an_equal_thing_comes():
    made = []
    latest = Latest(lambda thing: made.append(thing) or len(thing))
    things = [("a", "b"), tuple("ab"), ("c",), ("a", "b")]
    assert [latest.of(thing) for thing in things] == [2, 2, 1, 2]
    assert made == [("a", "b"), ("c",), ("a", "b")]
