"""The folder of the runs: which files it holds, and which of them is the newest."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pytest_compaction.models import OwnTokens, own_tokens_from, pooled

DEFAULT_FOLDER: Final = Path(".pytest_compaction/runs")
LAST: Final = "last"
"""Stands for the newest run where a command takes a run."""


class BaselineError(Exception):
    """A baseline cannot be used; the text is a sentence that says why and what to do."""


class RunFileError(BaselineError):
    """A run file cannot be read, as a baseline or for itself; the text says where and why."""


def run_files(folder: Path) -> list[Path]:
    """The run files of a folder by the number in their name, those without one first.

    The clock decides nothing: a file that was copied or restored keeps its place.
    """
    found = (path for path in folder.glob("*.jsonl") if path.is_file())
    return sorted(found, key=lambda path: (run_number(path) or 0, path.name))


def run_number(path: Path) -> int | None:
    """The number that a run gave its file, as in ``0044-anchored.jsonl``; else ``None``."""
    number, dash, _ = path.name.partition("-")
    return int(number) if dash and number.isdecimal() and number.isascii() else None


def is_run_file(path: Path) -> bool:
    """Whether a file begins as a run file does; what follows may be damaged all the same."""
    header = _header_of(path) if path.suffix == ".jsonl" else None
    return header is not None and "format" in header and "messages" not in header


def find_run(text: str, folder: Path = DEFAULT_FOLDER) -> Path:
    """The file of a run that a user names: a path, or ``last`` for the newest of the folder.

    Raises :class:`RunFileError` if there is no run yet.
    """
    path = Path(text)
    if text != LAST or path.exists():
        return path
    files = run_files(folder)
    if not files:
        raise RunFileError(f"there is no run in {folder} yet; run pytest --compactor=NAME first")
    return files[-1]


def has_run(folder: Path, strategy: str) -> bool:
    return next(_runs_of(folder, strategy), None) is not None


def newest_run(folder: Path, strategy: str | None) -> Path:
    """The newest whole run of a folder that measured a strategy, ``None`` for any.

    Raises :class:`RunFileError` if there is none.
    """
    for path in _runs_of(folder, strategy):
        return path
    what = f" of {strategy}" if strategy else ""
    raise RunFileError(f"{folder} holds no run{what}; measure one first, or name a file")


def _runs_of(folder: Path, strategy: str | None) -> Iterator[Path]:
    """The runs of a strategy, the newest first; shards are parts of one, and so left out."""
    for path in reversed(run_files(folder)):
        header = _header_of(path)
        if header is None or "shard" in header:
            continue
        settings = header.get("settings") or {}
        if strategy is None or strategy in (settings.get("compactors") or ()):
            yield path


def _header_of(path: Path) -> dict[str, Any] | None:
    try:
        with path.open("rb") as file:
            header = json.loads(file.readline())
    except (OSError, ValueError, RecursionError):
        return None
    return header if isinstance(header, dict) else None


_RUNS: Final = 20
"""The newest runs that are asked for tokens of models."""


def own_tokens_in(folder: Path, models: Iterable[str], encoding: str) -> OwnTokens:
    """The tokens that the newest runs of a folder counted of each model, in this encoding."""
    found: OwnTokens = ()
    missing = set(models)
    for path in reversed(run_files(folder)[-_RUNS:]):
        header = _header_of(path) if missing else None
        settings = header.get("settings") if header else None
        if header and isinstance(settings, dict) and settings.get("encoding") == encoding:
            told = tuple(each for each in own_tokens_of(header) if each[0] in missing)
            found = pooled(found, told)
            missing -= {model for model, *_ in told}
    return found


def own_tokens_of(header: Mapping[str, Any]) -> OwnTokens:
    """The tokens that a run counted, by the header of its file; none if they cannot be read."""
    try:
        return own_tokens_from(header["figures"]["own_tokens"])
    except (AttributeError, KeyError, TypeError, ValueError):
        return ()
