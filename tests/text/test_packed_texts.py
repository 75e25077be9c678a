"""Packed texts are a list of texts in less memory."""

from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.text.packed_texts import PackedTexts

TEXTS = st.lists(st.text(st.characters(), max_size=12), max_size=12)


@given(TEXTS)
def test_texts_come_back_as_they_were_put_in(texts):
    packed = PackedTexts(texts)
    assert len(packed) == len(texts)
    assert list(packed) == texts


@given(TEXTS, st.text(st.characters(), max_size=3))
def test_a_part_is_found_in_the_texts_that_hold_it_and_never_across_two(texts, part):
    held = [number for number, text in enumerate(texts) if part in text]
    assert PackedTexts(texts).holding(part) == held


def test_a_lone_surrogate_is_a_text_too():
    assert list(PackedTexts(["\ud800", "a"])) == ["\ud800", "a"]
