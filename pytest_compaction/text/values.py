"""Values in a text: numbers, durations, sizes, dates and the like, equal however they are written.

"45 s", "45 seconds", "forty-five seconds" and "45-second" are one value, and so are "1,024" and
"1024.0", "29 March 2024" and "2024-03-29", "23 of 400" and "23/400". A version is no number:
"Python 3.10" differs from "Python 3.1". Reading is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache
from typing import Final, Literal

from pytest_compaction.text import value_forms as forms

Kind = Literal[
    "number",
    "ordinal",
    "percent",
    "duration",
    "size",
    "money",
    "multiple",
    "date",
    "time",
    "fraction",
    "version",
]
Key = tuple[Hashable, ...]


@dataclass(frozen=True, slots=True)
class Value:
    """One value of a text. Two spellings of one value are equal and have the same hash.

    ``value`` is canonical for the kind: seconds (or ``("months", n)``) of a duration, bytes of a
    size, ``(year, month, day)`` of a date with None for what is not said, seconds since midnight
    of a time, ``(part, whole)`` of a fraction, ``(currency, amount)`` of money. ``span`` is where
    it stands. ``asked`` and ``held`` are the keys behind :func:`equal`, for an index: a text has
    the value that a statement asks for where they share a key.
    """

    kind: Kind
    value: Hashable
    span: tuple[int, int] = field(compare=False)
    asked: frozenset[Key] = field(compare=False, repr=False)
    held: frozenset[Key] = field(compare=False, repr=False)


def equal(asked: Value, held: Value) -> bool:
    """Whether a text that holds the one value states the other, which a statement asks for.

    A number without a unit is stated by that number with any unit; with a unit it needs a
    compatible one. A date is stated by the same date without a year, and a version by a longer
    one: "3.10" by "3.10.4".
    """
    return not asked.asked.isdisjoint(held.held)


@lru_cache(maxsize=8192)
def values_of(text: str) -> tuple[Value, ...]:
    """The values of a text, in order. Names that contain digits (``utf8``, paths) have none."""
    if not forms.may_hold(text):
        return ()
    found: list[Value] = []
    for match in forms.VALUE.finditer(text if text.isascii() else text.translate(forms.PLAIN)):
        if reader := _READERS.get(match.lastgroup or ""):
            found.extend(reader(match))
    return tuple(found)


_TIMES: Final = re.compile(r"(?<=[\d\s])\s?x$|.times$|-?fold$", re.IGNORECASE)
_COUNTED_END: Final = re.compile(rf"(?<=\d){forms.COUNTED}$", re.IGNORECASE)
_MONEY: Final = re.compile(rf"{forms.MONEY_SIGN}|(?i:{forms.MONEY_WORD})\b")
_LETTERS: Final = re.compile("[^\\W\\d_]+")


def _value(
    kind: Kind,
    value: Hashable,
    match: re.Match[str],
    also: tuple[Key, ...] = (),
    implied: tuple[Key, ...] = (),
) -> Value:
    """A value; ``also`` are further readings of it, ``implied`` what it states besides."""
    own = frozenset(((kind, value), *also))
    return Value(kind, value, match.span(), own, own | frozenset(implied))


def _amounts(match: re.Match[str]) -> list[Decimal]:
    return [forms.amount_of(text) for text in forms.AMOUNTS.findall(match[0])]


def _read_number(match: re.Match[str]) -> list[Value]:
    if match[0].isdecimal():
        return [_value("number", Decimal(match[0]), match)]
    text = _COUNTED_END.sub("", match[0])
    amount = forms.amount_of(text)
    also: list[Key] = []
    if re.fullmatch(r"\d+\.\d+", text):
        also.append(("version", tuple(text.split("."))))
    elif scale := re.fullmatch(r"(.*\d)\s?([kMG])", text):
        power = {"k": 1, "M": 2, "G": 3}[scale[2]]
        size = forms.amount_of(scale[1]) * 1024**power
        also += [("number", size), ("size", size), ("size", amount)]
    return [_value("number", amount, match, tuple(also))]


def _each_amount(
    kind: Kind,
    match: re.Match[str],
    canonical: Callable[[Decimal], Hashable],
    factors: Sequence[int] = (),
) -> list[Value]:
    """Both ends of a range, or one value: each states its number too, and further readings."""
    return [
        _value(kind, canonical(n), match, tuple((kind, n * one) for one in factors), _numbers(n))
        for n in dict.fromkeys(_amounts(match))
    ]


def _numbers(*amounts: Decimal) -> tuple[Key, ...]:
    return tuple(("number", amount) for amount in amounts)


def _length(amount: Decimal, unit: str) -> Hashable:
    dimension, factor = forms.DURATIONS[unit.lower()]
    return amount * factor if dimension == "s" else (dimension, amount * factor)


def _read_duration(match: re.Match[str]) -> list[Value]:
    parts = [(forms.amount_of(part[1]), part[2]) for part in forms.PARTS.finditer(match[0])]
    if len(parts) == 1:
        return _each_amount("duration", match, lambda n: _length(n, parts[0][1]))
    lengths = [_length(*part) for part in parts]
    seconds = [length for length in lengths if isinstance(length, Decimal)]
    if len(seconds) == len(lengths):
        return [_value("duration", sum(seconds, Decimal(0)), match)]
    return [_value("duration", length, match) for length in lengths]


def _read_hour(match: re.Match[str]) -> list[Value]:
    text = match[0].lower()
    if "hour" not in text:
        return [_value("duration", _length(Decimal(1), text.split()[-1]), match)]
    seconds = 1800 if text.startswith("half") else 5400 if text.endswith("half") else 3600
    return [_value("duration", Decimal(seconds), match)]


def _read_size(match: re.Match[str]) -> list[Value]:
    first, *further = forms.SIZES[_LETTERS.findall(match[0])[-1].lower()]
    return _each_amount("size", match, lambda n: n * first, further)


def _read_said(match: re.Match[str]) -> list[Value]:
    """Money, a multiple, a fraction or an ordinal: it states its numbers too."""
    kind, text = match.lastgroup, match[0].lower()
    if kind == "fraction":
        part, whole = _amounts(match)[:2]
        return [_value("fraction", (part, whole), match, implied=_numbers(part, whole))]
    if kind == "multiple":
        words = {"twice": Decimal(2), "thrice": Decimal(3)}
        amount = words.get(text) or forms.amount_of(_TIMES.sub("", match[0]))
        return [_value("multiple", amount, match, implied=_numbers(amount))]
    if kind == "ordinal":
        digits = re.match(r"\d+", text)
        spoken = (
            forms.WORDS.get(one, 0) or forms.ORDINALS.get(one, 0) for one in _LETTERS.findall(text)
        )
        return [_value("ordinal", int(digits[0]) if digits else sum(spoken), match)]
    sign = re.search(forms.MONEY_SIGN, match[0])
    currency = forms.CURRENCIES[sign[0] if sign else _LETTERS.findall(text)[-1]]
    amount = forms.amount_of(_MONEY.sub("", match[0]).strip())
    return [_value("money", (currency, amount), match, implied=_numbers(amount))]


def _read_version(match: re.Match[str]) -> list[Value]:
    parts = tuple(re.findall(r"\d+|(?<=\d)[a-z]+", match[0], re.IGNORECASE))
    shorter = tuple(("version", parts[:size]) for size in range(1, len(parts)))
    also = _numbers(Decimal(parts[0])) if len(parts) == 1 else ()
    return [_value("version", parts, match, also, implied=shorter)]


def _read_date(year: int | None, month: int, day: int | None, match: re.Match[str]) -> list[Value]:
    """A date; asked without a year it is stated by that day of any year, and the reverse."""
    said = _numbers(*(Decimal(n) for n in (year, day) if n is not None))
    also: tuple[Key, ...] = (("day", month, day),) if year and day else ()
    whole: tuple[Key, ...] = (("date", (None, month, day)), ("date", (year, month, None)))
    value = (year, month, day)
    own = frozenset({("date", value), *also})
    held: frozenset[Key] = frozenset({("date", value), *said, *(whole if year and day else ())})
    if year is None:
        held |= {("day", month, day)}
    return [Value("date", value, match.span(), own, held)]


def _read_iso(match: re.Match[str]) -> list[Value]:
    year, month, day, *time = (int(part) for part in re.findall(r"\d+", match[0]))
    found = _read_date(year, month, day, match)
    if time:
        hour, minute, second = (*time, 0)[:3]
        seconds = hour * 3600 + minute * 60
        found.append(_value("time", seconds + second, match, implied=(("time", seconds),)))
    return found


def _read_day_first(match: re.Match[str]) -> list[Value]:
    """A date in digits that ends in the year: the day is first unless only the month can be."""
    first, second, year = (int(part) for part in re.findall(r"\d+", match[0]))
    day_first = second <= 12 and ("." in match[0] or first > 12)
    day, month = (first, second) if day_first else (second, first)
    return _read_date(year, month, day, match) if 1 <= month <= 12 and 1 <= day <= 31 else []


def _read_named_month(match: re.Match[str]) -> list[Value]:
    """A date, or both ends of a span of days of which the month and the year are said once."""
    month = forms.MONTHS[next(w for w in _LETTERS.findall(match[0].lower()) if w in forms.MONTHS)]
    numbers = [int(part) for part in re.findall(r"\d+", match[0])]
    year = next((number for number in numbers if number > 31), None)
    days = [number for number in numbers if number <= 31]
    if not days:
        return _read_date(year, month, None, match)
    dates = (_read_date(year, month, day, match) for day in days if day != 0)
    return [value for found in dates for value in found]


_HALF_DAY: Final = 43200  # seconds


def _read_clock(match: re.Match[str]) -> list[Value]:
    """A time in digits, noon or midnight; where the half of the day is not said, in either."""
    text = match[0].lower()
    if text in {"noon", "midnight"}:
        return [_value("time", _HALF_DAY if text == "noon" else 0, match)]
    hour, minute, second = (*(int(part) for part in re.findall(r"\d+", text)), 0, 0)[:3]
    half = re.search(r"[ap](?=\.?m)", text)
    if half and hour <= 12:
        hour = hour % 12 + (12 if half[0] == "p" else 0)
    seconds = hour * 3600 + minute * 60
    sure = half is not None or not 1 <= hour <= 12 or text.startswith("0")
    other = (seconds + second + _HALF_DAY) % (2 * _HALF_DAY)
    also = () if sure else (("time", other),)
    return [_value("time", seconds + second, match, also, implied=(("time", seconds),))]


_READERS: Final[dict[str, Callable[[re.Match[str]], list[Value]]]] = {
    "bare": _read_number,
    "iso": _read_iso,
    "dotted": _read_day_first,
    "slashed": _read_day_first,
    "monthday": _read_named_month,
    "daymonth": _read_named_month,
    "monthyear": _read_named_month,
    "version": _read_version,
    "dots": _read_version,
    "clock": _read_clock,
    "oclock": _read_clock,
    "money": _read_said,
    "hour": _read_hour,
    "duration": _read_duration,
    "size": _read_size,
    "percent": lambda match: _each_amount("percent", match, lambda n: n),
    "multiple": _read_said,
    "ordinal": _read_said,
    "fraction": _read_said,
    "number": _read_number,
}


_MAY_HOLD: Final = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\w+teen|\w+ty|half|an|"
    r"hundred|thousand|million|dozen|twice|thrice|noon|midnight|first|second|third|fourth|fifth|"
    r"zero|single|pair|jan\w*|feb\w*|march|apr\w*|may|june|july|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*|"
    r"a (?:minute|day|week|fortnight|month|year))\b"
)
_UNIT_IN_NAME: Final = re.compile(
    r"[a-z0-9]_(seconds?|secs?|s|ms|millis|minutes?|mins?|hours?|days?|weeks?|bytes|kb|mb|gb|"
    r"percent|pct)\b|\b[a-z]+(seconds|minutes|hours|millis|days|bytes)\b"
)
_NUMBER: Final = re.compile(r"-?\d[\d,_]*(?:\.\d+)?")
_SPELLED: Final = {"millis": "ms", "pct": "percent"}
_RANGE: Final = re.compile(r"\s?(?:-|\bto\b|\band\b|\bor\b)\s?")


@lru_cache(maxsize=8192)
def held_values(normal: str) -> tuple[tuple[Key, tuple[int, int]], ...]:
    """Search keys of each value of a normalised sentence, with its place."""
    if not _MAY_HOLD.search(normal):
        return ()
    found = values_of(normal)
    keys: list[tuple[Key, tuple[int, int]]] = []
    for value, before, after in zip(found, (None, *found), (*found[1:], None), strict=False):
        start, end = value.span  # each end of "45 to 30 seconds" has a place of its own
        between = _RANGE.search(normal, start, end)
        if between and before and before.span == value.span:
            start = between.end()
        elif between and after and after.span == value.span:
            end = between.start()
        keys += [(key, (start, end)) for key in value.held]
    unit = _UNIT_IN_NAME.search(normal)
    if unit:
        name = unit[1] or unit[2]
        for value in found:
            text = normal[value.span[0] : value.span[1]]
            if value.kind == "number" and _NUMBER.fullmatch(text):
                spelled = values_of(f"{text} {_SPELLED.get(name, name)}")
                keys.extend((key, value.span) for one in spelled for key in one.held)
    return tuple(keys)
