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


def selected_by(config: pytest.Config) -> tuple[str, ...]:
    """The arguments by which a run leaves items out: paths, and those of ``_deselected_by``."""
    return (*config.getoption("file_or_dir"), *_deselected_by(config))


def _deselected_by(config: pytest.Config) -> tuple[str, ...]:
    """The arguments by which a run leaves out some of the items that it has collected."""
    expressions = {"-k": config.getoption("keyword"), "-m": config.getoption("markexpr")}
    given = [f"{option} {text!r}" for option, text in expressions.items() if text]
    given += [f"--deselect={item}" for item in config.getoption("deselect") or ()]
    if config.getoption("lf", default=False):
        given.append("--lf")
    return tuple(given)


def may_be_empty(part: ShardPart, config: pytest.Config) -> bool:
    """Whether an empty shard is fine: no case is dealt to it, or no item is selected."""
    return not (part.cases or part.dialogues) or bool(_deselected_by(config))


def ran_to_its_end(session: pytest.Session) -> bool:
    """Whether all selected items of a shard have run, be there none."""
    return session.exitstatus in _ENDED and not (session.shouldfail or session.shouldstop)


def shard_line(
    part: ShardPart,
    session: pytest.Session,
    records: Sequence[Record],
    settings: Settings,
    failures: Failures,
    collected_nothing: bool = False,
) -> Line:
    """What a shard did, as its last line; it raises the exit code of pytest and never lowers it.

    A part of the cases neither passes nor fails by its scores: thresholds are left to
    ``merge``, and an item below the pass score is a measurement. What is wrong with any part
    fails the shard: other failures, and more unscored items than are tolerated.
    """
    if not ran_to_its_end(session):
        return _unfinished(part, session)
    unscored = sum(record["status"] == "unscored" for record in records)
    faults = failures.parts
    if unscored > settings.max_unscored:
        faults.insert(0, f"unscored {unscored} > {settings.max_unscored}")
    if faults:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        return Line(f"SHARD {part} FAILED {' · '.join(faults)}", "bad")
    if collected_nothing:
        return _empty(part, session)
    below = below_text(records, settings.pass_score, settings.dialogues.consistency)
    left = f"{_MERGE} decides on all shards"
    if settings.thresholds:
        left = f"{', '.join(settings.thresholds)}: {left}"
    return Line(printable(f"SHARD {part} MEASURED {len(records)} items, {below} · {left}"), "bold")


def unwritten_line(part: ShardPart, session: pytest.Session, problem: OSError) -> Line:
    """A shard whose file does not say that it came to its end; it is never green."""
    if session.exitstatus in _ENDED:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    why = f"its file could not be written: {problem.strerror or problem}"
    text = (
        f"SHARD {part} UNFINISHED {why}; {_MERGE} will refuse it, free some room and run it again"
    )
    return Line(printable(text), "bad")


def _unfinished(part: ShardPart, session: pytest.Session) -> Line:
    if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
        return Line(f"SHARD {part} UNFINISHED no test of its cases was collected", "bad")
    if session.exitstatus in _ENDED:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    why = f"it was stopped before all items ran; {_MERGE} will refuse its file, run it again"
    return Line(f"SHARD {part} UNFINISHED {why}", "bad")


def _empty(part: ShardPart, session: pytest.Session) -> Line:
    why = "no case of this run is in it"
    if part.cases or part.dialogues:
        why = f"{' '.join(_deselected_by(session.config))} selects nothing of it"
    needed = f"{_MERGE} needs its file all the same"
    text = f"SHARD {part} EMPTY {why}; nothing was measured, and {needed}"
    return Line(printable(text), "bold")
