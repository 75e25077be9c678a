"""Station files: what the bureau knows about a harbour."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from tidebook.constituents import Constituent, constituent
from tidebook.errors import TideError

FIELDS = ("station", "region", "datum", "zone")
_ZONE = re.compile(r"^([+-])(\d\d):(\d\d)$")


@dataclass(frozen=True)
class Station:
    """A harbour with its mean level (metres above chart datum) and its partial tides."""

    name: str
    region: str
    datum: float
    zone_minutes: int
    constituents: tuple[Constituent, ...]

    @property
    def slug(self) -> str:
        """The name as part of a file name: letters and digits in lower case."""
        return "".join(sign for sign in self.name.lower() if sign.isalnum())

    @property
    def greatest(self) -> float:
        """An upper bound of the height in metres."""
        return self.datum + sum(each.amplitude for each in self.constituents)


def zone_minutes(text: str, where: str) -> int:
    """Minutes east of UTC."""
    match = _ZONE.match(text)
    if not match:
        raise TideError("T213", f"{where}: {text} is no zone")
    minutes = int(match[2]) * 60 + int(match[3])
    return minutes if match[1] == "+" else -minutes


def parse_station(text: str, where: str) -> Station:
    """A station from the text of its file; ``where`` is named in errors."""
    fields: dict[str, str] = {}
    parts: list[Constituent] = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        place = f"{where}:{number}"
        key, colon, value = line.partition(":")
        if colon and key in FIELDS:
            if not value.strip():
                raise TideError("T210", f"{place}: {key} has no value")
            fields[key] = value.strip()
            continue
        words = line.split()
        if len(words) != 3:
            raise TideError("T210", f"{place}: expected a name, an amplitude and a phase")
        parts.append(constituent(*words, where=place))
    for key in FIELDS:
        if key not in fields:
            raise TideError("T211", f"{where}: {key} is missing")
    try:
        datum = float(fields["datum"])
    except ValueError:
        raise TideError("T213", f"{where}: {fields['datum']} is no datum") from None
    return Station(
        fields["station"],
        fields["region"],
        datum,
        zone_minutes(fields["zone"], where),
        tuple(parts),
    )


def load_station(path: Path) -> Station:
    """The station of a file."""
    try:
        text = path.read_text()
    except UnicodeDecodeError as error:
        raise TideError("T214", f"{path.name}: {error}") from None
    return parse_station(text, path.name)


def load_stations(directory: Path) -> list[Station]:
    """All stations of a directory, by file name."""
    return [load_station(path) for path in sorted(directory.glob("*.tide"))]
