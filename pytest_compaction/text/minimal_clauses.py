"""The things in a text that others of their kind may stand for, and its minimal clauses.

"24 minutes" and "41 minutes" are of one kind, as are "src/a.py" and "src/b.py", "C7" and "C9",
"line 78" and "line 186", "Ines" and "Ruben".

A minimal clause is where a new subject says something of its own. A semicolon, a colon, a dash or
a contrast ends one. A comma or "and" ends one only where a verb with a subject of its own follows,
or where both sides have a value or a name of their own.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Final

from pytest_compaction.text.values import Key, Value, values_of
from pytest_compaction.text.vocabulary import IRREGULAR_FORMS
from pytest_compaction.text.words import STOPWORDS, is_path, path_suffixes, token_places

Span = tuple[int, int]

_HASH: Final = re.compile(r"(?=.*\d)[0-9a-f]{7,40}")
_FLAG: Final = re.compile(r"(?<![\w-])--?[a-z][\w-]+")
_COLOUR: Final = re.compile(r"#[0-9a-f]{6}\b")
_RUN: Final = re.compile(r"\d+")
_CODE: Final = re.compile(r"[a-z]+(?:[-/.]?\d)+[a-z]?|[a-z0-9]+(?:_[a-z0-9]+)+|_\w+|[a-z]+\.[a-z]+")
_HYPHENED: Final = re.compile(r"[a-z]{3,}-[a-z]{3,}")
_MAIL: Final = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w.-]+")
_COUNT_END: Final = re.compile(r"\d ")
_JOINED_BEFORE: Final = re.compile(r"[\w./-]")
_JOINED_BEHIND: Final = re.compile(r"[_/]\w")
_NOUN_BEHIND: Final = re.compile(r"[ -]([a-z]{2,}|[a-z]{1,2}[23]\b|%)")
_UNIT: Final = re.compile(r"[a-z]{1,2}[23]")
_LABELS: Final = frozenset(
    """line step stage phase version revision level page section chapter table figure item point
    task ticket issue option variant part round run job row column size""".split()
)
"""Nouns that a number names one of, where it counts nothing."""
_NOUNS: Final = frozenset("child foot index life man matrix mouse person tooth woman".split())
PAST: Final = frozenset(
    form for base, forms in IRREGULAR_FORMS.items() if base not in _NOUNS for form in forms
)
_REMAINDER: Final = re.compile(
    r"\b(the (?:rest|remainder|others|other half)|none|fewer|less|half as (?:many|much))"
    r"(?= (?:at|in|on|by|for|was|were|is|are|did|had|has)\b| ?[.;,)]| ?$)"
)
"""Words for a number that is not given."""


@dataclass(frozen=True, slots=True)
class Thing:
    """One thing: its kind, its place, and what makes it the same as another one."""

    kind: Hashable
    span: Span
    text: str
    held: frozenset[Key] = frozenset()
    asked: frozenset[Key] = frozenset()

    def names(self, other: Thing) -> bool:
        """Whether both are the same thing, or one may be a shorter name of the other."""
        if self.held or other.held:
            return not (self.held | self.asked).isdisjoint(other.held | other.asked)
        return self.text.endswith(other.text) or other.text.endswith(self.text)


class SpanIndex:
    """Spans of which one is soon told that it meets another one."""

    def __init__(self, spans: Iterable[Span]) -> None:
        ordered = sorted(spans)
        self._starts = [start for start, _ in ordered]
        self._ends = list(accumulate((end for _, end in ordered), max))
        """The last end of all spans up to each one."""

    def meets(self, span: Span) -> bool:
        """Whether one of the spans has a character of this one."""
        before = bisect_left(self._starts, span[1])
        return before > 0 and self._ends[before - 1] > span[0]


def word_before(normal: str, end: int, joins: str) -> str:
    """The word before a place, with one of these characters and perhaps a ``#`` between."""
    last = end - 1 if normal.endswith("#", 0, end) else end
    if last < 1 or normal[last - 1] not in joins:
        return ""
    first = last - 1
    while first and "a" <= normal[first - 1] <= "z":
        first -= 1
    return normal[first : last - 1]


def within(span: Span, whole: Span) -> bool:
    """Whether a span lies in another, or is the same; both in characters."""
    return whole[0] <= span[0] and span[1] <= whole[1]


@lru_cache(maxsize=2048)
def things(normal: str, proper: frozenset[str] = frozenset()) -> tuple[Thing, ...]:
    """The things in a normalised text, in order; ``proper`` are the proper names in it."""
    found = [
        Thing(sort, match.span(), match[0])
        for sort, form in (("flag", _FLAG), ("colour", _COLOUR), ("mail", _MAIL))
        for match in form.finditer(normal)
    ]
    for token, start in token_places(normal):
        kind = _kind_of(token, proper)
        counted = _UNIT.fullmatch(token) and _COUNT_END.match(normal, max(start - 2, 0), start)
        if kind and not counted:
            text = "/".join(path_suffixes(token)[:1]) if kind == "path" else token
            text = text.removesuffix("'s")
            found.append(Thing(kind, (start, start + len(token)), text or token))
    taken = SpanIndex(one.span for one in found)
    for value in values_of(normal):
        start, end = value.span
        joined = _JOINED_BEFORE.match(normal, max(start - 1, 0), start)
        joined = joined or _JOINED_BEHIND.match(normal, end)
        if not joined and not taken.meets(value.span):
            found.append(_valued(normal, value))
    found += [Thing("rest", match.span(1), match[1]) for match in _REMAINDER.finditer(normal)]
    return tuple(sorted(found, key=lambda one: one.span))


def _kind_of(token: str, proper: Collection[str]) -> Hashable:
    if is_path(token) and "." in token.rpartition("/")[2]:
        return "path"
    if _HASH.fullmatch(token):
        return "hash"
    if _CODE.fullmatch(token) or ("/" in token and any(map(str.isdigit, token))):
        if "_" in token:
            return "identifier"
        return "label", _RUN.sub("9", token) if token[:1].isalpha() and "/" not in token else "/"
    if _HYPHENED.fullmatch(token):
        return "hyphened"
    return "person" if token.removesuffix("'s") in proper else None


def _valued(normal: str, value: Value) -> Thing:
    start, end = value.span
    kind: Hashable = value.kind
    if value.kind == "number":
        before, behind = word_before(normal, start, " ="), _NOUN_BEHIND.match(normal, end)
        named = before in _LABELS
        counts = behind and not named and behind[1] not in STOPWORDS
        unit = behind[1] if behind and counts and not _is_verb(behind[1]) else ""
        label = before if not unit and before not in STOPWORDS else ""
        kind = ("number", unit.rstrip("s"), label)
        if label and behind and _is_verb(behind[1]):
            kind = ("named", label)
    return Thing(kind, value.span, normal[start:end], value.held, value.asked)


def _is_verb(word: str) -> bool:
    return word.endswith("ed") or word in PAST


def _sort(kind: Hashable) -> Hashable:
    return kind[0] if isinstance(kind, tuple) else kind


def _label(kind: Hashable) -> Hashable:
    """The noun before a number that names one of its kind, as in "worker 7"."""
    if not isinstance(kind, tuple) or kind[0] not in {"named", "number"}:
        return kind
    label: Hashable = kind[-1]
    return label


def may_replace(rival: Thing, thing: Thing) -> bool:
    """Whether the one may stand in the other's place: a number by its unit or its label.

    A number without a unit may be one with its unit left out ("the titles take 9 bytes, the
    lengths 3").
    """
    first, second = thing.kind, rival.kind
    if first == second:
        return True
    if "named" in {_sort(first), _sort(second)}:
        return _label(first) == _label(second)
    if second == "rest":
        return thing.text[:1].isdigit()
    if not isinstance(second, tuple) or second[0] != "number":
        return False
    if second[1] or not rival.text[:1].isdigit() or second[2] in _LABELS:
        return False
    if ("." in rival.text) != ("." in thing.text):
        return False
    return first in {"size", "duration", "percent"} or (
        isinstance(first, tuple)
        and first[0] == "number"
        and (bool(first[1]) or first[2] not in _LABELS)
    )


_BREAK: Final = re.compile(
    r"(?P<hard> ?; |: | - |\. (?=\w)|[()] ?|"
    r",? (?:but|while|whereas|though|although|yet|because|since|so) )|"
    r"(?P<soft>, (?:and |or |then )?| and | or | \| )"
)
FINITE: Final = (
    r"(?:is|are|was|were|has|have|had|does|do|did|will|would|can|could|must|may|might|shall|"
    r"should|stays?|stayed|remains?|remained|goes|went|takes|took|gets|got|keeps|kept|needs|"
    r"gives|gave|comes|came|makes|made|says|said|runs|ran|leaves|left|holds|held)"
)
_CLAUSE: Final = re.compile(
    rf"(?!(?:which|who|whose|where|whom)\b)"
    rf"(?:(?:at|in|on|for|with|by|from|to|there|then|now|so|that|only)\b[^,;]*? )?"
    rf"(?:(?:it|they|he|she|we|you|i|this|that|those|these) \w+|"
    rf"(?:the|a|an|its|their|his|her|our|your|my|another|other|each|every|both)? ?"
    rf"[^\s,;]+(?: [^\s,;]+){{0,5}}? {FINITE}\b)"
)
_SPLICE: Final = re.compile(
    r"(?:the|a|an|its|their|his|her|our|your|my) [a-z-]+ "
    r"(?:(?:only|also|just|still|then|now|never|always|merely) [a-z]{2,}(?:s|ed)"
    r"|[a-z]{3,}(?:[^su\W]s|ed) (?:it|them|him|her|us|nothing))\b"
)
"""A noun with a verb of its own that an adverb or an object shows: "the user only approves it"."""
_RELATIVE: Final = re.compile(r"(?:and )?(?:which|who|whose|whom)\b")
"""Beginnings of a clause about the thing before it."""
_VERBS: Final = re.compile(rf"{FINITE}\b")
_PAST: Final = "|".join(sorted(PAST))
VERB: Final = re.compile(rf"(?<= )(?:{FINITE}|{_PAST}|[a-z]{{2,}}(?:ed|[^s\W\d]s))\b")
"""A word that may be a finite verb, behind another word."""
_ASIDE: Final = re.compile(r"\([^()]*\) ?")
"""In brackets; without a verb it belongs to the clause around it."""
_ANY_VERB: Final = re.compile(rf"\b(?:{FINITE}|[a-z]{{2,}}(?:s|ed))\b")
_LETTERS: Final = re.compile(r"[a-z]{2,}")


def minimal_clauses(
    normal: str, found: Sequence[Thing], joints: Sequence[int] = ()
) -> tuple[Span, ...]:
    """The spans of the minimal clauses, in order; ``joints`` are where sentences begin."""
    breaks = [(match.start(), match.end(), match.lastgroup) for match in _BREAK.finditer(normal)]
    breaks += [(joint, joint, "hard") for joint in joints if joint]
    asides = [match.span() for match in _ASIDE.finditer(normal)]
    kept = [one.span for one in found] + [
        one for one in asides if not _ANY_VERB.search(normal, *one)
    ]
    inner = [one for one in sorted(breaks) if not any(within(one[:2], it) for it in kept)]
    pieces = pairwise([(0, 0, "hard"), *inner, (len(normal), len(normal), "hard")])
    spans: list[Span] = []
    for (start, begin, sort), (end, _, _) in pieces:
        if end <= begin:
            continue
        if spans and sort == "soft" and not _is_new(normal, spans[-1], (begin, end), found):
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((begin if sort == "hard" else start, end))
    return tuple(spans)


def _is_new(normal: str, before: Span, span: Span, found: Sequence[Thing]) -> bool:
    text = normal[slice(*span)]
    if _RELATIVE.match(text):
        return False
    if _SPLICE.match(text):
        return True
    said = _ANY_VERB.search(normal, *before) or (
        not normal.endswith("| ", 0, span[0]) and _is_full(normal, before, found)
    )
    if _CLAUSE.match(text) and not _VERBS.match(text) and said:
        return True
    return _is_full(normal, before, found) and _is_full(normal, span, found)


def _is_full(normal: str, span: Span, found: Sequence[Thing]) -> bool:
    """Whether it has a value or a name, and a word about it."""
    own = [one for one in found if within(one.span, span)]
    rest = normal[slice(*span)]
    for one in reversed(own):
        rest = rest[: one.span[0] - span[0]] + " " + rest[one.span[1] - span[0] :]
    return len({str(one.kind) for one in own}) > 1 or (
        bool(own) and any(word not in STOPWORDS for word in _LETTERS.findall(rest))
    )
