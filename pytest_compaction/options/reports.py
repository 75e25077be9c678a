"""What a run shows: failures printed whole, and files of reports."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

from pytest_compaction.options.values import number
from pytest_compaction.settings import REPORT_SUFFIXES, OptionError


def shown_failures(raw: dict[str, Any]) -> int | None:
    """Failures that are printed whole; ``None`` for all."""
    return None if raw["compaction_show"] == "all" else number(raw, "compaction_show")


def report_files(given: Iterable[str]) -> tuple[str, ...]:
    """The files of reports, each once; their suffixes say in which form they are written."""
    paths = tuple(dict.fromkeys(given))
    for path in paths:
        if PurePath(path).suffix.lower() not in REPORT_SUFFIXES:
            raise OptionError(
                f"--compaction-report={path} names no form of a report; let the name end with one "
                f"of {', '.join(REPORT_SUFFIXES)}"
            )
    return paths
