"""A known key is found in the forms in which an endpoint, a log or a terminal repeats it."""

import base64
import codecs
import gzip
import json
import re
from urllib.parse import quote

import pytest
from support.secret_kinds import SHAPED, SHAPELESS, value_of

from pytest_compaction.secrets import BLOT, plain, scrubbed


def rows(key, separator, width=16):
    return separator.join(key[at : at + width] for at in range(0, len(key), width))


def each(form):
    return lambda key: "".join(form.format(ord(character)) for character in key)


def b64(data):
    return base64.b64encode(data).decode()


ECHOES = {
    "reversed": lambda key: key[::-1],
    "upper": str.upper,
    "swapped case": str.swapcase,
    "ROT13": lambda key: codecs.encode(key, "rot13"),
    "base64 in JSON": lambda key: json.dumps({"v": b64(json.dumps({"key": key}).encode())}),
    "base64 twice": lambda key: b64(b64(key.encode()).encode()),
    "base64 in lines": lambda key: base64.encodebytes(b"u=1&key=" + key.encode() * 2).decode(),
    "base64 of UTF-16": lambda key: b64(key.encode("utf-16-le")),
    "base64 of gzip": lambda key: b64(gzip.compress(key.encode(), mtime=0)),
    "base32": lambda key: base64.b32encode(key.encode()).decode(),
    "base85": lambda key: base64.b85encode(key.encode()).decode(),
    "hexadecimal": lambda key: key.encode().hex(" "),
    "hexadecimal with 0x": lambda key: ", ".join(f"0x{ord(sign):02x}" for sign in key),
    "list of numbers": lambda key: str(list(key.encode())),
    "list of letters": lambda key: json.dumps(list(key)),
    "binary": lambda key: " ".join(f"{ord(sign):08b}" for sign in key),
    "escapes of JSON": each("\\u{:04x}"),
    "escapes of JSON in JSON": each("\\\\u{:04x}"),
    "octal": each("\\{:03o}"),
    "octets of an address, escaped twice": each("%25{:02x}"),
    "entities": each("&#{};"),
    "entities in HTML": each("&amp;#{};"),
    "quoted-printable": each("={:02X}"),
    "spaces": " ".join,
    "zero-width spaces": "\u200b".join,
    "soft hyphens": "\u00ad".join,
    "overstruck": lambda key: "".join(f"{sign}\b{sign}" for sign in key),
    "colours": lambda key: rows(key, "\x1b[38;5;196m", 9),
    "colours as JSON": lambda key: rows(key, "\\u001b[1m", 9),
    "lines": lambda key: rows(key, "\n", 8),
    "lines of a mail": lambda key: rows(key, "\n> "),
    "lines of a table": lambda key: rows(key, " │\n│ "),
    "joined strings": lambda key: rows(key, '" +\n    "', 12),
    "tags": lambda key: rows(key, "<wbr>", 10),
    "wide letters": lambda key: "".join(chr(ord(sign) + 0xFEE0) for sign in key),
    "without signs": lambda key: re.sub(r"[-_.]", "", key),
    "name of a file": lambda key: f"out/{key}.txt",
    "last half": lambda key: key[len(key) // 2 :],
    "all but the middle": lambda key: f"{key[:14]}...{key[-14:]}",
    "masked": lambda key: f"{key[:8]}{'*' * 30}{key[-4:]}",
}
"""How others write a key."""


@pytest.mark.parametrize("echo", ECHOES)
def test_at_most_three_of_a_hundred_keys_stay_in_an_echo(echo):
    kinds = [*SHAPED, *SHAPELESS]
    stay = []
    for kind in kinds:
        key = value_of(kind, "echo")[0]
        form = ECHOES[echo](key)
        shown = scrubbed(f"« {form} »", (key,))
        if form in shown or form[10:30] in shown:
            stay.append(kind)
        assert shown.startswith("« ") and shown.endswith(" »")
    assert len(stay) <= 0.03 * len(kinds), stay


KEY = "demo-Zq8vK2mN4pR6tY8wB1cD3fG5hJ7kL9xA0sE2"


@pytest.mark.parametrize(
    "text",
    [
        "demo-app-server is the demo of the app server, demo-Z is another",
        "d41d8cd98f00b204e9800998ecf8427e and 0123456789abcdef0123456789abcdef",
        "3e6a1ff0-94b1-11f0-aa6f-0a88d2e03acf, VGhpcyBpcyBhIHBsYWluIHNlbnRlbmNlIHdpdGhvdXQ=",
        "from 8 to 12 of 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536 in all",
        "a\u200bb &lt;i&gt; %20 \\u00e9 \x1b[1mbold\x1b[0m",
    ],
)
def test_what_only_shares_a_word_with_a_key_stays(text):
    assert scrubbed(text, (KEY,)) == text


def test_words_around_a_key_stay_and_a_key_of_words_is_found_whole_alone():
    assert scrubbed(f"a {quote(KEY)} b", (KEY,)) == f"a {BLOT} b"
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
