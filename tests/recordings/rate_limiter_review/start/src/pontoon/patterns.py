"""Path patterns such as ``/berths/{number:int}/bookings/{day:day}``.

A pattern is a list of segments. A literal segment matches itself; a slot matches one
segment that its converter accepts. More specific patterns come first: see ``rank``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Any

_SLOT = re.compile(r"\{([a-z_]+):([a-z]+)\}")
_WORD = re.compile(r"[a-z][a-z0-9-]*")


class PatternError(ValueError):
    """A pattern that cannot be understood."""


def _to_int(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 6 else None


def _to_word(text: str) -> str | None:
    return text if _WORD.fullmatch(text) else None


def _to_day(text: str) -> date | None:
    try:
        return date.fromisoformat(text) if len(text) == 10 else None
    except ValueError:
        return None


CONVERTERS: dict[str, Callable[[str], Any]] = {"int": _to_int, "word": _to_word, "day": _to_day}
_WEIGHT = {"day": 1, "int": 2, "word": 3}


@dataclass(frozen=True)
class Segment:
    """One part of a pattern; ``converter`` is empty for a literal."""

    text: str
    converter: str = ""


@dataclass(frozen=True)
class Pattern:
    """A parsed pattern."""

    text: str
    segments: tuple[Segment, ...]

    @classmethod
    def parse(cls, text: str) -> Pattern:
        """Parse a pattern.

        Raises :class:`PatternError` for a missing slash, an unknown converter, or two
        slots of one name.
        """
        if not text.startswith("/"):
            raise PatternError(f"{text}: a pattern starts with a slash")
        segments: list[Segment] = []
        for part in split_path(text):
            slot = _SLOT.fullmatch(part)
            if slot is None:
                if "{" in part or "}" in part:
                    raise PatternError(f"{text}: cannot read the slot {part}")
                segments.append(Segment(part))
                continue
            name, converter = slot.groups()
            if converter not in CONVERTERS:
                raise PatternError(f"{text}: unknown converter {converter}")
            if any(segment.converter and segment.text == name for segment in segments):
                raise PatternError(f"{text}: two slots named {name}")
            segments.append(Segment(name, converter))
        return cls(text, tuple(segments))

    @property
    def rank(self) -> tuple[tuple[int, ...], str]:
        """Sort key: literals before slots, narrow converters before wide ones."""
        weights = tuple(_WEIGHT.get(segment.converter, 0) for segment in self.segments)
        return weights, self.text

    def match(self, path: str) -> dict[str, Any] | None:
        """The values of the slots when the path fits, else ``None``."""
        parts = split_path(path)
        if len(parts) != len(self.segments):
            return None
        values: dict[str, Any] = {}
        for segment, part in zip(self.segments, parts, strict=True):
            if not segment.converter:
                if segment.text != part:
                    return None
                continue
            value = CONVERTERS[segment.converter](part)
            if value is None:
                return None
            values[segment.text] = value
        return values

    def under(self, prefix: str) -> Pattern:
        """This pattern below a prefix."""
        return Pattern.parse(prefix.rstrip("/") + (self.text if self.text != "/" else ""))


def split_path(path: str) -> list[str]:
    """Segments of a path; a slash at the end does not count."""
    return [part for part in path.split("/") if part]
