"""Amounts in words, for cheques."""

from __future__ import annotations

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
SCALES = ((1_000_000, "million"), (1_000, "thousand"), (100, "hundred"))


def in_words(number: int) -> str:
    """A whole number in English words."""
    if number < 0:
        return f"minus {in_words(-number)}"
    if number < 20:
        return ONES[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return TENS[tens] + (f"-{ONES[ones]}" if ones else "")
    for size, name in SCALES:
        if number >= size:
            many, rest = divmod(number, size)
            head = f"{in_words(many)} {name}"
            return f"{head} {in_words(rest)}" if rest else head
    raise AssertionError(number)


def amount_in_words(cents: int, currency: str = "euro") -> str:
    """``one hundred twenty euro and 50/100``."""
    whole, rest = divmod(abs(cents), 100)
    sign = "minus " if cents < 0 else ""
    return f"{sign}{in_words(whole)} {currency} and {rest:02}/100"
