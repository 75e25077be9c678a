"""Texts that a regular expression finds hard, made from what stands in it.

A unit is repeated: each piece of the pattern (a literal, a character of a class, a repeated
group, an alternative), neighbours of it together, the whole of it, and what occurs in
any text. Before the repetition may stand the start of what the pattern matches, behind it
something that it does not match.
"""

import re._constants as c
import re._parser as parser
from dataclasses import dataclass
from itertools import pairwise, zip_longest

PLAIN_UNITS = (
    *"\n \t`\"'([{</.,-_=:#*|\\aA0é",
    *("1.", "a ", "a.", "a, ", "a/", "- ", "\n- ", "```\n"),
)
END = "\0"
"""A character that no pattern expects."""
_LONGEST_UNIT = 60
_OF_CATEGORY = {
    c.CATEGORY_DIGIT: "1",
    c.CATEGORY_NOT_DIGIT: "a",
    c.CATEGORY_SPACE: " ",
    c.CATEGORY_NOT_SPACE: "a",
    c.CATEGORY_WORD: "a",
    c.CATEGORY_NOT_WORD: "-",
}


@dataclass(frozen=True)
class Repeated:
    """A text of any length: ``before``, the unit as often as fits, and ``after``."""

    before: str
    unit: str
    after: str

    def of_length(self, characters):
        times = max(1, (characters - len(self.before) - len(self.after)) // len(self.unit))
        return self.before + self.unit * times + self.after


def texts_for(pattern, most=None):
    """Texts for a compiled pattern, those of its own pieces first; at most ``most`` of them."""
    pieces = _pieces(parser.parse(pattern.pattern, pattern.flags))
    pairs = ["".join(pair) for pair in pairwise(pieces.row)]
    units = [*pieces.all, *pairs, "".join(pieces.row)]
    units = [unit for unit in dict.fromkeys([*units, *PLAIN_UNITS]) if unit]
    units = [unit for unit in units if len(unit) <= _LONGEST_UNIT]
    starts = _starts(pieces.row)
    plain = [Repeated("", unit, after) for unit in units for after in ("", END)]
    begun = [Repeated(start, unit, END) for start in starts for unit in units]
    by_turns = [text for pair in zip_longest(plain, begun) for text in pair if text is not None]
    return by_turns if most is None else by_turns[:most]


def _starts(row):
    """The first pieces of a match, up to each place where something could be repeated."""
    return list(dict.fromkeys("".join(row[:end]) for end in range(1, min(len(row), 6))))


@dataclass
class Pieces:
    """One example of what a pattern matches, piece by piece, and all pieces of it."""

    row: list
    all: list


def _pieces(parsed):
    row, everything, literal = [], [], False
    for kind, value in parsed:
        made = _made(kind, value, everything)
        if made and kind is c.LITERAL and literal:
            row[-1] += made
        elif made:
            row.append(made)
        literal = kind is c.LITERAL
        everything += [made] if made else []
    everything += row
    return Pieces(row, list(dict.fromkeys(everything)))


def _made(kind, value, everything):
    """An example for one element; its inner pieces are added to ``everything``."""
    if kind is c.LITERAL:
        return chr(value)
    if kind is c.NOT_LITERAL:
        return "a" if value != ord("a") else "b"
    if kind is c.ANY:
        return "a"
    if kind is c.IN:
        samples = _samples(value)
        everything += samples
        return samples[0] if samples else ""
    if kind in {c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT}:
        least, _, inner = value
        one = _inner(inner, everything)
        return one * min(max(least, 1), 4)
    if kind is c.SUBPATTERN:
        return _inner(value[3], everything)
    if kind is c.ATOMIC_GROUP:
        return _inner(value, everything)
    if kind is c.BRANCH:
        examples = [_inner(branch, everything) for branch in value[1]]
        return next((one for one in examples if one), "")
    if kind in {c.ASSERT, c.ASSERT_NOT}:
        _inner(value[1], everything)
    return ""


def _inner(parsed, everything):
    pieces = _pieces(parsed)
    everything += pieces.all
    return "".join(pieces.row)


def _samples(members):
    """Characters of a class: one of each range and category, or one outside a negated class."""
    negated = members and members[0][0] is c.NEGATE
    found = []
    for kind, value in members:
        if kind is c.LITERAL:
            found.append(chr(value))
        elif kind is c.RANGE:
            found.append(chr(value[0]))
        elif kind is c.CATEGORY:
            found.append(_OF_CATEGORY[value])
    if negated:
        return [next(sign for sign in "a1 .-b\n" if sign not in found), *found[:4]]
    return list(dict.fromkeys(found))[:6]
