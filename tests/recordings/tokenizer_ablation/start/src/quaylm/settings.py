"""Settings of one experiment, read from an ini file."""

from __future__ import annotations

from configparser import ConfigParser
from configparser import Error as ParserError
from dataclasses import dataclass, replace
from pathlib import Path

from quaylm.errors import ConfigError

MAX_CONTEXT = 5
SPLITS = ("train", "dev", "heldout")
SWEEPABLE = {"vocab_size": int, "min_piece": int, "context": int, "prior": float}
SECTIONS = {
    "corpus": ("train", "split"),
    "tokenizer": ("vocab_size", "min_piece"),
    "model": ("context", "prior"),
    "sweep": ("key", "values"),
}


@dataclass(frozen=True)
class Settings:
    """What one run depends on. ``context`` is the number of pieces that are looked back at."""

    train: Path
    split: str
    vocab_size: int
    min_piece: int
    context: int
    prior: float

    def __post_init__(self) -> None:
        if self.split not in SPLITS:
            raise ConfigError(f"split must be one of {', '.join(SPLITS)}, not {self.split!r}")
        if not 0 <= self.context <= MAX_CONTEXT:
            raise ConfigError(f"context must be between 0 and {MAX_CONTEXT}, not {self.context}")
        if self.prior <= 0:
            raise ConfigError(f"prior must be above 0, not {self.prior}")
        if self.min_piece < 1:
            raise ConfigError(f"min_piece must be at least 1, not {self.min_piece}")

    @property
    def split_file(self) -> Path:
        """The text that is scored, beside the training text."""
        return self.train.with_name(f"{self.split}.txt")


@dataclass(frozen=True)
class Sweep:
    """One setting and the values it takes."""

    key: str
    values: tuple[float, ...]

    def settings(self, base: Settings) -> list[Settings]:
        """The base settings with each of the values."""
        return [replace(base, **{self.key: value}) for value in self.values]


def load(path: Path) -> tuple[Settings, Sweep | None]:
    """Read an ini file; the section ``[sweep]`` may be absent."""
    parser = ConfigParser()
    try:
        if not parser.read(path, encoding="utf-8"):
            raise ConfigError(f"no such file: {path}")
    except ParserError as error:
        raise ConfigError(f"{path} is not an ini file: {error.message.splitlines()[0]}") from None
    for section in parser.sections():
        for key in parser[section]:
            if key not in SECTIONS.get(section, ()):
                raise ConfigError(f"{path}: unknown setting {section}.{key}")
    try:
        settings = Settings(
            train=Path(parser["corpus"]["train"]),
            split=parser["corpus"]["split"],
            vocab_size=int(parser["tokenizer"]["vocab_size"]),
            min_piece=int(parser["tokenizer"]["min_piece"]),
            context=int(parser["model"]["context"]),
            prior=float(parser["model"]["prior"]),
        )
    except KeyError as error:
        raise ConfigError(f"{path}: {error.args[0]} is missing") from None
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from None
    return settings, _sweep(parser, path) if parser.has_section("sweep") else None


def _sweep(parser: ConfigParser, path: Path) -> Sweep:
    key = parser.get("sweep", "key", fallback="")
    if key not in SWEEPABLE:
        raise ConfigError(f"{path}: cannot sweep over {key!r}")
    try:
        values = tuple(SWEEPABLE[key](text) for text in parser.get("sweep", "values").split())
    except ValueError as error:
        raise ConfigError(f"{path}: {error}") from None
    if len(set(values)) != len(values):
        raise ConfigError(f"{path}: a value occurs twice in the sweep")
    return Sweep(key, values)
