"""Archives of Inspect that are broken, or that would unpack to what no machine can hold."""

from __future__ import annotations

import json
import random
import struct
import subprocess
import sys
import tracemalloc
import zipfile
from pathlib import Path

import pytest

from pytest_compaction.importers import ImportFormatError
from pytest_compaction.importers.formats import inspect as unpacked
from pytest_compaction.importers.formats.inspect import IMPORTER

HEADER = {"version": 2, "status": "success", "eval": {"task": "t", "model": "some/model"}}


_WITHIN_LIMITS = """
import resource, sys
resource.setrlimit(resource.RLIMIT_DATA, (350 * 1024**2,) * 2)
from pytest_compaction.cli import main
sys.exit(main(["import", sys.argv[1], "--output", sys.argv[2]]))
"""


def archive(path: Path, content: bytes, compression: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", compression) as file:
        file.writestr("header.json", json.dumps(HEADER))
        file.writestr("samples/1_epoch_1.json", content)
    return path


def refusal(path: Path) -> str:
    with pytest.raises(ImportFormatError) as caught:
        list(IMPORTER.read(path))
    assert str(caught.value).startswith(str(path))
    return str(caught.value)


def test_an_archive_that_unpacks_to_a_thousand_times_its_size_is_refused_unread(
    tmp_path: Path,
) -> None:
    path = archive(tmp_path / "x.eval", b'{"id":1,"messages":[' + b"[]," * 10_000_000 + b"0]}")
    assert path.stat().st_size < 64_000
    tracemalloc.start()
    try:
        said = refusal(path)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert "bytes that would unpack to 29 MB" in said


@pytest.fixture
def few_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unpacked, "MAX_VALUES", 1000)


@pytest.mark.usefixtures("few_values")
def test_a_sample_of_very_many_values_is_refused_before_it_is_parsed(tmp_path: Path) -> None:
    path = archive(tmp_path / "x.eval", b'{"id":1,"messages":[' + b"7," * 1000 + b"7]}")
    assert "1,003 values in 0 MB of JSON; a sample may have at most 1,000" in refusal(path)


@pytest.mark.usefixtures("few_values")
def test_signs_of_structure_within_texts_are_no_values(tmp_path: Path) -> None:
    drawn = random.Random(2)
    text = "".join(drawn.choice('[{,abcdef"\\ ') for _ in range(50_000))
    message = {"id": "u", "role": "user", "content": text}
    sample = {"id": 1, "epoch": 1, "messages": [message]}
    path = archive(tmp_path / "x.eval", json.dumps(sample).encode())
    (transcript,) = IMPORTER.read(path)
    assert transcript.messages[0].text == text


def test_a_size_that_is_not_the_real_one_is_told(tmp_path: Path) -> None:
    content = json.dumps({"id": 1, "messages": [{"role": "user", "content": "x" * 5000}]}).encode()
    path = archive(tmp_path / "x.eval", content)
    raw = path.read_bytes()
    assert raw.count(struct.pack("<L", len(content))) == 2
    path.write_bytes(raw.replace(struct.pack("<L", len(content)), struct.pack("<L", 100)))
    assert "copy it again" in refusal(path)


@pytest.mark.parametrize("compression", [zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED])
def test_every_byte_of_damage_is_a_sentence_or_does_no_harm(
    tmp_path: Path, compression: int
) -> None:
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


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested too deeply"),
        (b"PK\x03\x04\x14\x00\x00\x00\xff" * 100, "is not UTF-8"),
    ],
    ids=["deep", "an archive in the archive"],
)
def test_what_is_no_sample_is_refused(tmp_path: Path, content: bytes, said: str) -> None:
    assert said in refusal(archive(tmp_path / "x.eval", content))


def test_what_a_small_archive_holds_takes_a_bounded_part_of_the_memory(tmp_path: Path) -> None:
    path = archive(tmp_path / "x.eval", b'{"id":1,"messages":[' + b"[]," * 600_000 + b"0]}")
    command = [sys.executable, "-c", _WITHIN_LIMITS, str(path), str(tmp_path / "cases")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1
    assert "list instead of a message" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_compression_that_no_log_has_is_refused_unread(tmp_path: Path) -> None:
    path = archive(tmp_path / "x.eval", b"{}" * 100, zipfile.ZIP_BZIP2)
    assert "a way that Inspect does not use (method 12)" in refusal(path)


def test_the_name_of_a_member_leads_nowhere_and_is_shown_without_escapes(tmp_path: Path) -> None:
    path = tmp_path / "x.eval"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("samples/../../\x1b[31mout.json", "{")
    said = refusal(path)
    assert "\x1b" not in said
    assert sorted(tmp_path.iterdir()) == [path]
