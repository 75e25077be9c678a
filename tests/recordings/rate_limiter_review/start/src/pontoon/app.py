"""Puts the parts together."""

from __future__ import annotations

from pontoon.berths import Harbour, berth_routes
from pontoon.clock import Clock
from pontoon.messages import OK, Reply, Request
from pontoon.middleware import CallerCheck, Counts, ReplayGuard
from pontoon.router import Router
from pontoon.settings import Settings
from pontoon.tides import tide_routes


class App:
    """A router with everything in it but the tides, which come later; see ``serve``."""

    def __init__(self, settings: Settings, clock: Clock) -> None:
        self.settings = settings
        self.clock = clock
        self.harbour = Harbour()
        self.counts = Counts()
        self.router = Router()
        self.router.use(self.counts)
        self.router.use(CallerCheck(settings.callers))
        self.router.use(ReplayGuard(clock, settings.keep_seconds))
        self.router.mount("/", berth_routes(self.harbour))
        self.router.add("get", "/ping", self._ping)
        self.router.add("get", "/stats", self._stats)

    def mount_tides(self) -> None:
        """Read the gauges and make them reachable."""
        self.router.mount("/tides", tide_routes(self.settings.gauges, self.clock))

    def _ping(self, request: Request) -> Reply:
        return Reply(request.id, OK, {"name": self.settings.name})

    def _stats(self, request: Request) -> Reply:
        codes = {str(code): number for code, number in sorted(self.counts.codes.items())}
        busiest = [list(item) for item in self.counts.busiest(3)]
        return Reply(request.id, OK, {"codes": codes, "busiest": busiest})


def build_app(settings: Settings, clock: Clock) -> App:
    """An app that has not answered anything yet."""
    return App(settings, clock)
