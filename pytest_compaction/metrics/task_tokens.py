"""Tokens per task: the cost of the views of a strategy for the rest of the recorded session.

An estimate, because the session was recorded under another view; what the view on record made the
agent fetch again is observed. The unit is the price of one input token; docs/losses.md has the
formula and its limits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pytest_compaction.metrics.aggregates import is_needed
from pytest_compaction.metrics.budgets import is_over_budget
from pytest_compaction.metrics.comparisons import compare
from pytest_compaction.metrics.cost import DEFAULT_PRICING, Pricing, Ratios, Sizes, calls_of
from pytest_compaction.metrics.fetched_again import HORIZONS
from pytest_compaction.metrics.intervals import Mean, case_key, clustered, mean_over
from pytest_compaction.record import Record
from pytest_compaction.settings import RECORDED

NOTHING_LATER: Final = "no request follows a compaction"
NOT_NEEDED: Final = "no fact says what it was needed for"
UNSCORED: Final = "an item has no score"
NOT_ON_RECORD: Final = "no compaction is on record"
UNKNOWN: Final = "the tokens of a view or of later requests are not known"
PARTS: Final = ("requests", "read_again", "summaries")
TOTAL: Final = "total"
"""The parts of the estimate, and their sum."""
_MOST: Final = 2**53
"""A count beyond it is damage, and would be no exact float."""
_COUNTS: Final[Mapping[str, int | None]] = {
    **dict.fromkeys(("before", "after", "prefix", "requests", "added", "sent")),
    **dict.fromkeys(("input_tokens", "cached_tokens", "output_tokens"), 0),
}
"""The figures of a compaction that must be counts; older versions do not tell of requests."""


def requests_cost(sizes: Sizes, requests: int, added: int, sent: int, ratios: Ratios) -> float:
    """The cost of the requests after a compaction, each with the view and the log since then.

    ``added`` are the tokens of the log in the last of them, ``sent`` in all together. The first
    request finds the prefix of the view in the cache, each other one all of the one before it.
    """
    if not requests:
        return 0.0
    read = sizes.prefix + (requests - 1) * sizes.after + sent - added
    return read * ratios.read + (sizes.written + added) * ratios.write


@dataclass(frozen=True, slots=True)
class SessionTokens:
    """One session in one trial, after its first compaction, as one strategy would go on with it.

    ``later`` counts its requests, and ``sent`` all tokens in them, cached or not. ``requests``,
    ``read_again`` and ``summaries`` are worth as many input tokens. ``gone`` counts needed facts
    that the views neither state nor lead to; ``needed`` are all. Of the ``observed`` compactions
    ``net`` could be held against calls far from any.
    """

    case: str
    trial: int
    later: int
    sent: int
    requests: float
    read_again: float
    summaries: float
    gone: int
    needed: int
    observed: int = 0
    net: int = 0

    @property
    def total(self) -> float:
        return self.requests + self.read_again + self.summaries


@dataclass(frozen=True, slots=True)
class TaskTokens:
    """The sessions of a strategy; ``left_out`` has the reason for each case that is in no figure.

    ``over_budget``: a view of a session takes more tokens than it may. ``observed``: what was read
    again was seen in the session, because its agent had these views.
    """

    sessions: tuple[SessionTokens, ...]
    left_out: Mapping[str, str]
    over_budget: bool
    pricing: Pricing
    observed: bool = False

    def mean(self, name: str) -> Mean | None:
        """The mean of a part over sessions; ``None`` without any."""
        return mean_over(
            clustered((each.case, float(getattr(each, name))) for each in self.sessions)
        )

    @property
    def usd(self) -> float | None:
        """US dollars a session; ``None`` without a price."""
        mean = self.mean("total")
        return None if mean is None else self.pricing.usd(mean.value)

    def sum(self, name: str) -> int:
        return sum(getattr(each, name) for each in self.sessions)


def tokens_per_task(records: Sequence[Record], pricing: Pricing = DEFAULT_PRICING) -> TaskTokens:
    """The estimate of one strategy over all its sessions and trials."""
    by_session: dict[tuple[str, int, str], list[Record]] = {}
    for record in records:
        key = record["case"], record["trial"], str(record.get("budget"))
        by_session.setdefault(key, []).append(record)
    sessions, left_out = [], {}
    for (case, *_), group in sorted(by_session.items()):
        found = _session(group, pricing.ratios)
        if isinstance(found, SessionTokens):
            sessions.append(found)
        else:
            left_out[case] = found
    over = any(map(is_over_budget, _judged(records)))
    observed = any(record["compactor"] == RECORDED for record in records)
    return TaskTokens(tuple(sessions), left_out, over, pricing, observed)


def _judged(records: Sequence[Record]) -> Sequence[Record]:
    """The records of a strategy that ask something; of the views on record those at a point that
    has one.
    """
    asking = [r for r in records if r["facts"] or r["status"] != "skipped"]
    return [r for r in asking if r["compactor"] != RECORDED or r["point"].get("recorded")]


def _session(records: Sequence[Record], ratios: Ratios) -> SessionTokens | str:
    """One session in one trial, or the reason why it is in no figure."""
    events = max((record["compaction"].get("events") or [] for record in records), key=len)
    observed, records = records[0]["compactor"] == RECORDED, _judged(records)
    if not records:
        return NOT_ON_RECORD
    if any(record["overall"] is None for record in records):
        return UNSCORED
    if not (observed or any(is_needed(fact) for record in records for fact in record["facts"])):
        return NOT_NEEDED
    found = [record["compaction"].get("events") or [] for record in records]
    counts = [event.get(name, least) for event in events for name, least in _COUNTS.items()]
    if not all(isinstance(count, int) and 0 <= count < _MOST for count in counts):
        return UNKNOWN
    events = [event for event in events if event["requests"]]
    if not events:
        return NOTHING_LATER
    again: dict[tuple[int, str], int] = {}
    needed: dict[tuple[int, str], bool] = {}
    searched = 0
    for record, until in zip(records, found, strict=True):
        if not until or not until[-1]["requests"]:
            continue
        for fact in filter(is_needed, record["facts"]):
            back = not fact["survived"] and fact.get("recoverable") is True
            needed[len(until), fact["text"]] = bool(fact["survived"]) or back
            if back and (source := fact.get("source")):
                again[len(until), source["message"]] = source["tokens"]
        facts = filter(is_needed, record["facts"])
        if any(fact["survived"] and fact.get("unasked") is False for fact in facts):
            searched += record["search"]["tokens"]
    told = _observed(records) if observed else []
    if told is None:
        return UNKNOWN
    seen = math.fsum(tokens - (usual or 0) for tokens, usual in told)
    read = seen if observed else sum(again.values()) + searched
    return SessionTokens(
        case=case_key(records[0]),
        trial=records[0]["trial"],
        later=sum(event["requests"] for event in events),
        sent=sum(event["requests"] * (event["after"] or 0) + event["sent"] for event in events),
        requests=math.fsum(
            requests_cost(
                Sizes(e["before"] or 0, e["after"] or 0, min(e["prefix"] or 0, e["after"] or 0)),
                *(e["requests"], e["added"], e["sent"], ratios),
            )
            for e in events
        ),
        read_again=read * ratios.write,
        summaries=math.fsum(calls_of(event).cost(ratios) for event in events),
        gone=sum(not held for held in needed.values()),
        needed=len(needed),
        observed=len(told),
        net=sum(usual is not None for _, usual in told),
    )


def _observed(records: Sequence[Record]) -> list[tuple[int, float | None]] | None:
    """The tokens that the agent fetched again in the calls after each of its compactions, and their
    mean after points far from any; ``None`` where there is none, or an older record does not tell.
    """
    horizon = str(max(HORIZONS))
    told = {
        record["point"]["id"]: record["point"].get("fetched_again", {}).get(horizon, {})
        for record in records
    }
    found: list[tuple[int, float | None]] = []
    for each in told.values():
        if (tokens := each.get("after", {}).get("tokens_again")) is None:
            return None
        points = each["points"]
        found.append((tokens, each["elsewhere"]["tokens_again"] / points if points else None))
    return found


@dataclass(frozen=True, slots=True)
class Cheapest:
    """The strategy of the lowest mean, and the ``alike`` from which its interval does not part.

    ``up_to``: the cost of a gone needed fact from which on another strategy, with fewer of them,
    is as cheap; ``None`` if none has fewer.
    """

    name: str
    alike: tuple[str, ...]
    up_to: float | None


def cheapest(found: Mapping[str, TaskTokens]) -> Cheapest | None:
    """Which of two strategies or more costs least, over sessions that both have.

    Views over the budget and observed sessions take no part; ``None`` if fewer than two are left.
    """
    means = {
        name: mean.value
        for name, each in found.items()
        if not (each.over_budget or each.observed) and (mean := each.mean(TOTAL)) is not None
    }
    if len(means) < 2:
        return None
    best, *others = sorted(means, key=lambda name: (means[name], name))
    alike, bounds = [], []
    for name in others:
        one, other = (
            {(each.case, each.trial, each.later): each for each in found[side].sessions}
            for side in (best, name)
        )
        both = [(one[key], other[key]) for key in one if key in other]
        more = [(mine.case, theirs.total - mine.total) for mine, theirs in both]
        if (fewer := sum(mine.gone - theirs.gone for mine, theirs in both)) > 0:
            bounds.append(sum(cost for _, cost in more) / fewer)
        paired = compare(clustered(more))
        interval = None if paired is None else paired.difference.interval
        if interval is None or interval[0] <= 0:
            alike.append(name)
    return Cheapest(best, tuple(alike), min(bounds, default=None))
