"""Whether what a passage says with the words of a statement is said of the statement's own things.

A passage that holds all keys may say it of something else: "ALERT-34 fires after 25 lines,
ALERT-21 after 2" has "ALERT-21", "fires" and "25". Each of the statement's things (a value, a
name, a noun with its modifier) is looked for in the minimal clauses of the passage. If another
thing of the same kind stands in its place, in a clause that holds more of the statement's other
words than any clause with the thing itself, then the passage speaks of that one.

"Only X" denies the same of all others: where what is limited is the statement's and what it is
limited to is not, the statement is not said. Nor is it where a part of it is named alone in
"regardless of Y", "the weather played no part".

Words are compared within one clause of the statement's own text; code and tool output
are left alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pytest_compaction.text.alternatives import Wanted
from pytest_compaction.text.comparison import Comparison, Placed, compared, meets
from pytest_compaction.text.minimal_clauses import FINITE, VERB, may_replace, within, word_before
from pytest_compaction.text.parsed import Parsed, Span
from pytest_compaction.text.subjects import other_complement, other_slot, other_subject
from pytest_compaction.text.words import STOPWORDS

_ONLY: Final = re.compile(
    r"(?<!not )\b(?:only|solely|exclusively) (?!(?:then|now|once|one|a few)\b)(?=[a-z])"
)
_REASON: Final = re.compile(r"\b(?:because|since|as|so) $")
_IRRELEVANT: Final = re.compile(
    r"\b(?:(?:did|does|do) not (?:matter|count|enter)|(?:ha[sd]|have) nothing to do with"
    r"|(?:plays?|played|ha[sd]|have) no (?:part|role|share|bearing|influence|say)"
    r"|(?:is|are|was|were) (?:no (?:obstacle|issue|concern|factor|reason)|irrelevant"
    r"|beside the point|not the (?:reason|point|issue|cause)))\b"
)
_NEGATED: Final = re.compile(r"\b(?:no|not|never|none|nothing|without|irrelevant)\b|n't\b")
_LIMITED: Final = re.compile(r"\b(?:only|solely|exclusively|alone|just)\b")


def limited_to_other(both: Comparison) -> str | None:
    """Only X: the passage limits to X what the statement says of something else."""
    if _LIMITED.search(both.own.normal):
        return None
    places = [span for unit in both.units for span in unit.places] + both.keyed
    for number, (start, end) in enumerate(both.clauses):
        only = _ONLY.search(both.passage.normal, start, end)
        if only is None or meets((only.end(), end), places):
            continue
        if _REASON.search(both.passage.normal[:start]):
            continue
        if all(both.groups_in(number)) or not any(
            within(span, (start, only.start())) for span in places
        ):
            continue
        if any(all(both.groups_in(at)) for at in range(len(both.clauses))):
            continue
        return f'"{both.passage.normal[only.start() : end].strip()}"'
    return None


def set_aside(both: Comparison) -> str | None:
    """Regardless of Y: the passage names a part of the statement as of no matter."""
    if _NEGATED.search(both.own.normal):
        return None
    named = [unit.places for unit in both.units if unit.places] + list(both.groups)
    for start, end in both.clauses:
        aside = _IRRELEVANT.search(both.passage.normal, start, end)
        if aside is None:
            continue
        alone = [places for places in named if all(within(span, (start, end)) for span in places)]
        if alone:
            return f'"{aside[0]}" is said of it'
    return None


_PAIR: Final = re.compile(r"(?<![\w/.-])([a-z]{3,}) (?=([a-z]{3,})\b(?![/.]\w))")
_VERBAL: Final = re.compile(rf"{FINITE}|[a-z]+ed")
_SAYS: Final = re.compile(rf"\b(?:{_VERBAL.pattern})\b|[a-z]n't\b")
_LETTERS: Final = re.compile(r"[a-z]+")
_FEW: Final = 2
"""Function words that show a sentence where no verb is known."""
_NO_RIVALS: Final = STOPWORDS | frozenset(
    "between among within behind beyond along across around near per one ones".split()
)
_SHORTEST_LABEL: Final = 3
_BEFORE: Final = re.compile(r"(?<![\w/.-])([a-z]{3,})(?:'s)? $")
_ASIDE: Final = re.compile(r"\([^()]*\)")
"""In brackets stands more about what is named before them."""
_NEAR: Final = 30
"""Characters before a noun in which the word before it is sought."""
_BEHIND: Final = re.compile(r" ([a-z]{3,})\b(?![/.]\w)")
_ENTRY: Final = re.compile(r"\b(?:in)?to (?:the |an? |its )?$")
_EXIT: Final = re.compile(r"\b(?:out of|away from) (?:the |an? |its )?$")
_OTHER: Final = r"(?:another|(?:an?|the|some|any) (?:other|later|different|earlier))"


def bound_otherwise(text: str, wanted: Wanted, passage: Parsed) -> str | None:
    """Another thing with the statement's predicate, if the passage shows one."""
    both = compared(text, wanted, passage)
    for unit in both.units:  # source and goal of a movement are swapped
        if _ENTRY.search(both.own.normal[: unit.own[0]]) and unit.places:
            before = [both.passage.normal[:start] for start, _ in unit.places]
            if all(_EXIT.search(text) for text in before):
                return f'out of "{both.own.normal[slice(*unit.own)]}" and not into it'
    if len(both.clauses) < 2:
        return None
    return (
        _other_thing(both)
        or _other_modifier(both)
        or other_subject(both)
        or other_slot(both)
        or limited_to_other(both)
        or set_aside(both)
        or other_complement(both)
    )


def _other_thing(both: Comparison) -> str | None:
    """Another value, name or person stands where the statement has its own."""
    mine = [unit.thing for unit in both.units if unit.thing]
    asides = [match.span() for match in _ASIDE.finditer(both.passage.normal)]
    for unit in both.units:
        if unit.thing is None:
            continue
        rivals = [
            one.span
            for one in both.foreign
            if may_replace(one, unit.thing) and not any(within(one.span, it) for it in asides)
        ]
        label = word_before(both.own.normal, unit.own[0], " ")
        if len(label) >= _SHORTEST_LABEL and label not in STOPWORDS:  # "another ticket"
            other = re.compile(rf"\b{_OTHER} {label}\b")
            rivals += [match.span() for match in other.finditer(both.passage.normal)]
        alike = [one.span for one in mine if one.kind == unit.thing.kind]
        others = [one for one in both.beside([unit.own]) if not meets(one.own, alike)]
        exact = [other for other in others if other.thing is not None]
        held = both.held(exact)
        if exact and any(held[number] == len(exact) for number in both.homes(unit.places)):
            continue  # one clause has the thing with all other things of the statement
        rival = _rival(both, unit.places, rivals, others) or _partner(both, unit, others)
        if rival:
            return f'"{both.passage.normal[slice(*rival)]}" for "{unit.thing.text}"'
    return None


def _partner(both: Comparison, unit: Placed, others: Sequence[Placed]) -> Span | None:
    """Another of its kind that has one of the statement's other words to itself.

    "28.2 s when it restored a bundle, 23.3 s when it built" has "built" with 23.3 s alone. A word
    that stands before the thing may be meant for both.
    """
    homes = both.homes(unit.places)
    if not homes or unit.thing is None:
        return None
    sentences = {both.passage.sentence(both.clauses[number][0]) for number in homes}
    rivals = [
        one.span
        for one in both.foreign
        if one.kind in {unit.thing.kind, "rest"}
        and may_replace(one, unit.thing)
        and both.passage.sentence(one.span[0]) in sentences
    ]
    for other in others if rivals else ():
        held = [number for number, count in enumerate(both.held([other])) if count]
        if not held or min(held) <= max(homes):
            continue
        inside = [
            [span for span in rivals if within(span, both.clauses[number])] for number in held
        ]
        if all(inside):
            return inside[0][0]
    return None


def _other_modifier(both: Comparison) -> str | None:
    """One word of two is another: "the north gauge" for "south", "batch verify" for "replay"."""
    taken = [*both.keyed, *(span for unit in both.units for span in unit.places)]
    words = {unit.own: unit for unit in reversed(both.units) if unit.thing is None}
    normal = both.passage.normal
    for pair in _PAIR.finditer(both.own.normal):
        others = both.beside([pair.span(1), pair.span(2)])
        for one, same in ((1, 2), (2, 1)):
            changed, kept = words.get(pair.span(one)), words.get(pair.span(same))
            if changed is None or kept is None:
                continue
            if one == 1:
                found = [_BEFORE.search(normal, max(at - _NEAR, 0), at) for at, _ in kept.places]
            else:
                ends = kept.places if f"{pair[same]} {pair[one]}" in normal else ()
                found = [_BEHIND.match(normal, end) for _, end in ends]
            rivals = [
                match.span(1)
                for match in found
                if match
                and match[1] not in _NO_RIVALS
                and not _VERBAL.fullmatch(match[1])
                and not meets(match.span(1), taken)
            ]
            rival = _rival(both, changed.places, rivals, others)
            if rival:
                return f'"{normal[slice(*rival)]}" for "{pair[one]}" with "{pair[same]}"'
    return None


def _rival(
    both: Comparison, places: Sequence[Span], rivals: Sequence[Span], others: Sequence[Placed]
) -> Span | None:
    """The rival in a clause that has more of the other words than any with the thing itself."""
    homes = both.homes(places)
    if not homes or not rivals:
        return None
    normal, held = both.passage.normal, both.held(others)
    weights = [(held[number], sum(both.groups_in(number))) for number in range(len(held))]
    most = max(weights[number] for number in homes)
    for number, clause in enumerate(both.clauses):
        if number in homes or weights[number] <= most or not held[number]:
            continue
        prose = (
            _SAYS.search(normal, *clause)
            or sum(word in STOPWORDS for word in _LETTERS.findall(normal, *clause)) >= _FEW
        )
        if not prose and not VERB.search(normal, *clause) and _in_row(both, number, homes):
            continue
        inside = [span for span in rivals if within(span, clause)]
        if inside:
            return inside[0]
    return None


def _in_row(both: Comparison, number: int, homes: Sequence[int]) -> bool:
    """Whether it is a cell of a table, or a label before the thing's own clause."""
    start, end = both.clauses[number]
    begins = [both.clauses[home][0] for home in homes]
    if any("|" in both.passage.normal[min(start, begin) : max(end, begin)] for begin in begins):
        return True
    return any(end <= begin and ": " in both.passage.normal[end:begin] for begin in begins)
