"""What the cases of a run can tell apart, and how many a smaller difference takes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.metrics.differences.item_pairs import differences_by_case
from pytest_compaction.metrics.statistics.power import cases_needed, detectable_difference
from pytest_compaction.records.record import Record
from pytest_compaction.reports.lines import WIDTH, Line
from pytest_compaction.reports.short_names import short_names
from pytest_compaction.text import printable

WISHED: Final = 0.1
"""The difference of the overall score, in points, that one would like to find."""
_NAME: Final = 24


def power_lines(
    names: tuple[str, str], first: Sequence[Record], second: Sequence[Record]
) -> Iterator[Line]:
    """The smallest difference between two strategies that is found at 80 % power, and the cases
    that a difference of 0.1 takes; nothing with so few cases that none can be found.
    """
    differences = differences_by_case(first, second)
    found = detectable_difference(differences)
    if not found:
        return
    one, other = short_names(names, _NAME).values()
    yield Line(printable(f"{len(differences)} cases tell {one} from {other}", WIDTH), "dim")
    needed = cases_needed(differences, WISHED)
    more = f"; {WISHED:g} takes {needed:,} cases" if needed and found > WISHED else ""
    yield Line(f"  if they differ by {found:.2f} (at 80 % power){more}", "dim")
