"""The manifest of a bundle: name, version, codec and the digest of every file."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from wright.errors import NotABundleError, VersionError
from wright.version import Version

MANIFEST_NAME = "MANIFEST.json"
SCHEMA = 2


@dataclass(frozen=True)
class Manifest:
    """What a bundle says about itself."""

    name: str
    version: Version
    codec: str
    files: dict[str, str] = field(default_factory=dict)

    def to_text(self) -> str:
        """The manifest as it stands in the bundle."""
        data = {
            "schema": SCHEMA,
            "name": self.name,
            "version": str(self.version),
            "codec": self.codec,
            "files": dict(sorted(self.files.items())),
        }
        return json.dumps(data, indent=1) + "\n"

    @classmethod
    def from_text(cls, text: str) -> Manifest:
        """Read a manifest; anything unexpected means that this is no bundle."""
        try:
            data = json.loads(text)
        except ValueError:
            raise NotABundleError("the manifest is not JSON") from None
        if not isinstance(data, dict):
            raise NotABundleError("the manifest is not an object")
        if data.get("schema") != SCHEMA:
            raise NotABundleError(f"manifest schema {data.get('schema')!r}; expected {SCHEMA}")
        try:
            return cls(
                name=_text(data, "name"),
                version=Version.parse(_text(data, "version")),
                codec=_text(data, "codec"),
                files=_files(data),
            )
        except VersionError as error:
            raise NotABundleError(f"the manifest has no usable version: {error.text}") from None

    def difference(self, other: Manifest) -> list[str]:
        """Names of files that were added, removed or changed from here to there."""
        names = set(self.files) | set(other.files)
        return sorted(name for name in names if self.files.get(name) != other.files.get(name))


def _text(data: dict[str, Any], key: str) -> str:
    value = data.get(key)
    if not isinstance(value, str) or not value:
        raise NotABundleError(f"the manifest has no {key}")
    return value


def _files(data: dict[str, Any]) -> dict[str, str]:
    files = data.get("files")
    if not isinstance(files, dict):
        raise NotABundleError("the manifest lists no files")
    return {str(name): str(value) for name, value in files.items()}
