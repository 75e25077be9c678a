"""Versions."""

import pytest

from wright.errors import MissingFileError, VersionError
from wright.version import Version, read_version, write_version


@pytest.mark.parametrize("text", ["0.0.1", "2.3.1", "10.0.0", "2.4.0-rc.1", "1.0.0-beta"])
def test_text_survives_a_round_trip(text):
    assert str(Version.parse(text)) == text


@pytest.mark.parametrize("text", ["", "1.2", "1.2.3.4", "01.2.3", "v1.2.3", "1.2.3-"])
def test_what_is_no_version(text):
    with pytest.raises(VersionError, match="E401 not a version"):
        Version.parse(text)


def test_order():
    texts = ["1.9.9", "2.0.0-alpha", "2.0.0-rc.2", "2.0.0-rc.10", "2.0.0", "2.0.1", "2.10.0"]
    versions = [Version.parse(text) for text in texts]
    assert sorted(reversed(versions)) == versions


@pytest.mark.parametrize(
    ("before", "part", "after"),
    [
        ("2.3.1", "major", "3.0.0"),
        ("2.3.1", "minor", "2.4.0"),
        ("2.3.1", "patch", "2.3.2"),
        ("2.4.0-rc.2", "patch", "2.4.0"),
    ],
)
def test_bump(before, part, after):
    assert str(Version.parse(before).bump(part)) == after


def test_bump_refuses_an_unknown_part():
    with pytest.raises(VersionError, match="cannot bump 'micro'"):
        Version.parse("1.0.0").bump("micro")


def test_candidates_count_up():
    first = Version.parse("2.4.0").candidate()
    assert (str(first), str(first.candidate())) == ("2.4.0-rc.1", "2.4.0-rc.2")


def test_file(tmp_path):
    write_version(tmp_path, Version.parse("1.4.2"))
    assert (tmp_path / "VERSION").read_text() == "1.4.2\n"
    assert read_version(tmp_path) == Version(1, 4, 2)


def test_file_is_missing(tmp_path):
    with pytest.raises(MissingFileError, match="E404 no VERSION"):
        read_version(tmp_path)
