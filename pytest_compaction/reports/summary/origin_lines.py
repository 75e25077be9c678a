"""Real and scripted cases apart in the terminal: a row for each strategy and origin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from pytest_compaction.metrics.aggregate import Aggregate, Mean
from pytest_compaction.metrics.differences.same_views import with_same_views
from pytest_compaction.metrics.origins import by_origin
from pytest_compaction.records.record import Record
from pytest_compaction.reports.lines import Line, interval_text, removed_text
from pytest_compaction.reports.short_names import short_names
from pytest_compaction.rubric import MAX_SCORE

_NAME_WIDTH: Final = 18


def origin_lines(groups: Mapping[str, Sequence[Record]], grouped: bool) -> Iterator[Line]:
    """Overall score, Pass^1, tokens removed and facts stated; nothing without both origins.

    With ``grouped``, strategies with the same views share a row under the name of the first.
    """
    names = [names[0] for names in with_same_views(groups)] if grouped else list(groups)
    found = by_origin({name: groups[name] for name in names})
    if not found:
        return
    yield Line("")
    yield Line("real and scripted cases apart", "bold")
    head = f"{'compactor':<{_NAME_WIDTH}}{'cases':>12}{'overall':>18}{'pass^1':>7}"
    yield Line(f"{head}{'removed':>9}{'stated':>16}", "dim")
    shown = short_names(found, _NAME_WIDTH)
    for name, figures in found.items():
        for origin, item in figures.items():
            cases = item.overall.cases if item.overall else 0
            label = f"{shown[name]:<{_NAME_WIDTH}}{f'{cases} {origin}':>12}"
            yield Line(label + _figures(item))
    yield Line("stated: share of the facts that the views state; 95% intervals over cases", "dim")


def _figures(item: Aggregate) -> str:
    passed = f"{item.passes[1]:.0%}" if 1 in item.passes else "-"
    removed = removed_text(item.tokens.removed) if item.tokens.before else "-"
    return f"{_overall(item.overall):>18}{passed:>7}{removed:>9}{_stated(item.stated):>16}"


def _overall(mean: Mean | None) -> str:
    if mean is None:
        return "-"
    interval = mean.interval
    shown = "" if interval is None else f" {interval_text(interval, limits=(0, MAX_SCORE))}"
    return f"{mean.value:.2f}{shown}"


def _stated(mean: Mean | None) -> str:
    if mean is None:
        return "-"
    if mean.interval is None:
        return f"{mean.value:.0%}"
    low, high = mean.interval
    return f"{mean.value:.0%} [{100 * max(low, 0):.0f}, {100 * min(high, 1):.0f}]"
