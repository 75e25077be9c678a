"""Recall probes about commands whose output changed when they were run again."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from pytest_compaction.artifacts.operations import INTERRUPTED, Command, commands
from pytest_compaction.probes.log import Candidate, Draft, ProbeLog

_STATUS: Final = re.compile(
    r"\s*(?:\[(?:The command|Current working|Python interpreter|Command finished)[^\n]*\]"
    r"|\((?:Open file|Current directory): [^\n]*\)|bash-\$|Exit code:? \d+|exit code \d+)\s*"
)
_ERROR: Final = re.compile(r"[A-Za-z_.]{2,60}(?:Error|Exception|Failure)\b:? ?.{0,200}")
_LISTING: Final = re.compile(
    r"^\s*(?:ls|cat|head|tail|less|grep|rg|find|git (?:status|diff|log))\b"
)
_MAX_OUTPUT: Final = 100_000
_MAX_LINES: Final = 3
_MAX_MENTIONS: Final = 8
_SHORTEST, _LONGEST = 3, 140


def rerun_drafts(log: ProbeLog) -> Iterator[Draft]:
    """One draft per command: what did it print in its first run, and what in its last?"""
    last = len(log.points) - 1
    asked = log.points[last]
    runs: dict[str, list[Command]] = defaultdict(list)
    for command in commands(log.messages):
        if log.position[command.message_id] <= asked and not _LISTING.match(command.text):
            runs[" ".join(command.text.split())].append(command)
    for text, run in runs.items():
        if len(text) > _LONGEST or "`" in text or len(run) < 2:
            continue
        first, latest = (printed_line(command.output) for command in (run[0], run[-1]))
        if not first or not latest or first == latest:
            continue
        printed = (Candidate(line, "state") for line in (first, latest))
        facts = log.find_all(printed, asked, most=_MAX_MENTIONS)
        if len(facts) == 2:
            yield Draft(
                "recall",
                "rerun",
                f"The command `{text}` was run more than once. What did it print the first "
                "time, and what the last time?",
                facts,
                last,
                0.2,
            )


def printed_line(output: str) -> str:
    """The line that tells how a run ended: its last error, or the last of at most three lines.

    Lines added by a terminal or by the agent's program do not count. Empty if a longer
    output has no error, or if the line is too short or too long for a question.
    """
    shown = "" if output == INTERRUPTED else output[-_MAX_OUTPUT:]
    lines = [line.strip() for line in shown.splitlines() if line.strip()]
    lines = [line for line in lines if not _STATUS.fullmatch(line)]
    errors = [line for line in lines if _ERROR.match(line)]
    if not errors and len(lines) > _MAX_LINES:
        return ""
    line = (errors or lines or [""])[-1]
    return line if _SHORTEST <= len(line) <= _LONGEST else ""
