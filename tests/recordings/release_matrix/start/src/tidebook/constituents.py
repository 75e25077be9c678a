"""The tidal constituents that the bureau delivers, with their speeds in degrees per hour."""

from __future__ import annotations

from dataclasses import dataclass

from tidebook.errors import TideError

SPEEDS = {
    "M2": 28.9841042,
    "S2": 30.0,
    "N2": 28.4397295,
    "K2": 30.0821373,
    "K1": 15.0410686,
    "O1": 13.9430356,
    "P1": 14.9589314,
    "M4": 57.9682084,
    "MS4": 58.9841042,
}


@dataclass(frozen=True)
class Constituent:
    """One partial tide: amplitude in metres, phase in degrees at the epoch."""

    name: str
    amplitude: float
    phase: float

    @property
    def speed(self) -> float:
        """Degrees per hour."""
        return SPEEDS[self.name]

    @property
    def period(self) -> float:
        """Hours from one crest to the next."""
        return 360.0 / self.speed


def constituent(name: str, amplitude: str, phase: str, where: str) -> Constituent:
    """A constituent from the words of a station file."""
    if name not in SPEEDS:
        raise TideError("T212", f"{where}: unknown constituent {name}")
    try:
        values = float(amplitude), float(phase)
    except ValueError:
        raise TideError("T213", f"{where}: {amplitude} {phase} are no numbers") from None
    return Constituent(name, values[0], values[1] % 360.0)


def semidiurnal(names: list[str]) -> list[str]:
    """Those of the names with about two crests a day, the fastest first."""
    chosen = [name for name in names if 25.0 < SPEEDS[name] < 35.0]
    return sorted(chosen, key=lambda name: -SPEEDS[name])
