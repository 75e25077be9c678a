"""The change log."""

import pytest

from wright.changelog import parse_changelog, read_changelog, section_for
from wright.errors import ChangelogError, MissingFileError
from wright.version import Version

TEXT = """# Changelog

## 1.1.0

- frost: sooner
- frost: for longer
- intake: new

## 1.0.0

- first
"""


def test_sections():
    versions = [str(section.version) for section in parse_changelog(TEXT)]
    assert versions == ["1.1.0", "1.0.0"]


def test_scopes_are_grouped():
    groups = parse_changelog(TEXT)[0].by_scope()
    assert {scope: len(entries) for scope, entries in groups.items()} == {"frost": 2, "intake": 1}


def test_an_entry_without_scope():
    (entry,) = parse_changelog(TEXT)[1].entries
    assert (entry.scope, str(entry)) == ("", "first")


def test_as_text():
    assert parse_changelog(TEXT)[1].as_text() == "1.0.0\n  * first"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("- early\n", "line 1: an entry before the first version"),
        ("## 1.0.0\n\n## 0.9.0\n- x\n", "no entry for 1.0.0"),
        ("## 1.0.0\n- x\n\n## 1.1.0\n- y\n", "1.1.0 stands below 1.0.0"),
    ],
)
def test_faults(text, problem):
    with pytest.raises(ChangelogError, match=problem):
        parse_changelog(text)


def test_no_section():
    with pytest.raises(ChangelogError, match="E430 no section for 3.0.0"):
        section_for(parse_changelog(TEXT), Version(3, 0, 0))


def test_no_file(tmp_path):
    with pytest.raises(MissingFileError):
        read_changelog(tmp_path)
