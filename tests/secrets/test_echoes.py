"""A known key is found as others write it: in addresses, JSON, capitals, hexadecimal and base64."""

import base64
import json
from urllib.parse import quote

import pytest

from pytest_compaction.secrets import BLOT, plain, scrubbed

KEY = "demo-Zq8vK2mN4/R6tY8wB1+D3fG5hJ7kL9xA0sE2"
FORMS = {
    "itself": KEY,
    "an address": quote(KEY, safe=""),
    "JSON": json.dumps({"v": f"\n{KEY}"}).replace("/", r"\/"),
    "basic authentication": base64.b64encode(f"user:{KEY}".encode()).decode(),
    "upper case": KEY.upper(),
    "hexadecimal": f"0x{KEY.encode().hex()}",
    "hexadecimal of bytes": KEY.encode().hex().upper(),
    "base64 for addresses": base64.urlsafe_b64encode(f"v{KEY}".encode()).decode(),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_known_key_is_replaced_in_its_forms(form):
    shown = scrubbed(f"« {FORMS[form]} »", (KEY,), shapes=False)
    assert BLOT in shown
    assert FORMS[form][10:30] not in shown
    assert shown.startswith("« ") and shown.endswith(" »")


def test_words_around_a_key_stay_and_a_key_of_words_is_found_whole_alone():
    assert scrubbed(f"a {quote(KEY)} b", (KEY,)) == f"a {BLOT} b"
    assert scrubbed("demo-app-server, demo-Z", (KEY,)) == "demo-app-server, demo-Z"
    words = "correct horse battery staple"
    assert scrubbed("correct-horse battery", (words,)) == "correct-horse battery"
    assert scrubbed(f"({words})", (words,)) == f"({BLOT})"


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a\\u002db", "a-b"),
        ("a\\\\u002Db%252dc", "a-b-c"),
        ("a&#45;b&#x2d;c&amp;#45;d&lt;", "a-b-c-d<"),
        ("\x1b[31ma\x1b[0m\u200bb<b>c</b>", "abc"),
        ("ａ－ｂ", "a-b"),
    ],
)
def test_a_reading_has_no_escapes_and_a_place_for_each_character(text, read):
    found = plain(text)
    assert found.text == read
    assert found.span(0, len(read)) == (found.starts[0], len(text))
    assert plain(read) is None
