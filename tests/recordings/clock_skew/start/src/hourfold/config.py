"""Settings (``hourfold.ini``) and stations (``stations.ini``)."""

from __future__ import annotations

import configparser
from dataclasses import dataclass
from pathlib import Path

from hourfold.errors import SettingError, UnknownStationError

FORMATS = ("csv", "jsonl")
CLOCKS = ("utc", "local")


@dataclass(frozen=True)
class Station:
    """One gauge and how its logger writes."""

    name: str
    code: str
    format: str
    clock: str
    zone: str
    per_hour: int


@dataclass(frozen=True)
class Settings:
    """How to fold and what to balance."""

    step_minutes: int
    max_gap_minutes: int
    decimals: int
    limit_percent: float
    inflow: tuple[str, ...]
    outflow: tuple[str, ...]


@dataclass(frozen=True)
class Config:
    """Everything that a command needs to know."""

    root: Path
    settings: Settings
    stations: dict[str, Station]

    def station(self, name: str) -> Station:
        """A station by its name or code."""
        for station in self.stations.values():
            if name in (station.name, station.code):
                return station
        raise UnknownStationError(f"no station {name!r} in stations.ini")


def load_config(root: Path) -> Config:
    """Read both files of a folder."""
    return Config(root, _settings(root / "hourfold.ini"), _stations(root / "stations.ini"))


def _settings(path: Path) -> Settings:
    parser = _parser(path)
    step = _whole(parser, "fold", "step_minutes", 1, 60)
    return Settings(
        step_minutes=step,
        max_gap_minutes=_whole(parser, "fold", "max_gap_minutes", step, 180),
        decimals=_whole(parser, "fold", "decimals", 0, 6),
        limit_percent=parser.getfloat("balance", "limit_percent"),
        inflow=_names(parser.get("balance", "inflow")),
        outflow=_names(parser.get("balance", "outflow")),
    )


def _stations(path: Path) -> dict[str, Station]:
    parser = _parser(path)
    stations = {}
    for name in parser.sections():
        section = parser[name]
        if section["format"] not in FORMATS:
            raise SettingError(f"{name}: unknown format {section['format']!r}")
        if section["clock"] not in CLOCKS:
            raise SettingError(f"{name}: unknown clock {section['clock']!r}")
        stations[name] = Station(
            name=name,
            code=section["code"],
            format=section["format"],
            clock=section["clock"],
            zone=section["zone"],
            per_hour=_whole(parser, name, "per_hour", 1, 120),
        )
    return stations


def _parser(path: Path) -> configparser.ConfigParser:
    parser = configparser.ConfigParser()
    if not parser.read(path, encoding="utf-8"):
        raise SettingError(f"no file {path.name}")
    return parser


def _whole(
    parser: configparser.ConfigParser, section: str, key: str, least: int, most: int
) -> int:
    try:
        value = parser.getint(section, key)
    except (configparser.Error, ValueError) as error:
        raise SettingError(f"{section}.{key}: {error}") from None
    if not least <= value <= most:
        raise SettingError(f"{section}.{key}: {value} is not within {least} to {most}")
    return value


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())
