"""The end of a shard: it measures a part of the cases, and leaves what they say to ``merge``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest

from pytest_compaction.records import Record, ShardPart
from pytest_compaction.reports import Failures, Line, below_text
from pytest_compaction.settings import Settings
from pytest_compaction.text import printable

_MERGE: Final = "pytest-compaction merge"
_ENDED: Final = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)


def deselected_by(config: pytest.Config) -> tuple[str, ...]:
    """The arguments by which a run leaves out some of the items that it has collected."""
    expressions = {"-k": config.getoption("keyword"), "-m": config.getoption("markexpr")}
    given = [f"{option} {text!r}" for option, text in expressions.items() if text]
    given += [f"--deselect={item}" for item in config.getoption("deselect") or ()]
    return (*given, *(["--lf"] if config.getoption("lf", default=False) else []))


def ran_to_its_end(session: pytest.Session) -> bool:
    """Whether all selected items of a shard have run, be there none."""
    return session.exitstatus in _ENDED and not (session.shouldfail or session.shouldstop)


def shard_line(
    part: ShardPart,
    session: pytest.Session,
    records: Sequence[Record],
    settings: Settings,
    failures: Failures,
    collected_nothing: bool,
    problem: OSError | None,
) -> Line:
    """What a shard did, as its last line; it raises the exit code of pytest and never lowers it.

    A part of the cases neither passes nor fails by its scores: thresholds are left to
    ``merge``, and an item below the pass score is a measurement. What is wrong with any part
    fails the shard: a file that could not be written (the ``problem``), other failures, and more
    unscored items than are tolerated.
    """
    unfinished = ""
    if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        unfinished = "no test of its cases was collected"
    elif not ran_to_its_end(session):
        unfinished = (
            f"it was stopped before all items ran; {_MERGE} will refuse its file, run it again"
        )
    elif problem is not None:
        unfinished = (
            f"its file could not be written: {problem.strerror or problem}; {_MERGE} will refuse "
            "it, free some room and run it again"
        )
    unscored = sum(record["status"] == "unscored" for record in records)
    faults = failures.parts
    if unscored > settings.max_unscored:
        faults.insert(0, f"unscored {unscored} > {settings.max_unscored}")
    if (unfinished or faults) and session.exitstatus in _ENDED:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    if unfinished:
        return Line(printable(f"SHARD {part} UNFINISHED {unfinished}"), "bad")
    if faults:
        return Line(f"SHARD {part} FAILED {' · '.join(faults)}", "bad")
    if collected_nothing:
        why = "no case of this run is in it"
        if part.cases or part.dialogues:
            why = f"{' '.join(deselected_by(session.config))} selects nothing of it"
        needed = f"{_MERGE} needs its file all the same"
        text = f"SHARD {part} EMPTY {why}; nothing was measured, and {needed}"
        return Line(printable(text), "bold")
    below = below_text(records, settings.pass_score, settings.dialogues.consistency)
    left = f"{', '.join(settings.thresholds)}: " if settings.thresholds else ""
    measured = f"SHARD {part} MEASURED {len(records)} items, {below}"
    return Line(printable(f"{measured} · {left}{_MERGE} decides on all shards"), "bold")
