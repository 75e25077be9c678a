"""Texts that a regular expression finds hard, made from what stands in it.

The hardest come first: the way to each place where the pattern repeats something without
end, and then that, many times over; and the way itself many times over. In all others
a unit is repeated: each piece of the pattern (a literal, a character of a class, a repeated
group, an alternative), neighbours of it together, the whole of it, and what occurs in
any text. Before the repetition may stand the start of what the pattern matches, behind it
something that it does not match.
"""

import re
import re._constants as c
import re._parser as parser
from dataclasses import dataclass
from itertools import pairwise, zip_longest

PLAIN_UNITS = (
    *"\n \t`\"'([{</.,-_=:#*|\\aA0é",
    *("1.", "a ", "a.", "a, ", "a/", "- ", "\n- ", "```\n"),
)
COMMON_SIGNS = " a1\n/.-\"'`:="
END = "\0"
"""A character that no pattern expects."""
_LONGEST_UNIT = 60
_MANY = 2000
"""A repetition that may go on as often as this is taken for one without end."""
_UNITS = 4
_REPEATS = {c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT}
_CATEGORIES = {
    c.CATEGORY_DIGIT: r"\d",
    c.CATEGORY_NOT_DIGIT: r"\D",
    c.CATEGORY_SPACE: r"\s",
    c.CATEGORY_NOT_SPACE: r"\S",
    c.CATEGORY_WORD: r"\w",
    c.CATEGORY_NOT_WORD: r"\W",
}
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

    def of_times(self, times):
        return self.before + self.unit * times + self.after

    def of_length(self, characters):
        room = characters - len(self.before) - len(self.after)
        return self.of_times(max(1, room // len(self.unit)))


def texts_for(pattern):
    """Texts for a compiled pattern, the hardest first."""
    parsed = parser.parse(*_as_text(pattern))
    led = [text for pair in zip_longest(*map(_led, _repetitions(parsed))) for text in pair]
    led = list(dict.fromkeys(text for text in led if text is not None))
    return list(dict.fromkeys([*led, *_assembled(_pieces(parsed))]))


def _as_text(pattern):
    if isinstance(pattern.pattern, bytes):
        return pattern.pattern.decode("latin-1"), pattern.flags
    return pattern.pattern, pattern.flags & ~re.UNICODE


def _led(repetition):
    """The texts that lead to a repetition."""
    texts = []
    for unit in repetition.units:
        texts.append(Repeated(repetition.before, unit, END))
        if repetition.before:
            texts.append(Repeated("", repetition.before + unit, END))
    return texts


@dataclass
class Repetition:
    """What stands before and after something that is repeated without end, and units of that."""

    before: str
    after: str
    inner: list
    units: list


def _repetitions(parsed):
    """Each repetition without end, with the signs first that most of them repeat."""
    found = list(_repeated(parsed, ""))
    signs = dict.fromkeys([*"".join(_pieces(parsed).all), *COMMON_SIGNS])
    taken = {sign: sum(_takes(each.inner, sign) for each in found) for sign in signs}
    for each in found:
        own = sorted(filter(lambda sign: _takes(each.inner, sign), signs), key=taken.get)
        next_signs = [sign for sign in each.after[:1] if _takes(each.inner, sign)]
        units = [*next_signs, *reversed(own[-2:]), *filter(None, each.units)]
        each.units = list(dict.fromkeys(units))[:_UNITS]
    return found


def _takes(inner, sign):
    """Whether a repetition of single signs takes this one."""
    if len(inner) != 1:
        return False
    kind, value = inner[0]
    if kind is c.SUBPATTERN:
        return _takes(value[3], sign)
    if kind is c.BRANCH:
        return any(_takes(branch, sign) for branch in value[1])
    if kind is not c.IN:
        return kind is c.ANY or (kind is c.NOT_LITERAL and value != ord(sign))
    negated = value[0][0] is c.NEGATE
    return negated != any(_holds(member, sign) for member in value[negated:])


def _holds(member, sign):
    kind, value = member
    if kind is c.LITERAL:
        return value == ord(sign)
    if kind is c.RANGE:
        return value[0] <= ord(sign) <= value[1]
    return re.fullmatch(_CATEGORIES[value], sign) is not None


def _repeated(parsed, before):
    for place, (kind, value) in enumerate(parsed):
        if kind in _REPEATS:
            _, most, inner = value
            samples = []
            one = _inner(inner, samples)
            if most >= _MANY:
                after = next(filter(None, (_made(*each, []) for each in parsed[place + 1 :])), "")
                yield Repetition(before, after, inner, [one, *samples])
            yield from _repeated(inner, before)
        elif kind is c.SUBPATTERN:
            yield from _repeated(value[3], before)
        elif kind is c.ATOMIC_GROUP:
            yield from _repeated(value, before)
        elif kind is c.BRANCH:
            for branch in value[1]:
                yield from _repeated(branch, before)
        elif kind in {c.ASSERT, c.ASSERT_NOT} and value[0] > 0:
            yield from _repeated(value[1], before)
        if kind is c.ASSERT and value[0] < 0:
            before += _inner(value[1], [])
        else:
            before += _made(kind, value, [])


def _assembled(pieces):
    """Texts of the pieces, each with and without the start of a match."""
    pairs = ["".join(pair) for pair in pairwise(pieces.row)]
    units = [*pieces.all, *pairs, "".join(pieces.row)]
    units = [unit for unit in dict.fromkeys([*units, *PLAIN_UNITS]) if unit]
    units = [unit for unit in units if len(unit) <= _LONGEST_UNIT]
    starts = _starts(pieces.row)
    plain = [Repeated("", unit, after) for unit in units for after in ("", END)]
    begun = [Repeated(start, unit, END) for start in starts for unit in units]
    return [text for pair in zip_longest(plain, begun) for text in pair if text is not None]


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
    if kind in _REPEATS:
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
