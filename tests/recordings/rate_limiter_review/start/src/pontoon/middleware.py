"""What happens to every request: it is counted, its caller is checked, repeats are caught."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Collection

from pontoon.clock import Clock
from pontoon.messages import UNKNOWN_CALLER, Reply, Request, failure
from pontoon.router import Proceed


class Counts:
    """Counts replies by code and requests by caller; ``get /stats`` shows them."""

    def __init__(self) -> None:
        self.codes: Counter[int] = Counter()
        self.callers: Counter[str] = Counter()

    def __call__(self, request: Request, proceed: Proceed) -> Reply:
        reply = proceed(request)
        self.codes[reply.code] += 1
        self.callers[request.caller] += 1
        return reply

    def busiest(self, number: int) -> list[tuple[str, int]]:
        """The callers with the most requests, ties by name."""
        return sorted(self.callers.items(), key=lambda item: (-item[1], item[0]))[:number]


class CallerCheck:
    """Refuses callers whose class nobody knows: ``kiosk-03`` is of class ``kiosk``."""

    def __init__(self, classes: Collection[str]) -> None:
        self._classes = frozenset(classes)

    def __call__(self, request: Request, proceed: Proceed) -> Reply:
        name, dash, number = request.caller.partition("-")
        if name not in self._classes or not dash or not number.isdigit():
            return failure(request, UNKNOWN_CALLER, f"unknown caller {request.caller}")
        return proceed(request)


class ReplayGuard:
    """Answers a repeated request id with the reply of the first time.

    Only good replies to ``put`` and ``drop`` are kept, for ``keep_seconds``; a request
    that was refused may be sent again under its id. Reads are cheap and always run.
    """

    def __init__(self, clock: Clock, keep_seconds: int) -> None:
        self._clock = clock
        self._keep_millis = keep_seconds * 1000
        self._kept: OrderedDict[tuple[str, str], tuple[int, Reply]] = OrderedDict()

    def __call__(self, request: Request, proceed: Proceed) -> Reply:
        self._forget_old()
        if request.verb == "get":
            return proceed(request)
        key = (request.caller, request.id)
        if key in self._kept:
            return self._kept[key][1]
        reply = proceed(request)
        if reply.good:
            self._kept[key] = (self._clock.millis(), reply)
        return reply

    def __len__(self) -> int:
        return len(self._kept)

    def _forget_old(self) -> None:
        oldest = self._clock.millis() - self._keep_millis
        while self._kept:
            key = next(iter(self._kept))
            if self._kept[key][0] > oldest:
                return
            del self._kept[key]
