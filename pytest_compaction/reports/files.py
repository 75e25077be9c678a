"""The files of a report, each written whole or not at all, and what GitHub Actions reads."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Final

from pytest_compaction.folders import check_room, write_whole
from pytest_compaction.records import Run, columns, row_of
from pytest_compaction.reports.finished_run import FinishedRun
from pytest_compaction.reports.json_report import report_json
from pytest_compaction.reports.lines import Line
from pytest_compaction.reports.markdown_report import markdown_head, markdown_report
from pytest_compaction.reports.table import inert
from pytest_compaction.text import printable


def csv_report(run: FinishedRun) -> str:
    """One row for each item under a row of heads (RFC 4180); nothing in it runs as a formula."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    names = columns()
    writer.writerow(names)
    for record in run.records:
        row = row_of(record)
        cells = ("" if row[name] is None else row[name] for name in names)
        writer.writerow([inert(printable(c)) if isinstance(c, str) else c for c in cells])
    return out.getvalue()


def _page(run: FinishedRun) -> str:
    # The page takes a template engine to make, which no other form needs.
    from pytest_compaction.reports.page.overview import Gate
    from pytest_compaction.reports.page.page import page_of
    from pytest_compaction.reports.page.runs import PageRun

    records = Run(dict(run.header), {record["item"]: record for record in run.records})
    shown = PageRun(PurePath(run.name).stem or "run", records, run.folder)
    decided = run.outcome != "none"
    gate = Gate(run.outcome, run.line, run.decision, run.against) if decided else None
    return page_of([shown], gate=gate)


FORMS: Final[dict[str, Callable[[FinishedRun], str]]] = {
    ".md": markdown_report,
    ".json": report_json,
    ".csv": csv_report,
    ".html": _page,
}


def check_place(path: Path) -> None:
    """Make the folder of a report and try to write in it; raises ``OSError`` if that fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_dir():
        raise IsADirectoryError(0, "it is a folder")
    if path.exists() and not path.is_file():
        raise OSError(0, "it is not a file that can be replaced")
    check_room(path.parent)


def write_files(run: FinishedRun, paths: Mapping[str, Path]) -> dict[str, str | None]:
    """Write the run to each file, in the form of its suffix; why one was not written, by name."""
    found: dict[str, str | None] = {}
    for name, path in paths.items():
        try:
            text = FORMS[path.suffix.lower()](run)
            write_whole(path, text.encode("utf-8", "backslashreplace"))
            found[name] = None
        except OSError as error:
            found[name] = error.strerror or str(error)
        except Exception as error:  # a fault in one report must not cost the gate its line
            found[name] = f"please report this fault, {type(error).__name__}: {error}"
    return found


def file_line(name: str, why: str | None) -> Line:
    """Where a report lies, or ``why`` it was not written."""
    if why is not None:
        return _not_written(f"report: {name}", why)
    return Line(f"report: {printable(name, _PATH)}", "dim")


def _not_written(what: str, why: str) -> Line:
    return Line(printable(f"{what} was not written: {why}", 2 * _PATH), "bad")


# GitHub Actions

SUMMARY: Final = "GITHUB_STEP_SUMMARY"
ACTIONS: Final = "GITHUB_ACTIONS"
MOST_BYTES: Final = 1024 * 1024
"""The most that GitHub shows of the summary of a step; a longer one is not shown at all."""
_CUT: Final = "\n\nThe summary of this step is cut here: GitHub takes 1 MiB.\n"
_NONE_LEFT: Final = "the summary of this step has no room left (GitHub takes 1 MiB)"
_MESSAGE: Final = 500
_PATH: Final = 200


def write_summary(run: FinishedRun, environment: Mapping[str, str]) -> Iterator[Line]:
    """Append the run as Markdown to the summary of a job, if there is one, within 1 MiB in all.

    A text that is too long loses the summary of the terminal first, then its end.
    """
    place = environment.get(SUMMARY)
    if not place:
        return
    path = Path(place)
    try:
        there = path.stat().st_size if path.exists() else 0
        lead = "\n" if there else ""
        whole, short = markdown_report(run), "\n\n".join(markdown_head(run)) + "\n"
        fitting = _fitting(lead + whole, lead + short, MOST_BYTES - there)
        if fitting is None:
            yield _not_written(SUMMARY, _NONE_LEFT)
            return
        with path.open("ab") as file:
            file.write(fitting)
    except OSError as error:
        yield _not_written(SUMMARY, error.strerror or str(error))


def _fitting(whole: str, short: str, room: int) -> bytes | None:
    """The longest of both texts that fits, or the beginning of the short one."""
    for text in (whole, short):
        data = text.encode("utf-8", "backslashreplace")
        if len(data) <= room:
            return data
    rest = room - len(_CUT.encode())
    return b"\n".join(data[:rest].split(b"\n")[:-1]) + _CUT.encode() if rest > 0 else None


def marked_failure(run: FinishedRun, environment: Mapping[str, str]) -> str | None:
    """The command by which GitHub Actions marks a run that the gate fails; ``None`` elsewhere.

    ``::warning`` is for an undecided one of which the rule on newly gone facts decided.
    """
    if environment.get(ACTIONS) != "true" or run.outcome not in {"failed", "undecided"}:
        return None
    level = "error" if run.outcome == "failed" or not run.against.passed else "warning"
    names = ", ".join(run.strategies())
    title = _data(printable(f"compaction: {names}" if names else "compaction", 100))
    title = title.replace(":", "%3A").replace(",", "%2C")
    return f"::{level} title={title}::{_data(printable(run.line, _MESSAGE))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
