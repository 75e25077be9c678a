"""Fences: how a mark is looked for in the material, whatever it is written in."""

import unicodedata

from hypothesis import example, given
from hypothesis import strategies as st

from pytest_compaction.models.chat.fences import _SEPARATORS, _packed


@given(
    st.text(st.one_of(st.characters(), st.sampled_from("aAeE09 -…\u0301\u0338ﬁＡＢß")), max_size=20)
)
@example("e\u0301 0…1 \uff21 ſ")
@example("\ud800 a\udfff")
def test_a_text_is_packed_as_if_it_were_narrowed_as_a_whole(text):
    narrowed = unicodedata.normalize("NFKC", text).casefold()
    wanted = narrowed.encode("ascii", "ignore").lower().translate(None, _SEPARATORS)
    assert _packed(text) == wanted
