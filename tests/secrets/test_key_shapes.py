"""The looks before a pattern is run: they change nothing in what is found."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pytest_compaction.secrets import keys, scrubbed
from pytest_compaction.secrets.shapes import SHAPES, TEST_NAME

PIECES = [
    *("sk- AKIA eyJ .eyJ T0ABCDEFGH/B0ABCDEFGH/ 123456789:AA :// user:p1@ Bearer apiKey".split()),
    *("PGPASSWORD= secret TOKEN password abcDEF123 0123456789abcdefghij ABCDEFGH12345678".split()),
    *('= " - @ . / _ é : İ \u017fecret api\u212aey='.split()),
    *["-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"],
    *["authorization: token ", 'api_key = "', "password is ", " ", "\n", "\r", "\x85", "\u2028"],
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


def plainly(shape, text):
    """What a shape finds if its pattern reads the whole text whenever a sign is in it."""
    searched = text.lower() if shape.pattern.flags & re.IGNORECASE else text
    if not any(sign in searched for sign in shape.signs):
        return []
    found = shape.pattern.finditer(text)
    return [m.span("secret") for m in found if not TEST_NAME.fullmatch(m["secret"])]


@given(TEXTS)
@example("secret = 1, api_key =\n'0123456789abcdefghij'")
@example("key, api\u212aey=0123456789abcdefghij")
def test_a_look_before_the_pattern_changes_nothing_in_what_is_found(text):
    for shape in SHAPES:
        assert list(shape.find(text)) == plainly(shape, text)


def test_a_text_is_scrubbed_once_for_the_same_secrets(monkeypatch):
    text = f"said in each request: {'sk-'}0123456789abcdefghij"
    looked = []
    plain = keys.find_known
    monkeypatch.setattr(
        keys, "find_known", lambda text, secrets: looked.append(text) or plain(text, secrets)
    )
    assert [scrubbed(text, ("hunter2hunter2",)) for _ in range(3)] == [
        "said in each request: [key]"
    ] * 3
    assert looked == [text]
    assert scrubbed(text + " hunter3hunter3", ("hunter3hunter3",)).count("[key]") == 2


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "MY_TOKEN"])
def test_a_secret_that_is_set_later_is_scrubbed_from_a_text_seen_before(monkeypatch, name):
    monkeypatch.delenv(name, raising=False)
    assert scrubbed("the word is hunter4hunter4") == "the word is hunter4hunter4"
    monkeypatch.setenv(name, "hunter4hunter4")
    assert scrubbed("the word is hunter4hunter4") == "the word is [key]"
