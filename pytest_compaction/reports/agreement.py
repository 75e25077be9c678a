"""Figures of agreement as a table to read, as Markdown, and as JSON."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Final

from pytest_compaction.metrics import FEWEST_CLUSTERS, Agreement
from pytest_compaction.records import rounded
from pytest_compaction.reports.lines import interval_text
from pytest_compaction.reports.table import (
    TABLE_WIDTH,
    Cell,
    Table,
    count,
    markdown_table,
    plain_table,
    table,
)

_COLUMNS: Final = (
    ("of", ""),
    ("measure", "measure"),
    ("value", "value"),
    ("interval", "95 % interval"),
    ("count", "compared"),
    ("cases", "cases"),
)
NOTE: Final = (
    "kappa has quadratic weights; a difference is the second minus the first, in points or shares; "
    "intervals are 95 % intervals over cases"
)


def agreement_text(agreements: Sequence[Agreement]) -> str:
    blocks = ["\n".join(plain_table(_table(each))) for each in agreements]
    return "\n\n".join([*blocks, textwrap.fill(f"{NOTE}.", TABLE_WIDTH)]) + "\n"


def agreement_markdown(agreements: Sequence[Agreement]) -> str:
    blocks = [block for each in agreements for block in markdown_table(_table(each))]
    return "\n\n".join([*blocks, f"{NOTE}."]) + "\n"


def agreement_json(agreements: Iterable[Agreement]) -> str:
    """The figures as JSON: ``null`` for what is not defined, with the reason beside it."""
    data = [
        {
            "first": each.first,
            "second": each.second,
            "left_out": dict(each.left_out),
            "figures": [
                {
                    **asdict(figure),
                    "value": rounded(figure.value),
                    "interval": figure.interval and list(map(rounded, figure.interval)),
                }
                for figure in each.figures
            ],
        }
        for each in agreements
    ]
    return json.dumps({"agreement": data}, indent=1, ensure_ascii=False) + "\n"


def _table(agreement: Agreement) -> Table:
    title = f"{agreement.first} against {agreement.second}"
    rows = []
    for figure in agreement.figures:
        value, interval = "-", "-"
        if figure.value is not None:
            value, interval = f"{figure.value:.2f}", interval_text(figure.interval)
        texts = map(Cell, (figure.of, figure.measure, value, interval))
        rows.append([*texts, count(figure.count), count(figure.cases)])
    return table("agreement", title, _COLUMNS, rows, _notes(agreement))


def _notes(agreement: Agreement) -> Iterator[str]:
    for figure in agreement.figures:
        if figure.undefined:
            yield f"{figure.of}, {figure.measure}: {figure.undefined}"
    if any(f.value is not None and f.interval is None for f in agreement.figures):
        yield (
            f"(no interval): fewer than {FEWEST_CLUSTERS} cases, or the figure is not defined "
            "without one of them"
        )
    if agreement.left_out:
        parts = [f"{number:,} {reason}" for reason, number in agreement.left_out.items()]
        yield f"items left out: {'; '.join(parts)}"
