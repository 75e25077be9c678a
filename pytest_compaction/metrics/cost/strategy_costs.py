"""What one strategy costs and saves, from its records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.metrics.aggregate import Mean
from pytest_compaction.metrics.cost.formula import (
    Pricing,
    Ratios,
    Sizes,
    SummaryCalls,
    break_even,
    compaction_cost,
    request_saving,
)
from pytest_compaction.metrics.cost.refetch import Refetch, refetch
from pytest_compaction.metrics.item_figures import Record
from pytest_compaction.metrics.losses.events import (
    COMPACTED,
    CaseTrial,
    CompactionEvent,
    events_by_case,
    whole,
)
from pytest_compaction.metrics.losses.fates import fates
from pytest_compaction.metrics.losses.shares import mean_over
from pytest_compaction.metrics.statistics.jackknife import jackknife_interval

HORIZON: Final = 20
"""Later requests over which costs are weighed, unless a caller says otherwise."""


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Requests after each compaction until all of them together have paid for themselves.

    0 if they cost nothing, ``None`` if they never do. ``interval`` is 95 % over cases.
    """

    requests: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class StrategyCosts:
    """Costs over the compactions whose sizes are known; ``unknown`` others are left out.

    ``removed``, ``cached`` and ``written`` are tokens summed over compactions: taken off the
    request, and those of the view that the cache holds (the longest common prefix) or not.
    ``prefix`` is the mean share of the request before that stays a common prefix. ``calls``
    wrote the summaries. ``cost`` and ``saving`` (of each later request) are sums of input-token
    equivalents, see :mod:`~pytest_compaction.metrics.cost.formula`, and ``cost_each`` and
    ``saving_each`` their means by compaction; ``if_cached`` is the break-even had the calls read
    their input from the cache.

    Over ``horizon`` later requests: ``net_tokens`` = removed * horizon - tokens of the calls -
    tokens to read again, and ``net`` = saving * horizon - cost - tokens to read again * write,
    in equivalents.
    """

    compactions: int
    unknown: int
    removed: int
    removed_each: Mean | None
    prefix: Mean | None
    cached: int
    written: int
    calls: SummaryCalls
    cost: float
    cost_each: Mean
    saving: float
    saving_each: Mean
    break_even: BreakEven
    if_cached: BreakEven
    refetch: Refetch
    horizon: int
    net_tokens: int
    net: float
    pricing: Pricing

    @property
    def cost_usd(self) -> float | None:
        """US dollars of the cost; ``None`` without a price."""
        return self.pricing.usd(self.cost)

    @property
    def net_usd(self) -> float | None:
        """US dollars saved over the horizon; ``None`` without a price."""
        return self.pricing.usd(self.net)


@dataclass(frozen=True, slots=True)
class _Work:
    """The compactions of one case in one trial, and the calls that they took."""

    case: str
    sizes: tuple[Sizes, ...]
    calls: SummaryCalls


def strategy_costs(
    records: Sequence[Record], pricing: Pricing, horizon: int = HORIZON
) -> StrategyCosts | None:
    """The costs of one strategy over all its trials; ``None`` if no compaction is known.

    ``horizon`` is at least 0.
    """
    listed = events_by_case(records)
    work = _work(records, listed)
    sizes = _sizes_of(work)
    if not sizes:
        return None
    changed = sum(event.changed for events in listed.values() for event in events)
    ratios = pricing.ratios
    calls = _calls_of(work)
    again = refetch(fates(records))
    removed = sum(size.removed for size in sizes)
    cost, saving = compaction_cost(sizes, calls, ratios), request_saving(sizes, ratios)
    kept = [(w.case, size.prefix / size.before) for w in work for size in w.sizes if size.before]
    return StrategyCosts(
        compactions=len(sizes),
        unknown=changed - len(sizes),
        removed=removed,
        removed_each=mean_over((w.case, size.removed) for w in work for size in w.sizes),
        prefix=mean_over(kept),
        cached=sum(size.prefix for size in sizes),
        written=sum(size.written for size in sizes),
        calls=calls,
        cost=cost,
        cost_each=_each(
            work, lambda some: compaction_cost(_sizes_of(some), _calls_of(some), ratios)
        ),
        saving=saving,
        saving_each=_each(work, lambda some: request_saving(_sizes_of(some), ratios)),
        break_even=_break_even(work, ratios),
        if_cached=_break_even([replace(w, calls=w.calls.from_cache()) for w in work], ratios),
        refetch=again,
        horizon=horizon,
        net_tokens=removed * horizon - round(calls.input + calls.output) - again.tokens,
        net=saving * horizon - cost - again.tokens * ratios.write,
        pricing=pricing,
    )


def _work(
    records: Sequence[Record], listed: Mapping[CaseTrial, Sequence[CompactionEvent]]
) -> list[_Work]:
    """The compactions of known size of each case and trial, with their part of the calls.

    Usage is recorded for all compactions of a case together. Where a probe before the last of
    them is the last one asked, those that it does not list take an equal part of it each.
    """
    recorded = {
        (record["case"], record["trial"]): record for record in records if record["compaction"]
    }
    found = []
    for key, events in listed.items():
        sizes = tuple(size for event in events if (size := _sizes(event)) is not None)
        if sizes:
            taken = recorded[key]["compaction"].get("steps") or {}
            all_of_them = sum(whole(taken.get(status)) or 0 for status in COMPACTED)
            part = min(len(sizes) / all_of_them, 1.0) if all_of_them else 1.0
            found.append(_Work(key[0], sizes, _calls(recorded[key]).part(part)))
    return found


def _sizes(event: CompactionEvent) -> Sizes | None:
    if not event.changed or event.before is None or event.after is None or event.prefix is None:
        return None
    return Sizes(event.before, event.after, min(event.prefix, event.before, event.after))


def _calls(record: Record) -> SummaryCalls:
    usage = (record.get("usage") or {}).get("compaction") or {}
    names = ("input_tokens", "cached_tokens", "output_tokens")
    return SummaryCalls(*(whole(usage.get(name)) or 0 for name in names))


def _sizes_of(work: Iterable[_Work]) -> list[Sizes]:
    return [size for each in work for size in each.sizes]


def _calls_of(work: Iterable[_Work]) -> SummaryCalls:
    return sum((each.calls for each in work), SummaryCalls())


def _each(work: Sequence[_Work], total: Callable[[Sequence[_Work]], float]) -> Mean:
    """A sum by compaction, with its interval over cases."""

    def mean(some: Sequence[_Work]) -> float:
        return total(some) / len(_sizes_of(some))

    clusters = _by_case(work)
    interval = jackknife_interval(clusters, mean)
    return Mean(mean(work), interval, len(_sizes_of(work)), len(clusters))


def _break_even(work: Sequence[_Work], ratios: Ratios) -> BreakEven:
    def requests(some: Sequence[_Work]) -> float | None:
        cost = compaction_cost(_sizes_of(some), _calls_of(some), ratios)
        return break_even(cost, request_saving(_sizes_of(some), ratios))

    interval = jackknife_interval(_by_case(work), requests)
    return BreakEven(requests(work), interval and (max(interval[0], 0.0), interval[1]))


def _by_case(work: Iterable[_Work]) -> dict[str, list[_Work]]:
    clusters: dict[str, list[_Work]] = defaultdict(list)
    for each in work:
        clusters[each.case].append(each)
    return clusters
