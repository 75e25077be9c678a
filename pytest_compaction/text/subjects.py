"""Another subject, object or complement in the place of a statement's own.

"The trimmer is refused; the mop can be lent" holds "mop" and "refused". A clause is of another
subject if it opens with a word that is not the statement's, and what the statement speaks of is
the subject of a clause of its own, with less of the statement's words. In the same way another
word may stand behind the preposition ("goes into the changelog; the checklist is complete"), or
behind the verb: "the cook salted the soup" is not said by "the cook salted the beans; the soup
stood cold".
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from pytest_compaction.text.comparison import Comparison, Placed, meets
from pytest_compaction.text.minimal_clauses import FINITE, VERB, within
from pytest_compaction.text.parsed import Span
from pytest_compaction.text.vocabulary import IRREGULAR_FORMS, base_stem
from pytest_compaction.text.words import STOPWORDS

_LEAST: Final = 2
"""The least number of the statement's other words in the clause of another one."""
_TOKEN: Final = re.compile(r"[\w./@-]+")
_ACTORS: Final = frozenset("i we you he she they".split())
_PRONOUNS: Final = frozenset("he she they it".split())
"""Words for the subject of the clause before."""
_LEAD: Final = re.compile(r"^[\W_]*(?:and |or |but |then |only |the |an? )*")
_ADVERBIAL: Final = re.compile(
    r"(?:by|in|on|at|during|after|before|until|since|from|for)\b[^,;:]{1,40}?"
    r"(?:, |(?= (?:the|a|an) ))[ ]?(?:the |an? )?"
)
"""Phrases before the subject: "by the winter of 1883 the staging was gone"."""
_NO_SUBJECT: Final = re.compile(r"(?:its|their|his|her)\b|(?<!the )(?<!a )(?<!an )[a-z]+ing\b")
"""Words that belong to the subject before, or are no subject."""
_CLAUSE_END: Final = re.compile(r"[;:]|, |\b(?:because|since|so|which|while|when|if|until|that)\b")
_RELATIVE: Final = re.compile(rf" (?:that|which|who)(?: [\w-]+){{0,2}}? {VERB.pattern}")
"""Words that tell the subject from others of its name, up to its own verb."""
_SAID: Final = re.compile(rf" (?:{FINITE}|[a-z]{{2,}}ed)\b")
"""A verb that is no noun in the plural."""
_ADJUNCT: Final = r"(?:into|in|to|on|onto|at|by|from|with|without|about|under|during|because of|as)"
_SLOT: Final = re.compile(rf"\b({_ADJUNCT}) (?:the |an? |its )?(?:[a-z]+ )?$")


def other_subject(both: Comparison) -> str | None:
    """Another subject of the clause that has the statement's predicate."""
    first = min((unit.own for unit in both.units), default=(0, 0))
    relative = _RELATIVE.match(both.own.normal, first[1])
    verb = VERB.search(both.own.normal, relative.end() if relative else first[1])
    subject = [unit for unit in both.units if verb and unit.own[1] <= verb.start()]
    if not subject or not min(subject, key=lambda unit: unit.own).places:
        return None
    stop = _CLAUSE_END.search(both.own.normal, max(unit.own[1] for unit in subject))
    end = stop.start() if stop else len(both.own.normal)
    others = [unit for unit in both.units if unit not in subject and unit.own[0] < end]
    homes = both.homes([span for unit in subject for span in unit.places])
    held = both.held(others)
    exact = [unit for unit in others if unit.thing is not None]
    named = any(unit.thing for unit in subject)
    if named and exact and any(both.held(exact)[number] == len(exact) for number in homes):
        return None
    if not homes or any(not opens_with(both, number, subject) for number in homes):
        return None
    most = max(held[number] for number in homes)
    for number in range(len(both.clauses)):
        if number in homes or held[number] < _LEAST or held[number] <= most:
            continue
        word = _foreign_subject(both, number, homes)
        if word:
            return f'said of "{word}"'
    return None


def other_slot(both: Comparison) -> str | None:
    """Another word behind the preposition that leads to one of the statement's words.

    The word itself must open a clause of its own, as its subject or behind the preposition
    ("on depot-1 the lease was lost; on staging-2 it was kept").
    """
    for unit in both.units:
        slot = _SLOT.search(both.own.normal[: unit.own[0]])
        homes = both.homes(unit.places) if slot else []
        if slot is None or not homes:
            continue
        leads = all(opens_with(both, at, [unit], slot[1]) for at in homes)
        apart = []  # what does not stand beside the word in the statement
        for other in both.units:
            first, second = sorted((other.own, unit.own))
            if both.own.normal[first[1] : second[0]].strip():
                apart.append(other)
        held = both.held(apart)
        for number, clause in enumerate(both.clauses):
            if number in homes or held[number] < _LEAST:
                continue
            if held[number] <= max(held[at] for at in homes) + (0 if leads else _LEAST):
                continue
            word = _in_slot(both, slot, clause)
            if word:
                meant = both.own.normal[slot.start() : unit.own[1]]
                return f'"{slot[1]} {word}" for "{meant}"'
    return None


def _opening(both: Comparison, number: int) -> tuple[int, str, int]:
    """Start of a minimal clause, its text, and the place of its first own word there."""
    start, end = both.clauses[number]
    text = both.passage.normal[start:end]
    lead = _LEAD.match(text)
    return start, text, lead.end() if lead else 0


def opens_with(both: Comparison, number: int, units: list[Placed], preposition: str = "") -> bool:
    """Whether a minimal clause has one of the units as its subject, with a verb or a value.

    Or it opens with the preposition, if one is given, and the unit behind it.
    """
    start, text, opened = _opening(both, number)
    end, first = start + len(text), start + opened
    valued = "|" not in text and any(within(one.span, (start, end)) for one in both.foreign)
    frame = re.compile(rf"{preposition} (?:the |an? |its )?(?:[a-z]+ )?").match(text, opened)
    framed = start + frame.end() if frame and preposition else first
    return any(
        first < span[0] <= framed
        or (
            span[0] == first
            and (valued or VERB.search(both.passage.normal, span[1], end) is not None)
        )
        for unit in units
        for span in unit.places
    )


def _foreign_subject(both: Comparison, number: int, homes: list[int]) -> str | None:
    """The first word of a minimal clause, if it is none of the statement's and a verb follows."""
    start, text, opened = _opening(both, number)
    adverbial = _ADVERBIAL.match(text, opened)
    opened = adverbial.end() if adverbial else opened
    word = _TOKEN.match(text, opened)
    if word is None or _NO_SUBJECT.match(text, opened):
        return None
    if word[0] in _PRONOUNS and number - 1 in homes:
        return None
    if word[0] in _ACTORS:
        return word[0]
    verb = VERB.search(text, word.end())
    if verb is None or word[0] in STOPWORDS:
        return None
    if word[0].isdigit() and not _SAID.search(text, word.end()):
        return None
    taken: list[Span] = [span for unit in both.units for span in unit.places]
    subject = (start + opened, start + verb.start())
    return None if meets(subject, taken) else text[opened : verb.start()].strip()


def _in_slot(both: Comparison, slot: re.Match[str], region: Span) -> str | None:
    """The word behind the same preposition in a region, if it is none of the statement's.

    The preposition must not hang on another word of the statement ("hours in UTC, flows in m3/s").
    """
    preposition = slot[1]
    heads = [unit for unit in both.units if unit.own[1] == slot.start() - 1]
    others = [span for unit in both.units if heads and unit not in heads for span in unit.places]
    taken = [span for unit in both.units for span in unit.places]
    form = "because" if preposition == "because of" else preposition
    pattern = re.compile(rf"\b{form} (?:of )?(?:the |an? |its )?([\w./-]*\w)")
    found = list(pattern.finditer(both.passage.normal, *region))
    if not found or any(meets(match.span(1), taken) for match in found):
        return None
    words = [
        match[1]
        for match in found
        if match[1] not in STOPWORDS and not any(end == match.start() - 1 for _, end in others)
    ]
    return next((word for word in words if not word[0].isdigit()), None)


_BASES: Final = frozenset(base_stem(word) for word in IRREGULAR_FORMS)
_INFLECTED: Final = re.compile(r"[a-z]{2,}(?:ed|[^s\W\d]s)")
_MODAL: Final = re.compile(r"\b(?:would|will|can|could|must|may|might|should|shall|to) $")
_COPULA: Final = re.compile(r" (?:is|are|was|were) (?:the |an? )?")
_OBJECT: Final = re.compile(r" (?:the |an? |its |their |his |her )?")
_INDEFINITE: Final = re.compile(r"(?:any|every|no|some)(?:body|one|thing)")
_PREPOSITIONS: Final = tuple(
    re.compile(rf" {word} (?:the |an? |its |their |his |her )?")
    for word in ("of", "for", "in", "on", "at", "by", "from", "with", "after", "before", "to")
)
_LINKS: Final = tuple(
    (link, re.compile(rf"{link.pattern}(?:[a-z]+ )?"))
    for link in (_COPULA, _OBJECT, *_PREPOSITIONS)
)
"""Each link, and the same with a word before what it leads to."""
_BEHIND_LINK: Final = 2
"""How many words behind the link may be the other complement."""
_FILLER: Final = re.compile(r"(?:(?<![./@-])[./@-]+\w+|\w+)(?:[./@-]+\w+)*")


def other_complement(both: Comparison) -> str | None:
    """Another complement of the verb or copula than the statement's."""
    for unit in both.units:
        heads = _heads(both, unit)
        homes = both.homes(unit.places) if heads else []
        if not homes or (unit.thing is not None and unit.thing.held):
            continue
        opens = all(opens_with(both, at, [unit]) for at in homes)
        held = both.held([other for other in both.units if other is not unit])
        for head, link in heads:
            if link in {_COPULA, _OBJECT} and not opens:
                continue
            ends = [  # of each place of the head, with the number of its clause
                (span[1], number)
                for span in head.places
                for number, clause in enumerate(both.clauses)
                if within(span, clause)
            ]
            for end, number in ends:
                colon = both.passage.normal.startswith(": ", both.clauses[number][1])
                if number in homes or (colon and number + 1 in homes) or held[number] < _LEAST:
                    continue
                if held[number] < max(held[at] for at in homes):
                    continue
                word = _filler(both, end, number, link)
                if word:
                    return f'"{word}" for "{both.own.normal[slice(*unit.own)]}"'
    return None


def _heads(both: Comparison, unit: Placed) -> list[tuple[Placed, re.Pattern[str]]]:
    """The units before this one that it is linked to by a copula, or as an object."""
    found = []
    normal, end = both.own.normal, unit.own[0]
    for head in both.units:
        start = head.own[1]
        if start >= end or normal[start] != " ":
            continue
        for link, whole in _LINKS:
            if link in _PREPOSITIONS and head.thing is not None:
                continue
            word = normal[slice(*head.own)]
            if whole.fullmatch(normal, start, end) and (
                link is not _OBJECT
                or _INFLECTED.fullmatch(word)
                or base_stem(word) in _BASES
                or _MODAL.search(normal[: head.own[0]])
            ):
                found.append((head, link))
    return found


def _filler(both: Comparison, end: int, number: int, link: re.Pattern[str]) -> str | None:
    """The word linked in the same way, if it is none of the statement's."""
    stop = both.clauses[number][1]
    match = link.match(both.passage.normal, end, stop)
    if match is None:
        return None
    taken: list[Span] = [span for unit in both.units for span in unit.places]
    counts = [one.span for one in both.foreign if one.held]
    for word in islice(_FILLER.finditer(both.passage.normal, match.end(), stop), _BEHIND_LINK):
        if meets(word.span(), [*taken, *counts]):
            return None
        if word[0] not in STOPWORDS and not _INDEFINITE.fullmatch(word[0]):
            return word[0]
    return None
