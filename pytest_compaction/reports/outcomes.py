"""What became of the items of one strategy: nulls beaten or not, reasons for missing scores."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from pytest_compaction.metrics.nulls import best_null
from pytest_compaction.records.record import Record
from pytest_compaction.reports.lines import WIDTH, Line, interval_text
from pytest_compaction.text.words import printable

_REASON_CHARACTERS: Final = 4 * (WIDTH - 2)
"""Four lines: enough to say why a strategy could not be scored and what to do."""


def null_line(records: Sequence[Record], indent: str = "") -> Line | None:
    """Whether a strategy beats the best null at equal tokens; ``None`` if it is not compared.

    The difference is in points of a hundred of the facts that the views state.
    """
    found = best_null(records)
    if found is None:
        return None
    said = "best null" if found.result == "not known" else f"{found.result} the best null"
    points = f"{100 * found.difference.value:+.1f}"
    interval = interval_text(found.difference.interval, 100, "+.1f")
    text = f"{indent}at equal tokens {said}, {found.null}: {points} {interval} % of facts"
    return Line(printable(text, WIDTH), "good" if found.result == "beats" else "plain")


def unscored_because(records: Sequence[Record], count: int = 3) -> Iterator[Line]:
    """The most frequent reasons for which items could not be scored."""
    reasons = Counter(record["reason"] for record in records if record["status"] == "unscored")
    for reason, times in reasons.most_common(count):
        text = printable(f"not scored ({times}): {reason}".rstrip(), _REASON_CHARACTERS)
        for line in textwrap.wrap(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False):
            yield Line(line, "bad")
