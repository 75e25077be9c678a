"""Errors that a damaged file raises are told as what is wrong with the file."""

import gzip
import json
import lzma
import zipfile
import zlib
from dataclasses import replace
from io import BytesIO

import pytest

from pytest_compaction.cli import main
from pytest_compaction.importers import fault_of_file
from pytest_compaction.importers.formats.plain import IMPORTER as PLAIN


def _deep():
    return _deep()


def _too_large():
    raise MemoryError


class ZstdError(Exception):
    """As the packages call it."""


def _zstandard():
    raise ZstdError("Unknown frame descriptor")


DAMAGED = {
    "zlib": (lambda: zlib.decompress(b"no"), "copy it again"),
    "gzip": (lambda: gzip.decompress(b"no gzip"), "copy it again"),
    "cut gzip": (lambda: gzip.decompress(gzip.compress(b"text" * 99)[:-9]), "copy it again"),
    "lzma": (lambda: lzma.decompress(b"no"), "copy it again"),
    "zip": (lambda: zipfile.ZipFile(BytesIO(b"no")), "copy it again"),
    "zstandard": (_zstandard, "copy it again"),
    "encoding": (lambda: b"a\xff".decode(), "byte 1 is not UTF-8"),
    "depth": (_deep, "nested too deeply"),
    "memory": (_too_large, "too large for the memory"),
}


@pytest.mark.parametrize("name", sorted(DAMAGED))
def test_an_error_of_a_damaged_file_is_no_fault_of_the_importer(
    name, tmp_path, monkeypatch, capsys
):
    read, said = DAMAGED[name]
    damaged = replace(PLAIN, read=lambda path: [read()])
    monkeypatch.setattr("pytest_compaction.importers.formats.plain.IMPORTER", damaged)
    path = tmp_path / "log.json"
    path.write_text(json.dumps([{"role": "user", "content": "go on"}]), "utf-8")
    assert main(["import", str(path), "--output", str(tmp_path / "cases")]) == 1
    told = capsys.readouterr().err
    assert f"{path}: " in told
    assert said in told
    assert "fault of the importer" not in told


def test_any_other_error_stays_a_fault_of_the_importer():
    assert fault_of_file(KeyError("role")) is None
    assert fault_of_file(ValueError("7")) is None
