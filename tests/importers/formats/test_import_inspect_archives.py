"""Archives of Inspect that are broken, or that would unpack to what no machine can hold."""

from __future__ import annotations

import json
import struct
import zipfile

import pytest

from pytest_compaction.importers import ImportFormatError
from pytest_compaction.importers.formats.inspect import IMPORTER

HEADER = {"version": 2, "status": "success", "eval": {"task": "t", "model": "some/model"}}


def archive(path, content, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as file:
        file.writestr("header.json", json.dumps(HEADER))
        file.writestr("samples/1_epoch_1.json", content)
    return path


def refusal(path):
    with pytest.raises(ImportFormatError) as caught:
        list(IMPORTER.read(path))
    assert str(caught.value).startswith(str(path))
    return str(caught.value)


def test_a_size_that_is_not_the_real_one_is_told(tmp_path):
    content = json.dumps({"id": 1, "messages": [{"role": "user", "content": "x" * 5000}]}).encode()
    path = archive(tmp_path / "x.eval", content)
    raw = path.read_bytes()
    assert raw.count(struct.pack("<L", len(content))) == 2
    path.write_bytes(raw.replace(struct.pack("<L", len(content)), struct.pack("<L", 100)))
    assert "copy it again" in refusal(path)


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_every_byte_of_damage_is_a_sentence_or_does_no_harm(tmp_path, compression):
    message = {"id": "u", "role": "user", "content": "read both files and say what is in them"}
    sample = {"id": 1, "epoch": 1, "messages": [message]}
    sound = archive(tmp_path / "x.eval", json.dumps(sample).encode(), compression).read_bytes()
    path = tmp_path / "broken.eval"
    told: list[str] = []
    for place in range(4, len(sound), 2):
        raw = bytearray(sound)
        raw[place] ^= 0x55
        path.write_bytes(raw)
        try:
            list(IMPORTER.read(path))
        except ImportFormatError as error:
            told.append(str(error))
    assert len(told) > len(sound) // 4
    assert all(map(str.isprintable, told))


def test_a_compression_that_no_log_has_is_refused_unread(tmp_path):
    path = archive(tmp_path / "x.eval", b"{}" * 100, zipfile.ZIP_BZIP2)
    assert "a way that Inspect does not use (method 12)" in refusal(path)


def test_the_name_of_a_member_leads_nowhere_and_is_shown_without_escapes(tmp_path):
    path = tmp_path / "x.eval"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("samples/../../\x1b[31mout.json", "{")
    said = refusal(path)
    assert "\x1b" not in said
    assert sorted(tmp_path.iterdir()) == [path]
