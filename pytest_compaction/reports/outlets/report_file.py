"""The files of a report: whether they can be written, and writing each whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Final

from pytest_compaction.folders import check_room
from pytest_compaction.records.runs.run_file import Run
from pytest_compaction.reports.outlets.badge import badge
from pytest_compaction.reports.outlets.csv_report import csv_report
from pytest_compaction.reports.outlets.finished_run import FinishedRun
from pytest_compaction.reports.outlets.json_report import json_report
from pytest_compaction.reports.outlets.markdown_report import markdown_report

FORMS: Final[dict[str, Callable[[FinishedRun], str]]] = {
    ".md": markdown_report,
    ".json": json_report,
    ".csv": csv_report,
    ".svg": badge,
}
"""What makes the text of a report, by its suffix; the page is made apart."""


def check_place(path: Path) -> None:
    """Make the folder of a report and try to write in it; raises ``OSError`` if that fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise IsADirectoryError(0, "it is a folder")
    if path.exists() and not path.is_file():
        raise OSError(0, "it is not a file that can be replaced")
    check_room(_temporary(path))


def write_report(path: Path, run: FinishedRun) -> None:
    """Write a run in the form of the suffix of ``path``, in place of an older report.

    Until all of it is written the older one stays as it was. Raises ``OSError``.
    """
    if path.suffix.lower() == ".html":
        _write_page(path, run)
    else:
        write_whole(path, FORMS[path.suffix.lower()](run).encode("utf-8", "backslashreplace"))


def write_whole(path: Path, data: bytes) -> None:
    """Write a file beside its place and then put it there; a link leads to the new content."""
    target = path.resolve()
    temporary = _temporary(target)
    try:
        temporary.write_bytes(data)
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise


def _write_page(path: Path, run: FinishedRun) -> None:
    # The page takes a template engine to make, which no other form needs.
    from pytest_compaction.reports.page.arms import PageRun
    from pytest_compaction.reports.page.page import write_page

    records = Run(dict(run.header), {record["item"]: record for record in run.records})
    name = PurePath(run.name).stem or "run"
    write_page(path.resolve(), [PageRun(name, records, run.folder)], run.against, run.line)


def _temporary(path: Path) -> Path:
    """A name beside a file that no other process takes, short whatever the name of the file."""
    return path.with_name(f".compaction-report.{os.getpid()}.tmp")
