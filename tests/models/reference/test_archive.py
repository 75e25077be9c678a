"""The file of a reference run: every reply by its request, and no trust in any byte."""

import random
import zipfile
from dataclasses import replace

import pytest
from support.reference_run import packed

from pytest_compaction.models import Archive, ArchiveError
from pytest_compaction.models.reference.shipped import MANIFEST, WORDS, Manifest, Words

ABOUT = Manifest(
    cases={"first": "a" * 16},
    strategies=("none", "anchored"),
    model="a large language model",
    dates="2026-11-23",
    provenance=("Each request alone.", "No API."),
    repairs=1,
)
ROWS = [
    Words("answer", "first", "anchored", "p1", 1, "any", n, f"{n:064x}", f"half \udc80 {n}")
    for n in range(20)
]


@pytest.fixture
def path(tmp_path):
    packed(tmp_path / "run.zip", ABOUT, ROWS)
    return tmp_path / "run.zip"


def rewritten(path, **members):
    """The file with other members, ``None`` for one that is left out."""
    with zipfile.ZipFile(path) as file:
        held = {name: file.read(name) for name in file.namelist()}
    held |= {MANIFEST if name == "manifest" else WORDS: data for name, data in members.items()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in held.items():
            if data is not None:
                file.writestr(name, data)


def test_every_reply_is_found_by_its_digest_and_no_other_is(path):
    run = Archive(path)
    for row in ROWS:
        reply = run.reply(row.digest)
        assert reply.body["choices"][0]["message"]["content"] == row.words
        assert reply.usage.calls == 1
    assert run.reply("f" * 64) is None
    assert replace(run.manifest, replies=0, sha256="") == ABOUT
    assert run.manifest.replies == len(ROWS)


@pytest.mark.parametrize("cut", [0, 10, 200, -30])
def test_a_torn_file_is_named(path, cut):
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(ArchiveError, match=r"run\.zip cannot be used: .*; install the package"):
        Archive(path).reply(ROWS[0].digest)


def test_no_changed_byte_changes_a_reply(path):
    whole = path.read_bytes()
    source = random.Random(2)
    kept = 0
    for _ in range(150):
        place = source.randrange(len(whole))
        path.write_bytes(
            whole[:place] + bytes([whole[place] ^ source.randrange(1, 256)]) + whole[place + 1 :]
        )
        try:
            found = Archive(path).reply(ROWS[3].digest)
        except ArchiveError:
            continue
        kept += 1
        assert found is not None
        assert found == ROWS[3].reply
    assert kept < 100, "most changes are noticed; the others are in dates and names of the zip"


@pytest.mark.parametrize(
    "members",
    [
        {"manifest": b"{}"},
        {"manifest": None},
        {"replies": None},
        {"replies": b"null\n"},
    ],
)
def test_other_members_are_refused(path, members):
    rewritten(path, **members)
    run = Archive(path)
    with pytest.raises(ArchiveError, match="cannot be used"):
        assert run.manifest and run.reply(ROWS[0].digest)


def test_the_file_is_opened_when_it_is_first_needed(tmp_path):
    run = Archive(tmp_path / "run.zip")
    packed(tmp_path / "run.zip", ABOUT, ROWS)
    assert run.reply(ROWS[0].digest) is not None
