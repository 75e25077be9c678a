"""All files that a finished run is asked for, and a line for each: written, or why not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from pytest_compaction.reports.lines import Line
from pytest_compaction.reports.outlets.finished_run import FinishedRun
from pytest_compaction.reports.outlets.github import SummaryError, append_summary, command_line
from pytest_compaction.reports.outlets.report_file import write_report
from pytest_compaction.text import printable

SUMMARY: Final = "GITHUB_STEP_SUMMARY"
"""The environment variable that names the file of the summary of a job."""
ACTIONS: Final = "GITHUB_ACTIONS"
"""The one that is ``true`` in a job of GitHub Actions."""
_PATH: Final = 200
"""Characters of a path in a line."""


def write_files(run: FinishedRun, paths: Mapping[str, Path]) -> dict[str, str | None]:
    """Write the run to each of the files; by their names, why one was not written, or ``None``."""
    return {name: _write(run, path) for name, path in paths.items()}


def _write(run: FinishedRun, path: Path) -> str | None:
    try:
        write_report(path, run)
    except OSError as error:
        return error.strerror or str(error)
    except Exception as error:  # a fault in one report must not cost the gate its line
        return f"please report this fault, {type(error).__name__}: {error}"
    return None


def file_line(name: str, why: str | None) -> Line:
    """Where a report lies, or ``why`` it was not written."""
    if why is not None:
        return _not_written(f"report: {name}", why)
    return Line(f"report: {printable(name, _PATH)}", "dim")


def write_summary(run: FinishedRun, environment: Mapping[str, str]) -> Iterator[Line]:
    """Append the run to the summary of a job, if there is one; a line only for a failure."""
    place = environment.get(SUMMARY)
    if not place:
        return
    try:
        append_summary(Path(place), run)
    except SummaryError as error:
        yield _not_written(SUMMARY, str(error))


def marked_failure(run: FinishedRun, environment: Mapping[str, str]) -> str | None:
    """The line by which GitHub Actions marks a run that the gate fails; ``None`` elsewhere."""
    return command_line(run) if environment.get(ACTIONS) == "true" else None


def _not_written(what: str, why: str) -> Line:
    return Line(printable(f"{what} was not written: {why}", 2 * _PATH), "bad")
