"""How English spells numbers and units: the tables behind :mod:`.values`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Final


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of the words, longest first."""
    return "|".join(re.escape(word) for word in sorted(set(words), key=lambda w: (-len(w), w)))


_ALIKE: Final = {"i": "\u0130\u0131", "k": "\u212a", "s": "\u017f"}
"""Signs that are taken for a letter where case does not count."""


def openings(words: Iterable[str]) -> str:
    """A pattern for any of the words in any case, which goes letter by letter and fails soon."""
    rows: dict[str, list[str]] = {}
    for word in sorted(set(words)):
        rows.setdefault(word[:1], []).append(word[1:])
    found = [
        f"(?-i:[{re.escape(letter + letter.upper()) + _ALIKE.get(letter, '')}])(?:{openings(rest)})"
        for letter, rest in rows.items()
        if letter
    ]
    return "|".join([*found, ""] if "" in rows else found)


_UNITS: Final = "zero one two three four five six seven eight nine".split()
_TEENS: Final = (
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
)
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()

WORDS: Final = {word: number for number, word in enumerate([*_UNITS, *_TEENS])} | {
    word: 10 * number for number, word in enumerate(_TENS, start=2)
}
COUNTS: Final = {"single": 1, "pair": 2}
"""Words that count where "a" or "one" leads them: "a single row", "a pair of folders"."""
SCALES: Final = {
    "dozen": 12,
    "hundred": 100,
    "k": 1000,
    "thousand": 1000,
    "m": 10**6,
    "million": 10**6,
    "b": 10**9,
    "bn": 10**9,
    "g": 10**9,
    "billion": 10**9,
}
NUMBER_WORDS: Final = (
    rf"(?:(?:{any_of(_TENS)})(?:(?:-|\s)(?:{any_of(_UNITS[1:])})\b)?|{any_of(_TEENS)}"
    rf"|(?:a\s)?(?:hundred|thousand|million|billion|dozen)"
    r"|(?<=\ba\s)(?<!not\sa\s)single(?=\s[a-z])(?!\sone\b)|(?<=\ba\s)pair(?=\sof\s)"
    rf"|(?<!no\s)(?<!the\s)(?<!any\s)(?<!this\s)(?<!that\s)(?<!each\s)(?<!every\s)(?<!another\s)"
    rf"(?<!which\s)one(?!\s(?:of|another|or)\b)|{any_of([_UNITS[0], *_UNITS[2:]])})"
)
"""A number in words up to ninety-nine, or a round one; "one" not where it is a pronoun."""

_ORDINAL_UNITS: Final = "first second third fourth fifth sixth seventh eighth ninth".split()
_ORDINAL_TEENS: Final = (
    "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth "
    "nineteenth"
).split()
ORDINALS: Final = {
    word: number for number, word in enumerate([*_ORDINAL_UNITS, *_ORDINAL_TEENS], start=1)
} | {f"{word[:-1]}ieth": WORDS[word] for word in _TENS}
ORDINAL_WORDS: Final = (
    rf"(?:(?:{any_of(_TENS)})[-\s](?:{any_of(_ORDINAL_UNITS)})"
    rf"|(?<!a\s)(?<!per\s)(?<!each\s)(?<!every\s)second|{any_of(set(ORDINALS) - {'second'})})"
)
"""An ordinal in words; "second" not where it is the unit, as in "per second"."""

DURATIONS: Final[dict[str, tuple[str, Decimal]]] = {
    spelling: (dimension, Decimal(factor))
    for spellings, dimension, factor in (
        ("ns nanosecond nanoseconds", "s", "1e-9"),
        ("us µs μs microsecond microseconds", "s", "1e-6"),
        ("ms msec msecs millis millisecond milliseconds", "s", "1e-3"),
        ("s sec secs second seconds", "s", "1"),
        ("m min mins minute minutes", "s", "60"),
        ("h hr hrs hour hours", "s", "3600"),
        ("d day days", "s", "86400"),
        ("w wk wks week weeks", "s", "604800"),
        ("fortnight fortnights", "s", "1209600"),
        ("mo mos month months", "months", "1"),
        ("y yr yrs year years", "months", "12"),
    )
    for spelling in spellings.split()
}
"""Dimension (seconds, or months, whose days differ) and factor of each unit of time."""

SHORT_UNITS: Final = frozenset("mdwy")
"""Units of time that count only where they stand right behind the number: "5m"."""

_BYTES: Final = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_PREFIXES: Final = {"kilo": "k", "mega": "m", "giga": "g", "tera": "t", "peta": "p"}
SIZES: Final[dict[str, tuple[int, ...]]] = (
    {"byte": (1,), "bytes": (1,)}
    | {f"{p}b": (1024**n, 1000**n) for p, n in _BYTES.items() if p}
    | {f"{p}ib": (1024**n,) for p, n in _BYTES.items() if p}
    | {
        f"{long}byte{s}": (1024 ** _BYTES[p], 1000 ** _BYTES[p])
        for long, p in _PREFIXES.items()
        for s in ("", "s")
    }
    | {
        f"{long[:2]}bibyte{s}": (1024 ** _BYTES[p],)
        for long, p in _PREFIXES.items()
        for s in ("", "s")
    }
)
"""Bytes of each unit: "GB" is read as binary and as decimal, "GiB" only as binary."""

CURRENCIES: Final = {
    "$": "USD",
    "€": "EUR",
    "£": "GBP",
    "¥": "JPY",
    "usd": "USD",
    "dollar": "USD",
    "dollars": "USD",
    "eur": "EUR",
    "euro": "EUR",
    "euros": "EUR",
    "gbp": "GBP",
    "pounds": "GBP",
    "jpy": "JPY",
    "yen": "JPY",
}

MONTHS: Final = {
    spelling: number
    for number, name in enumerate(
        "january february march april may june july august september october november "
        "december".split(),
        start=1,
    )
    for spelling in (name, name[:3])
} | {"sept": 9}

WEEKDAYS: Final = (
    "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun".split()
)
HOURS: Final = {word: WORDS[word] for word in [*_UNITS[1:], *_TEENS[:3]]}
"""The hours of a clock in words."""

_VERSIONED: Final = (
    "version versions release py python cpython node node.js nodejs npm golang java jdk ruby "
    "php rust perl django flask numpy pandas pytest pip postgres postgresql mysql sqlite redis "
    "ubuntu debian alpine kubernetes terraform typescript react vue angular tls"
).split()
VERSIONED: Final = any_of(_VERSIONED)
"""Words before which a number is a version."""

STARTS: Final = (*WORDS, *COUNTS, *SCALES, *ORDINALS, *_VERSIONED)
"""Words with which a value may start."""

EXTENSIONS: Final = any_of(
    "c cc cfg cpp cs css csv go h html ini ipynb java js json jsonl kt lock log md pdf php png py "
    "rb rs rst scss sh sql svg toml ts tsx txt vue xml yaml yml".split()
)
"""Endings of file names, whose digits are no values."""


def amount_of(text: str) -> Decimal:
    """The number that an amount in digits or words is: "1,150", "three hundred and a half"."""
    text = re.sub(r"(?<=\d)[,_'](?=\d)", "", text.lower())
    digits = re.match(r"-?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?", text)
    total = Decimal(digits[0]) if digits else Decimal(0)
    if text.endswith(" and a half"):
        return amount_of(text.removesuffix(" and a half")) + Decimal("0.5")
    for word in re.findall("[a-z]+", text[digits.end() if digits else 0 :]):
        if word in SCALES:
            total = (total or Decimal(1)) * SCALES[word]
        else:
            total += WORDS.get(word, 0) or COUNTS.get(word, 0)
    return total
