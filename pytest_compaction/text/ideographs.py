"""Chinese and Japanese writing in the form in which texts are compared.

It has no spaces: every sign is a word, and a change of script is the boundary of one. Numbers in
Chinese numerals, dates and units become those that ``values`` reads: "四十五秒" is "45 s". Linear.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

SIGNS: Final = (
    "\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Ideographs and kana, as a class of a pattern."""
SIGN: Final = re.compile(f"[{SIGNS}]")
KANA: Final = re.compile("[\u3041-\u30fa]")

_WIDE: Final = rf"{SIGNS}\uac00-\ud7af"
WIDE: Final = re.compile(f"[{_WIDE}]")
"""These, and those of Korean, which stand right beside Latin letters too."""
_EDGE: Final = re.compile(rf"(?<=[{_WIDE}])(?=[^\W{_WIDE}])|(?<=[^\W{_WIDE}])(?=[{_WIDE}])")
_DIGITS: Final = {sign: number for number, sign in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "两": 2,
    "兩": 2,
}
_SCALES: Final = {"十": 10, "百": 100, "千": 1000}
_GREAT: Final = {"万": 10**4, "萬": 10**4, "亿": 10**8, "億": 10**8}
_UNITS: Final = {
    "ms": "毫秒|ミリ秒",
    "us": "微秒|マイクロ秒",
    "s": "秒钟|秒間|秒",
    "min": "分钟|分鐘|分間",
    "h": "个小时|個小時|小时|小時|钟头|時間",
    "days": "天|日間",
    "weeks": "个星期|周|週間|週",
    "months": "个月|個月|か月|ヶ月|カ月",
    "bytes": "字节|バイト",
    "kb": "千字节",
    "mb": "兆字节|兆",
    "gb": "吉字节",
    "times": "倍",
}
_ANY_UNIT: Final = "|".join(_UNITS.values())
_UNIT_OF: Final = {form: unit for unit, forms in _UNITS.items() for form in forms.split("|")}
_MEASURES: Final = (
    f"{_ANY_UNIT}|[个個台条條次项項名种種行页頁份人件层層组組套张張版轮輪号號点點位年月]"
)
_NUMERALS: Final = "零〇一二三四五六七八九两兩十百千万萬亿億"
_NUMERAL: Final = re.compile(
    rf"百分之(?P<share>[{_NUMERALS}]{{1,12}}|\d{{1,12}}(?:\.\d{{1,6}})?)"
    rf"|(?<![{_NUMERALS}])(?P<words>[{_NUMERALS}]{{1,12}})(?![{_NUMERALS}])(?P<behind>{_MEASURES})?"
    r"|(?P<number>\d{1,12}(?:\.\d{1,6})?) ?(?P<scale>[万萬亿億])"
)
_NO_NUMBER: Final = frozenset({"千万", "万一", "一一", "十万", "百万", "千百", "万千", "万万"})
"""Words that are made of numerals: "by all means", "in case"."""
_DATE: Final = re.compile(r"(?<!\d)(?:(\d{4}) ?年 ?)?(\d{1,2}) ?月 ?(\d{1,2}) ?[日号號]")
_UNIT: Final = re.compile(rf"(?<=\d) ?({_ANY_UNIT}|(?<=\d)年(?![级級代度底初]))")
_MONTHS: Final = (
    "january february march april may june july august september october november december".split()
)


def spaced(text: str) -> str:
    """A text in lower case and NFKC with its numbers in digits and a space where scripts meet."""
    text = _NUMERAL.sub(_in_digits, text)
    text = _DATE.sub(_date, text)
    text = _UNIT.sub(_unit, text)
    return _EDGE.sub(" ", text)


def _unit(match: re.Match[str]) -> str:
    if match[1] == "年":
        year = re.search(r"\d{4}$", match.string[max(match.start() - 4, 0) : match.start()])
        return match[0] if year else " years "
    return f" {_UNIT_OF[match[1]]} "


def _date(match: re.Match[str]) -> str:
    year, month, day = match.groups()
    if not 1 <= int(month) <= 12:
        return match[0]
    if year:
        return f" {year}-{int(month):02d}-{int(day):02d} "
    return f" {int(day)} {_MONTHS[int(month) - 1]} "


def _in_digits(match: re.Match[str]) -> str:
    if share := match["share"]:
        number = share if share[0].isdecimal() else _value(share)
        return match[0] if number is None else f" {number}% "
    if match["number"]:
        amount = Decimal(match["number"]) * _GREAT[match["scale"]]
        return f"{amount.normalize():f}"
    words, behind = match["words"], match["behind"] or ""
    if words in _NO_NUMBER and not behind:
        return match[0]
    if words == "一" and behind not in _UNIT_OF:  # "one" is mostly an article
        return match[0]
    long = len(words) > 1 and not _SCALES.keys().isdisjoint(words)
    number = _value(words) if behind or long else None
    return match[0] if number is None else f"{number}{behind}"


def _value(words: str) -> int | None:
    """The number that numerals say; ``None`` where they say none."""
    if words and all(sign in _DIGITS for sign in words):
        return int("".join(str(_DIGITS[sign]) for sign in words))
    total = section = 0
    digit: int | None = None
    for sign in words:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        elif sign in _SCALES:
            section += (1 if digit is None else digit) * _SCALES[sign]
            digit = None
        else:
            total = (total + section + (digit or 0)) * _GREAT[sign]
            section, digit = 0, None
    found = total + section + (digit or 0)
    return found or None
