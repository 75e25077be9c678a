"""Settings: experiment.ini."""

from __future__ import annotations

import configparser
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from boxleave.errors import MissingFileError, SettingsError


@dataclass(frozen=True)
class Settings:
    """Everything that decides the outcome of a run besides the data."""

    snapshot: date
    horizon_days: int = 45
    seed: int = 7119
    test_share: float = 0.3
    iterations: int = 250
    rate: float = 0.5
    penalty: float = 0.01
    call: float = 0.50
    watch: float = 0.25

    def __post_init__(self) -> None:
        if not 0 < self.test_share < 1:
            raise SettingsError(f"test_share {self.test_share} is not between 0 and 1")
        if self.iterations < 1:
            raise SettingsError(f"iterations {self.iterations} is less than 1")
        if not 0 < self.watch < self.call < 1:
            raise SettingsError(f"watch {self.watch:.2f} is not below call {self.call:.2f}")

    def band(self, score: float) -> str:
        """The band of a score; the bounds belong to the upper band."""
        if score >= self.call:
            return "call"
        return "watch" if score >= self.watch else "calm"


def parse_settings(text: str) -> Settings:
    """Settings from the text of a file."""
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
        return Settings(
            snapshot=date.fromisoformat(parser["snapshot"]["date"]),
            horizon_days=parser.getint("snapshot", "horizon_days"),
            seed=parser.getint("split", "seed"),
            test_share=parser.getfloat("split", "test_share"),
            iterations=parser.getint("model", "iterations"),
            rate=parser.getfloat("model", "rate"),
            penalty=parser.getfloat("model", "penalty"),
            call=parser.getfloat("bands", "call"),
            watch=parser.getfloat("bands", "watch"),
        )
    except configparser.Error as error:
        raise SettingsError(error.message.splitlines()[0]) from None
    except KeyError as error:
        raise SettingsError(f"no {error.args[0]}") from None
    except ValueError as error:
        raise SettingsError(str(error)) from None


def load_settings(path: Path) -> Settings:
    """Settings from a file."""
    if not path.is_file():
        raise MissingFileError(f"no {path.name}")
    return parse_settings(path.read_text(encoding="utf-8"))
