"""Bundles: a stored zip with a manifest, the same bytes for the same tree."""

from __future__ import annotations

import zipfile
from pathlib import Path

from wright import codecs
from wright.errors import ContentMismatchError, NotABundleError, VersionMismatchError
from wright.manifest import MANIFEST_NAME, Manifest
from wright.settings import Settings
from wright.tree import digest, payload_files
from wright.version import Version

_EPOCH = (1980, 1, 1, 0, 0, 0)


def build_bundle(
    root: Path,
    target: Path,
    settings: Settings,
    version: Version,
) -> Manifest:
    """Pack the payload of a tree into ``target``.

    The release desk calls this from its own scripts.
    """
    codec = codecs.get(settings.codec or None)
    files: dict[str, str] = {}
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for name, path in payload_files(root / settings.payload, settings.ignore):
            data = path.read_bytes()
            files[name] = digest(data)
            archive.writestr(_entry(f"payload/{name}"), codec.encode(data))
        manifest = Manifest(settings.name, version, codec.name, files)
        archive.writestr(_entry(MANIFEST_NAME), manifest.to_text())
    return manifest


def read_manifest(path: Path) -> Manifest:
    """The manifest of a bundle."""
    with _open(path) as archive:
        return _manifest(archive)


def read_payload(path: Path) -> dict[str, bytes]:
    """All payload files of a bundle, decoded."""
    with _open(path) as archive:
        manifest = _manifest(archive)
        codec = codecs.get(manifest.codec)
        return {
            name: codec.decode(archive.read(f"payload/{name}")) for name in sorted(manifest.files)
        }


def verify_bundle(path: Path, root: Path, settings: Settings, version: Version) -> Manifest:
    """Check a bundle against the tree: version first, then every file."""
    manifest = read_manifest(path)
    if manifest.version != version:
        raise VersionMismatchError(
            f"version mismatch: bundle says {manifest.version}, tree says {version}"
        )
    expected = {
        name: digest(file.read_bytes())
        for name, file in payload_files(root / settings.payload, settings.ignore)
    }
    changed = manifest.difference(Manifest(settings.name, version, manifest.codec, expected))
    if changed:
        raise ContentMismatchError(f"{len(changed)} files differ, the first is {changed[0]}")
    for name, data in read_payload(path).items():
        if digest(data) != expected[name]:
            raise ContentMismatchError(f"{name} is damaged in the bundle")
    return manifest


def _open(path: Path) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except FileNotFoundError:
        raise NotABundleError(f"no file {path.name}") from None
    except zipfile.BadZipFile:
        raise NotABundleError(f"{path.name} is not a bundle or is cut short") from None


def _manifest(archive: zipfile.ZipFile) -> Manifest:
    try:
        return Manifest.from_text(archive.read(MANIFEST_NAME).decode("utf-8"))
    except KeyError:
        raise NotABundleError(f"the bundle has no {MANIFEST_NAME}") from None


def _entry(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, date_time=_EPOCH)
    info.external_attr = 0o644 << 16
    return info
