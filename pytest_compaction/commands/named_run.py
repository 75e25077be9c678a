"""The run that a user names on the command line: a file, or ``last`` for the newest one."""

from __future__ import annotations

from pathlib import Path

from pytest_compaction.commands.complaint import complain
from pytest_compaction.records.runs.run_file import Run, load_run
from pytest_compaction.records.runs.run_folder import LAST, find_run, is_run_file


def named_run(text: str | Path) -> tuple[Path, Run]:
    """The run and its file; what of it could not be used goes to the error stream.

    Raises :class:`~pytest_compaction.records.runs.run_file.RunFileError` if there is no such run.
    """
    path = find_run(str(text))
    run = load_run(path)
    for problem in run.problems:
        complain(problem)
    return path, run


def is_run(path: Path) -> bool:
    """Whether what a user named is a run; a file of cases may end in ``.jsonl`` too."""
    return is_run_file(path) or (str(path) == LAST and not path.exists())
