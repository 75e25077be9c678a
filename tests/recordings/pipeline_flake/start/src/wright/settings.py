"""Settings: wright.ini, overridden by the environment.

``WRIGHT_CODEC`` and ``WRIGHT_IGNORE`` replace the values of the file; the
release desk uses them for one-off bundles.
"""

from __future__ import annotations

import configparser
import os
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from wright import codecs
from wright.errors import MissingFileError, SettingsError

SETTINGS_FILE = "wright.ini"
_KNOWN = {"name", "codec", "payload", "ignore"}


@dataclass(frozen=True)
class Settings:
    """What a tree says about its bundle."""

    name: str
    payload: str = "payload"
    codec: str = ""
    ignore: tuple[str, ...] = ()


@lru_cache(maxsize=16)
def load_settings(root: Path) -> Settings:
    """The settings of a tree, read once a process."""
    path = root / SETTINGS_FILE
    if not path.is_file():
        raise MissingFileError(f"no {SETTINGS_FILE} in {root.name or root}")
    return _from_environment(parse_settings(path.read_text(encoding="utf-8")))


def parse_settings(text: str) -> Settings:
    """Settings from the text of a file."""
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise SettingsError(f"{SETTINGS_FILE}: {error.message.splitlines()[0]}") from None
    if not parser.has_section("bundle"):
        raise SettingsError(f"{SETTINGS_FILE}: no section [bundle]")
    section = dict(parser["bundle"])
    unknown = sorted(set(section) - _KNOWN)
    if unknown:
        raise SettingsError(f"{SETTINGS_FILE}: unknown key {unknown[0]!r}")
    name = section.get("name", "").strip()
    if not name:
        raise SettingsError(f"{SETTINGS_FILE}: the bundle has no name")
    settings = Settings(
        name=name,
        payload=section.get("payload", "payload").strip(),
        codec=section.get("codec", "").strip(),
        ignore=_patterns(section.get("ignore", "")),
    )
    _check_codec(settings.codec, SETTINGS_FILE)
    return settings


def _from_environment(settings: Settings) -> Settings:
    codec = os.environ.get("WRIGHT_CODEC", "").strip()
    if codec:
        _check_codec(codec, "WRIGHT_CODEC")
        settings = replace(settings, codec=codec)
    ignore = os.environ.get("WRIGHT_IGNORE", "").strip()
    if ignore:
        settings = replace(settings, ignore=_patterns(ignore))
    return settings


def _check_codec(codec: str, where: str) -> None:
    if codec and codec not in codecs.names():
        raise SettingsError(f"{where}: unknown codec {codec!r}")


def _patterns(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
