"""The parts of a log in which a merge was under way that was given up."""

from __future__ import annotations

import re
from typing import Final

from pytest_compaction.probes.log import ProbeLog, once_a_log
from pytest_compaction.probes.passing import MAX_SCRIPT

_GIT: Final = r"\bgit\b[^|;&\n]{0,200}"
_BEGUN: Final = re.compile(
    rf"{_GIT}\b(?:merge(?!-)|rebase|cherry-pick|pull|revert|am)\b"
    r"(?![^|;&\n]{0,200}--(?:abort|quit))"
)
_ENDED: Final = re.compile(rf"{_GIT}(?:\bcommit\b|--continue\b)")
_GIVEN_UP: Final = re.compile(rf"{_GIT}(?:--abort\b|\breset\b[^|;&\n]*--(?:hard|merge)\b)")
CONFLICT: Final = re.compile(r"^[^\w\n]{0,12}\d{0,6}[^\w\n]{0,12}(?:<{7} |>{7} )", re.MULTILINE)
"""A mark of a conflict at the start of a line, which a listing may have numbered."""


@once_a_log
def merges_given_up(log: ProbeLog) -> tuple[range, ...]:
    """The positions from the start of each merge, rebase or the like to where it was aborted."""
    found: list[range] = []
    begun: int | None = None
    for command in log.commands:
        place = log.position[command.message_id]
        script = command.text[:MAX_SCRIPT]
        if begun is not None and _GIVEN_UP.search(script):
            found.append(range(begun, place + 1))
            begun = None
        elif _ENDED.search(script):
            begun = None
        elif _BEGUN.search(script):
            begun = place
    return tuple(found)


def in_merge_given_up(log: ProbeLog, place: int) -> bool:
    """Whether what a position shows was undone with the merge around it."""
    return any(place in span for span in merges_given_up(log))
