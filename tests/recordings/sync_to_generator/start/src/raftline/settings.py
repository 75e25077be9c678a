"""Reads raftline.ini."""

from __future__ import annotations

from configparser import ConfigParser
from dataclasses import dataclass
from pathlib import Path

from raftline.errors import ShipError
from raftline.records import LEVELS


@dataclass(frozen=True)
class Settings:
    """Paths are relative to the folder of the file."""

    files: tuple[Path, ...]
    max_rejects: int
    level: str
    vessel: str
    route: str
    batch_records: int
    batch_bytes: int
    sink_path: Path
    sink_quota: int
    offsets_path: Path


def load(path: Path) -> Settings:
    """The settings of a file. Raises ShipError R310."""
    parser = ConfigParser()
    if not parser.read(path, encoding="utf-8"):
        raise ShipError("R310", path.name, "cannot be read")

    def text(section: str, key: str) -> str:
        value = parser.get(section, key, fallback="").strip()
        if not value:
            raise ShipError("R310", path.name, f"[{section}] {key} is missing")
        return value

    def number(section: str, key: str) -> int:
        value = text(section, key)
        if not value.isdigit():
            raise ShipError("R310", path.name, f"[{section}] {key} is no number: {value!r}")
        return int(value)

    level = text("filter", "level")
    if level not in LEVELS:
        raise ShipError("R310", path.name, f"[filter] level is unknown: {level!r}")
    return Settings(
        files=tuple(path.parent / name for name in text("spool", "files").split()),
        max_rejects=number("decode", "max_rejects"),
        level=level,
        vessel=text("enrich", "vessel"),
        route=text("enrich", "route"),
        batch_records=number("batch", "records"),
        batch_bytes=number("batch", "bytes"),
        sink_path=path.parent / text("sink", "path"),
        sink_quota=number("sink", "quota"),
        offsets_path=path.parent / text("offsets", "path"),
    )
