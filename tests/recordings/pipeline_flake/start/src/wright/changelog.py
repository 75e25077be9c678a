"""The change log: one section for each version, newest first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from wright.errors import ChangelogError, MissingFileError
from wright.version import Version

CHANGELOG_FILE = "CHANGELOG.md"
_HEADING = re.compile(r"^## (?P<version>\S+)\s*$")
_ENTRY = re.compile(r"^- (?:(?P<scope>[a-z]+): )?(?P<text>.+)$")


@dataclass(frozen=True)
class Entry:
    """One bullet, with the scope before its colon."""

    text: str
    scope: str = ""

    def __str__(self) -> str:
        return f"{self.scope}: {self.text}" if self.scope else self.text


@dataclass(frozen=True)
class Section:
    """What changed in one version."""

    version: Version
    entries: tuple[Entry, ...]

    def by_scope(self) -> dict[str, list[Entry]]:
        """Entries grouped by scope, in order of appearance."""
        groups: dict[str, list[Entry]] = {}
        for entry in self.entries:
            groups.setdefault(entry.scope, []).append(entry)
        return groups

    def as_text(self) -> str:
        """The section as plain text."""
        lines = [f"{self.version}"]
        lines.extend(f"  * {entry}" for entry in self.entries)
        return "\n".join(lines)


def parse_changelog(text: str) -> list[Section]:
    """All sections of a change log.

    Sections must be in descending order of their versions; an empty section is
    an error, because it is always a forgotten entry.
    """
    sections: list[Section] = []
    version: Version | None = None
    entries: list[Entry] = []
    for number, line in enumerate(text.splitlines(), start=1):
        heading = _HEADING.match(line)
        if heading:
            _close(sections, version, entries)
            version, entries = Version.parse(heading["version"]), []
            continue
        bullet = _ENTRY.match(line)
        if bullet:
            if version is None:
                raise ChangelogError(f"line {number}: an entry before the first version")
            entries.append(Entry(bullet["text"].strip(), bullet["scope"] or ""))
    _close(sections, version, entries)
    for newer, older in zip(sections, sections[1:], strict=False):
        if not older.version < newer.version:
            raise ChangelogError(f"{older.version} stands below {newer.version}")
    return sections


def _close(sections: list[Section], version: Version | None, entries: list[Entry]) -> None:
    if version is None:
        return
    if not entries:
        raise ChangelogError(f"no entry for {version}")
    sections.append(Section(version, tuple(entries)))


def read_changelog(root: Path) -> list[Section]:
    """The change log of a tree."""
    path = root / CHANGELOG_FILE
    if not path.is_file():
        raise MissingFileError(f"no {CHANGELOG_FILE} in {root.name or root}")
    return parse_changelog(path.read_text(encoding="utf-8"))


def section_for(sections: list[Section], version: Version) -> Section:
    """The section of one version."""
    for section in sections:
        if section.version == version:
            return section
    raise ChangelogError(f"no section for {version}")
