"""Forms of values: number words, units, and one pattern for each form, tried in this order.

Each pattern is bounded, so that reading stays linear whatever the text.
"""

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


_DIGIT_WORDS: Final = "zero one two three four five six seven eight nine".split()
_TEENS: Final = (
    "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split()
)
_TENS: Final = "twenty thirty forty fifty sixty seventy eighty ninety".split()

WORDS: Final = {word: number for number, word in enumerate([*_DIGIT_WORDS, *_TEENS])} | {
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
    rf"(?:(?:{any_of(_TENS)})(?:(?:-|\s)(?:{any_of(_DIGIT_WORDS[1:])})\b)?|{any_of(_TEENS)}"
    rf"|(?:a\s)?(?:hundred|thousand|million|billion|dozen)"
    r"|(?<=\ba\s)(?<!not\sa\s)single(?=\s[a-z])(?!\sone\b)|(?<=\ba\s)pair(?=\sof\s)"
    rf"|(?<!no\s)(?<!the\s)(?<!any\s)(?<!this\s)(?<!that\s)(?<!each\s)(?<!every\s)(?<!another\s)"
    rf"(?<!which\s)one(?!\s(?:of|another|or)\b)|{any_of([_DIGIT_WORDS[0], *_DIGIT_WORDS[2:]])})"
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


_VERSIONED_WORDS: Final = (
    "version versions release py python cpython node node.js nodejs npm golang java jdk ruby "
    "php rust perl django flask numpy pandas pytest pip postgres postgresql mysql sqlite redis "
    "ubuntu debian alpine kubernetes terraform typescript react vue angular tls"
).split()
VERSIONED: Final = any_of(_VERSIONED_WORDS)
"""Words before which a number is a version."""

STARTS: Final = (*WORDS, *COUNTS, *SCALES, *ORDINALS, *_VERSIONED_WORDS)
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


PLAIN: Final = str.maketrans("–—−‑\u00a0\u202f×’", "----  x'")
"""One character for one, so that spans stay."""

_DIGITS: Final = r"(?:\d{1,3}(?:[,_']\d{3}){1,6}(?!,\d)|\d{1,24})(?!\d)(?:\.\d{1,12}(?![\d]))?"
_EXPONENT: Final = r"\d{1,6}(?:\.\d{1,6})?e[+-]?\d{1,2}\b"
_WORDS: Final = NUMBER_WORDS
_NUM: Final = rf"(?:{_EXPONENT}|{_DIGITS}|(?<!\d)\.\d{{1,12}}(?!\d)|{_WORDS}\b)"
_SCALE: Final = (
    r"(?:\s?(?:k\b|(?-i:M|B|G)\b|bn\b)|[\s-](?:hundred|thousand|million|billion|dozen)\b)"
)
_HALF: Final = r"(?:\sand\sa\shalf\b)?"
_AND: Final = rf"(?:(?:\s|-)(?:and\s)?{_WORDS}\b)?"
_AMOUNT: Final = rf"{_NUM}(?:{_SCALE}{_AND}(?:\s(?:thousand|million|billion)\b)?)?{_HALF}"
_LOW: Final = rf"(?:{_AMOUNT}\s?(?:-|to|and|or)\s?)?"
"""The lower end of a range, which has the unit of the upper one."""
_GLUE: Final = r"(?:\s{0,2}|\s?-\s?)"
_MONTH: Final = rf"(?:{any_of(MONTHS)})\b\.?"
_DAY: Final = r"\d{1,2}(?:st|nd|rd|th)?\b"
_LONG: Final = any_of(unit for unit in DURATIONS if unit not in SHORT_UNITS)
_UNIT: Final = rf"(?:{_GLUE}(?:{_LONG})|(?-i:[mdwy]))(?:\b|(?=\d))"
_SIZE: Final = rf"{_GLUE}(?:{any_of(SIZES)})\b"
MONEY_SIGN: Final = r"[$€£¥]"
_CODES: Final = "usd|eur|gbp|jpy"
MONEY_WORD: Final = any_of(word for word in CURRENCIES if word.isalpha())
COUNTED: Final = r"(?:px|km|cm|mm|kg|fps|qps|rps|tps|hz|khz|mhz|ghz|kw|mph|pm|am|x)"

_STARTS: Final = openings(
    [
        *"half noon midnight twice thrice usd eur gbp jpy v".split(),
        *MONTHS,
        *STARTS,
    ]
)
_WORDS_OF_VALUES: Final = frozenset(
    "half noon midnight twice thrice hour minute day week fortnight month year".split()
).union(MONTHS, WORDS, COUNTS, SCALES, ORDINALS)
_LETTER_RUN: Final = re.compile("[a-z]+")
_DIGIT: Final = re.compile(r"\d")
_ARTICLE: Final = (
    r"an?(?=\s(?:hundred|thousand|million|billion|dozen|minute|day|week|fortnight|month|year|hour))"
)
"""An article with which a value starts."""
_GOES_ON: Final = openings(
    [
        *"a p o am pm in at and or to until till through of out per".split(),
        *"percent percents x times".split(),
        *(word for word in (*CURRENCIES, *DURATIONS, *SIZES) if word.isalpha()),
        *MONTHS,
        *SCALES,
    ]
)
"""A word behind a number that may belong to the value."""
_FORMS: Final = {
    # Most words start no value: said first, it spares them all other forms.
    "plain": rf"(?!(?:{_STARTS}|{_ARTICLE})(?:\b|fold))[a-z]++(?![\w/\\.~:=-])",
    # So do names with digits or low lines in them, and most numbers are nothing but numbers.
    "mixed": rf"(?!v\d|(?:usd|eur|gbp|jpy|{VERSIONED})\d)(?!\d)[a-z]*+[\d_]\w*+"
    r"(?![/\\.~:=-])",
    "bare": rf"\d{{1,24}}(?=[;)\]}}|]|,(?!\d)|\.(?!\w)|\Z|\s(?=[a-z])(?!(?:{_GOES_ON})(?![a-z])))",
    "name": r"(?:https?://\S++|[a-z_~/\\](?=[\w.~-]{0,200}+[/\\]\w|[\w.-]{0,200}?\.(?:"
    + EXTENSIONS
    + r")\b)[\w./\\~-]*+|[0-9a-f]{8}-[0-9a-f-]{27}"
    r"|(?!\d+[a-f]\b)(?=[0-9a-f]{0,40}[a-f])(?=[a-f]{0,40}\d)[0-9a-f]{7,40}\b)",
    "iso": r"\d{4}(?P<sep>[-/])(?:0?[1-9]|1[0-2])(?P=sep)(?:0?[1-9]|[12]\d|3[01])(?!\d|-)"
    r"(?:T\d\d:\d\d(?::\d\d)?(?:Z\b)?)?",
    "dotted": r"\d{1,2}\.\d{1,2}\.(?:19|20)\d\d(?![\d.])",
    "slashed": r"\d{1,2}/\d{1,2}/(?:19|20)\d\d(?!\d)",
    "monthday": rf"{_MONTH}\s(?:the\s)?{_DAY}(?!\s?(?:{_LONG}|%)\b)(?:,?\s(?:19|20)\d\d\b(?!:))?",
    "daymonth": rf"{_DAY}(?:\sof)?[\s-]{_MONTH}(?:,?[\s-](?:19|20)\d\d\b)?",
    "monthyear": rf"{_MONTH},?\s(?:19|20)\d\d\b",
    "version": rf"(?:\bv|\b(?:{VERSIONED})(?:[\s=~><]{{1,4}}v?|(?=\d\.\d))|(?<=\w)==)"
    r"\d{1,5}(?:\.\d{1,6}){0,3}(?:(?:a|b|rc|alpha|beta)\d{1,3})?(?![\d%])\b",
    "dots": r"(?<!\d\.)\d{1,5}(?:\.\d{1,6}){2,3}(?!\.?\d)",
    "clock": r"(?<![:.\w])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?!:?\d)"
    r"(?:z\b|\s?[ap]\.?m\b\.?)?",
    "oclock": r"(?<![:.\w])(?:1[0-2]|[1-9])\s?(?:[ap]m\b|[ap]\.m\.)|\b(?:noon|midnight)\b",
    "money": rf"{MONEY_SIGN}\s?{_DIGITS}(?:\s?m\b|{_SCALE})?"
    rf"|(?:{_CODES})\s?{_DIGITS}{_SCALE}?|{_AMOUNT}\s?(?:{MONEY_SIGN}|(?:{MONEY_WORD})\b)",
    "hour": r"half an hour\b|an hour and a half\b|an hour\b"
    r"|(?:(?<=\bin\s)|(?<=\bfor\s)|(?<=after\s)|(?<=within\s)|(?<=than\s))a\s"
    r"(?:minute|day|week|fortnight|month|year)\b|a\sfortnight\b",
    "duration": rf"{_LOW}{_AMOUNT}{_UNIT}"
    rf"(?:(?:\s(?:and\s)?|,\s|(?<=[a-z])){_AMOUNT}{_UNIT}){{0,3}}",
    "size": rf"{_LOW}{_AMOUNT}{_SIZE}",
    "percent": rf"{_LOW}{_AMOUNT}\s?(?:%|-?\s?per\s?cents?\b)",
    "multiple": rf"{_AMOUNT}(?:\s?x\b(?!\s?\d)|[\s-]times\b|-?fold\b)"
    rf"|{_WORDS}fold\b|\btwice\b|\bthrice\b",
    "ordinal": rf"\d{{1,6}}(?:st|nd|rd|th)\b|{ORDINAL_WORDS}\b",
    "fraction": rf"{_AMOUNT}(?:\s?/\s?(?=\d)|\s(?:out\s)?of\s(?:(?:the|all)\s)?){_AMOUNT}(?![\w/])",
    "number": rf"(?:(?<![\w)\].])-(?=[\d.]))?{_AMOUNT}(?:(?=[a-z]){COUNTED}\b|(?![a-z_]|\.\w))",
    "word": r"\w+",
}
VALUE: Final = re.compile(
    r"(?<!\w)(?=[\w$€£¥~/\\]|[.-][\d.])(?:"
    + "|".join(f"(?P<{name}>{form})" for name, form in _FORMS.items())
    + ")",
    re.IGNORECASE,
)
AMOUNTS: Final = re.compile(rf"(?<!\w){_AMOUNT}", re.IGNORECASE)
PARTS: Final = re.compile(
    rf"(?:(?<![a-z])|(?=\d))({_AMOUNT}){_GLUE}({any_of(DURATIONS)})(?:\b|(?=\d))",
    re.IGNORECASE,
)


def may_hold(text: str) -> bool:
    """Whether a text has a digit or a word that a value is said with; without, it has no value."""
    if _DIGIT.search(text) or not text.isascii():
        return True
    small = text.lower()
    return "fold" in small or not _WORDS_OF_VALUES.isdisjoint(_LETTER_RUN.findall(small))
