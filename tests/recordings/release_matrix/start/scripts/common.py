"""Reads tasks.toml: tasks, suites, rows, and the cells of the matrix."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
NIGHTLY = ROOT / ".nightly"


class SettingsError(Exception):
    """tasks.toml says something that cannot be done."""


@dataclass(frozen=True)
class Cell:
    """One suite in one row."""

    row: str
    suite: str
    path: str
    environment: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        """The cell as the options name it."""
        return f"{self.row}/{self.suite}"

    @property
    def scratch(self) -> Path:
        """The scratch directory that the suite works in."""
        return NIGHTLY / "scratch" / self.row

    @property
    def log(self) -> Path:
        """Where the output of the suite goes."""
        return NIGHTLY / "logs" / f"{self.row}-{self.suite}.log"


@dataclass(frozen=True)
class Settings:
    """What tasks.toml says."""

    retry_limit: int
    workers: int
    cell_timeout: int
    suites: dict[str, str]
    rows: dict[str, dict[str, str]]
    tasks: dict[str, list[str]]


def positive(table: dict[str, object], key: str) -> int:
    """A whole number of at least 1."""
    value = table.get(key)
    if not isinstance(value, int) or value < 1:
        raise SettingsError(f"tasks.toml: nightly.{key} must be a number of at least 1")
    return value


def read_settings(path: Path = ROOT / "tasks.toml") -> Settings:
    """The settings of a file."""
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    nightly = data.get("nightly", {})
    return Settings(
        positive(nightly, "retry_limit"),
        positive(nightly, "workers"),
        positive(nightly, "cell_timeout"),
        data.get("suites", {}),
        data.get("rows", {}),
        {name: task["run"] for name, task in data.get("tasks", {}).items()},
    )


def cells(settings: Settings, only: str | None = None) -> list[Cell]:
    """The cells of the matrix, row by row; ``only`` is a row or a cell such as desk/unit."""
    found = [
        Cell(row, suite, path, tuple(sorted(environment.items())))
        for row, environment in settings.rows.items()
        for suite, path in settings.suites.items()
    ]
    if only is None:
        return found
    chosen = [cell for cell in found if only in (cell.row, cell.name)]
    if not chosen:
        raise SettingsError(f"there is no row or cell {only}")
    return chosen
