"""Reads ``pontoon.ini``."""

from __future__ import annotations

import configparser
import re
from dataclasses import dataclass
from pathlib import Path

_NAME = re.compile(r"[a-z]+")


class SettingsError(Exception):
    """Settings that cannot be used. ``code`` is stable, the text is not."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(f"{code} {text}")
        self.code = code


@dataclass(frozen=True)
class Settings:
    """Everything that can be set."""

    name: str
    callers: tuple[str, ...]
    keep_seconds: int
    gauges: tuple[str, ...]


def load_settings(path: Path) -> Settings:
    """Read a settings file. Raises :class:`SettingsError`."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise SettingsError("S10", f"cannot read {path.name}") from error
    return parse_settings(text)


def parse_settings(text: str) -> Settings:
    """Read settings from text. Raises :class:`SettingsError`."""
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise SettingsError("S11", f"not an ini file: {type(error).__name__}") from error
    return Settings(
        name=_text(parser, "router", "name"),
        callers=_names(parser, "router", "callers"),
        keep_seconds=_whole(parser, "replay", "keep_seconds", 1, 600),
        gauges=_names(parser, "tides", "gauges"),
    )


def _text(parser: configparser.ConfigParser, section: str, key: str) -> str:
    value = parser.get(section, key, fallback="").strip()
    if not value:
        raise SettingsError("S12", f"{section}.{key} is missing")
    return value


def _names(parser: configparser.ConfigParser, section: str, key: str) -> tuple[str, ...]:
    names = tuple(part.strip() for part in _text(parser, section, key).split(","))
    for name in names:
        if not _NAME.fullmatch(name):
            raise SettingsError("S13", f"{section}.{key}: {name!r} is no name")
    if len(set(names)) != len(names):
        raise SettingsError("S14", f"{section}.{key} names something twice")
    return names


def _whole(parser: configparser.ConfigParser, section: str, key: str, least: int, most: int) -> int:
    text = _text(parser, section, key)
    if not text.isdigit():
        raise SettingsError("S15", f"{section}.{key}: {text!r} is no whole number")
    if not least <= int(text) <= most:
        raise SettingsError("S16", f"{section}.{key} is {text}, {least} to {most} is allowed")
    return int(text)
