"""How values are written: the patterns of :mod:`.values`, one for each form, tried in this order.

Each pattern is bounded, so that reading stays linear whatever the text.
"""

from __future__ import annotations

import re
from typing import Final

from pytest_compaction.text.quantities import spellings
from pytest_compaction.text.quantities.spellings import CURRENCIES, DURATIONS, MONTHS, SIZES

PLAIN: Final = str.maketrans("–—−‑\u00a0\u202f×’", "----  x'")
"""One character for one, so that spans stay."""

_DIGITS: Final = r"(?:\d{1,3}(?:[,_']\d{3}){1,6}(?!,\d)|\d{1,24})(?!\d)(?:\.\d{1,12}(?![\d]))?"
_EXPONENT: Final = r"\d{1,6}(?:\.\d{1,6})?e[+-]?\d{1,2}\b"
_WORDS: Final = spellings.NUMBER_WORDS
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
_MONTH: Final = rf"(?:{spellings.any_of(MONTHS)})\b\.?"
_DAY: Final = r"\d{1,2}(?:st|nd|rd|th)?\b"
_WEEKDAY: Final = rf"(?:(?:{spellings.any_of(spellings.WEEKDAYS)})\b\.?,?\s)?(?:the\s)?"
_TO: Final = rf"(?:\s?-\s?|\s(?:to|until|till|through|and|or)\s){_WEEKDAY}"
_HOUR: Final = r"(?:1[0-2]|[1-9]|" + spellings.any_of(spellings.HOURS) + r")\b"
_PART_OF_DAY: Final = r"\s(?:in\sthe\s(?:morning|afternoon|evening)|at\snight)\b"
_LONG: Final = spellings.any_of(unit for unit in DURATIONS if unit not in spellings.SHORT_UNITS)
_UNIT: Final = rf"(?:{_GLUE}(?:{_LONG})|(?-i:[mdwy]))(?:\b|(?=\d))"
_SIZE: Final = rf"{_GLUE}(?:{spellings.any_of(SIZES)})\b"
MONEY_SIGN: Final = r"[$€£¥]"
_CODES: Final = "usd|eur|gbp|jpy"
MONEY_WORD: Final = spellings.any_of(word for word in CURRENCIES if word.isalpha())
COUNTED: Final = r"(?:px|km|cm|mm|kg|fps|qps|rps|tps|hz|khz|mhz|ghz|kw|mph|pm|am|x)"

_STARTS: Final = spellings.openings(
    [
        *"age aged half quarter noon midnight twice thrice usd eur gbp jpy v".split(),
        *MONTHS,
        *spellings.STARTS,
    ]
)
_WORDS_OF_VALUES: Final = frozenset(
    """age aged half quarter noon midnight twice thrice hour minute day week fortnight month
    year""".split()
).union(MONTHS, spellings.WORDS, spellings.COUNTS, spellings.SCALES, spellings.ORDINALS)
_LETTERS: Final = re.compile("[a-z]+")
_DIGIT: Final = re.compile(r"\d")
_ARTICLE: Final = (
    r"an?(?=\s(?:hundred|thousand|million|billion|dozen|minute|day|week|fortnight|month|year|hour))"
)
"""An article with which a value starts."""
_GOES_ON: Final = spellings.openings(
    [
        *"a p o am pm in at and or to until till through of out per".split(),
        *"percent percents x times".split(),
        *(word for word in (*CURRENCIES, *DURATIONS, *SIZES) if word.isalpha()),
        *MONTHS,
        *spellings.SCALES,
    ]
)
"""A word behind a number that may belong to the value."""
_FORMS: Final = {
    # Most words start no value: said first, it spares them all other forms.
    "plain": rf"(?!(?:{_STARTS}|{_ARTICLE})(?:\b|fold))[a-z]++(?![\w/\\.~:=-])",
    # So do names with digits or low lines in them, and most numbers are nothing but numbers.
    "mixed": rf"(?!v\d|(?:usd|eur|gbp|jpy|{spellings.VERSIONED})\d)(?!\d)[a-z]*+[\d_]\w*+"
    r"(?![/\\.~:=-])",
    "bare": rf"\d{{1,24}}(?=[;)\]}}|]|,(?!\d)|\.(?!\w)|\Z|\s(?=[a-z])(?!(?:{_GOES_ON})(?![a-z])))",
    "name": r"(?:https?://\S++|[a-z_~/\\](?=[\w.~-]{0,200}+[/\\]\w|[\w.-]{0,200}?\.(?:"
    + spellings.EXTENSIONS
    + r")\b)[\w./\\~-]*+|[0-9a-f]{8}-[0-9a-f-]{27}"
    r"|(?!\d+[a-f]\b)(?=[0-9a-f]{0,40}[a-f])(?=[a-f]{0,40}\d)[0-9a-f]{7,40}\b)",
    "iso": r"\d{4}(?P<sep>[-/])(?:0?[1-9]|1[0-2])(?P=sep)(?:0?[1-9]|[12]\d|3[01])(?!\d|-)"
    r"(?:T\d\d:\d\d(?::\d\d)?(?:Z\b)?)?",
    "dotted": r"\d{1,2}\.\d{1,2}\.(?:19|20)\d\d(?![\d.])",
    "slashed": r"\d{1,2}/\d{1,2}/(?:19|20)\d\d(?!\d)",
    "dayspan": rf"{_DAY}{_TO}{_DAY}(?:\sof)?[\s-]{_MONTH}(?:,?\s(?:19|20)\d\d\b(?!:))?"
    rf"|{_MONTH}\s{_DAY}{_TO}{_DAY}(?!\s?(?:{_LONG}|%)\b)(?:,?\s(?:19|20)\d\d\b(?!:))?",
    "monthday": rf"{_MONTH}\s(?:the\s)?{_DAY}(?!\s?(?:{_LONG}|%)\b)(?:,?\s(?:19|20)\d\d\b(?!:))?",
    "daymonth": rf"{_DAY}(?:\sof)?[\s-]{_MONTH}(?:,?[\s-](?:19|20)\d\d\b)?",
    "monthyear": rf"{_MONTH},?\s(?:19|20)\d\d\b",
    "version": rf"(?:\bv|\b(?:{spellings.VERSIONED})(?:[\s=~><]{{1,4}}v?|(?=\d\.\d))|(?<=\w)==)"
    r"\d{1,5}(?:\.\d{1,6}){0,3}(?:(?:a|b|rc|alpha|beta)\d{1,3})?(?![\d%])\b",
    "dots": r"(?<!\d\.)\d{1,5}(?:\.\d{1,6}){2,3}(?!\.?\d)",
    "clockspan": r"(?<![:.\w])\d{1,3}:[0-5]\d(?::[0-5]\d)?\s?(?:h|hrs?|hours?|min|minutes)\b",
    "clock": r"(?<![:.\w])(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?!:?\d)"
    r"(?:z\b|\s?[ap]\.?m\b\.?)?",
    "spoken": rf"(?:(?:half|quarter|(?:five|ten|twenty)(?:\sminutes)?)\spast\s{_HOUR}"
    rf"|quarter\sto\s{_HOUR}|{_HOUR}\so'clock)(?:{_PART_OF_DAY})?"
    rf"|(?:(?:five|ten|twenty)\sto\s)?{_HOUR}{_PART_OF_DAY}",
    "oclock": r"(?<![:.\w])(?:1[0-2]|[1-9])\s?(?:[ap]m\b|[ap]\.m\.)|\b(?:noon|midnight)\b",
    "money": rf"{MONEY_SIGN}\s?{_DIGITS}(?:\s?m\b|{_SCALE})?"
    rf"|(?:{_CODES})\s?{_DIGITS}{_SCALE}?|{_AMOUNT}\s?(?:{MONEY_SIGN}|(?:{MONEY_WORD})\b)",
    "hour": r"half an hour\b|an hour and a half\b|an hour\b"
    r"|(?:(?<=\bin\s)|(?<=\bfor\s)|(?<=after\s)|(?<=within\s)|(?<=than\s))a\s"
    r"(?:minute|day|week|fortnight|month|year)\b|a\sfortnight\b",
    "age": rf"{_AMOUNT}\s?-?\s?years?\s?-?\s?olds?\b|aged?\s{_AMOUNT}(?!-)",
    "duration": rf"{_LOW}{_AMOUNT}{_UNIT}"
    rf"(?:(?:\s(?:and\s)?|,\s|(?<=[a-z])){_AMOUNT}{_UNIT}){{0,3}}",
    "size": rf"{_LOW}{_AMOUNT}{_SIZE}",
    "percent": rf"{_LOW}{_AMOUNT}\s?(?:%|-?\s?per\s?cents?\b)",
    "multiple": rf"{_AMOUNT}(?:\s?x\b(?!\s?\d)|[\s-]times\b|-?fold\b)"
    rf"|{_WORDS}fold\b|\btwice\b|\bthrice\b",
    "ordinal": rf"\d{{1,6}}(?:st|nd|rd|th)\b|{spellings.ORDINAL_WORDS}\b",
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
    rf"(?:(?<![a-z])|(?=\d))({_AMOUNT}){_GLUE}({spellings.any_of(DURATIONS)})(?:\b|(?=\d))",
    re.IGNORECASE,
)


def may_hold(text: str) -> bool:
    """Whether a text has a digit or a word that a value is said with; without, it has no value."""
    if _DIGIT.search(text) or not text.isascii():
        return True
    small = text.lower()
    return "fold" in small or not _WORDS_OF_VALUES.isdisjoint(_LETTERS.findall(small))
