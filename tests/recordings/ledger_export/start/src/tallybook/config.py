"""Settings from ``tallybook.ini``; every key has a default, unknown keys are an error."""

from __future__ import annotations

import configparser
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from tallybook.errors import LedgerError

FILE_NAME = "tallybook.ini"


@dataclass(frozen=True, slots=True)
class Config:
    """All settings; the names are those of the file."""

    title: str = "Tallybook"
    base_currency: str = "EUR"
    journal: str = "journal.jsonl"
    width: int = 96
    screen_lines: int = 24


SECTIONS: dict[str, tuple[str, ...]] = {
    "book": ("title", "base_currency", "journal"),
    "report": ("width", "screen_lines"),
}
LIMITS: dict[str, tuple[int, int]] = {
    "width": (72, 160),
    "screen_lines": (5, 200),
}


def load_config(path: Path) -> Config:
    """Read the settings; a missing file means the defaults."""
    config = Config()
    if not path.exists():
        return config
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(path.read_text(encoding="utf-8"), source=path.name)
    except configparser.Error as error:
        raise LedgerError("TB-501", f"{path.name} cannot be read: {error.message}") from None
    for section in parser.sections():
        if section not in SECTIONS:
            raise LedgerError("TB-502", f"{path.name}: unknown section [{section}]")
        for key, text in parser.items(section):
            if key not in SECTIONS[section]:
                raise LedgerError("TB-503", f"{path.name}: unknown key {key!r} in [{section}]")
            config = replace(config, **{key: _value(path, key, text)})
    return config


def _value(path: Path, key: str, text: str) -> Any:
    kinds = {field.name: field.type for field in fields(Config)}
    if kinds[key] != "int":
        return text
    try:
        number = int(text)
    except ValueError:
        raise LedgerError("TB-504", f"{path.name}: {key} is not a number: {text!r}") from None
    low, high = LIMITS[key]
    if not low <= number <= high:
        raise LedgerError("TB-505", f"{path.name}: {key} = {number} is outside {low} to {high}")
    return number
