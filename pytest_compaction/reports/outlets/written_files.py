"""All files that a finished run is asked for, and a line for each: written, or why not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from pytest_compaction.reports.lines import Line
from pytest_compaction.reports.outlets.finished_run import FinishedRun
from pytest_compaction.reports.outlets.markdown_report import markdown_head, markdown_report
from pytest_compaction.reports.outlets.report_file import write_report
from pytest_compaction.text import printable

MOST_BYTES: Final = 1024 * 1024
"""The most that GitHub shows of the summary of a step; a longer one is not shown at all."""
_CUT: Final = "\n\nThe summary of this step is cut here: GitHub takes 1 MiB.\n"
_NONE_LEFT: Final = "the summary of this step has no room left (GitHub takes 1 MiB)"
_MESSAGE: Final = 500
"""Characters of the message of a command."""


class SummaryError(Exception):
    """The summary of a job could not be written; the text says why."""


def append_summary(path: Path, run: FinishedRun) -> None:
    """Append the run as Markdown to the summary of a job, which stays within 1 MiB in all.

    A text that is too long loses the summary of the terminal first, then its end.
    Raises :class:`SummaryError`.
    """
    try:
        there = path.stat().st_size if path.exists() else 0
        text = "\n" if there else ""
        fitting = _fitting(text + markdown_report(run), text + _head(run), MOST_BYTES - there)
        with path.open("ab") as file:
            file.write(fitting)
    except OSError as error:
        raise SummaryError(f"{error.strerror or error}") from None


def command_line(run: FinishedRun) -> str | None:
    """The command that marks a run which the gate fails; ``None`` for others.

    ``::error`` for a failed gate and for an undecided one that ends with 1, ``::warning`` for one
    of which the rule on newly gone facts decided, and for a run that was stopped.
    """
    if run.outcome not in {"failed", "undecided"}:
        return None
    fails = run.outcome == "failed" or not run.against.passed
    level = "error" if fails else "warning"
    names = ", ".join(run.strategies())
    title = _property(printable(f"compaction: {names}" if names else "compaction", 100))
    return f"::{level} title={title}::{_data(printable(run.line, _MESSAGE))}"


def _head(run: FinishedRun) -> str:
    return "\n\n".join(markdown_head(run)) + "\n"


def _fitting(whole: str, short: str, room: int) -> bytes:
    for text in (whole, short):
        data = text.encode("utf-8", "backslashreplace")
        if len(data) <= room:
            return data
    rest = room - len(_CUT.encode())
    if rest <= 0:
        raise SummaryError(_NONE_LEFT)
    lines = data[:rest].split(b"\n")
    return b"\n".join(lines[:-1]) + _CUT.encode()


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


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
