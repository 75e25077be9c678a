"""An archive of words: every text as it was written, and no trust in any byte."""

import random
import zipfile
from dataclasses import replace

import pytest

from pytest_compaction.models import (
    WORDS_FILE,
    Archive,
    ArchiveError,
    Manifest,
    RecordedPrompt,
    Words,
    archive_for,
    write,
)
from pytest_compaction.models.recorded.archive import MANIFEST, WORDS

ABOUT = Manifest(
    model="a large language model",
    dates="2026-11-23",
    sampling="of the service",
    provenance=("Each request alone.", "No API."),
    licence="CC-BY-4.0",
    cases={"first": "a" * 16},
    strategies={"anchored": RecordedPrompt("b" * 16, "2026-11-23")},
)
ROWS = tuple(
    Words(
        "summary",
        "first",
        "anchored",
        "p1",
        1,
        "",
        number,
        f"{number:064x}",
        f"half \udc80 {number}",
        covers=("m001", "m009"),
        budget=900,
    )
    for number in range(1, 21)
)


@pytest.fixture
def path(tmp_path):
    write(tmp_path / WORDS_FILE, ABOUT, reversed(ROWS))
    return tmp_path / WORDS_FILE


def rewritten(path, **members):
    """The file with other members, ``None`` for one that is left out."""
    with zipfile.ZipFile(path) as file:
        held = {name: file.read(name) for name in file.namelist()}
    held |= {MANIFEST if name == "manifest" else WORDS: data for name, data in members.items()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in held.items():
            if data is not None:
                file.writestr(name, data)


def test_what_is_written_is_read_back_and_the_same_words_give_the_same_bytes(path, tmp_path):
    archive = Archive(path)
    assert archive.words == ROWS
    assert replace(archive.manifest, replies=0, sha256="") == ABOUT
    assert archive.manifest.replies == len(ROWS)
    write(tmp_path / "again.zip", ABOUT, ROWS)
    assert (tmp_path / "again.zip").read_bytes() == path.read_bytes()
    assert not list(tmp_path.glob("*.part"))


def test_words_are_the_reply_to_a_call():
    said = ROWS[0].reply
    assert said.body["choices"][0]["message"]["content"] == ROWS[0].words
    assert said.usage.calls == 1
    assert replace(ROWS[0], finish="length").reply.body["choices"][0]["finish_reason"] == "length"


@pytest.mark.parametrize("cut", [0, 10, 200, -30])
def test_a_torn_file_is_named(path, cut):
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ArchiveError, match=r"words\.zip cannot be used: .*; put the file of your"):
        _ = Archive(path).words


def test_no_changed_byte_changes_a_text(path):
    whole = path.read_bytes()
    source = random.Random(2)
    kept = 0
    for _ in range(150):
        place = source.randrange(len(whole))
        path.write_bytes(
            whole[:place] + bytes([whole[place] ^ source.randrange(1, 256)]) + whole[place + 1 :]
        )
        try:
            found = Archive(path).words
        except ArchiveError:
            continue
        kept += 1
        assert found == ROWS
    assert kept < 100, "most changes are noticed; the others are in dates and names of the zip"


@pytest.mark.parametrize(
    "members",
    [
        {"manifest": b"{}"},
        {"manifest": b'{"format": 2}'},
        {"manifest": None},
        {"words": None},
        {"words": b"null\n"},
    ],
)
def test_other_members_are_refused(path, members):
    rewritten(path, **members)
    with pytest.raises(ArchiveError, match="cannot be used"):
        _ = Archive(path).words


def test_the_nearest_archive_above_a_case_is_read_up_to_the_root(tmp_path):
    case = tmp_path / "project" / "cases" / "real" / "first.json"
    case.parent.mkdir(parents=True)
    root = tmp_path / "project"
    write(tmp_path / WORDS_FILE, ABOUT, ())
    assert archive_for(case, root) is None
    write(case.parents[1] / WORDS_FILE, ABOUT, ROWS)
    assert archive_for(case, root).words == ROWS
    write(case.parent / WORDS_FILE, ABOUT, ROWS[:1])
    assert archive_for(case, root).words == ROWS[:1]
