"""Codecs and the collecting of files."""

import pytest

from wright import codecs
from wright.errors import UnknownCodecError, WrightError
from wright.tree import digest, is_ignored, payload_files


@pytest.mark.parametrize("name", ["plain", "hex", "base64"])
def test_codecs_undo_themselves(name):
    codec = codecs.get(name)
    assert codec.decode(codec.encode(b"\x00rule\xff")) == b"\x00rule\xff"


def test_unknown_codec():
    with pytest.raises(UnknownCodecError, match="E412 unknown codec 'zip'"):
        codecs.get("zip")


def test_a_name_is_registered_once():
    codecs.register("upper", bytes.upper, bytes.lower)
    with pytest.raises(WrightError, match="registered already"):
        codecs.register("upper", bytes.upper, bytes.lower)


def test_set_default():
    before = codecs.set_default("hex")
    assert before == "plain"
    assert codecs.get().name == "hex"


@pytest.mark.parametrize("name", ["a.tmp", "deep/a.tmp", ".git/config"])
def test_ignored_names(name):
    assert is_ignored(name, ("*.tmp", ".*"))


def test_payload_files_are_sorted(tmp_path):
    for name in ("b", "a", "c.tmp"):
        (tmp_path / name).write_text(name)
    assert [name for name, _ in payload_files(tmp_path, ["*.tmp"])] == ["a", "b"]


def test_digest():
    assert digest(b"") == "e3b0c44298fc1c14"
