"""The digest of a case is the hash of its canonical JSON, whose text is never held as a whole."""

from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.case.case import digest_of
from pytest_compaction.conversation import canonical_json, short_hash

TEXTS = st.text(st.characters(exclude_categories=()), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda held: st.lists(held, max_size=3) | st.dictionaries(TEXTS, held, max_size=3),
    max_leaves=12,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_a_digest_is_the_hash_of_the_canonical_json(data):
    assert digest_of(data) == short_hash(canonical_json(data))


def test_a_digest_does_not_depend_on_the_order_of_keys():
    one, other = {"id": "a", "messages": [{"id": "m", "role": "user"}]}, {}
    other["messages"] = [{"role": "user", "id": "m"}]
    other["id"] = "a"
    assert digest_of(one) == digest_of(other)


def test_questions_that_are_never_asked_do_not_change_a_digest():
    case = {"id": "a", "probes": [{"id": "p"}]}
    reviewed = {**case, "proposed": [{"id": "q"}], "declined": [{"id": "r"}]}
    assert digest_of(reviewed) == digest_of(case)
    assert digest_of({**case, "probes": [{"id": "p"}, {"id": "q"}]}) != digest_of(case)
