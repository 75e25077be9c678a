"""What GitHub Actions reads of a run: the summary of a job, and a command that marks a failure.

Source: GitHub Docs, "Workflow commands for GitHub Actions" (2025), sections "Setting an error
message" and "Adding a job summary"; the escaping is that of ``command.ts`` in actions/toolkit.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from pytest_compaction.reports.outlets.finished_run import FinishedRun
from pytest_compaction.reports.outlets.markdown_report import markdown_head, markdown_report
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
