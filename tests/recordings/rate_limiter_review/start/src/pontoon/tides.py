"""High and low water at the gauges of the harbour."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, date, datetime, timedelta

from pontoon.clock import Clock
from pontoon.messages import OK, REFUSED, Reply, Request, failure
from pontoon.router import Router

_HALF_TIDE = timedelta(hours=6, minutes=12, seconds=30)
_REFERENCE = datetime(2025, 1, 1, 3, 40, tzinfo=UTC)
_LAG = {"north": timedelta(0), "south": timedelta(minutes=26)}


def turns(gauge: str, day: date) -> list[tuple[datetime, str]]:
    """Times of high and low water at a gauge on a day, in UTC."""
    start = datetime(day.year, day.month, day.day, tzinfo=UTC)
    first = _REFERENCE + _LAG[gauge]
    count = (start - first) // _HALF_TIDE
    found = []
    for number in range(count, count + 6):
        moment = first + number * _HALF_TIDE
        if start <= moment < start + timedelta(days=1):
            found.append((moment, "high" if number % 2 == 0 else "low"))
    return found


def next_turn(gauge: str, now: datetime) -> tuple[datetime, str]:
    """The next high or low water."""
    for day in (now.date(), now.date() + timedelta(days=1)):
        for moment, kind in turns(gauge, day):
            if moment > now:
                return moment, kind
    raise LookupError(f"no tide at {gauge} after {now}")


def tide_routes(gauges: Collection[str], clock: Clock) -> Router:
    """The routes of the gauges, to be mounted at ``/tides``."""
    router = Router()

    def list_gauges(request: Request) -> Reply:
        return Reply(request.id, OK, {"gauges": sorted(gauges)})

    def show_next(request: Request, gauge: str) -> Reply:
        if gauge not in gauges:
            return failure(request, REFUSED, f"there is no gauge {gauge}")
        moment, kind = next_turn(gauge, datetime.fromtimestamp(clock.wall(), UTC))
        return Reply(request.id, OK, {"at": f"{moment:%H:%M}", "kind": kind})

    def show_table(request: Request, gauge: str, day: date) -> Reply:
        if gauge not in gauges:
            return failure(request, REFUSED, f"there is no gauge {gauge}")
        rows = [[f"{moment:%H:%M}", kind] for moment, kind in turns(gauge, day)]
        return Reply(request.id, OK, {"table": rows})

    router.add("get", "/", list_gauges)
    router.add("get", "/{gauge:word}/next", show_next)
    router.add("get", "/{gauge:word}/table/{day:day}", show_table)
    return router
