"""larder.ini."""

from __future__ import annotations

from configparser import ConfigParser
from dataclasses import dataclass
from pathlib import Path

from larder.errors import LarderError

FILE = "larder.ini"


@dataclass(frozen=True)
class Settings:
    """What larder.ini says; the folder is relative to it."""

    folder: Path
    width: int = 72
    round_grams: int = 5


def load_settings(root: Path) -> Settings:
    """The settings of a folder; defaults where there is no file or no option."""
    parser = ConfigParser()
    parser.read(root / FILE, encoding="utf-8")
    return Settings(
        folder=root / parser.get("catalogue", "folder", fallback="data"),
        width=_integer(parser, "show", "width", 72),
        round_grams=_integer(parser, "shop", "round_grams", 5),
    )


def _integer(parser: ConfigParser, section: str, option: str, default: int) -> int:
    value = parser.get(section, option, fallback=str(default))
    if not value.isdecimal():
        raise LarderError(140, place=FILE, section=section, option=option, value=value)
    return int(value)
