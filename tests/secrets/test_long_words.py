"""The words that a key may be in, and the signs by which files are looked through at all."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_compaction.secrets.formatted import _long_words, find_in_files

SIGNS = st.sampled_from("aZ09_-*. /é٣\u2028\ud800😀")
PIECES = st.one_of(SIGNS, st.builds(str.__mul__, SIGNS, st.integers(1, 20)))


@given(st.lists(PIECES, max_size=12).map("".join))
def test_the_long_words_of_a_text_are_those_of_the_pattern(text):
    assert list(_long_words(text)) == [
        word.start() for word in re.finditer(r"(?a)[\w\-*]{14,}+", text)
    ]


@pytest.mark.parametrize(
    ("text", "is_secret"),
    [
        ('{"auth": "dXNlcjpwYXNzd29yZA=="}', True),
        ('{\\"auth\\": \\"dXNlcjpwYXNzd29yZA==\\"}', True),
        ("{'auth' = 'dXNlcjpwYXNzd29yZA=='}", True),
        ("_auth=dXNlcjpwYXNzd29yZA==", True),
        ("//registry.example/:_auth = dXNlcjpwYXNzd29yZA==", True),
        ("my_auth=dXNlcjpwYXNzd29yZA==", False),
        ("auth: dXNlcjpwYXNzd29yZA==", False),
        ("machine example.org login me password s3cret", True),
        ("a_machine example.org login me password s3cret", False),
    ],
)
def test_logins_in_files_are_found_by_their_name(text, is_secret):
    assert len(list(find_in_files(text))) == is_secret
