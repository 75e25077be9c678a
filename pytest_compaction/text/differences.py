"""Passages that hold the words of a statement and say something else.

Key groups and shares of words do not see who did what to whom. Four differences are looked for
between the statement's own text and the passage: an opposite in a word's place ("known" for
"unknown"), two things in the other order or direction ("b before a", "b became a"), two values that
changed subjects, and another number of the same thing. A difference must show in the passage
itself; where one of the words is not there, nothing is concluded.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from pytest_compaction.text.alternatives import Term
from pytest_compaction.text.cues import REVERSING, Cue
from pytest_compaction.text.parsed import STOP, Meaning, Parsed, Span, meaning
from pytest_compaction.text.standing import other_standing
from pytest_compaction.text.statement_keys import denies
from pytest_compaction.text.vocabulary import phrases_in, sides
from pytest_compaction.text.words import STOPWORDS, canonical_number, stem

_DIRECTIONS: Final = {
    "order": (
        re.compile(r"\b(?:before|precedes?|preceded|preceding|ahead of|prior to|above)\b"),
        re.compile(r"\b(?:after|follows|followed|following|behind|once|below)\b"),
    ),
    "change": (
        re.compile(
            r"→|⇒|(?<!-)-+>|(?<!=)=+>|\b(?:to|into|becomes?|became|replaced by|replaced with)\b"
        ),
        re.compile(r"\b(?:formerly|replaces|used to be)\b"),
    ),
    "effect": (
        re.compile(
            r"\b(?:overrid(?:es?|ing)|overrode|beats|wins over|outranks|contains?|includes?|"
            r"calls|imports|extends|wraps|blocks|holds)\b"
        ),
        re.compile(
            r"\b(?:(?:overridden|beaten|outranked|called|imported|extended|wrapped|blocked|held|"
            r"contained) by|part of|belongs? to)\b"
        ),
    ),
}
"""Expressions for an order, a change and an effect: from left to right, and from right to left."""
_SIDE: Final = 50
"""Characters to either side of an expression of direction in which its two things are sought."""
_WORD: Final = re.compile(r"(?<![\w/.:-])[^\W\d_]+(?:-[^\W\d_]+)*(?![\w/]|\.\w)")
_DENIED_SHARE: Final = 0.5
"""Share of the words of a denial that a passage must hold to be compared with it."""
_CODE: Final = re.compile(r"(?<![\w./-])[a-z]+-?\d+(?![\w/-]|\.\w)")
_DIGITS: Final = re.compile(r"\d+")
_LEAD: Final = re.compile(
    r"\b([a-z]\w{2,})( (?:is|was|are|were|on|for|to|at|by|after|until|with))? $"
)
"""The word before a value, with a preposition or "is" between."""
_NO_GAP: Final = frozenset({"", "is", "was", "are", "were"})
_COUNTED: Final = re.compile(r"[ -]([a-z]{3,})")


def difference(text: str, passage: Parsed, type: str | None = None) -> str | None:
    """The first difference from a statement of this text and type, if one shows."""
    own = meaning(text)
    return (
        _opposite(own, passage)
        or _exchanged(own, passage)
        or _turned(own, passage)
        or _paired_otherwise(own, passage)
        or _counted_otherwise(own, passage)
        or _valued_otherwise(own, passage)
        or _named_otherwise(own, passage)
        or other_standing(own, passage, text, type)
    )


def affirmed(text: str, passage: Parsed) -> str | None:
    """Words that the statement denies and the passage affirms, if any."""
    own = meaning(text)
    for cue in own.parsed.sense.cues:
        if cue.kind not in {"negated", "rejected"}:
            continue
        denied = [
            term
            for term in own.terms
            if any(
                cue.reaches(*span) or cue.reaches_back(*span)
                for span in own.parsed.term_places(term)
            )
        ]
        places = [span for term in denied for span in passage.term_places(term)]
        held = [term for term in denied if passage.term_places(term)]
        if (
            held
            and len(held) >= _DENIED_SHARE * len(denied)
            and not any(_reaching(passage, span) for span in places)
            and not denies(passage)
        ):
            return f'without "{own.parsed.normal[slice(*cue.at)]}"'
    return None


_SPOKEN: Final = re.compile(r"[^\W_]+(?:[.,:/='_-][^\W_]+)*|[.,;:()]")
_NEGATIVE: Final = dict.fromkeys("not no never nor neither".split(), "") | {
    "without": "with",
    "cannot": "can",
    "can't": "can",
    "won't": "will",
    "nothing": "thing",
    "nobody": "body",
    "none": "all",
}
"""Words that deny, each with what else it says."""
_PLAIN: Final = {
    **dict.fromkeys("a an the any some do does did also".split(), ""),
    **dict.fromkeys("everything something anything".split(), "thing"),
    **dict.fromkeys("everybody everyone somebody someone anybody anyone".split(), "body"),
}
"""Words that say no more than what stands here."""
_SAME: Final = 3
_MORE: Final = 4
"""Words around a change that must be the same, and on one side of it if the clause ends there."""
_LIMITS: Final = re.compile(r"\b(?:only|unless|except|until)\b")
"""With these a condition or a limit can be put without its negation."""


class _Spoken(NamedTuple):
    """The words of a sentence with their places, and before which of them a negation stands."""

    words: tuple[str, ...]
    spans: tuple[Span, ...]
    denied: Mapping[int, tuple[bool, bool]]
    """By place, whether the negation is the first word of its clause, and whether the last."""
    begins: frozenset[int]
    """Where a clause begins, and the end."""


@lru_cache(maxsize=4096)
def _spoken(normal: str) -> _Spoken:
    words: list[str] = []
    spans: list[Span] = []
    denied: dict[int, tuple[bool, bool]] = {}
    begins = {0}
    first, last = True, -1  # no word of the clause was read, and where a negation stands open
    for match in [*_SPOKEN.finditer(normal), None]:
        word = match[0] if match else "."
        if not word[0].isalnum():
            if last == len(words) and denied[last][0]:
                del denied[last]  # "No, …": an answer, which takes nothing back
                last = -1
            elif last == len(words):
                denied[last] = (denied[last][0], True)
            begins.add(len(words))
            first = True
            continue
        if word in _NEGATIVE or word.endswith("n't"):
            last = len(words)
            denied[last] = (first, False)
            word = _NEGATIVE.get(word, word.removesuffix("n't"))
        word = _PLAIN.get(word, word)
        if word and match:
            first = False
            words.append(stem(word) if word.isalpha() else canonical_number(word))
            spans.append(match.span())
    return _Spoken(tuple(words), tuple(spans), denied, frozenset(begins))


def one_word_changed(text: str, passage: Parsed, around: Parsed | None = None) -> str | None:
    """The statement's own words with a negation more or less, or with another number.

    ``around`` is the passage with the clauses beside it, of which one may lack a negation.
    """
    own = meaning(text).parsed
    mine, theirs = _spoken(own.normal), _spoken(passage.normal)
    return (
        (_without_negation(own, around or passage) if mine.denied else None)
        or _with_negation(own, passage, mine, theirs)
        or _with_other_number(mine, theirs)
    )


def _without_negation(own: Parsed, passage: Parsed) -> str | None:
    mine, theirs = _spoken(own.normal), _spoken(passage.normal)
    if _LIMITS.search(passage.normal) and not _LIMITS.search(own.normal):
        return None
    for place, edges in mine.denied.items():
        found = list(_alike(mine, place, place, theirs, edges))
        if (
            found
            and theirs.denied.keys().isdisjoint(found)
            and not any(_denied_otherwise(passage, own, theirs, at) for at in found)
        ):
            return "its own words without their negation"
    return None


def _with_negation(own: Parsed, passage: Parsed, mine: _Spoken, theirs: _Spoken) -> str | None:
    taken_back = any(cue.whole for cue in passage.sense.cues)
    for place, edges in () if taken_back else theirs.denied.items():
        for at in _alike(theirs, place, place, mine, edges):
            plain = set(_alike(mine, at, at, theirs, edges)) - theirs.denied.keys()
            if not (at in mine.denied or plain or _denied_otherwise(own, passage, mine, at)):
                return "its own words with a negation"
    return None


def _with_other_number(mine: _Spoken, theirs: _Spoken) -> str | None:
    for place, word in enumerate(mine.words):
        shape = _DIGITS.sub("0", word)
        if not _DIGITS.search(word) or theirs.words.count(word) >= mine.words.count(word):
            continue
        edges = (place in mine.begins, place + 1 in mine.begins)
        others = {theirs.words[at] for at in _alike(mine, place, place + 1, theirs, edges)}
        for other in others if word not in others else ():
            if shape == _DIGITS.sub("0", other) or (other[0] + word[0]).isdigit():
                return f'"{other}" for "{word}"'
    return None


def _denied_otherwise(sentence: Parsed, other: Parsed, spoken: _Spoken, at: int) -> bool:
    """Whether words that the other does not have take back what stands at this place."""
    return any(
        cue.reverses(span) and sentence.normal[slice(*cue.at)] not in other.normal
        for cue in sentence.sense.cues
        for span in spoken.spans[max(at - 1, 0) : at + 1]
    )


def _alike(
    one: _Spoken, start: int, end: int, other: _Spoken, edges: tuple[bool, bool]
) -> Iterator[int]:
    """The places of the other where words stand around a gap as around these places.

    On one side there may be none, if the clause ends there in both (``edges``).
    """
    gap = end - start
    for at in range(len(other.words) - gap + 1):
        before = _same(one, start, other, at, -1)
        after = _same(one, end, other, at + gap, 1)
        if before and after:
            alike = before + after >= _SAME
        elif before:
            alike = edges[1] and at + gap in other.begins and before >= min(_MORE, start)
        else:
            whole = end + after == len(one.words) and at + gap + after in other.begins
            alike = edges[0] and at in other.begins and (after >= _MORE or whole)
        if alike and before + after >= 2:
            yield at


def _same(one: _Spoken, place: int, other: _Spoken, at: int, step: int) -> int:
    """How many words are the same from these places on, forwards or backwards."""
    count = 0
    first, second = (place, at) if step > 0 else (place - 1, at - 1)
    while (
        count < _MORE
        and 0 <= first < len(one.words)
        and 0 <= second < len(other.words)
        and one.words[first] == other.words[second]
    ):
        count, first, second = count + 1, first + step, second + step
    return count


def _opposite(own: Meaning, passage: Parsed) -> str | None:
    said, heard = (_sides_in(one.normal, one.sense.cues) for one in (own.parsed, passage))
    for row, mine in said.items():
        theirs = heard.get(row, {})
        if len(mine) != 1 or len(theirs) != 1:
            continue
        (side, (word, turned)), (there, (other, turned_there)) = *mine.items(), *theirs.items()
        if side != there and turned == turned_there:
            return f'"{other}" for "{word}"'
    return None


@lru_cache(maxsize=2048)
def _sides_in(normal: str, cues: tuple[Cue, ...]) -> Mapping[int, Mapping[int, tuple[str, bool]]]:
    """The words of each pair of opposites by side, each with whether a negation turns it."""
    found: dict[int, dict[int, tuple[str, bool]]] = {}
    words = [(match[0], match.span()) for match in _WORD.finditer(normal)]
    for word, span in [*words, *phrases_in(normal)]:
        for row, side in sides(word):
            turned = any(
                cue.kind in REVERSING and cue.reaches(*span) and cue.at != span for cue in cues
            )
            found.setdefault(row, {}).setdefault(side, (word, turned))
    return found


def _reaching(parsed: Parsed, span: Span) -> list[Cue]:
    return [
        cue
        for cue in parsed.sense.cues
        if cue.reverses(span) and not (cue.at[0] < span[1] and span[0] < cue.at[1])
    ]


def _exchanged(own: Meaning, passage: Parsed) -> str | None:
    """One thing is taken back there and another not, where the statement has it the other way."""
    kept: list[Term] = []
    gone: list[Term] = []
    for term in own.terms:
        here, there = own.parsed.term_places(term), passage.term_places(term)
        if not here or not there:
            continue
        before = any(_reaching(own.parsed, span) for span in here)
        after = all(_reaching(passage, span) for span in there)
        if before and not any(_reaching(passage, span) for span in there):
            kept.append(term)
        elif after and not before:
            gone.append(term)
    exact = [any(term.is_value or term.is_name for term in terms) for terms in (kept, gone)]
    if kept and gone and exact[0] == exact[1]:
        return "what is kept and what is given up are exchanged"
    return None


def _turned(own: Meaning, passage: Parsed) -> str | None:
    """Two things of the statement stand in the other order or direction throughout."""
    for kind, (forward, backward) in _DIRECTIONS.items():
        asked = list(_directed(own.parsed, forward, backward))
        for left, right, sign in asked:
            # A value, a name or a few letters, so that "to" between two is a change.
            terms = [
                term
                for term in own.terms
                if kind != "change" or term.is_value or term.is_name or len(str(term.keys[0])) <= 3
            ]
            first = [one for one in terms if own.parsed.stands_in(one, left)]
            second = [one for one in terms if own.parsed.stands_in(one, right) and one not in first]
            if not first or not second:
                continue
            signs = set()
            for there_left, there_right, there in _directed(passage, forward, backward):
                straight = _both(passage, first, there_left, second, there_right)
                crossed = _both(passage, first, there_right, second, there_left)
                if straight != crossed:
                    signs.add(there if straight > crossed else -there)
            if signs == {-sign}:
                return "the two stand in the other direction"
    return None


def _both(parsed: Parsed, one: list[Term], here: Span, other: list[Term], there: Span) -> int:
    first = sum(parsed.stands_in(term, here) for term in one)
    second = sum(parsed.stands_in(term, there) for term in other)
    return min(first, 1) * min(second, 1) * (first + second)


def _directed(
    parsed: Parsed, forward: re.Pattern[str], backward: re.Pattern[str]
) -> Iterator[tuple[Span, Span, int]]:
    """The places left and right of each expression of direction, and 1 if it goes to the right."""
    normal = parsed.normal
    for sign, pattern in ((1, forward), (-1, backward)):
        for match in pattern.finditer(normal):
            start, end = match.span()
            left = max((m.end() for m in STOP.finditer(normal, 0, start)), default=0)
            stop = STOP.search(normal, end + 1)
            right = stop.start() if stop else len(normal)
            if normal[left:start].strip():
                yield (max(left, start - _SIDE), start), (end, min(right, end + _SIDE)), sign
            elif stop and stop[0] == ", ":
                beyond = STOP.search(normal, stop.end())
                last = beyond.start() if beyond else len(normal)
                yield (stop.end(), last), (end, right), sign


def _paired_otherwise(own: Meaning, passage: Parsed) -> str | None:
    """Two values of the statement stand nearer to each other's names than to their own."""
    values = [term for term in own.terms if term.is_value]
    names = [term for term in own.terms if not term.is_value]
    pairs = []
    for value in values:
        name = min(names, key=lambda one: _distance(own.parsed, value, one), default=None)
        if name and passage.term_places(value) and passage.term_places(name):
            pairs.append((value, name))
    for number, (value, name) in enumerate(pairs):
        for other_value, other_name in pairs[number + 1 :]:
            if (
                name != other_name
                and _distance(passage, value, other_name) < _distance(passage, value, name)
                and _distance(passage, other_value, name)
                < _distance(passage, other_value, other_name)
            ):
                return "the values have changed places"
    return None


def _distance(parsed: Parsed, one: Term, other: Term) -> int:
    return min(
        (
            max(start - last, first - end)
            + 20 * len(STOP.findall(parsed.normal[min(end, last) : max(start, first)]))
            for start, end in parsed.term_places(one)
            for first, last in parsed.term_places(other)
        ),
        default=1000,
    )


def _counted_otherwise(own: Meaning, passage: Parsed) -> str | None:
    """A number of things in the statement, and only another number of them in the passage."""
    for term in own.terms:
        kind = term.keys[0][0] if term.keys and isinstance(term.keys[0], tuple) else None
        if kind != "number":
            continue
        for _, end in () if passage.term_places(term) else own.parsed.term_places(term):
            noun = _COUNTED.match(own.parsed.normal, end)
            if noun is None or noun[1] in STOPWORDS:
                continue
            for _, last in chain.from_iterable(_places_of(passage, {"number"})):
                same = _COUNTED.match(passage.normal, last)
                if same and same[1].rstrip("s") == noun[1].rstrip("s"):
                    return f'another number of "{noun[1]}"'
    return None


def _places_of(passage: Parsed, kinds: Collection[object]) -> Iterator[Sequence[Span]]:
    """Places of values of these kinds."""
    for key, spans in passage.places.items():
        if isinstance(key, tuple) and key[0] in kinds:
            yield spans


def _valued_otherwise(own: Meaning, passage: Parsed) -> str | None:
    """A word that has a value behind it in the statement, and only another of its kind there.

    The word may be left out before the second of two values: "the soup cooks for 20 minutes and
    the rice for 12".
    """
    for term in own.terms:
        if not term.is_value:
            continue
        for start, end in own.parsed.term_places(term):
            lead = _LEAD.search(own.parsed.normal, 0, start)
            if lead is None or lead[1] in STOPWORDS:
                continue
            link = f"{lead[2] or ''} "
            if link == " " and not own.parsed.normal[start:end].isdigit():
                continue
            behind = {
                last + len(link)
                for _, last in passage.places.of(stem(lead[1]))
                if passage.normal.startswith(link, last)
            }
            held = {at for at, _ in passage.term_places(term)}
            digits = own.parsed.normal[start:end].split()[0]
            gapped = link.strip() not in _NO_GAP and f"{link}{digits}" in passage.normal
            kinds = {key[0] for key in term.keys if isinstance(key, tuple)}
            others = {at for spans in _places_of(passage, kinds) for at, _ in spans}
            if behind & others and not held & behind and not gapped:
                return f'another value of "{lead[1]}"'
    return None


def _named_otherwise(own: Meaning, passage: Parsed) -> str | None:
    """A code of the statement is not there, but one that differs from it in its digits alone."""
    there: dict[str, set[str]] = {}
    for match in _CODE.finditer(passage.normal):
        there.setdefault(_DIGITS.sub("0", match[0]), set()).add(match[0])
    for match in _CODE.finditer(own.parsed.normal):
        others = there.get(_DIGITS.sub("0", match[0]), set())
        if others and match[0] not in others:
            return f'"{min(others)}" for "{match[0]}"'
    return None
