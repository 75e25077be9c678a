"""What became of the items of one strategy: nulls beaten or not, reasons for missing scores."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from pytest_compaction.metrics import (
    Aggregate,
    Figure,
    Losses,
    best_null,
    further,
    is_null,
    means,
    survival,
)
from pytest_compaction.records import Record
from pytest_compaction.reports.lines import WIDTH, Line, interval_text
from pytest_compaction.settings import CONTROL
from pytest_compaction.text import printable

OUTCOMES: Final = ("stated", "uncertain", "contradicted", "absent")
_REASON_CHARACTERS: Final = 4 * (WIDTH - 2)
"""Four lines: enough to say why a strategy could not be scored and what to do."""


def reading_line(figures: Aggregate) -> Line:
    """What the scores are made of: what the view still states, or the answers."""
    if figures.reading == "view":
        return Line("survival: what the view still states, 0 to 5", "dim")
    return Line("answers: what the responder said from the view, 0 to 5", "dim")


def counted_outcomes(losses: Losses) -> str:
    """The facts by outcome; all four are always named."""
    return ", ".join(f"{losses.outcomes.get(name, 0)} {name}" for name in OUTCOMES)


def second_lines(figures: Aggregate) -> Iterator[Line]:
    """The figure of the reading that does not lead, and how the two explain each other."""
    losses = figures.losses
    mean = "" if figures.second is None else f"{figures.second.value:.2f}"
    if figures.reading == "view":
        if losses.unused is None or not (losses.facts or mean):
            return
        unused = f"{losses.unused} facts of the view are not in the answers"
        yield Line(f"answers       {f'overall {mean}; ' if mean else ''}{unused}")
        return
    if mean:
        yield Line(f"survival      overall {mean}")
    lost = losses.dropped + (losses.unused or 0)
    yield Line(
        f"facts lost    {lost} of {losses.facts}: {losses.dropped} dropped from the view, "
        f"{losses.unused} unused"
    )


def further_figures(
    records: Sequence[Record], control: Sequence[Record]
) -> Iterator[tuple[Figure, str]]:
    """The figures without a place of their own in the terminal, with their intervals."""
    found = means(records, control)
    for figure in further("terminal"):
        mean = found.get(figure.name)
        form = ".0%" if figure.kind == "share" else ".2f"
        if mean is not None:
            interval = interval_text(figure.within(mean.interval), form)
            yield figure, f"{format(mean.value, form)} {interval}"


def null_line(records: Sequence[Record], indent: str = "") -> Line | None:
    """Whether a strategy beats the best null at equal tokens; ``None`` if it is not compared.

    The difference is in points of survival: the score from 0 to 5 of what the views state.
    """
    found = best_null(records)
    if found is None:
        return None
    interval = interval_text(found.difference.interval, "+.2f")
    points = f"{found.difference.value:+.2f} {interval}"
    text = f"at equal tokens {found.result} {found.null}, the best null: {points}"
    room = WIDTH - len(indent)
    return Line(indent + printable(text, room), "good" if found.result == "beats" else "plain")


def unread_nulls_line(records: Iterable[Record]) -> Line | None:
    """How to compare items with the nulls that a run left out because nobody wanted a report."""
    items = sum(
        survival(record) is not None
        and record.get("nulls") == {}
        and "nuggets" not in record
        and record["compactor"] != CONTROL
        and not is_null(record["compactor"])
        for record in records
    )
    if not items:
        return None
    text = f"nulls         not read for {items:,} items; -v or --compaction-report=PATH reads them"
    return Line(text, "dim")


def unscored_because(records: Sequence[Record], count: int = 3) -> Iterator[Line]:
    """The most frequent reasons for which items could not be scored."""
    reasons = Counter(record["reason"] for record in records if record["status"] == "unscored")
    for reason, times in reasons.most_common(count):
        text = printable(f"not scored ({times}): {reason}".rstrip(), _REASON_CHARACTERS)
        for line in textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False):
            yield Line(line, "bad")
