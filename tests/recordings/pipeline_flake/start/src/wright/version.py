"""Versions: parse, compare, bump.

A version is ``major.minor.patch`` with an optional pre-release such as
``2.4.0-rc.1``. A pre-release sorts before its release; numeric parts of the
pre-release sort as numbers and before words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import total_ordering
from pathlib import Path

from wright.errors import MissingFileError, VersionError

_PATTERN = re.compile(
    r"(?P<major>0|[1-9]\d*)\.(?P<minor>0|[1-9]\d*)\.(?P<patch>0|[1-9]\d*)"
    r"(?:-(?P<pre>[0-9a-z]+(?:\.[0-9a-z]+)*))?"
)

PARTS = ("major", "minor", "patch")
VERSION_FILE = "VERSION"


@total_ordering
@dataclass(frozen=True)
class Version:
    """One version. Equality is by value, order as described above."""

    major: int
    minor: int
    patch: int
    pre: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Version:
        """Read a version; white space around it is ignored."""
        found = _PATTERN.fullmatch(text.strip())
        if found is None:
            raise VersionError(f"not a version: {text.strip()!r}")
        pre = tuple(found["pre"].split(".")) if found["pre"] else ()
        return cls(int(found["major"]), int(found["minor"]), int(found["patch"]), pre)

    def __str__(self) -> str:
        text = f"{self.major}.{self.minor}.{self.patch}"
        return f"{text}-{'.'.join(self.pre)}" if self.pre else text

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Version):
            return NotImplemented
        return self._key() < other._key()

    def _key(self) -> tuple[object, ...]:
        pre = tuple((0, int(p), "") if p.isdigit() else (1, 0, p) for p in self.pre)
        return (self.major, self.minor, self.patch, not self.pre, pre)

    @property
    def is_release(self) -> bool:
        """Whether this is no pre-release."""
        return not self.pre

    def bump(self, part: str) -> Version:
        """The next version. A pre-release bumped by ``patch`` becomes its release."""
        if part not in PARTS:
            raise VersionError(f"cannot bump {part!r}; one of {', '.join(PARTS)}")
        if part == "major":
            return Version(self.major + 1, 0, 0)
        if part == "minor":
            return Version(self.major, self.minor + 1, 0)
        if self.pre:
            return Version(self.major, self.minor, self.patch)
        return Version(self.major, self.minor, self.patch + 1)

    def candidate(self) -> Version:
        """The next release candidate of this version."""
        if self.pre[:1] == ("rc",) and len(self.pre) == 2 and self.pre[1].isdigit():
            return Version(self.major, self.minor, self.patch, ("rc", str(int(self.pre[1]) + 1)))
        return Version(self.major, self.minor, self.patch, ("rc", "1"))


def read_version(root: Path) -> Version:
    """The version of a tree."""
    path = root / VERSION_FILE
    if not path.is_file():
        raise MissingFileError(f"no {VERSION_FILE} in {root.name or root}")
    return Version.parse(path.read_text(encoding="utf-8"))


def write_version(root: Path, version: Version) -> None:
    """Stamp a version on a tree."""
    (root / VERSION_FILE).write_text(f"{version}\n", encoding="utf-8")
