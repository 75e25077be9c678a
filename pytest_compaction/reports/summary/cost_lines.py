"""What a strategy costs and saves, as lines of the summary."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_compaction.metrics.cost.formula import DEFAULT_PRICING, Pricing
from pytest_compaction.metrics.cost.strategy_costs import BreakEven, StrategyCosts, strategy_costs
from pytest_compaction.records.record import Record
from pytest_compaction.reports.lines import WIDTH, Line
from pytest_compaction.reports.summary.loss_lines import labelled
from pytest_compaction.text import printable


def cost_lines(records: Sequence[Record], pricing: Pricing | None = None) -> Iterator[Line]:
    """Tokens removed, when that has paid for itself, and tokens to read again what was lost.

    Nothing for records that do not tell it. Without ``pricing`` stated ratios are taken.
    """
    found = strategy_costs(records, pricing or DEFAULT_PRICING)
    if found is None:
        return
    again = f"{short_count(found.refetch.tokens)} to read again"
    change = "removed" if found.removed >= 0 else "added"
    parts = [f"{short_count(abs(found.removed))} {change}", pays(found.break_even), again]
    yield from labelled("cost", [*parts, *_saved(found)])
    yield Line(f"  prices {printable(found.pricing.name, WIDTH - 9)}", "dim")


def pays(found: BreakEven) -> str:
    """After how many requests compactions have paid for themselves, in words."""
    if found.requests is None:
        return "never pays for itself"
    if found.requests == 0:
        return "pays at once"
    within = ""
    if found.interval is not None:
        within = f" [{', '.join(map(_requests, found.interval))}]"
    return f"pays after {_requests(found.requests)}{within} requests"


def _requests(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:,.0f}"


def short_count(tokens: int) -> str:
    """Tokens in thousands or millions from 10,000 on, such as ``71k`` and ``1.67M``."""
    if abs(tokens) < 10_000:
        return f"{tokens:,}"
    return f"{tokens / 1_000:,.0f}k" if abs(tokens) < 999_500 else f"{tokens / 1_000_000:,.2f}M"


def _saved(found: StrategyCosts) -> Iterator[str]:
    """Dollars over the horizon; nothing without a price."""
    usd = found.net_usd
    if usd is not None:
        word = "saves" if usd >= 0 else "costs"
        yield f"{word} {abs(usd):,.4f} US dollars over {found.horizon} requests"
