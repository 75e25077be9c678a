"""Cost and saving of a compaction where a provider caches the prefix of requests.

The unit is the price of one input token; docs/losses.md has the formulas. The next request is part
of the cost of a compaction, and break-even counts those after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from pytest_compaction.metrics.intervals import (
    Mean,
    by_unit,
    case_key,
    clustered,
    jackknife_interval,
    mean_over,
)
from pytest_compaction.metrics.lost_facts import COMPACTED, FactFate, events_by_case, fates
from pytest_compaction.record import EventRecord, Record


@dataclass(frozen=True, slots=True)
class Ratios:
    """Prices of a token read from the cache, written to it, or put out, by the input price."""

    read: float
    write: float
    output: float


@dataclass(frozen=True, slots=True)
class Pricing:
    """The ratios of a model, in words for a reader, and US dollars for a million input tokens."""

    name: str
    ratios: Ratios
    input_usd: float | None = None

    def usd(self, equivalents: float) -> float | None:
        return None if self.input_usd is None else equivalents * self.input_usd / 1_000_000


DEFAULT_PRICING: Final = Pricing(
    "assumed: read 0.1, write 1.25, output 5 times the input price", Ratios(0.1, 1.25, 5)
)
"""Stated ratios without dollars, for a run that names no model with a price."""


@dataclass(frozen=True, slots=True)
class SummaryCalls:
    """Tokens of the calls that wrote the summaries; ``cached`` is part of ``input``."""

    input: float = 0
    cached: float = 0
    output: float = 0

    def __add__(self, other: SummaryCalls) -> SummaryCalls:
        return SummaryCalls(
            self.input + other.input, self.cached + other.cached, self.output + other.output
        )

    def cost(self, ratios: Ratios) -> float:
        cached = min(self.cached, self.input)
        return (self.input - cached) + cached * ratios.read + self.output * ratios.output


@dataclass(frozen=True, slots=True)
class Sizes:
    """Tokens of a request, of the view in its place, and of the messages both begin with."""

    before: int
    after: int
    prefix: int

    @property
    def removed(self) -> int:
        """Tokens that later requests do not send; below 0 if the view is the larger one."""
        return self.before - self.after

    @property
    def written(self) -> int:
        """Tokens of the view that the cache does not hold."""
        return self.after - self.prefix


def compaction_cost(sizes: Iterable[Sizes], calls: SummaryCalls, ratios: Ratios) -> float:
    """The cost of compactions: their calls, and what the next request after each costs more."""
    return calls.cost(ratios) + sum(
        (each.prefix - each.before) * ratios.read + each.written * ratios.write for each in sizes
    )


def request_saving(sizes: Iterable[Sizes], ratios: Ratios) -> float:
    """The saving of a later request after each compaction; below 0 if views are larger."""
    return sum(each.removed for each in sizes) * ratios.read


def break_even(cost: float, saving: float) -> float | None:
    """Later requests after which the saving has paid for the cost; ``None`` if it never does."""
    if cost <= 0:
        return 0.0
    return cost / saving if saving > 0 else None


@dataclass(frozen=True, slots=True)
class Refetch:
    """Tokens of the smallest log messages that state the dropped facts, each once."""

    tokens: int
    recoverable_tokens: int


def refetch(facts: Iterable[FactFate]) -> Refetch:
    """The expected tokens of reading again whatever was dropped, if all of it is needed."""
    needed: dict[tuple[str, int, str], int] = {}
    recoverable: dict[tuple[str, int, str], int] = {}
    for fact in facts:
        if not fact.survived and fact.source is not None:
            message, tokens = fact.source
            key = fact.case, fact.trial, message
            needed[key] = tokens
            if fact.recoverable:
                recoverable[key] = tokens
    return Refetch(sum(needed.values()), sum(recoverable.values()))


COST_HORIZON: Final = 20
"""Later requests over which costs are weighed."""


@dataclass(frozen=True, slots=True)
class BreakEven:
    """Requests after each compaction until all have paid for themselves, if they ever do."""

    requests: float | None
    interval: tuple[float, float] | None


@dataclass(frozen=True, slots=True)
class StrategyCosts:
    """Costs over the compactions whose sizes are known.

    ``removed``, ``cached`` and ``written`` are tokens; ``prefix`` is the mean share of the request
    before that stays. ``cost`` and ``saving`` are input-token equivalents, and ``if_cached`` is the
    break-even had the calls read their input from the cache. Over :data:`COST_HORIZON` later
    requests ``net_tokens`` is removed * horizon - calls - tokens to read again, and ``net`` the
    same in equivalents.
    """

    compactions: int
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
    net_tokens: int
    net: float
    pricing: Pricing

    @property
    def cost_usd(self) -> float | None:
        return self.pricing.usd(self.cost)

    @property
    def net_usd(self) -> float | None:
        """US dollars saved over the horizon; ``None`` without a price."""
        return self.pricing.usd(self.net)


_Work = tuple[tuple[Sizes, ...], SummaryCalls]
"""The compactions of one case in one trial, and the calls that they took."""


def calls_of(event: EventRecord) -> SummaryCalls:
    """The calls that one compaction took."""
    read, cached = event.get("input_tokens", 0), event.get("cached_tokens", 0)
    return SummaryCalls(read, cached, event.get("output_tokens", 0))


def strategy_costs(records: Sequence[Record], pricing: Pricing) -> StrategyCosts | None:
    """The costs of one strategy over all its trials; ``None`` if no compaction is known."""
    clusters = clustered(_work(records))
    work = [each for group in clusters.values() for each in group]
    sizes = [(case, size) for case, group in clusters.items() for of, _ in group for size in of]
    if not sizes:
        return None
    ratios, again = pricing.ratios, refetch(fates(records))

    def cost_of(some: Sequence[_Work]) -> float:
        calls = sum((each for _, each in some), SummaryCalls())
        return compaction_cost((size for of, _ in some for size in of), calls, ratios)

    def saving_of(some: Sequence[_Work]) -> float:
        return request_saving((size for of, _ in some for size in of), ratios)

    def mean(total: Callable[[Sequence[_Work]], float]) -> Mean:
        def by_compaction(some: Sequence[_Work]) -> float:
            return total(some) / sum(len(of) for of, _ in some)

        interval = jackknife_interval(clusters, by_compaction)
        units = len(by_unit(clusters))
        return Mean(by_compaction(work), interval, len(sizes), len(clusters), units)

    def until_paid(cached: bool) -> BreakEven:
        def requests(some: Sequence[_Work]) -> float | None:
            if cached:  # had the cache held all of the input of the calls
                some = [(of, replace(each, cached=each.input)) for of, each in some]
            return break_even(cost_of(some), saving_of(some))

        paid = jackknife_interval(clusters, requests)
        return BreakEven(requests(work), paid and (max(paid[0], 0.0), paid[1]))

    calls = sum((each for _, each in work), SummaryCalls())
    cost, saving = cost_of(work), saving_of(work)
    removed = sum(size.removed for _, size in sizes)
    kept = clustered((case, size.prefix / size.before) for case, size in sizes if size.before)
    return StrategyCosts(
        compactions=len(sizes),
        removed=removed,
        removed_each=mean_over(clustered((case, float(size.removed)) for case, size in sizes)),
        prefix=mean_over(kept),
        cached=sum(size.prefix for _, size in sizes),
        written=sum(size.written for _, size in sizes),
        calls=calls,
        cost=cost,
        cost_each=mean(cost_of),
        saving=saving,
        saving_each=mean(saving_of),
        break_even=until_paid(cached=False),
        if_cached=until_paid(cached=True),
        refetch=again,
        net_tokens=removed * COST_HORIZON - round(calls.input + calls.output) - again.tokens,
        net=saving * COST_HORIZON - cost - again.tokens * ratios.write,
        pricing=pricing,
    )


def _work(records: Sequence[Record]) -> Iterator[tuple[str, _Work]]:
    """The compactions of known size of each case and trial, by the name of the case.

    Usage is recorded for all compactions of a case; those that no probe lists take an equal part.
    """
    recorded = {
        (record["case"], record["trial"]): record for record in records if record["compaction"]
    }
    for key, events in events_by_case(records).items():
        sizes = tuple(
            Sizes(before, after, min(prefix, before, after))
            for before, after, prefix in (
                (e.before, e.after, e.prefix) for e in events if e.changed
            )
            if before is not None and after is not None and prefix is not None
        )
        if sizes:
            taken = recorded[key]["compaction"].get("steps") or {}
            of_case = sum(taken.get(status, 0) for status in COMPACTED)
            part = min(len(sizes) / of_case, 1.0) if of_case else 1.0
            usage = (recorded[key].get("usage") or {}).get("compaction") or {}
            names = ("input_tokens", "cached_tokens", "output_tokens")
            calls = SummaryCalls(*(usage.get(name, 0) * part for name in names))
            yield case_key(recorded[key]), (sizes, calls)
