"""Berths and their bookings, and the routes that show and change them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from pontoon.messages import OK, REFUSED, STORED, Reply, Request, failure
from pontoon.router import Router

MAX_AHEAD_DAYS = 120


@dataclass(frozen=True)
class Limits:
    """What a berth can take, in metres."""

    length: float
    draught: float


@dataclass(frozen=True)
class Berth:
    """A place for one vessel."""

    number: int
    limits: Limits

    def as_body(self) -> dict[str, Any]:
        """The berth for a reply."""
        return {
            "number": self.number,
            "length": self.limits.length,
            "draught": self.limits.draught,
        }


BERTHS = tuple(
    Berth(number, Limits(length, draught))
    for number, length, draught in (
        (1, 24.0, 2.4),
        (2, 24.0, 2.4),
        (3, 30.0, 2.8),
        (4, 30.0, 2.8),
        (5, 36.0, 3.1),
        (6, 36.0, 3.1),
        (7, 42.0, 3.6),
        (8, 42.0, 3.6),
        (9, 42.0, 3.6),
        (10, 55.0, 4.2),
        (11, 55.0, 4.2),
        (12, 55.0, 4.2),
        (13, 70.0, 5.0),
        (14, 70.0, 5.0),
    )
)


class BookingError(Exception):
    """A booking that the harbour refuses."""


class Harbour:
    """All berths and who has them on which day."""

    def __init__(self, berths: tuple[Berth, ...] = BERTHS) -> None:
        self._berths = {berth.number: berth for berth in berths}
        self._bookings: dict[tuple[int, date], str] = {}

    def berths(self) -> list[Berth]:
        """All berths by number."""
        return [self._berths[number] for number in sorted(self._berths)]

    def berth(self, number: int) -> Berth:
        """One berth. Raises :class:`BookingError` when there is none with that number."""
        try:
            return self._berths[number]
        except KeyError:
            raise BookingError(f"there is no berth {number}") from None

    def free(self, day: date) -> list[Berth]:
        """Berths that nobody has on a day."""
        return [berth for berth in self.berths() if (berth.number, day) not in self._bookings]

    def book(self, number: int, day: date, vessel: str, length: float, draught: float) -> None:
        """Give a berth to a vessel for a day.

        Raises :class:`BookingError` for a taken berth and for a vessel that is over a limit.
        """
        limits = self.berth(number).limits
        if (number, day) in self._bookings:
            raise BookingError(f"berth {number} is taken on {day}")
        if length > limits.length:
            raise BookingError(f"{vessel} is {length} m long, berth {number} takes {limits.length}")
        if draught > limits.draught:
            raise BookingError(f"{vessel} draws {draught} m, berth {number} takes {limits.draught}")
        self._bookings[number, day] = vessel

    def release(self, number: int, day: date) -> str:
        """Take a booking back; the name of the vessel."""
        try:
            return self._bookings.pop((number, day))
        except KeyError:
            raise BookingError(f"berth {number} is free on {day}") from None

    def bookings(self, vessel: str) -> list[tuple[date, int]]:
        """Days and berths of a vessel."""
        return sorted(
            (day, number) for (number, day), name in self._bookings.items() if name == vessel
        )


def berth_routes(harbour: Harbour) -> Router:
    """The routes of the harbour, to be mounted at the root."""
    router = Router()

    def list_berths(request: Request) -> Reply:
        return Reply(request.id, OK, {"berths": [berth.as_body() for berth in harbour.berths()]})

    def show_berth(request: Request, number: int) -> Reply:
        try:
            return Reply(request.id, OK, harbour.berth(number).as_body())
        except BookingError as error:
            return failure(request, REFUSED, str(error))

    def list_free(request: Request, day: date) -> Reply:
        return Reply(request.id, OK, {"free": [berth.number for berth in harbour.free(day)]})

    def book(request: Request, number: int, day: date) -> Reply:
        body = request.body
        try:
            harbour.book(number, day, body["vessel"], body["length"], body["draught"])
        except BookingError as error:
            return failure(request, REFUSED, str(error))
        return Reply(request.id, STORED, {"slip": f"{number}/{day}"})

    def release(request: Request, number: int, day: date) -> Reply:
        try:
            return Reply(request.id, OK, {"released": harbour.release(number, day)})
        except BookingError as error:
            return failure(request, REFUSED, str(error))

    def list_bookings(request: Request, vessel: str) -> Reply:
        found = [{"day": str(day), "berth": number} for day, number in harbour.bookings(vessel)]
        return Reply(request.id, OK, {"bookings": found})

    router.add("get", "/berths", list_berths)
    router.add("get", "/berths/{number:int}", show_berth)
    router.add("get", "/berths/free/{day:day}", list_free)
    router.add("put", "/berths/{number:int}/bookings/{day:day}", book)
    router.add("drop", "/berths/{number:int}/bookings/{day:day}", release)
    router.add("get", "/vessels/{vessel:word}/bookings", list_bookings)
    return router
