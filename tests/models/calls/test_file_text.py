"""The text of store files: as the package json writes it, but with less work."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.callers import call

from pytest_compaction.models.calls import file_text
from pytest_compaction.models.calls.file_text import CIPHERTEXT, file_bytes, written_request
from pytest_compaction.secrets.keys import scrubbed_json

KEY = "sk-ABCDEFGHIJKLMNOP1234"
TEXTS = st.one_of(st.text(max_size=8), st.sampled_from([KEY, "\ud800", "é\n\"'\\"]))
VALUES = st.recursive(
    st.one_of(TEXTS, st.integers(), st.booleans(), st.none(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(TEXTS, inner)),
    max_leaves=12,
)


def plainly(data):
    """What the package json writes, escaped where it must be."""
    for ascii_only in (False, True):
        text = json.dumps(data, sort_keys=True, indent=1, ensure_ascii=ascii_only, allow_nan=False)
        try:
            return f"{text}\n".encode()
        except UnicodeEncodeError:
            continue
    return b""


@given(st.dictionaries(TEXTS, VALUES))
def test_a_request_is_written_as_the_package_json_writes_it_scrubbed(body):
    try:
        wanted = plainly({"request": scrubbed_json(body, CIPHERTEXT)})
    except ValueError:  # an infinite number
        with pytest.raises(ValueError, match="not JSON compliant"):
            file_bytes({"request": written_request(body, ())})
    else:
        assert file_bytes({"request": written_request(body, ())}) == wanted


def test_an_object_that_requests_have_in_common_is_written_once(monkeypatch):
    written = []
    indented = file_text._indented
    monkeypatch.setattr(
        file_text, "_indented", lambda value, line: written.append(value) or indented(value, line)
    )
    form = {"type": "json_schema", "json_schema": {"name": "only in this test"}}
    for number in range(5):
        body = call(f"{number}?", response_format=form).body
        file_bytes({"request": written_request(body, ())})
    assert written.count(form) == 1


def test_a_key_that_becomes_known_is_scrubbed_in_what_was_written_before():
    body = {"response_format": {"name": "a-rather-long-word"}}
    assert b"a-rather-long-word" in file_bytes({"request": written_request(body, ())})
    secrets = ("a-rather-long-word",)
    assert b"a-rather-long-word" not in file_bytes({"request": written_request(body, secrets)})
