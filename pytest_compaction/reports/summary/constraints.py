"""Standing constraints in the summary: how many views state them, how many choices comply."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from pytest_compaction.metrics import IS_CONTROL, Compliance, compliance, constraint_survival
from pytest_compaction.records import Record
from pytest_compaction.reports.lines import WIDTH, Line, interval_text
from pytest_compaction.text import printable

_SHARE = (0.0, 1.0)


def constraint_lines(records: Sequence[Record], control: Sequence[Record]) -> Iterator[Line]:
    """Constraint survival and compliance of one strategy; nothing where nothing stands.

    ``control`` are the records of the run without compaction, empty if there was none.
    """
    survived = constraint_survival(records)
    if survived is not None:
        interval = interval_text(survived.interval, ".0%", _SHARE)
        stated = f"{survived.value:.0%} {interval} of {survived.count} still stated"
        yield Line(f"constraints   {stated}")
    chosen = compliance(records, control)
    if chosen is None:
        return
    yield Line(f"compliance    {_share(chosen)}")
    yield from _wrapped(_retained(chosen), "  ")


def short_constraints(records: Sequence[Record]) -> str:
    """Constraint survival for a line with other figures; empty if nothing stands."""
    survived = constraint_survival(records)
    return "" if survived is None else f", constraints {survived.value:.0%}"


def compliance_lines(records: Sequence[Record], control: Sequence[Record]) -> Iterator[Line]:
    """Compliance of one of several strategies; nothing if no choice was put to it."""
    chosen = compliance(records, control)
    if chosen is not None:
        yield Line(f"  compliance {_share(chosen)}")
        yield from _wrapped(_retained(chosen), "    ")


def _share(chosen: Compliance) -> str:
    if chosen.compacted is None:
        return "no choice could be read"
    share = chosen.compacted
    interval = interval_text(share.interval, ".0%", _SHARE)
    return f"{share.value:.0%} {interval} of {share.count} choices"


def _retained(chosen: Compliance) -> str:
    """The three shares, and the effect retention that is made of them or why there is none."""
    found = chosen.retained
    if found.reason == IS_CONTROL:
        return ""
    shares = ", ".join(f"c_{name} {mean.value:.0%}" for name, mean in chosen.paired.items())
    worth = f"not defined: {found.reason}" if found.value is None else f"{found.value:.2f}"
    return (f"{shares}; " if shares else "") + f"ER {worth}"


def _wrapped(text: str, indent: str) -> Iterator[Line]:
    room = WIDTH - len(indent)
    for line in textwrap.wrap(printable(text), room, subsequent_indent="  "):
        yield Line(indent + line)
